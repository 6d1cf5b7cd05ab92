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
	u32 offset = position % ring->config.pb_words;

	if (offset + (u64)words > ring->config.pb_words)
		position += ring->config.pb_words - offset;
	return position;
}

/* LAB 01: where the push buffer's head will be after these segments. */
static u64 pb_head_after(const struct ring *ring, u64 position,
			 const struct push *push, u32 count)
{
	for (u32 i = 0; i < count; i++)
		position = pb_place(ring, position, push[i].count) +
			push[i].count;
	return position;
}

/* LAB 01: the number of GP entries for this many segments [§9.2]. */
static u64 gp_needed(const struct ring *ring, u32 count)
{
	return ring->config.crc ? 2ULL * count : count;
}

/*
 * LAB 01: room in both buffers, as far as we know, for all of it, padding
 * included.  An empty push buffer may be begun again at its start.
 */
static bool ring_has_room(struct ring *ring, const struct push *push,
			  u32 count)
{
	u32 pb_words = ring->config.pb_words;
	u32 gp_free = (ring->gp_get - ring->gp_put - 1) & ring->gp_mask;

	if (gp_free < gp_needed(ring, count))
		return false;

	if (pb_head_after(ring, ring->pb_head, push, count) -
	    ring->pb_tail <= pb_words)
		return true;
	if (ring->pb_tail != ring->pb_head)
		return false;

	ring->pb_head += pb_words - ring->pb_head % pb_words;
	ring->pb_tail = ring->pb_head;
	return pb_head_after(ring, ring->pb_head, push, count) -
		ring->pb_tail <= pb_words;
}

/* LAB 01: has Host's GET reached the end of this segment [§8.3]? */
static bool segment_is_read(const struct ring *ring,
			    const struct segment *segment)
{
	u64 offset = segment->begin % ring->config.pb_words +
		(segment->end - segment->begin);
	u64 get;

	if (segment->begin == segment->end)
		return true;
	get = (u64)readl(ring->userd + NV_RAMUSERD_GET_HI) << 32;
	get |= readl(ring->userd + NV_RAMUSERD_GET);
	return get == ring->config.pb->va + offset * sizeof(u32);
}

/*
 * LAB 01: learn how far Host is [§8.3]: from GP_GET the entries it has
 * begun, and from those the words that it needs no more.  A card that is
 * lost reads as all ones [§2.5]: -ENODEV, and remember it.
 */
static int ring_update(struct ring *ring)
{
	u32 gp_get = readl(ring->userd + NV_RAMUSERD_GP_GET);
	const struct segment *begun;

	if (gp_get == 0xffffffff) {
		ring->lost = true;
		return -ENODEV;
	}
	ring->gp_get = gp_get;
	begun = &ring->segments[(gp_get - 1) & ring->gp_mask];
	if (segment_is_read(ring, begun))
		ring->pb_tail = max(ring->pb_tail, begun->end);
	else
		ring->pb_tail = max(ring->pb_tail, begun->begin);
	return 0;
}

/* LAB 01: Host has consumed what it was offered, as of ring_update(). */
static bool ring_consumed(const struct ring *ring)
{
	u32 last = (ring->gp_get - 1) & ring->gp_mask;

	return ring->gp_get == ring->gp_offered &&
		ring->pb_tail >= ring->segments[last].end;
}

/* LAB 01: put an entry into the next slot [§9.1]; it is not offered yet. */
static void gp_write(struct ring *ring, u64 entry, struct segment segment)
{
	ring->segments[ring->gp_put] = segment;
	iosys_map_wr(&ring->config.gp->map,
		     ring->gp_put * NVC06F_GP_ENTRY__SIZE, u64, entry);
	ring->gp_put = (ring->gp_put + 1) & ring->gp_mask;
}

/*
 * LAB 01: copy a segment's words to their place, then write its entry and,
 * where wanted, the entry that carries its CRC [§9.2].  There is room.
 */
static void ring_fill(struct ring *ring, const struct push *push)
{
	struct gpu_mem *pb = ring->config.pb;
	u64 begin = pb_place(ring, ring->pb_head, push->count);
	struct segment segment = { begin, begin + push->count };
	u64 offset = begin % ring->config.pb_words * sizeof(u32);
	u64 entry = 0;

	iosys_map_memcpy_to(&pb->map, offset, push->words,
			    push->count * sizeof(u32));
	gp_entry_segment(pb->va + offset, push->count, 0, &entry);
	gp_write(ring, entry, segment);
	ring->pb_head = segment.end;

	if (ring->config.crc) {
		segment.begin = segment.end;
		gp_entry_control(NVC06F_GP_ENTRY1_OPCODE_PB_CRC,
				 push_crc32(0, push->words, push->count),
				 &entry);
		gp_write(ring, entry, segment);
	}
}

