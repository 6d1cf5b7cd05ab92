/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Configuration space: is there a card, and may it be reached and reach out?
 * [§3.1], [§7.5]
 *
 * Firmware turns memory decoding on; bus mastering is the driver's to turn on
 * and, so that a card without a driver cannot touch memory, off again.
 */
#include "device.h"

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
