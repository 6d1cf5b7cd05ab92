/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One page table: memory that the card reads, and our copy of what is there.
 *
 * A fresh table is one that no directory names yet.  Only our copy of it is
 * changed; all of it goes out at once, every entry, just before the flush
 * after which it is named.  Whatever its memory held before is gone by then.
 *
 * What hangs in a directory's slot and what its entry says are two things
 * until slot_sync() makes them one: the first is our plan, the second the
 * card's view.
 */
#include "radix.h"

/* Entries of a table; a root has as many as its space needs. */
static u32 table_entries(const struct radix *radix, u32 level)
{
	const struct pte_level *l = &radix->format->level[level];
	u64 entries = BIT_ULL(l->bits);

	return level ? entries :
	       min(entries, DIV_ROUND_UP(radix->limit, BIT_ULL(l->shift)));
}

/* A root's address is a multiple of 4 KiB, however small it is. */
static u64 table_size(const struct radix *radix, u32 level)
{
	u64 size = table_entries(radix, level) *
		   (u64)radix->format->level[level].size;

	return level ? size : ALIGN(size, BIT_ULL(VAS_PAGE_4K));
}

static struct table *table_struct(const struct radix *radix, u32 level)
{
	u32 entries = table_entries(radix, level);
	u32 chunks = DIV_ROUND_UP(entries, level < radix->format->directories ?
					   SLOTS : WORDS);
	struct table *t = kvcalloc(1, sizeof(*t) + chunks * sizeof(void *),
				   GFP_KERNEL);

	if (!t)
		return NULL;
	t->level = level;
	t->chunks = chunks;
	t->fresh = true;
	return t;
}

static void table_struct_free(struct table *t)
{
	u32 i;

	for (i = 0; i < t->chunks; i++)
		kfree(t->chunk[i]);
	kvfree(t);
}

int table_add(struct radix *radix, struct table *parent, struct table **place,
	      u32 level, struct table **out)
{
	struct table *t = table_struct(radix, level);
	int err;

	if (!t)
		return -ENOMEM;
	err = gpu_table_alloc(radix->gpu, table_size(radix, level), &t->mem);
	if (err) {
		table_struct_free(t);
		return err;
	}
	radix->bytes += table_size(radix, level);
	t->next = radix->fresh;
	radix->fresh = t;
	if (parent) {
		t->parent = parent;
		t->place = place;
		t->instead = *place;
		*place = t;
		parent->used += !t->instead;
	}
	*out = t;
	return 0;
}

void table_detach(struct radix *radix, struct table *table)
{
	*table->place = NULL;
	table->parent->used--;
	if (table->fresh)
		return;		/* it goes with the other fresh ones */
	table->next = radix->retired;
	radix->retired = table;
	radix->stale = true;
}

void table_free(struct radix *radix, struct table *table)
{
	radix->bytes -= table_size(radix, table->level);
	gpu_table_free(radix->gpu, &table->mem);
	table_struct_free(table);
}

static void write_leaf(struct table *leaf)
{
	u32 i, words;

	for (i = 0; i < leaf->chunks; i++) {
		words = min(WORDS, (u32)(leaf->mem.size / 8) - i * WORDS);
		if (leaf->chunk[i])
			iosys_map_memcpy_to(&leaf->mem.map, 8ULL * WORDS * i,
					    leaf->chunk[i], 8 * words);
	}
}

static void write_slot(struct table *dir, u32 index, u32 size)
{
	const struct slot *slot = slot_at(dir, index);

	if (size > 8)	/* as one, or the card might see half of it */
		iosys_map_memcpy_to(&dir->mem.map, (u64)index * size,
				    slot->word, size);
	else
		iosys_map_wr(&dir->mem.map, (u64)index * size, u64,
			     slot->word[0]);
}

void table_write(struct radix *radix, struct table *table)
{
	u32 size = radix->format->level[table->level].size, i;

	iosys_map_memset(&table->mem.map, 0, 0,
			 table_size(radix, table->level));
	radix->unflushed = true;
	if (is_leaf(radix, table)) {
		write_leaf(table);
		return;
	}
	for (i = 0; i < table_entries(radix, table->level); i++) {
		const struct slot *slot = slot_at(table, i);

		if (!slot)
			i |= SLOTS - 1;		/* none in this chunk */
		else if (slot->word[0] || slot->word[1])
			write_slot(table, i, size);
	}
}