/*
 * LAB 01: let the card see what this thread filled [§4.3], before anybody can
 * tell the card about it.  Coherent memory: dma_wmb().  Write-combining
 * memory, and video memory: wmb(), which also drains this CPU's write
 * buffers; no other thread's barrier could.
 */
static void ring_drain(const struct ring *ring)
{
	if (ring->config.gp->kind == MEM_COHERENT &&
	    ring->config.pb->kind == MEM_COHERENT)
		dma_wmb();
	else
		wmb();
}

/*
 * LAB 01: writes to video memory are posted [§4.4]: on the way, still, when
 * GP_PUT arrives by another path.  A read of the last word written cannot
 * pass them.
 */
static void ring_read_back(const struct ring *ring)
{
	const struct gpu_mem *gp = ring->config.gp;
	const struct gpu_mem *pb = ring->config.pb;
	u32 last = (ring->gp_ready - 1) & ring->gp_mask;
	u64 word = ring->segments[last].end - 1;

	if (gp->kind == MEM_VRAM)
		iosys_map_rd(&gp->map, last * NVC06F_GP_ENTRY__SIZE +
			     NVC06F_GP_ENTRY1, u32);
	else if (pb->kind == MEM_VRAM)
		iosys_map_rd(&pb->map, word % ring->config.pb_words *
			     sizeof(u32), u32);
}

/*
 * LAB 01: write GP_PUT [§8.3], if Host does not know it already.  Compare
 * positions; a flag of its own would one day disagree with them.
 */
static void ring_offer(struct ring *ring)
{
	if (ring->paused || ring->gp_offered == ring->gp_ready)
		return;

	ring_read_back(ring);
	writel_relaxed(ring->gp_ready, ring->userd + NV_RAMUSERD_GP_PUT);
	ring->gp_offered = ring->gp_ready;
}

/* LAB 01: one attempt, under the lock.  -EAGAIN: no room now. */
static int ring_try_submit(struct ring *ring, const struct push *push,
			   u32 count, u32 flags)
{
	int err;

	if (ring->lost)
		return -ENODEV;
	if (!ring_has_room(ring, push, count)) {
		err = ring_update(ring);
		if (err)
			return err;
		if (!ring_has_room(ring, push, count))
			return -EAGAIN;
	}

	for (u32 i = 0; i < count; i++)
		ring_fill(ring, &push[i]);
	ring_drain(ring);
	if (!(flags & RING_DEFER))
		ring->gp_ready = ring->gp_put;
	ring_offer(ring);
	return 0;
}

/* LAB 01: sizes that could never fit are refused before anything waits. */
static int ring_check(const struct ring *ring, const struct push *push,
		      u32 count, u32 flags)
{
	if (count == 0 || flags & ~RING_DEFER ||
	    gp_needed(ring, count) > ring->gp_mask)
		return -EINVAL;
	for (u32 i = 0; i < count; i++) {
		if (push[i].count == 0 ||
		    push[i].count > ring->config.pb_words / 2)
			return -EINVAL;
	}
	if (pb_head_after(ring, 0, push, count) > ring->config.pb_words)
		return -EINVAL;
	return 0;
}

/* LAB 01: see ring.h.  Wait without the lock: others may find room. */
int ring_submit_batch(struct ring *ring, const struct push *push, u32 count,
		      u32 flags, u64 timeout_ns)
{
	int err = ring_check(ring, push, count, flags);
	bool first = true, late = false;
	u64 start = 0;

	if (err)
		return err;
	for (;;) {
		pthread_mutex_lock(&ring->lock);
		err = ring_try_submit(ring, push, count, flags);
		if (err == -EAGAIN && timeout_ns) {
			/* What is held back would never make room. */
			ring->gp_ready = ring->gp_put;
			ring_offer(ring);
		}
		pthread_mutex_unlock(&ring->lock);

		if (err != -EAGAIN || timeout_ns == 0)
			return err;
		if (late)
			return -ETIMEDOUT;
		if (first)
			start = ktime_get_ns();
		first = false;
		cpu_relax();
		/* The time before the attempt: the last one counts. */
		late = ktime_get_ns() - start >= timeout_ns;
	}
}

/* LAB 01: see ring.h. */
int ring_submit(struct ring *ring, const struct push *push, u32 flags,
		u64 timeout_ns)
{
	return ring_submit_batch(ring, push, 1, flags, timeout_ns);
}

/* LAB 01: see ring.h. */
int ring_kick(struct ring *ring)
{
	int err = 0;

	pthread_mutex_lock(&ring->lock);
	if (ring->lost) {
		err = -ENODEV;
	} else {
		ring->gp_ready = ring->gp_put;
		ring_offer(ring);
	}
	pthread_mutex_unlock(&ring->lock);
	return err;
}

