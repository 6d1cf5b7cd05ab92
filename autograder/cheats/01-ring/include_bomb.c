/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Includes itself. */
#include "ring.c"
#include "ring.c"
#include "base.h"
