/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Walking page tables [§6.4]: what both formats share.
 *
 * A walk begins at the deepest directory entry that is remembered
 * (walkcache.c), otherwise at the page directory, and reads one entry a level
 * like any other reader: behind the BAR1 write path, in system memory by DMA.
 * Each entry that it reads costs time.  The walk that monitors and judges do
 * reads the same memory, remembers nothing and leaves no trace.
 *
 * A walk finds a page and what the page allows; whether an access is allowed
 * is for the caller to say, since it is so on a TLB hit too.
 */
#include "vm/model/mmu.h"

#define VA_BITS_1	40
#define VA_BITS_2	49

unsigned int mmu_shift(const struct mem_space *space, unsigned int level)
{
	static const uint8_t shift[MMU_LEVELS] = { 21, 29, 38, 47 };

	if (space->format2)
		return shift[level];
	return space->big_shift == 16 ? 26 : 27;
}

static uint64_t read_entry(struct walk *w, enum mem_aperture aperture,
			   uint64_t addr)
{
	uint64_t entry = 0;

	w->reads++;
	if (aperture != MEM_VRAM)
		w->in_sysmem = true;
	if (w->quiet)
		card_mem_look(w->card, aperture, addr, &entry, sizeof(entry));
	else if (card_mem_read(w->card, w->who, aperture, addr, &entry,
			       sizeof(entry)))
		w->unread = true;
	return entry;
}

uint64_t walk_read(struct walk *w, enum mem_aperture aperture, uint64_t addr)
{
	w->leaf = addr;
	if (!w->quiet && aperture == MEM_VRAM)
		tables_mark(w, -1, addr, addr);
	return read_entry(w, aperture, addr);
}

unsigned int walk_begin(struct walk *w, unsigned int levels, uint64_t entry[2])
{
	unsigned int level;

	for (level = 0; !w->quiet && level < levels; level++) {
		w->from = walked_find(w, level);
		if (!w->from)
			continue;
		entry[0] = w->from->entry[0];
		entry[1] = w->from->entry[1];
		w->in_sysmem |= w->from->in_sysmem;
		w->card->mmu->stats.levels_saved += levels - level;
		return level;
	}
	return levels;
}

void walk_directory(struct walk *w, unsigned int level,
		    enum mem_aperture aperture, uint64_t table,
		    unsigned int words, uint64_t entry[2])
{
	unsigned int shift = mmu_shift(w->space, level);
	unsigned int bits = !w->space->format2 ? VA_BITS_1 - shift :
			    level == 3 ? 2 : level == 0 ? 8 : 9;
	uint64_t index = w->va >> shift & ((1ULL << bits) - 1);
	uint64_t addr = table + index * 8 * words;

	if (!w->quiet && aperture == MEM_VRAM)
		tables_mark(w, level, table, addr);
	entry[0] = read_entry(w, aperture, addr);
	entry[1] = words > 1 ? read_entry(w, aperture, addr + 8) : 0;
	if (words > 1)
		w->reads--;	/* one access of 16 bytes */
	w->leaf = table;
	w->step[level] = (struct walk_step){
		.table = table, .aperture = aperture,
		.entry = { entry[0], entry[1] }, .seen = true,
	};
}

void walk_keep(struct walk *w, unsigned int level, const uint64_t entry[2])
{
	if (!w->quiet && w->step[level].seen)
		walked_keep(w, level, entry);
}

void walk_page(struct walk *w, uint64_t base, unsigned int shift,
	       uint64_t aperture)
{
	uint64_t at = w->va & ((1ULL << shift) - 1);

	w->place->aperture = (enum mem_aperture)aperture;
	w->place->addr = (base & ~((1ULL << shift) - 1)) | at;
	w->place->left = (1ULL << shift) - at;
	w->place->shift = shift;
	w->place->entry = w->in_sysmem ? ~0ULL : w->leaf;
}

void walk_sparse(struct walk *w, unsigned int shift)
{
	walk_page(w, 0, shift, MEM_VRAM);
	w->place->sparse = true;
}

/* WALK_MAPPED, or the type of fault. */
static int walk(struct walk *w)
{
	const struct mem_space *space = w->space;
	unsigned int bits = space->format2 ? VA_BITS_2 : VA_BITS_1;
	int result;

	*w->place = (struct mem_place){ 0 };
	if (!space->valid)
		return FAULT_UNBOUND_INST;
	if (w->va > space->limit || w->va >> bits)
		return FAULT_VA_LIMIT;
	result = space->format2 ? mmu_walk_2(w) : mmu_walk_1(w);
	if (result != WALK_MAPPED)
		return result;
	if (w->unread)
		return FAULT_PDE;
	if (w->place->aperture == MEM_PEER)
		return FAULT_APERTURE;
	if (w->place->kind != NV_MMU_PTE_KIND_PITCH)
		return FAULT_KIND;
	return WALK_MAPPED;
}

int mmu_walk(struct card *card, struct mem_who who,
	     const struct mem_space *space, uint64_t va,
	     struct mem_place *place, enum mem_fault_type *type,
	     bool *in_sysmem)
{
	struct walk w = {
		.card = card, .who = who, .space = space, .va = va,
		.place = place,
	};
	struct mmu *mmu = card->mmu;
	int result;

	w.who.why = CARD_DMA_PAGE_TABLE;
	result = walk(&w);
	card->walk_time += (uint64_t)w.reads * card->costs.walk_level;
	mmu->stats.entries_read += w.reads;
	if (w.from)
		walked_check(&w, result);
	*in_sysmem = w.in_sysmem;
	if (result == WALK_MAPPED)
		return 0;
	*type = (enum mem_fault_type)result;
	return -EFAULT;
}

int mmu_look(struct card *card, const struct mem_space *space, uint64_t va,
	     struct walk *w, struct mem_place *place,
	     enum mem_fault_type *type)
{
	int result;

	*w = (struct walk){
		.card = card, .space = space, .va = va, .place = place,
		.quiet = true,
	};
	result = walk(w);
	if (result == WALK_MAPPED)
		return 0;
	*type = (enum mem_fault_type)result;
	return -EFAULT;
}

int card_va_look(struct card *card, const struct mem_space *space,
		 uint64_t va, struct mem_place *place)
{
	enum mem_fault_type type;
	struct walk w;

	return mmu_look(card, space, va, &w, place, &type);
}

int card_translate(struct card *card, uint64_t root, unsigned int aperture,
		   bool format2, unsigned int big_shift, uint64_t va,
		   struct card_place *out)
{
	struct mem_space space = {
		.root = root, .limit = ~0ULL,
		.aperture = (enum mem_aperture)aperture, .valid = true,
		.format2 = format2, .big_shift = big_shift == 16 ? 16 : 17,
	};
	enum mem_fault_type type = FAULT_PDE;
	struct mem_place place;
	struct walk w;
	int err = mmu_look(card, &space, va, &w, &place, &type);

	*out = (struct card_place){
		.addr = place.addr, .aperture = place.aperture,
		.page_shift = place.shift, .read_only = place.read_only,
		.write_only = place.write_only,
		.is_volatile = place.is_volatile,
		.privileged = place.privileged, .sparse = place.sparse,
		.fault = err ? type : 0,
	};
	return err;
}
