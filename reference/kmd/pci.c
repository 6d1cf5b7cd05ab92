/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Configuration space: is there a card, and may it be reached and reach out?
 * [§3.1], [§7.5]
 *
 * Firmware turns memory decoding on; bus mastering is the driver's to turn on
 * and, so that a card without a driver cannot touch memory, off again.
 *
 * Linux does not map configuration space, so there is no readl() of it: the
 * bus is asked, in the order that readl() and writel() would keep [§4.3].
 */
#include "device.h"

/* PCI Express: a header of an extended capability. */
#define EXT_CAP_FIRST	0x100u
#define EXT_CAP_ID(header)	((header) & 0xffff)
#define EXT_CAP_NEXT(header)	((header) >> 20 & 0xffc)
#define EXT_CAP_VENDOR	0x000bu
#define EXT_CAPS_MAX	64		/* a chain without end is no chain */
#define ADDITIONS_ID	0x0d0bu

u32 gpu_config_rd32(struct gpu *gpu, u32 offset)
{
	u32 value = gpu->bus->ops->read(gpu->bus, GPU_CONFIG, offset, 4);

	dma_rmb();
	return value;
}

void gpu_config_wr32(struct gpu *gpu, u32 offset, u32 value)
{
	dma_wmb();
	gpu->bus->ops->write(gpu->bus, GPU_CONFIG, offset, 4, value);
}

int gpu_pci_enable(struct gpu *gpu)
{
	u32 id = gpu_config_rd32(gpu, NV_XVE_ID);
	u32 command;

	/* All ones: no device answers. */
	if (REG_GET(NV_XVE_ID_VENDOR, id) != NV_XVE_ID_VENDOR_NVIDIA)
		return -ENODEV;

	command = gpu_config_rd32(gpu, NV_XVE_DEV_CTRL);
	if (command == 0xffffffff)
		return -ENODEV;
	/* The upper half is status, where writing 1 clears: write zeros. */
	gpu->pci_command = command & 0xffff;
	gpu_config_wr32(gpu, NV_XVE_DEV_CTRL, gpu->pci_command |
			REG_VAL(NV_XVE_DEV_CTRL_CMD_MEMORY_SPACE, 1) |
			REG_VAL(NV_XVE_DEV_CTRL_CMD_BUS_MASTER, 1));
	return 0;
}

void gpu_pci_disable(struct gpu *gpu)
{
	gpu_config_wr32(gpu, NV_XVE_DEV_CTRL, gpu->pci_command);
	/* The write has arrived when the read returns [§2.2]. */
	gpu_config_rd32(gpu, NV_XVE_DEV_CTRL);
}

u32 gpu_find_ext_cap(struct gpu *gpu, u32 after, u32 id)
{
	u32 at = EXT_CAP_FIRST;

	if (after)
		at = EXT_CAP_NEXT(gpu_config_rd32(gpu, after));
	for (int i = 0; at >= EXT_CAP_FIRST && i < EXT_CAPS_MAX; i++) {
		u32 header = gpu_config_rd32(gpu, at);

		if (header == 0 || header == 0xffffffff)
			return 0;
		if (EXT_CAP_ID(header) == id)
			return at;
		at = EXT_CAP_NEXT(header);
	}
	return 0;
}

/* Of the vendor's capabilities one announces additions. */
u32 gpu_additions(struct gpu *gpu)
{
	u32 at = 0;

	for (int i = 0; i < EXT_CAPS_MAX; i++) {
		at = gpu_find_ext_cap(gpu, at, EXT_CAP_VENDOR);
		if (!at)
			return 0;
		if (REG_GET(NV_XVE_ADDITION_HDR1_ID,
			    gpu_config_rd32(gpu, at + 4)) == ADDITIONS_ID)
			return gpu_rd32(gpu, NV_ADDITION_FEATURES);
	}
	return 0;
}
