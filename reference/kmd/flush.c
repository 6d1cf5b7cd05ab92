/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Making memory agree: the flush of the path into video memory [§6.6], the
 * invalidation of translations [§6.5], and the page of system memory that
 * the card's own flushes touch.
 */
#include "device.h"

#define FLUSH_PAGE	4096

int gpu_flush(struct gpu *gpu)
{
	/* Copies to a BAR may wait in this CPU's write buffers [§4.3]. */
	wmb();
	gpu_wr32(gpu, NV_UFLUSH_FB_FLUSH,
		 REG_VAL(NV_UFLUSH_FB_FLUSH_PENDING, 1));
	return gpu_poll_clear(gpu, NV_UFLUSH_FB_FLUSH,
			      REG_FIELD_MASK(NV_UFLUSH_FB_FLUSH_PENDING) |
			      REG_FIELD_MASK(NV_UFLUSH_FB_FLUSH_OUTSTANDING),
			      "flush");
}

void gpu_tlb_lock(struct gpu *gpu)
{
	mutex_lock(&gpu->tlb_lock);
}

void gpu_tlb_unlock(struct gpu *gpu)
{
	mutex_unlock(&gpu->tlb_lock);
}

/*
 * The requests wait in a short queue: first wait for a free place, at the end
 * for the queue to run dry.
 */
static int invalidate_locked(struct gpu *gpu, u64 root)
{
	int err;

	err = gpu_poll_set(gpu, NV_PFB_PRI_MMU_CTRL,
			   REG_FIELD_MASK(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_SPACE),
			   "TLB queue");
	if (err)
		return err;

	gpu_wr32(gpu, NV_PFB_PRI_MMU_INVALIDATE_PDB,
		 REG_SET(NV_PFB_PRI_MMU_INVALIDATE_PDB_ADDR, root >> 12));
	if (gpu->chip->wide_pdb)
		gpu_wr32(gpu, NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB,
			 upper_32_bits(root >> 12 << 4));
	gpu_wr32(gpu, NV_PFB_PRI_MMU_INVALIDATE,
		 REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_ALL_VA, 1) |
		 REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER, 1));
	return gpu_poll_set(gpu, NV_PFB_PRI_MMU_CTRL,
			    REG_FIELD_MASK(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY),
			    "TLB invalidation");
}

int gpu_tlb_invalidate(struct gpu *gpu, u64 root)
{
	int err;

	/* The page-table entries must have reached memory. */
	err = gpu_flush(gpu);
	if (err)
		return err;
	gpu_tlb_lock(gpu);
	err = invalidate_locked(gpu, root);
	gpu_tlb_unlock(gpu);
	return err;
}

/* Until this is set, a flush by the card writes to address 0 of the bus. */
int gpu_sysmem_flush_init(struct gpu *gpu)
{
	struct gpu_bus *bus = gpu->bus;
	int err;

	err = bus->ops->dma_alloc(bus, FLUSH_PAGE, DMA_COHERENT,
				  &gpu->flush_cpu, &gpu->flush_dma);
	if (err)
		return err;
	gpu_wr32(gpu, NV_PFB_NISO_FLUSH_SYSMEM_ADDR, gpu->flush_dma >> 8);
	return 0;
}

void gpu_sysmem_flush_fini(struct gpu *gpu)
{
	gpu_wr32(gpu, NV_PFB_NISO_FLUSH_SYSMEM_ADDR, 0);
	gpu_rd32(gpu, NV_PFB_NISO_FLUSH_SYSMEM_ADDR);
	gpu->bus->ops->dma_free(gpu->bus, FLUSH_PAGE, gpu->flush_cpu,
				gpu->flush_dma);
}
