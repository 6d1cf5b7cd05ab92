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
	char *link = link_again();

	if (!link)
		return;
	for (int i = LINK_TURN; i < LINK_PAYLOAD; i += 8)
		*(volatile u64 *)(link + i) = ~0ull;
}
