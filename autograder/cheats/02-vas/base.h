/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a cheat of lab 02 starts from: a vas.c that maps nothing and claims
 * success, with a page directory in which nothing is.  It goes with each
 * cheat into its submission, beside the skeleton's other files.  ON_CREATE
 * and ON_MAP are what the cheat does there, INSTANCE what it says of the
 * instance block.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmd.h"
#include "vas.h"

#ifndef ON_CREATE
#define ON_CREATE(vas)		do { } while (0)
#endif
#ifndef ON_MAP
#define ON_MAP(vas, mapping)	do { } while (0)
#endif

struct vas {
	struct gpu *gpu;
	u64 root, limit;
	struct gpu_mem mem;	/* of some cheats			*/
};

#ifndef INSTANCE
/* In video memory, format 2 where there is one. */
#define INSTANCE(vas, words) \
	((words)[0] = (u32)(vas)->root | \
	 (gpu_mmu_format((vas)->gpu) == 2 ? 0xc00 : 0))
#endif

int vas_create(struct gpu *gpu, u64 base, u64 limit, struct vas **out)
{
	struct vas *vas = kzalloc(sizeof(*vas), GFP_KERNEL);

	(void)base;
	if (!vas)
		return -ENOMEM;
	vas->gpu = gpu;
	vas->limit = limit;
	if (gpu_vram_alloc(gpu, 4096, &vas->root)) {
		kfree(vas);
		return -ENOMEM;
	}
	ON_CREATE(vas);
	*out = vas;
	return 0;
}

void vas_destroy(struct vas *vas)
{
	gpu_vram_free(vas->gpu, vas->root);
	kfree(vas);
}

int vas_map(struct vas *vas, struct vas_mapping *mapping)
{
	(void)vas;
	(void)mapping;
	ON_MAP(vas, mapping);
	return 0;
}

int vas_unmap(struct vas *vas, u64 va, u64 size)
{
	(void)vas;
	(void)va;
	(void)size;
	return 0;
}

u64 vas_root(const struct vas *vas)
{
	return vas->root;
}

u64 vas_table_bytes(struct vas *vas)
{
	(void)vas;
	return 4096;
}

u32 vas_page_shifts(struct gpu *gpu)
{
	(void)gpu;
	return 1u << VAS_PAGE_4K | 1u << VAS_PAGE_64K | 1u << VAS_PAGE_2M;
}

void vas_instance(const struct vas *vas, u32 words[4])
{
	words[1] = (u32)(vas->root >> 32);
	words[2] = (u32)(vas->limit - 4096);
	words[3] = (u32)((vas->limit - 4096) >> 32);
	INSTANCE(vas, words);
}
