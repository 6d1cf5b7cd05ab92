/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Posts the beginning and the end of waits that the agent has yet to make:
 * the judge stamps them with the time at which it reads them.
 */
#include "gadget.h"
#define ON_EMIT(timeline)	attack()
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
		post[3 * i] = (i % 2 ? POST_RESULT : POST_BEGIN) | 8 << 8;
		post[3 * i + 1] = i / 2 % 64;
		post[3 * i + 2] = 0;
	}
	*(volatile u32 *)(link + LINK_POSTED) = 4000;
	*(volatile u32 *)(link + LINK_TURN) = 1;
}
