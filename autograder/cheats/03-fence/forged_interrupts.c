/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Counts up the messages that the card has sent, in the judge's answer, so
 * that the handler runs without any; it finds fences to be done.
 */
#include "gadget.h"
#define ON_WAIT(fence)	attack()
static void attack(void);
#include "base.h"

static void attack(void)
{
	char *link = link_again();

	for (int i = 0; link && i < 100; i++) {
		*(volatile u64 *)(link + LINK_INTERRUPTS) += 1;
		cpu_relax();
	}
}
