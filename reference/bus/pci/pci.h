/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card on Linux's PCI bus, from inside the kernel; and what of its memory
 * user mode is to see.
 *
 * Linux's headers come before this one, which has a struct range of lab 02's
 * in sight: port.h.
 */
#ifndef BUS_PCI_H
#define BUS_PCI_H

#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/scatterlist.h>
#include <linux/xarray.h>

#include "gpu_bus.h"

/* How a processor maps memory. */
enum pci_caching {
	PCI_CACHED,		/* and the bus snoops			*/
	PCI_WRITE_COMBINE,
	PCI_UNCACHED,		/* each access by itself, in order	*/
};

struct bus_pci {
	struct gpu_bus bus;
	struct pci_dev *pdev;
	void __iomem *bar1;	/* from GPU_BAR1_USERD on		*/
	struct xarray dma;	/* struct pci_dma by its page at .cpu	*/
};

static inline struct bus_pci *to_bus_pci(struct gpu_bus *bus)
{
	return container_of(bus, struct bus_pci, bus);
}

/*
 * Take the device: memory decoding on, BARs mapped, DMA mask set to dma_bits.
 * 0; -ENODEV: a BAR is missing; or what Linux says.  gpu_bus_close() gives
 * it back.  Both may sleep.
 */
int bus_pci_open(struct pci_dev *pdev, unsigned int dma_bits,
		 struct gpu_bus **bus);

/* dma.c */
int pci_dma_alloc(struct gpu_bus *bus, size_t size, enum dma_kind kind,
		  void **cpu, u64 *dma);
void pci_dma_free(struct gpu_bus *bus, size_t size, void *cpu, u64 dma);

/*
 * The pages behind what the driver calls a map: part of BAR1, or memory of
 * pci_dma_alloc().  They are good as long as the memory is.
 */
struct pci_pages {
	enum pci_caching caching;
	phys_addr_t bar;	/* 0: not in a BAR			*/
	struct sg_table table;	/* then these				*/
};

/* 0, -ENOMEM, -EINVAL: no such memory.  May sleep. */
int pci_pages_init(struct gpu_bus *bus, const struct iosys_map *map,
		   struct pci_pages *pages);
void pci_pages_fini(struct pci_pages *pages);
/* The number of the page that is index pages behind the first, or 0. */
unsigned long pci_pages_pfn(const struct pci_pages *pages,
			    unsigned long index);

#endif
