/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The page tables of one address space, each by itself [§6.4].  Lab 02.
 *
 * A table has one entry after the other in video memory.  We keep of it where
 * it is, how many of its entries say something, and which are pages; not what
 * they say.  Whoever changes several tables at once sees to the order: tree.h.
 *
 * From va to end is whole pages of the table's level, all of them in it.
 */
#ifndef TABLE_H
#define TABLE_H

#include "gpu.h"
#include "pte.h"

/* One table. */
struct table {
	struct table_mem mem;
	const struct pte_level *form;	/* of its entries		*/
	struct table *parent;	/* NULL: the root			*/
	u64 va;			/* what its first entry is for		*/
	u32 level;
	u32 used;		/* pages, and tables below		*/
	/* its owner's */
	struct table *next;
	bool fresh;		/* no directory has it yet		*/
	bool moved;		/* the card still reads other memory	*/
	u64 pages[];		/* a bit for each entry that is a page	*/
};

/* All tables of a space below limit. */
struct table_set {
	struct gpu *gpu;
	const struct pte_format *format;
	u64 limit;
	u64 bytes;		/* of video memory, in tables		*/
	struct ranges *level[PTE_LEVELS];	/* tag: the struct table */
};

/* Where the addresses of a table end. */
static inline u64 table_end(const struct table *table)
{
	return table->va + pte_reach(table->form);
}

/* Lists of tables: one more at the head; the one there, or NULL. */
static inline void table_put(struct table **list, struct table *table)
{
	table->next = *list;
	*list = table;
}

static inline struct table *table_take(struct table **list)
{
	struct table *table = *list;

	if (table)
		*list = table->next;
	return table;
}

/* An empty set.  0, -ENOMEM: fini it all the same. */
int table_set_init(struct table_set *set, struct gpu *gpu, u64 limit);
/* With the tables in it. */
void table_set_fini(struct table_set *set);

/* The first table of a level that ends after va, or NULL. */
struct table *table_after(const struct table_set *set, u32 level, u64 va);
/* The table of a level that va goes through, or NULL. */
struct table *table_find(const struct table_set *set, u32 level, u64 va);
/* The one with the entry of a page over va that is larger than 4 KiB, or
 * NULL. */
struct table *table_large(const struct table_set *set, u64 va);

/* An empty table for va, counted in parent.  0, -ENOMEM. */
int table_make(struct table_set *set, u32 level, u64 va,
	       struct table *parent, struct table **table);
/* No address has this table any more; its memory stays. */
void table_forget(struct table_set *set, struct table *table);
/* Nor does the card, or anybody else. */
void table_free(struct table_set *set, struct table *table);
/*
 * Let a table go on in other memory, with the entries of its pages.  What the
 * card reads stays as it is, and is left's, whose parent is the table.  0;
 * -ENOMEM, -ENODEV: nothing has changed.
 */
int table_move(struct table_set *set, struct table *table,
	       struct table **left);
/* Undo that; left is no more. */
void table_move_back(struct table_set *set, struct table *left);

/* Is the entry for va that of a page?  Is any from va to end? */
bool table_has_page(const struct table *table, u64 va);
bool table_has_pages(const struct table *table, u64 va, u64 end);
/* Note that it is, or is not: it is written otherwise. */
void table_note_page(struct table *table, u64 va, bool page);
/* The entry for va: all ones if there is no card. */
u64 table_read(const struct table *table, u64 va);
/* Write the entries of pages that follow each other in memory; the first is
 * entry.  0: clear them. */
void table_write(const struct table_set *set, struct table *table, u64 va,
		 u64 end, u64 entry);
/* Write a directory's entry for va: the tables that are below it.  A page in
 * their place stays. */
void table_link(const struct table_set *set, struct table *dir, u64 va);

#endif