/* LAB 01: see ring.h. */
int ring_is_idle(struct ring *ring)
{
	int err;

	pthread_mutex_lock(&ring->lock);
	err = ring->lost ? -ENODEV : ring_update(ring);
	if (!err)
		err = ring_consumed(ring);
	pthread_mutex_unlock(&ring->lock);
	return err;
}

/* LAB 01: see ring.h. */
int ring_wait_idle(struct ring *ring, u64 timeout_ns)
{
	u64 start = ktime_get_ns();

	for (;;) {
		bool late = ktime_get_ns() - start >= timeout_ns;
		int idle = ring_is_idle(ring);

		if (idle)
			return idle < 0 ? idle : 0;
		if (late)
			return -ETIMEDOUT;
		cpu_relax();
	}
}

/* LAB 01: stop the channel, once [§8.6]; the entries stay where they are. */
int ring_pause(struct ring *ring)
{
	int err = -EINVAL;

	pthread_mutex_lock(&ring->lock);
	if (ring->lost) {
		err = -ENODEV;
	} else if (!ring->paused) {
		err = chan_stop(ring->config.chan);
		ring->paused = !err;
		ring->lost = err == -ENODEV;
	}
	pthread_mutex_unlock(&ring->lock);
	return err;
}

/*
 * LAB 01: start where Host stopped, at GP_GET [§8.6].  Host then believes
 * that the ring is empty: tell it GP_PUT again.
 */
static int ring_restart(struct ring *ring)
{
	int err = ring_update(ring);

	if (err)
		return err;
	err = chan_start(ring->config.chan, ring->gp_get);
	if (err)
		return err;
	ring->paused = false;
	ring->gp_offered = ring->gp_get;
	ring_offer(ring);
	return 0;
}

/* LAB 01: see ring.h. */
int ring_resume(struct ring *ring)
{
	int err = -EINVAL;

	pthread_mutex_lock(&ring->lock);
	if (ring->lost) {
		err = -ENODEV;
	} else if (ring->paused) {
		err = ring_restart(ring);
		ring->lost = err == -ENODEV;
	}
	pthread_mutex_unlock(&ring->lock);
	return err;
}

/* LAB 01: what ring.h says about sizes. */
static int config_check(const struct ring_config *config)
{
	if (!is_power_of_2(config->gp_entries) || config->gp_entries < 4 ||
	    config->gp_entries > 65536 ||
	    config->gp_first >= config->gp_entries ||
	    config->pb_words < 16 || config->pb_words > RING_PB_WORDS_MAX)
		return -EINVAL;
	if (config->gp->size < config->gp_entries * 8ULL ||
	    config->pb->size < config->pb_words * 4ULL)
		return -EINVAL;
	return 0;
}

/* LAB 01: see ring.h.  A failure leaves nothing behind. */
int ring_create(const struct ring_config *config, struct ring **out)
{
	struct ring *ring;
	int err = config_check(config);

	if (err)
		return err;
	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return -ENOMEM;
	err = -ENOMEM;
	ring->segments = kcalloc(config->gp_entries, sizeof(*ring->segments),
				 GFP_KERNEL);
	if (!ring->segments)
		goto free_ring;

	ring->config = *config;
	ring->userd = chan_userd(config->chan).vaddr_iomem;
	ring->gp_mask = config->gp_entries - 1;
	ring->gp_put = config->gp_first;
	ring->gp_ready = config->gp_first;
	ring->gp_offered = config->gp_first;
	ring->gp_get = config->gp_first;
	err = chan_start(config->chan, config->gp_first);
	if (err)
		goto free_segments;

	pthread_mutex_init(&ring->lock, NULL);
	*out = ring;
	return 0;

free_segments:
	kfree(ring->segments);
free_ring:
	kfree(ring);
	return err;
}

/*
 * LAB 01: see ring.h.  Offer what was held back, wait, stop, and only then
 * free: Host may read the ring until chan_stop() returns [§8.5].
 */
int ring_destroy(struct ring *ring, u64 timeout_ns)
{
	int err = ring_kick(ring);
	int stop_err = 0;

	if (!err)
		err = ring_wait_idle(ring, ring->paused ? 0 : timeout_ns);
	if (!err && ring->gp_put != ring->gp_offered)
		err = -ETIMEDOUT;	/* paused, with entries kept */
	if (!ring->paused)
		stop_err = chan_stop(ring->config.chan);

	pthread_mutex_destroy(&ring->lock);
	kfree(ring->segments);
	kfree(ring);
	return err ? err : stop_err;
}
