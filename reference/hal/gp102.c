/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GP102: Tesla P40. */
#include "reference/kmd/device.h"

/*
 * GP102 tells its size in one register, as magnitude and scale.  With ECC on,
 * the check bits live in the same memory and take one part in sixteen [§5.6].
 */
static u64 gp102_vram_size(struct gpu *gpu)
{
	u32 range = gpu_rd32(gpu, NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE);
	u64 size = (u64)REG_GET(
		NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_MAG, range) <<
		(REG_GET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_SCALE,
			 range) + 20);

	if (REG_GET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_ECC_MODE, range))
		size = size / 16 * 15;
	return size;
}

const struct chip chip_gp102 = {
	.name = "GP102",
	.chipset = 0x132,
	.copy_class = PASCAL_DMA_COPY_B,
	.dma_bits = 47,
	.tsg = true,
	.wide_pdb = true,
	.auth_level = true,
	.mmu = &mmu_format_2,
	.interrupts_off = pascal_interrupts_off,
	.vram_size = gp102_vram_size,
};
