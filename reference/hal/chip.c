/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The chips we drive. */
#include "chip.h"

const struct chip *chip_find(u32 chipset)
{
	static const struct chip *const chips[] = {
		&chip_gm200, &chip_gp100, &chip_gp102,
	};

	for (size_t i = 0; i < ARRAY_SIZE(chips); i++) {
		if (chips[i]->chipset == chipset)
			return chips[i];
	}
	return NULL;
}
