/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The card where it is at home: struct gpu_bus over Linux's PCI.
 *
 * A pointer into a BAR is here what ioremap() gave, so readl() and writel()
 * are Linux's own and no call of ours.  The BARs are mapped whole.  That
 * costs little even for 32 GiB: the kernel maps them in pages of 2 MiB, and
 * 128 KiB of tables are all that it takes.  But a kernel with KASAN keeps a
 * byte for every eight of them; there bar1_mib leaves most of BAR1 unused.
 *
 * BAR1 needs two kinds of mapping.  What lies there is memory, and wants
 * write combining; but a store to a channel's USERD is the doorbell, and must
 * neither wait nor be gathered.  A place may have one kind only: on x86 the
 * kernel keeps a list of them, and whoever maps a place again, user mode too,
 * gets what the list says.  USERDs are the first bytes of BAR1, the driver
 * never goes there, and so the driver's mapping begins behind them.
 *
 * Configuration space has no address at all.  Bus mastering is the driver's
 * to switch, by the same register as on any other bus.
 */
#include <linux/module.h>

#include "pci.h"

static uint bar1_mib;
module_param(bar1_mib, uint, 0444);
MODULE_PARM_DESC(bar1_mib, "how much of BAR1 to use, MiB (default 0: all)");

/* As PCI numbers them: a 64-bit BAR takes two. */
enum { BAR_REGISTERS = 0, BAR_MEMORY = 1, BAR_INSTANCE = 3 };

static u64 pci_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		    unsigned int size)
{
	struct pci_dev *pdev = to_bus_pci(bus)->pdev;
	u32 word = ~0u;
	u16 half = ~0;
	u8 byte = ~0;

	if (region != GPU_CONFIG)
		return ~0ULL;
	switch (size) {
	case 1:
		pci_read_config_byte(pdev, offset, &byte);
		return byte;
	case 2:
		pci_read_config_word(pdev, offset, &half);
		return half;
	default:
		pci_read_config_dword(pdev, offset, &word);
		return word;
	}
}

static void pci_write(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      unsigned int size, u64 value)
{
	struct pci_dev *pdev = to_bus_pci(bus)->pdev;

	if (region != GPU_CONFIG)
		return;
	switch (size) {
	case 1:
		pci_write_config_byte(pdev, offset, value);
		break;
	case 2:
		pci_write_config_word(pdev, offset, value);
		break;
	default:
		pci_write_config_dword(pdev, offset, value);
	}
}

static void pci_close(struct gpu_bus *bus);

/* The rest is what port.h has of Linux itself. */
static const struct gpu_bus_ops pci_ops = {
	.read = pci_read,
	.write = pci_write,
	.dma_alloc = pci_dma_alloc,
	.dma_free = pci_dma_free,
	.close = pci_close,
};

/* Interrupts ------------------------------------------------------------- */

int gpu_bus_irq(struct gpu_bus *bus)
{
	struct pci_dev *pdev = to_bus_pci(bus)->pdev;
	int err;

	if (!pci_device_is_present(pdev))
		return -ENODEV;
	if (!pdev->msi_cap)
		return -ENXIO;
	err = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI);
	if (err < 0)
		return err == -ENOMEM ? err : -ENOSPC;
	return pci_irq_vector(pdev, 0);
}

void gpu_bus_irq_release(struct gpu_bus *bus)
{
	pci_free_irq_vectors(to_bus_pci(bus)->pdev);
}

/* BARs ------------------------------------------------------------------- */

static void __iomem *bar_map(struct bus_pci *pci, enum gpu_region region,
			     int bar)
{
	resource_size_t size = pci_resource_len(pci->pdev, bar);
	void __iomem *at = size ?
		ioremap(pci_resource_start(pci->pdev, bar), size) : NULL;

	pci->bus.bar_size[region] = size;
	pci->bus.bar[region] = at;
	return at;
}

/* The pointer is one to the beginning, where nothing is mapped. */
static int bar1_map(struct bus_pci *pci)
{
	resource_size_t start = pci_resource_start(pci->pdev, BAR_MEMORY);
	resource_size_t size = pci_resource_len(pci->pdev, BAR_MEMORY);

	if (bar1_mib)
		size = min_t(u64, size, (u64)bar1_mib << 20);
	if (size <= GPU_BAR1_USERD)
		return -ENODEV;
	pci->bar1 = ioremap_wc(start + GPU_BAR1_USERD, size - GPU_BAR1_USERD);
	if (!pci->bar1)
		return -ENOMEM;
	pci->bus.bar[GPU_BAR1] = pci->bar1 - GPU_BAR1_USERD;
	pci->bus.bar_size[GPU_BAR1] = size;
	return 0;
}

static void bars_unmap(struct bus_pci *pci)
{
	iounmap(pci->bar1);
	iounmap(pci->bus.bar[GPU_BAR3]);
	iounmap(pci->bus.bar[GPU_BAR0]);
}

static int bars_map(struct bus_pci *pci)
{
	int err = -ENOMEM;

	if (!bar_map(pci, GPU_BAR0, BAR_REGISTERS) ||
	    !bar_map(pci, GPU_BAR3, BAR_INSTANCE))
		goto unmap;
	err = bar1_map(pci);
	if (err)
		goto unmap;
	pci->bus.bar_size[GPU_CONFIG] = pci->pdev->cfg_size;
	return 0;

unmap:
	bars_unmap(pci);
	return err;
}

/* Firmware that cannot place a BAR above 4 GiB leaves it out. */
static int bars_check(struct pci_dev *pdev)
{
	static const int bars[] = { BAR_REGISTERS, BAR_MEMORY, BAR_INSTANCE };

	for (u32 i = 0; i < ARRAY_SIZE(bars); i++) {
		if (pci_resource_len(pdev, bars[i]) &&
		    pci_resource_start(pdev, bars[i]))
			continue;
		pci_err(pdev, "BAR %d has no address: above-4G off?\n",
			bars[i]);
		return -ENODEV;
	}
	return 0;
}

/* Open and close --------------------------------------------------------- */

static int pci_take(struct bus_pci *pci, unsigned int dma_bits)
{
	struct pci_dev *pdev = pci->pdev;
	int err;

	err = bars_check(pdev);
	if (err)
		return err;
	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(dma_bits));
	if (err)
		goto disable;
	err = pci_request_mem_regions(pdev, KBUILD_MODNAME);
	if (err)
		goto disable;
	err = bars_map(pci);
	if (err)
		goto release;
	return 0;

release:
	pci_release_mem_regions(pdev);
disable:
	pci_disable_device(pdev);
	return err;
}

int bus_pci_open(struct pci_dev *pdev, unsigned int dma_bits,
		 struct gpu_bus **bus)
{
	struct bus_pci *pci = kzalloc(sizeof(*pci), GFP_KERNEL);
	int err;

	if (!pci)
		return -ENOMEM;
	pci->pdev = pdev;
	pci->bus.ops = &pci_ops;
	pci->bus.name = pci_name(pdev);
	xa_init(&pci->dma);
	err = pci_take(pci, dma_bits);
	if (err) {
		kfree(pci);
		return err;
	}
	*bus = &pci->bus;
	return 0;
}

static void pci_close(struct gpu_bus *bus)
{
	struct bus_pci *pci = to_bus_pci(bus);

	WARN_ON(!xa_empty(&pci->dma));
	xa_destroy(&pci->dma);
	bars_unmap(pci);
	pci_release_mem_regions(pci->pdev);
	pci_disable_device(pci->pdev);
	kfree(pci);
}
