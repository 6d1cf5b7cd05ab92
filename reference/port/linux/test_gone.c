/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * gone DEVICE: a program of the guest, whose card goes while it uses it.
 *
 * It opens the node, maps an object of every kind, starts a channel, waits for
 * an event that does not come, and has a child that inherits all that.  A
 * thread is in a call whose argument never arrives.  Then it prints "ready",
 * and somebody takes the card away: unbinds it, removes the device, pulls it
 * out.  Parent and child must both hear of it, find every call and every view
 * of no use, and end in peace.  Exit status 0: all was so.
 */
#define _GNU_SOURCE		/* mremap() */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uapi/tesla.h"

#define PAGE		4096ul
#define SIZE		(64 * PAGE)
#define VIEWS		4
#define WAIT_MS		60000

static int failed;

#define CHECK(condition) do {						\
	if (!(condition)) {						\
		printf("gone: %d: line %d: %s (errno %d)\n", getpid(),	\
		       __LINE__, #condition, errno);			\
		failed = 1;						\
	} } while (0)

static struct user {
	const char *device;
	int fd, event;
	char *view[VIEWS];	/* three kinds of memory, USERD		*/
	size_t size[VIEWS];
	__u32 chan, mem;
	__u64 offset;		/* of a view				*/
} user;

static char *map(size_t size, __u64 offset)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			user.fd, (off_t)offset);

	return at == MAP_FAILED ? NULL : at;
}

static void memory_up(void)
{
	for (__u32 kind = 0; kind <= TESLA_MEM_VRAM; kind++) {
		struct tesla_mem_alloc arg = { .size = SIZE, .kind = kind };

		CHECK(!ioctl(user.fd, TESLA_IOCTL_mem_alloc, &arg));
		user.view[kind] = map(SIZE, arg.map_offset);
		user.size[kind] = SIZE;
		CHECK(user.view[kind]);
		user.mem = arg.handle;
		user.offset = arg.map_offset;
	}
}

/* Its ring is the last memory. */
static void channel_up(void)
{
	struct tesla_mem_alloc ring = { .size = PAGE };
	struct tesla_chan_create chan = {
		.id = TESLA_CHAN_ANY, .gp_entries = 16,
	};
	struct tesla_chan_start start = { 0 };

	CHECK(!ioctl(user.fd, TESLA_IOCTL_mem_alloc, &ring));
	chan.gp_va = ring.va;
	CHECK(!ioctl(user.fd, TESLA_IOCTL_chan_create, &chan));
	start.handle = user.chan = chan.handle;
	CHECK(!ioctl(user.fd, TESLA_IOCTL_chan_start, &start));
	user.view[VIEWS - 1] = map(PAGE, chan.userd_map);
	user.size[VIEWS - 1] = PAGE;
	CHECK(user.view[VIEWS - 1]);
}

static void event_up(void)
{
	struct tesla_event_add arg = {
		.chan = user.chan, .mem = user.mem, .value = 1,
	};

	user.event = eventfd(0, EFD_NONBLOCK);
	arg.eventfd = user.event;
	CHECK(!ioctl(user.fd, TESLA_IOCTL_event_add, &arg));
}

/* Memory that nobody will ever fill: who touches it waits. */
static void *nowhere(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	area.range.start = (unsigned long)at;
	area.range.len = PAGE;
	CHECK(fd >= 0 && at != MAP_FAILED && !ioctl(fd, UFFDIO_API, &api) &&
	      !ioctl(fd, UFFDIO_REGISTER, &area));
	return at;
}

static void *call_with(void *arg)
{
	ioctl(user.fd, TESLA_IOCTL_mem_alloc, arg);
	printf("gone: an argument that was nowhere was found\n");
	failed = 1;
	return NULL;
}

static void waiter_up(void)
{
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, call_with, nowhere()));
	usleep(100000);			/* it is inside */
}

/* Every second page is there when the card goes, the others never were. */
static void touch(void)
{
	for (int i = 0; i < VIEWS - 1; i++) {
		for (size_t at = 0; at < user.size[i]; at += 2 * PAGE)
			*(volatile int *)(user.view[i] + at) = 0;
	}
	CHECK(*(volatile int *)user.view[VIEWS - 1] == 0);
}

/* Afterwards -------------------------------------------------------------- */

static sigjmp_buf lost;

static void on_bus_error(int signal)
{
	(void)signal;
	siglongjmp(lost, 1);
}

static int is_lost(const char *at, int write)
{
	if (sigsetjmp(lost, 1))
		return 1;
	if (write)
		*(volatile char *)at = 1;
	else
		(void)*(const volatile char *)at;
	return 0;
}

static void calls_are_refused(void)
{
	struct tesla_get_info info;
	struct tesla_mem_alloc memory = { .size = PAGE };
	struct tesla_handle handle = { .handle = user.chan };

	CHECK(ioctl(user.fd, TESLA_IOCTL_get_info, &info) && errno == ENODEV);
	CHECK(ioctl(user.fd, TESLA_IOCTL_mem_alloc, &memory) &&
	      errno == ENODEV);
	CHECK(ioctl(user.fd, TESLA_IOCTL_chan_stop, &handle) &&
	      errno == ENODEV);
	CHECK(ioctl(user.fd, TESLA_IOCTL_mem_alloc, NULL) && errno == ENODEV);
	CHECK(!map(PAGE, user.offset) && errno == ENODEV);
}

static void views_are_lost(void)
{
	struct sigaction action = { .sa_handler = on_bus_error };

	sigaction(SIGBUS, &action, NULL);
	for (int i = 0; i < VIEWS; i++) {
		for (size_t at = 0; at < user.size[i]; at += PAGE) {
			CHECK(is_lost(user.view[i] + at, 0));
			CHECK(is_lost(user.view[i] + at, 1));
		}
	}
}

/* Areas are still areas. */
static void views_can_be_cut(void)
{
	char *moved;

	CHECK(!munmap(user.view[0] + PAGE, PAGE));
	moved = mremap(user.view[1], SIZE, SIZE, MREMAP_MAYMOVE |
		       MREMAP_DONTUNMAP);
	if (moved != MAP_FAILED)
		CHECK(is_lost(moved, 0));
	CHECK(!munmap(user.view[2], SIZE));
}

static void wait_for_the_end(void)
{
	struct pollfd card = { .fd = user.fd, .events = POLLIN };
	struct pollfd event = { .fd = user.event, .events = POLLIN };

	CHECK(poll(&card, 1, WAIT_MS) == 1);
	if (failed)			/* it is still there */
		return;
	CHECK(card.revents & POLLHUP && card.revents & POLLERR);
	CHECK(poll(&event, 1, 0) == 1 && event.revents & POLLIN);
	calls_are_refused();
	views_are_lost();
	views_can_be_cut();
}

static int has_ended(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		!WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	pid_t child;

	if (argc != 2) {
		fprintf(stderr, "gone DEVICE\n");
		return 2;
	}
	user.device = argv[1];
	user.fd = open(user.device, O_RDWR);
	CHECK(user.fd >= 0);
	memory_up();
	channel_up();
	event_up();
	if (failed)
		return 1;
	touch();
	child = fork();
	CHECK(child >= 0);
	if (child)
		waiter_up();
	if (child) {
		printf("ready\n");
		fflush(stdout);
	}
	wait_for_the_end();
	if (child)
		CHECK(has_ended(child));
	CHECK(!close(user.fd));
	if (!failed && child)
		printf("gone: all of it, and in peace\n");
	return failed;
}
