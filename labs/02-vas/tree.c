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
	return 0;
}

/* LAB 02: how much further memory is, as an entry has it. */
static u64 entry_step(const struct tree *tree, u64 bytes)
{
	return 0;
}

/* LAB 02: a table of this level for va; before it those above it. */
static int need(struct tree *tree, u32 level, u64 va)
{
	return -ENOSYS;
}

/* LAB 02: let a table that the card reads be changed as a whole. */
static int move(struct tree *tree, struct table *table)
{
	return -ENOSYS;
}

/* LAB 02: see tree.h. */
int tree_cut(struct tree *tree, u64 edge, bool before)
{
	return -ENOSYS;
}

/* LAB 02: where the table that va is in ends, or end if that comes first. */
static u64 part_end(const struct tree *tree, u32 level, u64 va, u64 end)
{
	return 0;
}

/* LAB 02: one that covers all of a table goes with it. */
static bool covers(const struct table *table, u64 va, u64 end)
{
	return false;
}

/*
 * LAB 02: pages of this level, from va to end in one table, where there may be
 * some of the other size: then both tables must change at once.
 */
static int need_part(struct tree *tree, u32 level, u64 va, u64 end)
{
	return -ENOSYS;
}

/* LAB 02: see tree.h. */
int tree_need(struct tree *tree, u64 va, u64 end, u32 shift)
{
	return -ENOSYS;
}

/* LAB 02: see tree.h. */
void tree_cancel(struct tree *tree)
{
}

/*
 * LAB 02: see tree.h.  Where a huge page stood in the place of the table, the
 * card has it until the table is linked.
 */
void tree_write(struct tree *tree, u64 va, u64 end, u32 shift, u64 entry)
{
}

/* LAB 02: what stays of pages that are cut. */
static void rests_write(struct tree *tree)
{
}

/* LAB 02: of this table nothing stays, nor of those above that fall empty. */
static void retire(struct tree *tree, struct table *table)
{
}

/* LAB 02: clear the pages of one table from va to end. */
static void clear_table(struct tree *tree, struct table *table, u64 va,
			u64 end)
{
}

/* LAB 02: clear the pages of one level. */
static void clear_level(struct tree *tree, u32 level, u64 va, u64 end)
{
}

/* LAB 02: see tree.h. */
void tree_clear(struct tree *tree, u64 va, u64 end, u32 keep_shift)
{
}

/*
 * LAB 02: name the fresh tables in those above them: in fresh ones, which
 * nobody reads yet, or in old ones.
 */
static void fresh_link(struct tree *tree, bool in_fresh)
{
}

/*
 * LAB 02: write every entry of a directory that must change.  Memory that was
 * written for it is flushed before.
 */
static int link_all(struct tree *tree)
{
	return -ENOSYS;
}

/* LAB 02: the card has forgotten what was unlinked. */
static void retired_free(struct tree *tree)
{
}

/* LAB 02: see tree.h.  All of it is done, also after an error. */
int tree_commit(struct tree *tree)
{
	return -ENOSYS;
}

/* LAB 02: see tree.h. */
u64 tree_root(const struct tree *tree)
{
	return 0;
}

/* LAB 02: see tree.h. */
u64 tree_bytes(const struct tree *tree)
{
	return 0;
}

/*
 * LAB 02: see tree.h; be the tree whole or not.  Another one may get this
 * root's memory: the card must not remember anything under its address.
 */
void tree_destroy(struct tree *tree)
{
}

/* LAB 02: the set, and a root that is in memory when this returns. */
static int tree_init(struct tree *tree, struct gpu *gpu, u64 limit)
{
	return -ENOSYS;
}

/* LAB 02: see tree.h. */
int tree_create(struct gpu *gpu, u64 limit, struct tree **out)
{
	return -ENOSYS;
}
