/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A change of one address space's page tables [§6.4].
 *
 * The card may walk at any moment, may remember the way to a table for as
 * long as it was not told to forget, and what we write through BAR1 arrives
 * late and not in order [§4.4].  So, as RCU would have it: what the card reads
 * is never changed in two steps.  An entry may be overwritten.  Where more has
 * to change at once, small pages for a big one, the tables concerned go on in
 * other memory; there they are changed; then it is flushed; then one entry of
 * a directory is written and the card finds all that is new.  What it read
 * before stays as it was until the invalidation is done, and is given back
 * then and not before.
 */
#include "kmd.h"
#include "pte.h"
#include "table.h"
#include "tlb.h"
#include "tree.h"
#include "vas.h"

/* What stays of a page that is cut: small pages from va to end. */
struct rest {
	u64 va, end;
	u64 entry;		/* of the first; 0: nothing stays	*/
};

struct tree {
	struct table_set set;
	const struct pte_format *format;
	struct table *root;
	/* of this change */
	struct table *fresh;	/* made for it, not linked yet		*/
	struct table *left;	/* memory that tables moved out of	*/
	struct table *empty;	/* nothing stays, still linked		*/
	struct rest rest[2];	/* before, after			*/
	/* until the next invalidation */
	struct table *retired;	/* perhaps remembered by the card	*/
};

/* LAB 02: which level has the entries of pages of this size. */
static u32 level_of(const struct tree *tree, u32 shift)
{
	if (shift == VAS_PAGE_4K)
		return pte_small(tree->format);
	return shift == VAS_PAGE_2M ? pte_last(tree->format) :
		pte_big(tree->format);
}

/* LAB 02: how much further memory is, as an entry has it. */
static u64 entry_step(const struct tree *tree, u64 bytes)
{
	return bytes >> VAS_PAGE_4K << tree->format->address_bit;
}

/* LAB 02: a table of this level for va; before it those above it. */
static int need(struct tree *tree, u32 level, u64 va)
{
	u32 above = min(level, pte_big(tree->format)) - 1;
	struct table *table;
	int err;

	if (table_find(&tree->set, level, va))
		return 0;
	err = need(tree, above, va);
	if (err)
		return err;
	err = table_make(&tree->set, level, va,
			 table_find(&tree->set, above, va), &table);
	if (err)
		return err;
	table->fresh = true;
	table_put(&tree->fresh, table);
	return 0;
}

/* LAB 02: let a table that the card reads be changed as a whole. */
static int move(struct tree *tree, struct table *table)
{
	struct table *left;
	int err;

	if (table->fresh || table->moved)
		return 0;
	err = table_move(&tree->set, table, &left);
	if (err)
		return err;
	table->moved = true;
	table_put(&tree->left, left);
	return 0;
}

/* LAB 02: see tree.h. */
int tree_cut(struct tree *tree, u64 edge, bool before)
{
	struct table *table = table_large(&tree->set, edge);
	struct rest *rest = &tree->rest[!before];
	u32 small = pte_small(tree->format);
	u64 size, page, entry;
	int err;

	if (!table)
		return 0;
	size = 1ULL << table->form->shift;
	page = ALIGN_DOWN(edge, size);
	if (page == edge)
		return 0;
	entry = table_read(table, edge);
	if (entry == ~0ULL)
		return -ENODEV;
	rest->va = before ? page : edge;
	rest->end = before ? edge : page + size;
	rest->entry = entry + entry_step(tree, rest->va - page);
	err = need(tree, small, edge);
	if (err || table->level == pte_last(tree->format))
		return err;
	err = move(tree, table);
	return err ? err : move(tree, table_find(&tree->set, small, edge));
}

/* LAB 02: where the table that va is in ends, or end if that comes first. */
static u64 part_end(const struct tree *tree, u32 level, u64 va, u64 end)
{
	u64 reach = pte_reach(&tree->format->level[level]);

	return min(end, ALIGN_DOWN(va, reach) + reach);
}

