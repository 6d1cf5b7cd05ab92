/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * First fit over a sorted list of what is taken.
 *
 * The list holds the taken ranges and not the free ones, so that giving one
 * back never needs memory and cannot fail.  Its cost grows with the number of
 * allocations, never with the size of the memory: a card may have 24 GiB.
 */
#include "extents.h"

struct extent {
	struct extent *next;
	u64 at, size;
};

void extents_init(struct extents *extents, u64 base, u64 limit)
{
	extents->base = base;
	extents->limit = limit;
	extents->first = NULL;
}

int extents_alloc(struct extents *extents, u64 size, u64 align, u64 *at)
{
	struct extent **link = &extents->first;
	u64 start = ALIGN(extents->base, align);
	struct extent *extent;

	while (*link && (start > (*link)->at || (*link)->at - start < size)) {
		start = ALIGN((*link)->at + (*link)->size, align);
		link = &(*link)->next;
	}
	if (size == 0 || start > extents->limit ||
	    extents->limit - start < size)
		return -ENOMEM;

	extent = kzalloc(sizeof(*extent), GFP_KERNEL);
	if (!extent)
		return -ENOMEM;
	extent->at = start;
	extent->size = size;
	extent->next = *link;
	*link = extent;
	*at = start;
	return 0;
}

void extents_free(struct extents *extents, u64 at)
{
	struct extent **link = &extents->first;
	struct extent *extent;

	while (*link && (*link)->at != at)
		link = &(*link)->next;
	extent = *link;
	if (!extent)
		return;
	*link = extent->next;
	kfree(extent);
}

void extents_fini(struct extents *extents)
{
	while (extents->first)
		extents_free(extents, extents->first->at);
}
