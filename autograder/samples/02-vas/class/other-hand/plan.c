/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The part of a change that can fail, for one cell: what the entry of the
 * last directory covers.
 *
 * Tables can be changed in place where pages of one size stay, come or go.
 * Where two sizes meet, or a page is cut, the big and the small table have to
 * change at once: they are copied, the copies lack what is to go, and hold
 * what stays of a page that is cut.  One entry swaps both, later.  Format 1
 * needs it, since there two valid entries for one address are a fault;
 * format 2 could do some of it in place, and does not: one way is enough.
 */
#include "radix.h"

static u32 leaf_level(const struct radix *radix, u32 kind)
{
	return kind == BIG ? pte_big(radix->format) : pte_small(radix->format);
}

/* Kinds of pages that a cell has between va and end. */
static u32 cell_kinds(const struct radix *radix, const struct slot *slot,
		      u64 va, u64 end)
{
	u32 kinds = 0, kind;

	if (slot->huge)
		return BIT(HUGE);
	for (kind = BIG; kind <= SMALL; kind++) {
		struct table *leaf = slot->below[kind];

		if (leaf && leaf_has(radix, leaf, va, end))
			kinds |= BIT(kind);
	}
	return kinds;
}

/* The page over an edge of a change, of which a part stays; entry 0: none. */
struct cut {
	u64 entry;
	u64 va, size;
};

static struct cut cell_cut(const struct radix *radix, const struct slot *slot,
			   u64 edge)
{
	u32 shift = VAS_PAGE_2M;
	const struct table *big = slot->below[BIG];
	struct cut cut = { 0 };

	if (slot->huge) {
		cut.entry = slot->huge;
	} else if (big) {
		const struct pte_level *l = &radix->format->level[big->level];

		cut.entry = leaf_word(big, pte_index(l, edge));
		shift = l->shift;
	}
	cut.size = BIT_ULL(shift);
	cut.va = ALIGN_DOWN(edge, cut.size);
	if (cut.va == edge)
		cut.entry = 0;
	return cut;
}

/* Part of a page that is cut goes on as small pages. */
static int keep_part(struct radix *radix, struct table *small,
		     const struct cut *cut, u64 va, u64 end)
{
	u64 step = BIT_ULL(radix->format->address_bit);
	int err = leaf_need(radix, small, va, end);

	if (!err)
		leaf_fill(radix, small, va, end, cut->entry +
			  (va - cut->va) / BIT_ULL(VAS_PAGE_4K) * step, step);
	return err;
}

/* What of it lies outside of [va, end). */
static int keep_rest(struct radix *radix, struct table *small,
		     const struct cut *cut, u64 va, u64 end)
{
	u64 past = cut->va + cut->size;
	int err = 0;

	if (!cut->entry)
		return 0;
	if (cut->va < va)
		err = keep_part(radix, small, cut, cut->va, va);
	if (!err && end < past)
		err = keep_part(radix, small, cut, end, past);
	return err;
}

/* Room in our copies for the pages of a cell. */
static int need_room(struct change *change, const struct slot *slot, u64 end)
{
	struct run run;
	int err = 0;

	while (!err && cursor_next(&change->cursor, end, &run)) {
		u32 kind = kind_of(run.shift);

		if (kind != HUGE)
			err = leaf_need(change->radix, slot->below[kind],
					run.va, run.end);
	}
	return err;
}

/* A fresh table with the pages of the one that it replaces, save these. */
static int leaf_renew(struct radix *radix, struct table *dir,
		      struct slot *slot, u32 kind, u64 va, u64 end)
{
	struct table *leaf;
	int err = table_add(radix, dir, &slot->below[kind],
			    leaf_level(radix, kind), &leaf);

	if (err || !leaf->instead)
		return err;
	err = leaf_copy(leaf, leaf->instead);
	if (!err)
		leaf_fill(radix, leaf, va, end, 0, 0);
	return err;
}

/* After it the cursor is past the cell. */
int plan_cell(struct change *change, struct table *dir, struct slot *slot,
	      u64 va, u64 end)
{
	struct radix *radix = change->radix;
	u32 now = cell_kinds(radix, slot, va, end);
	struct cursor ahead = change->cursor;
	u32 then = cursor_kinds(&ahead, end), kind;
	struct cut low = cell_cut(radix, slot, va);
	struct cut high = cell_cut(radix, slot, end);
	bool cut = low.entry || high.entry;
	bool renew = cut || (now && then &&
			     (now != then || !is_power_of_2(then)));
	bool whole = is_whole(radix, va, end);
	int err;

	if (cut)
		then |= BIT(SMALL);
	for (kind = BIG; kind <= SMALL; kind++) {
		bool want = then & BIT(kind);

		if (whole && !want)
			continue;	/* it goes with all its pages */
		if (renew ? !((now | then) & BIT(kind)) :
			    !want || slot->below[kind])
			continue;
		err = leaf_renew(radix, dir, slot, kind, va, end);
		if (err)
			return err;
	}
	err = keep_rest(radix, slot->below[SMALL], &low, va, end);
	if (!err)
		err = keep_rest(radix, slot->below[SMALL], &high, va, end);
	return err ? err : need_room(change, slot, end);
}

