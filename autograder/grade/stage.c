/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The scratch folder, and in it what compilers may read of the course.
 *
 * A copy, because the box's user must be able to walk to it: a course that
 * lies in root's home would be out of reach, and to open that home to the
 * box would be worse.  The folders are few and small.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/compile/compile.h"
#include "autograder/grade/stage.h"

static int copy_file(const char *from, const char *to)
{
	size_t size;
	char *bytes = read_whole(from, 64 << 20, &size);
	int err = bytes ? write_atomically(to, bytes, size) : -errno;

	free(bytes);
	return err;
}

static int copy_tree(const char *from, const char *to, int depth)
{
	struct dirent **names;
	int n = scandir(from, &names, NULL, NULL), err = n < 0 ? -errno : 0;

	if (!err)
		err = make_folders(to, 0755);
	for (int i = 0; i < n; i++) {
		char *f = format_string("%s/%s", from, names[i]->d_name);
		char *t = format_string("%s/%s", to, names[i]->d_name);
		struct stat st;

		if (!f || !t)
			err = -ENOMEM;
		else if (!err && *names[i]->d_name != '.' &&
			 lstat(f, &st) == 0) {
			if (S_ISREG(st.st_mode))
				err = copy_file(f, t);
			else if (S_ISDIR(st.st_mode) && depth)
				err = copy_tree(f, t, depth - 1);
		}
		free(f);
		free(t);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return err;
}

static int stage_one(const struct grader *grader, const char *name)
{
	char *from = format_string("%s/%s", grader->root, name);
	char *to = format_string("%s/root/%s", grader->work, name);
	struct stat st;
	int err = -ENOMEM;

	if (from && to) {
		if (stat(from, &st))
			err = -errno;
		else if (S_ISDIR(st.st_mode))
			err = copy_tree(from, to, 1);
		else
			err = copy_file(from, to);
	}
	if (err && from)
		fprintf(stderr, "grade: %s: %s\n", from, strerror(-err));
	free(from);
	free(to);
	return err;
}

int stage(struct grader *grader)
{
	const char *tmp = getenv("TMPDIR");
	char *folder;
	int err = 0;

	snprintf(grader->work, sizeof(grader->work), "%s/doorbell-XXXXXX",
		 tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(grader->work)) {
		err = -errno;
		grader->work[0] = '\0';
		return err;
	}
	if (chmod(grader->work, 0711))
		return -errno;
	folder = format_string("%s/root/build/agent", grader->work);
	err = folder ? make_folders(folder, 0755) : -ENOMEM;
	free(folder);
	for (int i = 0; !err && compile_reads[i]; i++)
		err = stage_one(grader, compile_reads[i]);
	return err;
}

void unstage(struct grader *grader)
{
	if (grader->work[0])
		remove_tree(grader->work);
	grader->work[0] = '\0';
}
