/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* autograder/labs.def, looked up. */
#include <string.h>

#include "autograder/compile/labs.h"

const struct lab all_labs[] = {
#define LAB(number, name)	{ #number, name },
#define LAB_FILE(number, name, folder)
#define LAB_HEADERS(number, folder)
#include "autograder/labs.def"
#undef LAB
#undef LAB_FILE
#undef LAB_HEADERS
	{ NULL, NULL }
};

static const struct lab_file files[] = {
#define LAB(number, name)
#define LAB_FILE(number, name, folder)	{ #number, name, folder },
#define LAB_HEADERS(number, folder)
#include "autograder/labs.def"
#undef LAB
#undef LAB_FILE
#undef LAB_HEADERS
};

static const struct { const char *lab, *folder; } headers[] = {
#define LAB(number, name)
#define LAB_FILE(number, name, folder)
#define LAB_HEADERS(number, folder)	{ #number, folder },
#include "autograder/labs.def"
#undef LAB
#undef LAB_FILE
#undef LAB_HEADERS
};

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

const struct lab *lab_find(const char *number)
{
	for (const struct lab *lab = all_labs; lab->number; lab++) {
		if (!strcmp(lab->number, number))
			return lab;
	}
	return NULL;
}

const struct lab_file *lab_owner(const char *name)
{
	for (size_t i = 0; i < COUNT(files); i++) {
		if (!strcmp(files[i].name, name))
			return &files[i];
	}
	return NULL;
}

const struct lab_file *lab_file(const char *lab, unsigned int i)
{
	for (size_t n = 0; n < COUNT(files); n++) {
		if (!strcmp(files[n].lab, lab) && i-- == 0)
			return &files[n];
	}
	return NULL;
}

const char *lab_headers(const char *lab, unsigned int i)
{
	for (size_t n = 0; n < COUNT(headers); n++) {
		if (!strcmp(headers[n].lab, lab) && i-- == 0)
			return headers[n].folder;
	}
	return NULL;
}
