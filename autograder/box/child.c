/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The new process, from clone to exec.
 *
 * The order of the layers matters.  Descriptors first, so that nothing later
 * can leak one; the control group while the folder can still be written; the
 * user id before no_new_privs and the death signal, which a change of
 * credentials clears; Landlock before seccomp, which forbids Landlock's calls
 * to the agent; then exec.  Any failure is written to the status descriptor
 * and nothing runs: a box with a hole is worse than no box.
 *
 * A compile step's pid namespace begins with a small init: it has dropped
 * everything, waits for the program, and its end kills what is left.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograder/box/inside.h"

/* In the new process only: where failures are told. */
static int status_fd;

static __attribute__((noreturn)) void fail(int err)
{
	ssize_t n = write(status_fd, &err, sizeof(err));

	_exit(n == sizeof(err) ? 126 : 127);
}

static void must(int err)
{
	if (err)
		fail(err < 0 ? -err : err);
}

static void must_not_be_minus_one(long r)
{
	if (r == -1)
		fail(errno);
}
#define MUST(call) must_not_be_minus_one(call)

/*
 * Die with the parent.  It may be dead by now, and nobody would tell: then
 * the pipe on which it waits for our exec has no reader.
 */
static void follow_parent(void)
{
	struct pollfd pipe = { .fd = status_fd };

	MUST(prctl(PR_SET_PDEATHSIG, SIGKILL));
	if (poll(&pipe, 1, 0) > 0 && pipe.revents & POLLERR)
		_exit(127);
}

