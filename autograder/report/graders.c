/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What course platforms read: Gradescope, Autolab, PrairieLearn, Classroom 50.
 *
 * Each wants one result a submission.  A record without a score must still
 * give a valid result, or the platform shows "in progress" for ever; it says
 * so in words, and leaves the score out where the platform allows that.
 * Gradescope hides the total as soon as one test is hidden, so hidden tests
 * are shown after publication.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "autograder/report/inside.h"

#define OUTPUT_MAX 4000

static void add_text(cJSON *object, const char *name, const char *text)
{
	cJSON_AddStringToObject(object, name, text ? text : "");
}

/* What to tell about one test, cut to what a platform shows. */
static char *output_of(const cJSON *test)
{
	char *whole, *text;

	if (!result_is(test, "outcome", "fail"))
		return strdup("");
	whole = failure_text(test);
	text = report_clean(whole ? whole : "", whole ? strlen(whole) : 0,
			    OUTPUT_MAX, true);
	free(whole);
	return text;
}

/* Summary first: platforms cut the end. */
static char *summary_of(const cJSON *record)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const cJSON *step;

	if (!out)
		return NULL;
	if (*result_text(record, "message"))
		fprintf(out, "%s: %s\n", result_text(record, "state"),
			result_text(record, "message"));
	FOR_EACH(step, result_list(record, "steps"))
		fprintf(out, "%s: %.0f of %.0f\n", result_text(step, "step"),
			result_number(step, "earned"),
			result_number(step, "points"));
	fprintf(out, "%s", result_text(cJSON_GetObjectItemCaseSensitive(record,
		"compile"), "log"));
	fclose(out);
	return text;
}

static void print_and_free(cJSON *root, bool pretty, FILE *out)
{
	char *text = pretty ? cJSON_Print(root) : cJSON_PrintUnformatted(root);

	if (text)
		fprintf(out, "%s\n", text);
	cJSON_free(text);
	cJSON_Delete(root);
}

/* Tests of a record without a score would look like zeros. */
static const cJSON *scored_tests(const cJSON *record)
{
	return result_has_score(record) ? result_list(record, "tests") : NULL;
}

static cJSON *gradescope_test(const cJSON *test, int number)
{
	cJSON *t = cJSON_CreateObject();
	char *output = output_of(test), text[16];
	bool hidden = result_is(test, "visibility", "hidden");

	snprintf(text, sizeof(text), "%d", number);
	cJSON_AddNumberToObject(t, "score", result_number(test, "earned"));
	cJSON_AddNumberToObject(t, "max_score",
				result_number(test, "points"));
	add_text(t, "status", result_is(test, "outcome", "pass") ? "passed"
								: "failed");
	add_text(t, "name", result_text(test, "title"));
	add_text(t, "number", text);
	add_text(t, "output", output);
	add_text(t, "visibility", hidden ? "after_published" : "visible");
	free(output);
	return t;
}

static void gradescope(const cJSON *record, FILE *out)
{
	cJSON *root = cJSON_CreateObject();
	char *summary = summary_of(record);
	cJSON *tests = cJSON_CreateArray();
	const cJSON *test;
	int n = 0;

	/* without a score Gradescope says that the autograder failed, and
	 * keeps what the student had */
	if (result_has_score(record))
		cJSON_AddNumberToObject(root, "score",
					result_number(record, "score"));
	add_text(root, "output", summary);
	add_text(root, "output_format", "text");
	add_text(root, "test_output_format", "text");
	add_text(root, "visibility", "visible");
	FOR_EACH(test, scored_tests(record))
		cJSON_AddItemToArray(tests, gradescope_test(test, ++n));
	cJSON_AddItemToObject(root, "tests", tests);
	free(summary);
	print_and_free(root, true, out);
}

