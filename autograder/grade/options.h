/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef GRADE_OPTIONS_H
#define GRADE_OPTIONS_H

#include "autograder/grade/grade.h"

enum {
	EXIT_DONE = 0, EXIT_USAGE = 2, EXIT_GRADER = 3,
	EXIT_SIGNAL = 128,	/* + the signal */
};

/* What is to be graded, in the order of the command line. */
struct inputs {
	char **path;
	bool *is_class;
	int count;
};

/* Exits on bad usage and after --help. */
void options_parse(int argc, char **argv, struct grade_options *options,
		   struct inputs *inputs);
void bad_usage(const char *text, const char *what)
	__attribute__((noreturn));

#endif
