/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which memory is mapped where in one space: a list of ranges, by address.
 *
 * A change needs at most two entries more than there are.  book_room() makes
 * room for them; then book_set() cannot fail.  Not thread safe.
 */
#ifndef KMD_BOOK_H
#define KMD_BOOK_H

#include "port.h"

struct mem;

struct book_entry {
	u64 va, end;
	struct mem *mem;
};

struct book {
	struct book_entry *entry;	/* sorted, without overlap	*/
	u32 count, capacity;
};

/* 0, -ENOMEM. */
int book_room(struct book *book);
/*
 * From va to end there is mem, or, NULL, nothing; there was room.  Memory that
 * is named once more, or once less, is told of, in that order.
 */
struct book_ops {
	void (*more)(void *context, struct mem *mem);
	void (*less)(void *context, struct mem *mem);
	void *context;
};
void book_set(struct book *book, u64 va, u64 end, struct mem *mem,
	      const struct book_ops *ops);
/* The entry that has this address, or NULL. */
const struct book_entry *book_find(const struct book *book, u64 va);
void book_fini(struct book *book);

#endif
