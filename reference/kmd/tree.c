/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The page tables of one address space [§6.4].
 *
 * They lie in video memory, where the card walks them.  We keep of each where
 * it is, how many of its entries say something, and which are pages; not what
 * they say.  Which addresses have a table is in a set of ranges for each
 * level, so nothing here is linear in the size of a space, and an empty one
 * costs next to nothing.
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
#include "range.h"
#include "tlb.h"
#include "tree.h"
#include "vas.h"

#define PAGE		(1ULL << VAS_PAGE_4K)
#define BURST		64	/* words that are written at once	*/

struct table {
	struct table_mem mem;
	struct table *parent;	/* NULL: the root			*/
	struct table *next;	/* in one of the tree's lists		*/
	u64 va;			/* what its first entry is for		*/
	u32 level;
	u32 used;		/* pages, and tables below		*/
	bool fresh;		/* in tree->fresh			*/
	bool moved;		/* the card still reads other memory	*/
	u64 pages[];		/* a bit for each entry that is a page	*/
};

/* What stays of a page that is cut: small pages from va to end. */
struct rest {
	u64 va, end;
	u64 entry;		/* of the first; 0: nothing stays	*/
};

struct tree {
	struct gpu *gpu;
	const struct pte_format *format;
	u64 limit;
	struct ranges *tables[PTE_LEVELS];	/* tag: the struct table */
	struct table *root;
	/* of this change */
	struct table *fresh;	/* made for it, not linked yet		*/
	struct table *left;	/* memory that tables moved out of; parent:
				 * whose it was				*/
	struct table *empty;	/* nothing stays, still linked		*/
	struct rest rest[2];	/* before, after			*/
	/* until the next invalidation */
	struct table *retired;	/* perhaps remembered by the card	*/
	u64 bytes;
};

/* LAB 02: which level has the entries of pages of this size. */
static u32 level_of(const struct tree *tree, u32 shift)
{
	if (shift == VAS_PAGE_4K)
		return pte_small(tree->format);
	return shift == VAS_PAGE_2M ? pte_last(tree->format) :
		pte_big(tree->format);
}

/* LAB 02: the table of a level that an address goes through, or NULL. */
static struct table *table_find(const struct tree *tree, u32 level, u64 va)
{
	struct range range;

	if (!ranges_find(tree->tables[level], va, &range) || range.at > va)
		return NULL;
	return (struct table *)(uintptr_t)range.tag;
}

/* LAB 02: the card does not know it any more, and nor does anybody else. */
static void table_free(struct tree *tree, struct table *table)
{
	tree->bytes -= table->mem.size;
	gpu_table_free(tree->gpu, &table->mem);
	kfree(table);
}

/*
 * LAB 02: memory for a table: what somebody left there, so clear it.  The
 * root ends with the space, but is 4 KiB aligned however small it is.
 */
