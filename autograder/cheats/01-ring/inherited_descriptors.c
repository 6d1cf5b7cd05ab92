/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Looks through every descriptor for one that should not be there. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	char byte;

	for (long fd = 4; fd < 2048; fd++)	/* read */
		if (raw(0, fd, (long)&byte, 1, 0) >= 0)
			leak("a descriptor");
	if (raw(0, 0, (long)&byte, 1, 0) > 0)
		leak("standard input");
}
