/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Video memory for Host's own structures, written through BAR2 [§6.2]. */
#ifndef KMD_INSTMEM_H
#define KMD_INSTMEM_H

#include "port.h"

struct gpu;

struct instmem {
	u64 addr;		/* in video memory: what Host is told	*/
	u64 size;
	u64 bar2;		/* where BAR2 shows it			*/
	struct iosys_map map;
};

/* Zeroed, page aligned. */
int instmem_alloc(struct gpu *gpu, u64 size, struct instmem *mem);
void instmem_free(struct gpu *gpu, struct instmem *mem);

static inline void instmem_wr32(struct instmem *mem, u32 offset, u32 value)
{
	iosys_map_wr(&mem->map, offset, u32, value);
}

static inline u32 instmem_rd32(struct instmem *mem, u32 offset)
{
	return iosys_map_rd(&mem->map, offset, u32);
}

#endif
