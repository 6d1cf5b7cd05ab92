/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which parts of video memory hold page tables, and the rule that a table is
 * ready before its directory names it [§6.4].
 *
 * The card learns of tables as it walks them, and of a table below one that
 * it knows as soon as an entry names it.  For each 4 KiB part it keeps whose
 * table that is, of which level, and for which addresses.  What was learned
 * may be outdated: a driver that gives a whole space up need not clear its
 * entries.  So before anything is reported, a walk of a space that is in use
 * must still lead there.
 *
 * "Ready" is: written completely since the memory was last a table (or since
 * power-on), and out of the BAR1 write path [§4.4].  Memory is not zero when
 * it comes from somebody else.
 */
#include <stdlib.h>

#include "vm/model/memory.h"
#include "vm/model/mmu.h"

/* A table that a directory entry names. */
struct named {
	uint64_t addr, size;		/* size 0: none in video memory */
};

static struct named none(void)
{
	return (struct named){ 0 };
}

/* Remembering ----------------------------------------------------------- */

static struct table_part *part_make(struct card *card, uint64_t addr)
{
	struct vram_page *page = vram_find(card, addr);

	if (!page)
		return NULL;
	if (!page->part)
		page->part = calloc(VRAM_PARTS, sizeof(*page->part));
	page->tables |= 1u << vram_part(addr);
	return page->part ? &page->part[vram_part(addr)] : NULL;
}

static void part_set(struct card *card, const struct mem_space *space,
		     int level, uint64_t table, uint64_t addr, uint64_t va)
{
	struct table_part *part = part_make(card, addr);

	if (part)
		*part = (struct table_part){
			.root = space->root, .table = table, .va = va,
			.level = level + 1, .in_sysmem = mmu_in_sysmem(space),
			.known = true,
		};
}

/* The first address of the table of a level that translates va. */
static uint64_t table_va(const struct mem_space *space, unsigned int level,
			 uint64_t va)
{
	if (!space->format2 || level + 1 >= MMU_LEVELS)
		return 0;
	return va >> mmu_shift(space, level + 1) <<
		mmu_shift(space, level + 1);
}

static bool is_marked(const struct walk *w, int level, uint64_t table,
		      uint64_t addr)
{
	const struct vram_page *page = vram_find(w->card, addr);
	const struct table_part *part;

	if (!page || !page->part)
		return false;
	part = &page->part[vram_part(addr)];
	return part->known && part->root == w->space->root &&
		part->level == level + 1 && (level < 0 || part->table == table);
}

void tables_mark(struct walk *w, int level, uint64_t table, uint64_t addr)
{
	if (is_marked(w, level, table, addr))
		return;
	vram_touch(w->card, addr);
	part_set(w->card, w->space, level, table, addr,
		 level < 0 ? 0 : table_va(w->space, level, w->va));
}

void tables_root(struct card *card, const struct mem_space *space)
{
	unsigned int level = space->format2 ? MMU_LEVELS - 1 : 0;
	uint64_t size = 8 * ((space->limit >> mmu_shift(space, level)) + 1);

	if (space->aperture != MEM_VRAM)
		return;
	if (size > 128 << 10)
		size = 128 << 10;
	for (uint64_t at = 0; at < size; at += CARD_PAGE)
		part_set(card, space, level, space->root, space->root + at, 0);
}

/* What a word of a directory names ----------------------------------------- */

static struct named named_1(const struct mem_space *space, uint64_t pde,
			    bool big)
{
	unsigned int page = big ? space->big_shift : 12;
	uint64_t size = 8ULL << (mmu_shift(space, 0) - page -
				 REG_GET(NV_MMU_PDE_SIZE, pde));
	uint64_t in = big ? REG_GET(NV_MMU_PDE_APERTURE_BIG, pde) :
			    REG_GET(NV_MMU_PDE_APERTURE_SMALL, pde);

	if (mmu_pde_aperture(in) != MEM_VRAM || !in)
		return none();
	return (struct named){
		.addr = (big ? REG_GET(NV_MMU_PDE_ADDRESS_BIG_SYS, pde) :
			 REG_GET(NV_MMU_PDE_ADDRESS_SMALL_SYS, pde)) << 12,
		.size = size,
	};
}

static struct named named_2(unsigned int level, uint64_t word, bool big)
{
	uint64_t in = REG_GET(NV_MMU_VER2_PDE_APERTURE, word);

	if (in != 1)
		return none();
	if (!level && big)
		return (struct named){
			.addr = REG_GET(NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_SYS,
					word) << 8,
			.size = 256,
		};
	/* In the upper half of a dual entry bit 0 means nothing, and the
	 * address begins at the same bit as in other directories. */
	return (struct named){
		.addr = REG_GET(NV_MMU_VER2_PDE_ADDRESS_SYS, word) << 12,
		.size = CARD_PAGE,
	};
}

static struct named names(const struct mem_space *space, unsigned int level,
			  uint64_t word, bool first)
{
	if (!space->format2)
		return named_1(space, word, first);
	if ((level || first) && REG_GET(NV_MMU_VER2_PDE_IS_PTE, word))
		return none();
	return named_2(level, word, first);
}

uint64_t tables_named(const struct mem_space *space, unsigned int level,
		      const uint64_t entry[2], unsigned int which)
{
	bool dual = space->format2 && !level;
	struct named table;

	if (space->format2 && which &&
	    (level || REG_GET(NV_MMU_VER2_PDE_IS_PTE, entry[0])))
		return TABLES_NONE;
	table = names(space, level, entry[dual && which], !which);
	return table.size ? table.addr : TABLES_NONE;
}

