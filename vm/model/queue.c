/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What happens when [§2.3].
 *
 * Two sources, merged by (time, sequence): a binary heap of timers, and the
 * CPU's posted writes.  Writes arrive in the order they were issued, so they
 * need no heap: a ring does, and a driver that writes GP_PUT a million times
 * costs no heap operation at all.
 *
 * The sequence number of an event is taken when it is planned.  Two events of
 * the same instant therefore happen in the order they were caused, and a run
 * with the same seed is the same run.
 */
#include <stdlib.h>

#include "vm/model/model.h"

void card_timer_init(struct card_timer *timer,
		     void (*fn)(struct card *card, void *arg), void *arg)
{
	*timer = (struct card_timer){ .fn = fn, .arg = arg };
}

static bool earlier(const struct card_timer *a, const struct card_timer *b)
{
	return a->when != b->when ? a->when < b->when :
		a->sequence < b->sequence;
}

static void heap_put(struct card *card, uint32_t at, struct card_timer *timer)
{
	card->heap[at] = timer;
	timer->slot = at + 1;
}

static void heap_up(struct card *card, uint32_t at, struct card_timer *timer)
{
	while (at) {
		uint32_t parent = (at - 1) / 2;

		if (!earlier(timer, card->heap[parent]))
			break;
		heap_put(card, at, card->heap[parent]);
		at = parent;
	}
	heap_put(card, at, timer);
}

static void heap_down(struct card *card, uint32_t at,
		      struct card_timer *timer)
{
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= card->timers)
			break;
		if (child + 1 < card->timers &&
		    earlier(card->heap[child + 1], card->heap[child]))
			child++;
		if (!earlier(card->heap[child], timer))
			break;
		heap_put(card, at, card->heap[child]);
		at = child;
	}
	heap_put(card, at, timer);
}

/* Its place has been left or its time has changed. */
static void heap_settle(struct card *card, uint32_t at,
			struct card_timer *timer)
{
	if (at && earlier(timer, card->heap[(at - 1) / 2]))
		heap_up(card, at, timer);
	else
		heap_down(card, at, timer);
}

void card_timer_set(struct card *card, struct card_timer *timer,
		    uint64_t when)
{
	timer->when = when > card->now ? when : card->now;
	timer->sequence = card->sequence++;
	if (timer->slot) {
		heap_settle(card, timer->slot - 1, timer);
		return;
	}
	if (card->timers == CARD_TIMERS) {
		/* More timers than were ever planned: a bug of the model. */
		card->error = -ENOSPC;
		return;
	}
	heap_up(card, card->timers++, timer);
}

void card_timer_cancel(struct card *card, struct card_timer *timer)
{
	uint32_t at = timer->slot;
	struct card_timer *last;

	if (!at)
		return;
	timer->slot = 0;
	last = card->heap[--card->timers];
	if (last != timer)
		heap_settle(card, at - 1, last);
}

int queue_init(struct card *card)
{
	card->posted = calloc(CARD_POSTED, sizeof(*card->posted));
	card->burst = calloc(CARD_POSTED, sizeof(*card->burst));
	return card->posted && card->burst ? 0 : -ENOMEM;
}

void queue_fini(struct card *card)
{
	free(card->posted);
	free(card->burst);
}

/* Timers lie in others' structures: they are told to be idle. */
void queue_reset(struct card *card)
{
	while (card->timers)
		card->heap[--card->timers]->slot = 0;
	card->posted_head = card->posted_tail;
	card->posted_last = card->now;
}

static bool posted_is_next(const struct card *card,
			   const struct posted *write)
{
	const struct card_timer *timer = card->heap[0];

	if (!card->timers)
		return true;
	return write->when != timer->when ? write->when < timer->when :
		write->sequence < timer->sequence;
}

static void posted_arrives(struct card *card)
{
	uint32_t slot = card->posted_head++ & (CARD_POSTED - 1);

	/* The CPU is not running meanwhile, so nothing reuses the slot. */
	access_arrive(card, &card->posted[slot], card->burst[slot]);
}

static void timer_fires(struct card *card)
{
	struct card_timer *timer = card->heap[0];

	card_timer_cancel(card, timer);
	timer->fn(card, timer->arg);
}

/* Writes arrive at once, and time stands still. */
static void queue_held(struct card *card)
{
	card->limit = card->now;
	while (posted_first(card))
		posted_arrives(card);
}

void queue_work(struct card *card, uint64_t until)
{
	if (card->held) {
		queue_held(card);
		return;
	}
	card->limit = until;
	while (queue_next(card) <= until) {
		const struct posted *write = posted_first(card);

		if (write && posted_is_next(card, write)) {
			card->now = write->when;
			posted_arrives(card);
		} else {
			card->now = card->heap[0]->when;
			timer_fires(card);
		}
		card->last_event = card->now;
	}
	if (card->now < until)
		card->now = until;
}
