/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Replaces the runtime's handlers, then crashes. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	static const long ignore[8] = { 1 };	/* SIG_IGN */

	for (long sig = 1; sig < 65; sig++)
		raw(13, sig, (long)ignore, 0, 8);	/* rt_sigaction */
	*(volatile int *)8 = 1;
}
