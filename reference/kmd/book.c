/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The book of a space's mappings.
 *
 * The page tables know addresses; whose memory lies behind them, and whether
 * it may be freed, they do not.  So there is a list beside them, sorted by
 * address, in one array: it is searched by halves, and an entry put in moves
 * those behind it, which for the few thousand that there may be costs less
 * than a tree's memory.
 *
 * What the page tables cannot do in one step, the book does as one change:
 * cut what lies across the ends, drop what lies between, put in what is new.
 */
#include "book.h"

#define BOOK_SMALLEST	16u
/* A change puts one entry in, and may cut another in two. */
#define BOOK_MARGIN	2u
/* User mode says how many: 24 MiB are enough. */
#define BOOK_MOST	(1u << 20)

int book_room(struct book *book)
{
	u32 capacity = max(book->capacity * 2, BOOK_SMALLEST);
	struct book_entry *entry;

	if (book->count + BOOK_MARGIN <= book->capacity)
		return 0;
	if (capacity > BOOK_MOST)
		return -ENOMEM;
	entry = kvcalloc(capacity, sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	if (book->count)
		memcpy(entry, book->entry, book->count * sizeof(*entry));
	kvfree(book->entry);
	book->entry = entry;
	book->capacity = capacity;
	return 0;
}

/* The index of the first entry that ends after va. */
static u32 book_index(const struct book *book, u64 va)
{
	u32 low = 0, high = book->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (book->entry[middle].end > va)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* In place of old entries from at on, count new ones. */
static void splice(struct book *book, u32 at, u32 old,
		   const struct book_entry *with, u32 count)
{
	struct book_entry *entry;

	if (!old && !count)		/* perhaps there is no array yet */
		return;
	entry = &book->entry[at];
	memmove(entry + count, entry + old,
		(book->count - at - old) * sizeof(*entry));
	if (count)
		memcpy(entry, with, count * sizeof(*entry));
	book->count += count - old;
}

void book_set(struct book *book, u64 va, u64 end, struct mem *mem,
	      const struct book_ops *ops)
{
	struct book_entry with[3];
	u32 at = book_index(book, va), last = at, count = 0;

	while (last < book->count && book->entry[last].va < end)
		last++;
	/* What is left before va, the new one, what is left behind end. */
	if (at < last && book->entry[at].va < va)
		with[count++] = (struct book_entry){
			book->entry[at].va, va, book->entry[at].mem,
		};
	if (mem)
		with[count++] = (struct book_entry){ va, end, mem };
	if (at < last && book->entry[last - 1].end > end)
		with[count++] = (struct book_entry){
			end, book->entry[last - 1].end,
			book->entry[last - 1].mem,
		};

	for (u32 i = 0; i < count; i++)
		ops->more(ops->context, with[i].mem);
	for (u32 i = at; i < last; i++)
		ops->less(ops->context, book->entry[i].mem);
	splice(book, at, last - at, with, count);
}

const struct book_entry *book_find(const struct book *book, u64 va)
{
	u32 i = book_index(book, va);

	return i < book->count && book->entry[i].va <= va ?
		&book->entry[i] : NULL;
}

void book_fini(struct book *book)
{
	kvfree(book->entry);
	memset(book, 0, sizeof(*book));
}
