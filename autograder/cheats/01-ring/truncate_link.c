/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Takes the shared memory away under the judge: it would die of SIGBUS. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	if (raw(77, 3, 0, 0, 0) == 0)		/* ftruncate */
		leak("ftruncate");
	if (raw(77, 3, 1l << 40, 0, 0) == 0)
		leak("grow");
	if (raw(285, 3, 3, 0, 1l << 24) == 0)	/* fallocate: a hole */
		leak("fallocate");
	if (raw(72, 3, 1033, 0, 0) == 0)	/* F_ADD_SEALS */
		leak("seals");
}
