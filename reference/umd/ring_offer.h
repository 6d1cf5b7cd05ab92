/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who writes GP_PUT: one thread at a time, its owner, for everybody [§8.3].
 *
 * Whoever wants entries offered raises `wanted`.  If there is an owner, that
 * is all: the owner gives up ownership only by a compare-and-swap that fails
 * when `wanted` has moved.  So one write serves many submitters, and no wish
 * is lost.  A paused ring is one whose ownership nobody gets.
 */
#ifndef RING_OFFER_H
#define RING_OFFER_H

#include "port.h"

#define OFFER_OWNED	(1ULL << 32)

/* The state: the entry up to which an offer is wanted | OFFER_OWNED. */

static inline u32 offer_wanted(const u64 *offer)
{
	return (u32)smp_load_acquire(offer);
}

static inline bool offer_swap(u64 *offer, u64 *state, u64 next)
{
	return __atomic_compare_exchange_n(offer, state, next, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Want the entries before upto offered.  True: we own it now, as *state. */
static inline bool offer_want(u64 *offer, u32 upto, u64 *state)
{
	u64 now = smp_load_acquire(offer);

	do {
		if ((s32)(upto - (u32)now) <= 0)
			return false;
		*state = OFFER_OWNED | upto;
	} while (!offer_swap(offer, &now, *state));
	return !(now & OFFER_OWNED);
}

/* Wait for ownership, wanting nothing. */
static inline u64 offer_own(u64 *offer)
{
	u64 now = smp_load_acquire(offer);

	for (;;) {
		if (now & OFFER_OWNED) {
			cpu_relax();
			now = smp_load_acquire(offer);
		} else if (offer_swap(offer, &now, now | OFFER_OWNED)) {
			return now | OFFER_OWNED;
		}
	}
}

/* The owner has served *state.  False: more is wanted, see *state. */
static inline bool offer_leave(u64 *offer, u64 *state)
{
	return offer_swap(offer, state, (u32)*state);
}

#endif
