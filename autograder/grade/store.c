/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * OUT: what is kept.
 *
 *   OUT/STUDENT/LAB/result.json, report.html     the last result
 *   OUT/STUDENT/LAB/error.json                   grading failed since then
 *   OUT/gradebook.csv, index.html, timing.json   the class
 *
 * A result without a score never replaces one with a score.  Class files are
 * made from all results under OUT, so that grading one student or one lab
 * again keeps the others.  Everything is written beside its place and renamed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/grade/grade.h"
#include "autograder/report/report.h"

static int write_format(const char *path, const char *format,
			const cJSON *records)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (!out)
		return -ENOMEM;
	err = report_write(format, records, out);
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (!err)
		err = write_atomically(path, text, size);
	free(text);
	return err;
}

static int write_in(const char *folder, const char *file, const char *format,
		    const cJSON *records)
{
	char *path = format_string("%s/%s", folder, file);
	int err = path ? write_format(path, format, records) : -ENOMEM;

	free(path);
	return err;
}

/* Those that are written unasked. */
static bool always(const char *name)
{
	return !strcmp(name, "json") || !strcmp(name, "html") ||
	       !strcmp(name, "index") || !strcmp(name, "csv");
}

static cJSON *read_record(const char *folder, const char *file)
{
	char *path = format_string("%s/%s", folder, file), why[128];
	char *text = path ? read_whole(path, 32 << 20, NULL) : NULL;
	cJSON *record = text ? cJSON_Parse(text) : NULL;

	if (record && result_check(record, why, sizeof(why))) {
		fprintf(stderr, "grade: %s: %s\n", path, why);
		cJSON_Delete(record);
		record = NULL;
	}
	free(text);
	free(path);
	return record;
}

static bool keeps_older(const char *folder, const cJSON *record)
{
	cJSON *older;
	bool keeps;

	if (result_has_score(record))
		return false;
	older = read_record(folder, "result.json");
	keeps = older && result_has_score(older);
	cJSON_Delete(older);
	return keeps;
}

static int store_in(const struct grader *grader, const char *folder,
		    const cJSON *record)
{
	char *error = format_string("%s/error.json", folder);
	int err = make_folders(folder, 0755);

	if (!err && keeps_older(folder, record)) {
		err = write_in(folder, "error.json", "json", record);
		fprintf(stderr, "grade: %s: the older result is kept\n",
			result_text(record, "student"));
		free(error);
		return err;
	}
	for (const struct report_format *f = report_formats; f->name; f++)
		if (!err && !f->of_class && f->file && (always(f->name) ||
		    in_list(grader->options.format, f->name)))
			err = write_in(folder, f->file, f->name, record);
	if (error)
		unlink(error);
	free(error);
	return err;
}

int store_record(const struct grader *grader, const struct student *student)
{
	char *folder = format_string("%s/%s/%s", grader->options.out,
				     student->folder, grader->options.lab);
	int err = folder ? store_in(grader, folder, student->record)
			 : -ENOMEM;

	free(folder);
	return err;
}

static int no_dots(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/* OUT/STUDENT/LAB of one student. */
static void add_student(cJSON *records, const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, no_dots, alphasort);

	for (int i = 0; i < n; i++) {
		char *path = format_string("%s/%s", folder,
					   names[i]->d_name);
		cJSON *record = NULL;

		if (path && strlen(names[i]->d_name) == 2)
			record = read_record(path, "result.json");
		if (record)
			cJSON_AddItemToArray(records, record);
		free(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static cJSON *all_records(const char *out)
{
	cJSON *records = cJSON_CreateArray();
	struct dirent **names;
	int n = scandir(out, &names, no_dots, alphasort);

	for (int i = 0; i < n; i++) {
		char *path = format_string("%s/%s", out, names[i]->d_name);
		struct stat st;

		if (path && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
			add_student(records, path);
		free(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return records;
}

int store_class(const struct grader *grader)
{
	cJSON *records = all_records(grader->options.out);
	int err = records ? 0 : -ENOMEM;

	for (const struct report_format *f = report_formats; f->name; f++)
		if (!err && f->of_class && f->file && (always(f->name) ||
		    in_list(grader->options.format, f->name)))
			err = write_in(grader->options.out, f->file, f->name,
				       records);
	cJSON_Delete(records);
	return err;
}

/* The host's times, kept apart: they differ from run to run. */
int store_timing(const struct class_run *run)
{
	const struct grader *grader = run->grader;
	cJSON *list = cJSON_CreateArray();
	char *text, *path = format_string("%s/timing.json",
					  grader->options.out);
	int err = -ENOMEM;

	for (unsigned int i = 0; i < run->count; i++) {
		const struct student *student = &run->students[i];
		cJSON *row = cJSON_CreateObject();

		cJSON_AddStringToObject(row, "student", student->name);
		cJSON_AddStringToObject(row, "lab", grader->options.lab);
		cJSON_AddNumberToObject(row, "cpu_ms",
					student->cpu_ns / 1000000);
		cJSON_AddNumberToObject(row, "worker_ms",
					student->wall_ns / 1000000);
		cJSON_AddItemToArray(list, row);
	}
	text = cJSON_Print(list);
	if (text && path)
		err = write_atomically(path, text, strlen(text));
	cJSON_free(text);
	cJSON_Delete(list);
	free(path);
	return err;
}
