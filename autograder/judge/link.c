/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The judge's end of the link.
 *
 * The memfd is sealed: unsealed, the agent could shrink it and the judge
 * would die of SIGBUS at its next look.  Judge and agent share one core,
 * since exactly one of them runs at a time: the hand-over then costs a
 * context switch and no cross-core wake-up, and stays steady under load.
 *
 * An agent may die, loop or hang.  The wait is cut into slices; after each
 * that ran out the judge looks at the process.  An agent that used up its
 * allowance of processor time since it got the turn is in an endless loop,
 * whatever the load of the machine.  One that did not, and yet let the wall
 * clock run out, says nothing about the driver: that is the grader's error.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "autograder/judge/link.h"

#define MS			1000000ull
#define DEFAULT_WALL		(60000 * MS)
#define DEFAULT_CPU		(3000 * MS)
#define FIRST_SLICE		(1 * MS)
#define LONG_SLICE		(20 * MS)

static uint64_t host_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static int sealed_memory(void)
{
	int fd = memfd_create("doorbell", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, WIRE_SIZE) < 0 ||
	    fcntl(fd, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/* Both on one core: children inherit it. */
static void pin(struct link *link)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	if (cpu < 0 || sched_getaffinity(0, sizeof(link->affinity),
					 &link->affinity) < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	link->pinned = sched_setaffinity(0, sizeof(one), &one) == 0;
}

static void unpin(struct link *link)
{
	if (link->pinned)
		sched_setaffinity(0, sizeof(link->affinity), &link->affinity);
	link->pinned = false;
}

int link_open(struct link *link, const struct judge_options *options)
{
	void *map;
	int err;

	*link = (struct link){
		.fd = -1,
		.started = host_now(),
		.wall_limit = options->wall_limit ?: DEFAULT_WALL,
		.cpu_limit = options->cpu_limit ?: DEFAULT_CPU,
	};
	link->fd = sealed_memory();
	if (link->fd < 0)
		return link->fd;
	map = mmap(NULL, WIRE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		   link->fd, 0);
	if (map == MAP_FAILED) {
		err = -errno;
		goto close_fd;
	}
	link->wire = map;
	link->arena = (uint8_t *)map + WIRE_ARENA_OFFSET;
	link->wire->magic = WIRE_MAGIC;
	link->wire->version = WIRE_VERSION;
	atomic_store(&link->wire->turn, WIRE_AGENT);
	pin(link);
	link->pid = options->spawn(options->context, link->fd);
	if (link->pid > 0)
		return 0;
	err = link->pid ?: -EINVAL;
	link->pid = 0;
	unpin(link);
	munmap(map, WIRE_SIZE);
	link->wire = NULL;
close_fd:
	close(link->fd);
	link->fd = -1;
	return err;
}

static bool reap(struct link *link, int flags)
{
	pid_t pid;

	if (!link->pid)
		return true;
	do
		pid = waitpid(link->pid, &link->status, flags);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	link->pid = 0;
	return true;
}

/* Killing is asynchronous; a process we may not kill must not hang us. */
static void kill_agent(struct link *link)
{
	const struct timespec pause = { .tv_nsec = MS };
	pid_t pid = link->pid;
	int i;

	if (!pid)
		return;
	/* Its children too, where it leads a group of its own. */
	if (getpgid(pid) == pid)
		kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	for (i = 0; i < 2000 && !reap(link, WNOHANG); i++)
		nanosleep(&pause, NULL);
	link->pid = 0;
}

void link_close(struct link *link)
{
	kill_agent(link);
	unpin(link);
	if (link->wire)
		munmap(link->wire, WIRE_SIZE);
	if (link->fd >= 0)
		close(link->fd);
	link->wire = NULL;
	link->fd = -1;
}

void link_give(struct link *link)
{
	struct wire *wire = link->wire;

	atomic_store(&wire->turn, WIRE_AGENT);
	if (atomic_load(&wire->asleep[WIRE_AGENT]))
		syscall(SYS_futex, &wire->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* User and system time of one process, in ns; its threads are included. */
static uint64_t cpu_of(pid_t pid)
{
	char path[64], line[512], *p;
	unsigned long user = 0, system = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	p = fgets(line, sizeof(line), file);
	fclose(file);
	/* The name in brackets may hold anything, brackets included. */
	p = p ? strrchr(line, ')') : NULL;
	if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u"
			 " %lu %lu", &user, &system) != 2)
		return 0;
	return (user + system) * (1000000000ull / sysconf(_SC_CLK_TCK));
}

/* … and of its children: the box puts a small init above the agent. */
static uint64_t cpu_of_tree(pid_t pid, int depth)
{
	char path[64];
	uint64_t sum = cpu_of(pid);
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
		 (int)pid);
	file = depth ? fopen(path, "re") : NULL;
	if (!file)
		return sum;
	while (fscanf(file, "%d", &child) == 1)
		sum += cpu_of_tree(child, depth - 1);
	fclose(file);
	return sum;
}

/* True: the turn is here. */
static bool wait_slice(struct link *link, uint64_t ns)
{
	struct timespec ts = { .tv_nsec = ns };
	struct wire *wire = link->wire;

	if (atomic_load(&wire->turn) == WIRE_JUDGE)
		return true;
	atomic_store(&wire->asleep[WIRE_JUDGE], 1);
	syscall(SYS_futex, &wire->turn, FUTEX_WAIT, WIRE_AGENT, &ts, NULL, 0);
	atomic_store(&wire->asleep[WIRE_JUDGE], 0);
	return atomic_load(&wire->turn) == WIRE_JUDGE;
}

enum link_state link_wait(struct link *link)
{
	uint64_t since = host_now(), now, cpu = 0;
	bool long_wait = false;

	for (;;) {
		if (wait_slice(link, long_wait ? LONG_SLICE : FIRST_SLICE))
			return LINK_TURN;
		if (reap(link, WNOHANG))
			return LINK_DEAD;
		now = host_now();
		if (now - since < LONG_SLICE)
			continue;
		if (!long_wait)
			cpu = cpu_of_tree(link->pid, 3);
		long_wait = true;
		if (cpu_of_tree(link->pid, 3) - cpu > link->cpu_limit)
			return LINK_LOOPING;
		if (now - link->started > link->wall_limit)
			return LINK_STUCK;
	}
}

pid_t judge_spawn_exec(void *context, int fd)
{
	const struct judge_exec *exec = context;
	pid_t pid = fork();

	if (pid)
		return pid < 0 ? -errno : pid;
	setpgid(0, 0);
	if (fd == WIRE_FD ? fcntl(fd, F_SETFD, 0) < 0 : dup2(fd, WIRE_FD) < 0)
		_exit(126);
	syscall(SYS_close_range, WIRE_FD + 1, ~0u, 0);
	execl(exec->path, exec->path, (char *)NULL);
	_exit(127);
}
