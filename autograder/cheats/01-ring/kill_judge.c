/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Signals to the judge, to everybody, to the group.  SIGURG, which nobody
 * dies of: should a box ever fail here, the leak is told and nothing is lost.
 */
#include "gadget.h"
#define ON_CREATE() attack()
static void attack(void);
#include "base.h"

#define SIGURG	23

static void attack(void)
{
	long parent = raw(110, 0, 0, 0, 0);	/* getppid */

	if (parent > 1 && raw(62, parent, SIGURG, 0, 0) == 0)
		leak("a signal to the parent");
	if (raw(62, -1, SIGURG, 0, 0) == 0)
		leak("a signal to everybody");
	if (raw(62, 0, SIGURG, 0, 0) == 0)
		leak("a signal to the group");
	if (raw(234, parent, parent, SIGURG, 0) == 0)	/* tgkill */
		leak("a signal to the parent's thread");
	if (raw(424, 3, SIGURG, 0, 0) == 0)	/* pidfd_send_signal */
		leak("a signal by pidfd");
}
