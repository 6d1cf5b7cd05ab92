/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A file without end. */
#include "/dev/zero"
#include "base.h"
