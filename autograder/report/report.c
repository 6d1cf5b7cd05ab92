/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The table of formats, and the text helpers that all of them need.
 *
 * Student code, archive names and compiler output end up in reports, so no
 * byte of a record is trusted: text is made valid UTF-8 without control
 * characters once, by report_clean(), when a record is built, and escaped for
 * its format when it is printed.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/report/inside.h"

const struct report_format report_formats[] = {
	{ "text", NULL, true, true, write_text,
	  "a table: student, lab, score, first failed rule" },
	{ "detail", NULL, true, true, write_detail,
	  "a line a test, and the first failure in full" },
	{ "json", "result.json", false, false, write_json,
	  "the record itself" },
	{ "html", "report.html", false, false, write_html,
	  "a page for the student" },
	{ "index", "index.html", true, false, write_index,
	  "a page for the class" },
	{ "csv", "gradebook.csv", true, false, write_csv,
	  "a row a student and lab" },
	{ "canvas", "canvas.csv", true, false, write_canvas,
	  "for Canvas's gradebook import" },
	{ "moodle", "moodle.csv", true, false, write_moodle,
	  "for Moodle's grading worksheet" },
	{ "junit", "junit.xml", true, false, write_junit,
	  "JUnit XML, a suite a student" },
	{ "tap", "tests.tap", false, false, write_tap,
	  "Test Anything Protocol" },
	{ "gradescope", "gradescope.json", false, false, write_gradescope,
	  "Gradescope's results.json" },
	{ "autolab", "autolab.json", false, false, write_autolab,
	  "Autolab's last two lines of output" },
	{ "prairielearn", "prairielearn.json", false, false,
	  write_prairielearn, "PrairieLearn's results.json" },
	{ "classroom50", "classroom50.json", false, false,
	  write_classroom50, "Classroom 50's result" },
	{ NULL, NULL, false, false, NULL, NULL }
};

const struct report_format *report_find(const char *name)
{
	for (const struct report_format *f = report_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/* A list of its own that refers to the one record. */
static cJSON *list_of(const cJSON *record)
{
	cJSON *list = cJSON_CreateArray();

	if (list && !cJSON_AddItemReferenceToArray(list, (cJSON *)record)) {
		cJSON_Delete(list);
		return NULL;
	}
	return list;
}

static int write_one(const struct report_format *format, const cJSON *record,
		     FILE *out)
{
	cJSON *list = list_of(record);

	if (!list)
		return -ENOMEM;
	format->write(list, out);
	cJSON_Delete(list);
	return 0;
}

int report_write(const char *name, const cJSON *record, FILE *out)
{
	const struct report_format *format = report_find(name);
	const cJSON *each;
	int err = 0;

	if (!format)
		return -EINVAL;
	if (!cJSON_IsArray(record)) {
		err = write_one(format, record, out);
	} else if (format->of_class) {
		format->write(record, out);
	} else {
		FOR_EACH(each, record)
			if (!err)
				err = write_one(format, each, out);
	}
	return err ? err : ferror(out) ? -EIO : 0;
}

void write_json(const cJSON *records, FILE *out)
{
	const cJSON *record;

	FOR_EACH(record, records) {
		char *text = cJSON_Print(record);

		if (text)
			fprintf(out, "%s\n", text);
		cJSON_free(text);
	}
}

void put_markup(const char *text, FILE *out)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(*text, out);
		}
}

void put_cell(const char *text, FILE *out)
{
	putc('"', out);
	if (*text && strchr("=+-@\t", *text))
		putc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text == '\n' ? ' ' : *text, out);
	}
	putc('"', out);
}

/* Length of the valid UTF-8 sequence at p, 0 if there is none. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 :
		*p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	if (!n || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* overlong, surrogates, above U+10FFFF, U+FFFE, U+FFFF */
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f) ||
	    (*p == 0xef && p[1] == 0xbf && p[2] > 0xbd))
		return 0;
	return n;
}

/* Those that turn text around or hide it: U+200B-F, 202A-E, 2066-9, FEFF. */
static bool is_invisible(const unsigned char *p, size_t n)
{
	if (n == 2)
		return p[0] == 0xc2 && p[1] < 0xa0;	/* C1 controls */
	if (n != 3)
		return false;
	if (p[0] == 0xef)
		return p[1] == 0xbb && p[2] == 0xbf;
	if (p[0] != 0xe2)
		return false;
	return (p[1] == 0x80 && ((p[2] >= 0x8b && p[2] <= 0x8f) ||
				 (p[2] >= 0xa8 && p[2] <= 0xae))) ||
	       (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

static bool is_plain(const unsigned char *p, size_t n, bool lines)
{
	if (n == 1)
		return (*p >= 0x20 && *p < 0x7f) || *p == '\t' ||
		       (lines && *p == '\n');
	return n && !is_invisible(p, n);
}

char *report_clean(const char *bytes, size_t len, size_t max, bool lines)
{
	const unsigned char *p = (const unsigned char *)bytes;
	char *text = malloc(max + 8);
	size_t used = 0;

	if (!text)
		return NULL;
	while (len) {
		size_t n = utf8_length(p, len);
		bool plain = is_plain(p, n, lines);
		size_t need = plain ? n : 4;

		if (used + need > max) {
			used += sprintf(text + used, "…");
			break;
		}
		if (plain)
			memcpy(text + used, p, n);
		else
			sprintf(text + used, "\\x%02x", *p);
		used += need;
		n = plain ? n : 1;
		p += n;
		len -= n;
	}
	text[used] = '\0';
	return text;
}
