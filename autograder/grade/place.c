/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Where in a submission the lab's files are.
 *
 * The folder named like the lab comes before files that lie flat, so that
 * whoever hands in the whole course is understood; both may lie in one
 * wrapping folder, as archivers and platforms make it.  Only where there is
 * code is a place.
 */
#define _GNU_SOURCE
#include <string.h>

#include "autograder/compile/labs.h"
#include "autograder/grade/intake.h"

const char *intake_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Is there a .c file right in folder ("" is the top)? */
static bool has_code(const struct listing *list, const char *folder)
{
	size_t n = strlen(folder);

	for (unsigned int i = 0; i < list->count; i++) {
		const char *path = list->files[i].path, *name = path;

		if (n && (strncmp(path, folder, n) || path[n] != '/'))
			continue;
		name += n ? n + 1 : 0;
		if (!strchr(name, '/') && *name && *name != '.' &&
		    name[strlen(name) - 1] == 'c')
			return true;
	}
	return false;
}

/* The only folder at the top, if everything lies in it. */
static bool sole_folder(const struct listing *list, char *folder, size_t size)
{
	size_t n = 0;

	for (unsigned int i = 0; i < list->count; i++) {
		const char *path = list->files[i].path;
		const char *slash = strchr(path, '/');

		if (!strncmp(path, "__MACOSX/", 9))
			continue;
		if (!slash || (size_t)(slash - path) >= size)
			return false;
		if (n && ((size_t)(slash - path) != n ||
			  strncmp(folder, path, n)))
			return false;
		n = slash - path;
		memcpy(folder, path, n);
		folder[n] = '\0';
	}
	return n > 0;
}

/* Where the lab's files are: a folder's path, "" for the top. */
void intake_place(const struct grader *grader, const struct listing *list,
		  char *place)
{
	const char *lab = intake_base_name(grader->lab_dir);
	char wrap[UNPACK_PATH_MAX] = "";

	snprintf(place, PLACE_MAX, "%.255s", lab);
	if (has_code(list, place))
		return;
	if (sole_folder(list, wrap, sizeof(wrap))) {
		snprintf(place, PLACE_MAX, "%s/%.255s", wrap, lab);
		if (has_code(list, place))
			return;
		if (has_code(list, wrap)) {
			strcpy(place, wrap);
			return;
		}
	}
	*place = '\0';
}

/* The first file with the name of one of the lab's. */
static const char *lab_file_in(const struct grader *grader,
			       const struct listing *list)
{
	for (unsigned int i = 0; i < list->count; i++) {
		const char *path = list->files[i].path;
		const struct lab_file *file =
			lab_owner(intake_base_name(path));

		if (file && !strcmp(file->lab, grader->options.lab))
			return path;
	}
	return NULL;
}

bool intake_elsewhere(const struct grader *grader, const struct listing *list,
		      char *text, size_t size)
{
	static const char *const words[] = { "no", "one", "two", "three" };
	const char *path = lab_file_in(grader, list);
	char depth[16];
	unsigned int folders = 0;

	if (!path)
		return false;
	for (const char *p = path; (p = strchr(p, '/')); p++)
		folders++;
	snprintf(depth, sizeof(depth), "%u", folders);
	snprintf(text, size, "its files are %s folder%s down, in %.*s: put "
		 "them at the top or in %s/", folders < 4 ? words[folders] :
		 depth, folders == 1 ? "" : "s",
		 (int)(intake_base_name(path) - path), path,
		 intake_base_name(grader->lab_dir));
	return folders > 0;
}
