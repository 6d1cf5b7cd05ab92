/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Page tables made up once, in memory that the judge reads: whichever entry
 * is looked at, on whichever level, it points at the table that it is in.
 * So a walk of any depth ends somewhere, and never comes to an end by itself.
 */
#define ON_CREATE(vas)	forge(vas)
#define INSTANCE(vas, words) \
	((words)[0] = (u32)(vas)->mem.phys | 2 | \
	 (gpu_mmu_format((vas)->gpu) == 2 ? 0xc00 : 0), \
	 (words)[1] = (u32)((vas)->mem.phys >> 32))
struct vas;
static void forge(struct vas *vas);
#include "base.h"

static void forge(struct vas *vas)
{
	if (gpu_mem_alloc(vas->gpu, 4096, MEM_COHERENT, &vas->mem))
		return;
	/* Valid as a page, and aperture 2 as a directory. */
	for (u32 i = 0; i < 4096; i += 8) {
		u64 entry = (vas->mem.phys >> 12) << 8 | 2 << 1 | (i & 8) / 8;

		iosys_map_wr(&vas->mem.map, i, u64, entry);
	}
}
