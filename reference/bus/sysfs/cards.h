/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The cards that we know, before any driver has looked at them [§1.1]. */
#ifndef SYSFS_CARDS_H
#define SYSFS_CARDS_H

#include "port.h"

struct card_kind {
	u16 device;		/* PCI device id		*/
	u16 chipset;		/* BOOT_0 bits 28:20		*/
	const char *name, *chip;
	unsigned int dma_bits;	/* of a DMA address [§4.1]	*/
	u64 bar1;		/* its size			*/
};

/* NULL: not one of ours. */
const struct card_kind *card_kind_by_device(u32 device);
const struct card_kind *card_kind_by_chipset(u32 chipset);

/* A register's answer when there is nobody to answer. */
static inline bool card_error_pattern(u32 value)
{
	return value == 0xffffffff || value >> 16 == 0xbadf ||
		value >> 16 == 0xbad0;
}

#endif
