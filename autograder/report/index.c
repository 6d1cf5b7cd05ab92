/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The page for the class: who stands where, and what most stumble over.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "autograder/report/inside.h"

/* A link to a folder name: every byte that is not plain, as %XX. */
static void put_link(const char *text, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	for (; *text; text++)
		if (strchr(plain, *text))
			putc(*text, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*text);
}

static void put_row(const cJSON *record, FILE *out)
{
	const cJSON *test = result_first_failure(record);
	bool graded = result_is(record, "state", "graded");
	char *missing = missing_files(record);
	const char *folder = result_text(record, "folder");

	fputs("<tr><td class=\"who\"><a href=\"", out);
	put_link(*folder ? folder : result_text(record, "student"), out);
	fprintf(out, "/%s/report.html\">", result_text(record, "lab"));
	put_markup(result_text(record, "student"), out);
	fprintf(out, "</a></td><td>%s</td><td class=\"n\">",
		result_text(record, "lab"));
	if (result_has_score(record))
		fprintf(out, "%.0f of %.0f", result_number(record, "score"),
			result_number(record, "max_score"));
	else
		fputs("<span class=\"warn\">none</span>", out);
	fputs("</td><td>", out);
	if (!graded) {
		fputs("<span class=\"bad\">", out);
		put_markup(result_text(record, "state"), out);
		fputs("</span> ", out);
		put_markup(result_text(record, "message"), out);
	} else if (test) {
		fputs("<code>", out);
		put_markup(result_verdict(record), out);
		fputs("</code> <span class=\"dim\">", out);
		put_markup(result_text(test, "title"), out);
		fputs("</span>", out);
	} else {
		fputs("<span class=\"good\">all tests pass</span>", out);
	}
	if (missing && *missing) {
		fputs("<br><span class=\"warn\">not submitted: ", out);
		put_markup(missing, out);
		fputs("</span>", out);
	}
	free(missing);
	fputs("</td></tr>\n", out);
}

/* How many submissions fail each test; the list is ours. */
static cJSON *stumbles(const cJSON *records)
{
	cJSON *list = cJSON_CreateArray();
	const cJSON *record, *test;
	cJSON *row;

	FOR_EACH(record, records)
		FOR_EACH(test, result_list(record, "tests")) {
			if (!result_is(test, "outcome", "fail"))
				continue;
			FOR_EACH(row, list)
				if (result_is(row, "name",
					      result_text(test, "name")) &&
				    result_is(row, "lab",
					      result_text(record, "lab")))
					break;
			if (!row) {
				row = cJSON_CreateObject();
				cJSON_AddStringToObject(row, "lab",
					result_text(record, "lab"));
				cJSON_AddStringToObject(row, "name",
					result_text(test, "name"));
				cJSON_AddStringToObject(row, "title",
					result_text(test, "title"));
				cJSON_AddNumberToObject(row, "count", 0);
				cJSON_AddItemToArray(list, row);
			}
			cJSON_SetNumberValue(cJSON_GetObjectItem(row,
				"count"), result_number(row, "count") + 1);
		}
	return list;
}

static void put_stumbles(const cJSON *records, FILE *out)
{
	cJSON *list = stumbles(records), *row;
	int students = cJSON_GetArraySize(records);

	if (list->child)
		fputs("<h2>Where most stumble</h2>\n<table>\n", out);
	/* the few most frequent, without sorting: repeated maximum */
	for (int i = 0; i < 8 && list->child; i++) {
		cJSON *best = list->child;

		FOR_EACH(row, list)
			if (result_number(row, "count") >
			    result_number(best, "count"))
				best = row;
		fputs("<tr><td>", out);
		put_markup(result_text(best, "title"), out);
		fprintf(out, " <code class=\"dim\">%s/%s</code></td>"
			"<td class=\"n\">%.0f of %d</td></tr>\n",
			result_text(best, "lab"), result_text(best, "name"),
			result_number(best, "count"), students);
		cJSON_Delete(cJSON_DetachItemViaPointer(list, best));
		if (!list->child)
			break;
	}
	fputs("</table>\n", out);
	cJSON_Delete(list);
}

static void put_summary(const cJSON *records, FILE *out)
{
	int scored = 0, none = 0;
	double sum = 0, max = 0;
	const cJSON *record;

	FOR_EACH(record, records) {
		if (!result_has_score(record)) {
			none++;
			continue;
		}
		scored++;
		sum += result_number(record, "score");
		max += result_number(record, "max_score");
	}
	fprintf(out, "<p class=\"dim\">%d results, mean %.0f%%", scored + none,
		max > 0 ? 100 * sum / max : 0);
	if (none)
		fprintf(out, ", <span class=\"warn\">%d without a score"
			"</span>", none);
	fputs("</p>\n", out);
}

void write_index(const cJSON *records, FILE *out)
{
	const cJSON *record;

	html_head("Results", out);
	fputs("<h1>Results</h1>\n", out);
	put_summary(records, out);
	fputs("<div class=\"wide\"><table>\n<tr>"
	      "<th scope=\"col\">student</th><th scope=\"col\">lab</th>"
	      "<th scope=\"col\" class=\"n\">score</th>"
	      "<th scope=\"col\">first failed rule</th></tr>\n",
	      out);
	FOR_EACH(record, records)
		put_row(record, out);
	fputs("</table></div>\n", out);
	put_stumbles(records, out);
	fputs("</main>\n</body>\n</html>\n", out);
}
