/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Stores wider than any hook. */
#include "base.h"

__attribute__((target("avx2")))
void wide(u64 *to, const u64 *from)
{
	for (int i = 0; i < 8; i++)
		to[i] = from[i];
}
