/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The card's time, led by the host's. */
#ifndef SERVER_CLOCK_H
#define SERVER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/model/card.h"

struct clock {
	int timer;			/* a timerfd; -1: none		*/
	uint64_t base;			/* the host's time at card time 0 */
	uint64_t armed;			/* for when; 0: not		*/
	uint64_t asked;			/* last time that a client asked */
	uint64_t lost;			/* ns given up			*/
};

/* CLOCK_MONOTONIC, ns. */
uint64_t clock_host_ns(void);
/* What this thread has used of a processor, ns: a system call. */
uint64_t clock_own_ns(void);

int clock_init(struct clock *clock, const struct card *card);
void clock_fini(struct clock *clock);

/* A client wants something: the card is to be quick for a while. */
void clock_asked(struct clock *clock, uint64_t now);
/*
 * Run the card up to the host's time, by at most a slice.  True when there
 * is more to run at once: look for messages, and call again.
 */
bool clock_run(struct clock *clock, struct card *card);
/*
 * The same for who runs the events himself: is none due?  Then time has moved
 * to the host's.
 */
bool clock_at_rest(struct clock *clock, struct card *card);
/* Wake up at this time (ns), 0: never. */
void clock_wait(struct clock *clock, uint64_t by);
/*
 * Before sleep: wake up for the card's next event.  False: do not sleep, the
 * event is too close.  by: wake up at this time (ns) at the latest, or 0.
 */
bool clock_arm(struct clock *clock, const struct card *card, uint64_t by);
/* The timer is due: it is read. */
void clock_woken(struct clock *clock);

#endif
