/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Becomes another program. */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	static const char *argv[] = { "/bin/sh", "-c", "echo LEAK", NULL };

	raw(59, (long)argv[0], (long)argv, 0, 0);	/* execve */
	raw(322, 1022, (long)"", (long)argv, 0);	/* execveat */
	raw(322, -100, (long)argv[0], (long)argv, 0);
}
