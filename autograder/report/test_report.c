/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Records and formats.
 *
 * A record made here, as hostile as records get, is held against the schema
 * file itself and against result_check(), then printed in every format; what
 * comes out is parsed again where there is a parser, and searched for what
 * must not be in it where there is none.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/report/report.h"
#include "autograder/report/schema.h"

#define SCHEMA "autograder/report/result.schema.json"

static const char hostile[] = "<script>alert('x')</script>&\"]]>,=1+1";

static cJSON *test_row(const char *name, const char *outcome, int points)
{
	cJSON *test = cJSON_CreateObject(), *f, *list;
	bool pass = !strcmp(outcome, "pass");

	cJSON_AddStringToObject(test, "name", name);
	cJSON_AddStringToObject(test, "title", hostile);
	cJSON_AddStringToObject(test, "step", "1 encode");
	cJSON_AddStringToObject(test, "section", "§8.3");
	cJSON_AddStringToObject(test, "kind", "correctness");
	cJSON_AddStringToObject(test, "visibility", "hidden");
	cJSON_AddNumberToObject(test, "points", points);
	cJSON_AddNumberToObject(test, "earned", pass ? points : 0);
	cJSON_AddStringToObject(test, "outcome", outcome);
	cJSON_AddNumberToObject(test, "seeds", 3);
	cJSON_AddNumberToObject(test, "seeds_run", 1);
	if (strcmp(outcome, "fail"))
		return test;
	f = cJSON_AddObjectToObject(test, "failure");
	cJSON_AddNumberToObject(f, "seed", 1);
	cJSON_AddStringToObject(f, "rule", "RULE_GP_OVERWRITE");
	cJSON_AddStringToObject(f, "section", "§8.3");
	cJSON_AddStringToObject(f, "text", hostile);
	cJSON_AddStringToObject(f, "expected", "free");
	cJSON_AddStringToObject(f, "actual", "taken\nnot ok 9 - forged");
	cJSON_AddNumberToObject(f, "time_ns", 1500);
	list = cJSON_AddArrayToObject(f, "events");
	cJSON_AddItemToArray(list, cJSON_CreateString("1.000 us GP_PUT 3"));
	cJSON_AddArrayToObject(f, "others");
	cJSON_AddStringToObject(f, "replay", "build/bin/grade --replay x");
	cJSON_AddStringToObject(f, "hint", "read it again");
	cJSON_AddNumberToObject(f, "hint_level", 1);
	return test;
}

static void add_lists(cJSON *record)
{
	cJSON *list = cJSON_AddArrayToObject(record, "files"), *item;

	item = cJSON_CreateObject();
	cJSON_AddStringToObject(item, "name", "ring.c");
	cJSON_AddNumberToObject(item, "bytes", 10);
	cJSON_AddStringToObject(item, "from", "skeleton");
	cJSON_AddItemToArray(list, item);
	list = cJSON_AddArrayToObject(record, "ignored");
	item = cJSON_CreateObject();
	cJSON_AddStringToObject(item, "name", hostile);
	cJSON_AddStringToObject(item, "why", "a link");
	cJSON_AddItemToArray(list, item);
	item = cJSON_AddObjectToObject(record, "compile");
	cJSON_AddStringToObject(item, "log", hostile);
	cJSON_AddNumberToObject(item, "warning_count", 3);
	list = cJSON_AddArrayToObject(item, "warnings");
	cJSON_AddItemToArray(list, cJSON_CreateString("ring.c:7:1: warning: "
						      "<b>unused</b>"));
	list = cJSON_AddArrayToObject(record, "steps");
	item = cJSON_CreateObject();
	cJSON_AddStringToObject(item, "step", "1 encode");
	cJSON_AddNumberToObject(item, "earned", 5);
	cJSON_AddNumberToObject(item, "points", 8);
	cJSON_AddItemToArray(list, item);
}

