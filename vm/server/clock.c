/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Whose time it is [§2.3].
 *
 * The card has a clock of its own, which moves when somebody moves it.  Here
 * that is the host's monotonic clock: before each access the card does what
 * has become due, and in between a timer wakes the server for the card's next
 * event.  A card that has nothing before it sets no timer, and costs nothing.
 *
 * A timer is late by tens of microseconds, and most events follow a doorbell
 * within a few.  So for a moment after a client asked for something, the
 * server waits for a close event by looking again and again; and long after,
 * when only a channel that polls a semaphore has events, it wakes up seldom.
 *
 * Work that takes the host longer than the card's own time must not lock the
 * client out: the card runs in slices, and what it cannot catch up is struck
 * from its time, and counted.
 */
#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "vm/server/clock.h"

#define US		1000ull
#define MS		(1000 * US)

#define SLICE		(1 * MS)	/* of card time, at a time	*/
#define LAG_MAX		(200 * MS)	/* more is given up		*/
#define CLOSE		(30 * US)	/* an event too close to sleep	*/
#define AWAKE		(200 * US)	/* after a client asked		*/
#define REST_MIN	(20 * US)	/* the shortest sleep		*/
#define REST_MAX	(1 * MS)	/* … when nobody asked		*/

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

uint64_t clock_host_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_own_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

int clock_init(struct clock *clock, const struct card *card)
{
	*clock = (struct clock){
		.timer = timerfd_create(CLOCK_MONOTONIC,
					TFD_NONBLOCK | TFD_CLOEXEC),
	};
	if (clock->timer < 0)
		return -errno;
	clock->base = clock_host_ns() - card_now(card);
	return 0;
}

void clock_fini(struct clock *clock)
{
	if (clock->timer >= 0)
		close(clock->timer);
	clock->timer = -1;
}

void clock_asked(struct clock *clock, uint64_t now)
{
	clock->asked = now;
}

static void set_timer(struct clock *clock, uint64_t when)
{
	struct itimerspec spec = {
		.it_value = { when / 1000000000, when % 1000000000 },
	};

	if (clock->armed == when)
		return;
	timerfd_settime(clock->timer, TFD_TIMER_ABSTIME, &spec, NULL);
	clock->armed = when;
}

/* How far the card is behind the host; what is too much is given up. */
static uint64_t lag_of(struct clock *clock, const struct card *card)
{
	uint64_t host = clock_host_ns();
	uint64_t now = card_now(card), lag;

	if (host <= clock->base + now)
		return 0;
	lag = host - (clock->base + now);
	/* At rest, time passes at no cost, however much. */
	if (lag <= LAG_MAX || card_next_event(card) > now + lag)
		return lag;
	clock->base += lag - LAG_MAX;
	clock->lost += lag - LAG_MAX;
	return LAG_MAX;
}

bool clock_run(struct clock *clock, struct card *card)
{
	uint64_t lag = lag_of(clock, card);

	if (lag > SLICE && card_next_event(card) < card_now(card) + lag) {
		card_advance(card, SLICE);
		return true;
	}
	if (lag)
		card_advance(card, lag);
	return false;
}

bool clock_at_rest(struct clock *clock, struct card *card)
{
	uint64_t lag = lag_of(clock, card);

	if (card_next_event(card) <= card_now(card) + lag)
		return false;
	if (lag)
		card_advance(card, lag);
	return true;
}

void clock_wait(struct clock *clock, uint64_t by)
{
	set_timer(clock, by);
}

bool clock_arm(struct clock *clock, const struct card *card, uint64_t by)
{
	uint64_t next = card_next_event(card), now, idle, rest, when;

	if (next == UINT64_MAX) {
		set_timer(clock, by);
		return true;
	}
	now = clock_host_ns();
	when = next + clock->base;
	idle = now > clock->asked ? now - clock->asked : 0;
	if (idle < AWAKE && when < now + CLOSE)
		return false;
	rest = idle / 16;
	if (rest < REST_MIN)
		rest = REST_MIN;
	if (rest > REST_MAX)
		rest = REST_MAX;
	if (when < now + rest)
		when = now + rest;
	set_timer(clock, by && by < when ? by : when);
	return true;
}

void clock_woken(struct clock *clock)
{
	uint64_t count;

	if (read(clock->timer, &count, sizeof(count)) == sizeof(count))
		clock->armed = 0;
}
