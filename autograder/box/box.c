/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Making boxes and starting programs in them.
 *
 * What can be prepared once is prepared in box_open(): the Landlock ruleset
 * is a descriptor, the seccomp program an array, the control group a folder.
 * A start is then one clone and, in the child, a handful of system calls; no
 * library that allocates or locks runs there.  The parent waits on a pipe
 * until exec has closed it, so that a layer that cannot be put on is the
 * grader's error and never a student's crash.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograder/box/inside.h"

void box_limits_default(enum box_profile profile, struct box_limits *limits)
{
	bool agent = profile == BOX_AGENT;

	*limits = (struct box_limits){
		.cpu_s = agent ? 20 : 60,
		.processes = 64,
		.files = agent ? 64 : 256,
		/* a driver's heap is 512, its threads' stacks are 128 */
		.memory = (agent ? 768ull : 1024ull) << 20,
		.file_size = agent ? 64ull << 10 : 64ull << 20,
	};
}

/* One id per concurrent box: process ids are unique among the living. */
static uid_t pick_uid(const struct box_probe *probe)
{
	static unsigned int serial;

	return probe->uid_base +
	       ((unsigned int)getpid() * 8 + serial++ % 8) % probe->uid_count;
}

static int hand_over(const struct box *box, const struct box_spec *spec)
{
	for (int i = 0; spec->write && spec->write[i]; i++)
		if (lchown(spec->write[i], box->uid, box->uid) &&
		    errno != ENOENT)
			return -errno;
	return 0;
}

/* Out of the way of the numbers that the new process will use. */
static int move_up(int fd)
{
	int up = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 16);

	if (fd >= 0)
		close(fd);
	return up;
}

static int add_layers(struct box *box, const struct box_spec *spec)
{
	/* abort() may signal: only its own kind is within reach */
	bool alone = box_uses(box, BOX_UID) || box_uses(box, BOX_NAMESPACES);
	int err = 0;

	if (box_uses(box, BOX_UID)) {
		box->uid = pick_uid(&box->probe);
		err = hand_over(box, spec);
	}
	if (!err && box_uses(box, BOX_LANDLOCK)) {
		err = box_landlock_open(box->probe.landlock_abi, spec);
		if (err >= 0) {
			box->landlock_fd = move_up(err);
			err = box->landlock_fd < 0 ? -EMFILE : 0;
		}
	}
	if (!err && box_uses(box, BOX_SECCOMP))
		err = box_filter_build(spec->profile, alone, &box->filter);
	if (!err && box_uses(box, BOX_CGROUP))
		err = box_cgroup_open(box);
	return err;
}

/* Nothing of the caller's environment: no LD_PRELOAD, no secrets. */
static int set_surroundings(struct box *box, const char *cwd)
{
	const char *const fixed[] = {
		"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent", NULL
	};

	memcpy(box->environment, fixed, sizeof(fixed));
	box->cwd = strdup(cwd);
	if (!box->cwd || asprintf(&box->tmpdir, "TMPDIR=%s", cwd) < 0)
		return -ENOMEM;
	box->environment[3] = box->tmpdir;
	return 0;
}

int box_open(const struct box_probe *probe, const struct box_spec *spec,
	     struct box **out)
{
	struct box *box = calloc(1, sizeof(*box));
	int err;

	if (!box)
		return -ENOMEM;
	box->probe = *probe;
	box->profile = spec->profile;
	box->layers = spec->layers & probe->have;
	box->limits = spec->limits;
	box->uid = geteuid();
	box->landlock_fd = -1;
	for (int i = 0; spec->hide && spec->hide[i] && i < BOX_PATHS; i++)
		box->hide[i] = spec->hide[i];
	err = set_surroundings(box, spec->cwd ? spec->cwd : "/");
	if (!err)
		err = add_layers(box, spec);
	if (err) {
		box_close(box);
		return err;
	}
	*out = box;
	return 0;
}

void box_close(struct box *box)
{
	if (!box)
		return;
	box_cgroup_close(box);
	free(box->filter.filter);
	if (box->landlock_fd >= 0)
		close(box->landlock_fd);
	free(box->tmpdir);
	free(box->cwd);
	free(box);
}

unsigned int box_layers(const struct box *box)
{
	return box->layers;
}

static int open_group(const char *folder)
{
	char path[160];
	size_t len = strlen(folder);

	if (!len)
		return -1;
	memcpy(path, folder, len);
	strcpy(path + len, "/cgroup.procs");
	return move_up(open(path, O_WRONLY | O_CLOEXEC));
}

static void close_all(struct box_start *start, int status_read)
{
	const int fds[] = { start->exec_fd, start->status_fd,
			    start->cgroup_fd[0], start->cgroup_fd[1],
			    status_read };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* 0 when exec has happened, else why not. */
static int wait_for_exec(pid_t pid, int status_read)
{
	int err = 0, got;

	do
		got = read(status_read, &err, sizeof(err));
	while (got < 0 && errno == EINTR);
	if (got == 0)
		return 0;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return got == sizeof(err) && err > 0 ? -err : -EIO;
}

pid_t box_spawn(struct box *box, const char *const *argv,
		const int fds[BOX_FDS])
{
	struct box_start start = {
		.box = box, .argv = argv, .gid = getegid(),
		.cgroup_fd = { open_group(box->cgroup[0]),
			       open_group(box->cgroup[1]) },
	};
	int pipe_fds[2], err = 0;
	pid_t pid = -1;

	memcpy(start.fds, fds, sizeof(start.fds));
	start.exec_fd = open(argv[0], O_PATH | O_CLOEXEC);
	start.status_fd = -1;
	pipe_fds[0] = -1;
	if (start.exec_fd < 0 || pipe2(pipe_fds, O_CLOEXEC)) {
		err = -errno;
		goto close_fds;
	}
	start.status_fd = pipe_fds[1];

	pid = syscall(SYS_clone, box_clone_flags(box) | SIGCHLD, NULL, NULL,
		      NULL, NULL);
	if (pid == 0)
		box_child(&start);
	err = pid < 0 ? -errno : 0;
	close(start.status_fd);
	start.status_fd = -1;
	if (!err)
		err = wait_for_exec(pid, pipe_fds[0]);
close_fds:
	close_all(&start, pipe_fds[0]);
	return err ? err : pid;
}

/* As the box's user, signal everything that user may signal. */
static void kill_user(uid_t uid)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (setresgid(uid, uid, uid) == 0 &&
		    setresuid(uid, uid, uid) == 0)
			kill(-1, SIGKILL);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void box_sweep(struct box *box, pid_t pid)
{
	if (box_uses(box, BOX_NAMESPACES))
		return;		/* they ended with their init */
	if (pid > 1)
		kill(-pid, SIGKILL);
	if (box_uses(box, BOX_UID))
		kill_user(box->uid);
}

pid_t box_spawn_agent(void *context, int fd)
{
	const struct box_agent *agent = context;
	const char *const argv[] = { agent->path, NULL };
	const int fds[BOX_FDS] = { -1, agent->output, agent->output, fd };

	return box_spawn(agent->box, argv, fds);
}
