/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The grader's command from outside: a class with everything that classes
 * hand in, graded once, and what must then be true of each.
 *
 * The hostile archives are made by test_archives.c.  One test of the lab is
 * enough here: what is tested is not the driver.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograder/grade/test_archives.h"
#include "autograder/report/report.h"

#ifndef BIN
#define BIN "build/bin"
#endif
#define ONE	"--test methods_are_encoded"

static char dir[] = "/tmp/test-grade-XXXXXX";

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

static void copy_driver(const char *folder)
{
	ck_assert_int_eq(shell("mkdir -p '%s/%s' && cp reference/umd/push.c "
			       "reference/umd/ring.c '%s/%s/'", dir, folder,
			       dir, folder), 0);
}

static cJSON *record_in(const char *out, const char *student)
{
	static char text[1 << 20];
	char path[PATH_MAX], why[160];
	cJSON *record;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s/%s/01/result.json", dir, out,
		 student);
	in = fopen(path, "r");
	ck_assert_msg(in != NULL, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	record = cJSON_Parse(text);
	ck_assert_msg(result_check(record, why, sizeof(why)) == 0, "%s: %s",
		      student, why);
	return record;
}

/* Once: a class of honest ones in every form, and of archives. */
static void make_class(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chmod(dir, 0711), 0);
	copy_driver("class/flat");
	copy_driver("class/in-lab/01-ring");
	copy_driver("class/wrapped/mine");
	copy_driver("class/wrapped-lab/mine/01-ring");
	copy_driver("class/twice");
	copy_driver("class/clutter");
	copy_driver("class/a\x1b[2J\n<b>&\xff");
	ck_assert_int_eq(shell("cd %s/class/clutter && mkfifo pipe.c && "
		"ln -s /etc/passwd link.c && ln -s / root && mkdir deep && "
		"echo '#error no' > port.h && echo 'int main(){}' > test_x.c "
		"&& touch -- '-o.c' 'a b.c' Makefile a.out", dir), 0);
	ck_assert_int_eq(shell("mkdir %s/class/only-push %s/class/nothing && "
		"cp reference/umd/push.c %s/class/only-push/ && touch "
		"%s/class/notes.txt", dir, dir, dir, dir), 0);
	ck_assert_int_eq(shell("cd %s/class && ln -s flat alias && mkdir "
		"only-link && ln -s /etc/passwd only-link/ring.c", dir), 0);
	copy_driver("class/deep/a/b");
	copy_driver("class/beside/src");
	ck_assert_int_eq(shell("mkdir %s/class/beside/doc && touch "
			       "%s/class/beside/doc/x.c", dir, dir), 0);
	for (const struct hostile *h = hostile_archives; h->name; h++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/class/%s", dir, h->name);
		ck_assert_int_eq(h->make(path), 0);
	}
	ck_assert_int_eq(shell(BIN "/grade " ONE " --jobs 2 --class "
			       "%s/class --out %s/out > %s/text 2> %s/errors",
			       dir, dir, dir, dir), 0);
}

static void clean_up(void)
{
	shell("rm -rf %s", dir);
}

START_TEST(files_are_found_in_every_form)
{
	static const char *const forms[] = {
		"flat", "in-lab", "wrapped", "wrapped-lab", "clutter",
		"a%1B[2J%0A<b>&%FF",
	};
	char folder[64];
	cJSON *record;

	/* the last one's folder, as OUT spells it */
	snprintf(folder, sizeof(folder), "%s", _i == 5 ?
		 "a%1B%5B2J%0A%3Cb%3E%26%FF" : forms[_i]);
	record = record_in("out", folder);
	ck_assert_str_eq(result_text(record, "state"), "graded");
	ck_assert(result_number(record, "score") == 5);
	cJSON_Delete(record);
}
END_TEST

