/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Prints without end. */
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	for (int i = 0; i < 20000; i++)
		printf("%0200d\n", i);
	fflush(stdout);
}
