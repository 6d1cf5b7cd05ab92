/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Descriptors of the driver: eventfds and epoll instances, all virtual.
 *
 * A descriptor is an index; what it names is a file, which stays while a
 * descriptor or a call in progress uses it, as in Linux.
 */
#ifndef RUNTIME_FILES_H
#define RUNTIME_FILES_H

#include <sys/epoll.h>
#include <sys/queue.h>

#include "internal.h"

#define RT_FDS		1024	/* descriptors, and files		*/
#define RT_FIRST_FD	3

enum rt_file_kind { RT_FILE_NONE, RT_FILE_EVENTFD, RT_FILE_EPOLL };

/* A file that an epoll instance looks at. */
struct rt_watch {
	TAILQ_ENTRY(rt_watch) of_epoll, of_file, in_ready;
	struct rt_file *epoll, *file;
	int fd;				/* as it was added		*/
	uint32_t events;
	epoll_data_t data;
	bool used, ready;
};

TAILQ_HEAD(rt_watches, rt_watch);

struct rt_file {
	enum rt_file_kind kind;
	unsigned int users;		/* descriptors, calls		*/
	int fd;				/* its first descriptor		*/
	bool nonblock;
	struct rt_watches watched;	/* by whom			*/
	/* of an eventfd */
	uint64_t count;
	bool semaphore;
	/* of an epoll instance, ready ones in the order they became so */
	struct rt_watches watches, ready;
};

/* A new file and its descriptor, or -1 with errno. */
int rt_file_new(enum rt_file_kind kind, bool nonblock, struct rt_file **file);
/* Whose descriptor this is, or NULL with errno. */
struct rt_file *rt_file_at(int fd);
/* The same, to be used until rt_file_drop(). */
struct rt_file *rt_file_hold(int fd);
void rt_file_drop(struct rt_file *file);
/* What poll() would find, EPOLLIN and so on. */
uint32_t rt_file_ready(const struct rt_file *file);
/* Something happened: wake who waits for one of these. */
void rt_file_changed(struct rt_file *file, uint32_t events);
/* Wait for a change of any file. */
int rt_files_wait(uint64_t deadline);

/* eventfd.c */
ssize_t rt_eventfd_take(struct rt_file *file, void *value, size_t size);
ssize_t rt_eventfd_add(struct rt_file *file, const void *value, size_t size);
uint32_t rt_eventfd_ready(const struct rt_file *file);

/* epoll.c: a file went, or an epoll instance. */
void rt_epoll_forget(struct rt_file *file);
void rt_epoll_changed(struct rt_file *file, uint32_t events);
uint32_t rt_epoll_ready(const struct rt_file *epoll);

/* poll.c: virtual time in ms from now; negative: for ever. */
uint64_t rt_deadline_ms(int ms);
/* The same for a struct timespec; false, with errno, where it is none. */
bool rt_deadline_from(const struct timespec *time, uint64_t *deadline);

#endif
