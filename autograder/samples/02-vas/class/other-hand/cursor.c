/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Cutting a mapping into runs.
 *
 * A run is as long as its pages have one size and follow each other in
 * memory.  At each place the largest page is taken for which both addresses
 * are aligned and which the piece still holds; a run of smaller ones ends
 * where a larger one may begin.  Pieces that happen to follow each other are
 * not joined.
 */
#include "radix.h"

void cursor_begin(struct cursor *cursor, const struct vas_mapping *mapping,
		  u32 shifts)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->mapping = mapping;
	if (!mapping)
		return;
	cursor->shifts = mapping->page_shift ? (u32)BIT(mapping->page_shift) :
					       shifts;
	cursor->va = mapping->va;
	cursor->piece = mapping->piece;
	cursor->at = mapping->offset;
}

/* A page of this size fits at the beginning of a run. */
static bool suits(const struct run *run, u32 shift)
{
	return IS_ALIGNED(run->va | run->addr, BIT_ULL(shift)) &&
	       run->end - run->va >= BIT_ULL(shift);
}

/* A page of this size fits later in a run: end it there. */
static void stop_before(struct run *run, u32 shift)
{
	u64 size = BIT_ULL(shift), from = ALIGN(run->va, size);

	if (IS_ALIGNED(run->va ^ run->addr, size) && from < run->end &&
	    run->end - from >= size)
		run->end = from;
}

bool cursor_next(struct cursor *cursor, u64 stop, struct run *run)
{
	u32 shift;

	if (!cursor->mapping)
		return false;
	stop = min(stop, cursor->mapping->va + cursor->mapping->size);
	if (cursor->va >= stop)
		return false;
	for (; cursor->at >= cursor->piece->size; cursor->piece++)
		cursor->at -= cursor->piece->size;
	run->va = cursor->va;
	run->end = run->va + min(stop - run->va,
				 cursor->piece->size - cursor->at);
	run->addr = cursor->piece->addr + cursor->at;
	run->aperture = cursor->piece->aperture;
	for (shift = VAS_PAGE_2M; shift > VAS_PAGE_4K; shift--) {
		if (!(cursor->shifts & BIT(shift)))
			continue;
		if (suits(run, shift))
			break;
		stop_before(run, shift);
	}
	run->shift = shift;
	run->end = run->va + ALIGN_DOWN(run->end - run->va, BIT_ULL(shift));
	cursor->at += run->end - run->va;
	cursor->va = run->end;
	return true;
}

u32 kind_of(u32 shift)
{
	return shift == VAS_PAGE_2M ? HUGE :
	       shift == VAS_PAGE_4K ? SMALL : BIG;
}

u32 cursor_kinds(struct cursor *cursor, u64 stop)
{
	struct run run;
	u32 kinds = 0;

	while (cursor_next(cursor, stop, &run))
		kinds |= BIT(kind_of(run.shift));
	return kinds;
}
