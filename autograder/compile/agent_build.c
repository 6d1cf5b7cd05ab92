/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * agent-build -o OUT [-l LAB] [-k] DIR: what the grader does with a
 * submission's files, for development.  Exit status 0: built; 1: not; 3: the
 * tools failed.  -k keeps the scratch folder and says where it is.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograder/compile/compile.h"

static int usage(void)
{
	fprintf(stderr, "usage: agent-build -o OUT [-l LAB] [-k] DIR\n");
	return 2;
}

/* The repository: two folders above this program. */
static int find_root(char *root)
{
	ssize_t len = readlink("/proc/self/exe", root, PATH_MAX - 1);

	if (len < 0)
		return -1;
	root[len] = '\0';
	while (strrchr(root, '/')) {
		char probe[PATH_MAX + 32];

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

static void absolute(const char *path, char *result)
{
	char here[PATH_MAX / 2] = "";

	if (path[0] != '/' && getcwd(here, sizeof(here) - 1))
		strcat(here, "/");
	snprintf(result, PATH_MAX, "%s%s", here, path);
}

int main(int argc, char **argv)
{
	static const char *const outcome[] = {
		"built", "does not compile", "refused", "the tools failed"
	};
	char scratch[] = "/tmp/agent-build-XXXXXX";
	char root[PATH_MAX], output[PATH_MAX] = "";
	struct compile_options options = { .lab = "01", .root = root,
					   .output = output };
	struct compile_result result;
	int option, keep = 0;

	while ((option = getopt(argc, argv, "o:l:k")) != -1) {
		switch (option) {
		case 'o':
			absolute(optarg, output);
			break;
		case 'l':
			options.lab = optarg;
			break;
		case 'k':
			keep = 1;
			break;
		default:
			return usage();
		}
	}
	if (!output[0] || optind + 1 != argc)
		return usage();
	if (find_root(root) || !mkdtemp(scratch)) {
		fprintf(stderr, "agent-build: no repository or no room\n");
		return 3;
	}
	options.source = argv[optind];
	options.scratch = scratch;
	compile_submission(&options, &result);
	fputs(result.log, stderr);
	if (result.outcome != COMPILE_OK)
		fprintf(stderr, "agent-build: %s: %s\n",
			outcome[result.outcome], result.text);
	if (keep)
		fprintf(stderr, "agent-build: files are in %s\n", scratch);
	else
		remove_folder(scratch);
	if (result.outcome == COMPILE_FAILED)
		return 3;
	return result.outcome != COMPILE_OK;
}
