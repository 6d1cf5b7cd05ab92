/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Reads a machine register without an assembly statement. */
register unsigned long stack asm("rsp");
#define ON_SUBMIT() (void)*(volatile unsigned long *)stack
#include "base.h"
