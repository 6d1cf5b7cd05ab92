/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Makes the ranges of the BARs ordinary memory, so that registers can be
 * written to by plain stores and read back as they were written.
 */
#include "gadget.h"
#define ON_CREATE(vas)	attack(vas)
struct vas;
static void attack(struct vas *vas);
#include "base.h"

static void attack(struct vas *vas)
{
	char *bar = (char *)gpu_registers(vas->gpu);

	raw(10, (long)bar, 16 << 20, 3, 0);	/* mprotect */
	raw6(9, (long)bar, 16 << 20, 3, 0x32, -1, 0);
	for (int i = 0; i < 4096; i++)
		*(volatile u32 *)(bar + 4096 * i) = 0;
}
