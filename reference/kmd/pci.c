/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Configuration space: is there a card, and may it be reached and reach out?
 * [§3.1], [§7.5]
 *
 * Firmware turns memory decoding on; bus mastering is the driver's to turn on
 * and, so that a card without a driver cannot touch memory, off again.
 */
#include "device.h"

#define EXT_CAP_FIRST	0x100u
#define EXT_CAP_VENDOR	0x000bu
#define EXT_CAPS_MAX	64		/* a chain without end is no chain */
#define ADDITIONS_ID	0x0d0bu

static void __iomem *pci_at(struct gpu *gpu, u32 offset)
{
	return (char __iomem *)gpu->bus->bar[GPU_CONFIG] + offset;
}

int gpu_pci_enable(struct gpu *gpu)
{
	u32 id = readl(pci_at(gpu, NV_XVE_ID));
	u32 command;

	/* All ones: no device answers. */
	if (REG_GET(NV_XVE_ID_VENDOR, id) != NV_XVE_ID_VENDOR_NVIDIA)
		return -ENODEV;

	command = readl(pci_at(gpu, NV_XVE_DEV_CTRL));
	if (command == 0xffffffff)
		return -ENODEV;
	/* The upper half is status, where writing 1 clears: write zeros. */
	gpu->pci_command = command & 0xffff;
	writel(gpu->pci_command |
	       REG_VAL(NV_XVE_DEV_CTRL_CMD_MEMORY_SPACE, 1) |
	       REG_VAL(NV_XVE_DEV_CTRL_CMD_BUS_MASTER, 1),
	       pci_at(gpu, NV_XVE_DEV_CTRL));
	return 0;
}

void gpu_pci_disable(struct gpu *gpu)
{
	writel(gpu->pci_command, pci_at(gpu, NV_XVE_DEV_CTRL));
	/* The write has arrived when the read returns [§2.2]. */
	readl(pci_at(gpu, NV_XVE_DEV_CTRL));
}

u32 gpu_config_rd32(struct gpu *gpu, u32 offset)
{
	return readl(pci_at(gpu, offset));
}

void gpu_config_wr32(struct gpu *gpu, u32 offset, u32 value)
{
	writel(value, pci_at(gpu, offset));
}

/* The vendor-specific capability that announces additions, and no other. */
static bool is_additions(struct gpu *gpu, u32 at, u32 header)
{
	if ((header & 0xffff) != EXT_CAP_VENDOR)
		return false;
	return REG_GET(NV_XVE_ADDITION_HDR1_ID,
		       gpu_config_rd32(gpu, at + 4)) == ADDITIONS_ID;
}

u32 gpu_additions(struct gpu *gpu)
{
	u32 at = EXT_CAP_FIRST;

	for (int i = 0; at >= EXT_CAP_FIRST && i < EXT_CAPS_MAX; i++) {
		u32 header = gpu_config_rd32(gpu, at);

		if (header == 0xffffffff)
			return 0;
		if (is_additions(gpu, at, header))
			return gpu_rd32(gpu, NV_ADDITION_FEATURES);
		at = header >> 20 & 0xffc;
	}
	return 0;
}
