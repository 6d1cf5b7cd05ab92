/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who is graded.
 *
 * One submission is one student; its name without the archive's ending is the
 * student's.  Names come from people and platforms, so what is shown is clean
 * text, and the folder under OUT is a plain file name: every other byte is
 * written as %XX.  Two submissions never share a folder: nobody's result is
 * lost because somebody handed in twice.
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

static const char *const endings[] = {
	".zip", ".tar.gz", ".tgz", ".tar", NULL
};

static size_t ending(const char *name)
{
	size_t len = strlen(name);

	for (int i = 0; endings[i]; i++) {
		size_t n = strlen(endings[i]);

		if (len > n && !strcasecmp(name + len - n, endings[i]))
			return n;
	}
	return 0;
}

static char *plain_folder(const char *bytes, size_t len)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@+,= ";
	char *folder = malloc(3 * len + 1), *p = folder;

	if (!folder)
		return NULL;
	/* room for a file system's limit of 255, and a suffix */
	for (size_t i = 0; i < len && p - folder < 200; i++)
		if (bytes[i] && strchr(plain, bytes[i]) &&
		    (i || (bytes[i] != '.' && bytes[i] != '-')))
			*p++ = bytes[i];
		else
			p += sprintf(p, "%%%02X", (unsigned char)bytes[i]);
	*p = '\0';
	return folder;
}

static bool taken(const struct class_run *run, const char *folder)
{
	for (unsigned int i = 0; i < run->count; i++)
		if (!strcasecmp(run->students[i].folder, folder))
			return true;
	return false;
}

/* By the name it goes by here, wherever a link leads; "." has none. */
static int name_student(struct class_run *run, struct student *student,
			const char *given)
{
	const char *name = strrchr(given, '/');
	size_t len;

	name = name ? name + 1 : given;
	if (!name[strspn(name, ".")]) {
		name = strrchr(student->path, '/');
		name = name ? name + 1 : student->path;
	}
	len = strlen(name) - ending(name);
	student->name = report_clean(name, len, 120, false);
	student->folder = plain_folder(name, len);
	for (int n = 2; student->name && student->folder &&
	     taken(run, student->folder); n++) {
		char *clean = report_clean(name, len, 120, false);

		free(student->folder);
		free(student->name);
		student->name = clean ? format_string("%s (%d)", clean, n)
				      : NULL;
		free(clean);
		clean = plain_folder(name, len);
		student->folder = clean ? format_string("%s~%d", clean, n)
					: NULL;
		free(clean);
	}
	return student->name && student->folder ? 0 : -ENOMEM;
}

int students_add(struct class_run *run, const char *path)
{
	struct student *grown = realloc(run->students, (run->count + 1) *
					sizeof(*grown));
	struct student *student;
	int err;

	if (!grown)
		return -ENOMEM;
	run->students = grown;
	student = &grown[run->count];
	memset(student, 0, sizeof(*student));
	student->path = realpath(path, NULL);
	if (!student->path)
		return -errno;
	err = name_student(run, student, path);
	if (err) {
		free(student->path);
		free(student->name);
		free(student->folder);
		return err;
	}
	run->count++;
	return 0;
}

static bool is_submission(const char *path, const char *name)
{
	struct stat st;

	return *name != '.' && stat(path, &st) == 0 &&
	       (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && ending(name)));
}

int students_add_folder(struct class_run *run, const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort), err = 0;

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		char *path = format_string("%s/%s", folder, name);

		if (!path) {
			err = -ENOMEM;
		} else if (is_submission(path, name)) {
			err = err ? err : students_add(run, path);
		} else if (strcmp(name, ".") && strcmp(name, "..")) {
			char *clean = report_clean(name, strlen(name), 120,
						   false);

			fprintf(stderr, "grade: %s is no submission: not a "
				"folder, .zip or .tar.gz\n",
				clean ? clean : "?");
			free(clean);
		}
		free(path);
		free(names[i]);
	}
	free(names);
	return err;
}

/* Scratch folders; results are made when the number of tests is known. */
int students_finish_list(struct class_run *run)
{
	const struct grader *grader = run->grader;

	for (unsigned int i = 0; i < run->count; i++) {
		struct student *student = &run->students[i];

		student->work = format_string("%s/%u", grader->work, i);
		student->results = calloc(grader->count ? grader->count : 1,
					  sizeof(*student->results));
		if (!student->work || !student->results)
			return -ENOMEM;
	}
	return 0;
}

void students_free(struct class_run *run)
{
	for (unsigned int i = 0; i < run->count; i++) {
		struct student *student = &run->students[i];

		for (unsigned int t = 0; student->results &&
		     t < run->grader->count; t++)
			cJSON_Delete(student->results[t]);
		free(student->results);
		cJSON_Delete(student->prepared);
		cJSON_Delete(student->record);
		free(student->path);
		free(student->name);
		free(student->folder);
		free(student->work);
	}
	free(run->students);
}
