/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The page tables of one space as a radix tree, with a copy in our memory of
 * the entries that say something.
 *
 * A change is planned, which may fail and which the card cannot see, and then
 * either dropped or committed.  Not thread safe; may sleep.
 */
#ifndef RADIX_H
#define RADIX_H

#include "kmd.h"
#include "pte.h"
#include "vas.h"

/* Tables of pages that stand below one entry of the last directory; as bits,
 * kinds of pages. */
enum { BIG, SMALL, HUGE };

struct table {
	struct table_mem mem;
	struct table *parent;
	struct table **place;	/* in parent's slot			*/
	struct table *next;	/* among the fresh, or the retired	*/
	struct table *instead;	/* of a fresh one: whose place it takes	*/
	u32 level;
	u32 used;		/* entries of pages; tables below	*/
	bool fresh;		/* the card cannot reach it yet		*/
	u32 chunks;
	/* Tables are large and mostly empty: our copy is in chunks, of slots
	 * for a directory, of entries for a leaf, where there is something. */
	void *chunk[];
};

/* An entry of a directory. */
struct slot {
	u64 word[2];		/* what the card has, or is to have	*/
	u64 huge;		/* the page that stands here, or 0	*/
	struct table *below[2];	/* BIG, SMALL; SMALL: a directory	*/
};

#define SLOTS	16u		/* in a chunk				*/
#define WORDS	64u

struct radix {
	struct gpu *gpu;
	const struct pte_format *format;
	u64 limit;
	struct table *root;
	struct table *fresh;	/* by the change that is planned	*/
	struct table *retired;	/* the card may remember them		*/
	u64 bytes;
	bool unflushed;		/* writes are on their way		*/
	bool stale;		/* the card may remember what was valid	*/
	bool behind;		/* not all entries are written: link_up() */
};

/* Where we are in a mapping. */
struct cursor {
	const struct vas_mapping *mapping;	/* NULL: nothing, a hole */
	u32 shifts;		/* page sizes that may be used		*/
	u64 va;
	const struct vas_piece *piece;
	u64 at;			/* in that piece			*/
};

/* Pages of one size that follow each other here and in memory. */
struct run {
	u64 va, end;
	u32 shift;
	u64 addr;
	enum mmu_aperture aperture;
};

/* What there is to be from va to end, in place of what there is. */
struct change {
	struct radix *radix;
	u64 va, end;
	struct cursor start;	/* where its mapping begins		*/
	struct cursor cursor;	/* how far the walk has come		*/
};

/* cursor.c: from the beginning; the next run that ends by stop. */
void cursor_begin(struct cursor *cursor, const struct vas_mapping *mapping,
		  u32 shifts);
bool cursor_next(struct cursor *cursor, u64 stop, struct run *run);
/* Which kinds of pages come until stop; goes past them. */
u32 cursor_kinds(struct cursor *cursor, u64 stop);
u32 kind_of(u32 shift);

static inline bool is_leaf(const struct radix *radix, const struct table *t)
{
	return t->level >= radix->format->directories;
}

static inline bool is_last(const struct radix *radix, const struct table *t)
{
	return t->level == pte_last(radix->format);
}

/* A slot; where it is NULL, there is nothing and never was. */
static inline struct slot *slot_at(const struct table *dir, u32 index)
{
	struct slot *chunk = dir->chunk[index / SLOTS];

	return chunk ? &chunk[index % SLOTS] : NULL;
}

static inline u64 leaf_word(const struct table *leaf, u32 index)
{
	const u64 *chunk = leaf->chunk[index / WORDS];

	return chunk ? chunk[index % WORDS] : 0;
}

/* radix_table.c: one table. */
/* A fresh one in a place below parent, instead of what is there, or NULL. */
int table_add(struct radix *radix, struct table *parent, struct table **place,
	      u32 level, struct table **out);
/* Out of its place; the card may still know it. */
void table_detach(struct radix *radix, struct table *table);
void table_free(struct radix *radix, struct table *table);
/* Write all of it. */
void table_write(struct radix *radix, struct table *table);
/* NULL: no memory. */
struct slot *slot_need(struct table *dir, u32 index);
/* Bring one entry of a directory up to date, and the card's too. */
void slot_sync(struct radix *radix, struct table *dir, u32 index, bool card);
/* Room for pages from va to end.  0, -ENOMEM. */
int leaf_need(const struct radix *radix, struct table *leaf, u64 va, u64 end);
/* Pages from va to end, step apart in memory; entry 0: none. */
void leaf_fill(struct radix *radix, struct table *leaf, u64 va, u64 end,
	       u64 entry, u64 step);
/* The same pages as in another.  0, -ENOMEM. */
int leaf_copy(struct table *leaf, const struct table *from);
/* Is there a page between va and end? */
bool leaf_has(const struct radix *radix, const struct table *leaf, u64 va,
	      u64 end);

/* The cell is all that an entry of the last directory covers. */
static inline bool is_whole(const struct radix *radix, u64 va, u64 end)
{
	const struct pte_format *format = radix->format;

	return end - va == BIT_ULL(format->level[pte_last(format)].shift);
}

/* plan.c: make what a cell needs from va to end.  0 or -errno. */
int plan_cell(struct change *change, struct table *dir, struct slot *slot,
	      u64 va, u64 end);

/* tree.c: 0, -ENOMEM, -ETIMEDOUT, -ENODEV. */
int radix_init(struct radix *radix, struct gpu *gpu, u64 limit);
void radix_fini(struct radix *radix);
/* mapping NULL: to nothing.  After an error nothing is planned. */
int radix_plan(struct radix *radix, struct change *change, u64 va, u64 end,
	       const struct vas_mapping *mapping, u32 shifts);
void radix_drop(struct radix *radix);
/*
 * Our books are as they should be when this returns, also with an error; the
 * card's are not then, and catch up with the next change.
 */
int radix_commit(struct change *change);

#endif
