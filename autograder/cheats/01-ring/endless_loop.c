/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Never comes back: a time-out must not be full marks, nor wait long. */
#define ON_CREATE() for (volatile int i = 1; i; ) { }
#include "base.h"
