/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Writes the answers itself: posts that claim results, and hands over the
 * turn.  What counts is what the card then does.
 */
#include "gadget.h"
#define ON_SUBMIT() attack()
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
		post[3 * i] = POST_RESULT | 8 << 8;
		post[3 * i + 1] = i;
		post[3 * i + 2] = 0;
	}
	*(volatile u32 *)(link + LINK_POSTED) = 4000;
	*(volatile u32 *)(link + LINK_TURN) = 1;
}
