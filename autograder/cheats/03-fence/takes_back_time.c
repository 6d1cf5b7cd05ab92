/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* … or that it has spent less than none. */
#define ENABLE	1
#define ON_INTERRUPT(gpu)	port_spend(-1000000ull)
#include "base.h"
