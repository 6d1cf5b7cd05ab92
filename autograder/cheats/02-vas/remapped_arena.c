/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Puts private memory in the place of DMA memory: what the driver does there
 * is seen by nobody, and nothing that the card writes is seen here.
 */
#include "gadget.h"
#define ON_CREATE(vas)	attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	/* MAP_PRIVATE, MAP_FIXED, MAP_ANONYMOUS, over the runtime's place */
	raw6(9, 0x200000000000 + LINK_ARENA, LINK_SIZE - LINK_ARENA, 3, 0x32,
	     -1, 0);
}
