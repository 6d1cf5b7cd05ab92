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
	return 0;
}

/* LAB 02: the entry of a directory, format 1: NV_MMU_PDE, both halves. */
static void format1_directory(u32 level, u64 big, u64 small, u64 entry[2])
{
}

/* LAB 02: the entry of a page, format 2: NV_MMU_VER2_PTE. */
static u64 format2_page(enum mmu_aperture aperture, u64 addr, u32 flags)
{
	return 0;
}

/* LAB 02: both halves of NV_MMU_VER2_DUAL_PDE; their shifts differ. */
static void format2_dual(u64 big, u64 small, u64 entry[2])
{
}

/*
 * LAB 02: the entry of a directory, format 2: NV_MMU_VER2_PDE, or in the last
 * directory, level 3, NV_MMU_VER2_DUAL_PDE.
 */
static void format2_directory(u32 level, u64 big, u64 small, u64 entry[2])
{
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