/* graded with 5 of 8; or in a state without a score */
static cJSON *record_new(const char *student, const char *state)
{
	bool graded = !strcmp(state, "graded");
	cJSON *record = cJSON_CreateObject(), *tests;

	cJSON_AddStringToObject(record, "schema", RECORD_SCHEMA);
	cJSON_AddStringToObject(record, "lab", "01");
	cJSON_AddStringToObject(record, "student", student);
	cJSON_AddStringToObject(record, "state", state);
	cJSON_AddStringToObject(record, "message", graded ? "" : hostile);
	cJSON_AddStringToObject(record, "visibility", "all");
	if (graded)
		cJSON_AddNumberToObject(record, "score", 5);
	else
		cJSON_AddNullToObject(record, "score");
	cJSON_AddNumberToObject(record, "max_score", 8);
	add_lists(record);
	tests = cJSON_AddArrayToObject(record, "tests");
	cJSON_AddItemToArray(tests, test_row("good", graded ? "pass" :
					     "not-run", 5));
	cJSON_AddItemToArray(tests, test_row("bad", graded ? "fail" :
					     "not-run", 3));
	return record;
}

static char *printed(const char *format, const cJSON *record)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(report_write(format, record, out), 0);
	fclose(out);
	return text;
}

static cJSON *schema_read(void)
{
	FILE *in = fopen(SCHEMA, "r");
	static char text[65536];
	cJSON *schema;

	ck_assert_msg(in != NULL, "run from the top folder");
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	schema = cJSON_Parse(text);
	ck_assert_ptr_nonnull(schema);
	return schema;
}

START_TEST(a_record_keeps_the_schema)
{
	static const char *const states[] = { "graded", "error",
					      "unreadable" };
	cJSON *schema = schema_read();
	char why[256];

	for (int i = 0; i < 3; i++) {
		cJSON *record = record_new("a", states[i]);

		ck_assert_msg(schema_check(schema, record, "", why,
					   sizeof(why)) == 0, "%s", why);
		ck_assert_msg(result_check(record, why, sizeof(why)) == 0,
			      "%s", why);
		cJSON_Delete(record);
	}
	cJSON_Delete(schema);
}
END_TEST

START_TEST(a_record_that_breaks_the_schema_is_found)
{
	static const char *const removed[] = {
		"schema", "lab", "student", "state", "max_score", "files",
		"ignored", "steps", "tests"
	};
	cJSON *schema = schema_read();
	char why[256];

	for (size_t i = 0; i < sizeof(removed) / sizeof(removed[0]); i++) {
		cJSON *record = record_new("a", "graded");

		cJSON_DeleteItemFromObject(record, removed[i]);
		ck_assert_int_eq(schema_check(schema, record, "", why,
					      sizeof(why)), -EINVAL);
		ck_assert_int_eq(result_check(record, why, sizeof(why)),
				 -EINVAL);
		cJSON_Delete(record);
	}
	cJSON_Delete(schema);
}
END_TEST

START_TEST(points_come_only_from_tests_that_pass)
{
	cJSON *record = record_new("a", "graded"), *test;
	char why[256];

	/* a score that no test earned */
	cJSON_SetNumberValue(cJSON_GetObjectItem(record, "score"), 8);
	ck_assert_int_eq(result_check(record, why, sizeof(why)), -EINVAL);
	/* points of a test that failed */
	test = cJSON_GetArrayItem(cJSON_GetObjectItem(record, "tests"), 1);
	cJSON_SetNumberValue(cJSON_GetObjectItem(test, "earned"), 3);
	ck_assert_int_eq(result_check(record, why, sizeof(why)), -EINVAL);
	cJSON_Delete(record);
	/* an error with a score */
	record = record_new("a", "error");
	cJSON_ReplaceItemInObject(record, "score", cJSON_CreateNumber(0));
	ck_assert_int_eq(result_check(record, why, sizeof(why)), -EINVAL);
	cJSON_Delete(record);
}
END_TEST

START_TEST(every_format_prints_every_state_and_nothing_unescaped)
{
	const struct report_format *f = &report_formats[_i];
	bool markup = strstr(f->name, "html") || !strcmp(f->name, "index") ||
		      !strcmp(f->name, "junit");
	cJSON *records = cJSON_CreateArray();
	char *text;

	cJSON_AddItemToArray(records, record_new("alice", "graded"));
	cJSON_AddItemToArray(records, record_new(hostile, "error"));
	text = printed(f->name, records);
	ck_assert_uint_gt(strlen(text), 20);
	if (markup)
		ck_assert_ptr_null(strstr(text, "<script>"));
	free(text);
	cJSON_Delete(records);
}
END_TEST

