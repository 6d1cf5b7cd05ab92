/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The ring of ring.h without a lock on the way of a submission [§8.3].
 *
 * Read ring.c first: the two buffers, their heads and tails, and the barrier
 * by mapping are the same.  What differs is how threads share them.
 *
 *   Reserve   room in both buffers, by one compare-and-swap: ring_room.h.
 *   Fill      what one has reserved, all threads at the same time; drain
 *             one's own stores; mark each entry ready with the count that it
 *             was reserved under, so that a mark of the lap before is none.
 *   Offer     by one thread for all that ask meanwhile: ring_offer.h.  Only
 *             this one ever waits for an entry that another has reserved and
 *             not filled yet.
 */
#include "ring.h"
#include "ring_offer.h"
#include "ring_state.h"

/* Another thread has taken this entry and is about to fill it. */
static noinline void mark_wait(const u64 *mark, u32 gp)
{
	while (ROOM_GP(smp_load_acquire(mark)) != gp + 1)
		cpu_relax();
}

/* The owner: everything before wanted is there; let the card see it. */
static void ring_collect(struct ring *ring, u32 wanted)
{
	u32 mask = ring->room.gp_mask, last = wanted - 1;
	const u64 *marks = ring->marks;

	for (u32 i = ring->offered; i != wanted; i++) {
		const u64 *mark = &marks[i & mask];

		if (unlikely(ROOM_GP(smp_load_acquire(mark)) != i + 1))
			mark_wait(mark, i);
	}
	dma_wmb();
	buffers_read_back(&ring->buffers, last & mask,
			  pb_offset(entry_end(ring, last)) - 1);
}

/* As the owner, offer what is wanted, until nobody wants more. */
static void ring_offer_owned(struct ring *ring, u64 state)
{
	u32 wanted;

	do {
		wanted = (u32)state;
		if (wanted != ring->offered) {
			ring_collect(ring, wanted);
			writel_relaxed(wanted & ring->room.gp_mask,
				       ring->userd + NV_RAMUSERD_GP_PUT);
			__atomic_store_n(&ring->offered, wanted,
					 __ATOMIC_RELAXED);
		}
	} while (!offer_leave(&ring->offer, &state));
}

/* Have the entries before upto offered, by us or by the owner. */
static noinline void ring_offer(struct ring *ring, u32 upto)
{
	u64 state;

	if (offer_want(&ring->offer, upto, &state))
		ring_offer_owned(ring, state);
}

/* Take room, if need be with what Host has done since we last looked. */
static bool ring_take(struct ring *ring, const struct push *push, u32 count,
		      u32 words, u64 *room)
{
	if (room_take(&ring->room, push, count, words, room))
		return true;
	return !ring_update(ring) &&
		room_take(&ring->room, push, count, words, room);
}

/* One segment, at this room. */
static __always_inline void
ring_fill(struct ring *ring, const struct push *push, u32 gp, u32 pb)
{
	struct ring_buffers *buffers = &ring->buffers;
	u32 at = pb_offset(pb), end = pb + push->count;
	bool crc = ring->room.gp_step == 2;

	buffers_write_words(buffers, at, push);
	buffers_write_entry(buffers, gp & ring->room.gp_mask,
			    buffers_entry(buffers, at, push->count));
	if (unlikely(crc))
		buffers_write_crc(buffers, (gp + 1) & ring->room.gp_mask,
				  push);
	buffers_drain(buffers);
	entry_mark(ring, gp, end);
	if (unlikely(crc))
		entry_mark(ring, gp + 1, end);
}

