/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The labs and whose files are whose: autograder/labs.def. */
#ifndef COMPILE_LABS_H
#define COMPILE_LABS_H

struct lab {
	const char *number;	/* "01"				*/
	const char *name;	/* "01-ring", its folder in labs/ */
};

struct lab_file {
	const char *lab;
	const char *name;	/* "ring.c"			*/
	const char *folder;	/* "reference/umd"		*/
};

/* All of them, in order; ended by number == NULL. */
extern const struct lab all_labs[];

/* NULL: there is none. */
const struct lab *lab_find(const char *number);
/* The lab whose file this is; names are unique over all labs. */
const struct lab_file *lab_owner(const char *name);
/* The i-th file of a lab, or NULL. */
const struct lab_file *lab_file(const char *lab, unsigned int i);
/* The i-th folder whose headers a lab's files may include, or NULL. */
const char *lab_headers(const char *lab, unsigned int i);

#endif
