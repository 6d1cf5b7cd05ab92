/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The same without saying constructor. */
#include "base.h"

static void first(void)
{
	exit(0);
}

__attribute__((section(".preinit_array"), used))
static void (*const start)(void) = first;
