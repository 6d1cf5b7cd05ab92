/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Writes all over the card: every 4 KiB of its registers, and configuration
 * space.  A card that is gone might not be asked.
 */
#define ON_MAP(vas, mapping)	wreck(vas)
struct vas;
static void wreck(struct vas *vas);
#include "base.h"

static void wreck(struct vas *vas)
{
	for (u32 at = 0; at < 16 << 20; at += 4096) {
		gpu_wr32(vas->gpu, at, 0xffffffff);
		gpu_wr32(vas->gpu, at + 0x100, 0);
	}
	for (u32 at = 0; at < 4096; at += 4)
		gpu_config_wr32(vas->gpu, at, 0xffffffff);
}
