/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The machine that a card sits in, for tests: one MiB of system memory, and
 * what the card said.  test_bench.h and test_rig.h are cards in it, bare and
 * with Host up.
 */
#ifndef TEST_MACHINE_H
#define TEST_MACHINE_H

#include "vm/model/card.h"

#define MACHINE_MEMORY	(1u << 20)

struct machine {
	struct card *card;
	uint64_t dma;			/* where the card has the memory */
	uint8_t *memory;
	bool peek;			/* offer the fast path		*/
	unsigned int rules[CARD_RULES], violations;
	char last[512];			/* violation, as text		*/
	unsigned int interrupts;	/* with level true		*/
	unsigned int drops;		/* … false			*/
	uint64_t interrupt_at;
	void (*event)(struct machine *machine, const struct card_event *event);
};

/* Of machine only dma, peek and event are set.  All asserted. */
void machine_start(struct machine *machine, const struct card_config *config);
void machine_stop(struct machine *machine);

#endif
