/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The attribute that leaves the mark and takes the hooks. */
#include "base.h"

__attribute__((disable_sanitizer_instrumentation))
void quiet(int *p)
{
	*p = 1;
}
