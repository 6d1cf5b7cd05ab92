/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The record of one student, from what the workers answered.
 *
 * Every score starts at nothing: points come from tests whose seeds all
 * passed, and from nowhere else.  One test that the grader failed to run
 * makes the whole record an error without a score.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "autograder/grade/grade.h"
#include "autograder/report/report.h"

#define WARNINGS_SHOWN	5

static cJSON *test_of(const struct grader *grader,
		      const struct judge_test *test, const cJSON *result)
{
	unsigned int seeds = grader->options.seeds ? grader->options.seeds
						   : test->seeds;
	bool pass = result && result_is(result, "outcome", "pass");
	cJSON *t = cJSON_CreateObject(), *failure;

	cJSON_AddStringToObject(t, "name", test->name);
	cJSON_AddStringToObject(t, "title", test->title);
	cJSON_AddStringToObject(t, "step", test->step);
	cJSON_AddStringToObject(t, "section", test->section);
	cJSON_AddStringToObject(t, "kind", test->kind == TEST_CORRECTNESS ?
				"correctness" : "robustness");
	cJSON_AddStringToObject(t, "visibility",
				test->visibility == TEST_PUBLIC ? "public"
								: "hidden");
	cJSON_AddNumberToObject(t, "points", test->points);
	cJSON_AddNumberToObject(t, "earned", pass ? test->points : 0);
	cJSON_AddStringToObject(t, "outcome", !result ? "not-run" :
				pass ? "pass" : "fail");
	cJSON_AddNumberToObject(t, "seeds", seeds);
	cJSON_AddNumberToObject(t, "seeds_run", result ?
				result_number(result, "seeds_run") : 0);
	failure = cJSON_GetObjectItem(result, "failure");
	if (failure && !pass)
		cJSON_AddItemToObject(t, "failure",
				      cJSON_Duplicate(failure, true));
	return t;
}

static void add_step(cJSON *steps, const cJSON *test)
{
	const char *name = result_text(test, "step");
	cJSON *step;

	cJSON_ArrayForEach(step, steps)
		if (result_is(step, "step", name))
			break;
	if (!step) {
		step = cJSON_CreateObject();
		cJSON_AddStringToObject(step, "step", name);
		cJSON_AddNumberToObject(step, "earned", 0);
		cJSON_AddNumberToObject(step, "points", 0);
		cJSON_AddItemToArray(steps, step);
	}
	cJSON_SetNumberValue(cJSON_GetObjectItem(step, "earned"),
			     result_number(step, "earned") +
			     result_number(test, "earned"));
	cJSON_SetNumberValue(cJSON_GetObjectItem(step, "points"),
			     result_number(step, "points") +
			     result_number(test, "points"));
}

static void copy_list(cJSON *record, const char *name, const cJSON *from)
{
	const cJSON *list = result_list(from, name);

	cJSON_AddItemToObject(record, name, list ?
			      cJSON_Duplicate(list, true) :
			      cJSON_CreateArray());
}

/* The compiler's first warnings, a line each, and how many there are. */
static void add_warnings(cJSON *compile, const char *log)
{
	cJSON *list = cJSON_AddArrayToObject(compile, "warnings");
	unsigned int count = 0;

	for (const char *p = log; (p = strstr(p, ": warning: "));
	     p += strcspn(p, "\n")) {
		const char *line = p;
		char *clean;

		if (count++ >= WARNINGS_SHOWN)
			continue;
		while (line > log && line[-1] != '\n')
			line--;
		clean = report_clean(line, strcspn(line, "\n"), 200, false);
		cJSON_AddItemToArray(list, cJSON_CreateString(clean ? clean
								    : ""));
		free(clean);
	}
	cJSON_AddNumberToObject(compile, "warning_count", count);
}

/* What the grader failed at, or NULL. */
static const char *error_of(const struct grader *grader,
			    const struct student *student, const char **test)
{
	*test = "";
	if (!student->prepared)
		return "the worker that compiles ended without an answer";
	if (result_is(student->prepared, "state", "error"))
		return result_text(student->prepared, "message");
	if (cJSON_HasObjectItem(student->prepared, "state"))
		return NULL;
	for (unsigned int i = 0; i < grader->count; i++) {
		*test = grader->tests[i]->name;
		if (!student->results[i])
			return "the worker ended without an answer";
		if (cJSON_HasObjectItem(student->results[i], "error"))
			return result_text(student->results[i], "error");
	}
	return NULL;
}

static void put_state(const struct grader *grader,
		      const struct student *student, cJSON *record)
{
	const char *test, *error = error_of(grader, student, &test);
	const char *state = result_text(student->prepared, "state");
	char *text;

	if (error) {
		text = format_string("%s%s%s", test, *test ? ": " : "",
				     error);
		cJSON_AddStringToObject(record, "state", "error");
		add_clean(record, "message", text ? text : "no memory");
		free(text);
		return;
	}
	cJSON_AddStringToObject(record, "state", *state ? state : "graded");
	cJSON_AddStringToObject(record, "message",
				result_text(student->prepared, "message"));
}

cJSON *assemble(const struct grader *grader, const struct student *student)
{
	cJSON *record = cJSON_CreateObject(), *tests, *steps, *compile;
	double earned = 0, points = 0;
	bool ran, scored;

	cJSON_AddStringToObject(record, "schema", RECORD_SCHEMA);
	cJSON_AddStringToObject(record, "lab", grader->options.lab);
	cJSON_AddStringToObject(record, "student", student->name);
	if (strcmp(student->name, student->folder))
		cJSON_AddStringToObject(record, "folder", student->folder);
	put_state(grader, student, record);
	cJSON_AddStringToObject(record, "visibility",
				grader->options.public_only ? "public"
							    : "all");
	ran = result_is(record, "state", "graded");
	scored = !result_is(record, "state", "error") &&
		 !result_is(record, "state", "unreadable");
	tests = cJSON_CreateArray();
	steps = cJSON_CreateArray();
	for (unsigned int i = 0; i < grader->count; i++) {
		cJSON *test = test_of(grader, grader->tests[i], ran ?
				      student->results[i] : NULL);

		earned += result_number(test, "earned");
		points += grader->tests[i]->points;
		add_step(steps, test);
		cJSON_AddItemToArray(tests, test);
	}
	if (scored)
		cJSON_AddNumberToObject(record, "score", earned);
	else
		cJSON_AddNullToObject(record, "score");
	cJSON_AddNumberToObject(record, "max_score", points);
	copy_list(record, "files", student->prepared);
	copy_list(record, "ignored", student->prepared);
	compile = cJSON_AddObjectToObject(record, "compile");
	cJSON_AddStringToObject(compile, "log",
				result_text(student->prepared, "log"));
	add_warnings(compile, result_text(student->prepared, "log"));
	cJSON_AddItemToObject(record, "steps", steps);
	cJSON_AddItemToObject(record, "tests", tests);
	return record;
}
