/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * eventfd(): a 64-bit count that a write adds to and a read takes.
 *
 * A read of 0 waits, or fails with EAGAIN; with EFD_SEMAPHORE it takes one,
 * else all.  A write that would pass 2^64 - 2 waits for a read.  Each write
 * is an event to an edge-triggered epoll, even if the count was not 0 before.
 */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "files.h"
#include "hooks.h"
#include "posix.h"

#define FLAGS	(EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC)

int rt_eventfd(unsigned int count, int flags)
{
	struct rt_file *file;
	int fd;

	rt_enter();
	if (flags & ~FLAGS) {
		errno = EINVAL;
		return -1;
	}
	fd = rt_file_new(RT_FILE_EVENTFD, flags & EFD_NONBLOCK, &file);
	if (fd < 0)
		return -1;
	file->count = count;
	file->semaphore = flags & EFD_SEMAPHORE;
	return fd;
}

uint32_t rt_eventfd_ready(const struct rt_file *file)
{
	uint32_t events = 0;

	if (file->count > 0)
		events |= EPOLLIN;
	if (file->count == UINT64_MAX)
		events |= EPOLLERR;
	if (file->count < UINT64_MAX - 1)
		events |= EPOLLOUT;
	return events;
}

/* Until the condition may hold; false, with errno, where it is not waited. */
static bool wait(struct rt_file *file, const char *what)
{
	if (file->nonblock) {
		errno = EAGAIN;
		return false;
	}
	rt_block(what, file, RT_FOREVER);
	return true;
}

ssize_t rt_eventfd_take(struct rt_file *file, void *value, size_t size)
{
	uint64_t taken;

	if (size < sizeof(taken)) {
		errno = EINVAL;
		return -1;
	}
	rt_range_write(value, sizeof(taken));
	while (!file->count) {
		if (!wait(file, "a write to"))
			return -1;
	}
	taken = file->semaphore ? 1 : file->count;
	file->count -= taken;
	memcpy(value, &taken, sizeof(taken));
	rt_flush();
	rt_file_changed(file, EPOLLOUT);
	rt_point();
	return sizeof(taken);
}

ssize_t rt_eventfd_add(struct rt_file *file, const void *value, size_t size)
{
	uint64_t more;

	if (size < sizeof(more)) {
		errno = EINVAL;
		return -1;
	}
	rt_range_read(value, sizeof(more));
	memcpy(&more, value, sizeof(more));
	if (more == UINT64_MAX) {
		errno = EINVAL;
		return -1;
	}
	while (UINT64_MAX - 1 - file->count < more) {
		if (!wait(file, "a read of"))
			return -1;
	}
	file->count += more;
	rt_file_changed(file, EPOLLIN);
	rt_point();
	return sizeof(more);
}

/* The C library's own two, which are no more than this. */
int rt_eventfd_read(int fd, eventfd_t *value)
{
	struct rt_file *file;
	ssize_t done;

	rt_enter();
	file = rt_file_hold(fd);
	if (!file)
		return -1;
	if (file->kind != RT_FILE_EVENTFD) {
		rt_file_drop(file);
		errno = EINVAL;
		return -1;
	}
	done = rt_eventfd_take(file, value, sizeof(*value));
	rt_file_drop(file);
	return done < 0 ? -1 : 0;
}

int rt_eventfd_write(int fd, eventfd_t value)
{
	struct rt_file *file;
	ssize_t done;

	rt_enter();
	file = rt_file_hold(fd);
	if (!file)
		return -1;
	if (file->kind != RT_FILE_EVENTFD) {
		rt_file_drop(file);
		errno = EINVAL;
		return -1;
	}
	done = rt_eventfd_add(file, &value, sizeof(value));
	rt_file_drop(file);
	return done < 0 ? -1 : 0;
}
