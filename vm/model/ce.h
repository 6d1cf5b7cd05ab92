/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Between the copy engines' files: the class (ce_class.c) queues launches,
 * the engine (ce.c) carries them out, ce_regs.c shows what became of it [§10].
 */
#ifndef MODEL_CE_H
#define MODEL_CE_H

#include "vm/model/host.h"

enum {
	CE_LAUNCHES = 4,	/* that an engine accepts ahead */
	CE_CHUNK = 4096,	/* bytes between two looks at the clock */
};

/* One end of a copy. */
struct ce_end {
	uint64_t addr;
	int64_t pitch;
	bool physical;
	enum mem_aperture aperture;	/* physical */
};

struct ce_launch {
	struct channel *channel;
	uint32_t word;			/* LAUNCH_DMA */
	struct ce_end src, dst;
	uint64_t semaphore;
	uint32_t payload;
	uint32_t length, lines;		/* elements a line */
	/* remap; without it elements are bytes */
	uint32_t consts[2], components;
	uint32_t src_size, dst_size;	/* bytes of an element */
	bool moves, reads, keeps;	/* data at all, source, old bytes */
};

struct ce {
	struct card *card;
	const struct chip_engine *engine;
	struct ce_launch queue[CE_LAUNCHES];
	unsigned int head, count;
	struct card_timer timer;
	bool running;			/* the head has begun */
	bool stopped;			/* by an interrupt to be cleared */
	uint64_t started;		/* end of the fixed part */
	uint64_t moved;			/* bytes */
	uint32_t line, element;
	uint32_t intr, seen, en, error;
	uint32_t last_channel;
};

/* Begin with what is queued, if the engine is free. */
void ce_kick(struct card *card, struct ce *ce);
/* Move n elements; -EFAULT: the launch is gone, its channel torn off. */
int ce_move(struct card *card, struct ce *ce, uint32_t n);
/* Recompute the interrupt lines. */
void ce_update(struct card *card, struct ce *ce);
int ce_regs_init(struct card *card);
/* LAUNCH_ERROR: stop until it is cleared. */
void ce_launch_error(struct card *card, struct ce *ce,
		     struct channel *channel, uint32_t code,
		     const char *why);

#endif
