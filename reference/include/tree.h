/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The page tables of one address space: which there are, and what is written
 * into them [§6.4].  Lab 02.
 *
 * The card may walk the tables at any moment.  A change is made in three
 * steps, in this order; what it replaces is used until it is committed:
 *
 *   tree_need(), tree_cut()	everything that can fail
 *   tree_write(), tree_clear()	what is new; what is gone
 *   tree_commit()		the card finds the one and forgets the other
 *
 * A range from va to end consists of whole pages of its shift.  Not thread
 * safe: the owner locks.  All may sleep.
 */
#ifndef TREE_H
#define TREE_H

#include "gpu.h"

struct tree;

/* Addresses from 0 to below limit.  0, -ENOMEM, -ETIMEDOUT, -ENODEV. */
int tree_create(struct gpu *gpu, u64 limit, struct tree **tree);
/* With all tables, whatever is in them.  Nobody uses it any more. */
void tree_destroy(struct tree *tree);

/* The page directory in video memory; bytes of it and of all tables. */
u64 tree_root(const struct tree *tree);
u64 tree_bytes(const struct tree *tree);

/*
 * Make what is needed to write these pages.  And if a larger page lies across
 * edge, what is needed to keep the part of it before, or after.  0; -ENOMEM,
 * -ETIMEDOUT, -ENODEV: call tree_cancel().
 */
int tree_need(struct tree *tree, u64 va, u64 end, u32 shift);
int tree_cut(struct tree *tree, u64 edge, bool before);
/* Unmake what was made for this change; nothing has been written. */
void tree_cancel(struct tree *tree);

/* Pages that are contiguous in memory: entry is that of the first. */
void tree_write(struct tree *tree, u64 va, u64 end, u32 shift, u64 entry);
/* No more pages here, of any size save one, or 0; of a page across an end
 * stays what tree_cut() was told. */
void tree_clear(struct tree *tree, u64 va, u64 end, u32 keep_shift);

/*
 * The card finds the new pages and forgets the old; tables that are empty are
 * given back.  -ETIMEDOUT, -ENODEV: the tables are as they should be, the
 * card may not know; what it may still use is given back another time.
 */
int tree_commit(struct tree *tree);

#endif