static int ring_try_submit(struct ring *ring, const struct push *push,
			   u32 count, u32 words, u32 flags)
{
	u64 room;
	u32 gp, pb;

	if (ring_is_lost(ring))
		return -ENODEV;
	if (!ring_take(ring, push, count, words, &room))
		return ring_is_lost(ring) ? -ENODEV : -EAGAIN;

	gp = ROOM_GP(room);
	pb = ROOM_PB(room);
	for (u32 i = 0; i < count; i++) {
		pb = pb_place(ring->room.pb_words, pb, push[i].count);
		ring_fill(ring, &push[i], gp, pb);
		pb += push[i].count;
		gp += ring->room.gp_step;
	}
	if (!(flags & RING_DEFER))
		ring_offer(ring, gp);
	return 0;
}

/* Sizes that could never fit are refused.  *words: of all segments. */
static int ring_check(const struct ring *ring, const struct push *push,
		      u32 count, u32 flags, u32 *words)
{
	u64 sum = 0;

	if (count == 0 || flags & ~RING_DEFER ||
	    (u64)count * ring->room.gp_step > ring->room.gp_mask)
		return -EINVAL;
	for (u32 i = 0; i < count; i++) {
		if (push[i].count - 1 >= ring->words_max)
			return -EINVAL;
		sum += push[i].count;
	}
	if (sum > ring->room.pb_words)
		return -EINVAL;
	*words = sum;
	return 0;
}

static noinline int
ring_wait_submit(struct ring *ring, const struct push *push, u32 count,
		 u32 words, u32 flags, u64 timeout_ns)
{
	u64 start = ktime_get_ns();
	bool late;
	int err;

	do {
		/* What is held back would never make room. */
		ring_offer(ring, room_gp_head(&ring->room));
		cpu_relax();
		late = ktime_get_ns() - start >= timeout_ns;
		err = ring_try_submit(ring, push, count, words, flags);
	} while (err == -EAGAIN && !late);
	return err == -EAGAIN ? -ETIMEDOUT : err;
}

/*
 * The short way: coherent memory, no CRC, a card that is there, and room for
 * all words in one piece without a look at Host.  One segment, up to where
 * end says, which becomes its mark.
 */
static __always_inline void
ring_fill_short(struct ring *ring, const struct push *push, u32 words, u64 end)
{
	const struct ring_buffers *buffers = &ring->buffers;
	u64 room = end - ROOM(1, words);
	u32 slot = ROOM_GP(room) & ring->room.gp_mask;
	u32 at = pb_offset(ROOM_PB(room));

	copy_words(buffers->pb_ram + at, push->words, words);
	WRITE_ONCE(buffers->gp_ram[slot], buffers_entry(buffers, at, words));
	dma_wmb();
	smp_store_release(&ring->marks[slot], end);
}

/* Any way there is. */
static noinline int
ring_submit_long(struct ring *ring, const struct push *push, u32 count,
		 u32 flags, u64 timeout_ns)
{
	u32 words;
	int err = ring_check(ring, push, count, flags, &words);

	if (err)
		return err;
	err = ring_try_submit(ring, push, count, words, flags);
	if (err != -EAGAIN || timeout_ns == 0)
		return err;
	return ring_wait_submit(ring, push, count, words, flags, timeout_ns);
}

int ring_submit_batch(struct ring *ring, const struct push *push, u32 count,
		      u32 flags, u64 timeout_ns)
{
	u64 end, mark;
	u32 words;

	if (ring_check(ring, push, count, flags, &words) ||
	    words > READ_ONCE(ring->words_short) ||
	    !room_try(&ring->room, ROOM(count, words), &end))
		return ring_submit_long(ring, push, count, flags, timeout_ns);
	mark = end - ROOM(count, words);
	for (u32 i = 0; i < count; i++) {
		mark += ROOM(1, push[i].count);
		ring_fill_short(ring, &push[i], push[i].count, mark);
	}
	if (!flags)
		ring_offer(ring, ROOM_GP(end));
	return 0;
}

