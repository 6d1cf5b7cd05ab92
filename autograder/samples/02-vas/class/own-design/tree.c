/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02, a second design: page tables with a copy of every word.
 *
 * Each table in video memory has a node with a copy of its words, made chunk
 * by chunk as they are needed, and in a directory a list of the nodes below.
 * Everything is decided by looking at copies; the card's memory is only ever
 * written.
 *
 * Before a part of a large page changes, the whole page is turned into small
 * ones: nothing that can be seen, so it need not be undone.
 */
#include "kmd.h"
#include "tlb.h"
#include "vas.h"

#define PAGE_SHIFT	12
#define LEVELS		6
#define CHUNK		512	/* words */
#define CHUNKS		64	/* of the largest table */

/* The entries of a level translate bits hi:lo of an address. */
struct shape {
	int dirs;		/* levels of directories	*/
	u8 lo[LEVELS], hi[LEVELS];
};

/* The directories, then big pages, then small ones. */
static const struct shape shapes[] = {
	[1] = { 1, { 27, 17, 12 }, { 39, 26, 26 } },
	[2] = { 4, { 47, 38, 29, 21, 16, 12 }, { 48, 46, 37, 28, 20, 20 } },
};

struct node {
	struct table_mem mem;
	struct node *up;
	struct node *next;	/* below up, or of the dead	*/
	struct node *kids;
	int level;
	u64 va;
	u32 used;		/* entries that say something	*/
	u64 *chunk[CHUNKS];	/* the copy; NULL: all zero	*/
};

struct pages {
	struct gpu *gpu;
	u32 format;
	const struct shape *shape;
	struct node *root, *dead;
	u64 bytes;
	bool told;		/* nothing to flush or forget	*/
};

u64 entry_of_table(u32 format, u64 addr, bool big);

int pages_new(struct gpu *gpu, struct pages **out);
void pages_delete(struct pages *pages);
int pages_room(struct pages *pages, u64 va, u64 end, u32 shift);
int pages_break(struct pages *pages, u64 va);
void pages_put(struct pages *pages, u64 va, u64 end, u32 shift, u64 entry);
void pages_drop(struct pages *pages, u64 va, u64 end, u32 keep);
void pages_tidy(struct pages *pages, u64 va, u64 end);
int pages_sync(struct pages *pages);
u64 pages_root(const struct pages *pages);
u64 pages_bytes(const struct pages *pages);

static u32 index_of(const struct pages *pages, int level, u64 va)
{
	const struct shape *s = pages->shape;

	return va >> s->lo[level] & ((2ULL << (s->hi[level] - s->lo[level])) -
				     1);
}

static u32 count_of(const struct pages *pages, int level)
{
	return 2u << (pages->shape->hi[level] - pages->shape->lo[level]);
}

/* Words of an entry: two in the last directory of format 2. */
static u32 words_of(const struct pages *pages, int level)
{
	return pages->format == 2 && level == 3 ? 2 : 1;
}

static int level_for(const struct pages *pages, u32 shift)
{
	int level = pages->shape->dirs + 1;

	if (shift == PAGE_SHIFT)
		return level;
	return shift == VAS_PAGE_2M ? level - 2 : level - 1;
}

static u64 step_of(const struct pages *pages, u64 size)
{
	return size >> PAGE_SHIFT << (pages->format == 1 ? 4 : 8);
}

static void node_free(struct pages *pages, struct node *node)
{
	if (!node)
		return;
	if (node->mem.size) {
		pages->bytes -= node->mem.size;
		gpu_table_free(pages->gpu, &node->mem);
	}
	for (int i = 0; i < CHUNKS; i++)
		kfree(node->chunk[i]);
	kfree(node);
}

static int node_new(struct pages *pages, int level, struct node **out)
{
	u32 count = count_of(pages, level);
	u64 bytes = (u64)count * 8 * words_of(pages, level);
	struct node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	int err = -ENOMEM;

	if (!node)
		return err;
	node->level = level;
	err = gpu_table_alloc(pages->gpu, max(bytes, (u64)4096), &node->mem);
	if (err) {
		kfree(node);
		return err;
	}
	pages->bytes += node->mem.size;
	iosys_map_memset(&node->mem.map, 0, 0, node->mem.size);
	*out = node;
	return 0;
}

