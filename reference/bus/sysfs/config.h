/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Configuration space as bytes that somebody has read [§3.1].
 *
 * Without root Linux gives 64 of them; beyond what was read, everything is
 * all ones, and there are no capabilities.
 */
#ifndef SYSFS_CONFIG_H
#define SYSFS_CONFIG_H

#include "port.h"

#define PCI_CONFIG_SIZE	4096u

struct pci_config {
	u8 bytes[PCI_CONFIG_SIZE];
	size_t size;			/* how many are known		*/
};

/* size 1, 2, 4. */
u32 pci_config_get(const struct pci_config *config, u32 offset,
		   unsigned int size);

/* A capability's place, or 0. */
u32 pci_config_cap(const struct pci_config *config, u8 id);

struct pci_cap {
	u32 offset;
	u16 id;
	u8 version;		/* of extended ones			*/
	bool extended;
};

/* Both lists, in their order, at most max.  How many. */
unsigned int pci_config_caps(const struct pci_config *config,
			     struct pci_cap *caps, unsigned int max);
/* What one is called; "?" when we do not know. */
const char *pci_cap_name(const struct pci_cap *cap);

#endif
