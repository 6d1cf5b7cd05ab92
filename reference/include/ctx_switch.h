/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Switching the unit of GR_CTX_SWITCH between address spaces, a course
 * addition [§12.3].  Lab 02.
 *
 * One unit, shared by all threads: each call below is whole.  Functions may
 * sleep and poll; they change nothing when they fail with -EINVAL or -ENOMEM.
 */
#ifndef CTX_SWITCH_H
#define CTX_SWITCH_H

#include "vas.h"

struct ctx_switch;

#define CTX_SWITCH_TAGS	1u	/* tell translations apart by tags	*/
/* Pages of one piece of work. */
#define CTX_SWITCH_PAGES_MAX 1023u

/* Take the unit, with no context.  There is one, and that nobody else has it
 * is the caller's to see to.  0; -ENODEV: the card has no such unit, or is
 * lost; -EINVAL: flags; -ENOMEM. */
int ctx_switch_create(struct gpu *gpu, u32 flags, struct ctx_switch **out);
/* Finish and give it back; whatever fails on the way. */
void ctx_switch_destroy(struct ctx_switch *unit);

/* A word, written to the start of each of so many pages of a space. */
struct ctx_work {
	struct vas *vas;
	u64 va;			/* a multiple of 4096			*/
	u32 pages;		/* 1 to CTX_SWITCH_PAGES_MAX		*/
	u32 data;
};

/*
 * Make the work's space current if it is not, and do the work; returns when
 * it is done, with its pages perhaps still dirty.  0; -EINVAL; -EFAULT: an
 * address that the space does not map for writing, and the rest of the work
 * was dropped; -ETIMEDOUT; -ENODEV.
 */
int ctx_switch_work(struct ctx_switch *unit, const struct ctx_work *work);

/* Make a space, which is not NULL, current without work.  0, -ETIMEDOUT,
 * -ENODEV. */
int ctx_switch_load(struct ctx_switch *unit, struct vas *vas);

/*
 * The same as ctx_switch_work() for a list, in order, handed to the card by
 * one DMA; the error is that of the first that failed.  After -EFAULT what
 * follows it was dropped with its commands, LOAD and FLUSH_TAG among them
 * [§12.3].  count is 1 to 1024.
 */
int ctx_switch_batch(struct ctx_switch *unit, const struct ctx_work *work,
		     u32 count);

/* All that was written is in memory when this returns.  0, -ETIMEDOUT,
 * -ENODEV. */
int ctx_switch_clean(struct ctx_switch *unit);

/*
 * The space's mappings are about to change, or it is about to be destroyed:
 * what it has dirty is in memory when this returns, and nothing that the unit
 * remembers of it is used again.  0, -ETIMEDOUT, -ENODEV.
 */
int ctx_switch_forget(struct ctx_switch *unit, struct vas *vas);

#endif
