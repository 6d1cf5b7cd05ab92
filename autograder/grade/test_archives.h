/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Archives that a grader must survive, and what must come of each. */
#ifndef GRADE_TEST_ARCHIVES_H
#define GRADE_TEST_ARCHIVES_H

struct hostile {
	const char *name;	/* of the file			*/
	int (*make)(const char *path);
	const char *state;	/* of the record		*/
	const char *message;	/* part of it, or NULL		*/
};

/* Ended by name == NULL. */
extern const struct hostile hostile_archives[];

#endif
