/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Boards by their PCI ids.  One chip is on several: 15f7 and 15f9 are the
 * P100 with 12 GiB, and the one with NVLink.  The driver itself asks only
 * for the chip (reference/hal).
 */
#include "cards.h"

#define GIB	(1ULL << 30)

static const struct card_kind kinds[] = {
	{ 0x15f8, 0x130, "Tesla P100", "GP100", 47, 16 * GIB },
	{ 0x15f7, 0x130, "Tesla P100 12 GiB", "GP100", 47, 16 * GIB },
	{ 0x15f9, 0x130, "Tesla P100 SXM2", "GP100", 47, 16 * GIB },
	{ 0x1b38, 0x132, "Tesla P40", "GP102", 47, 32 * GIB },
	{ 0x17fd, 0x120, "Tesla M40", "GM200", 40, 16 * GIB },
};

const struct card_kind *card_kind_by_device(u32 device)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].device == device)
			return &kinds[i];
	}
	return NULL;
}

const struct card_kind *card_kind_by_chipset(u32 chipset)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].chipset == chipset)
			return &kinds[i];
	}
	return NULL;
}
