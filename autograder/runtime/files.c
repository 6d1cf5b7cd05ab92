/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The driver's descriptors: what they name, and read(), write(), close().
 *
 * None of them is one of the process's own.  A driver under test sees
 * eventfds and epoll instances that live here, so that who wakes, and when,
 * is the schedule's and virtual time's decision, and no system call is made.
 * They behave as Linux's do, and a call never fails with EINTR: no signal is
 * ever sent to a driver.
 *
 * A call that waits holds its file.  Closing the descriptor meanwhile wakes
 * nobody, as in Linux: the file goes when the call ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "files.h"
#include "hooks.h"
#include "posix.h"

static struct rt_file *descriptor[RT_FDS];
static struct rt_file pool[RT_FDS];
static const char poll_waits;	/* what poll() waits at			*/

static struct rt_file *file_unused(void)
{
	for (int i = 0; i < RT_FDS; i++) {
		if (!pool[i].users)
			return &pool[i];
	}
	return NULL;
}

/* The lowest free descriptor from this one on, or -1. */
static int descriptor_from(int fd)
{
	for (; fd < RT_FDS; fd++) {
		if (!descriptor[fd])
			return fd;
	}
	return -1;
}

int rt_file_new(enum rt_file_kind kind, bool nonblock, struct rt_file **file)
{
	int fd = descriptor_from(RT_FIRST_FD);
	struct rt_file *new = file_unused();

	if (fd < 0 || !new) {
		errno = EMFILE;
		return -1;
	}
	if (rt_alloc_fails()) {
		errno = ENOMEM;
		return -1;
	}
	*new = (struct rt_file){
		.kind = kind, .users = 1, .fd = fd, .nonblock = nonblock,
	};
	TAILQ_INIT(&new->watched);
	TAILQ_INIT(&new->watches);
	TAILQ_INIT(&new->ready);
	descriptor[fd] = new;
	*file = new;
	return fd;
}

struct rt_file *rt_file_at(int fd)
{
	struct rt_file *file = NULL;

	if (fd >= 0 && fd < RT_FDS)
		file = descriptor[fd];
	if (!file)
		errno = EBADF;
	return file;
}

struct rt_file *rt_file_hold(int fd)
{
	struct rt_file *file = rt_file_at(fd);

	if (file)
		file->users++;
	return file;
}

void rt_file_drop(struct rt_file *file)
{
	if (--file->users)
		return;
	rt_epoll_forget(file);
	file->kind = RT_FILE_NONE;
}

uint32_t rt_file_ready(const struct rt_file *file)
{
	return file->kind == RT_FILE_EPOLL ? rt_epoll_ready(file) :
		rt_eventfd_ready(file);
}

void rt_file_changed(struct rt_file *file, uint32_t events)
{
	rt_wake_all(file);
	rt_wake_all(&poll_waits);
	rt_epoll_changed(file, events);
}

int rt_files_wait(uint64_t deadline)
{
	return rt_block("an event in poll()", &poll_waits, deadline);
}

size_t rt_files_open(void)
{
	size_t count = 0;

	for (int fd = RT_FIRST_FD; fd < RT_FDS; fd++)
		count += descriptor[fd] != NULL;
	return count;
}

const char *rt_file_name(const void *object, char *buf, size_t len)
{
	const struct rt_file *file = object;

	if (object == &poll_waits)
		return "";
	if (file < pool || file >= pool + RT_FDS)
		return NULL;
	snprintf(buf, len, "%s %d",
		 file->kind == RT_FILE_EPOLL ? "epoll" : "eventfd", file->fd);
	return buf;
}

ssize_t rt_read(int fd, void *buffer, size_t size)
{
	struct rt_file *file;
	ssize_t done = -1;

	rt_enter();
	if (fd == STDIN_FILENO)
		return 0;
	file = rt_file_hold(fd);
	if (!file)
		return -1;
	if (file->kind == RT_FILE_EVENTFD)
		done = rt_eventfd_take(file, buffer, size);
	else
		errno = EINVAL;
	rt_file_drop(file);
	return done;
}

ssize_t rt_write(int fd, const void *buffer, size_t size)
{
	struct rt_file *file;
	ssize_t done = -1;

	rt_enter();
	if (fd == STDOUT_FILENO || fd == STDERR_FILENO) {
		rt_range_read(buffer, size);
		rt_output(buffer, size);
		return size;
	}
	file = rt_file_hold(fd);
	if (!file)
		return -1;
	if (file->kind == RT_FILE_EVENTFD)
		done = rt_eventfd_add(file, buffer, size);
	else
		errno = EINVAL;
	rt_file_drop(file);
	return done;
}

int rt_close(int fd)
{
	struct rt_file *file;

	rt_enter();
	file = rt_file_at(fd);
	if (!file)
		return -1;
	descriptor[fd] = NULL;
	rt_file_drop(file);
	rt_point();
	return 0;
}

static int duplicate(int fd, int from)
{
	struct rt_file *file = rt_file_at(fd);
	int new;

	if (!file)
		return -1;
	if (from < 0 || from >= RT_FDS) {
		errno = EINVAL;
		return -1;
	}
	new = descriptor_from(from);
	if (new < 0 || rt_alloc_fails()) {
		errno = EMFILE;
		return -1;
	}
	file->users++;
	descriptor[new] = file;
	return new;
}

int rt_dup(int fd)
{
	rt_enter();
	return duplicate(fd, RT_FIRST_FD);
}

int rt_fcntl(int fd, int command, ...)
{
	struct rt_file *file;
	va_list args;
	int arg;

	rt_enter();
	va_start(args, command);
	arg = va_arg(args, int);
	va_end(args);
	file = rt_file_at(fd);
	if (!file)
		return -1;

	switch (command) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return duplicate(fd, arg < RT_FIRST_FD && arg >= 0 ?
				 RT_FIRST_FD : arg);
	case F_GETFD:
	case F_SETFD:
		return 0;
	case F_GETFL:
		return O_RDWR | (file->nonblock ? O_NONBLOCK : 0);
	case F_SETFL:
		file->nonblock = arg & O_NONBLOCK;
		return 0;
	default:
		errno = EINVAL;
		return -1;
	}
}

/* As Linux has it for eventfds and their like: a file of no type, a user's. */
int rt_fstat(int fd, struct stat *st)
{
	rt_enter();
	if (!rt_file_at(fd))
		return -1;
	*st = (struct stat){ .st_mode = S_IRUSR | S_IWUSR, .st_nlink = 1 };
	return 0;
}
