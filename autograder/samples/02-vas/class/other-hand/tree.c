/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Changing page tables by walks over the range that changes [§6.4].
 *
 * One recursive walk goes down the directories, and three visitors use it.
 * What one entry of the last directory covers is a cell: it has a huge page,
 * or a table of big and one of small pages.
 *
 *   plan	Make the tables that are missing.  Where pages of one size take
 *		the place of another's, or a page is cut, the tables of that
 *		cell are copied, and the copies changed.  All that can fail.
 *   apply	Write the pages: into fresh tables only in our copy, into old
 *		ones, where entry follows entry, also the card's.
 *   link	After a flush, bring the entries of directories up to date.
 *		Each is one write, and swaps both tables of a cell.
 *
 * Then flush, invalidate, wait; and only then tables that are not named any
 * more are given back.  So the card finds at every moment either what was
 * there or what will be.
 */
#include "radix.h"
#include "tlb.h"

struct visitor {
	bool grow;	/* make directories that are missing	*/
	/* A cell, from va to end; 0 or -errno, which ends the walk. */
	int (*cell)(struct change *change, struct table *dir,
		    struct slot *slot, u64 va, u64 end);
	/* An entry of any directory, after all that is below. */
	void (*leave)(struct change *change, struct table *dir, u32 index);
};

static int walk(struct change *change, const struct visitor *visitor,
		struct table *dir, u64 va, u64 end);

/* Go down one entry of a directory. */
static int descend(struct change *change, const struct visitor *visitor,
		   struct table *dir, u32 index, u64 va, u64 end)
{
	struct slot *slot = slot_at(dir, index);
	struct table *next;
	int err;

	if (!slot) {
		if (!visitor->grow)
			return 0;
		slot = slot_need(dir, index);
		if (!slot)
			return -ENOMEM;
	}
	if (is_last(change->radix, dir))
		return visitor->cell ?
		       visitor->cell(change, dir, slot, va, end) : 0;
	next = slot->below[SMALL];
	if (!next && visitor->grow) {
		err = table_add(change->radix, dir, &slot->below[SMALL],
				dir->level + 1, &next);
		if (err)
			return err;
	}
	return next ? walk(change, visitor, next, va, end) : 0;
}

static int walk(struct change *change, const struct visitor *visitor,
		struct table *dir, u64 va, u64 end)
{
	const struct pte_level *l = &change->radix->format->level[dir->level];
	u64 at, stop;
	int err = 0;

	for (at = va; at < end && !err; at = stop) {
		u32 index = pte_index(l, at);

		stop = min(end, (at >> l->shift << l->shift) +
				BIT_ULL(l->shift));
		err = descend(change, visitor, dir, index, at, stop);
		if (!err && visitor->leave)
			visitor->leave(change, dir, index);
	}
	return err;
}

/* Plan ---------------------------------------------------------------- */

int radix_plan(struct radix *radix, struct change *change, u64 va, u64 end,
	       const struct vas_mapping *mapping, u32 shifts)
{
	const struct visitor planner = { .grow = mapping, .cell = plan_cell };
	int err;

	change->radix = radix;
	change->va = va;
	change->end = end;
	cursor_begin(&change->start, mapping, shifts);
	change->cursor = change->start;
	err = walk(change, &planner, radix->root, va, end);
	if (err)
		radix_drop(radix);
	return err;
}

void radix_drop(struct radix *radix)
{
	struct table *t;

	/* the last made first: what is below goes before what is above */
	while ((t = radix->fresh)) {
		radix->fresh = t->next;
		*t->place = t->instead;
		t->parent->used -= !t->instead;
		table_free(radix, t);
	}
}

/* Apply --------------------------------------------------------------- */

static void write_run(struct change *change, struct table *dir,
		      struct slot *slot, const struct run *run)
{
	const struct pte_format *format = change->radix->format;
	u32 rights = VAS_READ_ONLY | VAS_VOLATILE | VAS_PRIVILEGED;
	u64 entry = format->page(run->aperture, run->addr,
				 change->start.mapping->flags & rights);
	u32 kind = kind_of(run->shift);

	if (kind == HUGE) {
		slot->huge = entry;
		dir->used++;
		return;
	}
	leaf_fill(change->radix, slot->below[kind], run->va,
		  run->end, entry, BIT_ULL(run->shift - VAS_PAGE_4K +
					   format->address_bit));
}

/* What was there goes, unless a copy without it has been made. */
static void clear_cell(struct change *change, struct table *dir,
		       struct slot *slot, u64 va, u64 end, u32 then)
{
	struct radix *radix = change->radix;
	u32 kind;

	if (slot->huge) {
		slot->huge = 0;
		dir->used--;
	}
	for (kind = BIG; kind <= SMALL; kind++) {
		struct table *leaf = slot->below[kind];

		if (!leaf)
			continue;
		if (is_whole(radix, va, end) && !(then & BIT(kind)))
			table_detach(radix, leaf);
		else if (!then && !leaf->fresh &&
			 leaf_has(radix, leaf, va, end))
			leaf_fill(radix, leaf, va, end, 0, 0);
	}
}

