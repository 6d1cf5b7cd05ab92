/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the parts of the grader share.
 *
 * One process, the class run, holds the list of students and writes every
 * result.  It forks a worker for each piece of work (prepare a submission,
 * run one test on it), so that whatever happens in a worker is one piece's
 * failure.  A worker answers with JSON in a memory file.
 */
#ifndef GRADE_GRADE_H
#define GRADE_GRADE_H

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "autograder/box/box.h"
#include "autograder/judge/judge.h"

#define TESTS_MAX	256

struct grade_options {
	const char *lab, *out, *format, *replay, *trace, *only;
	unsigned int jobs, seeds;	/* seeds 0: each test's own	*/
	unsigned int layers;		/* of the box, to use		*/
	bool list, public_only, own, probe, from_start;
};

struct grader {
	struct grade_options options;
	struct box_probe probe;
	const struct judge_test *tests[TESTS_MAX];	/* those to run */
	unsigned int count;
	char root[PATH_MAX];		/* of the course		*/
	char lab_dir[PATH_MAX];		/* its labs/01-ring		*/
	char bin[PATH_MAX];		/* our programs			*/
	char work[PATH_MAX];		/* scratch, removed at the end	*/
};

/* One submission. */
struct student {
	char *path;
	char *name;		/* as shown: clean text			*/
	char *folder;		/* under OUT: a plain file name		*/
	char *work;		/* scratch folder			*/
	cJSON *prepared;	/* what prepare_run() said, or NULL	*/
	cJSON **results;	/* per test, NULL: not yet		*/
	unsigned int next;	/* test to start next			*/
	unsigned int running;
	bool retried;
	cJSON *record;
	uint64_t cpu_ns, wall_ns;
};

struct class_run {
	struct grader *grader;
	struct student *students;
	unsigned int count;
};

/* students.c: who is graded */
int students_add(struct class_run *run, const char *path);
int students_add_folder(struct class_run *run, const char *path);
int students_finish_list(struct class_run *run);
void students_free(struct class_run *run);

/*
 * intake.c: a submission's .c and .h files, written into src.  Adds "files",
 * "ignored", and on trouble "state" and "message" to result.  0, or -errno
 * when the grader itself failed.
 */
int intake(const struct grader *grader, const char *path, const char *src,
	   cJSON *result);

/* prepare.c: intake and compile; the answer of a worker. */
cJSON *prepare_run(const struct grader *grader,
		   const struct student *student);

/* trial.c: one test, all its seeds; the answer of a worker. */
cJSON *trial_run(const struct grader *grader, const struct student *student,
		 const struct judge_test *test);
/* One run, every event printed, and kept for Chrome in the file json. */
int trial_replay(const struct grader *grader, const struct student *student,
		 const struct judge_test *test, uint64_t seed,
		 const char *json);
/* A box for the student's agent. */
int trial_box(const struct grader *grader, const struct student *student,
	      struct box **box, char *agent);

/* pool.c: prepare and run everything, jobs at a time.  0; -EINTR: told to
 * stop, and nothing is running any more; -errno. */
int pool_run(struct class_run *run, void (*done)(struct class_run *run,
						 struct student *student));

/* assemble.c: the record of a student whose work is done. */
cJSON *assemble(const struct grader *grader, const struct student *student);

/* hints.c: the hint for a test that broke a rule, and its level, or NULL; the
 * caller frees it. */
char *hint_find(const struct grader *grader, const struct student *student,
		const struct judge_test *test, const char *rule,
		unsigned int *level);

/* store.c: OUT. */
int store_record(const struct grader *grader, const struct student *student);
int store_class(const struct grader *grader);
int store_timing(const struct class_run *run);

/* files.c */
int make_folders(const char *path, unsigned int mode);
int write_atomically(const char *path, const void *bytes, size_t size);
/* The whole file and a NUL; at most max bytes.  NULL: errno says why. */
char *read_whole(const char *path, size_t max, size_t *size);
void remove_tree(const char *path);
char *format_string(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Is name in the comma-separated list? */
bool in_list(const char *list, const char *name);

/* Strings in records are clean text. */
void add_clean(cJSON *object, const char *name, const char *text);

#endif
