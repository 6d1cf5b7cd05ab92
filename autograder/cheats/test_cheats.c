/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The corpus of cheats: none gains anything, none harms anything.
 *
 * All are made into submissions beside two honest ones: the base that every
 * cheat starts from, and the reference.  One run of the grader takes them all
 * with a few tests.  Then each is held against its row of cheats.def, and the
 * reference must still have all its points: what harms the grader harms its
 * neighbours first.  Cheats that try forbidden things at run time say LEAK
 * when one works; a replay shows what they printed.
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

#include "autograder/report/report.h"

#ifndef BIN
#define BIN "build/bin"
#endif
#define HERE	"autograder/cheats/01-ring"
#define TESTS	"public_first_light,methods_are_encoded," \
		"one_segment_is_executed"

enum outcome { REFUSED, NO_BUILD, NO_GAIN, CONFINED };

static const struct cheat {
	const char *name;
	enum outcome outcome;
} cheats[] = {
#define CHEAT(name, outcome, text)	{ #name, outcome },
#include "autograder/cheats/cheats.def"
#undef CHEAT
};
#define CHEATS	(sizeof(cheats) / sizeof(cheats[0]))

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

static void add(const char *name, const char *ring, const char *push)
{
	ck_assert_int_eq(shell("mkdir -p %s/class/%s && cp %s "
			       "%s/class/%s/ring.c && cp %s %s/class/%s/ && "
			       "cp " HERE "/*.h %s/class/%s/", dir, name,
			       ring, dir, name, push, dir, name, dir, name),
			 0);
}

/* Once, before all tests; they fork from here. */
static void grade_all(void)
{
	char path[PATH_MAX];

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chmod(dir, 0711), 0);
	ck_assert_int_eq(shell("mkdir %s/tmp && chmod 711 %s/tmp && "
			       "echo '#include \"base.h\"' > %s/base.c", dir,
			       dir, dir), 0);
	for (size_t i = 0; i < CHEATS; i++) {
		snprintf(path, sizeof(path), HERE "/%s.c", cheats[i].name);
		add(cheats[i].name, path, "reference/umd/push.c");
	}
	snprintf(path, sizeof(path), "%s/base.c", dir);
	add("base", path, "reference/umd/push.c");
	add("reference", "reference/umd/ring.c", "reference/umd/push.c");
	ck_assert_int_eq(shell("TMPDIR=%s/tmp " BIN "/grade --test " TESTS
			       " --class %s/class --out %s/out > %s/log 2>&1",
			       dir, dir, dir, dir), 0);
}

static void clean_up(void)
{
	shell("rm -rf %s", dir);
}

static cJSON *record_of(const char *name)
{
	static char text[1 << 20];
	char path[PATH_MAX], why[160];
	cJSON *record;
	FILE *in;

	snprintf(path, sizeof(path), "%s/out/%s/01/result.json", dir, name);
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
	cJSON *record = record_of(cheat->name), *base = record_of("base");
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

START_TEST(what_it_tries_while_it_runs_is_denied)
{
	const struct cheat *cheat = &cheats[_i];

	if (cheat->outcome != CONFINED)
		return;
	ck_assert_int_eq(shell("TMPDIR=%s/tmp " BIN "/grade --replay "
			       "01/one_segment_is_executed@1 %s/class/%s > "
			       "%s/replay-%s 2>&1", dir, dir, cheat->name,
			       dir, cheat->name), 0);
	ck_assert_int_eq(shell("grep -a LEAK %s/replay-%s", dir,
			       cheat->name), 1);
	/* else nothing was tried */
	ck_assert_int_eq(shell("grep -a 'NO GADGET' %s/replay-%s", dir,
			       cheat->name), 1);
}
END_TEST

START_TEST(the_honest_are_not_harmed)
{
	cJSON *record = record_of("reference");

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
	DIR *folder = opendir(HERE);
	struct dirent *entry;
	size_t files = 0;

	while ((entry = readdir(folder)))
		files += strlen(entry->d_name) > 2 &&
			 !strcmp(strrchr(entry->d_name, '.'), ".c");
	closedir(folder);
	ck_assert_uint_eq(files, CHEATS);
	ck_assert_uint_ge(CHEATS, 15);
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
	tcase_add_test(tc, the_honest_are_not_harmed);
	tcase_add_test(tc, every_cheat_has_its_row);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
