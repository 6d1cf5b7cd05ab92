/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Time is the card's, whatever clock is asked [§2.3].
 *
 * A sleep ends when virtual time has reached its end: because others ran and
 * polled until then, or because nobody could run and time jumped.
 */
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "posix.h"
#include "table.h"

#define NS	1000000000u

uint64_t rt_now(void)
{
	rt_point();
	return rt_ask(WIRE_NOW, 0, 0, 0).a;
}

uint64_t rt_relax(void)
{
	uint64_t cost;

	rt_point();
	cost = rt_ask(WIRE_RELAX, rt_others_work(), 0, 0).cost;
	rt_self->busy = 0;
	rt_yield();
	return cost;
}

static void sleep_until(uint64_t deadline)
{
	while (rt_block("the end of a sleep", NULL, deadline) == 0)
		;
}

void rt_sleep(uint64_t ns)
{
	uint64_t now = rt_now();

	sleep_until(ns < RT_FOREVER - 1 - now ? now + ns : RT_FOREVER - 1);
}

void rt_barrier(int kind)
{
	rt_point();
	rt_post(WIRE_BARRIER, 0, 0, 0, kind);
}

int rt_clock_gettime(clockid_t clock, struct timespec *time)
{
	uint64_t now = rt_now();

	(void)clock;
	*time = (struct timespec){ now / NS, now % NS };
	return 0;
}

int rt_gettimeofday(struct timeval *time, void *zone)
{
	uint64_t now = rt_now();

	(void)zone;
	*time = (struct timeval){ now / NS, now % NS / 1000 };
	return 0;
}

time_t rt_time_seconds(time_t *where)
{
	time_t now = rt_now() / NS;

	if (where)
		*where = now;
	return now;
}

int rt_nanosleep(const struct timespec *time, struct timespec *left)
{
	if (time->tv_sec < 0 || (uint64_t)time->tv_nsec >= NS) {
		errno = EINVAL;
		return -1;
	}
	if (left)
		*left = (struct timespec){ 0 };
	rt_sleep(rt_deadline(time));
	return 0;
}

int rt_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
		       struct timespec *left)
{
	(void)clock;
	if (!(flags & TIMER_ABSTIME))
		return rt_nanosleep(time, left) ? errno : 0;
	if (rt_deadline(time) > rt_now())
		sleep_until(rt_deadline(time));
	return 0;
}

int rt_usleep(useconds_t us)
{
	rt_sleep((uint64_t)us * 1000);
	return 0;
}

unsigned int rt_sleep_seconds(unsigned int seconds)
{
	rt_sleep((uint64_t)seconds * NS);
	return 0;
}
