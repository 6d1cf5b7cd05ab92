/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * bounds DEVICE: a program of the guest that asks for too much.
 *
 * System memory that a process has from the card counts as its own: in a memory
 * cgroup it gets so much and no more, and hears of it, be it the memory itself
 * or what the kernel must remember of it.  And one who opens and closes the
 * node all day does not disturb who is at work.  Exit status 0: it is so; 77:
 * this kernel has no memory cgroups.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uapi/tesla.h"

#define PAGE	4096ul
#define MIB	(1ul << 20)
#define LIMIT	"16777216"
#define MOST	64		/* MiB that nobody gets with that limit	*/
#define SPACES	20000		/* nor so many spaces			*/
#define SKIPPED	77

static const char *device;
static int failed;

#define CHECK(condition) do {						\
	if (!(condition)) {						\
		printf("bounds: line %d: %s (errno %d)\n", __LINE__,	\
		       #condition, errno);				\
		failed = 1;						\
	} } while (0)

/* In a cgroup ------------------------------------------------------------- */

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

static int group_up(void)
{
	mkdir("/tmp/cgroup", 0700);
	if (mount("none", "/tmp/cgroup", "cgroup2", 0, NULL) ||
	    put("/tmp/cgroup/cgroup.subtree_control", "+memory") ||
	    mkdir("/tmp/cgroup/bounds", 0700))
		return -1;
	return put("/tmp/cgroup/bounds/memory.max", LIMIT);
}

static void group_down(void)
{
	rmdir("/tmp/cgroup/bounds");
	put("/tmp/cgroup/cgroup.subtree_control", "-memory");
	umount("/tmp/cgroup");
	rmdir("/tmp/cgroup");
}

/* Until it is refused; 0: it never is. */
static int take_memory(int fd, __u32 kind)
{
	for (int i = 0; i < MOST; i++) {
		struct tesla_mem_alloc arg = { .size = MIB, .kind = kind };

		if (ioctl(fd, TESLA_IOCTL_mem_alloc, &arg))
			return errno;
	}
	return 0;
}

static int take_coherent(int fd)
{
	return take_memory(fd, TESLA_MEM_COHERENT);
}

static int take_combining(int fd)
{
	return take_memory(fd, TESLA_MEM_WC);
}

static int take_spaces(int fd)
{
	for (int i = 0; i < SPACES; i++) {
		struct tesla_space_create arg = {
			.base = PAGE, .limit = 1ul << 38,
		};

		if (ioctl(fd, TESLA_IOCTL_space_create, &arg))
			return errno;
	}
	return 0;
}

/* Somebody who is bounded is told so, or killed for it. */
static void take(const char *what, int (*run)(int fd))
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		int fd = -1;

		if (!put("/tmp/cgroup/bounds/cgroup.procs", "0"))
			fd = open(device, O_RDWR | O_CLOEXEC);
		_exit(fd < 0 ? 1 : run(fd));
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	printf("bounds: %s: %s\n", what, WIFSIGNALED(status) ?
	       strsignal(WTERMSIG(status)) : strerror(WEXITSTATUS(status)));
	CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ||
	      (WIFEXITED(status) && WEXITSTATUS(status) == ENOMEM));
}

/* Others ------------------------------------------------------------------ */

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

static void touch(volatile char *at)
{
	for (unsigned long i = 0; i < MIB; i += PAGE)
		at[i] = 1;
}

/* A view that was touched is there, and stays there. */
static void closing_disturbs_nobody(void)
{
	struct tesla_mem_alloc arg = { .size = MIB };
	int fd = open(device, O_RDWR | O_CLOEXEC);
	long before, after;
	char *at;

	CHECK(fd >= 0 && !ioctl(fd, TESLA_IOCTL_mem_alloc, &arg));
	at = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		  (off_t)arg.map_offset);
	CHECK(at != MAP_FAILED);
	if (failed)
		return;
	touch(at);
	before = faults();
	for (int i = 0; i < 20; i++) {
		int other = open(device, O_RDWR | O_CLOEXEC);

		CHECK(other >= 0 && !close(other));
		touch(at);
	}
	after = faults();
	printf("bounds: others closed 20 times: %ld faults\n",
	       after - before);
	CHECK(after - before < 20);
	munmap(at, MIB);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "bounds DEVICE\n");
		return 2;
	}
	device = argv[1];
	closing_disturbs_nobody();
	if (group_up()) {
		printf("bounds: no memory cgroup: %s\n", strerror(errno));
		group_down();
		return failed ? 1 : SKIPPED;
	}
	take("coherent memory", take_coherent);
	take("write-combining memory", take_combining);
	take("spaces", take_spaces);
	group_down();
	return failed;
}
