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
#include "ring_room.h"
#include "vm/spec/reg.h"

/*
 * Of each GP entry, in one word so that one store does both: whether it is
 * there, and where its words end.
 */
#define SLOT(count, end)	((u64)((count) + 1u) << 32 | (end))
#define SLOT_READY(slot)	((u32)((slot) >> 32) - 1)
#define SLOT_END(slot)		((u32)(slot))

/*
 * Groups are a cache line apart: they are written by different threads.  The
 * first is written by nobody once the ring is there.
 */
struct ring {
	void *gp_ram, *pb_ram;	/* the two buffers; NULL: in a BAR	*/
	u64 pb_va;
	u64 *slots;
	u32 words_max;		/* in one segment			*/
	bool coherent;		/* both buffers				*/
	char pad0[64];

	struct room_keeper room;	/* tails: under the update lock	*/
	bool lost;
	char pad1[64];

	u64 offer;
	u32 offered;		/* GP_PUT as Host knows it; the owner's	*/
	bool paused;		/* … as well				*/
	char pad2[64];

	struct ring_config config;
	void __iomem *userd;
	pthread_mutex_t update;	/* over the room's tails		*/
	pthread_mutex_t control;	/* pause and resume		*/
};

static inline u64 *slot_of(const struct ring *ring, u32 gp)
{
	return &ring->slots[gp & ring->room.gp_mask];
}

/* Where the words of an entry end.  Before the ring's first: position 0. */
static u32 slot_end(const struct ring *ring, u32 gp)
{
	return SLOT_END(__atomic_load_n(slot_of(ring, gp), __ATOMIC_RELAXED));
}

/* The end of the buffer is not its beginning. */
static u32 end_offset(const struct ring *ring, u32 end)
{
	u32 size = ring->room.pb_words, offset = pb_offset(size, end);

	return offset ? offset : size;
}

/* In line: a call of libc's memcpy() costs more than a short segment. */
static __always_inline void copy_words(u32 *to, const u32 *from, u32 count)
{
	for (; count >= 16; count -= 16, to += 16, from += 16)
		memcpy(to, from, 16 * sizeof(*to));
	for (; count; count--, to++, from++)
		WRITE_ONCE(*to, *from);
}

static inline void gp_write(struct ring *ring, u32 gp, u64 entry)
{
	u64 *ram = ring->gp_ram;
	u32 slot = gp & ring->room.gp_mask;

	if (likely(ram))
		WRITE_ONCE(ram[slot], entry);
	else
		iosys_map_wr(&ring->config.gp->map,
			     slot * NVC06F_GP_ENTRY__SIZE, u64, entry);
}

static noinline void
gp_write_crc(struct ring *ring, const struct push *push, u32 gp)
{
	u64 entry = 0;

	gp_entry_control(NVC06F_GP_ENTRY1_OPCODE_PB_CRC,
			 push_crc32(0, push->words, push->count), &entry);
	gp_write(ring, gp, entry);
}

/* The length fits its field: see words_max. */
static __always_inline void
ring_fill(struct ring *ring, const struct push *push, u32 gp, u32 pb)
{
	u32 at = pb_offset(ring->room.pb_words, pb);
	u64 offset = (u64)at * sizeof(u32);
	u32 *ram = ring->pb_ram;

	if (likely(ram))
		copy_words(ram + at, push->words, push->count);
	else
		iosys_map_memcpy_to(&ring->config.pb->map, offset,
				    push->words, push->count * sizeof(u32));
	gp_write(ring, gp, (ring->pb_va + offset) |
		 REG_SET(NVC06F_GP_ENTRY1_LENGTH, push->count) << 32);
	if (ring->room.gp_step == 2)
		gp_write_crc(ring, push, gp + 1);
}

static inline void ring_drain(const struct ring *ring)
{
	if (likely(ring->coherent))
		dma_wmb();
	else
		wmb();
}

/* The entries of a segment whose words end there. */
static inline void ring_mark_ready(struct ring *ring, u32 gp, u32 end)
{
	smp_store_release(slot_of(ring, gp), SLOT(gp, end));
	if (ring->room.gp_step == 2)
		smp_store_release(slot_of(ring, gp + 1), SLOT(gp + 1, end));
}

