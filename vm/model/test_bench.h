/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A bare card on a bench, for tests of its core: memory decoding and bus
 * mastering are on, nothing else has been done.  See test_rig.h for a card
 * whose Host is up.
 */
#ifndef TEST_BENCH_H
#define TEST_BENCH_H

#include "vm/model/model.h"
#include "vm/model/test_machine.h"

#define BENCH_DMA	0x1200000000ull	/* system memory, for the card */

enum { BENCH_TRACE = 1 << 20 };

struct bench {
	struct machine machine;
	struct card *card;		/* the machine's		*/
	char *trace;			/* text of every event		*/
	size_t trace_len;
};

void bench_start(struct bench *bench, enum card_chip chip);
void bench_start_config(struct bench *bench, const struct card_config *config);
void bench_stop(struct bench *bench);

uint32_t bench_rd(struct bench *bench, uint32_t offset);
void bench_wr(struct bench *bench, uint32_t offset, uint32_t value);
/* Let every posted write arrive, without looking at anything. */
void bench_arrive(struct bench *bench);
/* Write, arrive, poll until the bits are clear. */
void bench_wait(struct bench *bench, uint32_t offset, uint32_t bits);

/* This rule was broken n times, and no other; forgets them. */
void bench_expect(struct bench *bench, enum card_rule rule, unsigned int n);
void bench_expect_nothing(struct bench *bench);

/* BAR1 or BAR2 through an instance block with this root. */
void bench_instance(struct bench *bench, uint64_t inst, uint64_t root,
		    uint32_t flags, uint64_t limit);

#endif
