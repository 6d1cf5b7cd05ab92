/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Qualifying a driver, layer 3: waits [§9.5].
 *
 * Threads put fences behind the work of a few channels and wait for them, for
 * their own and for each other's, in every way there is.  What is counted is
 * what must not happen.
 */
#ifndef QUALIFY_FENCES_H
#define QUALIFY_FENCES_H

#include <stdbool.h>
#include <stdint.h>

struct fences {
	unsigned int threads, channels;
	uint64_t waits;		/* of all threads			*/
	uint64_t seed;
	/* results */
	uint64_t done;
	uint64_t spurious;	/* woken, and the fence is not signalled */
	uint64_t timed_out;
	uint64_t lost;		/* signalled, and told only by a time-out */
	uint64_t failed;	/* any other error			*/
	uint64_t violations;	/* rules of the card, and of contexts	*/
	uint64_t interrupts, empty;	/* handler runs, for nothing	*/
	double seconds;
};

/* 0, or -errno: it could not be run. */
int fences_run(struct fences *fences);
/* Nothing happened that must not. */
bool fences_clean(const struct fences *fences);

#endif