START_TEST(an_archive_has_its_declared_state)
{
	const struct hostile *h = &hostile_archives[_i];
	char student[64];
	cJSON *record;

	snprintf(student, sizeof(student), "%.*s",
		 (int)strcspn(h->name, "."), h->name);
	record = record_in("out", student);
	ck_assert_msg(result_is(record, "state", h->state), "%s: %s: %s",
		      h->name, result_text(record, "state"),
		      result_text(record, "message"));
	ck_assert_msg(!h->message || strstr(result_text(record, "message"),
					    h->message), "%s: %s", h->name,
		      result_text(record, "message"));
	if (!strcmp(h->state, "graded"))
		ck_assert(result_number(record, "score") == 5);
	cJSON_Delete(record);
}
END_TEST

static bool is_ignored(const cJSON *record, const char *name, const char *why)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, result_list(record, "ignored"))
		if (result_is(item, "name", name) &&
		    strstr(result_text(item, "why"), why))
			return true;
	return false;
}

START_TEST(what_is_not_taken_is_named_with_the_reason)
{
	static const char *const rows[][2] = {
		{ "pipe.c", "regular" }, { "link.c", "link" },
		{ "root", "link" }, { "port.h", "give yours another" },
		{ "test_x.c", "test" }, { "-o.c", "plain" },
		{ "a b.c", "plain" }, { "Makefile", ".c and .h" },
	};
	cJSON *record = record_in("out", "clutter");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(is_ignored(record, rows[i][0], rows[i][1]),
			      "%s", rows[i][0]);
	cJSON_Delete(record);
	record = record_in("out", "traversal");
	ck_assert(is_ignored(record, "../../outside.c", "leaves"));
	ck_assert(is_ignored(record, "/tmp/absolute.c", "leaves"));
	cJSON_Delete(record);
	record = record_in("out", "links");
	ck_assert(is_ignored(record, "soft.c", "link"));
	ck_assert(is_ignored(record, "hard.c", "link"));
	cJSON_Delete(record);
}
END_TEST

START_TEST(nothing_leaves_an_archive)
{
	ck_assert_int_eq(shell("find / -xdev \\( -name outside.c -o -name "
			       "absolute.c \\) -not -path '/proc/*' | "
			       "grep ."), 1);
}
END_TEST

START_TEST(missing_files_are_the_skeletons)
{
	cJSON *record = record_in("out", "only-push");
	const cJSON *item;
	bool filled = false;

	ck_assert_str_eq(result_text(record, "state"), "graded");
	ck_assert(result_number(record, "score") == 5);
	cJSON_ArrayForEach(item, result_list(record, "files"))
		filled |= result_is(item, "name", "ring.c") &&
			  result_is(item, "from", "skeleton");
	ck_assert(filled);
	cJSON_Delete(record);
	record = record_in("out", "nothing");
	ck_assert_str_eq(result_text(record, "state"), "empty");
	ck_assert(result_has_score(record));
	ck_assert(result_number(record, "score") == 0);
	cJSON_Delete(record);
	ck_assert_int_eq(shell("grep -q '^only-push .*submitted: ring.c$' "
			       "%s/text && grep -q 'submitted: ring.c<' "
			       "%s/out/index.html", dir, dir), 0);
}
END_TEST

START_TEST(an_empty_one_is_told_what_was_left_out)
{
	cJSON *record = record_in("out", "only-link");

	ck_assert_str_eq(result_text(record, "state"), "empty");
	ck_assert_str_eq(result_text(record, "message"), "no .c or .h file "
			 "of the lab in it (ring.c: a link)");
	cJSON_Delete(record);
}
END_TEST

START_TEST(a_student_has_the_name_that_the_class_gives)
{
	cJSON *record = record_in("out", "alias");

	ck_assert_str_eq(result_text(record, "student"), "alias");
	ck_assert_str_eq(result_text(record, "state"), "graded");
	cJSON_Delete(record);
}
END_TEST

START_TEST(who_hands_in_twice_is_graded_twice)
{
	cJSON *first = record_in("out", "twice");
	cJSON *second = record_in("out", "twice~2");

	ck_assert_str_eq(result_text(first, "student"), "twice");
	ck_assert_str_eq(result_text(second, "student"), "twice (2)");
	cJSON_Delete(first);
	cJSON_Delete(second);
}
END_TEST