static int table_alloc(struct tree *tree, u32 level, struct table **out)
{
	const struct pte_level *l = &tree->format->level[level];
	u32 entries = level ? 1u << l->bits : pte_index(l, tree->limit - 1) + 1;
	u64 size = (u64)entries * l->size;
	struct table *table;
	int err;

	table = kzalloc(sizeof(*table) +
			DIV_ROUND_UP(entries, 64) * sizeof(u64), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	err = gpu_table_alloc(tree->gpu, level ? size : ALIGN(size, PAGE),
			      &table->mem);
	if (err) {
		kfree(table);
		return err;
	}
	iosys_map_memset(&table->mem.map, 0, 0, table->mem.size);
	tree->bytes += table->mem.size;
	table->level = level;
	*out = table;
	return 0;
}

/* LAB 02: a fresh table for va, empty. */
static int table_make(struct tree *tree, u32 level, u64 va,
		      struct table *parent)
{
	u64 reach = pte_reach(&tree->format->level[level]);
	struct table *table;
	int err;

	err = table_alloc(tree, level, &table);
	if (err)
		return err;
	table->va = ALIGN_DOWN(va, reach);
	err = ranges_reserve(tree->tables[level], table->va, reach,
			     (uintptr_t)table);
	if (err) {
		table_free(tree, table);
		return err;
	}
	table->parent = parent;
	if (parent)
		parent->used++;
	table->fresh = true;
	table->next = tree->fresh;
	tree->fresh = table;
	return 0;
}

/* LAB 02: a table of this level for va; before it those above it. */
static int table_need(struct tree *tree, u32 level, u64 va)
{
	u32 above = min(level, pte_big(tree->format)) - 1;
	int err;

	if (table_find(tree, level, va))
		return 0;
	err = table_need(tree, above, va);
	if (err)
		return err;
	return table_make(tree, level, va, table_find(tree, above, va));
}

/* LAB 02: its addresses have no table any more. */
static void table_forget(struct tree *tree, struct table *table)
{
	/* A whole range: this needs no memory. */
	ranges_free(tree->tables[table->level], table->va,
		    pte_reach(&tree->format->level[table->level]));
	if (table->parent)
		table->parent->used--;
}

/* LAB 02: is this entry one of a page? */
static bool table_has_page(const struct table *table, u32 index)
{
	return table->pages[index / 64] >> (index % 64) & 1;
}

/* LAB 02: note that this entry is one of a page, or is not. */
static void table_note_page(struct table *table, u32 index, bool page)
{
	if (table_has_page(table, index) == page)
		return;
	table->pages[index / 64] ^= BIT_ULL(index % 64);
	table->used += page ? 1 : -1;
}

/*
 * LAB 02: write the entries of the pages from va to end, all in this table;
 * the first is entry, the others follow in memory.  0: clear them.
 */
static void pages_write(struct tree *tree, struct table *table, u64 va,
			u64 end, u64 entry)
{
	const struct pte_level *level = &tree->format->level[table->level];
	u64 step = entry ? 1ULL << (level->shift - VAS_PAGE_4K +
				    tree->format->address_bit) : 0;
	u32 words = level->size / sizeof(u64);
	u32 index = pte_index(level, va);
	u64 left = (end - va) >> level->shift;
	u64 burst[BURST] = { 0 };

	while (left) {
		u32 count = min(left, (u64)BURST / words);

		for (u32 i = 0; i < count; i++) {
			table_note_page(table, index + i, entry);
			burst[i * words] = entry;
			entry += step;
		}
		iosys_map_memcpy_to(&table->mem.map, index * level->size,
				    burst, count * level->size);
		index += count;
		left -= count;
	}
}

/* LAB 02: where the table for va lies; 0: there is none. */
static u64 table_addr(const struct tree *tree, u32 level, u64 va)
{
	const struct table *table = table_find(tree, level, va);

	return table ? table->mem.addr : 0;
}

/* LAB 02: write a directory's entry for va: the tables that are below it; a
 * page in their place stays. */
static void directory_write(struct tree *tree, struct table *dir, u64 va)
{
	const struct pte_format *format = tree->format;
	const struct pte_level *level = &format->level[dir->level];
	u64 big = 0, small, entry[2];

	if (table_has_page(dir, pte_index(level, va)))
		return;
	if (dir->level == pte_last(format)) {
		big = table_addr(tree, pte_big(format), va);
		small = table_addr(tree, pte_small(format), va);
	} else {
		small = table_addr(tree, dir->level + 1, va);
	}
	format->directory(dir->level, big, small, entry);
	/* Whole, in one burst: the card may read it now. */
	iosys_map_memcpy_to(&dir->mem.map, pte_index(level, va) * level->size,
			    entry, level->size);
}

/*
 * LAB 02: let a table go on in other memory, with the entries of its pages;
 * what they are, the card's memory knows.  The card goes on reading there.
 */
static int table_move(struct tree *tree, struct table *table)
{
	u32 size = tree->format->level[table->level].size;
	struct table *left;
	int err;

	if (table->fresh || table->moved)
		return 0;
	err = table_alloc(tree, table->level, &left);
	if (err)
		return err;
	left->parent = table;
	left->next = tree->left;
	tree->left = left;
	table->moved = true;
	swap(table->mem, left->mem);
	for (u32 i = 0; i < table->mem.size / size; i++) {
		u64 entry;

		if (!table_has_page(table, i))
			continue;
		entry = iosys_map_rd(&left->mem.map, i * size, u64);
		if (entry == ~0ULL)
			return -ENODEV;
		iosys_map_wr(&table->mem.map, i * size, u64, entry);
	}
	return 0;
}

/* LAB 02: the table with the entry of a large page over va, or NULL. */
static struct table *large_page(const struct tree *tree, u64 va)
{
	/* The root has no entry for an address that is the limit. */
	if (va == tree->limit)
		return NULL;
	for (u32 level = pte_last(tree->format);
	     level <= pte_big(tree->format); level++) {
		const struct pte_level *l = &tree->format->level[level];
		struct table *table = table_find(tree, level, va);

		if (table && table_has_page(table, pte_index(l, va)))
			return table;
	}
	return NULL;
}

/* LAB 02: see tree.h. */
int tree_cut(struct tree *tree, u64 edge, bool before)
{
	struct table *table = large_page(tree, edge);
	struct rest *rest = &tree->rest[!before];
	const struct pte_level *level;
	u64 page, entry;
	int err;

	if (!table)
		return 0;
	level = &tree->format->level[table->level];
	page = ALIGN_DOWN(edge, 1ULL << level->shift);
	if (page == edge)
		return 0;
	entry = iosys_map_rd(&table->mem.map,
			     pte_index(level, edge) * level->size, u64);
	if (entry == ~0ULL)
		return -ENODEV;
	rest->va = before ? page : edge;
	rest->end = before ? edge : page + (1ULL << level->shift);
	rest->entry = entry + ((rest->va - page) >> VAS_PAGE_4K <<
			       tree->format->address_bit);
	err = table_need(tree, pte_small(tree->format), edge);
	if (err || table->level == pte_last(tree->format))
		return err;
	err = table_move(tree, table);
	return err ? err : table_move(tree, table_find(tree,
					pte_small(tree->format), edge));
}

/* LAB 02: where the table that va is in ends, or end if that comes first. */
static u64 table_end(const struct tree *tree, u32 level, u64 va, u64 end)
{
	u64 reach = pte_reach(&tree->format->level[level]);

	return min(end, ALIGN_DOWN(va, reach) + reach);
}

/* LAB 02: one that covers all of a table goes with it. */
static bool covers(const struct tree *tree, const struct table *table, u64 va,
		   u64 end)
{
	return va <= table->va && end - table->va >=
		pte_reach(&tree->format->level[table->level]);
}

/* LAB 02: are there pages of this table from va to end? */
static bool has_pages(const struct tree *tree, const struct table *table,
		      u64 va, u64 end)
{
	const struct pte_level *level = &tree->format->level[table->level];

	for (; va < end; va += 1ULL << level->shift) {
		if (table_has_page(table, pte_index(level, va)))
			return true;
	}
	return false;
}

/*
 * LAB 02: pages of this level, from va to end in one table, where there may be
 * some of the other size: then both tables must change at once.
 */
static int need_in_table(struct tree *tree, u32 level, u64 va, u64 end)
{
	u32 big = pte_big(tree->format), small = pte_small(tree->format);
	struct table *other;
	int err;

	err = table_need(tree, level, va);
	if (err || level == pte_last(tree->format))
		return err;
	other = table_find(tree, level == big ? small : big, va);
	if (!other || !has_pages(tree, other, va, end))
		return 0;
	if (!covers(tree, other, va, end))
		err = table_move(tree, other);
	return err ? err : table_move(tree, table_find(tree, level, va));
}

/* LAB 02: see tree.h. */
int tree_need(struct tree *tree, u64 va, u64 end, u32 shift)
{
	u32 level = level_of(tree, shift);
	int err = 0;
	u64 next;

	for (; va < end && !err; va = next) {
		next = table_end(tree, level, va, end);
		err = need_in_table(tree, level, va, next);
	}
	return err;
}

/* LAB 02: see tree.h. */
void tree_cancel(struct tree *tree)
{
	struct table *table;

	while ((table = tree->left)) {
		tree->left = table->next;
		swap(table->mem, table->parent->mem);
		table->parent->moved = false;
		table_free(tree, table);
	}
	while ((table = tree->fresh)) {
		tree->fresh = table->next;
		table_forget(tree, table);
		table_free(tree, table);
	}
	memset(tree->rest, 0, sizeof(tree->rest));
}

/*
 * LAB 02: see tree.h.  Where a huge page stood in the place of the table, the
 * card has it until the table is linked.
 */
void tree_write(struct tree *tree, u64 va, u64 end, u32 shift, u64 entry)
{
	u32 level = level_of(tree, shift), last = pte_last(tree->format);
	u64 next;

	for (; va < end; va = next) {
		struct table *table = table_find(tree, level, va);

		next = table_end(tree, level, va, end);
		if (level > last)
			table_note_page(table->parent, pte_index(
				&tree->format->level[last], va), false);
		pages_write(tree, table, va, next, entry);
		entry += (next - va) >> VAS_PAGE_4K <<
			tree->format->address_bit;
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
		table_forget(tree, table);
		table->next = tree->empty;
		tree->empty = table;
		table = table->parent;
	}
}

/* LAB 02: clear the pages of one table from va to end. */
static void clear_table(struct tree *tree, struct table *table, u64 va,
			u64 end)
{
	const struct pte_level *level = &tree->format->level[table->level];
	u64 page = 1ULL << level->shift;

	if (table->level > pte_last(tree->format) &&
	    covers(tree, table, va, end)) {
		/* Unlinked as it is: the card may be reading it. */
		table->used = 0;
		va = end;
	}
	while (va < end) {
		u64 from = va;

		while (va < end && table_has_page(table, pte_index(level, va)))
			va += page;
		if (va > from)
			pages_write(tree, table, from, va, 0);
		else
			va += page;
	}
	retire(tree, table);
}

/* LAB 02: clear the pages of one level. */
static void clear_level(struct tree *tree, u32 level, u64 va, u64 end)
{
	u64 page = 1ULL << tree->format->level[level].shift;
	struct range range;

	va = ALIGN_DOWN(va, page);
	end = ALIGN(end, page);
	while (va < end && ranges_find(tree->tables[level], va, &range) &&
	       range.at < end) {
		u64 next = range.at + range.size;

		clear_table(tree, (struct table *)(uintptr_t)range.tag,
			    max(va, range.at), min(end, next));
		va = next;
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
			directory_write(tree, table->parent, table->va);
	}
}

/* LAB 02: from now on fresh tables are old ones. */
static void fresh_done(struct tree *tree)
{
	while (tree->fresh) {
		tree->fresh->fresh = false;
		tree->fresh = tree->fresh->next;
	}
}

/* LAB 02: hand over all of a list. */
static void retire_list(struct tree *tree, struct table **list)
{
	while (*list) {
		struct table *table = *list;

		*list = table->next;
		table->next = tree->retired;
		tree->retired = table;
	}
}

/*
 * LAB 02: write every entry of a directory that must change.  Memory that was
 * written for it is flushed before.
 */
static int link_all(struct tree *tree)
{
	struct table *table;
	int err = 0;

	fresh_link(tree, true);
	if (tree->fresh || tree->left)
		err = gpu_flush(tree->gpu);
	fresh_link(tree, false);
	fresh_done(tree);
	for (table = tree->left; table; table = table->next) {
		struct table *owner = table->parent;

		owner->moved = false;
		directory_write(tree, owner->parent, owner->va);
	}
	for (table = tree->empty; table; table = table->next)
		directory_write(tree, table->parent, table->va);
	retire_list(tree, &tree->left);
	retire_list(tree, &tree->empty);
	return err;
}

/* LAB 02: see tree.h.  All of it is done, also after an error. */
int tree_commit(struct tree *tree)
{
	struct table *table;
	int err, last;

	err = link_all(tree);
	last = gpu_flush(tree->gpu);
	err = err ? err : last;
	last = tlb_invalidate(tree->gpu, tree_root(tree));
	err = err ? err : last;
	while (!err && (table = tree->retired)) {
		tree->retired = table->next;
		table_free(tree, table);
	}
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
	return tree->bytes;
}

/* LAB 02: every table, as if it had been unlinked; then what was. */
static void tables_free(struct tree *tree)
{
	struct table *table;
	struct range range;

	for (u32 level = 0; level < PTE_LEVELS; level++) {
		while (tree->tables[level] &&
		       ranges_find(tree->tables[level], 0, &range)) {
			table = (struct table *)(uintptr_t)range.tag;
			table_forget(tree, table);
			table->next = tree->retired;
			tree->retired = table;
		}
	}
	while ((table = tree->retired)) {
		tree->retired = table->next;
		table_free(tree, table);
	}
}

/*
 * LAB 02: see tree.h; be the tree whole or not.  Another one may get this
 * root's memory: the card must not remember anything under its address.
 */
void tree_destroy(struct tree *tree)
{
	if (tree->root)
		tlb_invalidate(tree->gpu, tree_root(tree));
	tables_free(tree);
	for (u32 level = 0; level < PTE_LEVELS; level++) {
		if (tree->tables[level])
			ranges_destroy(tree->tables[level]);
	}
	kfree(tree);
}

/* LAB 02: the sets, and a root that is in memory when this returns. */
static int tree_init(struct tree *tree)
{
	int err = 0;

	for (u32 level = 0; level <= pte_small(tree->format) && !err; level++)
		err = ranges_create(0, 1ULL << tree->format->va_bits,
				    &tree->tables[level]);
	if (!err)
		err = table_make(tree, 0, 0, NULL);
	if (err)
		return err;
	tree->root = tree->fresh;
	fresh_done(tree);
	return gpu_flush(tree->gpu);
}

/* LAB 02: see tree.h. */
int tree_create(struct gpu *gpu, u64 limit, struct tree **out)
{
	struct tree *tree = kzalloc(sizeof(*tree), GFP_KERNEL);
	int err;

	if (!tree)
		return -ENOMEM;
	tree->gpu = gpu;
	tree->format = pte_format(gpu_mmu_format(gpu));
	tree->limit = limit;
	err = tree_init(tree);
	if (err) {
		tree_destroy(tree);
		return err;
	}
	*out = tree;
	return 0;
}
