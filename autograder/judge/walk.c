/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the card makes of an address space, asked from outside: the walk that
 * its MMU would do now, without its TLB; and what its accesses came to.
 */
#include "autograder/judge/session.h"
#include "vm/model/mem.h"

bool session_walk(struct scenario *s, const struct session_space *space,
		  uint64_t va, struct session_place *place)
{
	struct mem_space tables;
	struct card_place found;

	card_space_decode(s->card, space->words, &tables);
	if (va > tables.limit ||
	    card_translate(s->card, tables.root, tables.aperture,
			   tables.format2, tables.big_shift, va, &found))
		return false;
	*place = (struct session_place){
		.addr = found.addr, .shift = found.page_shift,
		.aperture = found.aperture, .sparse = found.sparse,
		.rights = (found.read_only ? MAP_READ_ONLY : 0) |
			(found.is_volatile ? MAP_VOLATILE : 0) |
			(found.privileged ? MAP_PRIVILEGED : 0),
	};
	return true;
}

unsigned int session_big_shift(const struct scenario *s,
			       const struct session_space *space)
{
	struct mem_space tables;

	card_space_decode(s->card, space->words, &tables);
	return tables.format2 ? PAGES_64K : tables.big_shift;
}

void session_watch_root(struct scenario *s, unsigned int space)
{
	s->vas.done.root = space < SPACES ? s->vas.space[space].root :
		ALL_SPACES;
	s->vas.done.forgotten = 0;
}

void session_access_event(struct scenario *s, const struct card_event *event)
{
	struct session_accesses *done = &s->vas.done;

	switch (event->kind) {
	case EV_COPY_END:
		done->copies++;
		break;
	case EV_FAULT:
		done->faults++;
		done->fault = *event;
		break;
	case EV_TLB_INVALIDATE:
		done->forgotten += event->arg[0] == done->root ||
			event->arg[0] == ALL_SPACES;
		break;
	default:
		break;
	}
}
