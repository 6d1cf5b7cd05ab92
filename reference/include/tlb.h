/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Making the card forget translations [§6.5].  Lab 02. */
#ifndef TLB_H
#define TLB_H

#include "gpu.h"
#include "push.h"

#define TLB_ALL	(~0ULL)		/* every page directory */

/*
 * Forget what is remembered of the page directory at root in video memory,
 * all levels, and wait until it is done.  Any number of threads; may poll.
 * 0, -ETIMEDOUT, -ENODEV.
 */
int tlb_invalidate(struct gpu *gpu, u64 root);

/*
 * Append the methods by which a privileged channel does the same, in the
 * order of its other work [§9.4].  0, -ENOSPC.
 */
int tlb_push_invalidate(struct gpu *gpu, struct push *push, u64 root);

#endif
