/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Running a program in a box to its end: the compile steps.
 *
 * Output is read to the end and kept up to a limit, so that a program that
 * prints without end is slowed by nothing and costs us nothing.  The time
 * limit is the host's and only a backstop: what exceeds it is killed with
 * everything it started.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "autograder/box/inside.h"

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

struct drain {
	int fd;
	char *log;
	size_t size, used;
	bool cut;
};

/* false at the end of the output. */
static bool drain_some(struct drain *d)
{
	char buf[4096];
	ssize_t n = read(d->fd, buf, sizeof(buf));
	size_t room = d->size - 1 - d->used, take;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	take = (size_t)n < room ? (size_t)n : room;
	memcpy(d->log + d->used, buf, take);
	d->used += take;
	d->cut |= take < (size_t)n;
	return n > 0;
}

/* Read until the program has ended; false when time is up. */
static bool wait_reading(pid_t pid, struct drain *d, uint64_t deadline)
{
	struct pollfd p[2] = {
		{ .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN },
		{ .fd = d->fd, .events = POLLIN },
	};
	bool ended = false;

	while (!ended) {
		uint64_t now = now_ns();

		if (now >= deadline)
			break;
		/* without pidfd: look every 10 ms whether it is a zombie */
		poll(p, 2, p[0].fd >= 0 ? (int)((deadline - now) / 1000000)
			+ 1 : 10);
		if (p[1].revents && !drain_some(d))
			p[1].fd = -1;
		if (p[0].fd >= 0) {
			ended = p[0].revents;
		} else {
			siginfo_t info = { 0 };

			waitid(P_PID, pid, &info,
			       WEXITED | WNOHANG | WNOWAIT);
			ended = info.si_pid == pid;
		}
	}
	if (p[0].fd >= 0)
		close(p[0].fd);
	return ended;
}

static void fill_result(struct box *box, int status, bool ended,
			const struct rusage *usage, struct box_result *r)
{
	r->cpu_ns = (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) *
		1000000000ull + (usage->ru_utime.tv_usec +
				 usage->ru_stime.tv_usec) * 1000ull;
	if (!ended) {
		r->end = BOX_TIMED_OUT;
		r->status = 0;
	} else if (WIFSIGNALED(status)) {
		r->end = BOX_SIGNALLED;
		r->status = WTERMSIG(status);
	} else if (box_has_init(box) && WEXITSTATUS(status) > 128) {
		r->end = BOX_SIGNALLED;
		r->status = WEXITSTATUS(status) - 128;
	} else {
		r->end = BOX_EXITED;
		r->status = WEXITSTATUS(status);
	}
}

/* Wait, reading into d; then the end, whichever it was. */
static void finish(struct box *box, pid_t pid, struct drain *d,
		   unsigned int wall_ms, struct box_result *result)
{
	uint64_t start = now_ns();
	struct rusage usage = { 0 };
	int status = 0;
	bool ended = wait_reading(pid, d, start + wall_ms * 1000000ull);

	if (!ended)
		kill(pid, SIGKILL);
	while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
		;
	box_sweep(box, pid);
	*result = (struct box_result){ .wall_ns = now_ns() - start };
	fill_result(box, status, ended, &usage, result);
}

void box_wait(struct box *box, pid_t pid, unsigned int wall_ms,
	      struct box_result *result)
{
	struct drain none = { .fd = -1 };

	finish(box, pid, &none, wall_ms, result);
}

int box_run(struct box *box, const char *const *argv, unsigned int wall_ms,
	    char *log, size_t log_size, struct box_result *result)
{
	struct drain d = { .log = log, .size = log_size };
	int pipe_fds[2];
	pid_t pid;

	if (log_size == 0)
		return -EINVAL;
	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
	d.fd = pipe_fds[0];
	pid = box_spawn(box, argv, (const int[BOX_FDS]){ -1, pipe_fds[1],
			pipe_fds[1], -1 });
	close(pipe_fds[1]);
	if (pid < 0) {
		close(pipe_fds[0]);
		return pid;
	}
	finish(box, pid, &d, wall_ms, result);
	while (d.used < d.size - 1 && poll(&(struct pollfd){ .fd = d.fd,
	       .events = POLLIN }, 1, 0) > 0 && drain_some(&d))
		;
	close(pipe_fds[0]);
	log[d.used] = '\0';
	result->cut = d.cut;
	return 0;
}
