/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card that Linux has given to user space by vfio-pci.
 *
 * README.md says how to give it one, and what happens to the card.
 */
#ifndef BUS_VFIO_H
#define BUS_VFIO_H

#include "gpu_bus.h"

struct vfio_os;

/* Descriptors that another process has opened and holds: keep.c. */
struct vfio_kept {
	int container, group, device;
};

struct vfio_config {
	const char *address;	/* "0000:01:00.0"			*/
	/*
	 * When the last descriptor of a card behind a bridge is closed, Linux
	 * resets the bus, and a real card is then not POSTed.  That must be
	 * wanted.
	 */
	bool reset_at_close;
	const struct vfio_kept *kept;	/* NULL: open it here		*/
	/* For tests; NULL: the system's own. */
	const char *sysfs, *dev;	/* "/sys", "/dev"		*/
	const struct vfio_os *os;
};

/*
 * Open, map and quiet it: bus mastering and interrupts are off.  May sleep.
 * What is wrong is also in the log.
 *
 * 0; -EINVAL: no address; -ENODEV: no such device, not one of our chips, or
 * it does not answer; -ENXIO: no IOMMU group, or the card is not POSTed;
 * -EBUSY: another driver or process has it; -EPERM: its group is not ours
 * alone, or a reset that nobody wants would follow; -EOPNOTSUPP: vfio lacks
 * what we need; -ENOMEM; -ENOSPC: no addresses for DMA; -EACCES and whatever
 * else the system says.
 */
int bus_vfio_open(const struct vfio_config *config, struct gpu_bus **bus);

/*
 * Host, bus mastering and interrupts off, now.  For a signal's handler and
 * other places in which nothing is certain; the bus is of no use afterwards
 * but to be closed.  Any context.
 */
void bus_vfio_quiet(struct gpu_bus *bus);

/* Descriptors that a keeper left us for this card, in the environment. */
bool vfio_kept_find(const char *address, struct vfio_kept *kept);

/*
 * For a keeper: open the card, and leave the descriptors to programs that are
 * started from here.  They are open until this process ends.  As
 * bus_vfio_open().
 */
int vfio_keep(const struct vfio_config *config);

#endif
