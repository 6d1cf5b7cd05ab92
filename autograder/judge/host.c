/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The machine that the card sits in: bus-master accesses to the arena, the
 * card's reports, and virtual time with the events a test has planned.
 *
 * A fetch by Host of bytes that have a store pending is the failure that
 * lab 01 is about: the driver offered work before it was visible [§4.2].
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "autograder/judge/session.h"

/* A monitor's complaint; the card's or ours. */
static void broken(struct scenario *s, enum card_rule rule,
		   const char *expected, const char *actual)
{
	if (s->ignored[rule])
		return;
	session_fail(s, card_rule_name(rule), card_rule_section(rule),
		     card_rule_text(rule), expected, "%s", actual);
}

static void on_violation(void *host, const struct card_violation *violation)
{
	struct scenario *s = host;

	if (s->ignored[violation->rule])
		session_fence_died(s, violation->channel);
	broken(s, violation->rule, violation->expected,
	       violation->actual);
}

static void on_event(void *host, const struct card_event *event)
{
	struct scenario *s = host;

	if (event->kind == EV_READ)
		s->looked = event->time;
	record_event(&s->record, event);
	session_fence_event(s, event);
	session_access_event(s, event);
	session_unit_event(s, event);
}

/* An interrupt has left the card; it arrives, unless the test says else. */
static void message(struct scenario *s)
{
	struct action *action;

	if (s->fences.drops) {
		s->fences.drops--;
		s->fences.lossy = true;
		record_text(&s->record, card_now(s->card),
			    "(an interrupt is lost)");
		return;
	}
	action = s->fences.delay ? session_plan(s) : NULL;
	if (!action) {
		s->interrupts++;
		return;
	}
	action->what = LATE_INTERRUPT;
	action->time = card_now(s->card) + s->fences.delay;
}

static void on_interrupt(void *host, bool level)
{
	struct scenario *s = host;

	/* A message; with MSI off a line that rises is as good as one. */
	if (level)
		message(s);
}

/* Where a DMA address leads, or NULL where the IOMMU says no. */
static const struct arena_piece *reach(struct scenario *s, uint64_t addr,
				       size_t len)
{
	const struct arena_piece *piece = arena_find_dma(&s->arena, addr, len);
	char text[160];

	if (piece && piece->live)
		return piece;
	if (piece) {
		snprintf(text, sizeof(text), "the card still uses %zu bytes "
			 "at DMA address 0x%" PRIx64 ", which were freed",
			 len, addr);
		broken(s, RULE_FREED_IN_USE, "no access to freed memory",
		       text);
	}
	return NULL;
}

/* Did what Host fetches reach it in time? */
static void check_visible(struct scenario *s, enum card_dma_why why,
			  uint64_t offset, size_t len)
{
	struct visibility_store store;
	char text[256];

	if (why != CARD_DMA_GP_ENTRY && why != CARD_DMA_PUSHBUFFER)
		return;
	if (!visibility_pending(s->visibility, offset, len, &store))
		return;
	snprintf(text, sizeof(text), "Host fetched %s at byte %" PRIu64
		 " of it before the store there by thread %u, of 0x%0*" PRIx64
		 " to %s memory, was visible",
		 why == CARD_DMA_GP_ENTRY ? "a GP entry" : "a segment",
		 store.offset > offset ? store.offset - offset : 0,
		 store.thread, 2 * store.size, store.value,
		 store.kind == VISIBILITY_COHERENT ? "coherent" :
		 "write-combining");
	broken(s, RULE_FETCH_NOT_VISIBLE,
	       store.kind == VISIBILITY_COHERENT ?
	       "dma_wmb() or stronger after the store, before GP_PUT" :
	       "wmb() or stronger after the store, before GP_PUT", text);
}

static const void *on_peek(void *host, enum card_dma_why why, uint64_t addr,
			   size_t len)
{
	struct scenario *s = host;
	const struct arena_piece *piece = reach(s, addr, len);
	uint64_t offset;

	if (!piece)
		return NULL;
	offset = piece->offset + (addr - piece->dma);
	check_visible(s, why, offset, len);
	return visibility_card(s->visibility) + offset;
}

