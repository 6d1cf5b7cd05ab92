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
	return 0;
}

/* LAB 02: the table of a level that an address goes through, or NULL. */
static struct table *table_find(const struct tree *tree, u32 level, u64 va)
{
	return NULL;
}

/* LAB 02: the card does not know it any more, and nor does anybody else. */
static void table_free(struct tree *tree, struct table *table)
{
}

/*
 * LAB 02: memory for a table: what somebody left there, so clear it.  The
 * root ends with the space, but is 4 KiB aligned however small it is.
 */
static int table_alloc(struct tree *tree, u32 level, struct table **out)
{
	return -ENOSYS;
}

/* LAB 02: a fresh table for va, empty. */
static int table_make(struct tree *tree, u32 level, u64 va,
		      struct table *parent)
{
	return -ENOSYS;
}

/* LAB 02: a table of this level for va; before it those above it. */
static int table_need(struct tree *tree, u32 level, u64 va)
{
	return -ENOSYS;
}

/* LAB 02: its addresses have no table any more. */
static void table_forget(struct tree *tree, struct table *table)
{
}

/* LAB 02: is this entry one of a page? */
static bool table_has_page(const struct table *table, u32 index)
{
	return false;
}

/* LAB 02: note that this entry is one of a page, or is not. */
static void table_note_page(struct table *table, u32 index, bool page)
{
}

/*
 * LAB 02: write the entries of the pages from va to end, all in this table;
 * the first is entry, the others follow in memory.  0: clear them.
 */
static void pages_write(struct tree *tree, struct table *table, u64 va,
			u64 end, u64 entry)
{
}

/* LAB 02: where the table for va lies; 0: there is none. */
static u64 table_addr(const struct tree *tree, u32 level, u64 va)
{
	return 0;
}

/* LAB 02: write a directory's entry for va: the tables that are below it; a
 * page in their place stays. */
static void directory_write(struct tree *tree, struct table *dir, u64 va)
{
}

/*
 * LAB 02: let a table go on in other memory, with the entries of its pages;
 * what they are, the card's memory knows.  The card goes on reading there.
 */
static int table_move(struct tree *tree, struct table *table)
{
	return -ENOSYS;
}

/* LAB 02: the table with the entry of a large page over va, or NULL. */
static struct table *large_page(const struct tree *tree, u64 va)
{
	return NULL;
}

/* LAB 02: see tree.h. */
int tree_cut(struct tree *tree, u64 edge, bool before)
{
	return -ENOSYS;
}

/* LAB 02: where the table that va is in ends, or end if that comes first. */
static u64 table_end(const struct tree *tree, u32 level, u64 va, u64 end)
{
	return 0;
}

/* LAB 02: one that covers all of a table goes with it. */
static bool covers(const struct tree *tree, const struct table *table, u64 va,
		   u64 end)
{
	return false;
}

/* LAB 02: are there pages of this table from va to end? */
static bool has_pages(const struct tree *tree, const struct table *table,
		      u64 va, u64 end)
{
	return false;
}

/*
 * LAB 02: pages of this level, from va to end in one table, where there may be
 * some of the other size: then both tables must change at once.
 */
static int need_in_table(struct tree *tree, u32 level, u64 va, u64 end)
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

/* LAB 02: from now on fresh tables are old ones. */
static void fresh_done(struct tree *tree)
{
}

/* LAB 02: hand over all of a list. */
static void retire_list(struct tree *tree, struct table **list)
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

/* LAB 02: every table, as if it had been unlinked; then what was. */
static void tables_free(struct tree *tree)
{
}

/*
 * LAB 02: see tree.h; be the tree whole or not.  Another one may get this
 * root's memory: the card must not remember anything under its address.
 */
void tree_destroy(struct tree *tree)
{
}

/* LAB 02: the sets, and a root that is in memory when this returns. */
static int tree_init(struct tree *tree)
{
	return -ENOSYS;
}

/* LAB 02: see tree.h. */
int tree_create(struct gpu *gpu, u64 limit, struct tree **out)
{
	return -ENOSYS;
}
