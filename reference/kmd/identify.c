/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which chip is it, and has its firmware run? [§5.1]
 *
 * A card that has not been POSTed has untrained memory: its registers answer,
 * its video memory does not.  What trains it is signed by NVIDIA and lives in
 * the card's own ROM, so we refuse the card and say why.
 */
#include "device.h"

/* A word well clear of what firmware keeps in the first megabyte. */
#define PROBE_ADDR	0x100000ULL

/* The register ring answers 0xbadfXXXX or 0xbad0XXXX when it fails. */
static bool is_error_pattern(u32 value)
{
	return value == 0xffffffff || value >> 16 == 0xbadf ||
		value >> 16 == 0xbad0;
}

static int check_vram_answers(struct gpu *gpu)
{
	u32 saved = pramin_rd32(gpu, PROBE_ADDR);
	u32 seen[2];

	pramin_wr32(gpu, PROBE_ADDR, 0x5aa5c33c);
	seen[0] = pramin_rd32(gpu, PROBE_ADDR);
	pramin_wr32(gpu, PROBE_ADDR, ~0x5aa5c33cu);
	seen[1] = pramin_rd32(gpu, PROBE_ADDR);
	pramin_wr32(gpu, PROBE_ADDR, saved);

	if (seen[0] == 0x5aa5c33c && seen[1] == ~0x5aa5c33cu)
		return 0;
	return gpu_is_lost(gpu) ? -ENODEV : -ENXIO;
}

int gpu_identify(struct gpu *gpu)
{
	u32 boot = gpu_rd32(gpu, NV_PMC_BOOT_0);
	u32 scratch;

	if (is_error_pattern(boot))
		return -ENODEV;
	gpu->chip = chip_find(REG_GET(NV_PMC_BOOT_0_CHIPSET, boot));
	if (!gpu->chip) {
		pr_err("%s: no driver for BOOT_0 %08x\n", gpu->bus->name,
		       boot);
		return -ENODEV;
	}

	scratch = gpu_rd32(gpu, NV_PTOP_SCRATCH1);
	if (is_error_pattern(scratch))
		return -ENODEV;
	if (!REG_GET(NV_PTOP_SCRATCH1_DEVINIT_COMPLETED, scratch)) {
		pr_info("%s: not POSTed: its firmware has not run\n",
			gpu->bus->name);
		return -ENXIO;
	}
	return check_vram_answers(gpu);
}
