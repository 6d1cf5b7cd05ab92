/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Result records and what is printed from them.
 *
 * A record is the result of one student in one lab: a cJSON object as
 * result.schema.json describes it.  Every format is printed from records
 * alone, so that a format added later can be printed for gradings long past.
 * A record holds no time, no path and no name of the host: equal gradings
 * give equal bytes.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The schema that records name: result.schema.json. */
#define RECORD_SCHEMA	"doorbell/result/1"

/* One of the forms in which results are printed. */
struct report_format {
	const char *name;	/* of --format				*/
	const char *file;	/* under OUT, or under OUT/STUDENT/LAB	*/
	bool of_class;		/* one file for all records		*/
	bool for_people;	/* printed even when files are written	*/
	/* records: an array, of one where !of_class */
	void (*write)(const cJSON *records, FILE *out);
	const char *help;
};

/* Ended by name == NULL. */
extern const struct report_format report_formats[];
const struct report_format *report_find(const char *name);

/*
 * Print one record or an array of them.  0; -EINVAL: no such format;
 * -EIO: out has failed.
 */
int report_write(const char *format, const cJSON *record, FILE *out);

/*
 * Does the record keep the promises of the schema that other formats rely
 * on: its members and their types, known states, a score that is the sum of
 * its tests and null when there is none.  0, or -EINVAL and why.
 */
int result_check(const cJSON *record, char *why, size_t size);

/* Members; "" and 0 where there is none. */
const char *result_text(const cJSON *object, const char *name);
double result_number(const cJSON *object, const char *name);
const cJSON *result_list(const cJSON *object, const char *name);
bool result_is(const cJSON *object, const char *name, const char *value);
bool result_has_score(const cJSON *record);
/* The first test that failed, or NULL. */
const cJSON *result_first_failure(const cJSON *record);
/* What went wrong first, in a few words: a rule, a state, or "". */
const char *result_verdict(const cJSON *record);

/*
 * Any bytes as text that every format can carry: valid UTF-8, no control
 * characters but tab and newline (newline only where lines), the rest as
 * \\xNN.  At most max bytes; what is cut ends in "…".  The caller frees it.
 */
char *report_clean(const char *bytes, size_t len, size_t max, bool lines);

#endif
