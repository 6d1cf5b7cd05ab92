/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An operator that looks at files, and one that takes hooks away. */
#define QUIET no_sanitize("thread")
_Pragma("GCC dependency \"/etc/passwd\"")
#pragma clang attribute push(__attribute__((QUIET)), apply_to = function)
#include "base.h"
#pragma clang attribute pop
