/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * DMA memory: pieces of the arena, and the bus addresses they have [§4.1].
 *
 * A driver must use the address it was given and no other.  So addresses are
 * drawn at random, beyond 4 GiB, one in four at the very end of what the
 * chip's mask allows, never two adjacent, and never equal to a CPU pointer
 * or an offset.  Freed pieces stay on record for as long as there is room:
 * a card that still fetches from one tells a driver's bug by its name.
 */
#include <string.h>

#include "autograder/judge/arena.h"

#define PAGE	4096ull

void arena_init(struct arena *arena, unsigned int dma_bits, uint64_t seed)
{
	*arena = (struct arena){ .dma_bits = dma_bits, .random = seed };
}

static uint64_t draw(struct arena *arena)
{
	uint64_t z = arena->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static bool meet(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
	return a < b + b_len && b < a + a_len;
}

/* The end of the live piece that is in the way, or 0. */
static uint64_t in_the_way(const struct arena *arena, uint64_t offset,
			   uint64_t size)
{
	const struct arena_piece *p;

	for (p = arena->piece; p < arena->piece + arena->pieces; p++) {
		if (p->live && meet(p->offset, p->size, offset, size))
			return p->offset + p->size;
	}
	return 0;
}

/* First fit after the last piece, then from the start. */
static bool find_room(struct arena *arena, uint64_t size, uint64_t *offset)
{
	uint64_t at = arena->next, end;
	int laps = 0;

	while (laps < 2) {
		if (at + size > WIRE_ARENA_SIZE) {
			at = 0;
			laps++;
			continue;
		}
		end = in_the_way(arena, at, size);
		if (!end) {
			*offset = at;
			arena->next = at + size;
			return true;
		}
		at = end;
	}
	return false;
}

static uint64_t draw_dma(struct arena *arena, uint64_t size)
{
	uint64_t top = 1ull << arena->dma_bits, dma;
	unsigned int i;
	bool clash;

	do {
		if (draw(arena) % 4 == 0)
			dma = top - size - draw(arena) % 64 * PAGE;
		else
			dma = (1ull << 32) + draw(arena) %
				(top - (1ull << 32) - size);
		dma &= ~(PAGE - 1);
		clash = false;
		for (i = 0; i < arena->pieces; i++)
			clash |= meet(arena->piece[i].dma - PAGE,
				      arena->piece[i].size + 2 * PAGE, dma,
				      size);
	} while (clash);
	return dma;
}

/* A record to use: a new one, or that of the piece freed first. */
static struct arena_piece *spare(struct arena *arena)
{
	unsigned int i;

	if (arena->pieces < ARENA_PIECES)
		return &arena->piece[arena->pieces++];
	for (i = 0; i < ARENA_PIECES; i++) {
		if (!arena->piece[i].live)
			return &arena->piece[i];
	}
	return NULL;
}

const struct arena_piece *arena_alloc(struct arena *arena, uint64_t size)
{
	struct arena_piece *piece;
	uint64_t offset, dma;

	if (!size || size > WIRE_ARENA_SIZE)
		return NULL;
	size = (size + PAGE - 1) & ~(PAGE - 1);
	if (!find_room(arena, size, &offset))
		return NULL;
	dma = draw_dma(arena, size);
	piece = spare(arena);
	if (!piece)
		return NULL;
	*piece = (struct arena_piece){ offset, size, dma, true };
	arena->allocated += size;
	return piece;
}

struct arena_piece *arena_at(struct arena *arena, uint64_t offset)
{
	unsigned int i;

	for (i = 0; i < arena->pieces; i++) {
		if (arena->piece[i].live && arena->piece[i].offset == offset)
			return &arena->piece[i];
	}
	return NULL;
}

void arena_free(struct arena *arena, struct arena_piece *piece)
{
	piece->live = false;
	arena->allocated -= piece->size;
}

static bool holds(uint64_t start, uint64_t size, uint64_t at, uint64_t len)
{
	return at >= start && len <= size && at - start <= size - len;
}

const struct arena_piece *arena_find(const struct arena *arena,
				     uint64_t offset, uint64_t len)
{
	const struct arena_piece *p, *freed = NULL;

	for (p = arena->piece; p < arena->piece + arena->pieces; p++) {
		if (!holds(p->offset, p->size, offset, len))
			continue;
		if (p->live)
			return p;
		freed = p;
	}
	return freed;
}

const struct arena_piece *arena_find_dma(const struct arena *arena,
					 uint64_t dma, uint64_t len)
{
	const struct arena_piece *p, *freed = NULL;

	for (p = arena->piece; p < arena->piece + arena->pieces; p++) {
		if (!holds(p->dma, p->size, dma, len))
			continue;
		if (p->live)
			return p;
		freed = p;
	}
	return freed;
}
