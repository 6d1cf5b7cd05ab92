/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * DMA memory: pieces of the arena, and the bus addresses they have.
 */
#ifndef JUDGE_ARENA_H
#define JUDGE_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "autograder/judge/visibility.h"

#define ARENA_PIECES	256u

struct arena_piece {
	uint64_t offset, size;	/* in the arena, whole pages		*/
	uint64_t dma;
	bool live;		/* false: freed; kept to name late users */
};

struct arena {
	struct arena_piece piece[ARENA_PIECES];
	unsigned int pieces;
	uint64_t next;		/* where to look for room first		*/
	unsigned int dma_bits;	/* the chip's mask			*/
	uint64_t random;
	uint64_t allocated;	/* bytes live				*/
};

void arena_init(struct arena *arena, unsigned int dma_bits, uint64_t seed);

/* NULL: no room, or a size of zero. */
const struct arena_piece *arena_alloc(struct arena *arena, uint64_t size);
/* The live piece that starts at offset, or NULL. */
struct arena_piece *arena_at(struct arena *arena, uint64_t offset);
void arena_free(struct arena *arena, struct arena_piece *piece);

/* The piece that holds all of these bytes, a live one before a freed one. */
const struct arena_piece *arena_find(const struct arena *arena,
				     uint64_t offset, uint64_t len);
const struct arena_piece *arena_find_dma(const struct arena *arena,
					 uint64_t dma, uint64_t len);

#endif
