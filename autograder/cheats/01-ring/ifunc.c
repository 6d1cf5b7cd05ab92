/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Code that runs while the program is being loaded. */
#include "base.h"

static void target(void)
{
}

static void (*choose(void))(void)
{
	exit(0);
	return target;
}

void early(void) __attribute__((ifunc("choose")));
