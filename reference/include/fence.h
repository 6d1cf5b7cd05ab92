/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Knowing when work is done: fences [§9.5].  Lab 03.
 *
 * A timeline is one channel's semaphore word and the number that was last
 * put into the ring for it.  A fence is a point on it: signalled once the
 * word has reached its number.  Functions may be called from any number of
 * threads at once unless a comment says otherwise; all of them are user
 * mode's and may block.
 */
#ifndef FENCE_H
#define FENCE_H

#include "ring.h"
#include "irq.h"

struct timeline;

/* What a timeline is made from; all of it stays the caller's. */
struct timeline_config {
	struct gpu *gpu;
	struct chan *chan;
	struct ring *ring;	/* its ring				*/
	struct gpu_mem *mem;	/* where the semaphores lie		*/
	u32 offset;		/* 16-byte aligned			*/
	u32 start;		/* the number before the first fence's	*/
};

/* A point on a timeline; a value, copied freely. */
struct fence {
	struct timeline *timeline;
	u32 value;
};

/* The semaphore is set to start.  0, -EINVAL, -ENOMEM. */
int timeline_create(const struct timeline_config *config,
		    struct timeline **timeline);
/* Waiters wake with -ECANCELED; waits until they have left.  Fences of it
 * must not be used afterwards; descriptors of fence_fd() become readable, and
 * are then closed by close().  The ring must be idle or gone. */
void timeline_destroy(struct timeline *timeline);

/*
 * Put a fence behind everything submitted to the ring so far: a semaphore
 * release of the next number, 16 bytes with the time, after the work before
 * it, then a non-stall interrupt.  0; -EIO: the channel is dead; or what
 * ring_submit() says.
 */
int fence_emit(struct timeline *timeline, u64 timeout_ns,
	       struct fence *fence);
/* Make another channel wait on the GPU until the fence is signalled; the
 * CPU does not, and other channels may run meanwhile.  0; the fence's error,
 * if it will never be; or what ring_submit() says. */
int fence_acquire(struct ring *ring, const struct fence *fence,
		  u64 timeout_ns);

/* 1: signalled; 0: not yet; -EIO: its channel died before; -ENODEV.  Any
 * lock may be held. */
int fence_is_signaled(const struct fence *fence);
/* When the card released it, ns of PTIMER; 0, -EAGAIN: not yet, or a later
 * fence has overwritten the time. */
int fence_time(const struct fence *fence, u64 *ns);

/* How to wait. */
enum fence_wait {
	FENCE_WAIT_SPIN,	/* look at the word until the time is up */
	FENCE_WAIT_EVENT,	/* sleep in poll() on an eventfd	*/
	FENCE_WAIT_COND,	/* sleep on a condition variable	*/
	FENCE_WAIT_AUTO,	/* a short spin, then sleep		*/
};

/*
 * 0: signalled; -ETIMEDOUT: not within timeout_ns, 0 asks and does not wait;
 * -EIO: its channel died before; -ECANCELED: timeline_destroy(); -ENODEV;
 * -ENOMEM: no memory to wait with, or no descriptor.
 */
int fence_wait(const struct fence *fence, enum fence_wait how,
	       u64 timeout_ns);
/* The same until all are, or one has an error (which is returned).  count is
 * at least 1, here and below. */
int fence_wait_all(const struct fence *fence, u32 count, u64 timeout_ns);
/* The same until one is signalled, 0, or has an error, which is returned:
 * *index says which, of several any.  It says nothing after -ETIMEDOUT and
 * -ENOMEM. */
int fence_wait_any(const struct fence *fence, u32 count, u64 timeout_ns,
		   u32 *index);

/*
 * A file descriptor that poll() and epoll find readable once the fence is
 * signalled or its channel died, and never before; the caller closes it by
 * fence_close_fd().  The descriptor; -ENOMEM, also for want of a descriptor.
 */
int fence_fd(const struct fence *fence);
void fence_close_fd(const struct fence *fence, int fd);

#endif
