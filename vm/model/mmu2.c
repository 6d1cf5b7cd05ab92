/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Page tables of format 2: Pascal [§6.4].
 *
 * Five levels.  The lowest directory has entries of 16 bytes that name a
 * table of 64 KiB pages and one of 4 KiB pages, or are themselves the entry
 * of a 2 MiB page.  A valid big entry wins over the small table, and one that
 * is not valid may forbid to look there.
 */
#include "vm/model/mmu.h"

static uint64_t field(uint64_t word, unsigned int name)
{
	return REG_GET(name, word);
}

/* Fields of the upper half of a dual entry. */
static uint64_t high_field(uint64_t high, unsigned int name)
{
	return high >> (REG_FIELD_LO(name) - 64) & REG_FIELD_MAX(name);
}

static int page(struct walk *w, uint64_t pte, unsigned int shift)
{
	uint64_t aperture = field(pte, NV_MMU_VER2_PTE_APERTURE);
	uint64_t frame = aperture == MEM_VRAM ?
		field(pte, NV_MMU_VER2_PTE_ADDRESS_VID) :
		field(pte, NV_MMU_VER2_PTE_ADDRESS_SYS);

	if (!field(pte, NV_MMU_VER2_PTE_VALID)) {
		if (!field(pte, NV_MMU_VER2_PTE_VOL))
			return WALK_UNMAPPED;
		walk_sparse(w, shift);
		return WALK_MAPPED;
	}
	walk_page(w, frame << 12, shift, aperture);
	w->place->privileged = field(pte, NV_MMU_VER2_PTE_PRIVILEGE);
	w->place->read_only = field(pte, NV_MMU_VER2_PTE_READ_ONLY);
	w->place->is_volatile = field(pte, NV_MMU_VER2_PTE_VOL);
	w->place->kind = field(pte, NV_MMU_VER2_PTE_KIND);
	return WALK_MAPPED;
}

static int tables(struct walk *w, uint64_t low, uint64_t high)
{
	uint64_t big_in = field(low, NV_MMU_VER2_DUAL_PDE_APERTURE_BIG);
	uint64_t small_in = high_field(high,
				NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL);
	uint64_t table, pte;
	int result = WALK_UNMAPPED;

	if (big_in) {
		table = field(low, NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_SYS) << 8;
		pte = walk_read(w, mmu_pde_aperture(big_in),
				table + (w->va >> 16 & 31) * 8);
		result = page(w, pte, 16);
		/* "Do not look at the small table for these 64 KiB." */
		if (result == WALK_UNMAPPED &&
		    field(pte, NV_MMU_VER2_PTE_PRIVILEGE))
			return FAULT_PTE;
	}
	if (small_in && result == WALK_UNMAPPED) {
		table = high_field(high,
			NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_SYS) << 12;
		pte = walk_read(w, mmu_pde_aperture(small_in),
				table + (w->va >> 12 & 511) * 8);
		w->reads -= big_in != 0;	/* both at the same time */
		result = page(w, pte, 12);
	}
	return result == WALK_UNMAPPED ? FAULT_PTE : result;
}

static int lowest(struct walk *w, const uint64_t entry[2])
{
	int result;

	if (field(entry[0], NV_MMU_VER2_DUAL_PDE_IS_PTE)) {
		result = page(w, entry[0], 21);
		return result == WALK_UNMAPPED ? FAULT_PTE : result;
	}
	if (field(entry[0], NV_MMU_VER2_DUAL_PDE_APERTURE_BIG) ||
	    high_field(entry[1], NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL)) {
		walk_keep(w, 0, entry);
		return tables(w, entry[0], entry[1]);
	}
	if (!field(entry[0], NV_MMU_VER2_PTE_VOL))
		return FAULT_PDE;
	walk_sparse(w, 21);
	return WALK_MAPPED;
}

int mmu_walk_2(struct walk *w)
{
	enum mem_aperture aperture = w->space->aperture;
	uint64_t table = w->space->root;
	uint64_t entry[2];
	unsigned int level = walk_begin(w, MMU_LEVELS, entry);

	if (level == MMU_LEVELS)
		walk_directory(w, --level, aperture, table, 1, entry);
	while (level) {
		uint64_t code = field(entry[0], NV_MMU_VER2_PDE_APERTURE);

		if (!code || field(entry[0], NV_MMU_VER2_PDE_IS_PTE))
			return FAULT_PDE;
		walk_keep(w, level, entry);
		aperture = mmu_pde_aperture(code);
		table = field(entry[0], NV_MMU_VER2_PDE_ADDRESS_SYS) << 12;
		level--;
		walk_directory(w, level, aperture, table, level ? 1 : 2,
			       entry);
	}
	return lowest(w, entry);
}
