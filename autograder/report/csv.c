/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Gradebooks: our own, Canvas's and Moodle's.
 *
 * A record without a score gives an empty cell, which both importers read as
 * "leave what is there": a grader error must never become a zero.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/report/inside.h"

static void put_grade(const cJSON *record, FILE *out)
{
	if (result_has_score(record))
		fprintf(out, "%.0f", result_number(record, "score"));
}

void write_csv(const cJSON *records, FILE *out)
{
	const cJSON *record;

	fprintf(out, "student,lab,score,max_score,state,first_failed_rule,"
		"first_failed_test,message\n");
	FOR_EACH(record, records) {
		const cJSON *test = result_first_failure(record);

		put_cell(result_text(record, "student"), out);
		fprintf(out, ",%s,", result_text(record, "lab"));
		put_grade(record, out);
		fprintf(out, ",%.0f,%s,", result_number(record, "max_score"),
			result_text(record, "state"));
		put_cell(test ? result_verdict(record) : "", out);
		putc(',', out);
		put_cell(test ? result_text(test, "name") : "", out);
		putc(',', out);
		put_cell(result_text(record, "message"), out);
		putc('\n', out);
	}
}

/* The labs that occur, each once, in order of appearance. */
static cJSON *labs_of(const cJSON *records)
{
	cJSON *labs = cJSON_CreateArray();
	const cJSON *record, *lab;

	FOR_EACH(record, records) {
		bool seen = false;

		FOR_EACH(lab, labs)
			seen |= result_is(record, "lab", lab->valuestring);
		if (!seen)
			cJSON_AddItemToArray(labs, cJSON_CreateString(
				result_text(record, "lab")));
	}
	return labs;
}

static const cJSON *find(const cJSON *records, const char *student,
			 const char *lab)
{
	const cJSON *record;

	FOR_EACH(record, records)
		if (result_is(record, "student", student) &&
		    result_is(record, "lab", lab))
			return record;
	return NULL;
}

static double points_of(const cJSON *records, const char *lab)
{
	const cJSON *record;

	FOR_EACH(record, records)
		if (result_is(record, "lab", lab))
			return result_number(record, "max_score");
	return 0;
}

/* Canvas: a row a student, a column a lab.  Names are matched by login. */
void write_canvas(const cJSON *records, FILE *out)
{
	cJSON *labs = labs_of(records);
	const cJSON *record, *lab;

	fprintf(out, "Student,ID,SIS User ID,SIS Login ID,Section");
	FOR_EACH(lab, labs)
		fprintf(out, ",Lab %s", lab->valuestring);
	fprintf(out, "\n    Points Possible,,,,");
	FOR_EACH(lab, labs)
		fprintf(out, ",%.0f", points_of(records, lab->valuestring));
	putc('\n', out);
	FOR_EACH(record, records) {
		const char *student = result_text(record, "student");

		/* once a student: at their first record */
		for (lab = labs->child; lab; lab = lab->next)
			if (find(records, student, lab->valuestring))
				break;
		if (!lab || find(records, student, lab->valuestring) != record)
			continue;
		put_cell(student, out);
		fprintf(out, ",,,");
		put_cell(student, out);
		putc(',', out);
		FOR_EACH(lab, labs) {
			const cJSON *r = find(records, student,
					      lab->valuestring);

			putc(',', out);
			if (r)
				put_grade(r, out);
		}
		putc('\n', out);
	}
	cJSON_Delete(labs);
}

/*
 * Moodle: downloaded submissions are named "Name_12345_assignsubmission…",
 * and the worksheet knows the student as "Participant 12345".
 */
static bool participant(const char *student, char *id, size_t size)
{
	const char *p = strstr(student, "_assignsubmission"), *end = p;

	while (p && p > student && isdigit((unsigned char)p[-1]))
		p--;
	if (!p || p == end || p == student || p[-1] != '_')
		return false;
	snprintf(id, size, "Participant %.*s", (int)(end - p), p);
	return true;
}

void write_moodle(const cJSON *records, FILE *out)
{
	const cJSON *record;
	char id[64];

	fprintf(out, "Identifier,Full name,Grade,Maximum Grade,"
		"Feedback comments\n");
	FOR_EACH(record, records) {
		const char *student = result_text(record, "student");

		put_cell(participant(student, id, sizeof(id)) ? id : student,
			 out);
		putc(',', out);
		put_cell(student, out);
		putc(',', out);
		put_grade(record, out);
		fprintf(out, ",%.0f,", result_number(record, "max_score"));
		put_cell(result_is(record, "state", "graded") ?
			 result_verdict(record) :
			 result_text(record, "message"), out);
		putc('\n', out);
	}
}
