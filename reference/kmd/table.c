/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The page tables of one address space, each by itself [§6.4].
 *
 * They lie in video memory, where the card walks them, and are written through
 * BAR1.  To read there is slow, so each table has a note of which of its
 * entries are pages; what a page's entry says is read back only when the page
 * is cut, or the table moves.
 *
 * Which addresses have a table is in a set of ranges for each level, so
 * nothing here is linear in the size of a space, and an empty one costs next
 * to nothing.
 */
#include "kmd.h"
#include "range.h"
#include "table.h"
#include "vas.h"

#define PAGE		(1ULL << VAS_PAGE_4K)
#define BURST		64	/* words that are written at once	*/

/* LAB 02: see table.h. */
int table_set_init(struct table_set *set, struct gpu *gpu, u64 limit)
{
	int err = 0;

	set->gpu = gpu;
	set->format = pte_format(gpu_mmu_format(gpu));
	set->limit = limit;
	for (u32 level = 0; level <= pte_small(set->format) && !err; level++)
		err = ranges_create(0, 1ULL << set->format->va_bits,
				    &set->level[level]);
	return err;
}

/* LAB 02: see table.h; be the set whole or not.  From below: a table counts
 * in the one above it. */
void table_set_fini(struct table_set *set)
{
	struct table *table;

	for (u32 level = PTE_LEVELS; level--;) {
		if (!set->level[level])
			continue;
		while ((table = table_after(set, level, 0))) {
			table_forget(set, table);
			table_free(set, table);
		}
		ranges_destroy(set->level[level]);
	}
}

/* LAB 02: see table.h. */
struct table *table_after(const struct table_set *set, u32 level, u64 va)
{
	struct range range;

	if (!ranges_find(set->level[level], va, &range))
		return NULL;
	return (struct table *)(uintptr_t)range.tag;
}

/* LAB 02: see table.h. */
struct table *table_find(const struct table_set *set, u32 level, u64 va)
{
	struct table *table = table_after(set, level, va);

	return table && table->va <= va ? table : NULL;
}

/* LAB 02: see table.h. */
struct table *table_large(const struct table_set *set, u64 va)
{
	u32 level = pte_last(set->format);

	/* The root has no entry for an address that is the limit. */
	for (; level <= pte_big(set->format) && va != set->limit; level++) {
		struct table *table = table_find(set, level, va);

		if (table && table_has_page(table, va))
			return table;
	}
	return NULL;
}

/*
 * LAB 02: memory for a table: what somebody left there, so clear it.  The
 * root ends with the space, but is 4 KiB aligned however small it is.
 */
