/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What GP100 and GP102 have in common. */
#include "reference/kmd/device.h"

/* Pascal enables and disables by writing ones to two registers, so that two
 * CPUs cannot undo each other's change [§5.2]. */
void pascal_interrupts_off(struct gpu *gpu)
{
	gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN_CLEAR, 0), 0xffffffff);
	gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN_CLEAR, 1), 0xffffffff);
}
