/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Room in both of a ring's buffers, taken by one compare-and-swap [§8.3].
 *
 * The head is one 64-bit word, so that a thread takes room in both buffers or
 * in neither.  The tail, what Host is known to have done with, looks alike:
 *
 *   bits 63:32   the next GP entry: counts up for ever; its slot is the count
 *                modulo the ring's size, a power of two.
 *   bit 31       the lap of the push buffer, odd or even, and
 *   bits 30:0    the next word in it.  After the last word of a lap this is
 *                the buffer's size, not yet the next lap's 0.  So a full
 *                buffer and an empty one look different, and mostly new head
 *                is old head plus a sum: little to compute between two
 *                compare-and-swaps of threads that wait for each other's.
 *
 * A thread may be late, and see a head or a tail that others have moved on.
 * An old tail only makes room look smaller.  An old head makes any nonsense
 * of the distance to a newer tail, but the compare-and-swap then fails: entry
 * counts do not come back.  A head comes with the tail that it was made with:
 * both are loaded in that order, with acquire.
 */
#ifndef RING_ROOM_H
#define RING_ROOM_H

#include "push.h"

#define PB_LAP		(1u << 31)
#define ROOM(gp, pb)	((u64)(gp) << 32 | (pb))
#define ROOM_GP(room)	((u32)((room) >> 32))
#define ROOM_PB(room)	((u32)(room))

/* The head is written by every producer; the tail once a lap or so. */
struct room_keeper {
	u64 head;
	char pad[64];
	u64 tail;		/* as last seen: what is before is free	*/
	u64 limit[2];		/* of a head in an even, an odd lap	*/
	u32 gp_mask;
	u32 gp_step;		/* entries for one segment		*/
	u32 pb_words;
};

/* Where a position lies in the buffer, in words. */
static inline u32 pb_offset(u32 position)
{
	return position & ~PB_LAP;
}

/* The buffer's start, next time round. */
static inline u32 pb_next_start(u32 position)
{
	return ~position & PB_LAP;
}

/* Of two positions that are less than a lap and a buffer apart. */
static inline u32 pb_distance(u32 size, u32 from, u32 to)
{
	return pb_offset(to) - pb_offset(from) +
		((from ^ to) & PB_LAP ? size : 0);
}

/* Where a segment goes, at or after position: it never crosses the end. */
static inline u32 pb_place(u32 size, u32 position, u32 words)
{
	if (unlikely(pb_offset(position) + words > size))
		return pb_next_start(position);
	return position;
}

/* The position after segments that are placed from here on. */
static inline u32 pb_after(u32 size, u32 position, const struct push *push,
			   u32 count)
{
	for (u32 i = 0; i < count; i++)
		position = pb_place(size, position, push[i].count) +
			push[i].count;
	return position;
}

static __always_inline bool
room_swap(struct room_keeper *keeper, u64 *head, u64 next)
{
	return __atomic_compare_exchange_n(&keeper->head, head, next, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static __always_inline bool
room_has_entries(const struct room_keeper *keeper, u64 head, u64 tail,
		 u32 entries)
{
	return ROOM_GP(head) + entries - ROOM_GP(tail) <= keeper->gp_mask;
}

/*
 * Host has done with all before this tail.  In the tail's lap a head may move
 * up to the buffer's end, in the next one up to the tail.  Who sees the tail
 * sees the limits, and so does who sees a head that was moved by it.
 */
static inline void room_free(struct room_keeper *keeper, u64 tail)
{
	u32 gp = ROOM_GP(tail) + keeper->gp_mask, pb = ROOM_PB(tail);
	u32 lap = pb & PB_LAP;

	smp_store_release(&keeper->limit[!!lap],
			  ROOM(gp, lap | keeper->pb_words));
	smp_store_release(&keeper->limit[!lap], ROOM(gp, pb ^ PB_LAP));
	smp_store_release(&keeper->tail, tail);
}

/*
 * Another thread was faster: keep off the head for about as long as its cache
 * line takes to come and go.  Threads that try again at once pass it to and
 * fro, and none does two in a row.
 */
static inline void room_back_off(void)
{
	for (u32 i = 0; i < 256; i++)
		__atomic_signal_fence(__ATOMIC_SEQ_CST);	/* a turn */
}

/*
 * Take this much, up to *end, if all the words fit in one piece.  False: they
 * do not, as far as we know.  The limit minus the end, both halves at once:
 * neither is as much as 2^31, so bit 31 of a half says that it is negative.
 */
static __always_inline bool
room_try(struct room_keeper *keeper, u64 size, u64 *end)
{
	u64 head = smp_load_acquire(&keeper->head);

	for (;;) {
		u64 *limit = &keeper->limit[ROOM_PB(head) >> 31];

		*end = head + size;
		if (unlikely((smp_load_acquire(limit) - *end) &
			     ROOM(PB_LAP, PB_LAP)))
			return false;
		if (likely(room_swap(keeper, &head, *end)))
			return true;
		room_back_off();
		head = smp_load_acquire(&keeper->head);
	}
}

/*
 * Take room for these segments, of words words, wherever it is.  *room: where
 * to begin.  False: no room.  An empty push buffer may be begun again.
 */
static inline bool room_take(struct room_keeper *keeper,
			     const struct push *push, u32 count, u32 words,
			     u64 *room)
{
	u64 head = smp_load_acquire(&keeper->head);
	u32 entries = count * keeper->gp_step, size = keeper->pb_words, end;

	do {
		u64 tail = smp_load_acquire(&keeper->tail);
		u32 pb = ROOM_PB(head);
		u32 used = pb_distance(size, ROOM_PB(tail), pb);

		end = pb_after(size, pb, push, count);
		if ((u64)used + pb_distance(size, pb, end) > size) {
			if (used)
				return false;
			pb = pb_next_start(pb);
			end = pb + words;
		}
		if (!room_has_entries(keeper, head, tail, entries))
			return false;
		*room = ROOM(ROOM_GP(head), pb);
	} while (!room_swap(keeper, &head, ROOM(ROOM_GP(*room) + entries,
						end)));
	return true;
}

/* The entry after the last that was taken. */
static inline u32 room_gp_head(const struct room_keeper *keeper)
{
	return ROOM_GP(smp_load_acquire(&keeper->head));
}

#endif
