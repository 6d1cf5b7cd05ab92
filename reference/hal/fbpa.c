/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The size of video memory on chips that do not tell it in one register
 * [§5.6]: the sum over the memory partitions that the fuses left in place.
 */
#include "reference/kmd/device.h"

u64 fbpa_vram_size(struct gpu *gpu, u32 base, u32 stride)
{
	u32 fbps = min(gpu_rd32(gpu, NV_PTOP_SCAL_NUM_FBPS), 32u);
	u32 per_fbp = min(gpu_rd32(gpu, NV_PTOP_SCAL_NUM_FBPA_PER_FBP), 32u);
	u32 fbp_off = gpu_rd32(gpu, NV_FUSE_STATUS_OPT_FBP);
	u32 fbpa_off = gpu_rd32(gpu, NV_FUSE_STATUS_OPT_FBPA);
	u64 mib = 0;

	for (u32 fbp = 0; fbp < fbps; fbp++) {
		if (fbp_off & BIT(fbp))
			continue;
		for (u32 i = 0; i < per_fbp; i++) {
			u32 fbpa = fbp * per_fbp + i;

			if (fbpa < 32 && !(fbpa_off & BIT(fbpa)))
				mib += gpu_rd32(gpu, base + stride * fbpa);
		}
	}
	return mib << 20;
}
