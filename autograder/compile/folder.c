/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * An agent from a folder: the grader's own way without its box, for the tools
 * that build one's own code.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograder/compile/compile.h"

/* The repository: the first folder above this program that looks like it. */
static int find_root(char *root)
{
	char probe[PATH_MAX + 32];
	ssize_t len = readlink("/proc/self/exe", root, PATH_MAX - 1);

	if (len < 0)
		return -1;
	root[len] = '\0';
	while (strrchr(root, '/')) {
		*strrchr(root, '/') = '\0';
		snprintf(probe, sizeof(probe), "%s/vm/spec/reg.h", root);
		if (!access(probe, R_OK))
			return 0;
	}
	return -1;
}

static void remove_folder(const char *path)
{
	char file[PATH_MAX];
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		unlink(file);
	}
	if (folder)
		closedir(folder);
	rmdir(path);
}

int compile_folder(const char *program, const char *lab, const char *folder,
		   const char *output, bool keep)
{
	char scratch[] = "/tmp/compile-XXXXXX", root[PATH_MAX];
	struct compile_options options = {
		.lab = lab, .root = root, .source = folder,
		.output = output, .scratch = scratch,
	};
	struct compile_result result;

	if (find_root(root) || !mkdtemp(scratch)) {
		fprintf(stderr, "%s: no repository or no room\n", program);
		return 3;
	}
	compile_submission(&options, &result);
	fputs(result.log, stderr);
	if (result.outcome != COMPILE_OK)
		fprintf(stderr, "%s: %s: %s\n", program,
			result.outcome == COMPILE_ERRORS ? "does not compile" :
			result.outcome == COMPILE_REFUSED ? "refused" :
			"the tools failed", result.text);
	if (keep)
		fprintf(stderr, "%s: files are in %s\n", program, scratch);
	else
		remove_folder(scratch);
	if (result.outcome == COMPILE_FAILED)
		return 3;
	return result.outcome != COMPILE_OK;
}