/* LAB 02: one that covers all of a table goes with it. */
static bool covers(const struct table *table, u64 va, u64 end)
{
	return va <= table->va && end >= table_end(table);
}

/*
 * LAB 02: pages of this level, from va to end in one table, where there may be
 * some of the other size: then both tables must change at once.
 */
static int need_part(struct tree *tree, u32 level, u64 va, u64 end)
{
	u32 big = pte_big(tree->format), small = pte_small(tree->format);
	struct table *other;
	int err;

	err = need(tree, level, va);
	if (err || level == pte_last(tree->format))
		return err;
	other = table_find(&tree->set, level == big ? small : big, va);
	if (!other || !table_has_pages(other, va, end))
		return 0;
	if (!covers(other, va, end))
		err = move(tree, other);
	return err ? err : move(tree, table_find(&tree->set, level, va));
}

/* LAB 02: see tree.h. */
int tree_need(struct tree *tree, u64 va, u64 end, u32 shift)
{
	u32 level = level_of(tree, shift);
	int err = 0;
	u64 next;

	for (; va < end && !err; va = next) {
		next = part_end(tree, level, va, end);
		err = need_part(tree, level, va, next);
	}
	return err;
}

/* LAB 02: see tree.h. */
void tree_cancel(struct tree *tree)
{
	struct table *table;

	while ((table = table_take(&tree->left))) {
		table->parent->moved = false;
		table_move_back(&tree->set, table);
	}
	while ((table = table_take(&tree->fresh))) {
		table_forget(&tree->set, table);
		table_free(&tree->set, table);
	}
	memset(tree->rest, 0, sizeof(tree->rest));
}

/*
 * LAB 02: see tree.h.  Where a huge page stood in the place of the table, the
 * card has it until the table is linked.
 */
void tree_write(struct tree *tree, u64 va, u64 end, u32 shift, u64 entry)
{
	u32 level = level_of(tree, shift);
	u64 next;

	for (; va < end; va = next) {
		struct table *table = table_find(&tree->set, level, va);

		next = part_end(tree, level, va, end);
		if (level > pte_last(tree->format))
			table_note_page(table->parent, va, false);
		table_write(&tree->set, table, va, next, entry);
		entry += entry_step(tree, next - va);
	}
}

/* LAB 02: what stays of pages that are cut. */
static void rests_write(struct tree *tree)
{
	for (u32 i = 0; i < ARRAY_SIZE(tree->rest); i++) {
		struct rest *rest = &tree->rest[i];

		if (rest->entry)
			tree_write(tree, rest->va, rest->end, VAS_PAGE_4K,
				   rest->entry);
		rest->entry = 0;
	}
}

/* LAB 02: of this table nothing stays, nor of those above that fall empty. */
static void retire(struct tree *tree, struct table *table)
{
	while (!table->used && table->parent) {
		table_forget(&tree->set, table);
		table_put(&tree->empty, table);
		table = table->parent;
	}
}

/* LAB 02: clear the pages of one table from va to end. */
static void clear_table(struct tree *tree, struct table *table, u64 va,
			u64 end)
{
	u64 page = 1ULL << table->form->shift;

	if (table->level > pte_last(tree->format) && covers(table, va, end)) {
		/* Unlinked as it is: the card may be reading it. */
		table->used = 0;
		va = end;
	}
	while (va < end) {
		u64 from = va;

		while (va < end && table_has_page(table, va))
			va += page;
		if (va > from)
			table_write(&tree->set, table, from, va, 0);
		else
			va += page;
	}
	retire(tree, table);
}

/* LAB 02: clear the pages of one level. */
static void clear_level(struct tree *tree, u32 level, u64 va, u64 end)
{
	u64 page = 1ULL << tree->format->level[level].shift, next;
	struct table *table;

	end = ALIGN(end, page);
	for (va = ALIGN_DOWN(va, page); va < end; va = next) {
		table = table_after(&tree->set, level, va);
		if (!table || table->va >= end)
			return;
		next = table_end(table);
		clear_table(tree, table, max(va, table->va), min(end, next));
	}
}

