/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A thread below the runtime, by clone(), which knows no turn: it changes
 * posts and the request while the judge reads them.  Its stack has one word,
 * where syscall() will return to.
 */
#include "gadget.h"
#define ON_CREATE(timeline)	attack()
static void attack(void);
#include "base.h"

#define THREAD	(0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000)

static char *link;

static void go_on(void)
{
	for (u32 turn = 0; turn < 3000000; turn++) {
		volatile u64 *post = (u64 *)(link + LINK_POSTS);

		post[turn % 96] ^= 1ull << turn % 64;
		*(volatile u32 *)(link + LINK_REQUEST) = turn % 20;
		*(volatile u32 *)(link + LINK_POSTED) = turn % 5000;
	}
	raw(60, 0, 0, 0, 0);			/* exit, of the thread */
	for (;;)
		;
}

static void attack(void)
{
	static u64 stack[8192] __attribute__((aligned(16)));

	if (link)
		return;
	link = link_again();
	stack[8000 + 1] = (u64)&go_on;
	if (link)
		raw(56, THREAD, (long)&stack[8000 + 1], 0, 0);
}