/* The rule --------------------------------------------------------------- */

/* Does a walk through this space still come by here? */
static bool is_reached(struct card *card, const struct mem_space *space,
		       const struct table_part *part, uint64_t va)
{
	enum mem_fault_type type;
	struct mem_place place;
	struct walk w;

	mmu_look(card, space, va, &w, &place, &type);
	return w.step[part->level - 1].seen &&
		w.step[part->level - 1].table == part->table &&
		w.step[part->level - 1].aperture == MEM_VRAM;
}

static void not_ready(struct card *card, const struct named *table,
		      uint64_t va, uint64_t bad, const char *how)
{
	card_report(card, RULE_PDE_BEFORE_TABLE, CARD_NO_CHANNEL,
		    "a table that is written and flushed before a directory "
		    "entry names it|"
		    "the entry of 0x%llx names the table at 0x%llx, whose "
		    "bytes at 0x%llx %s",
		    (unsigned long long)va, (unsigned long long)table->addr,
		    (unsigned long long)bad, how);
}

static void published(struct card *card, const struct named *table,
		      uint64_t va)
{
	uint64_t bad;

	/* Of an entry in the path the question was asked when it arrived:
	 * what was written since may come before it or after. */
	if (!card->draining && path_holds(card, table->addr, table->size))
		not_ready(card, table, va, table->addr,
			  "are still in the BAR1 write path");
	else if (!vram_is_written(card, table->addr, table->size, &bad))
		not_ready(card, table, va, bad,
			  "were not written since the memory became a table");
}

/* An entry enters the write path: what it names has left it by then. */
static void announced(struct card *card, const struct named *table,
		      uint64_t va)
{
	if (path_holds(card, table->addr, table->size))
		not_ready(card, table, va, table->addr,
			  "are still in the BAR1 write path");
}

/* A word that named one table names another now, or none. */
static void renamed(struct card *card, const struct mem_space *space,
		    const struct table_part *part, uint64_t va,
		    const struct named *before, const struct named *after)
{
	unsigned int level = part->level - 1u;

	if (after->size) {
		published(card, after, va);
		for (uint64_t at = 0; level && at < after->size;
		     at += CARD_PAGE)
			part_set(card, space, level - 1, after->addr,
				 after->addr + at, va);
	}
	if (before->size)
		vram_forget_written(card, before->addr, before->size);
}

/* One aligned word of a directory changes. */
static void word_written(struct card *card, const struct mem_space *space,
			 const struct table_part *part, uint64_t addr,
			 uint64_t before, uint64_t after, bool arrives)
{
	unsigned int level = part->level - 1u;
	bool dual = space->format2 && !level;
	uint64_t index = (addr - part->table) / (dual ? 16 : 8);
	uint64_t va = part->va + (index << mmu_shift(space, level));
	unsigned int tables = space->format2 ? 1 : 2;

	if (va > space->limit)
		return;
	for (unsigned int i = 0; i < tables; i++) {
		/* Format 1: both tables in one word, the big one first. */
		bool first = dual ? !(addr & 8) : !i;
		struct named a = names(space, level, before, first);
		struct named b = names(space, level, after, first);

		if (a.addr == b.addr && a.size == b.size)
			continue;
		if (!is_reached(card, space, part, va))
			return;
		if (!arrives)
			renamed(card, space, part, va, &a, &b);
		else if (b.size)
			announced(card, &b, va);
	}
}

/* False: nobody uses that space any more. */
static bool directory_written(struct card *card, const struct table_part *part,
			      uint64_t addr, const uint8_t *bytes, size_t len,
			      bool arrives)
{
	const struct mem_space *space = host_space_of(card, part->root,
			part->in_sysmem ? MEM_SYS_COHERENT : MEM_VRAM);
	uint64_t at = addr & ~7ULL;

	if (!space)
		return false;
	for (; at < addr + len; at += 8) {
		uint64_t first = at < addr ? addr : at;
		uint64_t last = at + 8 < addr + len ? at + 8 : addr + len;
		uint64_t before, after;

		if (arrives)
			path_look(card, at, &before, 8);
		else
			vram_read(card, at, &before, 8);
		after = before;
		memcpy((uint8_t *)&after + (first - at),
		       bytes + (first - addr), last - first);
		if (after != before && at >= part->table)
			word_written(card, space, part, at, before, after,
				     arrives);
	}
	return true;
}

/* The parts of these bytes that are known to be a directory's. */
static void change(struct card *card, uint64_t addr, const void *bytes,
		   size_t len, bool arrives)
{
	const uint8_t *from = bytes;

	while (len) {
		size_t left = CARD_PAGE - addr % CARD_PAGE;
		size_t n = left < len ? left : len;
		struct vram_page *page = vram_find(card, addr);
		struct table_part part = { 0 };

		if (page && page->part)
			part = page->part[vram_part(addr)];
		if (part.known && part.level &&
		    !directory_written(card, &part, addr, from, n, arrives))
			page->part[vram_part(addr)].known = false;
		addr += n;
		from += n;
		len -= n;
	}
}

void tables_written(struct card *card, uint64_t addr, const void *bytes,
		    size_t len)
{
	card->tables++;
	change(card, addr, bytes, len, false);
}

void tables_arriving(struct card *card, uint64_t addr, const void *bytes,
		     size_t len)
{
	change(card, addr, bytes, len, true);
}
