/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * storm DEVICE SECONDS: a program of the guest, for whoever takes the card away
 * and brings it back all the time.
 *
 * Processes open the node, make memory and channels, map and touch them, give
 * them to children, cut the areas, and close, or are killed in the middle.
 * Everything may fail at any time, since the card may go at any time; but only
 * in the ways that there are: no such node, no such device, SIGBUS.  Printed
 * is how often each part was reached; exit status 0: nothing else was seen.
 */
#define _GNU_SOURCE		/* mremap() */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uapi/tesla.h"

#define PAGE		4096ul
#define SIZE		(16 * PAGE)
#define PROCESSES	4

/* Counted by all processes. */
enum { OPENED, REFUSED, MAPPED, TOUCHED, LOST, STARTED, KILLED, WRONG, COUNTS };
static const char *const names[COUNTS] = {
	"opened", "refused", "mapped", "touched", "lost", "started", "killed",
	"wrong",
};
static unsigned long *counts;

static void count(int what)
{
	__atomic_add_fetch(&counts[what], 1, __ATOMIC_RELAXED);
}

static sigjmp_buf lost;

static void on_bus_error(int signal)
{
	(void)signal;
	siglongjmp(lost, 1);
}

/* A call or mmap() failed: it must be since the card has gone. */
static void refused(const char *what)
{
	if (errno == ENODEV || errno == EIO || errno == ENOMEM) {
		count(REFUSED);
		return;
	}
	printf("storm: %s: %s\n", what, strerror(errno));
	count(WRONG);
}

static void touch(char *at, size_t size)
{
	if (sigsetjmp(lost, 1)) {
		count(LOST);
		return;
	}
	for (size_t i = 0; i < size; i += PAGE) {
		(*(volatile char *)(at + i))++;
		count(TOUCHED);
	}
}

/* Whole, moved, in pieces; and by a child, which has it a little longer. */
static void use(char *at, size_t size)
{
	char *moved;
	pid_t child;

	touch(at, size);
	child = rand() % 4 ? -1 : fork();
	if (!child) {
		touch(at, size);
		_exit(0);
	}
	moved = mremap(at, size, size, MREMAP_MAYMOVE);
	if (moved != MAP_FAILED)
		at = moved;
	if (size > PAGE)
		munmap(at + PAGE, PAGE);
	touch(at, PAGE);
	munmap(at, size);
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void map_and_use(int fd, __u64 offset, size_t size)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			(off_t)offset);

	if (at == MAP_FAILED) {
		refused("mmap");
		return;
	}
	count(MAPPED);
	use(at, size);
}

static void channel(int fd, __u64 gp_va)
{
	struct tesla_chan_create chan = {
		.id = TESLA_CHAN_ANY, .gp_va = gp_va, .gp_entries = 16,
	};
	struct tesla_chan_start start = { 0 };

	if (ioctl(fd, TESLA_IOCTL_chan_create, &chan)) {
		refused("chan_create");
		return;
	}
	start.handle = chan.handle;
	if (ioctl(fd, TESLA_IOCTL_chan_start, &start)) {
		refused("chan_start");
		return;
	}
	count(STARTED);
	map_and_use(fd, chan.userd_map, PAGE);
}

static void work(int fd)
{
	struct tesla_mem_alloc memory = { .size = SIZE, .kind = rand() % 3 };

	if (ioctl(fd, TESLA_IOCTL_mem_alloc, &memory)) {
		refused("mem_alloc");
		return;
	}
	map_and_use(fd, memory.map_offset, SIZE);
	channel(fd, memory.va);
}

static void process(const char *device, time_t end)
{
	struct sigaction action = { .sa_handler = on_bus_error };

	sigaction(SIGBUS, &action, NULL);
	srand(getpid());
	while (time(NULL) < end) {
		int fd = open(device, O_RDWR);

		if (fd < 0) {
			if (errno != ENOENT && errno != ENXIO)
				refused("open");
			usleep(10000);
			continue;
		}
		count(OPENED);
		for (int i = rand() % 4; i >= 0; i--)
			work(fd);
		close(fd);
	}
	_exit(0);
}

static pid_t start(const char *device, time_t end)
{
	pid_t pid = fork();

	if (!pid)
		process(device, end);
	return pid;
}

int main(int argc, char **argv)
{
	pid_t pid[PROCESSES];
	time_t end;

	if (argc != 3) {
		fprintf(stderr, "storm DEVICE SECONDS\n");
		return 2;
	}
	end = time(NULL) + atoi(argv[2]);
	counts = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 2;
	for (int i = 0; i < PROCESSES; i++)
		pid[i] = start(argv[1], end);
	for (int i = 0; time(NULL) < end; i = (i + 1) % PROCESSES) {
		usleep(500000);
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		count(KILLED);
		pid[i] = start(argv[1], end);
	}
	for (int i = 0; i < PROCESSES; i++)
		waitpid(pid[i], NULL, 0);
	for (int i = 0; i < COUNTS; i++)
		printf("%s %lu\n", names[i], counts[i]);
	return counts[WRONG] != 0;
}
