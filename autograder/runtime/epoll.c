/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * epoll on the driver's descriptors, with Linux's list of ready ones.
 *
 * A change of a file puts it into the list of each instance that looks at it
 * for that; so does adding it while it is ready.  epoll_wait() goes through
 * the list, tells what is still true, and keeps in it what is triggered by
 * level.  An edge-triggered one comes back with the next change.  With
 * EPOLLONESHOT a file is silent once told, until it is modified.
 *
 * An epoll instance can be polled, but not be added to another.
 */
#include <errno.h>
#include <time.h>

#include "files.h"
#include "hooks.h"
#include "posix.h"

#define WATCHES	4096
/* How it is told, not what. */
#define HOW	(EPOLLET | EPOLLONESHOT | EPOLLWAKEUP | EPOLLEXCLUSIVE)

static struct rt_watch pool[WATCHES];

static struct rt_watch *watch_unused(void)
{
	for (int i = 0; i < WATCHES; i++) {
		if (!pool[i].used)
			return &pool[i];
	}
	return NULL;
}

static void make_ready(struct rt_watch *watch)
{
	if (!watch->ready)
		TAILQ_INSERT_TAIL(&watch->epoll->ready, watch, in_ready);
	watch->ready = true;
	rt_file_changed(watch->epoll, EPOLLIN);
}

static void make_unready(struct rt_watch *watch)
{
	if (watch->ready)
		TAILQ_REMOVE(&watch->epoll->ready, watch, in_ready);
	watch->ready = false;
}

static uint32_t found_at(const struct rt_watch *watch)
{
	return rt_file_ready(watch->file) & watch->events & ~HOW;
}

static void watch_remove(struct rt_watch *watch)
{
	make_unready(watch);
	TAILQ_REMOVE(&watch->epoll->watches, watch, of_epoll);
	TAILQ_REMOVE(&watch->file->watched, watch, of_file);
	watch->used = false;
}

void rt_epoll_forget(struct rt_file *file)
{
	while (!TAILQ_EMPTY(&file->watched))
		watch_remove(TAILQ_FIRST(&file->watched));
	while (!TAILQ_EMPTY(&file->watches))
		watch_remove(TAILQ_FIRST(&file->watches));
}

void rt_epoll_changed(struct rt_file *file, uint32_t events)
{
	struct rt_watch *watch;

	TAILQ_FOREACH(watch, &file->watched, of_file) {
		if (watch->events & ~HOW & events)
			make_ready(watch);
	}
}

uint32_t rt_epoll_ready(const struct rt_file *epoll)
{
	const struct rt_watch *watch;

	TAILQ_FOREACH(watch, &epoll->ready, in_ready) {
		if (found_at(watch))
			return EPOLLIN;
	}
	return 0;
}

int rt_epoll_create1(int flags)
{
	struct rt_file *file;

	rt_enter();
	if (flags & ~EPOLL_CLOEXEC) {
		errno = EINVAL;
		return -1;
	}
	return rt_file_new(RT_FILE_EPOLL, false, &file);
}

int rt_epoll_create(int size)
{
	rt_here();
	if (size <= 0) {
		errno = EINVAL;
		return -1;
	}
	return rt_epoll_create1(0);
}

static struct rt_watch *watch_find(const struct rt_file *epoll,
				   const struct rt_file *file, int fd)
{
	struct rt_watch *watch;

	TAILQ_FOREACH(watch, &epoll->watches, of_epoll) {
		if (watch->file == file && watch->fd == fd)
			return watch;
	}
	return NULL;
}

static int watch_add(struct rt_file *epoll, struct rt_file *file, int fd)
{
	struct rt_watch *watch = watch_unused();

	if (!watch || rt_alloc_fails())
		return ENOMEM;
	*watch = (struct rt_watch){
		.epoll = epoll, .file = file, .fd = fd, .used = true,
	};
	TAILQ_INSERT_TAIL(&epoll->watches, watch, of_epoll);
	TAILQ_INSERT_TAIL(&file->watched, watch, of_file);
	return 0;
}

static void watch_set(struct rt_watch *watch, const struct epoll_event *event)
{
	watch->events = event->events | EPOLLERR | EPOLLHUP;
	watch->data = event->data;
	if (found_at(watch))
		make_ready(watch);
}