/* LAB 02: see tree.h. */
void tree_clear(struct tree *tree, u64 va, u64 end, u32 keep_shift)
{
	rests_write(tree);
	for (u32 level = pte_last(tree->format);
	     level <= pte_small(tree->format); level++) {
		if (!keep_shift || level != level_of(tree, keep_shift))
			clear_level(tree, level, va, end);
	}
}

/*
 * LAB 02: name the fresh tables in those above them: in fresh ones, which
 * nobody reads yet, or in old ones.
 */
static void fresh_link(struct tree *tree, bool in_fresh)
{
	for (struct table *table = tree->fresh; table; table = table->next) {
		if (table->parent->fresh == in_fresh)
			table_link(&tree->set, table->parent, table->va);
	}
}

/*
 * LAB 02: write every entry of a directory that must change.  Memory that was
 * written for it is flushed before.
 */
static int link_all(struct tree *tree)
{
	struct table *table, *owner;
	int err = 0;

	fresh_link(tree, true);
	if (tree->fresh || tree->left)
		err = gpu_flush(tree->set.gpu);
	fresh_link(tree, false);
	while ((table = table_take(&tree->fresh)))
		table->fresh = false;
	while ((table = table_take(&tree->left))) {
		owner = table->parent;
		owner->moved = false;
		table_link(&tree->set, owner->parent, owner->va);
		table_put(&tree->retired, table);
	}
	while ((table = table_take(&tree->empty))) {
		table_link(&tree->set, table->parent, table->va);
		table_put(&tree->retired, table);
	}
	return err;
}

/* LAB 02: the card has forgotten what was unlinked. */
static void retired_free(struct tree *tree)
{
	struct table *table;

	while ((table = table_take(&tree->retired)))
		table_free(&tree->set, table);
}

/* LAB 02: see tree.h.  All of it is done, also after an error. */
int tree_commit(struct tree *tree)
{
	int err, last;

	err = link_all(tree);
	last = gpu_flush(tree->set.gpu);
	err = err ? err : last;
	last = tlb_invalidate(tree->set.gpu, tree_root(tree));
	err = err ? err : last;
	if (!err)
		retired_free(tree);
	return err;
}

/* LAB 02: see tree.h. */
u64 tree_root(const struct tree *tree)
{
	return tree->root->mem.addr;
}

/* LAB 02: see tree.h. */
u64 tree_bytes(const struct tree *tree)
{
	return tree->set.bytes;
}

/*
 * LAB 02: see tree.h; be the tree whole or not.  Another one may get this
 * root's memory: the card must not remember anything under its address.
 */
void tree_destroy(struct tree *tree)
{
	if (tree->root)
		tlb_invalidate(tree->set.gpu, tree_root(tree));
	retired_free(tree);
	table_set_fini(&tree->set);
	kfree(tree);
}

/* LAB 02: the set, and a root that is in memory when this returns. */
static int tree_init(struct tree *tree, struct gpu *gpu, u64 limit)
{
	int err;

	err = table_set_init(&tree->set, gpu, limit);
	tree->format = tree->set.format;
	if (!err)
		err = table_make(&tree->set, 0, 0, NULL, &tree->root);
	return err ? err : gpu_flush(gpu);
}

/* LAB 02: see tree.h. */
int tree_create(struct gpu *gpu, u64 limit, struct tree **out)
{
	struct tree *tree = kzalloc(sizeof(*tree), GFP_KERNEL);
	int err;

	if (!tree)
		return -ENOMEM;
	err = tree_init(tree, gpu, limit);
	if (err) {
		tree_destroy(tree);
		return err;
	}
	*out = tree;
	return 0;
}
