/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Walking page tables [§6.4].
 *
 * Format 1 (Maxwell; Pascal on request) has two levels, and its directory
 * entry names two tables side by side: one of 4 KiB pages, one of big pages.
 * Format 2 (Pascal) has five levels; only its lowest directory has two
 * tables.  In both, hardware looks into both tables at once and a valid big
 * entry wins.
 *
 * A walk reads entries like any other reader: behind the BAR1 write path, in
 * system memory by DMA.  The walk that the monitors do reads the same memory
 * and leaves no trace.
 */
#include "vm/model/memory.h"

#define VA_BITS_1	40
#define VA_BITS_2	49
#define PDE_SIZES	4

struct walk {
	struct card *card;
	struct mem_who who;
	const struct mem_space *space;
	uint64_t va;
	bool quiet;		/* no monitors, no trace, no marks	*/
	bool in_sysmem;		/* a table was there			*/
	bool unread;		/* memory did not answer: reported	*/
	struct mem_place *place;
};

static uint64_t field(uint64_t word, unsigned int name)
{
	return REG_GET(name, word);
}

static uint64_t walk_read(struct walk *w, enum mem_aperture aperture,
			  uint64_t addr)
{
	uint64_t entry = 0;

	if (aperture != MEM_VRAM)
		w->in_sysmem = true;
	if (w->quiet) {
		card_mem_look(w->card, aperture, addr, &entry, sizeof(entry));
		return entry;
	}
	if (aperture == MEM_VRAM)
		vram_mark_table(w->card, addr);
	if (card_mem_read(w->card, w->who, aperture, addr, &entry,
			  sizeof(entry)))
		w->unread = true;
	return entry;
}

/* A directory codes memory as 1, 2, 3 where a page's entry says 0, 2, 3. */
static enum mem_aperture pde_aperture(uint64_t code)
{
	return code == 1 ? MEM_VRAM : (enum mem_aperture)code;
}

static void place_page(struct walk *w, uint64_t base, unsigned int shift,
		       uint64_t aperture)
{
	uint64_t at = w->va & ((1ULL << shift) - 1);

	w->place->aperture = (enum mem_aperture)aperture;
	w->place->addr = (base & ~((1ULL << shift) - 1)) | at;
	w->place->left = (1ULL << shift) - at;
}

static int place_sparse(struct walk *w, unsigned int shift)
{
	place_page(w, 0, shift, MEM_VRAM);
	w->place->sparse = true;
	return 0;
}

/* What a step of the walk found; otherwise an enum mem_fault_type. */
enum { MAPPED = -1, UNMAPPED = -2 };

static int pte1(struct walk *w, uint64_t pte, unsigned int shift, bool write)
{
	if (!field(pte, NV_MMU_PTE_VALID)) {
		if (!field(pte, NV_MMU_PTE_VOL))
			return UNMAPPED;
		place_sparse(w, shift);
		return MAPPED;
	}
	place_page(w, field(pte, NV_MMU_PTE_ADDRESS_SYS) << 12, shift,
		   field(pte, NV_MMU_PTE_APERTURE));
	w->place->privileged = field(pte, NV_MMU_PTE_PRIVILEGE);
	w->place->read_only = field(pte, NV_MMU_PTE_READ_ONLY) ||
		field(pte, NV_MMU_PTE_WRITE_DISABLE);
	w->place->kind = field(pte, NV_MMU_PTE_KIND);
	if (field(pte, NV_MMU_PTE_READ_DISABLE) && !write)
		return FAULT_WRITE_ONLY;
	return MAPPED;
}

static int walk1(struct walk *w, bool write)
{
	const struct mem_space *space = w->space;
	unsigned int big = space->big_shift;
	unsigned int dir = big == 16 ? 26 : 27;
	uint64_t in_table = w->va & ((1ULL << dir) - 1);
	uint64_t pde = walk_read(w, space->aperture,
				 space->root + (w->va >> dir) * 8);
	uint64_t big_in = field(pde, NV_MMU_PDE_APERTURE_BIG);
	uint64_t small_in = field(pde, NV_MMU_PDE_APERTURE_SMALL);
	int result = UNMAPPED;
	uint64_t table;

	if (!big_in && !small_in)
		return FAULT_PDE;
	if (in_table >> (dir - field(pde, NV_MMU_PDE_SIZE)))
		return FAULT_PDE_SIZE;
	if (big_in) {
		table = field(pde, NV_MMU_PDE_ADDRESS_BIG_SYS) << 12;
		result = pte1(w, walk_read(w, pde_aperture(big_in),
					   table + (in_table >> big) * 8),
			      big, write);
	}
	if (small_in && result == UNMAPPED) {
		table = field(pde, NV_MMU_PDE_ADDRESS_SMALL_SYS) << 12;
		result = pte1(w, walk_read(w, pde_aperture(small_in),
					   table + (in_table >> 12) * 8),
			      12, write);
	}
	return result == UNMAPPED ? FAULT_PTE : result;
}