START_TEST(no_report_holds_what_a_name_smuggled_in)
{
	ck_assert_int_eq(shell("grep -rl '<b>&' %s/out --include='*.html'",
			       dir), 1);
	ck_assert_int_eq(shell("grep -rlP '\\x1b' %s/out %s/text", dir, dir),
			 1);
	/* and each student has one line in the table */
	ck_assert_int_eq(shell("test $(grep -c ' 01 ' %s/text) = "
			       "$(ls -d %s/out/*/ | wc -l)", dir, dir), 0);
}
END_TEST

START_TEST(equal_gradings_give_equal_bytes)
{
	ck_assert_int_eq(shell(BIN "/grade " ONE " --jobs 1 --class "
		"%s/class --out %s/again > %s/text2 2>&1", dir, dir, dir), 0);
	ck_assert_int_eq(shell("rm %s/again/timing.json && cp -r %s/out "
		"%s/out2 && rm %s/out2/timing.json && diff -r %s/out2 "
		"%s/again", dir, dir, dir, dir, dir, dir), 0);
}
END_TEST

START_TEST(a_result_without_a_score_keeps_the_older_one)
{
	cJSON *record;

	copy_driver("once/carol");
	ck_assert_int_eq(shell(BIN "/grade " ONE " --out %s/kept "
			       "%s/once/carol > /dev/null", dir, dir), 0);
	ck_assert_int_eq(shell("rm -r %s/once/carol && echo junk > "
			       "%s/once/carol.zip", dir, dir), 0);
	ck_assert_int_eq(shell(BIN "/grade " ONE " --out %s/kept "
			       "%s/once/carol.zip > /dev/null 2>&1", dir,
			       dir), 0);
	record = record_in("kept", "carol");
	ck_assert(result_number(record, "score") == 5);
	cJSON_Delete(record);
	ck_assert_int_eq(shell("test -f %s/kept/carol/01/error.json", dir),
			 0);
	ck_assert_int_eq(shell("grep -q '\"carol\",01,5,5,graded' "
			       "%s/kept/gradebook.csv", dir), 0);
}
END_TEST

