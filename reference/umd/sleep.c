/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Time and eventfds, as those who wait need them.  Given to the student.
 *
 * A sleep runs on the monotonic clock; a deadline is a time on it, so that a
 * wait that is woken early goes on for the rest and not for the whole.  Nobody
 * sleeps longer than a slice without a look at the card: with a card that is
 * lost, its interrupts are too [§2.5].
 */
#include <limits.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "timeline.h"

#define FOREVER		UINT64_MAX

u64 sleep_slice_ns = 100 * NSEC_PER_MSEC;

/* The clock that sleeping runs on. */
u64 clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

/* A time-out as a time; none may come back to the past. */
u64 deadline_after(u64 timeout_ns)
{
	u64 now = clock_ns();

	return timeout_ns > FOREVER - now ? FOREVER : now + timeout_ns;
}

/* Where a sleep ends: the deadline, or a slice. */
u64 slice_end(u64 deadline)
{
	u64 end = deadline_after(sleep_slice_ns);

	return min(deadline, end);
}

/* Sleep until it is readable or that time has come; empty it. */
void eventfd_wait(int eventfd, u64 until)
{
	struct pollfd poll_fd = { .fd = eventfd, .events = POLLIN };
	u64 now = clock_ns(), count;
	int ms;

	ms = until > now ? min(DIV_ROUND_UP(until - now, NSEC_PER_MSEC),
			       (u64)INT_MAX) : 0;
	if (poll(&poll_fd, 1, ms) > 0 &&
	    read(eventfd, &count, sizeof(count)) < 0)
		pr_debug("eventfd: somebody else has read it\n");
}

/* Make it readable. */
void eventfd_tell(int eventfd)
{
	u64 one = 1;

	if (write(eventfd, &one, sizeof(one)) < 0)
		pr_err("eventfd: write: %d\n", errno);
}

/* A condition variable whose time is the clock's above. */
void sleep_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}
