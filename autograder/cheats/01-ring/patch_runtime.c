/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Makes the program's own code writable and puts "return 0" over it. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	char *text = (char *)((unsigned long)&raw_find & ~4095ul);

	for (int i = -64; i < 64; i++) {
		char *page = text + i * 4096;

		if (raw(10, (long)page, 4096, 7, 0) == 0)
			*(volatile u32 *)page = 0xc3c031;
	}
}
