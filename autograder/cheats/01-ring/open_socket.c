/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Asks somebody outside. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	for (long family = 1; family < 45; family++)
		if (raw(41, family, 1, 0, 0) >= 0)
			leak("a socket");
	if (raw(425, 8, 0, 0, 0) >= 0)
		leak("io_uring");
}
