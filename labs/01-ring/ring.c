/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One channel's ring, shared by any number of threads under one lock [§8.3].
 *
 * There are two circular buffers.  The ring proper holds GP entries; the
 * push buffer holds the words that the entries point to.  Both fill at a
 * head that we move and empty at a tail that Host moves:
 *
 *   GP entries    gp_put: next to fill.  gp_get: next that Host will begin.
 *                 One stays empty, so that full and empty look different.
 *   push buffer   pb_head, pb_tail: positions in words that never wrap; the
 *                 place in the buffer is the position modulo its size.  A
 *                 segment never crosses the end: the words that are skipped
 *                 there are used until the segment behind them is reached.
 *
 * GP_GET moves when Host BEGINS an entry.  Its words are free only when the
 * next entry has begun, or Host's position in the push buffer, GET, has
 * reached the segment's end.
 *
 * Between filling and telling there is a barrier, by the thread that filled.
 * Which one depends on the memory [§4.2], and nothing makes up for leaving it
 * out: GP_PUT is written with writel_relaxed(), which orders nothing.
 */
#include "ring.h"
#include "vm/spec/reg.h"

/* What lies in the push buffer for one GP entry: positions. */
struct segment {
	u64 begin, end;		/* equal for a control entry	*/
};

struct ring {
	pthread_mutex_t lock;	/* over everything below	*/
	struct ring_config config;
	void __iomem *userd;
	struct segment *segments;	/* of each GP entry	*/

	u32 gp_mask;
	u32 gp_put;		/* the next entry to fill	*/
	u32 gp_ready;		/* offer the entries before it	*/
	u32 gp_offered;		/* GP_PUT as Host knows it	*/
	u32 gp_get;		/* GP_GET as we last saw it	*/
	u64 pb_head, pb_tail;

	bool paused;
	bool lost;		/* the card is gone for good	*/
};

/*
 * LAB 01: where a segment of words words goes that is placed at or after
 * position: at position, or at the buffer's start if it would cross the end
 * [§8.4].
 */
static u64 pb_place(const struct ring *ring, u64 position, u32 words)
{
	return 0;
}

/* LAB 01: where the push buffer's head will be after these segments. */
static u64 pb_head_after(const struct ring *ring, u64 position,
			 const struct push *push, u32 count)
{
	return 0;
}

/* LAB 01: the number of GP entries for this many segments [§9.2]. */
static u64 gp_needed(const struct ring *ring, u32 count)
{
	return 0;
}

/*
 * LAB 01: room in both buffers, as far as we know, for all of it, padding
 * included.  An empty push buffer may be begun again at its start.
 */
static bool ring_has_room(struct ring *ring, const struct push *push,
			  u32 count)
{
	return false;
}

/* LAB 01: has Host's GET reached the end of this segment [§8.3]? */
static bool segment_is_read(const struct ring *ring,
			    const struct segment *segment)
{
	return false;
}

/*
 * LAB 01: learn how far Host is [§8.3]: from GP_GET the entries it has
 * begun, and from those the words that it needs no more.  A card that is
 * lost reads as all ones [§2.5]: -ENODEV, and remember it.
 */
static int ring_update(struct ring *ring)
{
	return -ENOSYS;
}

/* LAB 01: Host has consumed what it was offered, as of ring_update(). */
static bool ring_consumed(const struct ring *ring)
{
	return false;
}

/* LAB 01: put an entry into the next slot [§9.1]; it is not offered yet. */
static void gp_write(struct ring *ring, u64 entry, struct segment segment)
{
}

/*
 * LAB 01: copy a segment's words to their place, then write its entry and,
 * where wanted, the entry that carries its CRC [§9.2].  There is room.
 */
static void ring_fill(struct ring *ring, const struct push *push)
{
}

/*
 * LAB 01: let the card see what this thread filled [§4.3], before anybody can
 * tell the card about it.  Coherent memory: dma_wmb().  Write-combining
 * memory, and video memory: wmb(), which also drains this CPU's write
 * buffers; no other thread's barrier could.
 */
static void ring_drain(const struct ring *ring)
{
}

/*
 * LAB 01: writes to video memory are posted [§4.4]: on the way, still, when
 * GP_PUT arrives by another path.  A read of the last word written cannot
 * pass them.
 */
static void ring_read_back(const struct ring *ring)
{
}

/*
 * LAB 01: write GP_PUT [§8.3], if Host does not know it already.  Compare
 * positions; a flag of its own would one day disagree with them.
 */
static void ring_offer(struct ring *ring)
{
}

/* LAB 01: one attempt, under the lock.  -EAGAIN: no room now. */
static int ring_try_submit(struct ring *ring, const struct push *push,
			   u32 count, u32 flags)
{
	return -ENOSYS;
}

/* LAB 01: sizes that could never fit are refused before anything waits. */
static int ring_check(const struct ring *ring, const struct push *push,
		      u32 count, u32 flags)
{
	return -ENOSYS;
}

/* LAB 01: see ring.h.  Wait without the lock: others may find room. */
int ring_submit_batch(struct ring *ring, const struct push *push, u32 count,
		      u32 flags, u64 timeout_ns)
{
	return -ENOSYS;
}

/* LAB 01: see ring.h. */
int ring_submit(struct ring *ring, const struct push *push, u32 flags,
		u64 timeout_ns)
{
	return -ENOSYS;
}

/* LAB 01: see ring.h. */
int ring_kick(struct ring *ring)
{
	return -ENOSYS;
}

/* LAB 01: see ring.h. */
int ring_is_idle(struct ring *ring)
{
	return -ENOSYS;
}

/* LAB 01: see ring.h. */
int ring_wait_idle(struct ring *ring, u64 timeout_ns)
{
	return -ENOSYS;
}

/* LAB 01: stop the channel, once [§8.6]; the entries stay where they are. */
int ring_pause(struct ring *ring)
{
	return -ENOSYS;
}

/*
 * LAB 01: start where Host stopped, at GP_GET [§8.6].  Host then believes
 * that the ring is empty: tell it GP_PUT again.
 */
static int ring_restart(struct ring *ring)
{
	return -ENOSYS;
}

/* LAB 01: see ring.h. */
int ring_resume(struct ring *ring)
{
	return -ENOSYS;
}

/* LAB 01: what ring.h says about sizes. */
static int config_check(const struct ring_config *config)
{
	return -ENOSYS;
}

/* LAB 01: see ring.h.  A failure leaves nothing behind. */
int ring_create(const struct ring_config *config, struct ring **out)
{
	return -ENOSYS;
}

/*
 * LAB 01: see ring.h.  Offer what was held back, wait, stop, and only then
 * free: Host may read the ring until chan_stop() returns [§8.5].
 */
int ring_destroy(struct ring *ring, u64 timeout_ns)
{
	return -ENOSYS;
}