START_TEST(the_exit_status_is_about_the_grading)
{
	static const struct {
		const char *arguments;
		int status;
	} rows[] = {
		{ "--lab 77 labs/01-ring", 2 },
		{ "--format nonsense labs/01-ring", 2 },
		{ "--format , labs/01-ring", 2 },
		{ "--format text, labs/01-ring", 2 },
		{ "--format '' labs/01-ring", 2 },
		{ "--test methods_are_encoded,no_such_test labs/01-ring", 2 },
		{ "--test , labs/01-ring", 2 },
		{ "--jobs 0 labs/01-ring", 2 },
		{ "--nonsense", 2 },
		{ "", 2 },
		{ "/no/such/submission", 2 },
		{ "--class README.md", 2 },
		{ "--class vm/spec", 2 },
		{ "--test no_such_test labs/01-ring", 2 },
		{ "--replay 01/no_such_test@1 labs/01-ring", 2 },
		{ "--list", 0 },
		{ "--help", 0 },
		/* the skeleton has no points, and that is no error */
		{ ONE " labs/01-ring", 0 },
		/* too weak a box for other people's code */
		{ ONE " --without uid --without landlock labs/01-ring", 3 },
		{ ONE " --without seccomp labs/01-ring", 3 },
		/* nowhere to work */
		{ ONE " --out /proc/none labs/01-ring", 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(shell(BIN "/grade %s > /dev/null 2>&1",
				    rows[i].arguments) == rows[i].status,
			      "grade %s", rows[i].arguments);
	ck_assert_int_eq(shell(BIN "/grade " ONE " labs/01-ring 2>&1 "
			       "> /dev/full | grep -q 'cannot write'"), 0);
	ck_assert_int_eq(shell("TMPDIR=/no/such/folder " BIN "/grade " ONE
			       " labs/01-ring > /dev/null 2>&1"), 3);
}
END_TEST

START_TEST(hints_go_on_in_ones_own_loop_only)
{
	const char *own = BIN "/grade --test public_push_inc %s --out %s/%s "
		"labs/01-ring | grep '  hint ' > %s/hint%d";

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(shell(own, "--own --format detail", dir,
				       "loop", dir, i), 0);
		ck_assert_int_eq(shell(own, "--format detail", dir, "class",
				       dir, 2 + i), 0);
	}
	ck_assert_int_eq(shell("cmp -s %s/hint0 %s/hint1", dir, dir), 1);
	ck_assert_int_eq(shell("cmp -s %s/hint2 %s/hint3", dir, dir), 0);
}
END_TEST

/* What any driver can do wrong, and in which words its hint begins. */
static const struct {
	const char *rule, *line, *hint;
} generic[] = {
	{ "CRASH", "*(volatile int *)8 = 1;", "\"actual\" says what happened" },
	{ "LOOP", "for (;;) barrier();", "A loop in your code" },
	{ "DEADLOCK", "static pthread_mutex_t m; pthread_mutex_lock(\\&m); "
	  "pthread_mutex_lock(\\&m);", "No thread can go on" },
};

START_TEST(what_any_driver_can_do_wrong_has_hints_of_its_own)
{
	const char *rule = generic[_i].rule;

	copy_driver(rule);
	ck_assert_int_eq(shell("cd %s/%s && sed -i 's/^#include \"push.h\"/"
		"\\0\\n#include <pthread.h>/; s/^\tpush->words = words;/"
		"\t%s\\n\\0/' push.c", dir, rule, generic[_i].line), 0);
	/* one hint after the other, and the class's stays the first */
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(shell(BIN "/grade " ONE " --own --out "
			"%s/generic %s/%s > %s/%s.%d", dir, dir, rule, dir,
			rule, i), 0);
	ck_assert_int_eq(shell("grep -q '^  %s ' %s/%s.0 && "
		"grep -q '  hint  *%s' %s/%s.0", rule, dir, rule,
		generic[_i].hint, dir, rule), 0);
	ck_assert_int_eq(shell("grep -q '  hint  *%s' %s/%s.1",
			       generic[_i].hint, dir, rule), 1);
	/* another failure of the same test begins at its own first level */
	ck_assert_int_eq(shell("cp labs/01-ring/*.c %s/%s/ && " BIN "/grade "
		ONE " --own --out %s/generic %s/%s > %s/%s.2 && "
		"grep -q '\"hint_level\":.*1' "
		"%s/generic/%s/01/result.json", dir, rule, dir, dir, rule,
		dir, rule, dir, rule), 0);
}
END_TEST

START_TEST(common_hints_have_three_levels)
{
	static const char *const rules[] = { "CRASH", "LOOP", "DEADLOCK",
					     "EXIT" };

	ck_assert_int_eq(shell("test $(sed -n '/^## %s$/,/^## [^%c]/p' "
		"labs/hints.md | grep -c '^### [123]$') -eq 3", rules[_i],
		rules[_i][0]), 0);
}
END_TEST

START_TEST(warnings_are_shown_and_not_too_many)
{
	cJSON *record;
	const cJSON *compile;

	copy_driver("warned");
	ck_assert_int_eq(shell("for i in 1 2 3 4 5 6 7 8 9; do echo \"static "
		"int f$i(int a, unsigned b) { return a == b; }\"; done >> "
		"%s/warned/push.c", dir), 0);
	ck_assert_int_eq(shell(BIN "/grade " ONE " --own --out %s/warnings "
		"%s/warned > %s/warned.text", dir, dir, dir), 0);
	record = record_in("warnings", "warned");
	compile = cJSON_GetObjectItem(record, "compile");
	ck_assert(result_number(compile, "warning_count") == 9);
	ck_assert_int_eq(cJSON_GetArraySize(result_list(compile, "warnings")),
			 5);
	cJSON_Delete(record);
	ck_assert_int_eq(shell("grep -q 'gives 9 warnings' %s/warned.text && "
		"grep -q '^    push.c:[0-9:]* warning: ' %s/warned.text && "
		"grep -q 'and 4 more' %s/warned.text", dir, dir, dir), 0);
	ck_assert_int_eq(shell("grep -q 'gives 9 warnings' "
		"%s/warnings/warned/01/report.html", dir), 0);
}
END_TEST

START_TEST(files_too_deep_are_found_and_said)
{
	cJSON *record = record_in("out", "deep");

	ck_assert_str_eq(result_text(record, "state"), "empty");
	ck_assert(result_number(record, "score") == 0);
	ck_assert_str_eq(result_text(record, "message"), "its files are two "
			 "folders down, in a/b/: put them at the top or in "
			 "01-ring/");
	cJSON_Delete(record);
	record = record_in("out", "beside");
	ck_assert_ptr_nonnull(strstr(result_text(record, "message"),
				     "one folder down, in src/"));
	cJSON_Delete(record);
}
END_TEST

/*
 * In all phases: while it stages, compiles, runs tests; and a single run.
 * TMPDIR is this test's own, so what is left in it or runs from it is ours.
 */
static const struct {
	const char *signal, *seconds, *arguments;
	int status;
} stops[] = {
	{ "TERM", "0.02", "--jobs 3 --class", 143 },
	{ "TERM", "0.3", "--jobs 3 --class", 143 },
	{ "INT", "0.8", "--jobs 2 --without namespaces --class", 130 },
	{ "HUP", "1.5", "--jobs 2 --class", 129 },
	{ "TERM", "0.1", "--replay 01/threads_fill_the_ring@1", 143 },
};

START_TEST(told_to_stop_it_leaves_nothing)
{
	const char *arguments = stops[_i].arguments;
	char tmp[64], out[64];

	snprintf(tmp, sizeof(tmp), "%s/stop%d", dir, _i);
	snprintf(out, sizeof(out), "%s/stopped%d", dir, _i);
	ck_assert_int_eq(shell("mkdir %s && chmod 711 %s", tmp, tmp), 0);
	ck_assert_int_eq(shell("TMPDIR=%s timeout --preserve-status -s %s %s "
		BIN "/grade %s %s/%s --out %s > %s.text 2>&1", tmp,
		stops[_i].signal, stops[_i].seconds, arguments, dir,
		strstr(arguments, "--class") ? "class" : "class/flat", out,
		tmp), stops[_i].status);
	/* it may have come before there was anything to say */
	ck_assert_int_eq(shell("test ! -s %s.text || grep -q 'stopped by "
			       "signal' %s.text", tmp, tmp), 0);
	/* no process, no scratch space, no half of a file, no gradebook */
	ck_assert_int_eq(shell("cat /proc/[0-9]*/cmdline 2>/dev/null | "
		"tr '\\0' '\\n' | grep -q '^%s/'", tmp), 1);
	ck_assert_int_eq(shell("rmdir %s", tmp), 0);
	ck_assert_int_eq(shell("find %s -name '*.tmp' | grep .", out), 1);
	ck_assert_int_eq(shell("test -e %s/gradebook.csv", out), 1);
	ck_assert_int_eq(shell("for f in $(find %s -name result.json); do "
		"tail -n 1 $f | grep -qx '}' || exit 1; done", out), 0);
}
END_TEST

/* walk.c and space.h are the judge's, wait.c is of lab 03, ring.h is given. */
START_TEST(a_further_file_may_have_a_name_that_the_course_has)
{
	cJSON *record;

	copy_driver("helper");
	ck_assert_int_eq(shell("cd %s/helper && echo 'int half(int n);' > "
		"space.h && echo '#include \"space.h\"\nint half(int n) { "
		"return n / 2; }' > walk.c && cp walk.c wait.c && touch ring.h "
		"&& sed -i 's/^#include \"push.h\"/\\0\\n#include "
		"\"space.h\"/; s/^\tpush->words = words/\\0 + half(1)/' "
		"push.c && grep -q half push.c", dir), 0);
	ck_assert_int_eq(shell(BIN "/grade " ONE " --own --out %s/helped "
		"%s/helper > %s/helper.text", dir, dir, dir), 0);
	record = record_in("helped", "helper");
	ck_assert(result_number(record, "score") == 5);
	ck_assert_int_eq(cJSON_GetArraySize(result_list(record, "ignored")),
			 2);
	ck_assert(is_ignored(record, "wait.c", "the course has a file of that "
			     "name; give yours another"));
	ck_assert(is_ignored(record, "ring.h", "give yours another"));
	cJSON_Delete(record);
}
END_TEST

START_TEST(a_trace_begins_where_the_test_does)
{
	static const char trace[] = BIN "/grade --own --out %s/traced --trace "
		"public_first_light %s %s/seen > %s/trace%d";

	copy_driver("seen");
	ck_assert_int_eq(shell(trace, dir, "", dir, dir, 0), 0);
	ck_assert_int_eq(shell(trace, dir, "--from-start", dir, dir, 1), 0);
	ck_assert_int_eq(shell("cd %s && head -n 1 trace0 | grep -qx '[.]* "
		"[0-9]* events of the bring-up; FROM=start shows them' && "
		"sed -n 2p trace0 | grep -q ' us thread 0: gpu_open() = 0$' && "
		"test $(wc -l < trace0) -lt $(($(wc -l < trace1) / 2)) && "
		"grep -v '^[.]' trace0 > lines && "
		"test -z \"$(diff lines trace1 | grep '^<')\"", dir), 0);
}
END_TEST

START_TEST(scratch_space_is_given_back)
{
	ck_assert_int_eq(shell("mkdir %s/scratch && TMPDIR=%s/scratch " BIN
			       "/grade " ONE " labs/01-ring > /dev/null && "
			       "rmdir %s/scratch", dir, dir, dir), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("grade");
	TCase *tc = tcase_create("grade");
	SRunner *runner;
	int failed, archives = 0;

	while (hostile_archives[archives].name)
		archives++;
	tcase_add_unchecked_fixture(tc, make_class, clean_up);
	tcase_set_timeout(tc, 400);
	tcase_add_loop_test(tc, files_are_found_in_every_form, 0, 6);
	tcase_add_loop_test(tc, an_archive_has_its_declared_state, 0,
			    archives);
	tcase_add_test(tc, what_is_not_taken_is_named_with_the_reason);
	tcase_add_test(tc, nothing_leaves_an_archive);
	tcase_add_test(tc, missing_files_are_the_skeletons);
	tcase_add_test(tc, an_empty_one_is_told_what_was_left_out);
	tcase_add_test(tc, a_student_has_the_name_that_the_class_gives);
	tcase_add_test(tc, who_hands_in_twice_is_graded_twice);
	tcase_add_test(tc, no_report_holds_what_a_name_smuggled_in);
	tcase_add_test(tc, equal_gradings_give_equal_bytes);
	tcase_add_test(tc, a_result_without_a_score_keeps_the_older_one);
	tcase_add_test(tc, the_exit_status_is_about_the_grading);
	tcase_add_test(tc, hints_go_on_in_ones_own_loop_only);
	tcase_add_loop_test(tc,
		what_any_driver_can_do_wrong_has_hints_of_its_own, 0,
		sizeof(generic) / sizeof(generic[0]));
	tcase_add_loop_test(tc, common_hints_have_three_levels, 0, 4);
	tcase_add_test(tc, warnings_are_shown_and_not_too_many);
	tcase_add_test(tc, files_too_deep_are_found_and_said);
	tcase_add_loop_test(tc, told_to_stop_it_leaves_nothing, 0,
			    sizeof(stops) / sizeof(stops[0]));
	tcase_add_test(tc,
		       a_further_file_may_have_a_name_that_the_course_has);
	tcase_add_test(tc, a_trace_begins_where_the_test_does);
	tcase_add_test(tc, scratch_space_is_given_back);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
