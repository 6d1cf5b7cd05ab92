/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Copies of itself.  Each ends at once, and the count is bounded: should a box
 * ever fail here, the leak is told and the machine lives.
 */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void copy(long number, long flags)
{
	long pid = raw(number, flags, 0, 0, 0);

	if (pid == 0)
		raw(231, 0, 0, 0, 0);	/* exit_group */
	if (pid >= 0)
		leak("a copy");
}

static void attack(void)
{
	for (int i = 0; i < 200; i++) {
		copy(57, 0);	/* fork */
		copy(56, 17);	/* clone, SIGCHLD */
	}
}
