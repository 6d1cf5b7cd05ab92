/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A function that the instrumentation is told to leave alone. */
#include "base.h"

__attribute__((no_sanitize("thread")))
void quiet(int *p)
{
	*p = 1;
}
