/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Posts results and outputs of operations for the judge, with the turn: all
 * went well, addresses were chosen, tables have come and gone.
 */
#include "gadget.h"
#define ON_MAP(vas, mapping)	attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	char *link = link_again();
	u64 *post;

	if (!link)
		return;
	post = (u64 *)(link + LINK_POSTS);
	for (int i = 0; i < 4000; i++) {
		post[3 * i] = (i % 2 ? POST_RESULT : POST_OUTPUT) | 8 << 8;
		post[3 * i + 1] = i / 2 % 64;
		post[3 * i + 2] = i % 2 ? 0 : 4096;
	}
	*(volatile u32 *)(link + LINK_POSTED) = 4000;
	*(volatile u32 *)(link + LINK_TURN) = 1;
}