START_TEST(json_formats_parse_again)
{
	static const char *const formats[] = {
		"json", "gradescope", "prairielearn", "classroom50"
	};
	static const char *const states[] = { "graded", "error" };

	for (int i = 0; i < 8; i++) {
		cJSON *record = record_new("alice", states[i / 4]);
		char *text = printed(formats[i % 4], record);
		cJSON *back = cJSON_Parse(text);

		ck_assert_msg(back != NULL, "%s", formats[i % 4]);
		if (i / 4 == 0)
			ck_assert(result_number(back, "score") == 5 ||
				  i % 4 == 2);
		else if (i % 4)
			ck_assert(!cJSON_HasObjectItem(back, "score"));
		cJSON_Delete(back);
		free(text);
		cJSON_Delete(record);
	}
}
END_TEST

START_TEST(the_record_survives_being_printed)
{
	cJSON *record = record_new("alice", "graded"), *back;
	char *text = printed("json", record);

	back = cJSON_Parse(text);
	ck_assert(cJSON_Compare(record, back, true));
	free(text);
	cJSON_Delete(back);
	cJSON_Delete(record);
}
END_TEST

START_TEST(autolab_ends_with_the_scores_or_none)
{
	cJSON *record = record_new("alice", "graded"), *last;
	char *text = printed("autolab", record), *line;

	line = strchr(text, '\n') + 1;
	last = cJSON_Parse(line);
	ck_assert(result_number(cJSON_GetObjectItem(last, "scores"),
				"1 encode") == 5);
	cJSON_Delete(last);
	free(text);
	cJSON_Delete(record);
	record = record_new("alice", "error");
	text = printed("autolab", record);
	ck_assert_ptr_null(strstr(text, "\"scores\""));
	free(text);
	cJSON_Delete(record);
}
END_TEST

START_TEST(a_grader_error_is_an_empty_cell_and_never_zero)
{
	cJSON *record = record_new("bob", "error");
	char *text = printed("csv", record);

	ck_assert_ptr_nonnull(strstr(text, "\"bob\",01,,8,error,"));
	free(text);
	text = printed("moodle", record);
	ck_assert_ptr_nonnull(strstr(text, "\"bob\",\"bob\",,8,"));
	free(text);
	text = printed("text", record);
	ck_assert_ptr_nonnull(strstr(text, "none"));
	free(text);
	cJSON_Delete(record);
}
END_TEST

START_TEST(no_cell_is_a_formula)
{
	cJSON *record = record_new("=HYPERLINK(\"x\")", "graded");
	char *text = printed("csv", record);

	ck_assert_ptr_nonnull(strstr(text, "\"'=HYPERLINK(\"\"x\"\")\""));
	free(text);
	cJSON_Delete(record);
}
END_TEST

START_TEST(tap_lines_cannot_be_forged)
{
	cJSON *record = record_new("alice", "graded");
	char *text = printed("tap", record), *save = NULL;
	int ok = 0, not_ok = 0;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		ok += !strncmp(line, "ok ", 3);
		not_ok += !strncmp(line, "not ok ", 7);
	}
	ck_assert_int_eq(ok, 1);
	ck_assert_int_eq(not_ok, 1);
	free(text);
	cJSON_Delete(record);
}
END_TEST

START_TEST(moodle_finds_the_participant)
{
	cJSON *record = record_new("Ada L_4711_assignsubmission_file",
				   "graded");
	char *text = printed("moodle", record);

	ck_assert_ptr_nonnull(strstr(text, "\"Participant 4711\""));
	free(text);
	cJSON_Delete(record);
}
END_TEST

START_TEST(canvas_has_a_row_a_student_and_a_column_a_lab)
{
	cJSON *records = cJSON_CreateArray(), *second;
	char *text;

	cJSON_AddItemToArray(records, record_new("ada", "graded"));
	second = record_new("ada", "error");
	cJSON_ReplaceItemInObject(second, "lab", cJSON_CreateString("02"));
	cJSON_AddItemToArray(records, second);
	text = printed("canvas", records);
	ck_assert_ptr_nonnull(strstr(text, "Section,Lab 01,Lab 02\n"));
	ck_assert_ptr_nonnull(strstr(text, "\"ada\",,,\"ada\",,5,\n"));
	free(text);
	cJSON_Delete(records);
}
END_TEST

