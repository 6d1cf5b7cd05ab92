/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GP100: Tesla P100. */
#include "reference/kmd/device.h"

static u64 gp100_vram_size(struct gpu *gpu)
{
	return fbpa_vram_size(gpu, NV_PFB_GP100_FBPA_AMOUNT,
			      NV_PFB_GP100_FBPA_AMOUNT__STRIDE);
}

const struct chip chip_gp100 = {
	.name = "GP100",
	.chipset = 0x130,
	.copy_class = PASCAL_DMA_COPY_A,
	.dma_bits = 47,
	.tsg = true,
	.wide_pdb = true,
	.auth_level = true,
	.mmu = &mmu_format_2,
	.interrupts_off = pascal_interrupts_off,
	.vram_size = gp100_vram_size,
};
