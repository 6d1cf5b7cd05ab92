/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Raises its limits, sets timers, changes its priority. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	static const long none[2] = { -1, -1 };

	for (long what = 0; what < 16; what++) {
		if (raw(160, what, (long)none, 0, 0) == 0)
			leak("setrlimit");
		if (raw(302, 0, what, (long)none, 0) == 0)
			leak("prlimit");
	}
	if (raw(37, 1000, 0, 0, 0) >= 0)
		leak("alarm");
	if (raw(222, 1, 0, (long)none, 0) == 0)
		leak("timer_create");
	if (raw(141, 0, 0, -20, 0) == 0)
		leak("setpriority");
	if (raw(203, 0, 128, (long)none, 0) == 0)
		leak("sched_setaffinity");
}
