/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The parts of an address space, in a sorted array.
 *
 * A hole in the middle of a part makes two of it, so both operations first
 * make room for two more; after that nothing can fail.
 */
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/space.h"

void space_map_fini(struct space_map *map)
{
	free(map->part);
	*map = (struct space_map){ NULL, 0, 0 };
}

static uint64_t end_of(const struct space_part *part)
{
	return part->va + part->size;
}

/* Index of the first part that ends after va. */
static size_t find(const struct space_map *map, uint64_t va)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (end_of(&map->part[middle]) > va)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct space_part *space_map_next(const struct space_map *map,
					uint64_t va)
{
	size_t i = find(map, va);

	return i < map->count ? &map->part[i] : NULL;
}

bool space_map_free(const struct space_map *map, uint64_t va, uint64_t size)
{
	const struct space_part *part = space_map_next(map, va);

	return !part || part->va >= va + size;
}

static bool make_room(struct space_map *map)
{
	struct space_part *grown;

	if (map->room >= map->count + 2)
		return true;
	grown = realloc(map->part, (map->room + 64) * sizeof(*grown));
	if (!grown)
		return false;
	map->part = grown;
	map->room += 64;
	return true;
}

static void insert(struct space_map *map, size_t at,
		   const struct space_part *part)
{
	memmove(&map->part[at + 1], &map->part[at],
		(map->count - at) * sizeof(*part));
	map->part[at] = *part;
	map->count++;
}

/* Part i ends at va from here on; the rest is a part of its own. */
static void split(struct space_map *map, size_t i, uint64_t va)
{
	struct space_part rest = map->part[i];
	uint64_t left = va - rest.va;

	rest.va = va;
	rest.size -= left;
	rest.offset += left;
	map->part[i].size = left;
	insert(map, i + 1, &rest);
}

bool space_map_clear(struct space_map *map, uint64_t va, uint64_t size)
{
	size_t first, last;

	if (!make_room(map))
		return false;
	first = find(map, va);
	if (first < map->count && map->part[first].va < va)
		split(map, first++, va);
	last = find(map, va + size);
	if (last < map->count && map->part[last].va < va + size) {
		split(map, last, va + size);
		last++;
	}
	memmove(&map->part[first], &map->part[last],
		(map->count - last) * sizeof(*map->part));
	map->count -= last - first;
	return true;
}

bool space_map_set(struct space_map *map, const struct space_part *part)
{
	if (!space_map_clear(map, part->va, part->size) || !make_room(map))
		return false;
	insert(map, find(map, part->va), part);
	return true;
}
