/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A submission's files before one knows which of them count. */
#ifndef GRADE_INTAKE_H
#define GRADE_INTAKE_H

#include "autograder/grade/grade.h"
#include "autograder/grade/unpack.h"

#define LISTED_MAX 256
#define PLACE_MAX (UNPACK_PATH_MAX + 257)

struct listed {
	char *path;	/* as it came, relative		*/
	char *bytes;
	size_t size;
};

struct listing {
	struct listed files[LISTED_MAX];
	unsigned int count, notes, entries;
	cJSON *ignored;
	const char *lab_dir;
	const char *broken;	/* why it is unusable, or NULL */
	char broken_text[160];
};

void intake_note(struct listing *list, const char *path, const char *why);
int intake_add(struct listing *list, const char *path, const char *bytes,
	       size_t size);

/* place.c: the folder of the lab's files in the listing, "" for the top. */
void intake_place(const struct grader *grader, const struct listing *list,
		  char *place);
/* Nothing lies there: where it does lie, in words; false: nowhere. */
bool intake_elsewhere(const struct grader *grader, const struct listing *list,
		      char *text, size_t size);
const char *intake_base_name(const char *path);

/* archive.c: fill list from an archive.  0, or -errno: the grader failed. */
int intake_archive(const struct grader *grader, const char *path,
		   struct listing *list);

#endif
