/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Units on, interrupts off [§5.1], [§5.2].
 *
 * PMC_ENABLE holds a bit per unit; taking one from 0 to 1 resets the unit.
 * We reset Host and our copy engine, whatever the last driver left in them,
 * and leave every other bit alone: with memory controller, L2 or hub reset
 * there would be no video memory.
 */
#include "device.h"

static u32 unit_bits(const struct gpu *gpu)
{
	u32 bits = REG_VAL(NV_PMC_ENABLE_PFIFO, 1);

	if (gpu->copy.has_reset)
		bits |= BIT(gpu->copy.reset_bit);
	return bits;
}

int gpu_units_enable(struct gpu *gpu)
{
	u32 bits;
	int err;

	gpu->chip->interrupts_off(gpu);
	err = engines_find_copy(gpu, &gpu->copy);
	if (err)
		return err;

	bits = unit_bits(gpu);
	gpu_mask32(gpu, NV_PMC_ENABLE, bits, 0);
	gpu_rd32(gpu, NV_PMC_ENABLE);	/* off has arrived, now on */
	gpu_mask32(gpu, NV_PMC_ENABLE, 0, bits);
	if ((gpu_rd32(gpu, NV_PMC_ENABLE) & bits) != bits)
		return -ETIMEDOUT;
	return gpu_is_lost(gpu) ? -ENODEV : 0;
}

void gpu_units_disable(struct gpu *gpu)
{
	gpu_mask32(gpu, NV_PMC_ENABLE, unit_bits(gpu), 0);
	gpu_rd32(gpu, NV_PMC_ENABLE);
}
