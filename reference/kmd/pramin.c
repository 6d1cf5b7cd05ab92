/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * PRAMIN: a window of 1 MiB in the register space, onto any place in video
 * memory [§6.1].
 *
 * It works before any page table exists, which is why it is how page tables
 * come to exist.  There is one window: callers hold gpu->lock.
 */
#include "device.h"

#define PRAMIN_BASE	0x700000
#define PRAMIN_SIZE	0x100000ULL
#define WINDOW_SHIFT	16

/* Point the window at addr; the BAR0 offset of addr in it. */
static u32 pramin_select(struct gpu *gpu, u64 addr)
{
	u32 base = addr / PRAMIN_SIZE << (20 - WINDOW_SHIFT);

	if (gpu->window != base) {
		gpu_wr32(gpu, NV_PBUS_BAR0_WINDOW,
			 REG_SET(NV_PBUS_BAR0_WINDOW_BASE, base));
		gpu->window = base;
	}
	return PRAMIN_BASE + addr % PRAMIN_SIZE;
}

u32 pramin_rd32(struct gpu *gpu, u64 addr)
{
	return gpu_rd32(gpu, pramin_select(gpu, addr));
}

void pramin_wr32(struct gpu *gpu, u64 addr, u32 value)
{
	gpu_wr32(gpu, pramin_select(gpu, addr), value);
}

void pramin_clear(struct gpu *gpu, u64 addr, u64 size)
{
	while (size) {
		u64 part = min(size, PRAMIN_SIZE - addr % PRAMIN_SIZE);
		u32 offset = pramin_select(gpu, addr);

		memset_io((char __iomem *)gpu->bus->bar[GPU_BAR0] + offset, 0,
			  part);
		addr += part;
		size -= part;
	}
}