int ring_submit(struct ring *ring, const struct push *push, u32 flags,
		u64 timeout_ns)
{
	u32 words = push->count;
	u64 end;

	if (unlikely(flags & ~RING_DEFER ||
		     words - 1 >= READ_ONCE(ring->words_short) ||
		     !room_try(&ring->room, ROOM(1, words), &end)))
		return ring_submit_long(ring, push, 1, flags, timeout_ns);
	ring_fill_short(ring, push, words, end);
	if (!flags)
		ring_offer(ring, ROOM_GP(end));
	return 0;
}

int ring_kick(struct ring *ring)
{
	if (ring_is_lost(ring))
		return -ENODEV;
	ring_offer(ring, room_gp_head(&ring->room));
	return 0;
}

static bool ring_consumed(struct ring *ring)
{
	u32 offered = __atomic_load_n(&ring->paused, __ATOMIC_RELAXED) ?
		__atomic_load_n(&ring->offered, __ATOMIC_RELAXED) :
		offer_wanted(&ring->offer);

	return ring->room.tail == ROOM(offered, entry_end(ring, offered - 1));
}

int ring_is_idle(struct ring *ring)
{
	int err;

	if (ring_is_lost(ring))
		return -ENODEV;
	pthread_mutex_lock(&ring->update);
	err = ring_update_locked(ring);
	if (!err)
		err = ring_consumed(ring);
	pthread_mutex_unlock(&ring->update);
	return err;
}

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

static int ring_pause_locked(struct ring *ring)
{
	u64 state;
	int err;

	if (ring->paused)
		return -EINVAL;
	state = offer_own(&ring->offer);
	err = chan_stop(ring->chan);
	if (err == -ENODEV)
		ring_lose(ring);
	if (err)
		ring_offer_owned(ring, state);
	else
		__atomic_store_n(&ring->paused, true, __ATOMIC_RELAXED);
	return err;
}

static int ring_resume_locked(struct ring *ring)
{
	u32 get;
	int err;

	if (!ring->paused)
		return -EINVAL;
	err = ring_update(ring);
	if (err)
		return err;
	get = ROOM_GP(smp_load_acquire(&ring->room.tail));
	err = chan_start(ring->chan, get & ring->room.gp_mask);
	if (err == -ENODEV)
		ring_lose(ring);
	if (err)
		return err;
	__atomic_store_n(&ring->offered, get, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->paused, false, __ATOMIC_RELAXED);
	ring_offer_owned(ring, smp_load_acquire(&ring->offer));
	return 0;
}

int ring_pause(struct ring *ring)
{
	int err;

	if (ring_is_lost(ring))
		return -ENODEV;
	pthread_mutex_lock(&ring->control);
	err = ring_pause_locked(ring);
	pthread_mutex_unlock(&ring->control);
	return err;
}

int ring_resume(struct ring *ring)
{
	int err;

	if (ring_is_lost(ring))
		return -ENODEV;
	pthread_mutex_lock(&ring->control);
	err = ring_resume_locked(ring);
	pthread_mutex_unlock(&ring->control);
	return err;
}

int ring_create(const struct ring_config *config, struct ring **out)
{
	struct ring *ring;
	int err = buffers_check(config);

	if (err)
		return err;
	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return -ENOMEM;
	ring_init(ring, config);
	err = -ENOMEM;
	ring->marks = kcalloc(config->gp_entries, sizeof(*ring->marks),
			      GFP_KERNEL);
	if (!ring->marks)
		goto free_ring;
	err = chan_start(config->chan, config->gp_first);
	if (err)
		goto free_ring;
	*out = ring;
	return 0;

free_ring:
	ring_free(ring);
	return err;
}

int ring_destroy(struct ring *ring, u64 timeout_ns)
{
	int err = ring_kick(ring);
	int stop_err = 0;

	if (!err)
		err = ring_wait_idle(ring, ring->paused ? 0 : timeout_ns);
	if (!err && room_gp_head(&ring->room) != ring->offered)
		err = -ETIMEDOUT;	/* paused, with entries kept */
	if (!ring->paused)
		stop_err = chan_stop(ring->chan);
	ring_free(ring);
	return err ? err : stop_err;
}
