/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the agent may answer for itself, and until when.
 *
 * A hand-over costs two context switches, and most of what a driver asks is
 * asked in polling loops: the time, a register or a word that has not
 * changed, a turn of the loop.  While nothing can happen by itself, neither
 * an event of the card nor what a test has planned, the agent knows the
 * answers.  It posts what it did, the judge does the same (session_own()),
 * and a run is the same to the byte as if everything had been asked.
 */
#include "autograder/judge/session.h"
#include "vm/spec/reg.h"

/*
 * Registers that a driver polls: what they say changes by a write or by an
 * event of the card, and at no other time.  (A timer's would not do.)
 */
static bool is_polled(const struct wire_request *r)
{
	if (r->a != CARD_BAR0 || r->c != 4)
		return false;
	switch (r->b) {
	case NV_PMC_BOOT_0:
	case NV_PMC_ENABLE:
	case NV_PBUS_BIND_STATUS:
	case NV_PFIFO_PREEMPT:
	case NV_UFLUSH_FB_FLUSH:
	case NV_PFB_PRI_MMU_CTRL:
	case GR_CTX_SWITCH_STATUS:
		return true;
	default:
		return r->b >= NV_PFIFO_ENG_RUNLIST &&
			r->b < NV_PFIFO_ENG_RUNLIST + 16 * 8;
	}
}

uint32_t session_steady(const struct scenario *s, const struct wire_request *r)
{
	/* If nothing happened while the answer was on its way. */
	return is_polled(r) && s->looked &&
		card_last_event(s->card) <= s->looked ? s->read_cost : 0;
}

/* Until when the agent cannot go wrong by itself; 0: it must ask. */
static uint64_t quiet_until(const struct scenario *s)
{
	uint64_t until = card_next_event(s->card);
	unsigned int i;

	if (until > s->batch_limit)
		until = s->batch_limit;
	for (i = 0; i < s->actions; i++) {
		const struct action *a = &s->action[i];

		if (a->done)
			continue;
		if (a->access)
			return 0;
		if (until > a->time)
			until = a->time;
	}
	return until;
}

void session_stamp(struct scenario *s, struct wire_reply *reply)
{
	reply->now = card_now(s->card);
	reply->interrupts = s->told = s->interrupts;
	reply->quiet = quiet_until(s);
	reply->polls_since = s->relax_since;
	reply->handles = s->handles;
	reply->write_cost = s->write_cost;
}
