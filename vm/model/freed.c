/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Page tables whose memory is given back [§6.5].
 *
 * The card does not know of allocators; whoever runs it may tell.  At that
 * moment two things must be over.  Nothing may lead there: no entry of a
 * directory that a walk could come by.  And nothing may be remembered: neither
 * an entry that names the table, nor a page that was found by way of it, nor
 * anything under its address, if it was a page directory.
 *
 * What is remembered lies in two small arrays.  What leads there is looked for
 * in the directories of the spaces in use: those of bound channels, of the
 * windows, and of GR_CTX_SWITCH while it works.  These are few, however many
 * spaces a driver keeps, and have a few directories each, which are mostly
 * zero: it takes some microseconds.  So nobody need keep a record of what
 * names what, which would have to know each write to a table before the card
 * knows that it is one.
 *
 * The TLB of GR_CTX_SWITCH is left out: it remembers pages and no tables, and
 * a driver may leave the flush until the context is loaded again [§12.3].
 */
#include <stdio.h>

#include "vm/model/ctx.h"
#include "vm/model/host.h"
#include "vm/model/memory.h"

/* Directories of one space that are looked at: a table may name itself. */
#define LOOK_MAX	4096u
/* Channels before this one whose spaces are not looked at again. */
#define NEAR		16u

struct freed {
	struct card *card;
	uint64_t addr, size;
	const struct mem_space *space;	/* looked at now		*/
	uint32_t channel;
	unsigned int left;		/* of LOOK_MAX			*/
	bool told;
};

static bool within(const struct freed *f, uint64_t addr)
{
	return addr - f->addr < f->size;
}

static void remembered(struct freed *f, uint64_t root, uint64_t va,
		       const char *what)
{
	f->told = true;
	card_report(f->card, RULE_TABLE_FREED, CARD_NO_CHANNEL,
		    "a card that has forgotten the table at 0x%llx (0x%llx "
		    "bytes) before its memory is given back|"
		    "it remembers %s, for address 0x%llx of page directory "
		    "0x%llx%s",
		    (unsigned long long)f->addr, (unsigned long long)f->size,
		    what, (unsigned long long)va, (unsigned long long)root,
		    pfb_forgets_later(f->card, root) ?
		    "; an invalidation is not done yet" : "");
}

static void reached(struct freed *f, uint64_t va, int level)
{
	char how[64] = "is that page directory";

	if (level >= 0)
		snprintf(how, sizeof(how), "names it in the entry (PDE%d) of "
			 "address 0x%llx", level, (unsigned long long)va);
	f->told = true;
	card_report(f->card, RULE_TABLE_FREED, f->channel,
		    "nothing in use that leads to the table at 0x%llx (0x%llx "
		    "bytes) when its memory is given back|"
		    "page directory 0x%llx, which is in use, %s",
		    (unsigned long long)f->addr, (unsigned long long)f->size,
		    (unsigned long long)f->space->root, how);
}

/* What is remembered ------------------------------------------------------ */

static void look_at_entry(struct freed *f, const struct walked *e,
			  unsigned int level)
{
	struct mem_space space = { .format2 = e->format2, .big_shift = 16 };

	if (!e->root_in_sysmem && within(f, e->root)) {
		remembered(f, e->root, e->tag << e->shift,
			   "an entry of that page directory");
		return;
	}
	for (unsigned int i = 0; i < 2; i++) {
		if (within(f, tables_named(&space, level, e->entry, i))) {
			remembered(f, e->root, e->tag << e->shift,
				   "a directory's entry that names it");
			return;
		}
	}
}

static void look_at_page(struct freed *f, const struct tlb_entry *e)
{
	if (!e->root_in_sysmem && within(f, e->root))
		remembered(f, e->root, e->tag << e->shift,
			   "a page of that page directory");
	else if (within(f, e->page.entry))
		remembered(f, e->root, e->tag << e->shift,
			   "a page that it found there");
}

static void look_at_tlb(struct freed *f)
{
	struct mmu *mmu = f->card->mmu;

	for (unsigned int i = 0; i < MMU_LEVELS && !f->told; i++) {
		for (unsigned int k = 0; k < MMU_WALKS && !f->told; k++) {
			if (mmu->walked[i][k].valid)
				look_at_entry(f, &mmu->walked[i][k], i);
		}
	}
	for (unsigned int i = 0; i < MMU_TLB && !f->told; i++) {
		if (mmu->tlb[i].valid)
			look_at_page(f, &mmu->tlb[i]);
	}
}

/* What leads there -------------------------------------------------------- */