/* 0 or an error's number. */
static int control(struct rt_file *epoll, int operation, int fd,
		   const struct epoll_event *event)
{
	struct rt_file *file = rt_file_at(fd);
	struct rt_watch *watch;
	int err = 0;

	if (!file)
		return EBADF;
	if (file == epoll || file->kind == RT_FILE_EPOLL)
		return file == epoll ? EINVAL : ELOOP;
	watch = watch_find(epoll, file, fd);
	switch (operation) {
	case EPOLL_CTL_ADD:
		if (watch)
			return EEXIST;
		err = watch_add(epoll, file, fd);
		if (!err)
			watch_set(watch_find(epoll, file, fd), event);
		return err;
	case EPOLL_CTL_MOD:
		if (watch)
			watch_set(watch, event);
		return watch ? 0 : ENOENT;
	case EPOLL_CTL_DEL:
		if (watch)
			watch_remove(watch);
		return watch ? 0 : ENOENT;
	default:
		return EINVAL;
	}
}

/* An epoll instance for a call, or NULL with errno. */
static struct rt_file *epoll_hold(int fd)
{
	struct rt_file *epoll = rt_file_hold(fd);

	if (epoll && epoll->kind != RT_FILE_EPOLL) {
		rt_file_drop(epoll);
		errno = EINVAL;
		return NULL;
	}
	return epoll;
}

int rt_epoll_ctl(int epfd, int operation, int fd, struct epoll_event *event)
{
	struct rt_file *epoll;
	int err;

	rt_enter();
	if (operation != EPOLL_CTL_DEL)
		rt_range_read(event, sizeof(*event));
	epoll = epoll_hold(epfd);
	if (!epoll)
		return -1;
	err = control(epoll, operation, fd, event);
	rt_file_drop(epoll);
	rt_point();
	if (!err)
		return 0;
	errno = err;
	return -1;
}

/* Tell what is true; the list keeps what is triggered by level. */
static int collect(struct rt_file *epoll, struct epoll_event *events, int max)
{
	struct rt_watches again = TAILQ_HEAD_INITIALIZER(again);
	struct rt_watch *watch;
	int count = 0;

	while (count < max && (watch = TAILQ_FIRST(&epoll->ready))) {
		uint32_t found = found_at(watch);

		make_unready(watch);
		if (!found)
			continue;
		events[count].events = found;
		events[count++].data = watch->data;
		if (watch->events & EPOLLONESHOT) {
			watch->events &= HOW;
		} else if (!(watch->events & EPOLLET)) {
			TAILQ_INSERT_TAIL(&again, watch, in_ready);
			watch->ready = true;
		}
	}
	TAILQ_CONCAT(&epoll->ready, &again, in_ready);
	return count;
}

static int wait_until(int epfd, struct epoll_event *events, int max,
		      uint64_t deadline, bool at_once)
{
	struct rt_file *epoll;
	int count;

	if (max <= 0) {
		errno = EINVAL;
		return -1;
	}
	epoll = epoll_hold(epfd);
	if (!epoll)
		return -1;
	rt_range_write(events, sizeof(*events));
	for (;;) {
		count = collect(epoll, events, max);
		if (count || at_once)
			break;
		at_once = rt_block("an event in", epoll, deadline) != 0;
	}
	rt_flush();
	rt_file_drop(epoll);
	rt_point();
	return count;
}

int rt_epoll_wait(int epfd, struct epoll_event *events, int max, int timeout)
{
	rt_enter();
	return wait_until(epfd, events, max, rt_deadline_ms(timeout),
			  !timeout);
}

int rt_epoll_pwait(int epfd, struct epoll_event *events, int max, int timeout,
		   const sigset_t *mask)
{
	(void)mask;
	rt_enter();
	return wait_until(epfd, events, max, rt_deadline_ms(timeout),
			  !timeout);
}

int rt_epoll_pwait2(int epfd, struct epoll_event *events, int max,
		    const struct timespec *timeout, const sigset_t *mask)
{
	uint64_t deadline;

	(void)mask;
	rt_enter();
	if (!rt_deadline_from(timeout, &deadline))
		return -1;
	return wait_until(epfd, events, max, deadline, timeout &&
			  !timeout->tv_sec && !timeout->tv_nsec);
}