int box_clone_flags(const struct box *box)
{
	int flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;

	if (!box_uses(box, BOX_NAMESPACES))
		return 0;
	/* A network namespace is the dearest of all to make; the agent's
	 * filter knows no socket, so only compilers get one. */
	if (box->profile == BOX_COMPILE || !box_uses(box, BOX_SECCOMP))
		flags |= CLONE_NEWNET;
	if (box->probe.user_namespace)
		flags |= CLONE_NEWUSER;
	return flags;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* Without stdio, which may be locked or full in a clone. */
static char *put_number(char *p, unsigned int n)
{
	char digits[12];
	int i = 0;

	do
		digits[i++] = '0' + n % 10;
	while (n /= 10);
	while (i)
		*p++ = digits[--i];
	*p++ = ' ';
	return p;
}

static int write_map(const char *path, unsigned int id)
{
	char text[40], *p = put_number(put_number(text, id), id);

	*p++ = '1';
	*p = '\0';
	return write_file(path, text);
}

int box_map_user(uid_t uid, gid_t gid)
{
	int err = write_file("/proc/self/setgroups", "deny");

	if (err && err != -ENOENT)
		return err;
	err = write_map("/proc/self/uid_map", uid);
	return err ? err : write_map("/proc/self/gid_map", gid);
}

static void enter_mounts(const struct box *box)
{
	MUST(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	for (int i = 0; box->hide[i]; i++)
		if (mount("none", box->hide[i], "tmpfs", MS_RDONLY |
			  MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") &&
		    errno != ENOENT)
			fail(errno);
}

static void place_fds(const struct box_start *s)
{
	struct rlimit nofile;
	int null, fds[BOX_FDS];

	MUST(getrlimit(RLIMIT_NOFILE, &nofile));
	nofile.rlim_cur = nofile.rlim_max;
	MUST(setrlimit(RLIMIT_NOFILE, &nofile));
	MUST(dup3(s->status_fd, BOX_STATUS_FD, O_CLOEXEC));
	status_fd = BOX_STATUS_FD;
	MUST(dup3(s->exec_fd, BOX_EXEC_FD, O_CLOEXEC));

	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	MUST(null);
	/* out of the way first: a source may be another's target */
	for (int i = 0; i < BOX_FDS; i++) {
		int from = s->fds[i] >= 0 ? s->fds[i] : i < 3 ? null : -1;

		fds[i] = -1;
		if (from >= 0)
			MUST(fds[i] = fcntl(from, F_DUPFD, 16));
	}
	for (int i = 0; i < BOX_FDS; i++) {
		if (fds[i] >= 0)
			MUST(dup2(fds[i], i));
		else
			close(i);
	}
}

static void close_rest(void)
{
	MUST(syscall(SYS_close_range, BOX_FDS, BOX_EXEC_FD - 1, 0));
	MUST(syscall(SYS_close_range, BOX_STATUS_FD + 1, ~0u, 0));
}

static void limit(int resource, rlim_t value)
{
	struct rlimit old, lim = { value, value };

	MUST(getrlimit(resource, &old));
	if (old.rlim_max < value)
		lim.rlim_cur = lim.rlim_max = old.rlim_max;
	MUST(setrlimit(resource, &lim));
}

static void put_limits(const struct box *box)
{
	const struct box_limits *l = &box->limits;

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, l->cpu_s);
	limit(RLIMIT_FSIZE, l->file_size);
	limit(RLIMIT_DATA, l->memory);
	limit(RLIMIT_STACK, box->profile == BOX_AGENT ? 1 << 20 : 8 << 20);
	limit(RLIMIT_MEMLOCK, 0);
	limit(RLIMIT_MSGQUEUE, 0);
	limit(RLIMIT_SIGPENDING, 64);
	/* counted per user: useless, or harmful, for a user with other
	 * processes outside the box */
	if (box_uses(box, BOX_UID) ||
	    (box_uses(box, BOX_NAMESPACES) && box->probe.user_namespace))
		limit(RLIMIT_NPROC, l->processes);
	limit(RLIMIT_NOFILE, l->files);
}

static void become(const struct box *box)
{
	if (!box_uses(box, BOX_UID))
		return;
	MUST(setgroups(0, NULL));
	MUST(setresgid(box->uid, box->uid, box->uid));
	MUST(setresuid(box->uid, box->uid, box->uid));
}

static void default_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	/* writing past the limit on files is an error, not a death */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static __attribute__((noreturn)) void program(const struct box_start *s)
{
	const struct box *box = s->box;

	setsid();
	put_limits(box);
	become(box);
	follow_parent();
	/* equal addresses in every run: equal hashes, equal orders */
	personality(ADDR_NO_RANDOMIZE);
	MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (box_uses(box, BOX_LANDLOCK))
		must(box_landlock_enter(box->landlock_fd));
	close_rest();
	if (box_uses(box, BOX_SECCOMP))
		MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
			   &box->filter));
	syscall(SYS_execveat, BOX_EXEC_FD, "", s->argv, box->environment,
		AT_EMPTY_PATH);
	fail(errno);
}

/* Process 1 of the namespace. */
static __attribute__((noreturn)) void init(const struct box *box, pid_t main)
{
	int status = 0;
	pid_t pid;

	become(box);
	follow_parent();
	/* not even the status descriptor: its end tells that exec worked */
	syscall(SYS_close_range, 0, ~0u, 0);
	prctl(PR_SET_DUMPABLE, 0);	/* nobody in here may trace it */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	do
		pid = waitpid(-1, &status, 0);
	while (pid != main && (pid > 0 || errno == EINTR));
	_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				  : WEXITSTATUS(status));
}

static void join_groups(const struct box_start *s)
{
	for (int i = 0; i < 2; i++)
		if (s->cgroup_fd[i] >= 0 &&
		    write(s->cgroup_fd[i], "0", 1) != 1)
			fail(errno);
}

void box_child(const struct box_start *s)
{
	const struct box *box = s->box;
	pid_t pid;

	status_fd = s->status_fd;
	place_fds(s);
	follow_parent();
	if (box_clone_flags(box) & CLONE_NEWUSER)
		must(box_map_user(box->uid, s->gid));
	default_signals();
	join_groups(s);
	if (box_uses(box, BOX_NAMESPACES))
		enter_mounts(box);
	if (box->cwd)
		MUST(chdir(box->cwd));
	if (!box_has_init(box))
		program(s);

	pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	MUST(pid);
	if (pid == 0)
		program(s);
	init(box, pid);
}
