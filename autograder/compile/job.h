/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* One submission being compiled: what compile.c and files.c share. */
#ifndef COMPILE_JOB_H
#define COMPILE_JOB_H

#include "autograder/compile/inside.h"

#define FILES		32
#define FILE_LIMIT	(1u << 20)
#define TEXT_LIMIT	(64u << 20)

struct job {
	const struct compile_options *options;
	struct compile_result *result;
	char file[FILES][64];		/* names of all files		*/
	unsigned int files;
	char agent[4096];
};

#define ARGS		64

/* A command line. */
struct args {
	const char *arg[ARGS];
	unsigned int count;
	char text[ARGS][512];		/* those that had to be made	*/
	unsigned int texts;
};

/* tool.c */
void arg_add(struct args *args, const char *arg);
void arg_add_text(struct args *args, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Run; output goes to the log, or elsewhere.  Exit status, or -errno. */
int tool_run(struct job *job, const struct args *args);
int tool_run_into(struct job *job, const struct args *args, char *log,
	     size_t size);
/* 0: it ran and was content; else the result is filled in. */
int tool_step(struct job *job, const struct args *args, const char *what);

/* compile.c: how every step of clang's begins. */
void compile_flags(struct args *args);
/* A file of the scratch folder as text, through check(). */
int compile_check(struct job *job, const char *file, const char *suffix,
		  bool (*check)(const struct job *job, const char *file,
				char *text));
/* front.c: FILE.ll, once what the file includes was checked. */
int compile_front(struct job *job, const char *file);

/* The grader's fault: fills in the result, returns err. */
int job_failed(struct job *job, int err, const char *what);

/* files.c: what is read and written without a tool.  0; 1: the result is
 * filled in; -errno: job_failed() was called. */
int job_copy_files(struct job *job);
int job_place_output(struct job *job);
/* A new file.  0 or -errno. */
int job_write_file(const char *path, const char *bytes, size_t len);
bool job_has_suffix(const char *name, const char *suffix);

#endif
