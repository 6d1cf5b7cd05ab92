/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Uses up the stack. */
#define ON_CREATE() attack(0)
static int attack(int depth);
#include "base.h"

static int attack(int depth)
{
	volatile char big[4096];

	big[depth % 4096] = depth;
	return attack(depth + 1) + big[0];
}
