/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Text for people: the class as a table, one submission in detail.
 *
 * The summary comes first, since output gets cut at its end.  Widths count
 * characters, not bytes.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "autograder/report/inside.h"

/* Characters, taking every code point for one column. */
static int width(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void put_padded(const char *text, int columns, FILE *out)
{
	fprintf(out, "%s%*s", text, columns - width(text) > 2 ?
		columns - width(text) : 2, "");
}

static void put_score(const cJSON *record, FILE *out)
{
	char score[32];

	if (result_has_score(record))
		snprintf(score, sizeof(score), "%.0f/%.0f",
			 result_number(record, "score"),
			 result_number(record, "max_score"));
	else
		snprintf(score, sizeof(score), "none");
	fprintf(out, "%8s  ", score);
}

char *missing_files(const cJSON *record)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *comma = "";
	const cJSON *item;

	if (!out)
		return NULL;
	FOR_EACH(item, result_list(record, "files")) {
		if (!result_is(item, "from", "skeleton"))
			continue;
		fprintf(out, "%s%s", comma, result_text(item, "name"));
		comma = ", ";
	}
	fclose(out);
	return text;
}

static void put_why(const cJSON *record, FILE *out)
{
	const cJSON *test = result_first_failure(record);
	char *missing = missing_files(record);

	if (!result_is(record, "state", "graded"))
		fprintf(out, "%s: %s", result_text(record, "state"),
			result_text(record, "message"));
	else if (test)
		fprintf(out, "%s (%s)", result_verdict(record),
			result_text(test, "name"));
	if (missing && *missing)
		fprintf(out, "; not submitted: %s", missing);
	free(missing);
	putc('\n', out);
}

void write_text(const cJSON *records, FILE *out)
{
	int widest = width("student");
	const cJSON *record;

	FOR_EACH(record, records) {
		int w = width(result_text(record, "student"));

		widest = w > widest ? w : widest;
	}
	widest = widest < 40 ? widest : 40;

	put_padded("student", widest + 2, out);
	fprintf(out, "lab  %8s  first failed rule\n", "score");
	FOR_EACH(record, records) {
		put_padded(result_text(record, "student"), widest + 2, out);
		fprintf(out, "%-3s  ", result_text(record, "lab"));
		put_score(record, out);
		put_why(record, out);
	}
}

void put_failure(const cJSON *test, const char *indent, FILE *out)
{
	const cJSON *f = cJSON_GetObjectItemCaseSensitive(test, "failure");
	static const char *const rows[][2] = {
		{ "text", "rule" }, { "expected", "expected" },
		{ "actual", "actual" }, { "replay", "replay" },
		{ "hint", "hint" },
	};
	const cJSON *event;

	fprintf(out, "%s%s [%s] with seed %.0f, at %.0f ns\n", indent,
		result_text(f, "rule"), result_text(f, "section"),
		result_number(f, "seed"), result_number(f, "time_ns"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (*result_text(f, rows[i][0]))
			fprintf(out, "%s  %-9s %s\n", indent, rows[i][1],
				result_text(f, rows[i][0]));
	if (cJSON_GetArraySize(result_list(f, "events")))
		fprintf(out, "%s  last on the bus\n", indent);
	FOR_EACH(event, result_list(f, "events"))
		fprintf(out, "%s    %s\n", indent, cJSON_IsString(event) ?
			event->valuestring : "");
}

char *failure_text(const cJSON *test)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_failure(test, "", out);
	fclose(out);
	return text;
}

static void put_test(const cJSON *test, FILE *out)
{
	const cJSON *f = cJSON_GetObjectItemCaseSensitive(test, "failure");
	double points = result_number(test, "points");

	fprintf(out, "%-7s ", result_text(test, "outcome"));
	if (points > 0)
		fprintf(out, "%2.0f/%-2.0f", result_number(test, "earned"),
			points);
	else
		fprintf(out, "%5s", "");
	fprintf(out, "  %s", result_text(test, "title"));
	if (f)
		fprintf(out, ": %s", result_text(f, "rule"));
	putc('\n', out);
}

static void put_total(const cJSON *record, FILE *out)
{
	const cJSON *test;
	int pass = 0, all = 0;

	FOR_EACH(test, result_list(record, "tests")) {
		pass += result_is(test, "outcome", "pass");
		all++;
	}
	if (!result_has_score(record))
		fprintf(out, "no score");
	else if (result_number(record, "max_score") > 0)
		fprintf(out, "%.0f of %.0f points, ",
			result_number(record, "score"),
			result_number(record, "max_score"));
	if (result_has_score(record))
		fprintf(out, "%d of %d %stests pass", pass, all,
			result_is(record, "visibility", "public") ?
			"public " : "");
	if (*result_text(record, "message"))
		fprintf(out, " (%s: %s)", result_text(record, "state"),
			result_text(record, "message"));
	putc('\n', out);
}

/* What the compiler said: whole when it said no, else its first warnings. */
static void put_log(const cJSON *record, FILE *out)
{
	const cJSON *compile = cJSON_GetObjectItemCaseSensitive(record,
								"compile");
	const char *log = result_text(compile, "log");
	const cJSON *list = result_list(compile, "warnings"), *item;
	int count = result_number(compile, "warning_count");

	if (!result_is(record, "state", "graded")) {
		if (*log)
			fprintf(out, "%s\n", log);
		return;
	}
	if (count)
		fprintf(out, "  the compiler gives %d warning%s\n", count,
			count == 1 ? "" : "s");
	FOR_EACH(item, list)
		fprintf(out, "    %s\n", cJSON_IsString(item) ?
			item->valuestring : "");
	if (count > cJSON_GetArraySize(list))
		fprintf(out, "    and %d more\n",
			count - cJSON_GetArraySize(list));
}

static void put_record(const cJSON *record, FILE *out)
{
	const cJSON *item, *first = result_first_failure(record);

	fprintf(out, "%s, lab %s: ", result_text(record, "student"),
		result_text(record, "lab"));
	put_total(record, out);
	FOR_EACH(item, result_list(record, "ignored"))
		fprintf(out, "  ignored %s: %s\n", result_text(item, "name"),
			result_text(item, "why"));
	FOR_EACH(item, result_list(record, "files"))
		if (result_is(item, "from", "skeleton"))
			fprintf(out, "  %s was not submitted: the skeleton's "
				"is used\n", result_text(item, "name"));
	put_log(record, out);
	if (result_is(record, "state", "graded"))
		FOR_EACH(item, result_list(record, "tests"))
			put_test(item, out);
	if (first) {
		fprintf(out, "\nFirst failure: %s (%s)\n",
			result_text(first, "title"),
			result_text(first, "name"));
		put_failure(first, "  ", out);
	}
}

void write_detail(const cJSON *records, FILE *out)
{
	const cJSON *record;
	bool first = true;

	FOR_EACH(record, records) {
		if (!first)
			putc('\n', out);
		first = false;
		put_record(record, out);
	}
}
