/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Maps the shared memory once more and fills it with all ones: counts beyond
 * every list, lengths beyond the payload, a turn that is nobody's.
 */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	char *wire = (char *)raw_find()(9L, 0L, 17l << 20, 3L, 1L, 3L, 0L);

	if ((long)wire > -4096 && (long)wire < 0)
		return;
	for (int i = 8; i < 300000; i += 8)
		*(volatile u64 *)(wire + i) = ~0ull;
}
