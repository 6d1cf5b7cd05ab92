/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the card says of itself, counted.
 *
 * Host ends an entry (EV_GP_END), whether it named a segment or carried a
 * CRC; it compares a CRC (EV_CRC) behind each segment.  The segments executed
 * are the entries that were no CRC: a driver that leaves CRCs out has more
 * segments than checks.
 *
 * To see that damage is found, one word in so many commands is changed in
 * memory just when Host begins the segment: after the driver has written it,
 * before the card fetches it.
 */
#include "autograder/qualify/qualify.h"
#include "vm/model/card.h"
#include "vm/spec/reg.h"

static void order(struct observer *o, uint32_t number)
{
	unsigned int who = number >> QUALIFY_SHIFT;
	uint64_t behind;
	uint32_t ahead;

	if (who >= o->producers) {
		o->tally->stray++;
		return;
	}
	ahead = (number - (uint32_t)o->next[who]) & QUALIFY_MASK;
	if (ahead == 0) {
		o->next[who]++;
		return;
	}
	behind = QUALIFY_MASK + 1 - ahead;
	if (o->next[who] + ahead < o->limit[who]) {
		/* Those between are lost, unless they come late. */
		o->tally->lost += ahead;
		o->next[who] += ahead + 1;
	} else if (behind <= o->next[who]) {
		o->tally->reordered++;
		if (o->tally->lost)
			o->tally->lost--;
	} else {
		o->tally->stray++;
	}
}

static void checked(struct observer *o, const struct card_event *event)
{
	o->checks++;
	if (o->skip) {
		o->skip--;
		return;
	}
	o->tally->checked++;
	if (event->arg[0] != event->arg[1])
		o->tally->crc_failures++;
	/* The same two, but where words were damaged: then what the entry
	 * says tells which command it was. */
	order(o, sequence_number(&o->sequence, event->arg[0]));
}

static void begun(struct observer *o, const struct card_event *event)
{
	uint64_t at = (event->arg[1] - o->va) / sizeof(uint32_t);

	if (event->arg[2] != QUALIFY_WORDS || ++o->since < o->damage)
		return;
	o->since = 0;
	o->words[at + 1 + o->tally->injected % (QUALIFY_WORDS - 1)] ^=
		1u << o->tally->injected % 32;
	o->tally->injected++;
}

void observer_hear(void *observer, const struct card_event *event)
{
	struct observer *o = observer;

	switch (event->kind) {
	case EV_GP_END:
		o->ends++;
		break;
	case EV_CRC:
		if (event->arg[2] == NVC06F_GP_ENTRY1_OPCODE_PB_CRC)
			checked(o, event);
		break;
	case EV_GP_BEGIN:
		if (o->words)
			begun(o, event);
		break;
	default:
		break;
	}
}

uint64_t observer_kinds(const struct observer *o)
{
	return 1ull << EV_GP_END | 1ull << EV_CRC |
		(o->words ? 1ull << EV_GP_BEGIN : 0);
}

void observer_close(struct observer *o)
{
	unsigned int i;

	for (i = 0; i < o->producers; i++) {
		if (o->next[i] < o->limit[i])
			o->tally->lost += o->limit[i] - o->next[i];
	}
}
