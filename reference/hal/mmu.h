/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Page-table formats [§6.4]. */
#ifndef HAL_MMU_H
#define HAL_MMU_H

#include "gpu.h"

#define MMU_LEVELS_MAX	5
#define MMU_PAGE_SHIFT	12
#define MMU_PAGE	(1ULL << MMU_PAGE_SHIFT)

/* The entries of a level translate these bits of an address. */
struct mmu_level {
	u8 shift, bits;
	u8 entry_size;		/* bytes */
};

struct mmu_format {
	const char *name;
	u8 levels;
	struct mmu_level level[MMU_LEVELS_MAX];	/* the root first */
	u32 inst_flags;		/* how an instance block announces it */

	/* Entry of the given level for the table at addr in video memory. */
	void (*pde)(unsigned int level, u64 addr, u64 entry[2]);
	/* Entry for a 4 KiB page. */
	u64 (*pte)(enum mmu_aperture aperture, u64 addr);
};

extern const struct mmu_format mmu_format_1, mmu_format_2;

/* Index into a level's table. */
static inline u32 mmu_index(const struct mmu_level *level, u64 va)
{
	return va >> level->shift & ((1ULL << level->bits) - 1);
}

#endif
