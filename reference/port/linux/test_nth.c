/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * nth DEVICE: a program of the guest, for a kernel that injects faults.
 *
 * Every call on the node is made over and over, and the first, the second, the
 * n-th allocation that the kernel makes for it fails, until a call comes to its
 * end without.  So every way out of the module is taken once.  A call that
 * fails must have changed nothing, and be good the next time.
 *
 * Linux has that as /proc/self/fail-nth (debug.config), for allocations that
 * debugfs names: failslab and fail_page_alloc, with ignore-gfp-wait N.  Exit
 * status 0; 1: something was wrong; 77: this kernel does not inject faults.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uapi/tesla.h"

#define PAGE		4096ul
#define SIZE		(16 * PAGE)
#define MOST		500	/* allocations that any call may make */
#define SKIPPED		77

static const char *device;
static int nth, failed;
static struct {
	int fd, event;
	struct tesla_mem_alloc memory;	/* of the ring, too		*/
	struct tesla_chan_create chan;
	struct tesla_space_create space;
} user;

/* From here on the n-th fails; none, for 0. */
static void inject(int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", n);

	if (pwrite(nth, text, len, 0) != len)
		failed = 1;
}

/* Was it reached?  Then what is read is 0. */
static int was_injected(void)
{
	char text[16] = "";

	if (pread(nth, text, sizeof(text) - 1, 0) <= 0)
		failed = 1;
	inject(0);
	return atoi(text) == 0;
}

/* What is tried: 0, or it failed.  What it made goes again. */

static int try_open(void)
{
	int fd = open(device, O_RDWR);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int try_memory(__u32 kind)
{
	struct tesla_mem_alloc memory = { .size = SIZE, .kind = kind };
	struct tesla_handle handle = { 0 };

	if (ioctl(user.fd, TESLA_IOCTL_mem_alloc, &memory))
		return -1;
	handle.handle = memory.handle;
	return ioctl(user.fd, TESLA_IOCTL_mem_free, &handle);
}

static int try_coherent(void)
{
	return try_memory(TESLA_MEM_COHERENT);
}

static int try_combining(void)
{
	return try_memory(TESLA_MEM_WC);
}

static int try_video(void)
{
	return try_memory(TESLA_MEM_VRAM);
}

static int try_space(void)
{
	struct tesla_space_create space = { .base = PAGE, .limit = 1ull << 38 };
	struct tesla_handle handle = { 0 };

	if (ioctl(user.fd, TESLA_IOCTL_space_create, &space))
		return -1;
	handle.handle = space.handle;
	return ioctl(user.fd, TESLA_IOCTL_space_destroy, &handle);
}

/* A page of it goes first: then there are more entries.  What is left goes for
 * certain at the second try, as there is one fault. */
static int try_map(void)
{
	struct tesla_space_map map = {
		.space = user.space.handle, .mem = user.memory.handle,
		.size = SIZE,
	};
	struct tesla_space_unmap unmap = {
		.space = user.space.handle, .size = PAGE,
	};
	int result;

	if (ioctl(user.fd, TESLA_IOCTL_space_map, &map))
		return -1;
	unmap.va = map.va + PAGE;
	result = ioctl(user.fd, TESLA_IOCTL_space_unmap, &unmap);
	unmap.va = map.va;
	unmap.size = SIZE;
	if (!ioctl(user.fd, TESLA_IOCTL_space_unmap, &unmap))
		return result;
	failed |= ioctl(user.fd, TESLA_IOCTL_space_unmap, &unmap);
	errno = ENOMEM;
	return -1;
}

static int try_channel(void)
{
	struct tesla_chan_create chan = {
		.id = TESLA_CHAN_ANY, .gp_va = user.memory.va,
		.gp_entries = 16,
	};
	struct tesla_chan_start start = { 0 };
	struct tesla_handle handle = { 0 };
	int result;

	if (ioctl(user.fd, TESLA_IOCTL_chan_create, &chan))
		return -1;
	start.handle = handle.handle = chan.handle;
	result = ioctl(user.fd, TESLA_IOCTL_chan_start, &start);
	if (ioctl(user.fd, TESLA_IOCTL_chan_destroy, &handle))
		failed = 1;
	return result;
}

static int try_event(void)
{
	struct tesla_event_add event = {
		.chan = user.chan.handle, .mem = user.memory.handle,
		.offset = SIZE - 4, .value = 1, .eventfd = user.event,
	};
	struct tesla_handle handle = { 0 };

	if (ioctl(user.fd, TESLA_IOCTL_event_add, &event))
		return -1;
	handle.handle = event.handle;
	return ioctl(user.fd, TESLA_IOCTL_event_remove, &handle);
}

static int try_view(void)
{
	void *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			user.fd, (off_t)user.memory.map_offset);

	return at == MAP_FAILED ? -1 : munmap(at, SIZE);
}

static const struct {
	const char *name;
	int (*run)(void);
} tries[] = {
	{ "open", try_open }, { "coherent memory", try_coherent },
	{ "write-combining memory", try_combining },
	{ "video memory", try_video }, { "a space", try_space },
	{ "a mapping", try_map }, { "a channel", try_channel },
	{ "an event", try_event }, { "a view", try_view },
};

static void sweep(const char *name, int (*run)(void))
{
	int n = 0, faults = 0, injected = 1;

	while (injected && n < MOST) {
		int result, why;

		inject(++n);
		result = run();
		why = errno;
		injected = was_injected();
		faults += result != 0;
		if (result && (!injected || (why != ENOMEM && why != ENFILE)))
			printf("%s: %d: %s\n", name, n, strerror(why));
		failed |= result && !injected;
		failed |= run() != 0;
	}
	printf("%s: %d of %d faults made it fail\n", name, faults, n - 1);
	failed |= injected;
}

static void set_up(void)
{
	user.fd = open(device, O_RDWR);
	user.event = eventfd(0, 0);
	user.memory.size = SIZE;
	failed |= ioctl(user.fd, TESLA_IOCTL_mem_alloc, &user.memory);
	user.chan.id = TESLA_CHAN_ANY;
	user.chan.gp_va = user.memory.va;
	user.chan.gp_entries = 16;
	failed |= ioctl(user.fd, TESLA_IOCTL_chan_create, &user.chan);
	user.space.base = PAGE;
	user.space.limit = 1ull << 38;
	failed |= ioctl(user.fd, TESLA_IOCTL_space_create, &user.space);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "nth DEVICE\n");
		return 2;
	}
	device = argv[1];
	nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth < 0) {
		printf("nth: this kernel does not inject faults\n");
		return SKIPPED;
	}
	set_up();
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++)
		sweep(tries[i].name, tries[i].run);
	close(user.fd);
	return failed != 0;
}
