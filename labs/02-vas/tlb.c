/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Making the card forget translations [§6.5].
 *
 * The card remembers pages, and the way to them: entries of directories.  An
 * invalidation names a page directory, or all of them, and by default covers
 * every level; to limit it to page entries is an optimisation for who is sure
 * that no table has gone, and on Pascal nobody should be [§6.5].
 *
 * There is one set of registers.  A request is three writes, so two threads
 * would send a mixture of theirs; and a request that finds the queue full is
 * lost without a word.  A channel can do the same by methods, in the order of
 * its own work, without registers and without waiting.
 */
#include "kmd.h"
#include "tlb.h"
#include "vm/spec/reg.h"

/* LAB 02: name the page directory: its address >> 12, upper half apart. */
static void write_root(struct gpu *gpu, u64 root)
{
}

/*
 * LAB 02: one request, with the registers ours [§6.5]: wait for a place in
 * the queue, name the directory, trigger, wait until the queue has run dry.
 */
static int invalidate(struct gpu *gpu, u64 root)
{
	return -ENOSYS;
}

/* LAB 02: see tlb.h. */
int tlb_invalidate(struct gpu *gpu, u64 root)
{
	return -ENOSYS;
}

/*
 * LAB 02: see tlb.h.  MEM_OP_D starts it, so it comes last; Maxwell has no
 * MEM_OP_A and B.
 */
int tlb_push_invalidate(struct gpu *gpu, struct push *push, u64 root)
{
	return -ENOSYS;
}