/* The owner: everything before wanted is there; let the card see it. */
static void ring_collect(struct ring *ring, u32 wanted)
{
	const struct gpu_mem *gp = ring->config.gp;
	const struct gpu_mem *pb = ring->config.pb;
	u32 last = wanted - 1;

	for (u32 i = ring->offered; i != wanted; i++) {
		while (SLOT_READY(smp_load_acquire(slot_of(ring, i))) != i)
			cpu_relax();
	}
	dma_wmb();
	if (gp->kind == MEM_VRAM)
		iosys_map_rd(&gp->map, (last & ring->room.gp_mask) *
			     NVC06F_GP_ENTRY__SIZE + NVC06F_GP_ENTRY1, u32);
	else if (pb->kind == MEM_VRAM)
		iosys_map_rd(&pb->map,
			     (end_offset(ring, slot_end(ring, last)) - 1) *
			     sizeof(u32), u32);
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

/* Has Host read the words that end there? */
static bool segment_is_read(const struct ring *ring, u32 end)
{
	u64 get;

	get = (u64)readl(ring->userd + NV_RAMUSERD_GET_HI) << 32;
	get |= readl(ring->userd + NV_RAMUSERD_GET);
	return get == ring->pb_va + end_offset(ring, end) * sizeof(u32);
}

/*
 * The entry before the last that has begun is done with.  Its slot is still
 * its own if gp_get moves here, since until now nobody could reuse it.
 */
static int ring_update_locked(struct ring *ring)
{
	struct room_keeper *room = &ring->room;
	u32 hw = readl(ring->userd + NV_RAMUSERD_GP_GET);
	u32 tail = room->pb_tail, get;

	if (hw == 0xffffffff) {
		__atomic_store_n(&ring->lost, true, __ATOMIC_RELAXED);
		return -ENODEV;
	}
	get = room->gp_get + ((hw - room->gp_get) & room->gp_mask);
	if (segment_is_read(ring, slot_end(ring, get - 1)))
		tail = slot_end(ring, get - 1);
	else if (get != room->gp_get)
		tail = slot_end(ring, get - 2);
	smp_store_release(&room->pb_tail, tail);
	smp_store_release(&room->gp_get, get);
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

/* Take room, if need be with what Host has done since we last looked. */
static noinline struct room
ring_take(struct ring *ring, const struct push *push, u32 count)
{
	struct room room = room_take(&ring->room, push, count);

	if (room.is_there || ring_update(ring))
		return room;
	return room_take(&ring->room, push, count);
}

/* Inlined, so that the common case, one segment, has no loop. */
static __always_inline int
ring_try_submit(struct ring *ring, const struct push *push, u32 count,
		u32 flags)
{
	u32 size = ring->room.pb_words;
	struct room room;

	if (unlikely(ring_is_lost(ring)))
		return -ENODEV;
	room = room_try(&ring->room, push, count);
	if (unlikely(!room.is_there))
		room = ring_take(ring, push, count);
	if (unlikely(!room.is_there))
		return ring_is_lost(ring) ? -ENODEV : -EAGAIN;

	for (u32 i = 0; i < count; i++) {
		room.pb = pb_place(size, room.pb, push[i].count);
		ring_fill(ring, &push[i], room.gp, room.pb);
		room.pb = pb_after(size, room.pb, push[i].count);
		ring_drain(ring);
		ring_mark_ready(ring, room.gp, room.pb);
		room.gp += ring->room.gp_step;
	}
	if (!(flags & RING_DEFER))
		ring_offer(ring, room.gp);
	return 0;
}

static int ring_check(const struct ring *ring, const struct push *push,
		      u32 count, u32 flags)
{
	u32 end;

	if (count == 0 || flags & ~RING_DEFER ||
	    (u64)count * ring->room.gp_step > ring->room.gp_mask)
		return -EINVAL;
	for (u32 i = 0; i < count; i++) {
		if (push[i].count == 0 ||
		    push[i].count > ring->words_max)
			return -EINVAL;
	}
	if (pb_span(ring->room.pb_words, 0, push, count, &end) >
	    ring->room.pb_words)
		return -EINVAL;
	return 0;
}

static noinline int
ring_wait_submit(struct ring *ring, const struct push *push, u32 count,
		 u32 flags, u64 timeout_ns)
{
	u64 start = ktime_get_ns();
	bool late;
	int err;

	do {
		/* What is held back would never make room. */
		ring_offer(ring, room_gp_head(&ring->room));
		cpu_relax();
		late = ktime_get_ns() - start >= timeout_ns;
		err = ring_try_submit(ring, push, count, flags);
	} while (err == -EAGAIN && !late);
	return err == -EAGAIN ? -ETIMEDOUT : err;
}

int ring_submit_batch(struct ring *ring, const struct push *push, u32 count,
		      u32 flags, u64 timeout_ns)
{
	int err = ring_check(ring, push, count, flags);

	if (err)
		return err;
	err = ring_try_submit(ring, push, count, flags);
	if (err != -EAGAIN || timeout_ns == 0)
		return err;
	return ring_wait_submit(ring, push, count, flags, timeout_ns);
}

int ring_submit(struct ring *ring, const struct push *push, u32 flags,
		u64 timeout_ns)
{
	int err;

	if (push->count - 1 >= ring->words_max ||
	    flags & ~RING_DEFER)
		return -EINVAL;
	err = ring_try_submit(ring, push, 1, flags);
	if (err != -EAGAIN || timeout_ns == 0)
		return err;
	return ring_wait_submit(ring, push, 1, flags, timeout_ns);
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

	return ring->room.gp_get == offered &&
		slot_end(ring, offered - 1) == ring->room.pb_tail;
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
	err = chan_stop(ring->config.chan);
	if (err == -ENODEV)
		__atomic_store_n(&ring->lost, true, __ATOMIC_RELAXED);
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
	get = smp_load_acquire(&ring->room.gp_get);
	err = chan_start(ring->config.chan, get & ring->room.gp_mask);
	if (err == -ENODEV)
		__atomic_store_n(&ring->lost, true, __ATOMIC_RELAXED);
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

static int config_check(const struct ring_config *config)
{
	if (!is_power_of_2(config->gp_entries) || config->gp_entries < 4 ||
	    config->gp_entries > 65536 ||
	    config->gp_first >= config->gp_entries || config->pb_words < 16 ||
	    config->pb_words > RING_PB_WORDS_MAX)
		return -EINVAL;
	if (config->gp->size < config->gp_entries * 8ULL ||
	    config->pb->size < config->pb_words * 4ULL)
		return -EINVAL;
	return 0;
}

/* Counts begin one lap up, so that no entry is ready by chance. */
static void ring_init(struct ring *ring, const struct ring_config *config)
{
	u32 first = config->gp_entries + config->gp_first;

	ring->config = *config;
	ring->userd = chan_userd(config->chan).vaddr_iomem;
	ring->room.gp_mask = config->gp_entries - 1;
	ring->room.pb_words = config->pb_words;
	ring->room.gp_step = config->crc ? 2 : 1;
	ring->words_max = config->pb_words / 2;
	ring->pb_va = config->pb->va;
	ring->gp_ram = config->gp->map.is_iomem ? NULL :
		config->gp->map.vaddr;
	ring->pb_ram = config->pb->map.is_iomem ? NULL :
		config->pb->map.vaddr;
	ring->coherent = config->gp->kind == MEM_COHERENT &&
		config->pb->kind == MEM_COHERENT;
	ring->room.head = first;
	ring->offer = first;
	ring->offered = first;
	ring->room.gp_get = first;
	pthread_mutex_init(&ring->update, NULL);
	pthread_mutex_init(&ring->control, NULL);
}

static void ring_free(struct ring *ring)
{
	pthread_mutex_destroy(&ring->control);
	pthread_mutex_destroy(&ring->update);
	kfree(ring->slots);
	kfree(ring);
}

int ring_create(const struct ring_config *config, struct ring **out)
{
	struct ring *ring;
	int err = config_check(config);

	if (err)
		return err;
	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return -ENOMEM;
	ring_init(ring, config);
	err = -ENOMEM;
	ring->slots = kcalloc(config->gp_entries, sizeof(*ring->slots),
			      GFP_KERNEL);
	if (!ring->slots)
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
		stop_err = chan_stop(ring->config.chan);
	ring_free(ring);
	return err ? err : stop_err;
}
