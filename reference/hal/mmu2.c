/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Page tables, format 2: Pascal [§6.4].
 *
 * Five levels, no table larger than a page.  The lowest directory has entries
 * of 16 bytes, one half for a table of big pages and one for a table of 4 KiB
 * pages; we use the second.
 */
#include "mmu.h"
#include "vm/spec/reg.h"

#define DUAL_LEVEL	3

static void mmu2_pde(unsigned int level, u64 addr, u64 entry[2])
{
	u64 page = addr >> MMU_PAGE_SHIFT;

	if (level == DUAL_LEVEL) {
		/* The fields count bits over all 128; ours are in the upper
		 * half. */
		entry[0] = 0;
		entry[1] = 1ULL << (REG_FIELD_LO(
				NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL) - 64) |
			   page << (REG_FIELD_LO(
				NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_SYS) - 64);
		return;
	}
	entry[0] = REG_SET(NV_MMU_VER2_PDE_APERTURE,
			   NV_MMU_VER2_PDE_APERTURE_VIDEO_MEMORY) |
		   REG_SET(NV_MMU_VER2_PDE_ADDRESS_SYS, page);
}

static u64 mmu2_pte(enum mmu_aperture aperture, u64 addr)
{
	static const u8 code[] = {
		[MMU_VRAM] = NV_MMU_VER2_PTE_APERTURE_VIDEO_MEMORY,
		[MMU_SYS_COHERENT] =
			NV_MMU_VER2_PTE_APERTURE_SYSTEM_COHERENT_MEMORY,
		[MMU_SYS_NONCOHERENT] =
			NV_MMU_VER2_PTE_APERTURE_SYSTEM_NON_COHERENT_MEMORY,
	};

	return REG_VAL(NV_MMU_VER2_PTE_VALID, 1ULL) |
	       REG_SET(NV_MMU_VER2_PTE_APERTURE, code[aperture]) |
	       REG_SET(NV_MMU_VER2_PTE_ADDRESS_SYS, addr >> MMU_PAGE_SHIFT);
}

const struct mmu_format mmu_format_2 = {
	.name = "format 2",
	.levels = 5,
	.level = {
		{ 47, 2, 8 }, { 38, 9, 8 }, { 29, 9, 8 }, { 21, 8, 16 },
		{ 12, 9, 8 },
	},
	.inst_flags = REG_VAL(NV_RAMIN_USE_VER2_PT_FORMAT, 1) |
		      REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1),
	.pde = mmu2_pde,
	.pte = mmu2_pte,
};