START_TEST(any_bytes_become_clean_text)
{
	static const struct {
		const char *bytes, *text;
		size_t len, max;
		bool lines;
	} rows[] = {
		{ "plain", "plain", 5, 100, false },
		{ "\xc3\xa9", "\xc3\xa9", 2, 100, false },
		{ "\xff\xfe", "\\xff\\xfe", 2, 100, false },
		{ "a\0b", "a\\x00b", 3, 100, false },
		{ "\x1b[2J", "\\x1b[2J", 4, 100, false },
		{ "a\nb", "a\\x0ab", 3, 100, false },
		{ "a\nb", "a\nb", 3, 100, true },
		{ "\xc0\xaf", "\\xc0\\xaf", 2, 100, false },
		{ "\xe2\x80\xae", "\\xe2\\x80\\xae", 3, 100, false },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", 3, 100, false },
		{ "\xe2\x82", "\\xe2\\x82", 2, 100, false },
		{ "abcdef", "abc…", 6, 3, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = report_clean(rows[i].bytes, rows[i].len,
					  rows[i].max, rows[i].lines);

		ck_assert_str_eq(text, rows[i].text);
		free(text);
	}
}
END_TEST

START_TEST(warnings_are_counted_and_the_first_are_shown)
{
	cJSON *record = record_new("a", "graded");
	char *text = printed("detail", record), *html;

	ck_assert_ptr_nonnull(strstr(text, "the compiler gives 3 warnings\n"
		"    ring.c:7:1: warning: <b>unused</b>\n    and 2 more\n"));
	free(text);
	html = printed("html", record);
	ck_assert_ptr_nonnull(strstr(html, "compiler gives 3 warnings"));
	ck_assert_ptr_nonnull(strstr(html, "ring.c:7:1: warning: &lt;b&gt;"));
	ck_assert_ptr_nonnull(strstr(html, "and 2 more"));
	free(html);
	/* a record from before there were any of these */
	cJSON_DeleteItemFromObject(cJSON_GetObjectItem(record, "compile"),
				   "warnings");
	cJSON_DeleteItemFromObject(cJSON_GetObjectItem(record, "compile"),
				   "warning_count");
	text = printed("detail", record);
	ck_assert_ptr_null(strstr(text, "the compiler gives"));
	free(text);
	cJSON_Delete(record);
}
END_TEST

START_TEST(an_unknown_format_is_refused)
{
	cJSON *record = record_new("a", "graded");

	ck_assert_int_eq(report_write("nonsense", record, stdout), -EINVAL);
	cJSON_Delete(record);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report");
	TCase *tc = tcase_create("report");
	SRunner *runner;
	int failed, formats = 0;

	while (report_formats[formats].name)
		formats++;
	tcase_add_test(tc, a_record_keeps_the_schema);
	tcase_add_test(tc, a_record_that_breaks_the_schema_is_found);
	tcase_add_test(tc, points_come_only_from_tests_that_pass);
	tcase_add_loop_test(tc,
		every_format_prints_every_state_and_nothing_unescaped, 0,
		formats);
	tcase_add_test(tc, json_formats_parse_again);
	tcase_add_test(tc, the_record_survives_being_printed);
	tcase_add_test(tc, autolab_ends_with_the_scores_or_none);
	tcase_add_test(tc, a_grader_error_is_an_empty_cell_and_never_zero);
	tcase_add_test(tc, no_cell_is_a_formula);
	tcase_add_test(tc, tap_lines_cannot_be_forged);
	tcase_add_test(tc, moodle_finds_the_participant);
	tcase_add_test(tc, canvas_has_a_row_a_student_and_a_column_a_lab);
	tcase_add_test(tc, any_bytes_become_clean_text);
	tcase_add_test(tc,
		       warnings_are_counted_and_the_first_are_shown);
	tcase_add_test(tc, an_unknown_format_is_refused);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
