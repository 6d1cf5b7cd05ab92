/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * From a student's files to an agent: the only way in which code is built
 * that is graded or publicly tested.
 */
#ifndef COMPILE_COMPILE_H
#define COMPILE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Run a command, argv[0] being an absolute path, in the scratch folder, with
 * nothing to read on its standard input; what it prints goes to log, at most
 * size - 1 bytes, NUL-terminated.  0 and its exit status in *status (128 + the
 * signal that ended it), or -errno when it could not be run.
 */
typedef int (*compile_run)(void *context, const char *const *argv, char *log,
			   size_t size, int *status);

struct compile_options {
	const char *lab;	/* "01"					*/
	const char *source;	/* folder of the submission's files	*/
	const char *scratch;	/* absolute path of an empty folder	*/
	const char *output;	/* absolute path of the agent to make	*/
	const char *root;	/* absolute path of this repository	*/
	const char *agent;	/* NULL: compile_agent() below root	*/
	compile_run run;	/* NULL: compile_run_plain		*/
	void *context;
};

enum compile_outcome {
	COMPILE_OK,
	COMPILE_ERRORS,		/* the compiler or linker says no: log	*/
	COMPILE_REFUSED,	/* it evades the instrumentation	*/
	COMPILE_FAILED,		/* the grader's fault: never a score	*/
};

struct compile_result {
	enum compile_outcome outcome;
	char text[512];		/* one line: what and why, unless OK	*/
	char log[16384];	/* what compiler and linker printed	*/
};

/* Always fills in result; returns 0, or -errno for COMPILE_FAILED. */
int compile_submission(const struct compile_options *options,
		       struct compile_result *result);

/*
 * The same for one's own code in a folder, with scratch space of its own and
 * what was said on stderr, under the program's name; keep: leave the scratch
 * files and say where.  Exit status: 0 built; 1 it is not; 3 the tools failed.
 */
int compile_folder(const char *program, const char *lab, const char *folder,
		   const char *output, bool keep);

/* fork and exec with resource limits: for one's own code.  context: the
 * scratch folder's path. */
int compile_run_plain(void *context, const char *const *argv, char *log,
		      size_t size, int *status);

/*
 * What the commands read below root: these folders, NULL-ended; of the
 * lab_headers() of labs.h the .h files; and the lab's agent, which is all of
 * it but the submission.  They also read the system's headers and libraries,
 * and write in scratch only.
 */
extern const char *const compile_reads[];
/* Its path below root, into path. */
void compile_agent(const char *lab, char *path, size_t size);

#endif