static int on_dma_read(void *host, enum card_dma_why why, uint64_t addr,
		       void *buf, size_t len)
{
	const void *bytes = on_peek(host, why, addr, len);

	if (!bytes)
		return -EFAULT;
	memcpy(buf, bytes, len);
	return 0;
}

static int on_dma_write(void *host, enum card_dma_why why, uint64_t addr,
			const void *buf, size_t len)
{
	struct scenario *s = host;
	const struct arena_piece *piece = reach(s, addr, len);

	(void)why;
	if (!piece)
		return -EFAULT;
	visibility_card_write(s->visibility,
			      piece->offset + (addr - piece->dma), buf, len);
	return 0;
}

const struct card_host_ops session_host_ops = {
	.dma_read = on_dma_read,
	.dma_write = on_dma_write,
	.dma_peek = on_peek,
	.interrupt = on_interrupt,
	.ats = session_ats,
	.event = on_event,
	.violation = on_violation,
};

void session_act(struct scenario *s, enum scenario_action what)
{
	static const char *const text[] = {
		"Host is frozen", "Host goes on", "the card is pulled out",
		"invalidations stand still", "invalidations go on",
		"a late interrupt arrives",
	};

	record_text(&s->record, card_now(s->card), "(%s)", text[what]);
	s->looked = 0;
	switch (what) {
	case HOST_FREEZE:
		s->frozen = true;
		card_freeze_host(s->card, true);
		break;
	case HOST_THAW:
		s->frozen = false;
		card_freeze_host(s->card, false);
		break;
	case CARD_UNPLUG:
		s->unplugged = true;
		card_unplug(s->card);
		break;
	case TLB_FREEZE:
	case TLB_THAW:
		s->vas.frozen = what == TLB_FREEZE;
		card_freeze_tlb(s->card, s->vas.frozen);
		break;
	case LATE_INTERRUPT:
		s->interrupts++;
		break;
	}
}

struct action *session_plan(struct scenario *s)
{
	unsigned int i;

	for (i = 0; i < s->actions && !s->action[i].done; i++)
		;
	if (i == SESSION_ACTIONS)
		return NULL;
	if (i == s->actions)
		s->actions++;
	s->action[i] = (struct action){ .done = false };
	return &s->action[i];
}

/* The first action that is planned for a time up to this one. */
static struct action *due(struct scenario *s, uint64_t until)
{
	struct action *first = NULL, *a;

	for (a = s->action; a < s->action + s->actions; a++) {
		if (a->done || !a->time || a->time > until)
			continue;
		if (!first || a->time < first->time)
			first = a;
	}
	return first;
}

static void clock_moved(struct scenario *s)
{
	uint64_t time = card_now(s->card);

	visibility_age(s->visibility, time);
	if (s->batch_limit && time > s->batch_limit && !s->stop) {
		session_fail(s, "TIME", "§4.6", "every wait is bounded",
			     "the call returns by its time-out",
			     "it still waits after %" PRIu64 " us",
			     (time - s->batch_began) / US);
		s->stop = true;
	}
}

void session_advance(struct scenario *s, uint64_t ns)
{
	uint64_t end = card_now(s->card) + ns;
	struct action *a;

	while (s->actions && (a = due(s, end))) {
		if (a->time > card_now(s->card))
			card_advance(s->card, a->time - card_now(s->card));
		a->done = true;
		session_act(s, a->what);
	}
	if (end > card_now(s->card))
		card_advance(s->card, end - card_now(s->card));
	clock_moved(s);
}

void session_step(struct scenario *s, uint64_t deadline)
{
	struct action *a = s->actions ? due(s, deadline) : NULL;
	uint64_t time;

	if (a && a->time < deadline)
		deadline = a->time;
	if (!card_step(s->card, deadline)) {
		time = card_now(s->card);
		session_advance(s, deadline > time ? deadline - time : 0);
		return;
	}
	session_advance(s, 0);
}

void session_access(struct scenario *s)
{
	unsigned int i;

	s->accesses++;
	for (i = 0; i < s->actions; i++) {
		struct action *a = &s->action[i];

		if (a->done || !a->access || a->access > s->accesses)
			continue;
		a->done = true;
		session_act(s, a->what);
	}
}
