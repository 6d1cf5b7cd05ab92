/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Takes memory until there is none. */
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	for (int i = 0; i < 100000; i++) {
		char *p = malloc(16 << 20);

		if (!p)
			return;
		memset(p, 1, 16 << 20);
	}
}
