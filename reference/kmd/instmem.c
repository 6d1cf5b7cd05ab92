/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Instance blocks and runlists [§8.1], [§8.2].
 *
 * PRAMIN would reach them too, but it is one window for everybody.  BAR2
 * exists for this: each block keeps an address of its own.  As PCI numbers
 * its 64-bit registers, the hardware's BAR2 is what a bus calls BAR3.
 */
#include "device.h"

int instmem_alloc(struct gpu *gpu, u64 size, struct instmem *mem)
{
	int err;

	mem->size = ALIGN(size, MMU_PAGE);
	err = vram_alloc(gpu, mem->size, MMU_PAGE, &mem->addr);
	if (err)
		return err;
	err = kspace_map(&gpu->bar2, MMU_VRAM, mem->addr, mem->size,
			 &mem->bar2);
	if (err)
		goto free_vram;

	iosys_map_set_vaddr_iomem(&mem->map,
				  (char __iomem *)gpu->bus->bar[GPU_BAR3] +
				  mem->bar2);
	iosys_map_memset(&mem->map, 0, 0, mem->size);
	return 0;

free_vram:
	vram_free(gpu, mem->addr);
	return err;
}

void instmem_free(struct gpu *gpu, struct instmem *mem)
{
	kspace_unmap(&gpu->bar2, mem->bar2, mem->size);
	vram_free(gpu, mem->addr);
}
