/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Attaches to the judge, or reads and writes its memory. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	long parent = raw(110, 0, 0, 0, 0);

	if (raw(101, 16, parent, 0, 0) == 0)
		leak("attached");
	if (raw(101, 0, 0, 0, 0) == 0)
		leak("traceme");
	if (raw(310, parent, 0, 0, 0) == 0)	/* process_vm_readv */
		leak("process_vm_readv");
}
