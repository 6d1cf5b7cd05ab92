/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The inside of a card behind vfio: its files share this. */
#ifndef VFIO_LINK_H
#define VFIO_LINK_H

#include <pthread.h>

#include "iova.h"
#include "os.h"
#include "vfio.h"
#include "reference/bus/sysfs/device.h"

struct vfio_region {
	u64 offset, size;	/* in the device's file		*/
	bool mapped;
};

/* Memory of ours that the card may use. */
struct vfio_dma {
	struct vfio_dma *next;
	void *cpu;
	u64 iova;
	size_t size;
};

struct vfio {
	struct gpu_bus bus;
	const struct vfio_os *os;
	char name[8 + PCI_ADDRESS];
	struct pci_device pci;
	const char *dev;		/* "/dev"			*/
	int container, group, device;	/* -1: not open		*/
	bool kept;			/* … by another		*/
	struct vfio_region region[GPU_REGIONS];
	bool lost;			/* taken away: all ones		*/

	pthread_mutex_t lock;		/* over what follows		*/
	struct iova_space iova;
	struct vfio_dma *dma;
	u32 maps_left;			/* that the kernel allows	*/

	/* irq.c */
	u32 msi;			/* the capability, 0: none	*/
	int message, stop, request;	/* eventfds, -1: none		*/
	bool irq_on;
};

static inline struct vfio *to_vfio(struct gpu_bus *bus)
{
	return container_of(bus, struct vfio, bus);
}

/* reset.c: what opening and closing would do to the card.  0, -EPERM, and
 * the text of reset_method to put back, or "". */
int vfio_reset_forbid(const struct vfio *vfio, bool reset_at_close,
		      char saved[64]);
void vfio_reset_restore(const struct vfio *vfio, const char saved[64]);

/* group.c: container, group and device.  On failure all are closed. */
int vfio_group_open(struct vfio *vfio);
void vfio_group_close(struct vfio *vfio);

/* regions.c: where BARs and configuration space are; mapped, guarded. */
int vfio_regions_init(struct vfio *vfio);
void vfio_regions_fini(struct vfio *vfio);
u64 vfio_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
	      unsigned int size);
void vfio_write(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		unsigned int size, u64 value);
void vfio_write_burst(struct gpu_bus *bus, enum gpu_region region,
		      u64 offset, const void *data, size_t len);
/* From now on everything reads all ones, and writes go nowhere. */
void vfio_regions_lose(struct vfio *vfio);
/* Configuration space alone; async-signal-safe. */
u32 vfio_config_rd(const struct vfio *vfio, u32 offset, unsigned int size);
void vfio_config_wr(const struct vfio *vfio, u32 offset, unsigned int size,
		    u32 value);

/* dma.c */
int vfio_dma_init(struct vfio *vfio, unsigned int dma_bits);
void vfio_dma_fini(struct vfio *vfio);
int vfio_dma_alloc(struct gpu_bus *bus, size_t size, enum dma_kind kind,
		   void **cpu, u64 *dma);
void vfio_dma_free(struct gpu_bus *bus, size_t size, void *cpu, u64 dma);

/* irq.c */
int vfio_irq_init(struct vfio *vfio);
void vfio_irq_fini(struct vfio *vfio);
/* MSI's enable bit was written. */
void vfio_irq_enable(struct vfio *vfio, bool on);
/* Async-signal-safe. */
void vfio_irq_off(struct vfio *vfio);
int vfio_irq_wait(struct gpu_bus *bus);
void vfio_irq_stop(struct gpu_bus *bus);

#endif
