/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The page tables of one address space, each by itself [§6.4].
 *
 * They lie in video memory, where the card walks them, and are written through
 * BAR1.  To read there is slow, so each table has a note of which of its
 * entries are pages; what a page's entry says is read back only when the page
 * is cut, or the table moves.
 *
 * Which addresses have a table is in a set of ranges for each level, so
 * nothing here is linear in the size of a space, and an empty one costs next
 * to nothing.
 */
#include "kmd.h"
#include "range.h"
#include "table.h"
#include "vas.h"

#define PAGE		(1ULL << VAS_PAGE_4K)
#define BURST		64	/* words that are written at once	*/

/* LAB 02: see table.h. */
int table_set_init(struct table_set *set, struct gpu *gpu, u64 limit)
{
	return -ENOSYS;
}

/* LAB 02: see table.h; be the set whole or not.  From below: a table counts
 * in the one above it. */
void table_set_fini(struct table_set *set)
{
}

/* LAB 02: see table.h. */
struct table *table_after(const struct table_set *set, u32 level, u64 va)
{
	return NULL;
}

/* LAB 02: see table.h. */
struct table *table_find(const struct table_set *set, u32 level, u64 va)
{
	return NULL;
}

/* LAB 02: see table.h. */
struct table *table_large(const struct table_set *set, u64 va)
{
	return NULL;
}

/*
 * LAB 02: memory for a table: what somebody left there, so clear it.  The
 * root ends with the space, but is 4 KiB aligned however small it is.
 */
static int table_alloc(struct table_set *set, u32 level, struct table **out)
{
	return -ENOSYS;
}

/* LAB 02: see table.h. */
void table_free(struct table_set *set, struct table *table)
{
}

/* LAB 02: see table.h. */
int table_make(struct table_set *set, u32 level, u64 va,
	       struct table *parent, struct table **out)
{
	return -ENOSYS;
}

/* LAB 02: see table.h. */
void table_forget(struct table_set *set, struct table *table)
{
}

/* LAB 02: which of a table's entries is for va. */
static u32 table_index(const struct table *table, u64 va)
{
	return 0;
}

/* LAB 02: see table.h. */
bool table_has_page(const struct table *table, u64 va)
{
	return false;
}

/* LAB 02: see table.h. */
bool table_has_pages(const struct table *table, u64 va, u64 end)
{
	return false;
}

/* LAB 02: see table.h. */
void table_note_page(struct table *table, u64 va, bool page)
{
}

/* LAB 02: see table.h. */
u64 table_read(const struct table *table, u64 va)
{
	return 0;
}

/* LAB 02: see table.h. */
void table_write(const struct table_set *set, struct table *table, u64 va,
		 u64 end, u64 entry)
{
}

/* LAB 02: where the table for va lies; 0: there is none. */
static u64 table_addr(const struct table_set *set, u32 level, u64 va)
{
	return 0;
}

/* LAB 02: see table.h. */
void table_link(const struct table_set *set, struct table *dir, u64 va)
{
}

/* LAB 02: the entries of a table's pages, into other memory; what they are,
 * the card's memory knows. */
static int pages_copy(const struct table *table, struct table *to)
{
	return -ENOSYS;
}

/* LAB 02: see table.h. */
int table_move(struct table_set *set, struct table *table, struct table **out)
{
	return -ENOSYS;
}

/* LAB 02: see table.h. */
void table_move_back(struct table_set *set, struct table *left)
{
}
