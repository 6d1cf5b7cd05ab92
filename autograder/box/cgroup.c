/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The control group layer: memory and processes of a whole box, counted
 * together, where rlimits count each process alone.
 *
 * Only a grader with write access to the hierarchy has it, root as a rule.
 * Version 1 has one hierarchy a controller, version 2 one for all; a box is
 * one folder in each that is used.  Folders of a box are removed with it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "autograder/box/inside.h"

#define ROOT	"/sys/fs/cgroup"

struct hierarchy {
	const char *folder;	/* where groups are made		*/
	const char *needs;	/* a file there that shows it works	*/
	const char *memory, *processes;
};

/* Version 1 by controller, then version 2. */
static const struct hierarchy v1[] = {
	{ ROOT "/memory", ROOT "/memory/memory.limit_in_bytes",
	  "memory.limit_in_bytes", NULL },
	{ ROOT "/pids", ROOT "/pids/cgroup.procs", NULL, "pids.max" },
};
static const struct hierarchy v2[] = {
	{ ROOT, ROOT "/cgroup.subtree_control", "memory.max", "pids.max" },
	{ NULL, NULL, NULL, NULL },
};

static const struct hierarchy *hierarchies(void)
{
	return access(v2[0].needs, W_OK) == 0 ? v2 : v1;
}

static int write_number(const char *folder, const char *file, uint64_t value)
{
	char path[256], text[32];
	int fd, len = snprintf(text, sizeof(text), "%llu",
			       (unsigned long long)value);

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != len) {
		int err = -errno;

		close(fd);
		return err;
	}
	close(fd);
	return 0;
}

static int make_folder(struct box *box, int i, const struct hierarchy *h)
{
	static unsigned int serial;
	int err = -EEXIST;

	/* one may be left of a process that was killed and had our pid */
	for (int tries = 0; err == -EEXIST && tries < 100; tries++) {
		snprintf(box->cgroup[i], sizeof(box->cgroup[i]),
			 "%s/doorbell-%d-%u", h->folder, (int)getpid(),
			 serial++);
		err = mkdir(box->cgroup[i], 0755) ? -errno : 0;
	}
	if (err)
		box->cgroup[i][0] = '\0';
	return err;
}

static int make_group(struct box *box, int i, const struct hierarchy *h)
{
	int err = make_folder(box, i, h);

	if (err)
		return err;
	/* twice: a box may be one big process and its helpers */
	if (h->memory)
		err = write_number(box->cgroup[i], h->memory,
				   box->limits.memory * 2);
	if (!err && h->processes)
		err = write_number(box->cgroup[i], h->processes,
				   box->limits.processes + 2);
	return err;
}

int box_cgroup_open(struct box *box)
{
	const struct hierarchy *h = hierarchies();

	for (int i = 0; i < 2 && h[i].folder; i++) {
		int err = access(h[i].needs, F_OK) ? -ENOENT
						  : make_group(box, i, &h[i]);

		if (err) {
			box_cgroup_close(box);
			return err;
		}
	}
	return 0;
}

/* A group empties a moment after its last process was waited for. */
void box_cgroup_close(struct box *box)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (int i = 0; i < 2; i++) {
		if (!box->cgroup[i][0])
			continue;
		for (int tries = 0; tries < 50; tries++) {
			if (rmdir(box->cgroup[i]) == 0 || errno != EBUSY)
				break;
			nanosleep(&moment, NULL);
		}
		box->cgroup[i][0] = '\0';
	}
}

/* Those whose makers were killed.  A group in use cannot be removed. */
static void remove_left(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int pid;

		if (sscanf(entry->d_name, "doorbell-%d-", &pid) == 1 &&
		    kill(pid, 0) && errno == ESRCH)
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

int box_cgroup_probe(void)
{
	struct box box = { .limits = { .memory = 1 << 20, .processes = 4 } };
	const struct hierarchy *h = hierarchies();
	int err;

	for (int i = 0; i < 2 && h[i].folder; i++)
		remove_left(h[i].folder);
	err = box_cgroup_open(&box);
	if (!err)
		box_cgroup_close(&box);
	return err;
}