static unsigned int entry_words(const struct freed *f, unsigned int level)
{
	return f->space->format2 && !level ? 2 : 1;
}

/* Bytes of a directory, if it is the root only as far as the limit. */
static uint64_t directory_size(const struct freed *f, unsigned int level)
{
	const struct mem_space *space = f->space;
	unsigned int top = space->format2 ? MMU_LEVELS - 1 : 0;
	uint64_t entries = (space->limit >> mmu_shift(space, level)) + 1;
	uint64_t most = space->format2 ? 4 : 1u << 14;

	if (level != top)
		return CARD_PAGE;
	return 8 * (entries < most ? entries : most);
}

static void look_at_directory(struct freed *f, unsigned int level,
			      uint64_t table, uint64_t va);

/* One entry, and all below it. */
static void follow(struct freed *f, unsigned int level,
		   const uint64_t entry[2], uint64_t va)
{
	for (unsigned int i = 0; i < 2 && !f->told; i++) {
		uint64_t named = tables_named(f->space, level, entry, i);

		if (named == TABLES_NONE)
			continue;
		if (within(f, named))
			reached(f, va, level);
		else if (level)
			look_at_directory(f, level - 1, named, va);
	}
}

/* As much of a directory as lies in 4 KiB. */
static void look_at_part(struct freed *f, unsigned int level, uint64_t addr,
			 uint64_t size, uint64_t va)
{
	const struct vram_page *page = vram_find(f->card, addr);
	unsigned int words = entry_words(f, level);
	unsigned int shift = mmu_shift(f->space, level);
	uint64_t entry[2] = { 0 };

	for (uint64_t at = 0; page && at < size && !f->told; at += 8 * words) {
		memcpy(entry, page->data + addr % VRAM_PAGE + at, 8 * words);
		if (entry[0] | entry[1])
			follow(f, level, entry, va);
		va += 1ULL << shift;
	}
}

static void look_at_directory(struct freed *f, unsigned int level,
			      uint64_t table, uint64_t va)
{
	uint64_t size = directory_size(f, level);
	uint64_t part = CARD_PAGE / 8 / entry_words(f, level);

	if (table % CARD_PAGE || !f->left)
		return;
	f->left--;
	for (uint64_t at = 0; at < size && !f->told; at += CARD_PAGE) {
		uint64_t n = size - at < CARD_PAGE ? size - at : CARD_PAGE;

		look_at_part(f, level, table + at, n, va);
		va += part << mmu_shift(f->space, level);
	}
}

static void look_at_space(struct freed *f, const struct mem_space *space,
			  uint32_t channel)
{
	if (!space->valid || space->aperture != MEM_VRAM || f->told)
		return;
	f->space = space;
	f->channel = channel;
	f->left = LOOK_MAX;
	if (within(f, space->root))
		reached(f, 0, -1);
	else
		look_at_directory(f, space->format2 ? MMU_LEVELS - 1 : 0,
				  space->root, 0);
}

/* Has a channel a little before this one the same page directory? */
static bool was_looked_at(const struct host *host, uint32_t i)
{
	const struct channel *c = host->channels[host->live[i]];

	for (uint32_t j = i; j && i - j < NEAR; j--) {
		const struct channel *before =
			host->channels[host->live[j - 1]];

		if (before->space.valid &&
		    before->space.aperture == c->space.aperture &&
		    before->space.root == c->space.root)
			return true;
	}
	return false;
}

static void look_at_spaces(struct freed *f)
{
	const struct bar_window *window[] = {
		&f->card->bar1, &f->card->bar2
	};
	const struct host *host = f->card->host;
	const struct mem_space *unit = ctx_space_at_work(f->card);

	for (size_t i = 0; i < array_size(window); i++) {
		if (window[i]->virtual)
			look_at_space(f, &window[i]->space, CARD_NO_CHANNEL);
	}
	for (uint32_t i = 0; i < host->live_count; i++) {
		const struct channel *c = host->channels[host->live[i]];

		if (!was_looked_at(host, i))
			look_at_space(f, &c->space, c->id);
	}
	if (unit)
		look_at_space(f, unit, CARD_NO_CHANNEL);
}

void card_table_freed(struct card *card, uint64_t addr, uint64_t size)
{
	struct freed f = { .card = card, .addr = addr, .size = size };
	uint64_t end = card->chip->vram_size;

	if (addr >= end || size > end - addr)
		return;
	/* Of the tables that go in one change the first is told. */
	if (card->unplugged || card->freed_told == card->tables + 1)
		return;
	look_at_spaces(&f);
	look_at_tlb(&f);
	if (f.told)
		card->freed_told = card->tables + 1;
}
