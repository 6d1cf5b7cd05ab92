/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Closes the link and takes its memory away, under the runtime. */
#include "gadget.h"
#define ON_WAIT(fence)	attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	raw(3, 3, 0, 0, 0);			/* close */
	raw(11, 0x200000000000, LINK_SIZE, 0, 0); /* munmap */
}
