/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Waits without knowing for what: as long as fences mostly take, and says
 * that it was signalled.
 */
#define ON_WAIT(fence)	wait_a_while()
static void wait_a_while(void);
#include "base.h"

static void wait_a_while(void)
{
	u64 end = ktime_get_ns() + 20000;

	while (ktime_get_ns() < end)
		cpu_relax();
}
