/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A PCI device as Linux shows it in sysfs.  Everything here only reads.
 *
 * Functions may be called from any number of threads at once; they block no
 * longer than a file takes to read.
 */
#ifndef SYSFS_DEVICE_H
#define SYSFS_DEVICE_H

#include <limits.h>

#include "port.h"

#define PCI_BARS	6
#define PCI_ADDRESS	16	/* "0000:01:00.0" and more	*/

/* Where to look: a sysfs, "/sys" or what a test has put together. */
struct pci_device {
	char address[PCI_ADDRESS];
	char path[PATH_MAX - 64];	/* of its directory		*/
};

/* A line of the file resource. */
struct pci_bar {
	u64 start, size;	/* size 0: not there, or not assigned	*/
	u64 flags;		/* IORESOURCE_…				*/
};

#define PCI_BAR_UNSET	0x20000000u	/* wanted, and given no address	*/
#define PCI_BAR_MEMORY	0x00000200u
#define PCI_BAR_64	0x00100000u

/* "1:0.0", "01:00.0" and "0000:01:00.0" are written out in full.  -EINVAL. */
int pci_address_parse(const char *text, char address[PCI_ADDRESS]);

/* 0; -EINVAL: no address; -ENODEV: no such device; -ENAMETOOLONG. */
int pci_device_find(const char *sysfs, const char *address,
		    struct pci_device *device);
/* The path of one of its files.  0, -ENAMETOOLONG. */
int pci_device_path(const struct pci_device *device, const char *file,
		    char path[PATH_MAX]);
/* A file's text, without the end of line.  0, -errno; -EFBIG. */
int pci_device_text(const struct pci_device *device, const char *file,
		    char *text, size_t size);
/* A file that holds a number.  0, -errno; -EINVAL: it does not. */
int pci_device_number(const struct pci_device *device, const char *file,
		      u64 *number);
/* The last part of where a link leads.  0; -ENOENT: there is none. */
int pci_device_link(const struct pci_device *device, const char *file,
		    char *name, size_t size);
/* 0, -errno; -EINVAL: not the file that we know. */
int pci_device_bars(const struct pci_device *device,
		    struct pci_bar bars[PCI_BARS]);
/* Does it answer at all?  Where that cannot be asked: yes. */
bool pci_device_answers(const struct pci_device *device);
/* Is it behind a bridge, alone with other functions? */
bool pci_device_has_bridge(const struct pci_device *device);

#endif
