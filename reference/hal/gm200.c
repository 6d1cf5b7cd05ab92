/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GM200: Tesla M40. */
#include "reference/kmd/device.h"

/* Maxwell has one enable register a tree, plain to write [§5.2]. */
static void gm200_interrupts_off(struct gpu *gpu)
{
	gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN, 0), 0);
	gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN, 1), 0);
}

static u64 gm200_vram_size(struct gpu *gpu)
{
	return fbpa_vram_size(gpu, NV_PFB_GM200_FBPA_AMOUNT,
			      NV_PFB_GM200_FBPA_AMOUNT__STRIDE);
}

const struct chip chip_gm200 = {
	.name = "GM200",
	.chipset = 0x120,
	.copy_class = MAXWELL_DMA_COPY_A,
	.dma_bits = 40,
	.mmu = &mmu_format_1,
	.interrupts_off = gm200_interrupts_off,
	.vram_size = gm200_vram_size,
};
