/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Host on: its PBDMAs, its runlist, and the window through which it hears of
 * new work [§7.1], [§7.4], [§8.3].
 *
 * On these chips there is no doorbell register.  The USERD array is mapped in
 * BAR1, Host is told where, and it watches CPU writes to that range go by.
 */
#include "device.h"

#define USERD_SIZE	((u64)HOST_CHANNELS * NV_RAMUSERD_CHAN_SIZE)
_Static_assert(USERD_SIZE == GPU_BAR1_USERD, "all USERDs, and nothing else");

/* INTR_STALL bits that nouveau clears too: bit 8 stays masked in EN_0. */
#define PBDMA_NO_STALL	0x10000100u
#define PBDMA_INTR_EN	0xfffffeffu

/* Read, then clear exactly that [§5.2].  What was pending. */
static u32 pbdma_clear_errors(struct gpu *gpu, u32 i)
{
	u32 intr_0 = gpu_rd32(gpu, REG_AT(NV_PPBDMA_INTR_0, i));
	u32 intr_1 = gpu_rd32(gpu, REG_AT(NV_PPBDMA_INTR_1, i));

	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_1, i), intr_1);
	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_0, i), intr_0);
	return intr_0 | intr_1;
}

/* An interrupt handler masks a PBDMA that it leaves to work. */
static void pbdma_listen(struct gpu *gpu, u32 i)
{
	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_0, i), PBDMA_INTR_EN);
	gpu_wr32(gpu, REG_AT(NV_PPBDMA_INTR_EN_1, i), 0xffffffff);
}

bool gpu_host_clear_errors(struct gpu *gpu)
{
	u32 seen = 0;

	for (u32 i = 0; i < NV_PFIFO_PBDMA_MAP__SIZE_1; i++) {
		if (!(gpu->pbdmas & BIT(i)))
			continue;
		seen |= pbdma_clear_errors(gpu, i);
		pbdma_listen(gpu, i);
	}
	return seen;
}

static void pbdma_init(struct gpu *gpu, u32 i)
{
	gpu_mask32(gpu, REG_AT(NV_PPBDMA_INTR_STALL, i), PBDMA_NO_STALL, 0);
	pbdma_clear_errors(gpu, i);	/* the last owner's */
	pbdma_listen(gpu, i);
}

/* The PBDMAs that serve our runlist, switched on. */
static int pbdmas_init(struct gpu *gpu)
{
	u32 count = REG_GET(NV_PFIFO_CFG0_NUM_PBDMA,
			    gpu_rd32(gpu, NV_PFIFO_CFG0));

	gpu->pbdmas = 0;
	if (count > NV_PFIFO_PBDMA_MAP__SIZE_1)
		return -ENODEV;
	for (u32 i = 0; i < count; i++) {
		u32 map = gpu_rd32(gpu, REG_AT(NV_PFIFO_PBDMA_MAP, i));

		if (map & BIT(gpu->copy.runlist))
			gpu->pbdmas |= BIT(i);
	}
	if (!gpu->pbdmas)
		return -ENODEV;

	gpu_mask32(gpu, NV_PMC_ENABLE_PB, 0, gpu->pbdmas);
	for (u32 i = 0; i < count; i++) {
		if (gpu->pbdmas & BIT(i))
			pbdma_init(gpu, i);
	}
	return 0;
}

static void pbdmas_fini(struct gpu *gpu)
{
	gpu_mask32(gpu, NV_PMC_ENABLE_PB, gpu->pbdmas, 0);
}

static int userd_init(struct gpu *gpu)
{
	int err;

	/* The first in BAR1, so at its beginning, as gpu_bus.h says. */
	err = vram_alloc(gpu, USERD_SIZE, MMU_PAGE, &gpu->userd);
	if (err)
		return err;
	err = kspace_map(&gpu->bar1, MMU_VRAM, gpu->userd, USERD_SIZE,
			 &gpu->userd_bar1);
	if (err)
		goto free_vram;
	gpu_wr32(gpu, NV_PFIFO_BAR1_BASE,
		 REG_VAL(NV_PFIFO_BAR1_BASE_VALID, 1) |
		 REG_SET(NV_PFIFO_BAR1_BASE_PTR, gpu->userd_bar1 >> 12));
	return 0;

free_vram:
	vram_free(gpu, gpu->userd);
	return err;
}

static void userd_fini(struct gpu *gpu)
{
	gpu_wr32(gpu, NV_PFIFO_BAR1_BASE, 0);
	kspace_unmap(&gpu->bar1, gpu->userd_bar1, USERD_SIZE);
	vram_free(gpu, gpu->userd);
}

int gpu_host_init(struct gpu *gpu)
{
	int err;

	err = pbdmas_init(gpu);
	if (err)
		return err;
	err = userd_init(gpu);
	if (err)
		goto fini_pbdmas;
	err = gpu_runlist_init(gpu);
	if (err)
		goto fini_userd;

	/* We poll: sources stay readable, none reaches the CPU. */
	gpu_wr32(gpu, NV_PFIFO_INTR_EN_0, 0);
	gpu_wr32(gpu, NV_PFIFO_INTR_0, gpu_rd32(gpu, NV_PFIFO_INTR_0));
	if (gpu_is_lost(gpu)) {
		err = -ENODEV;
		goto fini_runlist;
	}
	return 0;

fini_runlist:
	gpu_runlist_fini(gpu);
fini_userd:
	userd_fini(gpu);
fini_pbdmas:
	pbdmas_fini(gpu);
	return err;
}

void gpu_host_fini(struct gpu *gpu)
{
	gpu_runlist_fini(gpu);
	userd_fini(gpu);
	pbdmas_fini(gpu);
}