/* A copy of this word and some of its neighbours. */
static int copy_need(struct node *node, u32 i)
{
	u64 **chunk = &node->chunk[i / CHUNK];

	if (!*chunk)
		*chunk = kzalloc(CHUNK * sizeof(u64), GFP_KERNEL);
	return *chunk ? 0 : -ENOMEM;
}

static u64 word(const struct node *node, u32 i)
{
	const u64 *chunk = node->chunk[i / CHUNK];

	return chunk ? chunk[i % CHUNK] : 0;
}

static void set(struct node *node, u32 i, u64 value)
{
	if (node->chunk[i / CHUNK])
		node->chunk[i / CHUNK][i % CHUNK] = value;
}

/* Copy and card, in one go for each run of words. */
static void store(struct pages *pages, struct node *node, u32 first, u32 count)
{
	pages->told = false;
	while (count) {
		u32 n = min(count, CHUNK - first % CHUNK);

		iosys_map_memcpy_to(&node->mem.map, first * 8,
				    node->chunk[first / CHUNK] + first % CHUNK,
				    n * 8);
		first += n;
		count -= n;
	}
}

static u64 addr_of(const struct node *node)
{
	return node ? node->mem.addr : 0;
}

/* The node of a level below this directory, or NULL. */
static struct node *kid_of(struct pages *pages, const struct node *dir,
			   int level, u64 va)
{
	struct node *kid = dir->kids;

	while (kid && (kid->level != level ||
		       index_of(pages, dir->level, kid->va) !=
		       index_of(pages, dir->level, va)))
		kid = kid->next;
	return kid;
}

/* The directory's entry for its nodes below, unless a huge page is there. */
static void store_below(struct pages *pages, struct node *dir, u64 va)
{
	u32 words = words_of(pages, dir->level);
	u32 i = index_of(pages, dir->level, va) * words;
	int last = pages->shape->dirs - 1;
	u64 big = 0, small;

	if (dir->level == last) {
		big = entry_of_table(pages->format, addr_of(
			kid_of(pages, dir, last + 1, va)), true);
		small = entry_of_table(pages->format, addr_of(
			kid_of(pages, dir, last + 2, va)), false);
	} else {
		small = entry_of_table(pages->format, addr_of(
			kid_of(pages, dir, dir->level + 1, va)), false);
	}
	if (words == 2 && word(dir, i) & 1)
		return;
	set(dir, i, words == 2 ? big : big | small);
	if (words == 2)
		set(dir, i + 1, small);
	store(pages, dir, i, words);
}

/* The node of a level that va goes through, or NULL. */
static struct node *look(struct pages *pages, int level, u64 va)
{
	struct node *node = pages->root;
	int last = pages->shape->dirs - 1, at;

	for (at = 0; node && at < min(level, last); at++)
		node = kid_of(pages, node, at + 1, va);
	return !node || level <= last ? node :
		kid_of(pages, node, level, va);
}

static bool is_huge(struct pages *pages, const struct node *dir, u64 va)
{
	return words_of(pages, dir->level) == 2 &&
		word(dir, 2 * index_of(pages, dir->level, va)) & 1;
}

/* A table below this directory; the card gets it when it is clean. */
static int grow(struct pages *pages, struct node *dir, int level, u64 va,
		bool link)
{
	struct node *node;
	int err;

	err = copy_need(dir, index_of(pages, dir->level, va) *
			words_of(pages, dir->level));
	if (!err)
		err = node_new(pages, level, &node);
	if (err)
		return err;
	err = gpu_flush(pages->gpu);
	if (err) {
		node_free(pages, node);
		return err;
	}
	node->up = dir;
	node->next = dir->kids;
	dir->kids = node;
	node->va = va;
	dir->used++;
	if (link)
		store_below(pages, dir, va);
	return 0;
}

static int reach(struct pages *pages, int level, u64 va)
{
	int last = pages->shape->dirs - 1, at, err = 0;

	for (at = 1; at <= min(level, last) && !err; at++) {
		if (!look(pages, at, va))
			err = grow(pages, look(pages, at - 1, va), at, va,
				   true);
	}
	if (err || level <= last || look(pages, level, va))
		return err;
	return grow(pages, look(pages, last, va), level, va, true);
}

