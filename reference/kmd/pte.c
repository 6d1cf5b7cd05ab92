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

/* The low bit of a field in the upper half of a 16-byte entry. */
#define UPPER(field)	(REG_FIELD_LO(field) - 64)

/* LAB 02: the entry of a page, format 1: NV_MMU_PTE. */
static u64 format1_page(enum mmu_aperture aperture, u64 addr, u32 flags)
{
	static const u8 code[] = {
		[MMU_VRAM] = NV_MMU_PTE_APERTURE_VIDEO_MEMORY,
		[MMU_SYS_COHERENT] =
			NV_MMU_PTE_APERTURE_SYSTEM_COHERENT_MEMORY,
		[MMU_SYS_NONCOHERENT] =
			NV_MMU_PTE_APERTURE_SYSTEM_NON_COHERENT_MEMORY,
	};

	return REG_VAL(NV_MMU_PTE_VALID, 1) |
	       REG_SET(NV_MMU_PTE_PRIVILEGE, !!(flags & VAS_PRIVILEGED)) |
	       REG_SET(NV_MMU_PTE_READ_ONLY, !!(flags & VAS_READ_ONLY)) |
	       REG_SET(NV_MMU_PTE_VOL, !!(flags & VAS_VOLATILE)) |
	       REG_SET(NV_MMU_PTE_APERTURE, code[aperture]) |
	       REG_SET(NV_MMU_PTE_ADDRESS_SYS, addr >> 12);
}

/* LAB 02: the entry of a directory, format 1: NV_MMU_PDE, both halves. */
static void format1_directory(u32 level, u64 big, u64 small, u64 entry[2])
{
	(void)level;		/* there is one */
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

/* LAB 02: the entry of a page, format 2: NV_MMU_VER2_PTE. */
static u64 format2_page(enum mmu_aperture aperture, u64 addr, u32 flags)
{
	static const u8 code[] = {
		[MMU_VRAM] = NV_MMU_VER2_PTE_APERTURE_VIDEO_MEMORY,
		[MMU_SYS_COHERENT] =
			NV_MMU_VER2_PTE_APERTURE_SYSTEM_COHERENT_MEMORY,
		[MMU_SYS_NONCOHERENT] =
			NV_MMU_VER2_PTE_APERTURE_SYSTEM_NON_COHERENT_MEMORY,
	};

	return REG_VAL(NV_MMU_VER2_PTE_VALID, 1) |
	       REG_SET(NV_MMU_VER2_PTE_APERTURE, code[aperture]) |
	       REG_SET(NV_MMU_VER2_PTE_VOL, !!(flags & VAS_VOLATILE)) |
	       REG_SET(NV_MMU_VER2_PTE_PRIVILEGE, !!(flags & VAS_PRIVILEGED)) |
	       REG_SET(NV_MMU_VER2_PTE_READ_ONLY, !!(flags & VAS_READ_ONLY)) |
	       REG_SET(NV_MMU_VER2_PTE_ADDRESS_SYS, addr >> 12);
}

/* LAB 02: both halves of NV_MMU_VER2_DUAL_PDE; their shifts differ. */
static void format2_dual(u64 big, u64 small, u64 entry[2])
{
	entry[0] = 0;
	entry[1] = 0;
	if (big)
		entry[0] = REG_VAL(NV_MMU_VER2_DUAL_PDE_APERTURE_BIG, 1) |
			REG_SET(NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_SYS,
				big >> 8);
	if (small)
		entry[1] = 1ULL << UPPER(
				NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL) |
			small >> 12 << UPPER(
				NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_SYS);
}

/*
 * LAB 02: the entry of a directory, format 2: NV_MMU_VER2_PDE, or in the last
 * directory, level 3, NV_MMU_VER2_DUAL_PDE.
 */
static void format2_directory(u32 level, u64 big, u64 small, u64 entry[2])
{
	if (level == 3) {
		format2_dual(big, small, entry);
		return;
	}
	entry[0] = 0;
	entry[1] = 0;
	if (small)
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