static int apply_cell(struct change *change, struct table *dir,
		     struct slot *slot,  u64 va, u64 end)
{
	struct cursor ahead = change->cursor;
	struct run run;
	u32 kind;

	clear_cell(change, dir, slot, va, end, cursor_kinds(&ahead, end));
	while (cursor_next(&change->cursor, end, &run))
		write_run(change, dir, slot, &run);
	for (kind = BIG; kind <= SMALL; kind++) {
		struct table *leaf = slot->below[kind];

		if (leaf && !leaf->used)
			table_detach(change->radix, leaf);
	}
	return 0;
}

/* A directory below that has become empty goes too. */
static void apply_leave(struct change *change, struct table *dir, u32 index)
{
	const struct slot *slot = slot_at(dir, index);
	struct table *below;

	if (!slot || is_last(change->radix, dir))
		return;
	below = slot->below[SMALL];
	if (below && !below->used)
		table_detach(change->radix, below);
}

/* Link ---------------------------------------------------------------- */

/* Fresh tables go out; those that they replace are not named much longer. */
static void publish(struct radix *radix)
{
	struct table *t;

	while ((t = radix->fresh)) {
		radix->fresh = t->next;
		if (t->instead) {
			t->instead->next = radix->retired;
			radix->retired = t->instead;
			t->instead = NULL;
		}
		if (!t->used) {	/* it has come to hold nothing */
			table_free(radix, t);
			continue;
		}
		table_write(radix, t);
		t->fresh = false;
	}
}

/* An entry that the card can reach, or not yet. */
static void link_old(struct change *change, struct table *dir, u32 index)
{
	slot_sync(change->radix, dir, index, true);
}

static void link_fresh(struct change *change, struct table *dir, u32 index)
{
	if (dir->fresh)
		slot_sync(change->radix, dir, index, false);
}

static int flush(struct radix *radix)
{
	int err = radix->unflushed ? gpu_flush(radix->gpu) : 0;

	if (!err)
		radix->unflushed = false;
	return err;
}

/*
 * Name what is written and flushed.  After a flush that failed nothing may be
 * named, and the card's directories stay behind ours until the next change.
 */
static int link_up(struct change *change)
{
	static const struct visitor linker = { .leave = link_old };
	struct radix *radix = change->radix;
	int err = flush(radix);

	if (err) {
		radix->behind = true;
		return err;
	}
	if (radix->behind)
		walk(change, &linker, radix->root, 0, radix->limit);
	else
		walk(change, &linker, radix->root, change->va, change->end);
	radix->behind = false;
	return flush(radix);
}

static void free_retired(struct radix *radix)
{
	struct table *t;

	while ((t = radix->retired)) {
		radix->retired = t->next;
		table_free(radix, t);
	}
}

int radix_commit(struct change *change)
{
	static const struct visitor applier = {
		.cell = apply_cell,
		.leave = apply_leave,
	};
	static const struct visitor inner = { .leave = link_fresh };
	struct radix *radix = change->radix;
	int err;

	change->cursor = change->start;
	walk(change, &applier, radix->root, change->va, change->end);
	if (radix->fresh)
		walk(change, &inner, radix->root, change->va, change->end);
	publish(radix);
	err = link_up(change);
	if (!err && radix->stale)
		err = tlb_invalidate(radix->gpu, radix->root->mem.addr);
	if (err)
		return err;
	radix->stale = false;
	free_retired(radix);
	return 0;
}

/* Begin and end ------------------------------------------------------- */

int radix_init(struct radix *radix, struct gpu *gpu, u64 limit)
{
	int err;

	radix->gpu = gpu;
	radix->format = pte_format(gpu_mmu_format(gpu));
	radix->limit = limit;
	err = table_add(radix, NULL, NULL, 0, &radix->root);
	if (err)
		return err;
	radix->fresh = NULL;
	radix->root->fresh = false;
	table_write(radix, radix->root);
	err = flush(radix);
	if (err)
		table_free(radix, radix->root);
	return err;
}

static void free_below(struct radix *radix, struct table *t)
{
	u32 i, count = is_leaf(radix, t) ? 0 : t->chunks * SLOTS;

	for (i = 0; i < count; i++) {
		const struct slot *slot = slot_at(t, i);

		if (!slot) {
			i |= SLOTS - 1;		/* none in this chunk */
			continue;
		}
		if (slot->below[BIG])
			free_below(radix, slot->below[BIG]);
		if (slot->below[SMALL])
			free_below(radix, slot->below[SMALL]);
	}
	table_free(radix, t);
}

/* Another root may come to lie where ours was: the card forgets ours first. */
void radix_fini(struct radix *radix)
{
	tlb_invalidate(radix->gpu, radix->root->mem.addr);
	free_below(radix, radix->root);
	free_retired(radix);
}
