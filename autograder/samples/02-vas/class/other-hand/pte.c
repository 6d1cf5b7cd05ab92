/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Entries of page tables, in both formats [§6.4].
 *
 * Format 1, Maxwell: one directory of 64 MiB entries, and below each entry a
 * table of big pages and one of small ones.  Format 2, Pascal: four levels of
 * directories; the last has entries of 16 bytes, for two tables or, if the
 * first bit says so, for a page of 2 MiB.
 *
 * Three things to mind.  Apertures are coded twice: in an entry that points
 * to a table video memory is 1, since 0 says that there is no table; in a
 * page's entry it is 0, and the valid bit is another.  The two halves of a
 * dual entry name their tables with different shifts.  And fields of a
 * 16-byte entry count bits over all 128.
 *
 * An entry is only ever made whole: the card may read it at any time.
 */
#include "pte.h"
#include "vas.h"
#include "vm/spec/reg.h"

/* A field of the second word of a 16-byte entry. */
#define SET_UPPER(field, value) \
	(((u64)(value) & REG_FIELD_MAX(field)) << (REG_FIELD_LO(field) - 64))

/* What a page's entry calls a memory; other numbers than ours, on purpose. */
static const u8 page_aperture[] = {
	[MMU_VRAM] = NV_MMU_VER2_PTE_APERTURE_VIDEO_MEMORY,
	[MMU_SYS_COHERENT] = NV_MMU_VER2_PTE_APERTURE_SYSTEM_COHERENT_MEMORY,
	[MMU_SYS_NONCOHERENT] =
		NV_MMU_VER2_PTE_APERTURE_SYSTEM_NON_COHERENT_MEMORY,
};

/* The codes are the same in both formats; their places are not. */
static u64 format1_page(enum mmu_aperture aperture, u64 addr, u32 flags)
{
	return REG_VAL(NV_MMU_PTE_VALID, 1) |
	       REG_SET(NV_MMU_PTE_APERTURE, page_aperture[aperture]) |
	       REG_SET(NV_MMU_PTE_ADDRESS_SYS, addr >> 12) |
	       REG_SET(NV_MMU_PTE_READ_ONLY, !!(flags & VAS_READ_ONLY)) |
	       REG_SET(NV_MMU_PTE_VOL, !!(flags & VAS_VOLATILE)) |
	       REG_SET(NV_MMU_PTE_PRIVILEGE, !!(flags & VAS_PRIVILEGED));
}

static void format1_directory(u32 level, u64 big, u64 small, u64 entry[2])
{
	(void)level;
	entry[0] = 0;
	entry[1] = 0;
	if (big)
		entry[0] |= REG_VAL(NV_MMU_PDE_APERTURE_BIG,
				    NV_MMU_PDE_APERTURE_BIG_VIDEO_MEMORY) |
			    REG_SET(NV_MMU_PDE_ADDRESS_BIG_SYS, big >> 12);
	if (small)
		entry[0] |= REG_VAL(NV_MMU_PDE_APERTURE_SMALL,
				    NV_MMU_PDE_APERTURE_SMALL_VIDEO_MEMORY) |
			    REG_SET(NV_MMU_PDE_ADDRESS_SMALL_SYS, small >> 12);
}

static u64 format2_page(enum mmu_aperture aperture, u64 addr, u32 flags)
{
	return REG_VAL(NV_MMU_VER2_PTE_VALID, 1) |
	       REG_SET(NV_MMU_VER2_PTE_APERTURE, page_aperture[aperture]) |
	       REG_SET(NV_MMU_VER2_PTE_ADDRESS_SYS, addr >> 12) |
	       REG_SET(NV_MMU_VER2_PTE_READ_ONLY, !!(flags & VAS_READ_ONLY)) |
	       REG_SET(NV_MMU_VER2_PTE_VOL, !!(flags & VAS_VOLATILE)) |
	       REG_SET(NV_MMU_VER2_PTE_PRIVILEGE, !!(flags & VAS_PRIVILEGED));
}

/* Big tables are 256 bytes: their address loses 8 bits, a small one's 12. */
static void format2_dual(u64 big, u64 small, u64 entry[2])
{
	if (big)
		entry[0] = REG_VAL(NV_MMU_VER2_DUAL_PDE_APERTURE_BIG,
				   NV_MMU_VER2_PDE_APERTURE_VIDEO_MEMORY) |
			   REG_SET(NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_SYS,
				   big >> 8);
	if (small)
		entry[1] = SET_UPPER(NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL,
				     NV_MMU_VER2_PDE_APERTURE_VIDEO_MEMORY) |
			   SET_UPPER(NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_SYS,
				     small >> 12);
}

static void format2_directory(u32 level, u64 big, u64 small, u64 entry[2])
{
	entry[0] = 0;
	entry[1] = 0;
	if (level == 3)
		format2_dual(big, small, entry);
	else if (small)
		entry[0] = REG_VAL(NV_MMU_VER2_PDE_APERTURE,
				   NV_MMU_VER2_PDE_APERTURE_VIDEO_MEMORY) |
			   REG_SET(NV_MMU_VER2_PDE_ADDRESS_SYS, small >> 12);
}

const struct pte_format *pte_format(u32 number)
{
	/* Maxwell's big pages are of 64 KiB because we say so [§8.1]. */
	static const struct pte_format format1 = {
		.va_bits = 40,
		.directories = 1,
		.address_bit = REG_FIELD_LO(NV_MMU_PTE_ADDRESS_SYS),
		.instance = REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1),
		.level = { { 26, 14, 8 }, { 16, 10, 8 }, { 12, 14, 8 } },
		.page = format1_page,
		.directory = format1_directory,
	};
	static const struct pte_format format2 = {
		.va_bits = 49,
		.directories = 4,
		.huge = true,
		.address_bit = REG_FIELD_LO(NV_MMU_VER2_PTE_ADDRESS_SYS),
		.instance = REG_VAL(NV_RAMIN_USE_VER2_PT_FORMAT, 1) |
			    REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1),
		.level = {
			{ 47, 2, 8 }, { 38, 9, 8 }, { 29, 9, 8 },
			{ 21, 8, 16 }, { 16, 5, 8 }, { 12, 9, 8 },
		},
		.page = format2_page,
		.directory = format2_directory,
	};

	return number == 1 ? &format1 : &format2;
}
