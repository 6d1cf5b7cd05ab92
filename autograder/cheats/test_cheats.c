/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The corpus of cheats: none gains anything, none harms anything.
 *
 * Each is a file of its lab's, in a submission beside two honest ones: the
 * base that every cheat of the lab starts from, and the reference.  One run
 * of the grader for each lab takes them all with a few tests.  Then each is
 * held against its row of cheats.def, and the reference must still have all
 * its points: what harms the grader harms its neighbours first.  Cheats that
 * try forbidden things at run time say LEAK when one works; a replay shows
 * what they printed.
 */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograder/judge/wire.h"
#include "autograder/report/report.h"

#ifndef BIN
#define BIN "build/bin"
#endif
#define HERE	"autograder/cheats/"

enum outcome { REFUSED, NO_BUILD, NO_GAIN, CONFINED };

static const struct cheat {
	const char *lab, *name;
	enum outcome outcome;
} cheats[] = {
#define CHEAT(lab, name, outcome, text)	{ #lab, #name, outcome },
#include "autograder/cheats/cheats.def"
#undef CHEAT
};
#define CHEATS	(sizeof(cheats) / sizeof(cheats[0]))

static const struct lab {
	const char *number, *folder;
	const char *file;	/* what a cheat is			*/
	const char *rest;	/* whose the lab's other files are, or
				 * NULL: there is nothing in them	*/
	const char *tests, *replay;
	unsigned int least;	/* so many cheats			*/
} course[] = {
	{ "01", "01-ring", "ring.c", "reference/umd",
	  "public_first_light,methods_are_encoded,one_segment_is_executed",
	  "one_segment_is_executed", 15 },
	{ "02", "02-vas", "vas.c", "labs/02-vas",
	  "public_first_page,pages_come_and_go",
	  "pages_come_and_go", 10 },
	{ "03", "03-fence", "fence.c", NULL,
	  "public_first_fence,waiters_come_and_go",
	  "waiters_come_and_go", 10 },
};
#define LABS	(sizeof(course) / sizeof(course[0]))

static const struct {
	const char *lab, *name, *folder;
} files[] = {
#define LAB(number, folder)
#define LAB_FILE(number, name, folder)	{ #number, name, folder },
#define LAB_HEADERS(number, folder)
#include "autograder/labs.def"
#undef LAB
#undef LAB_FILE
#undef LAB_HEADERS
};

static char dir[] = "/tmp/test-cheats-XXXXXX";

static int shell(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static int shell(const char *format, ...)
{
	char command[4096];
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void copy(const char *from, const char *to, const char *name)
{
	ck_assert_int_eq(shell("cp %s %s/%s", from, to, name), 0);
}

/* A submission: one file, the lab's others, and what cheats include. */
static void add(const struct lab *lab, const char *name, const char *file)
{
	char to[PATH_MAX], from[PATH_MAX];

	snprintf(to, sizeof(to), "%s/%s/%s", dir, lab->number, name);
	ck_assert_int_eq(shell("mkdir -p %s && cp " HERE "gadget.h "
			       HERE "%s/*.h %s/layout.h %s", to, lab->folder,
			       dir, to), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(files[i].lab, lab->number))
			continue;
		if (!lab->rest)
			snprintf(from, sizeof(from), "%s/nothing.c", dir);
		else
			snprintf(from, sizeof(from), "%s/%s", lab->rest,
				 files[i].name);
		copy(strcmp(files[i].name, lab->file) ? from : file, to,
		     files[i].name);
	}
}

static void add_reference(const struct lab *lab)
{
	char to[PATH_MAX], from[PATH_MAX];

	snprintf(to, sizeof(to), "%s/%s/reference", dir, lab->number);
	ck_assert_int_eq(shell("mkdir %s", to), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(files[i].lab, lab->number))
			continue;
		snprintf(from, sizeof(from), "%s/%s", files[i].folder,
			 files[i].name);
		copy(from, to, files[i].name);
	}
}

