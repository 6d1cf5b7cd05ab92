/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Video memory: how much there is [§5.6], and who has which page.
 *
 * The ends are not ours.  Firmware and VBIOS keep data in the first part, and
 * the last megabytes hold regions that the card protects.
 */
#include "device.h"

#define VRAM_KEEP_LOW	(2ULL << 20)
#define VRAM_KEEP_HIGH	(16ULL << 20)

int gpu_vram_init(struct gpu *gpu)
{
	u64 size = gpu->chip->vram_size(gpu);

	if (size <= VRAM_KEEP_LOW + VRAM_KEEP_HIGH || size >= 1ULL << 40)
		return -ENODEV;
	extents_init(&gpu->vram, VRAM_KEEP_LOW, size - VRAM_KEEP_HIGH);
	return 0;
}

void gpu_vram_fini(struct gpu *gpu)
{
	extents_fini(&gpu->vram);
}

int vram_alloc(struct gpu *gpu, u64 size, u64 align, u64 *addr)
{
	return extents_alloc(&gpu->vram, ALIGN(size, MMU_PAGE), align, addr);
}

void vram_free(struct gpu *gpu, u64 addr)
{
	extents_free(&gpu->vram, addr);
}

int gpu_vram_alloc(struct gpu *gpu, u64 size, u64 *addr)
{
	int err;

	/* Rounding up would make it zero. */
	if (size > gpu->vram.limit)
		return -ENOMEM;
	mutex_lock(&gpu->lock);
	err = vram_alloc(gpu, size, MMU_PAGE, addr);
	mutex_unlock(&gpu->lock);
	return err;
}

void gpu_vram_free(struct gpu *gpu, u64 addr)
{
	mutex_lock(&gpu->lock);
	vram_free(gpu, addr);
	mutex_unlock(&gpu->lock);
}

u64 gpu_vram_end(const struct gpu *gpu)
{
	return gpu->vram.limit;
}
