/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One channel's GPFIFO ring: many threads submit push-buffer segments, Host
 * executes them in order [§8.3].  Lab 01.
 *
 * struct ring is the implementation's own.  Unless a comment says otherwise,
 * functions may be called from any number of threads at once, do not sleep
 * in the kernel's sense but may poll up to their time-out, and change nothing
 * when they fail.
 */
#ifndef RING_H
#define RING_H

#include "gpu.h"
#include "push.h"

struct ring;

/* Half of it, the longest segment, still fits a GP entry's LENGTH [§9.1]. */
#define RING_PB_WORDS_MAX	(2u * ((1u << 21) - 1))

/* What a ring is made from; the memory stays the caller's. */
struct ring_config {
	struct gpu *gpu;
	struct chan *chan;	/* created, stopped			*/
	struct gpu_mem *gp;	/* GP entries: gp_entries * 8 bytes	*/
	u32 gp_entries;		/* a power of two, 4 to 65536		*/
	struct gpu_mem *pb;	/* push-buffer memory			*/
	u32 pb_words;		/* 16 to RING_PB_WORDS_MAX		*/
	u32 gp_first;		/* first slot to use, < gp_entries	*/
	bool crc;		/* follow each segment by its CRC [§9.2] */
};

/*
 * A flag of ring_submit(): hold it back until ring_kick(), or until a later
 * submission without the flag succeeds.  A submission that finds no room and
 * waits offers what was held back before it: else nothing might ever make any.
 */
#define RING_DEFER	1u

/*
 * Take the channel and start it, empty, at gp_first.
 * 0; -EINVAL: sizes; -ENOMEM; or what chan_start() returns.  One thread.
 */
int ring_create(const struct ring_config *config, struct ring **ring);

/*
 * Stop the channel and let go of its memory.  Waits up to timeout_ns for the
 * work that was submitted, held back or not; what is not done then is dropped.
 * A paused ring is not resumed: what it keeps is dropped, and need not be
 * waited for.  0, -ETIMEDOUT (dropped), -ENODEV.  The ring is gone in every
 * case.  No other call may be running.
 */
int ring_destroy(struct ring *ring, u64 timeout_ns);

/*
 * Submit one segment: copy its words into the push buffer, write its GP
 * entry (and CRC entry), offer it to Host.  The caller's array may be reused
 * at return.  Segments of one thread execute in the order of its calls.
 *
 * A segment has 1 to pb_words / 2 words.  When ring or push buffer is full,
 * waits up to timeout_ns for Host to free room.  A submission to a paused
 * ring is kept, and offered by ring_resume().
 *
 * 0; -EINVAL: size; -EAGAIN: no room and timeout_ns is 0, nothing is offered;
 * -ETIMEDOUT: no room in time, what was held back is offered; -ENODEV: the
 * card is lost, at once and from then on.
 */
int ring_submit(struct ring *ring, const struct push *push, u32 flags,
		u64 timeout_ns);

/*
 * Submit count segments, adjacent in the ring, offered by one write of
 * GP_PUT.  All or nothing; -EINVAL also when they could never fit at once.
 */
int ring_submit_batch(struct ring *ring, const struct push *push, u32 count,
		      u32 flags, u64 timeout_ns);

/* Offer everything that RING_DEFER held back.  0, -ENODEV. */
int ring_kick(struct ring *ring);

/* 1: Host has consumed everything that was offered; 0: not yet; -ENODEV. */
int ring_is_idle(struct ring *ring);
/* Wait for that.  0, -ETIMEDOUT, -ENODEV. */
int ring_wait_idle(struct ring *ring, u64 timeout_ns);

/*
 * Stop Host on this channel, keeping what it has not begun; and go on with
 * exactly that [§8.6].  0; -EINVAL: already so; -ETIMEDOUT; -ENODEV.
 */
int ring_pause(struct ring *ring);
int ring_resume(struct ring *ring);

#endif
