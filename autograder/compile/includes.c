/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which files a submission has included.
 *
 * Its own, the system's, and the headers that every student has; beside those
 * of the driver's inside lies the reference, so of them only a .h is one.
 * Where a box is complete nothing else can be read at all; this catches it
 * where one is not, and says so in words.
 */
#include <stdio.h>
#include <string.h>

#include "autograder/compile/inside.h"
#include "autograder/compile/labs.h"

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && path[len] == '/';
}

/* Below root: a header of the driver's inside that this lab may see? */
static bool is_header(const char *lab, const char *path)
{
	const char *folder, *dot = strrchr(path, '.');

	if (!dot || strcmp(dot, ".h"))
		return false;
	for (unsigned int i = 0; (folder = lab_headers(lab, i)); i++) {
		if (is_below(path, folder))
			return true;
	}
	return false;
}

static bool is_readable(const struct compile_options *options,
			const char *path)
{
	static const char *const ours[] = { COMPILE_READS };
	static const char *const systems[] = { "/usr/include", "/usr/lib" };
	const char *root = options->root;

	if (strstr(path, "../"))
		return false;
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		if (is_below(path, systems[i]))
			return true;
	}
	if (path[0] != '/')
		return !strchr(path, '/');
	if (!is_below(path, root))
		return false;
	path += strlen(root) + 1;
	if (!strncmp(path, "./", 2))
		path += 2;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (is_below(path, ours[i]))
			return true;
	}
	return is_header(options->lab, path);
}

/* depends: a rule of make, "target: file file \ file"; it is cut up. */
bool includes_check(const struct compile_options *options, const char *file,
		    char *depends, struct compile_result *result)
{
	char *save = NULL, *path = strchr(depends, ':');

	if (!path)
		return refuse(result, "%s: no list of includes", file);
	for (path = strtok_r(path + 1, " \t\n", &save); path;
	     path = strtok_r(NULL, " \t\n", &save)) {
		const char *name = strrchr(path, '/');

		if (!strcmp(path, "\\") || is_readable(options, path))
			continue;
		return refuse(result,
			      "%s: %.100s is not yours to include", file,
			      name ? name + 1 : path);
	}
	return true;
}
