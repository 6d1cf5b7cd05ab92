/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Page tables of format 1: Maxwell, and Pascal on request [§6.4].
 *
 * Two levels.  A directory entry names two tables side by side, one of 4 KiB
 * pages and one of big pages; it may say that only a half, a quarter or an
 * eighth of them is there.  The hardware looks into both at once.  GM200
 * answers two valid entries with a fault of their own; Pascal, which has no
 * such type of fault, lets the big one win as it does in format 2.
 */
#include "vm/model/mmu.h"

static uint64_t field(uint64_t word, unsigned int name)
{
	return REG_GET(name, word);
}

static int page(struct walk *w, uint64_t pte, unsigned int shift)
{
	if (!field(pte, NV_MMU_PTE_VALID)) {
		if (!field(pte, NV_MMU_PTE_VOL))
			return WALK_UNMAPPED;
		walk_sparse(w, shift);
		return WALK_MAPPED;
	}
	walk_page(w, field(pte, NV_MMU_PTE_ADDRESS_SYS) << 12, shift,
		  field(pte, NV_MMU_PTE_APERTURE));
	w->place->privileged = field(pte, NV_MMU_PTE_PRIVILEGE);
	w->place->read_only = field(pte, NV_MMU_PTE_READ_ONLY) ||
		field(pte, NV_MMU_PTE_WRITE_DISABLE);
	w->place->write_only = field(pte, NV_MMU_PTE_READ_DISABLE);
	w->place->is_volatile = field(pte, NV_MMU_PTE_VOL);
	w->place->kind = field(pte, NV_MMU_PTE_KIND);
	return WALK_MAPPED;
}

/* The two tables of a directory entry. */
static int tables(struct walk *w, uint64_t pde)
{
	unsigned int big = w->space->big_shift;
	uint64_t at = w->va & ((1ULL << mmu_shift(w->space, 0)) - 1);
	uint64_t big_in = field(pde, NV_MMU_PDE_APERTURE_BIG);
	uint64_t small_in = field(pde, NV_MMU_PDE_APERTURE_SMALL);
	uint64_t big_table = field(pde, NV_MMU_PDE_ADDRESS_BIG_SYS) << 12;
	uint64_t small_table = field(pde, NV_MMU_PDE_ADDRESS_SMALL_SYS) << 12;
	bool strict = !w->card->chip->pascal;
	uint64_t big_pte = 0, small_pte = 0;
	int result = WALK_UNMAPPED;

	if (big_in) {
		big_pte = walk_read(w, mmu_pde_aperture(big_in),
				    big_table + (at >> big) * 8);
		result = page(w, big_pte, big);
	}
	if (small_in && (strict || result == WALK_UNMAPPED)) {
		small_pte = walk_read(w, mmu_pde_aperture(small_in),
				      small_table + (at >> 12) * 8);
		w->reads -= big_in != 0;	/* both at the same time */
	}
	if (strict && field(big_pte, NV_MMU_PTE_VALID) &&
	    field(small_pte, NV_MMU_PTE_VALID))
		return FAULT_BOTH_PTES;
	if (result == WALK_UNMAPPED)
		result = page(w, small_pte, 12);
	return result == WALK_UNMAPPED ? FAULT_PTE : result;
}

int mmu_walk_1(struct walk *w)
{
	unsigned int dir = mmu_shift(w->space, 0);
	uint64_t at = w->va & ((1ULL << dir) - 1);
	uint64_t entry[2];

	if (walk_begin(w, 1, entry))
		walk_directory(w, 0, w->space->aperture, w->space->root, 1,
			       entry);
	if (!field(entry[0], NV_MMU_PDE_APERTURE_BIG) &&
	    !field(entry[0], NV_MMU_PDE_APERTURE_SMALL))
		return FAULT_PDE;
	walk_keep(w, 0, entry);
	if (at >> (dir - field(entry[0], NV_MMU_PDE_SIZE)))
		return FAULT_PDE_SIZE;
	return tables(w, entry[0]);
}