static int pte2(struct walk *w, uint64_t pte, unsigned int shift)
{
	if (!field(pte, NV_MMU_VER2_PTE_VALID)) {
		if (!field(pte, NV_MMU_VER2_PTE_VOL))
			return UNMAPPED;
		place_sparse(w, shift);
		return MAPPED;
	}
	place_page(w, (field(pte, NV_MMU_VER2_PTE_APERTURE) == MEM_VRAM ?
		       field(pte, NV_MMU_VER2_PTE_ADDRESS_VID) :
		       field(pte, NV_MMU_VER2_PTE_ADDRESS_SYS)) << 12,
		   shift, field(pte, NV_MMU_VER2_PTE_APERTURE));
	w->place->privileged = field(pte, NV_MMU_VER2_PTE_PRIVILEGE);
	w->place->read_only = field(pte, NV_MMU_VER2_PTE_READ_ONLY);
	w->place->kind = field(pte, NV_MMU_VER2_PTE_KIND);
	return MAPPED;
}

/* Levels 3 to 1: eight-byte entries, one table each. */
static int walk2_down(struct walk *w, enum mem_aperture *aperture,
		      uint64_t *table)
{
	static const struct {
		uint8_t shift;
		uint16_t mask;
	} level[] = { { 47, 3 }, { 38, 511 }, { 29, 511 } };

	for (size_t i = 0; i < array_size(level); i++) {
		uint64_t index = w->va >> level[i].shift & level[i].mask;
		uint64_t pde = walk_read(w, *aperture, *table + index * 8);
		uint64_t code = field(pde, NV_MMU_VER2_PDE_APERTURE);

		if (!code || field(pde, NV_MMU_VER2_PDE_IS_PTE))
			return FAULT_PDE;
		*aperture = pde_aperture(code);
		*table = field(pde, NV_MMU_VER2_PDE_ADDRESS_SYS) << 12;
	}
	return MAPPED;
}

static int walk2_tables(struct walk *w, uint64_t low, uint64_t high)
{
	uint64_t big_in = field(low, NV_MMU_VER2_DUAL_PDE_APERTURE_BIG);
	uint64_t small_in =
		high >> (REG_FIELD_LO(NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL) -
			 64) & 3;
	int result = UNMAPPED;
	uint64_t table, pte;

	if (!big_in && !small_in) {
		if (!field(low, NV_MMU_VER2_PTE_VOL))
			return FAULT_PDE;
		place_sparse(w, 21);
		return MAPPED;
	}
	if (big_in) {
		table = field(low, NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_SYS) << 8;
		pte = walk_read(w, pde_aperture(big_in),
				table + (w->va >> 16 & 31) * 8);
		result = pte2(w, pte, 16);
		/* "Do not look at the small table for these 64 KiB." */
		if (result == UNMAPPED &&
		    field(pte, NV_MMU_VER2_PTE_PRIVILEGE))
			return FAULT_PTE;
	}
	if (small_in && result == UNMAPPED) {
		table = high >> (REG_FIELD_LO(
			NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_SYS) - 64) &
			((1ULL << 46) - 1);
		result = pte2(w, walk_read(w, pde_aperture(small_in),
					   (table << 12) +
					   (w->va >> 12 & 511) * 8), 12);
	}
	return result == UNMAPPED ? FAULT_PTE : result;
}

static int walk2(struct walk *w)
{
	enum mem_aperture aperture = w->space->aperture;
	uint64_t table = w->space->root;
	uint64_t entry, low, high;
	int result = walk2_down(w, &aperture, &table);

	if (result != MAPPED)
		return result;
	entry = table + (w->va >> 21 & 255) * 16;
	low = walk_read(w, aperture, entry);
	if (field(low, NV_MMU_VER2_DUAL_PDE_IS_PTE)) {
		result = pte2(w, low, 21);
		return result == UNMAPPED ? FAULT_PTE : result;
	}
	high = walk_read(w, aperture, entry + 8);
	return walk2_tables(w, low, high);
}

/* -EFAULT and the type of fault, or 0 and the place. */
static int walk(struct walk *w, bool write, struct mem_fault *fault)
{
	const struct mem_space *space = w->space;
	unsigned int bits = space->format2 ? VA_BITS_2 : VA_BITS_1;
	int result;

	*w->place = (struct mem_place){ 0 };
	if (!space->valid)
		result = FAULT_UNBOUND_INST;
	else if (w->va > space->limit || w->va >> bits)
		result = FAULT_VA_LIMIT;
	else
		result = space->format2 ? walk2(w) : walk1(w, write);

	if (result == MAPPED && w->unread)
		result = FAULT_PDE;
	if (result == MAPPED && w->place->aperture == MEM_PEER)
		result = FAULT_APERTURE;
	if (result == MAPPED && write && w->place->read_only)
		result = FAULT_READ_ONLY;
	if (result == MAPPED)
		return 0;
	*fault = (struct mem_fault){
		.va = w->va, .type = (enum mem_fault_type)result,
		.write = write,
	};
	return -EFAULT;
}

int mmu_walk(struct card *card, struct mem_who who,
	     const struct mem_space *space, uint64_t va, bool write,
	     struct mem_place *place, struct mem_fault *fault,
	     bool *in_sysmem)
{
	struct walk w = {
		.card = card, .who = who, .space = space, .va = va,
		.place = place,
	};
	int err;

	w.who.why = CARD_DMA_PAGE_TABLE;
	err = walk(&w, write, fault);
	*in_sysmem = w.in_sysmem;
	return err;
}

int card_va_look(struct card *card, const struct mem_space *space,
		 uint64_t va, struct mem_place *place)
{
	struct walk w = {
		.card = card, .space = space, .va = va, .place = place,
		.quiet = true,
	};
	struct mem_fault fault;

	return walk(&w, false, &fault);
}
