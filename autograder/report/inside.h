/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the formats share. */
#ifndef REPORT_INSIDE_H
#define REPORT_INSIDE_H

#include "autograder/report/report.h"

/* For text and attributes of HTML and XML alike. */
void put_markup(const char *text, FILE *out);
/* A quoted CSV cell that no spreadsheet takes for a formula. */
void put_cell(const char *text, FILE *out);

/* The failure of a test in lines: rule, expected, actual, events, replay. */
void put_failure(const cJSON *test, const char *indent, FILE *out);
/* The same as a string; the caller frees it. */
char *failure_text(const cJSON *test);

/* "ring.c, push.c": of the lab's files those that were not submitted. */
char *missing_files(const cJSON *record);

#define FOR_EACH(item, list)	cJSON_ArrayForEach(item, list)

/* The formats, one function each. */
void write_text(const cJSON *records, FILE *out);
void write_detail(const cJSON *records, FILE *out);
void write_json(const cJSON *records, FILE *out);
void write_junit(const cJSON *records, FILE *out);
void write_tap(const cJSON *records, FILE *out);
void write_gradescope(const cJSON *records, FILE *out);
void write_autolab(const cJSON *records, FILE *out);
void write_prairielearn(const cJSON *records, FILE *out);
void write_classroom50(const cJSON *records, FILE *out);
void write_csv(const cJSON *records, FILE *out);
void write_canvas(const cJSON *records, FILE *out);
void write_moodle(const cJSON *records, FILE *out);
void write_html(const cJSON *records, FILE *out);
void write_index(const cJSON *records, FILE *out);

void html_head(const char *title, FILE *out);

#endif
