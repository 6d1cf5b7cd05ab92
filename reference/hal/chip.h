/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What differs between the chips: facts, and the few things that are done
 * differently.  One constant struct a chip; no code elsewhere asks which
 * chip it is.
 */
#ifndef HAL_CHIP_H
#define HAL_CHIP_H

#include "port.h"
#include "mmu.h"

struct gpu;

struct chip {
	const char *name;
	u32 chipset;			/* BOOT_0 bits 28:20		*/
	u32 copy_class;
	unsigned int dma_bits;		/* width of a bus address	*/
	bool tsg;			/* channels in TSGs [§8.2]	*/
	bool wide_pdb;			/* has the upper PDB register	*/
	bool auth_level;		/* a channel's rights: CONFIG	*/
	const struct mmu_format *mmu;

	/* Every interrupt off at the top of the tree [§5.2]. */
	void (*interrupts_off)(struct gpu *gpu);
	/* Bytes of usable video memory [§5.6]; nonsense on a lost card. */
	u64 (*vram_size)(struct gpu *gpu);
};

extern const struct chip chip_gm200, chip_gp100, chip_gp102;

/* NULL: not one of ours. */
const struct chip *chip_find(u32 chipset);

/* Shared by chips. */
void pascal_interrupts_off(struct gpu *gpu);
/* Add up the memory behind each FBPA; their registers begin at base. */
u64 fbpa_vram_size(struct gpu *gpu, u32 base, u32 stride);

#endif
