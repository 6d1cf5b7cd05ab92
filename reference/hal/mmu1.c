/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Page tables, format 1: Maxwell [§6.4].
 *
 * A directory whose entries cover 64 MiB each, and tables of 4 KiB pages (the
 * tables of big pages beside them stay unused).  Mind the two apertures: in a
 * directory entry video memory is 1, since 0 says that there is no table; in
 * a page's entry it is 0.
 */
#include "mmu.h"
#include "vm/spec/reg.h"

static void mmu1_pde(unsigned int level, u64 addr, u64 entry[2])
{
	(void)level;
	entry[0] = REG_SET(NV_MMU_PDE_APERTURE_SMALL,
			   NV_MMU_PDE_APERTURE_SMALL_VIDEO_MEMORY) |
		   REG_SET(NV_MMU_PDE_ADDRESS_SMALL_SYS,
			   addr >> MMU_PAGE_SHIFT);
}

static u64 mmu1_pte(enum mmu_aperture aperture, u64 addr)
{
	static const u8 code[] = {
		[MMU_VRAM] = NV_MMU_PTE_APERTURE_VIDEO_MEMORY,
		[MMU_SYS_COHERENT] =
			NV_MMU_PTE_APERTURE_SYSTEM_COHERENT_MEMORY,
		[MMU_SYS_NONCOHERENT] =
			NV_MMU_PTE_APERTURE_SYSTEM_NON_COHERENT_MEMORY,
	};

	return REG_VAL(NV_MMU_PTE_VALID, 1ULL) |
	       REG_SET(NV_MMU_PTE_APERTURE, code[aperture]) |
	       REG_SET(NV_MMU_PTE_ADDRESS_SYS, addr >> MMU_PAGE_SHIFT);
}

const struct mmu_format mmu_format_1 = {
	.name = "format 1",
	.levels = 2,
	.level = { { 26, 14, 8 }, { 12, 14, 8 } },
	.inst_flags = REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1),
	.pde = mmu1_pde,
	.pte = mmu1_pte,
};