static int table_alloc(struct table_set *set, u32 level, struct table **out)
{
	const struct pte_level *form = &set->format->level[level];
	u32 entries = level ? 1u << form->bits :
		pte_index(form, set->limit - 1) + 1;
	u64 size = (u64)entries * form->size;
	struct table *table;
	int err;

	table = kzalloc(sizeof(*table) +
			DIV_ROUND_UP(entries, 64) * sizeof(u64), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	err = gpu_table_alloc(set->gpu, level ? size : ALIGN(size, PAGE),
			      &table->mem);
	if (err) {
		kfree(table);
		return err;
	}
	iosys_map_memset(&table->mem.map, 0, 0, table->mem.size);
	set->bytes += table->mem.size;
	table->form = form;
	table->level = level;
	*out = table;
	return 0;
}

/* LAB 02: see table.h. */
void table_free(struct table_set *set, struct table *table)
{
	set->bytes -= table->mem.size;
	gpu_table_free(set->gpu, &table->mem);
	kfree(table);
}

/* LAB 02: see table.h. */
int table_make(struct table_set *set, u32 level, u64 va,
	       struct table *parent, struct table **out)
{
	struct table *table;
	u64 reach;
	int err;

	err = table_alloc(set, level, &table);
	if (err)
		return err;
	reach = pte_reach(table->form);
	table->va = ALIGN_DOWN(va, reach);
	err = ranges_reserve(set->level[level], table->va, reach,
			     (uintptr_t)table);
	if (err) {
		table_free(set, table);
		return err;
	}
	table->parent = parent;
	if (parent)
		parent->used++;
	*out = table;
	return 0;
}

/* LAB 02: see table.h. */
void table_forget(struct table_set *set, struct table *table)
{
	/* A whole range: this needs no memory. */
	ranges_free(set->level[table->level], table->va,
		    pte_reach(table->form));
	if (table->parent)
		table->parent->used--;
}

/* LAB 02: which of a table's entries is for va. */
static u32 table_index(const struct table *table, u64 va)
{
	return pte_index(table->form, va);
}

/* LAB 02: see table.h. */
bool table_has_page(const struct table *table, u64 va)
{
	u32 index = table_index(table, va);

	return table->pages[index / 64] >> (index % 64) & 1;
}

/* LAB 02: see table.h. */
bool table_has_pages(const struct table *table, u64 va, u64 end)
{
	for (; va < end; va += 1ULL << table->form->shift) {
		if (table_has_page(table, va))
			return true;
	}
	return false;
}

/* LAB 02: see table.h. */
void table_note_page(struct table *table, u64 va, bool page)
{
	u32 index = table_index(table, va);

	if (table_has_page(table, va) == page)
		return;
	table->pages[index / 64] ^= BIT_ULL(index % 64);
	table->used += page ? 1 : -1;
}

/* LAB 02: see table.h. */
u64 table_read(const struct table *table, u64 va)
{
	return iosys_map_rd(&table->mem.map, table_index(table, va) *
			    table->form->size, u64);
}

/* LAB 02: see table.h. */
void table_write(const struct table_set *set, struct table *table, u64 va,
		 u64 end, u64 entry)
{
	const struct pte_level *form = table->form;
	u64 step = entry ? 1ULL << (form->shift - VAS_PAGE_4K +
				    set->format->address_bit) : 0;
	u32 words = form->size / sizeof(u64);
	u64 burst[BURST] = { 0 };

	while (va < end) {
		u64 first = va;
		u32 word;

		for (word = 0; word < BURST && va < end; word += words) {
			table_note_page(table, va, entry);
			burst[word] = entry;
			entry += step;
			va += 1ULL << form->shift;
		}
		iosys_map_memcpy_to(&table->mem.map, table_index(table, first) *
				    form->size, burst, word * sizeof(u64));
	}
}

/* LAB 02: where the table for va lies; 0: there is none. */
static u64 table_addr(const struct table_set *set, u32 level, u64 va)
{
	const struct table *table = table_find(set, level, va);

	return table ? table->mem.addr : 0;
}

/* LAB 02: see table.h. */
void table_link(const struct table_set *set, struct table *dir, u64 va)
{
	const struct pte_format *format = set->format;
	u64 big = 0, small, entry[2];

	if (table_has_page(dir, va))
		return;
	if (dir->level == pte_last(format)) {
		big = table_addr(set, pte_big(format), va);
		small = table_addr(set, pte_small(format), va);
	} else {
		small = table_addr(set, dir->level + 1, va);
	}
	format->directory(dir->level, big, small, entry);
	/* Whole, in one burst: the card may read it now. */
	iosys_map_memcpy_to(&dir->mem.map, table_index(dir, va) *
			    dir->form->size, entry, dir->form->size);
}

/* LAB 02: the entries of a table's pages, into other memory; what they are,
 * the card's memory knows. */
static int pages_copy(const struct table *table, struct table *to)
{
	u64 page = 1ULL << table->form->shift;

	for (u64 va = table->va; va < table_end(table); va += page) {
		u64 entry;

		if (!table_has_page(table, va))
			continue;
		entry = table_read(table, va);
		if (entry == ~0ULL)
			return -ENODEV;
		iosys_map_wr(&to->mem.map, table_index(table, va) *
			     table->form->size, u64, entry);
	}
	return 0;
}

/* LAB 02: see table.h. */
int table_move(struct table_set *set, struct table *table, struct table **out)
{
	struct table *left;
	int err;

	err = table_alloc(set, table->level, &left);
	if (err)
		return err;
	err = pages_copy(table, left);
	if (err) {
		table_free(set, left);
		return err;
	}
	swap(table->mem, left->mem);
	left->parent = table;
	*out = left;
	return 0;
}

/* LAB 02: see table.h. */
void table_move_back(struct table_set *set, struct table *left)
{
	swap(left->mem, left->parent->mem);
	table_free(set, left);
}
