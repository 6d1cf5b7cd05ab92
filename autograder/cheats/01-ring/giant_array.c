/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An object file of three gigabytes. */
char giant[3ul << 30] = { 1 };
#include "base.h"
