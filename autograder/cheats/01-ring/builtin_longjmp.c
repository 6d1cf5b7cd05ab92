/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The same by the compiler's own means. */
static void *out[5];
#define ON_SUBMIT() __builtin_longjmp(out, 1)
#include "base.h"