/* Where things are on the link: who cheats would find out. */
static void write_layout(void)
{
	char path[PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/layout.h", dir);
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	fprintf(out, "#define LINK_SIZE %u\n#define LINK_ARENA %u\n"
		"#define LINK_TURN %zu\n#define LINK_POSTED %zu\n"
		"#define LINK_REQUEST %zu\n#define LINK_INTERRUPTS %zu\n"
		"#define LINK_POSTS %zu\n#define LINK_PAYLOAD %zu\n"
		"#define OPS_SIZE %zu\n#define OP_SIZE %zu\n"
		"enum { POST_RESULT = %d, POST_OUTPUT = %d, POST_SWITCH = %d, "
		"POST_BEGIN = %d, ASK_NEXT = %d, CALL_SLEEP = %d };\n",
		WIRE_SIZE, WIRE_ARENA_OFFSET, offsetof(struct wire, turn),
		offsetof(struct wire, posted), offsetof(struct wire, request),
		offsetof(struct wire, reply.interrupts),
		offsetof(struct wire, post), offsetof(struct wire, payload),
		sizeof(struct wire_ops), sizeof(struct wire_op), WIRE_RESULT,
		WIRE_OUTPUT, WIRE_SWITCH, WIRE_BEGIN, WIRE_NEXT, CALL_sleep);
	ck_assert_int_eq(fclose(out), 0);
}

/* Once, before all tests; they fork from here. */
static void grade_all(void)
{
	char path[PATH_MAX];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chmod(dir, 0711), 0);
	ck_assert_int_eq(shell("cd %s && mkdir tmp && chmod 711 tmp && "
			       "echo '#include \"base.h\"' > base.c && "
			       "echo '/* in fence.c */' > nothing.c", dir), 0);
	write_layout();
	for (const struct lab *lab = course; lab < course + LABS; lab++) {
		for (size_t i = 0; i < CHEATS; i++) {
			snprintf(path, sizeof(path), HERE "%s/%s.c",
				 lab->folder, cheats[i].name);
			if (!strcmp(cheats[i].lab, lab->number))
				add(lab, cheats[i].name, path);
		}
		snprintf(path, sizeof(path), "%s/base.c", dir);
		add(lab, "base", path);
		add_reference(lab);
		ck_assert_int_eq(shell("TMPDIR=%s/tmp " BIN "/grade --lab %s "
				       "--seeds 2 --test %s --class %s/%s "
				       "--out %s/out%s > %s/log 2>&1", dir,
				       lab->number, lab->tests, dir,
				       lab->number, dir, lab->number, dir), 0);
	}
}

static void clean_up(void)
{
	shell("rm -rf %s", dir);
}

