/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Room in both of a ring's buffers, taken by one compare-and-swap [§8.3].
 *
 * The head is one 64-bit word, so that a thread takes room in both buffers or
 * in neither:
 *
 *   the next GP entry   counts up for ever; its slot is the count modulo the
 *                       ring's size, a power of two.
 *   the next word       a position in the push buffer, counted modulo TWICE
 *                       its size.  The buffer's size is anything; yet a full
 *                       buffer and an empty one look different.
 *
 * A thread may be late, and see a head or a tail that others have moved on.
 * An old tail only makes room look smaller.  An old head makes any nonsense
 * of the distance to a newer tail, but the compare-and-swap then fails: entry
 * counts do not come back.
 */
#ifndef RING_ROOM_H
#define RING_ROOM_H

#include "push.h"

/* The head is written by every producer; the tails once a lap or so. */
struct room_keeper {
	u64 head;		/* entry | position << 32		*/
	char pad[64];
	u32 gp_get, pb_tail;	/* as last seen: what is before is free	*/
	u32 gp_mask;
	u32 gp_step;		/* entries for one segment		*/
	u32 pb_words;
};

/* What was taken, or would have been: where it begins and ends. */
struct room {
	u32 gp, pb;
	u32 gp_end, pb_end;
	bool is_there;
};

/* Where a position lies in the buffer, in words. */
static inline u32 pb_offset(u32 size, u32 position)
{
	return position < size ? position : position - size;
}

/* The buffer's start, next time round. */
static inline u32 pb_next_start(u32 size, u32 position)
{
	return position < size ? size : 0;
}

static inline u32 pb_distance(u32 size, u32 from, u32 to)
{
	return to - from + (to < from ? 2 * size : 0);
}

/* Where a segment goes, at or after position: it never crosses the end. */
static inline u32 pb_place(u32 size, u32 position, u32 words)
{
	if (unlikely(pb_offset(size, position) + words > size))
		return pb_next_start(size, position);
	return position;
}

static inline u32 pb_after(u32 size, u32 place, u32 words)
{
	return place + words == 2 * size ? 0 : place + words;
}

/* What segments take from position on, skipped words included. */
static __always_inline u64 pb_span(u32 size, u32 position,
				   const struct push *push, u32 count,
				   u32 *end)
{
	u64 span = 0;

	for (u32 i = 0; i < count; i++) {
		u32 place = pb_place(size, position, push[i].count);

		span += pb_distance(size, position, place) + push[i].count;
		position = pb_after(size, place, push[i].count);
	}
	*end = position;
	return span;
}

/* Is there room after this head, placing segments from begin on? */
static __always_inline struct room
room_find(const struct room_keeper *keeper, u64 head, u32 begin, u32 used,
	  const struct push *push, u32 count)
{
	struct room room = {
		.gp = (u32)head, .gp_end = (u32)head + count * keeper->gp_step,
		.pb = begin,
	};
	u32 size = keeper->pb_words;
	u64 span = pb_span(size, begin, push, count, &room.pb_end);

	room.is_there = used + span <= size && room.gp_end -
		smp_load_acquire(&keeper->gp_get) <= keeper->gp_mask;
	return room;
}

static __always_inline bool
room_swap(struct room_keeper *keeper, u64 *head, const struct room *room)
{
	return __atomic_compare_exchange_n(&keeper->head, head,
			(u64)room->pb_end << 32 | room->gp_end, false,
			__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Not there: no room as far as we know, or another thread was faster. */
static __always_inline struct room
room_try(struct room_keeper *keeper, const struct push *push, u32 count)
{
	u64 head = smp_load_acquire(&keeper->head);
	u32 used = pb_distance(keeper->pb_words,
			       smp_load_acquire(&keeper->pb_tail), head >> 32);
	struct room room = room_find(keeper, head, head >> 32, used, push,
				     count);

	room.is_there = room.is_there && room_swap(keeper, &head, &room);
	return room;
}

/* Not there: no room.  A push buffer with nothing in it may begin again. */
static inline struct room
room_take(struct room_keeper *keeper, const struct push *push, u32 count)
{
	u64 head = smp_load_acquire(&keeper->head);
	u32 size = keeper->pb_words;
	struct room room;

	do {
		u32 pb = head >> 32;
		u32 used = pb_distance(size, smp_load_acquire(&keeper->pb_tail),
				       pb);

		room = room_find(keeper, head, pb, used, push, count);
		if (!room.is_there && used == 0)
			room = room_find(keeper, head,
					 pb_next_start(size, pb), 0, push,
					 count);
	} while (room.is_there && !room_swap(keeper, &head, &room));
	return room;
}

/* The entry after the last that was taken. */
static inline u32 room_gp_head(const struct room_keeper *keeper)
{
	return (u32)smp_load_acquire(&keeper->head);
}

#endif
