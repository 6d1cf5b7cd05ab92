/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Addresses for DMA, first fit by address.
 *
 * Three numbers bound an address: what the card can drive (its DMA mask),
 * what the IOMMU can translate, and the holes in that, where a machine
 * delivers interrupts or a firmware has reserved memory.  Linux tells the
 * second and third as a list of ranges; the caller knows the first.
 *
 * Addresses above 4 GiB come first.  They are as good as those below, and an
 * address that some code has cut to 32 bits then leads to no memory.  Page 0
 * is never given, and a page between two blocks stays free: a card that runs
 * off an end, or uses an address nobody set, meets the IOMMU and not its
 * neighbour.
 */
#include "iova.h"

#define FOUR_GIB	(1ULL << 32)

struct iova_block {
	struct iova_block *next;
	u64 at, size;
};

static u64 round_down_to(u64 value, u64 page)
{
	return value & ~(page - 1);
}

/* Whole pages of a range, without page 0; false: there are none. */
static bool range_trim(struct iova_range *range, u64 last, u64 page)
{
	u64 end = min(range->last, last);

	if (range->first > ~0ULL - page)
		return false;
	range->first = max(ALIGN(range->first, page), page);
	if (end < page - 1 || end - (page - 1) < range->first)
		return false;
	/* The last byte of the last whole page. */
	range->last = round_down_to(end - (page - 1), page) + page - 1;
	return true;
}

/* … and does not even touch it. */
static bool is_before(const struct iova_range *a, const struct iova_range *b)
{
	return a->last < b->first && b->first - a->last > 1;
}

/* In by address; those that touch or overlap become one. */
static void range_insert(struct iova_space *space, struct iova_range range)
{
	unsigned int i, n = 0;
	struct iova_range kept[IOVA_RANGES];

	for (i = 0; i < space->ranges; i++) {
		struct iova_range *old = &space->range[i];

		if (is_before(old, &range) || is_before(&range, old)) {
			kept[n++] = *old;
			continue;
		}
		range.first = min(range.first, old->first);
		range.last = max(range.last, old->last);
	}
	for (i = n; i > 0 && kept[i - 1].first > range.first; i--)
		kept[i] = kept[i - 1];
	kept[i] = range;
	space->ranges = n + 1;
	memcpy(space->range, kept, (n + 1) * sizeof(kept[0]));
}

/* Above 4 GiB and below are two ranges, so that one can come first. */
static void range_split(struct iova_space *space)
{
	for (unsigned int i = 0; i < space->ranges; i++) {
		struct iova_range *range = &space->range[i];

		if (range->first >= FOUR_GIB || range->last < FOUR_GIB)
			continue;
		memmove(range + 1, range,
			(space->ranges - i) * sizeof(*range));
		range[0].last = FOUR_GIB - 1;
		range[1].first = FOUR_GIB;
		space->ranges++;
		return;
	}
}

int iova_init(struct iova_space *space, const struct iova_range *range,
	      unsigned int ranges, u64 last, u64 page)
{
	memset(space, 0, sizeof(*space));
	if (!is_power_of_2(page))
		return -EINVAL;
	space->page = page;
	for (unsigned int i = 0; i < ranges; i++) {
		struct iova_range part = range[i];

		if (!range_trim(&part, last, page))
			continue;
		/* One place is kept for the split. */
		if (space->ranges == IOVA_RANGES - 1)
			return -ENOSPC;
		range_insert(space, part);
	}
	range_split(space);
	return space->ranges ? 0 : -ENOSPC;
}

void iova_fini(struct iova_space *space)
{
	while (space->blocks)
		iova_free(space, space->blocks->at);
}

/* The lowest place in a range: where, and which link it is to go into. */
static bool range_find(struct iova_space *space,
		       const struct iova_range *range, u64 size, u64 *at,
		       struct iova_block ***link)
{
	u64 start = range->first;

	for (*link = &space->blocks; **link; *link = &(**link)->next) {
		const struct iova_block *block = **link;

		if (block->at + block->size + space->page <= start)
			continue;
		if (block->at > start && block->at - start >= size &&
		    block->at - start - size >= space->page)
			break;
		if (block->at > range->last)
			return false;
		start = block->at + block->size + space->page;
	}
	*at = start;
	return start <= range->last && range->last - start >= size - 1;
}

static bool space_find(struct iova_space *space, u64 size, u64 *at,
		       struct iova_block ***link)
{
	/* Twice: above 4 GiB, then below. */
	for (int low = 0; low < 2; low++) {
		for (unsigned int i = 0; i < space->ranges; i++) {
			const struct iova_range *range = &space->range[i];

			if ((range->first < FOUR_GIB) == low &&
			    range_find(space, range, size, at, link))
				return true;
		}
	}
	return false;
}

int iova_alloc(struct iova_space *space, u64 size, u64 *iova)
{
	struct iova_block **link, *block;
	u64 at;

	if (!size || size > ~0ULL - space->page)
		return -EINVAL;
	size = ALIGN(size, space->page);
	if (!space_find(space, size, &at, &link))
		return -ENOSPC;
	block = kzalloc(sizeof(*block), GFP_KERNEL);
	if (!block)
		return -ENOMEM;
	block->at = at;
	block->size = size;
	block->next = *link;
	*link = block;
	*iova = at;
	return 0;
}

int iova_free(struct iova_space *space, u64 iova)
{
	struct iova_block **link = &space->blocks;
	struct iova_block *block;

	while (*link && (*link)->at != iova)
		link = &(*link)->next;
	block = *link;
	if (!block)
		return -ENOENT;
	*link = block->next;
	kfree(block);
	return 0;
}

bool iova_first(const struct iova_space *space, u64 *iova, u64 *size)
{
	if (!space->blocks)
		return false;
	*iova = space->blocks->at;
	*size = space->blocks->size;
	return true;
}