struct slot *slot_need(struct table *dir, u32 index)
{
	void **chunk = &dir->chunk[index / SLOTS];

	if (!*chunk)
		*chunk = kcalloc(SLOTS, sizeof(struct slot), GFP_KERNEL);
	return slot_at(dir, index);
}

void slot_sync(struct radix *radix, struct table *dir, u32 index, bool card)
{
	struct slot *slot = slot_at(dir, index);
	struct table *big, *small;
	u64 entry[2];

	if (!slot)
		return;
	big = slot->below[BIG];
	small = slot->below[SMALL];
	radix->format->directory(dir->level, big ? big->mem.addr : 0,
				 small ? small->mem.addr : 0, entry);
	if (slot->huge) {
		entry[0] = slot->huge;
		entry[1] = 0;
	}
	if (slot->word[0] == entry[0] && slot->word[1] == entry[1])
		return;
	if (slot->word[0] || slot->word[1])
		radix->stale = true;
	slot->word[0] = entry[0];
	slot->word[1] = entry[1];
	if (!card)
		return;
	write_slot(dir, index, radix->format->level[dir->level].size);
	radix->unflushed = true;
}

int leaf_need(const struct radix *radix, struct table *leaf, u64 va, u64 end)
{
	const struct pte_level *l = &radix->format->level[leaf->level];
	u32 i, last = pte_index(l, end - 1) / WORDS;

	for (i = pte_index(l, va) / WORDS; i <= last; i++) {
		if (!leaf->chunk[i])
			leaf->chunk[i] = kcalloc(WORDS, 8, GFP_KERNEL);
		if (!leaf->chunk[i])
			return -ENOMEM;
	}
	return 0;
}

int leaf_copy(struct table *leaf, const struct table *from)
{
	u32 i;

	for (i = 0; i < from->chunks; i++) {
		if (!from->chunk[i])
			continue;
		leaf->chunk[i] = kcalloc(WORDS, 8, GFP_KERNEL);
		if (!leaf->chunk[i])
			return -ENOMEM;
		memcpy(leaf->chunk[i], from->chunk[i], 8 * WORDS);
	}
	leaf->used = from->used;
	return 0;
}

/* The same, within a chunk; clearing where there is none changes nothing. */
static void chunk_fill(struct radix *radix, struct table *leaf, u32 first,
		       u32 last, u64 entry, u64 step)
{
	u64 *chunk = leaf->chunk[first / WORDS];
	u32 i;

	if (!chunk)
		return;
	for (i = first; i <= last; i++) {
		u64 *word = &chunk[i % WORDS];

		leaf->used += !*word && entry;
		leaf->used -= *word && !entry;
		if (*word && *word != entry && !leaf->fresh)
			radix->stale = true;
		*word = entry;
		entry += step;
	}
	/* one that is empty is about to go, as it is */
	if (leaf->fresh || !leaf->used)
		return;
	iosys_map_memcpy_to(&leaf->mem.map, 8ULL * first,
			    &chunk[first % WORDS], 8 * (last - first + 1));
	radix->unflushed = true;
}

void leaf_fill(struct radix *radix, struct table *leaf, u64 va, u64 end,
	       u64 entry, u64 step)
{
	const struct pte_level *l = &radix->format->level[leaf->level];
	u32 at, stop, last = pte_index(l, end - 1);

	for (at = pte_index(l, va); at <= last; at = stop + 1) {
		stop = min(last, at | (WORDS - 1));
		chunk_fill(radix, leaf, at, stop, entry, step);
		entry += (stop - at + 1) * step;
	}
}

bool leaf_has(const struct radix *radix, const struct table *leaf, u64 va,
	      u64 end)
{
	const struct pte_level *l = &radix->format->level[leaf->level];
	u32 i, last = pte_index(l, end - 1);

	for (i = pte_index(l, va); leaf->used && i <= last; i++) {
		if (!leaf->chunk[i / WORDS])
			i |= WORDS - 1;		/* none in this chunk */
		else if (leaf_word(leaf, i))
			return true;
	}
	return false;
}
