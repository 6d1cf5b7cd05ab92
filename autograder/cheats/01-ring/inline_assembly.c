/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A store that no hook sees. */
#define ON_SUBMIT() __asm__ volatile("sfence" ::: "memory")
#include "base.h"