/* Copies of the entries from va on that lie in one table. */
static int copies(struct pages *pages, int level, u64 va, u64 end)
{
	u64 span = 2ULL << pages->shape->hi[level];
	struct node *node = look(pages, level, va);
	u64 stop = min(end, (va | (span - 1)) + 1);
	int err = 0;

	for (; va < stop && !err; va += 1ULL << pages->shape->lo[level])
		err = copy_need(node, index_of(pages, level, va) *
				words_of(pages, level));
	return err;
}

int pages_room(struct pages *pages, u64 va, u64 end, u32 shift)
{
	int level = level_for(pages, shift), err = 0;
	u64 span = 2ULL << pages->shape->hi[level], before = pages->bytes;

	while (va < end && !err) {
		if (shift != VAS_PAGE_2M)
			err = pages_break(pages, va | ((1ULL << shift) - 1));
		if (!err)
			err = reach(pages, level, va);
		if (!err)
			err = copies(pages, level, va, end);
		va = (va | (span - 1)) + 1;
	}
	/* Named while they are empty, before anything is written there. */
	if (!err && pages->bytes != before)
		err = gpu_flush(pages->gpu);
	return err;
}

static void set_page(struct pages *pages, struct node *node, u64 va, u64 entry)
{
	u32 words = words_of(pages, node->level);
	u32 i = index_of(pages, node->level, va) * words;

	node->used += (entry & 1) - (word(node, i) & 1);
	set(node, i, entry);
	if (words == 2)
		set(node, i + 1, 0);
}

void pages_put(struct pages *pages, u64 va, u64 end, u32 shift, u64 entry)
{
	int level = level_for(pages, shift);
	u32 words = words_of(pages, level), first, count;

	while (va < end) {
		struct node *node = look(pages, level, va);

		first = index_of(pages, level, va);
		count = 0;
		do {
			set_page(pages, node, va, entry);
			if (entry)
				entry += step_of(pages, 1ULL << shift);
			va += 1ULL << shift;
			count++;
		} while (va < end && first + count < count_of(pages, level));
		store(pages, node, first * words, count * words);
	}
}

static void unhook(struct node *dir, struct node *node)
{
	struct node **at = &dir->kids;

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
}

static void bury(struct pages *pages, struct node *node)
{
	while (!node->used && node->up) {
		struct node *dir = node->up;

		unhook(dir, node);
		dir->used--;
		store_below(pages, dir, node->va);
		node->next = pages->dead;
		pages->dead = node;
		node = dir;
	}
}

/* A huge page goes: what stands there is tables again, or nothing. */
static void drop_huge(struct pages *pages, struct node *dir, u64 va)
{
	set(dir, 2 * index_of(pages, dir->level, va), 0);
	dir->used--;
	store_below(pages, dir, va);
}

/* Pages of one level go, and tables that are empty then; or only these. */
static void drop_in(struct pages *pages, int level, u64 va, u64 end,
		    bool clear)
{
	u64 page = 1ULL << pages->shape->lo[level];
	u64 span = 2ULL << pages->shape->hi[level];

	while (va < end) {
		struct node *node = look(pages, level, va);
		u64 stop = min(end, (va | (span - 1)) + 1);

		if (!node) {
			va = stop;
			continue;
		}
		for (; clear && va < stop; va = (va | (page - 1)) + 1) {
			u32 i = index_of(pages, level, va);

			if (level < pages->shape->dirs) {
				if (is_huge(pages, node, va))
					drop_huge(pages, node, va);
			} else if (word(node, i)) {
				set_page(pages, node, va, 0);
				store(pages, node, i, 1);
			}
		}
		bury(pages, node);
		va = stop;
	}
}

/* Skip what has no directory, so that a large hole costs little. */
static u64 next_used(struct pages *pages, u64 va, u64 end)
{
	int last = pages->shape->dirs - 1, level;

	while (va < end) {
		for (level = 1; level <= last && look(pages, level, va);)
			level++;
		if (level > last)
			return va;
		va |= (2ULL << pages->shape->hi[level]) - 1;
		va++;
	}
	return end;
}

