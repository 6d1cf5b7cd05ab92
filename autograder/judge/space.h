/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What an address space should be, as the judge keeps it: a flat list of
 * parts, in order, that do not overlap.  No tables, no pages.
 */
#ifndef JUDGE_SPACE_H
#define JUDGE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct space_part {
	uint64_t va, size;
	uint64_t offset;	/* in the memory, of its first byte	*/
	unsigned int memory;
	uint32_t flags;		/* what it allows			*/
};

struct space_map {
	struct space_part *part;
	size_t count, room;
};

void space_map_fini(struct space_map *map);
/* The first part that ends after va, or NULL. */
const struct space_part *space_map_next(const struct space_map *map,
					uint64_t va);
/* Is nothing in [va, va + size)? */
bool space_map_free(const struct space_map *map, uint64_t va, uint64_t size);
/* Nothing is there afterwards.  False: no memory, nothing done. */
bool space_map_clear(struct space_map *map, uint64_t va, uint64_t size);
/* This and nothing else is there.  False: no memory, nothing added. */
bool space_map_set(struct space_map *map, const struct space_part *part);

#endif
