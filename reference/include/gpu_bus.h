/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The hardware seam: how a driver reaches a card.
 *
 * One struct gpu_bus is one card.  Which card, and how far away, is decided
 * at run time: bus/direct calls the model in this process, bus/judge talks to
 * a judge in another, bus/vfio will reach a real one.  The driver does not
 * know.
 */
#ifndef GPU_BUS_H
#define GPU_BUS_H

#include "port.h"

/* Where on the card an access lands. */
enum gpu_region {
	GPU_CONFIG,	/* PCI configuration space		*/
	GPU_BAR0,	/* registers				*/
	GPU_BAR1,	/* window into GPU memory		*/
	GPU_BAR3,	/* the hardware's "BAR2"		*/
	GPU_REGIONS
};

/*
 * The first bytes of BAR1 are the USERDs [§8.3]: user mode writes there, and
 * each write must arrive at once.  The driver does not go there, and a bus
 * need not map them for it.
 */
#define GPU_BAR1_USERD	(2ULL << 20)

/* How DMA memory is mapped for the CPU [§4.2]. */
enum dma_kind {
	DMA_COHERENT,		/* cached, snooped			*/
	DMA_WRITE_COMBINE,	/* uncached, write-combined		*/
};

struct gpu_bus;

/* What a way to a card must offer.  Any thread may call. */
struct gpu_bus_ops {
	/* size 1, 2, 4, 8.  A lost card reads all ones. */
	u64 (*read)(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		    unsigned int size);
	/* Posted: may return before the card has seen it [§2.2]. */
	void (*write)(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      unsigned int size, u64 value);
	void (*write_burst)(struct gpu_bus *bus, enum gpu_region region,
			    u64 offset, const void *data, size_t len);
	/*
	 * Memory that card and CPU share; page aligned, zeroed.  -ENOMEM.
	 * May sleep.
	 */
	int (*dma_alloc)(struct gpu_bus *bus, size_t size, enum dma_kind kind,
			 void **cpu, u64 *dma);
	void (*dma_free)(struct gpu_bus *bus, size_t size, void *cpu, u64 dma);
	/* Video memory that held a page table is about to be given back; NULL
	 * where nobody watches [§6.5]. */
	void (*table_freed)(struct gpu_bus *bus, u64 addr, u64 size);
	/* Time, ns; virtual on an emulated card. */
	u64 (*now)(struct gpu_bus *bus);
	/* One turn of a polling loop: lets time pass. */
	void (*relax)(struct gpu_bus *bus);
	/* Sleep; virtual on an emulated card. */
	void (*sleep)(struct gpu_bus *bus, u64 ns);
	/*
	 * Until the card's interrupt message comes: 0.  Those that come while
	 * nobody waits are one, and kept.  -EINTR: irq_stop() was called, and
	 * counts once, before the wait or during it.  One thread waits, that
	 * of request_irq().
	 */
	int (*irq_wait)(struct gpu_bus *bus);
	void (*irq_stop)(struct gpu_bus *bus);
	void (*close)(struct gpu_bus *bus);
};

/* A card within reach. */
struct gpu_bus {
	const struct gpu_bus_ops *ops;
	const char *name;	/* for the log				*/
	/* Reserved address ranges that stand for the BARs; a pointer into
	 * one is an __iomem pointer, never to be dereferenced. */
	void __iomem *bar[GPU_REGIONS];
	u64 bar_size[GPU_REGIONS];
};

/*
 * For bus implementations: reserve the BAR ranges and make readl() and
 * friends find this bus by address.  0 or -errno.
 */
int gpu_bus_register(struct gpu_bus *bus);
void gpu_bus_unregister(struct gpu_bus *bus);

/* The bus an __iomem pointer belongs to, or NULL. */
struct gpu_bus *gpu_bus_find(const volatile void __iomem *addr,
			     enum gpu_region *region, u64 *offset);

/* The open buses, one a call, from *cursor = 0; NULL after the last. */
struct gpu_bus *gpu_bus_next(unsigned int *cursor);

/*
 * The card's interrupt vector, for request_irq(); MSI is on from here to
 * gpu_bus_irq_release().  What pci_alloc_irq_vectors(…, PCI_IRQ_MSI) and
 * pci_irq_vector() do in the kernel.  The number, -ENXIO: no MSI capability,
 * -ENODEV: the card is lost, -ENOSPC.  May sleep.
 */
int gpu_bus_irq(struct gpu_bus *bus);
void gpu_bus_irq_release(struct gpu_bus *bus);

/*
 * For bus implementations: tell the port what an access, a turn of a polling
 * loop or a delay cost the calling thread.  An interrupt handler has a budget.
 */
void port_spend(u64 ns);

struct card_config;
/* Open the model in this process (bus/direct).  0, -ENOMEM, -EINVAL. */
int bus_direct_open(const struct card_config *config, struct gpu_bus **bus);
/* The card behind a direct bus, for tests and tools. */
struct card *bus_direct_card(struct gpu_bus *bus);
/* A card behind its driver in the kernel, whose node is path, for gpu_open()
 * in user mode and nothing else (bus/node).  0, -ENOMEM. */
int bus_node_open(const char *path, struct gpu_bus **bus);
/* Open the card that a judge holds (bus/judge); needs the agent's link. */
int bus_judge_open(struct gpu_bus **bus);

static inline void gpu_bus_close(struct gpu_bus *bus)
{
	if (bus)
		bus->ops->close(bus);
}

#endif
