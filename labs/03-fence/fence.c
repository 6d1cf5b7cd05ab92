/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Fences: numbers that a channel writes when it gets there [§9.5].
 *
 * A timeline is one semaphore in memory and a counter.  To emit a fence is to
 * put "write the next number here, when all before it is done, then raise an
 * interrupt" behind the work that is in the ring.  Numbers go into the ring in
 * order, so the word only grows, and every fence up to it is signalled.
 *
 * Only grows: modulo 2^32.  What is asked is never "is it larger" but "how
 * far is it ahead", as a signed number.  That is right as long as no fence is
 * 2^31 behind.
 *
 * The release waits for the engine (WFI) and has 16 bytes: the card writes
 * the time, then the number [§4.5].  So whoever has read the number finds the
 * time, and all that the work before the fence wrote.
 *
 * A word in video memory reads as all ones when the card is lost [§2.5], which
 * is a number like any.  But no time: its upper bits are 0 [§5.3].  So memory
 * tells the two apart, and nobody has to ask the card.
 */
#include "timeline.h"
#include "vm/spec/reg.h"

#define ALL_ONES	0xffffffffu

/*
 * LAB 03: has the word reached this number?  Data behind it may be read.  All
 * ones may be a number, or a card that is lost: then its time is, too.
 */
static bool reached(const struct timeline *timeline, u32 value)
{
	return false;
}

/* LAB 03: see timeline.h.  The word decides: look at it once more after an
 * error, for it may have been reached just before. */
int fence_state(const struct fence *fence)
{
	return -ENOSYS;
}

/* LAB 03: see fence.h. */
int fence_is_signaled(const struct fence *fence)
{
	return -ENOSYS;
}

/* LAB 03: the words of one semaphore operation. */
static int push_semaphore(struct push *push, const struct timeline *timeline,
			  u32 value, u32 operation)
{
	return -ENOSYS;
}

/* LAB 03: a release and an interrupt. */
static int push_release(struct push *push, const struct timeline *timeline,
			u32 value)
{
	return -ENOSYS;
}

/* LAB 03: one attempt.  -EAGAIN: no room now. */
static int try_emit(struct timeline *timeline, struct fence *fence)
{
	return -ENOSYS;
}

/*
 * LAB 03: see fence.h.  Who waits for room does so without the lock: others
 * have time-outs too.  ring_kick(): what is held back makes no room.
 */
int fence_emit(struct timeline *timeline, u64 timeout_ns,
	       struct fence *fence)
{
	return -ENOSYS;
}

/* LAB 03: see fence.h.  Let others use the PBDMA meanwhile. */
int fence_acquire(struct ring *ring, const struct fence *fence,
		  u64 timeout_ns)
{
	return -ENOSYS;
}

/*
 * LAB 03: see fence.h.  The time belongs to the number that stands there
 * before and after it was read.
 */
int fence_time(const struct fence *fence, u64 *ns)
{
	return -ENOSYS;
}

/* LAB 03: what fence.h says about the memory. */
static int config_check(const struct timeline_config *config)
{
	return -ENOSYS;
}

/* LAB 03: the card must not find what was there before. */
static void word_set(struct timeline *timeline, u32 value)
{
}

/* LAB 03: see fence.h. */
int timeline_create(const struct timeline_config *config,
		    struct timeline **out)
{
	return -ENOSYS;
}

/* LAB 03: see fence.h. */
void timeline_destroy(struct timeline *timeline)
{
}
