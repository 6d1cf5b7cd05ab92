/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Formats of test runners: JUnit XML and TAP.
 *
 * Neither knows points.  A submission that could not be graded is an error of
 * one test named "submission", so that no runner shows it as green.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "autograder/report/inside.h"

static int count(const cJSON *record, const char *outcome)
{
	const cJSON *test;
	int n = 0;

	FOR_EACH(test, result_list(record, "tests"))
		n += result_is(test, "outcome", outcome);
	return n;
}

static void put_attribute(const char *name, const char *value, FILE *out)
{
	fprintf(out, " %s=\"", name);
	put_markup(value, out);
	putc('"', out);
}

static void junit_test(const cJSON *record, const cJSON *test, FILE *out)
{
	fprintf(out, "    <testcase");
	put_attribute("classname", result_text(test, "step"), out);
	put_attribute("name", result_text(test, "name"), out);
	fprintf(out, " time=\"0\">");
	if (result_is(test, "outcome", "fail")) {
		char *text = failure_text(test);

		fprintf(out, "\n      <failure");
		put_attribute("message", result_text(test, "title"), out);
		put_attribute("type", result_text(
			cJSON_GetObjectItemCaseSensitive(test, "failure"),
			"rule"), out);
		putc('>', out);
		put_markup(text ? text : "", out);
		fprintf(out, "</failure>\n    ");
		free(text);
	} else if (result_is(test, "outcome", "not-run")) {
		fprintf(out, "<skipped");
		put_attribute("message", result_text(record, "state"), out);
		fprintf(out, "/>");
	}
	fprintf(out, "</testcase>\n");
}

static void junit_suite(const cJSON *record, FILE *out)
{
	bool graded = result_is(record, "state", "graded");
	const cJSON *test;

	fprintf(out, "  <testsuite");
	put_attribute("name", result_text(record, "student"), out);
	fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"%d\" "
		"skipped=\"%d\" time=\"0\">\n",
		cJSON_GetArraySize(result_list(record, "tests")) + !graded,
		count(record, "fail"), !graded, count(record, "not-run"));
	if (!graded) {
		fprintf(out, "    <testcase classname=\"submission\" "
			"name=\"submission\" time=\"0\"><error");
		put_attribute("type", result_text(record, "state"), out);
		put_attribute("message", result_text(record, "message"),
			      out);
		fprintf(out, "/></testcase>\n");
	}
	FOR_EACH(test, result_list(record, "tests"))
		junit_test(record, test, out);
	fprintf(out, "  </testsuite>\n");
}

void write_junit(const cJSON *records, FILE *out)
{
	const cJSON *record;

	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"doorbell\">\n");
	FOR_EACH(record, records)
		junit_suite(record, out);
	fprintf(out, "</testsuites>\n");
}

/* In TAP a # begins a directive and a newline ends the line. */
static void put_tap(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (*text == '#' || *text == '\\')
			putc('\\', out);
		putc(*text == '\n' ? ' ' : *text, out);
	}
}

static void tap_diagnostic(const cJSON *test, FILE *out)
{
	char *text = failure_text(test), *save = NULL;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		fprintf(out, "# %s\n", line);
	free(text);
}

void write_tap(const cJSON *records, FILE *out)
{
	const cJSON *record, *test;
	int n = 0, all = 0;

	FOR_EACH(record, records)
		all += cJSON_GetArraySize(result_list(record, "tests"));
	fprintf(out, "TAP version 13\n1..%d\n", all);
	FOR_EACH(record, records) {
		if (!result_is(record, "state", "graded")) {
			/* the end, by the protocol */
			fprintf(out, "Bail out! %s: %s\n",
				result_text(record, "state"),
				result_text(record, "message"));
			return;
		}
		FOR_EACH(test, result_list(record, "tests")) {
			bool pass = result_is(test, "outcome", "pass");

			fprintf(out, "%s %d - ", pass ? "ok" : "not ok", ++n);
			put_tap(result_text(test, "title"), out);
			putc('\n', out);
			if (result_is(test, "outcome", "fail"))
				tap_diagnostic(test, out);
		}
	}
}