static void autolab(const cJSON *record, FILE *out)
{
	cJSON *stages = cJSON_CreateObject(), *root = cJSON_CreateObject();
	cJSON *scores = cJSON_AddObjectToObject(root, "scores");
	cJSON *names = NULL, *stage = NULL;
	const cJSON *step, *test;
	const double score = result_number(record, "score");

	add_text(stages, "_presentation", "semantic");
	names = cJSON_AddArrayToObject(stages, "stages");
	FOR_EACH(step, result_list(record, "steps")) {
		const char *name = result_text(step, "step");

		cJSON_AddItemToArray(names, cJSON_CreateString(name));
		cJSON_AddNumberToObject(scores, name,
					result_number(step, "earned"));
		stage = cJSON_AddObjectToObject(stages, name);
		FOR_EACH(test, result_list(record, "tests")) {
			const cJSON *f = cJSON_GetObjectItemCaseSensitive(
				test, "failure");
			cJSON *t;

			if (!result_is(test, "step", name))
				continue;
			t = cJSON_AddObjectToObject(stage,
					result_text(test, "title"));
			cJSON_AddBoolToObject(t, "passed",
				result_is(test, "outcome", "pass"));
			if (f)
				add_text(t, "hint", result_text(f, "text"));
		}
	}
	cJSON_AddItemToObject(root, "scoreboard",
			      cJSON_CreateDoubleArray(&score, 1));
	print_and_free(stages, false, out);
	if (result_has_score(record))
		print_and_free(root, false, out);
	else
		cJSON_Delete(root);
}

static void prairielearn(const cJSON *record, FILE *out)
{
	double max = result_number(record, "max_score");
	cJSON *root = cJSON_CreateObject(), *tests;
	char *summary = summary_of(record);
	const cJSON *test;

	cJSON_AddBoolToObject(root, "gradable", result_has_score(record));
	if (result_has_score(record))
		cJSON_AddNumberToObject(root, "score", max > 0 ?
			result_number(record, "score") / max : 0);
	add_text(root, "message", result_text(record, "message"));
	add_text(root, "output", summary);
	tests = cJSON_AddArrayToObject(root, "tests");
	FOR_EACH(test, scored_tests(record)) {
		cJSON *t = cJSON_CreateObject();
		char *output = output_of(test);

		add_text(t, "name", result_text(test, "name"));
		add_text(t, "description", result_text(test, "title"));
		cJSON_AddNumberToObject(t, "points",
					result_number(test, "earned"));
		cJSON_AddNumberToObject(t, "max_points",
					result_number(test, "points"));
		add_text(t, "output", output);
		cJSON_AddItemToArray(tests, t);
		free(output);
	}
	free(summary);
	print_and_free(root, true, out);
}

/* What only the classroom knows is left for its workflow to fill in. */
static void classroom50(const cJSON *record, FILE *out)
{
	cJSON *root = cJSON_CreateObject(), *tests;
	char assignment[32];
	const cJSON *test;

	snprintf(assignment, sizeof(assignment), "lab-%s",
		 result_text(record, "lab"));
	add_text(root, "schema", "classroom50/result/v1");
	add_text(root, "assignment", assignment);
	add_text(root, "owner", result_text(record, "student"));
	if (result_has_score(record))
		cJSON_AddNumberToObject(root, "score",
					result_number(record, "score"));
	cJSON_AddNumberToObject(root, "max-score",
				result_number(record, "max_score"));
	tests = cJSON_AddArrayToObject(root, "tests");
	FOR_EACH(test, scored_tests(record)) {
		cJSON *t = cJSON_CreateObject();

		add_text(t, "test-name", result_text(test, "name"));
		cJSON_AddBoolToObject(t, "passed",
				      result_is(test, "outcome", "pass"));
		cJSON_AddNumberToObject(t, "score",
					result_number(test, "earned"));
		cJSON_AddNumberToObject(t, "max-score",
					result_number(test, "points"));
		cJSON_AddItemToArray(tests, t);
	}
	print_and_free(root, true, out);
}

static void each(const cJSON *records, FILE *out,
		 void (*write)(const cJSON *record, FILE *out))
{
	const cJSON *record;

	FOR_EACH(record, records)
		write(record, out);
}

void write_gradescope(const cJSON *records, FILE *out)
{
	each(records, out, gradescope);
}

void write_autolab(const cJSON *records, FILE *out)
{
	each(records, out, autolab);
}

void write_prairielearn(const cJSON *records, FILE *out)
{
	each(records, out, prairielearn);
}

void write_classroom50(const cJSON *records, FILE *out)
{
	each(records, out, classroom50);
}
