/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A handler that says it is none: then it may sleep, allocate, and take its
 * time.
 */
#define ENABLE	1
#define ON_INTERRUPT(gpu)	leave()
static void leave(void);
#include "base.h"

static void leave(void)
{
	port_context()->handler = NULL;
	kfree(kzalloc(64, GFP_KERNEL));
}
