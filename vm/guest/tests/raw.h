/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The call table by hand: openers, memory, spaces, and channels in them.
 *
 * gpu.h in user mode knows one space, the opener's own.  What lab 02 is about
 * is asked for by calls.
 */
#ifndef GUEST_RAW_H
#define GUEST_RAW_H

#include "guest.h"
#include "node.h"
#include "push.h"
#include "uapi/tesla.h"

struct opener {
	int fd;
	struct tesla_get_info info;
};

/* The card, for all openers of a test; and them.  Asserted. */
void raw_up(void);
void raw_down(void);
void opener_up(struct opener *opener);
void opener_down(struct opener *opener);

/* A call, with its argument's fields by name: its answer. */
#define ASK(opener, name, arg) \
	((int)node_call((opener)->fd, TESLA_CALL_##name, arg, sizeof(*(arg))))
#define CALL_OF(opener, name, ...) ({					\
	struct tesla_##name arg_ = { __VA_ARGS__ };			\
	ASK(opener, name, &arg_); })

struct memory {
	struct opener *opener;
	u32 handle, kind;
	u64 size, va, offset;		/* va in the opener's own space	*/
	struct iosys_map map;
};

void memory_make(struct opener *opener, struct memory *memory, u64 size,
		 u32 kind);
void memory_free(struct memory *memory);
/* Every 8 bytes have a number of their own, by the seed. */
void memory_fill(struct memory *memory, u32 seed);
u64 memory_number(u32 seed, u64 offset);
static inline u64 memory_at(const struct memory *memory, u64 offset)
{
	return iosys_map_rd(&memory->map, offset, u64);
}

/* A space with a channel in it, whose own things lie below CONTEXT_END. */
#define CONTEXT_BASE	(1ULL << 20)
#define CONTEXT_END	(1ULL << 30)

struct context {
	struct opener *opener;
	u32 space, chan, id;
	struct memory ring, pb, sem, target;
	struct iosys_map userd;		/* the page			*/
	u64 userd_map;
	u32 userd_offset, put, sequence;
};

u32 space_make(struct opener *opener);
void context_make(struct opener *opener, struct context *context);
void context_end(struct context *context);

/* Map, at va if that is not 0: the address; asserted. */
u64 map_at(u32 space, const struct memory *memory, u64 va, u64 offset,
	   u64 size, u32 flags, u32 page_shift);
void unmap(struct opener *opener, u32 space, u64 va, u64 size);

/* Give the channel work, and wait: 0; -EIO: it died of it. */
int context_run(struct context *context, const struct push *push);
/* Have it copy; or read 8 bytes. */
int context_copy(struct context *context, u64 from, u64 to, u32 bytes);
int context_read(struct context *context, u64 va, u64 *value);

#endif
