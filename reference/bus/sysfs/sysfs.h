/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card by the files of its directory in sysfs: config and resourceN.
 *
 * Nothing is bound, enabled or reset, so a card stays as POSTed as it was.
 * There is no DMA and no interrupt: those operations say -EOPNOTSUPP, and so
 * do gpu_open() and whatever else needs them.
 */
#ifndef BUS_SYSFS_H
#define BUS_SYSFS_H

#include "gpu_bus.h"

struct sysfs_config {
	const char *address;	/* "0000:01:00.0"			*/
	const char *sysfs;	/* NULL: "/sys"				*/
	bool write;		/* else what is written is dropped	*/
	/*
	 * So much of BAR1 and of BAR3, at most, and the bus has them in that
	 * size; 0: registers alone.  The kernel fills in page tables for all
	 * that is mapped, at once: for 32 GiB a second, and 64 MiB of memory.
	 */
	u64 windows;
};

/*
 * Memory decoding must be on, since nobody here turns it on.
 *
 * 0; -EINVAL: no address; -ENODEV: no such device, or it does not answer;
 * -ENXIO: memory decoding is off, the card is asleep, or a BAR has no
 * address; -EBUSY: the kernel keeps a BAR for its driver; -EACCES: not root;
 * -ENOMEM.
 */
int bus_sysfs_open(const struct sysfs_config *config, struct gpu_bus **bus);

#endif
