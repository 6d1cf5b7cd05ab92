/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * agent-build -o OUT [-l LAB] [-k] DIR: what the grader does with a
 * submission's files, for development.  Exit status 0: built; 1: not; 3: the
 * tools failed.  -k keeps the scratch folder and says where it is.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "autograder/compile/compile.h"
#include "autograder/compile/labs.h"

static int usage(void)
{
	fprintf(stderr, "usage: agent-build -o OUT [-l LAB] [-k] DIR\n");
	return 2;
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
	char output[PATH_MAX] = "";
	const char *lab = "01";
	bool keep = false;
	int option;

	while ((option = getopt(argc, argv, "o:l:k")) != -1) {
		switch (option) {
		case 'o':
			absolute(optarg, output);
			break;
		case 'l':
			lab = optarg;
			break;
		case 'k':
			keep = true;
			break;
		default:
			return usage();
		}
	}
	if (!output[0] || optind + 1 != argc || !lab_find(lab))
		return usage();
	return compile_folder("agent-build", lab, argv[optind], output, keep);
}