static cJSON *record_of(const char *lab, const char *name)
{
	static char text[1 << 20];
	char path[PATH_MAX], why[160];
	cJSON *record;
	FILE *in;

	snprintf(path, sizeof(path), "%s/out%s/%s/%s/result.json", dir, lab,
		 name, lab);
	in = fopen(path, "r");
	ck_assert_msg(in != NULL, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	record = cJSON_Parse(text);
	ck_assert_msg(result_check(record, why, sizeof(why)) == 0, "%s: %s",
		      name, why);
	return record;
}

static bool passes(const cJSON *record, const char *test)
{
	const cJSON *each;

	cJSON_ArrayForEach(each, result_list(record, "tests"))
		if (result_is(each, "name", test))
			return result_is(each, "outcome", "pass");
	return false;
}

START_TEST(a_cheat_gains_nothing)
{
	static const char *const states[] = { "refused", "build-failed",
					      "graded", "graded" };
	const struct cheat *cheat = &cheats[_i];
	cJSON *record = record_of(cheat->lab, cheat->name);
	cJSON *base = record_of(cheat->lab, "base");
	const cJSON *each;

	ck_assert_msg(result_is(record, "state", states[cheat->outcome]),
		      "%s: %s: %s", cheat->name, result_text(record, "state"),
		      result_text(record, "message"));
	ck_assert(result_number(record, "score") <=
		  result_number(base, "score"));
	cJSON_ArrayForEach(each, result_list(record, "tests"))
		ck_assert_msg(!result_is(each, "outcome", "pass") ||
			      passes(base, result_text(each, "name")),
			      "%s passes %s", cheat->name,
			      result_text(each, "name"));
	cJSON_Delete(base);
	cJSON_Delete(record);
}
END_TEST

static const struct lab *lab_of(const struct cheat *cheat)
{
	const struct lab *lab = course;

	while (strcmp(lab->number, cheat->lab))
		lab++;
	return lab;
}

START_TEST(what_it_tries_while_it_runs_is_denied)
{
	const struct cheat *cheat = &cheats[_i];
	const struct lab *lab = lab_of(cheat);

	if (cheat->outcome != CONFINED)
		return;
	ck_assert_int_eq(shell("TMPDIR=%s/tmp " BIN "/grade --replay %s/%s@1 "
			       "%s/%s/%s > %s/replay-%s 2>&1", dir,
			       lab->number, lab->replay, dir, lab->number,
			       cheat->name, dir, cheat->name), 0);
	ck_assert_int_eq(shell("grep -a LEAK %s/replay-%s", dir,
			       cheat->name), 1);
	/* else nothing was tried */
	ck_assert_int_eq(shell("grep -a 'NO GADGET' %s/replay-%s", dir,
			       cheat->name), 1);
}
END_TEST

/* A base that did well would have nothing to gain. */
START_TEST(where_cheats_start_from_is_worth_little)
{
	cJSON *base = record_of(course[_i].number, "base");

	ck_assert(result_is(base, "state", "graded"));
	ck_assert(result_number(base, "score") <
		  result_number(base, "max_score"));
	cJSON_Delete(base);
}
END_TEST

START_TEST(the_honest_are_not_harmed)
{
	cJSON *record = record_of(course[_i].number, "reference");

	ck_assert(result_number(record, "max_score") > 0);
	ck_assert(result_number(record, "score") ==
		  result_number(record, "max_score"));
	cJSON_Delete(record);
	/* and nothing lies or runs about */
	ck_assert_int_eq(shell("find %s/tmp -mindepth 1 | grep .", dir), 1);
	/* by what it prints: processes come and go while grep looks */
	ck_assert_int_eq(shell("test -z \"$(grep -lsz '^%s/tmp' "
			       "/proc/[0-9]*/cmdline)\"", dir), 0);
	ck_assert_int_ne(access("/tmp/doorbell-result.json", F_OK), 0);
}
END_TEST

START_TEST(every_cheat_has_its_row)
{
	const struct lab *lab = &course[_i];
	size_t sources = 0, rows = 0;
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *folder;

	snprintf(path, sizeof(path), HERE "%s", lab->folder);
	folder = opendir(path);
	ck_assert_ptr_nonnull(folder);
	while ((entry = readdir(folder)))
		sources += strlen(entry->d_name) > 2 &&
			   !strcmp(strrchr(entry->d_name, '.'), ".c");
	closedir(folder);
	for (size_t i = 0; i < CHEATS; i++)
		rows += lab_of(&cheats[i]) == lab;
	ck_assert_uint_eq(sources, rows);
	ck_assert_uint_ge(rows, lab->least);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cheats");
	TCase *tc = tcase_create("cheats");
	SRunner *runner;
	int failed;

	tcase_add_unchecked_fixture(tc, grade_all, clean_up);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, a_cheat_gains_nothing, 0, CHEATS);
	tcase_add_loop_test(tc, what_it_tries_while_it_runs_is_denied, 0,
			    CHEATS);
	tcase_add_loop_test(tc, where_cheats_start_from_is_worth_little, 0,
			    LABS);
	tcase_add_loop_test(tc, the_honest_are_not_harmed, 0, LABS);
	tcase_add_loop_test(tc, every_cheat_has_its_row, 0, LABS);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