static void drop(struct pages *pages, u64 va, u64 end, u32 keep, bool clear)
{
	int last = pages->shape->dirs - 1, level;
	u64 span = 1ULL << pages->shape->lo[last];

	while ((va = next_used(pages, va, end)) < end) {
		u64 stop = min(end, (va | (span - 1)) + 1);

		for (level = last; level < last + 3; level++) {
			if (level == last && pages->format == 1)
				continue;
			if (!keep || level != level_for(pages, keep))
				drop_in(pages, level, va, stop, clear);
		}
		va = stop;
	}
}

void pages_drop(struct pages *pages, u64 va, u64 end, u32 keep)
{
	drop(pages, va, end, keep, true);
}

/* Tables that were made for nothing. */
void pages_tidy(struct pages *pages, u64 va, u64 end)
{
	drop(pages, va, end, 0, false);
}

/* The large page over va, as small ones; they hide behind it until it goes. */
static int split(struct pages *pages, u64 va, u32 shift, u64 entry)
{
	int last = pages->shape->dirs - 1, small = last + 2, err = 0;
	struct node *dir = look(pages, last, va);
	u64 start = va & ~((1ULL << shift) - 1);

	if (!look(pages, small, va))
		err = grow(pages, dir, small, va, true);
	if (!err)
		err = copies(pages, small, start, start + (1ULL << shift));
	if (err)
		return err;
	pages_put(pages, start, start + (1ULL << shift), PAGE_SHIFT, entry);
	err = gpu_flush(pages->gpu);
	if (err)
		return err;
	if (shift == VAS_PAGE_2M)
		drop_huge(pages, dir, va);
	else
		drop_in(pages, last + 1, start, start + 1, true);
	return pages_sync(pages);
}

int pages_break(struct pages *pages, u64 va)
{
	int last = pages->shape->dirs - 1;
	struct node *dir = look(pages, last, va), *big;
	u32 shift = pages->shape->lo[last + 1];
	u64 entry;

	if (!dir)
		return 0;
	if (is_huge(pages, dir, va) && va & ((1 << VAS_PAGE_2M) - 1)) {
		entry = word(dir, 2 * index_of(pages, last, va));
		return split(pages, va, VAS_PAGE_2M, entry);
	}
	big = look(pages, last + 1, va);
	if (!big || !(va & ((1ULL << shift) - 1)))
		return 0;
	entry = word(big, index_of(pages, last + 1, va));
	return entry ? split(pages, va, shift, entry) : 0;
}

int pages_sync(struct pages *pages)
{
	struct node *node;
	int err = 0;

	if (!pages->told)
		err = gpu_flush(pages->gpu);
	if (!err && !pages->told)
		err = tlb_invalidate(pages->gpu, pages_root(pages));
	if (err)
		return err;
	pages->told = true;
	while ((node = pages->dead)) {
		pages->dead = node->next;
		node_free(pages, node);
	}
	return 0;
}

u64 pages_root(const struct pages *pages)
{
	return pages->root->mem.addr;
}

u64 pages_bytes(const struct pages *pages)
{
	return pages->bytes;
}

int pages_new(struct gpu *gpu, struct pages **out)
{
	struct pages *pages = kzalloc(sizeof(*pages), GFP_KERNEL);
	int err;

	if (!pages)
		return -ENOMEM;
	pages->gpu = gpu;
	pages->format = gpu_mmu_format(gpu);
	pages->shape = &shapes[pages->format];
	err = node_new(pages, 0, &pages->root);
	if (!err)
		err = gpu_flush(gpu);
	if (err) {
		node_free(pages, pages->root);
		kfree(pages);
		return err;
	}
	*out = pages;
	return 0;
}

static void burn(struct pages *pages, struct node *node)
{
	struct node *kid;

	while ((kid = node->kids)) {
		node->kids = kid->next;
		burn(pages, kid);
	}
	node_free(pages, node);
}

void pages_delete(struct pages *pages)
{
	struct node *node;

	tlb_invalidate(pages->gpu, pages_root(pages));
	while ((node = pages->dead)) {
		pages->dead = node->next;
		node_free(pages, node);
	}
	burn(pages, pages->root);
	kfree(pages);
}
