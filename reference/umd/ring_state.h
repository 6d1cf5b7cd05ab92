/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a ring_fast.c ring knows: of each entry, and of what Host has done.
 *
 * Threads that fill entries write marks; threads that find the ring full, or
 * ask whether it is idle, look at Host, one at a time, and move the tail.
 */
#ifndef RING_STATE_H
#define RING_STATE_H

#include "ring_buffers.h"
#include "ring_room.h"

/*
 * Groups are a cache line apart: they are written by different threads.  The
 * first is written by nobody once the ring is there.
 */
struct ring {
	struct ring_buffers buffers;
	u64 *marks;		/* of each GP entry			*/
	u32 words_max;		/* in one segment			*/
	u32 words_short;	/* … that goes the short way, or 0	*/
	char pad0[64];

	struct room_keeper room;	/* tail: under the update lock	*/
	bool lost;
	char pad1[64];

	u64 offer;
	u32 offered;		/* GP_PUT as Host knows it; the owner's	*/
	bool paused;		/* … as well				*/
	char pad2[64];

	struct chan *chan;
	void __iomem *userd;
	pthread_mutex_t update;	/* over the room's tail			*/
	pthread_mutex_t control;	/* pause and resume		*/
};

/* Counts begin one lap up, so that no entry is ready by chance. */
static void ring_init(struct ring *ring, const struct ring_config *config)
{
	u32 first = config->gp_entries + config->gp_first;

	buffers_init(&ring->buffers, config);
	ring->chan = config->chan;
	ring->userd = chan_userd(config->chan).vaddr_iomem;
	ring->words_max = config->pb_words / 2;
	if (ring->buffers.coherent && !config->crc)
		ring->words_short = ring->words_max;
	ring->room.gp_mask = config->gp_entries - 1;
	ring->room.pb_words = config->pb_words;
	ring->room.gp_step = config->crc ? 2 : 1;
	ring->room.head = ROOM(first, 0);
	room_free(&ring->room, ROOM(first, 0));
	ring->offer = first;
	ring->offered = first;
	pthread_mutex_init(&ring->update, NULL);
	pthread_mutex_init(&ring->control, NULL);
}

static inline void ring_free(struct ring *ring)
{
	pthread_mutex_destroy(&ring->control);
	pthread_mutex_destroy(&ring->update);
	kfree(ring->marks);
	kfree(ring);
}

/*
 * The mark of an entry is what the head became by it: the count after its
 * own, and where its words end.  Nothing of an earlier lap equals it.
 */
static inline u64 *mark_of(const struct ring *ring, u32 gp)
{
	return &ring->marks[gp & ring->room.gp_mask];
}

/* Where the words of an entry end.  Before the ring's first: position 0. */
static u32 entry_end(const struct ring *ring, u32 gp)
{
	return ROOM_PB(__atomic_load_n(mark_of(ring, gp), __ATOMIC_RELAXED));
}

static inline void entry_mark(struct ring *ring, u32 gp, u32 end)
{
	smp_store_release(mark_of(ring, gp), ROOM(gp + 1, end));
}

/* Has Host read the words that end there? */
static bool segment_is_read(const struct ring *ring, u32 end)
{
	u64 get;

	get = (u64)readl(ring->userd + NV_RAMUSERD_GET_HI) << 32;
	get |= readl(ring->userd + NV_RAMUSERD_GET);
	return get == ring->buffers.pb_va + pb_offset(end) * sizeof(u32);
}

/* From now on every call says so, and none goes the short way. */
static void ring_lose(struct ring *ring)
{
	__atomic_store_n(&ring->words_short, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->lost, true, __ATOMIC_RELAXED);
}

/*
 * The entry before the last that has begun is done with.  Its mark is still
 * its own if gp_get moves here, since until now nobody could reuse it.
 */
static int ring_update_locked(struct ring *ring)
{
	struct room_keeper *room = &ring->room;
	u32 hw = readl(ring->userd + NV_RAMUSERD_GP_GET);
	u32 old = ROOM_GP(room->tail), pb = ROOM_PB(room->tail), get;

	if (hw == 0xffffffff) {
		ring_lose(ring);
		return -ENODEV;
	}
	get = old + ((hw - old) & room->gp_mask);
	if (segment_is_read(ring, entry_end(ring, get - 1)))
		pb = entry_end(ring, get - 1);
	else if (get != old)
		pb = entry_end(ring, get - 2);
	room_free(room, ROOM(get, pb));
	return 0;
}

static bool ring_is_lost(const struct ring *ring)
{
	return __atomic_load_n(&ring->lost, __ATOMIC_RELAXED);
}

static int ring_update(struct ring *ring)
{
	int err;

	if (ring_is_lost(ring))
		return -ENODEV;
	pthread_mutex_lock(&ring->update);
	err = ring_update_locked(ring);
	pthread_mutex_unlock(&ring->update);
	return err;
}

#endif
