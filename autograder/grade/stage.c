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
#include "autograder/compile/labs.h"
#include "autograder/grade/stage.h"

static int copy_file(const char *from, const char *to)
{
	size_t size;
	char *bytes = read_whole(from, 64 << 20, &size);
	int err = bytes ? write_atomically(to, bytes, size) : -errno;

	free(bytes);
	return err;
}

static bool has_ending(const char *name, const char *ending)
{
	size_t n = strlen(name), len = strlen(ending);

	return n >= len && !strcmp(name + n - len, ending);
}

/* Below from, those whose names end so; "": all. */
static int copy_tree(const char *from, const char *to, const char *ending,
		     int depth)
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
			if (S_ISREG(st.st_mode) && has_ending(f, ending))
				err = copy_file(f, t);
			else if (S_ISDIR(st.st_mode) && depth)
				err = copy_tree(f, t, ending, depth - 1);
		}
		free(f);
		free(t);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return err;
}

static int stage_one(const struct grader *grader, const char *name,
		     const char *ending)
{
	char *from = format_string("%s/%s", grader->root, name);
	char *to = format_string("%s/root/%s", grader->work, name);
	struct stat st;
	int err = -ENOMEM;

	if (from && to) {
		if (stat(from, &st))
			err = -errno;
		else if (S_ISDIR(st.st_mode))
			err = copy_tree(from, to, ending, 1);
		else
			err = copy_file(from, to);
	}
	if (err && from)
		fprintf(stderr, "grade: %s: %s\n", from, strerror(-err));
	free(from);
	free(to);
	return err;
}

/* What the compile step reads, and no more of it. */
static int stage_all(const struct grader *grader)
{
	const char *lab = grader->options.lab, *folder;
	char *objects = format_string("%s/root/build/agent", grader->work);
	char agent[64];
	int err = objects ? make_folders(objects, 0755) : -ENOMEM;

	free(objects);
	for (int i = 0; !err && compile_reads[i]; i++)
		err = stage_one(grader, compile_reads[i], "");
	for (int i = 0; !err && (folder = lab_headers(lab, i)); i++)
		err = stage_one(grader, folder, ".h");
	compile_agent(lab, agent, sizeof(agent));
	return err ? err : stage_one(grader, agent, "");
}

int stage(struct grader *grader)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(grader->work, sizeof(grader->work), "%s/doorbell-XXXXXX",
		 tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(grader->work)) {
		int err = -errno;

		grader->work[0] = '\0';
		return err;
	}
	if (chmod(grader->work, 0711))
		return -errno;
	return stage_all(grader);
}

void unstage(struct grader *grader)
{
	if (grader->work[0])
		remove_tree(grader->work);
	grader->work[0] = '\0';
}
