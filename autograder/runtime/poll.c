/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * poll() and ppoll() on the driver's descriptors.
 *
 * A file is looked at when the call begins, when any file changes, and when
 * the time is up.  A descriptor that is closed meanwhile is not noticed until
 * its file changes: then it is POLLNVAL, as in Linux.
 */
#include <errno.h>
#include <poll.h>
#include <time.h>

#include "files.h"
#include "hooks.h"
#include "posix.h"

#define NS	1000000000u
#define MS	1000000u

uint64_t rt_deadline_ms(int ms)
{
	return ms < 0 ? RT_FOREVER : rt_now() + (uint64_t)ms * MS;
}

bool rt_deadline_from(const struct timespec *time, uint64_t *deadline)
{
	*deadline = RT_FOREVER;
	if (!time)
		return true;
	rt_range_read(time, sizeof(*time));
	if (time->tv_sec < 0 || (uint64_t)time->tv_nsec >= NS) {
		errno = EINVAL;
		return false;
	}
	if ((uint64_t)time->tv_sec < UINT64_MAX / 2 / NS)
		*deadline = rt_now() + (uint64_t)time->tv_sec * NS +
			(uint64_t)time->tv_nsec;
	return true;
}

static short look(const struct pollfd *at, struct rt_file *file)
{
	short wanted = at->events | POLLERR | POLLHUP;
	short found;

	if (at->fd < 0)
		return 0;
	if (!file)
		return POLLNVAL;
	found = (short)rt_file_ready(file) & wanted;
	return found && rt_file_at(at->fd) != file ? POLLNVAL : found;
}

/* How many have something to tell; what, goes to the caller's array. */
static int look_at_all(struct pollfd *fds, struct rt_file **file,
		       nfds_t count)
{
	int found = 0;

	for (nfds_t i = 0; i < count; i++) {
		fds[i].revents = look(&fds[i], file[i]);
		found += fds[i].revents != 0;
	}
	return found;
}

static int poll_until(struct pollfd *fds, nfds_t count, uint64_t deadline,
		      bool at_once)
{
	struct rt_file *file[RT_FDS];
	int found, error = errno;

	if (count > RT_FDS) {
		errno = EINVAL;
		return -1;
	}
	rt_range_read(fds, count * sizeof(*fds));
	rt_range_write(fds, count * sizeof(*fds));
	for (nfds_t i = 0; i < count; i++)
		file[i] = rt_file_hold(fds[i].fd);
	for (;;) {
		found = look_at_all(fds, file, count);
		if (found || at_once)
			break;
		/* What came until the time is up counts. */
		at_once = rt_files_wait(deadline) != 0;
	}
	for (nfds_t i = 0; i < count; i++) {
		if (file[i])
			rt_file_drop(file[i]);
	}
	errno = error;
	rt_point();
	return found;
}

int rt_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	rt_enter();
	return poll_until(fds, count, rt_deadline_ms(timeout), !timeout);
}

int rt_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
	     const sigset_t *mask)
{
	uint64_t deadline;

	(void)mask;
	rt_enter();
	if (!rt_deadline_from(timeout, &deadline))
		return -1;
	return poll_until(fds, count, deadline, timeout && !timeout->tv_sec &&
			  !timeout->tv_nsec);
}
