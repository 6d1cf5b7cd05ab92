/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory that CPU and GPU share [§4.2], [§6.3].
 *
 * System memory is allocated by the bus, which knows what the card can reach,
 * and mapped into the GPU's address space.  Video memory is mapped there and,
 * for the CPU, in BAR1; it must be written before it is read, since its check
 * bits are undefined until then.
 */
#include "device.h"

#define CLEAR_PART	(64ULL << 10)

static int mem_init_system(struct gpu *gpu, struct gpu_mem *mem)
{
	struct gpu_bus *bus = gpu->bus;
	bool coherent = mem->kind == MEM_COHERENT;
	int err;

	err = bus->ops->dma_alloc(bus, mem->size, coherent ? DMA_COHERENT :
				  DMA_WRITE_COMBINE, &mem->cpu, &mem->phys);
	if (err)
		return err;
	if (mem->phys + mem->size > 1ULL << gpu->chip->dma_bits) {
		bus->ops->dma_free(bus, mem->size, mem->cpu, mem->phys);
		return -ENOMEM;
	}
	iosys_map_set_vaddr(&mem->map, mem->cpu);
	return 0;
}

/*
 * It may be gigabytes, through a window that is slow.  So others may run now
 * and then, and use the card: this is without its lock, as nobody else knows
 * the memory.  And who was killed need not wait for the end.
 */
static int mem_clear(struct gpu_mem *mem)
{
	u64 part;

	for (u64 at = 0; at < mem->size; at += part) {
		part = min(mem->size - at, CLEAR_PART);
		if (fatal_signal_pending(current))
			return -EINTR;
		iosys_map_memset(&mem->map, at, 0, part);
		cond_resched();
	}
	return 0;
}

static int mem_init_video(struct gpu *gpu, struct gpu_mem *mem)
{
	u64 bar1;
	int err;

	err = vram_alloc(gpu, mem->size, MMU_PAGE, &mem->phys);
	if (err)
		return err;
	err = kspace_map(&gpu->bar1, MMU_VRAM, mem->phys, mem->size, &bar1);
	if (err)
		goto free_vram;
	iosys_map_set_vaddr_iomem(&mem->map, gpu_bar1_at(gpu, bar1));
	return 0;

free_vram:
	vram_free(gpu, mem->phys);
	return err;
}

static void mem_fini(struct gpu *gpu, struct gpu_mem *mem)
{
	if (mem->kind == MEM_VRAM) {
		u64 bar1 = (char __iomem *)mem->map.vaddr_iomem -
			(char __iomem *)gpu->bus->bar[GPU_BAR1];

		kspace_unmap(&gpu->bar1, bar1, mem->size);
		vram_free(gpu, mem->phys);
	} else {
		gpu->bus->ops->dma_free(gpu->bus, mem->size, mem->cpu,
					mem->phys);
	}
}

/* Into the driver's own space; the flush there covers the zeros too [§6.6]. */
static int mem_map_space(struct gpu *gpu, struct gpu_mem *mem)
{
	static const enum mmu_aperture apertures[] = {
		[MEM_COHERENT] = MMU_SYS_COHERENT,
		[MEM_WC] = MMU_SYS_NONCOHERENT,
		[MEM_VRAM] = MMU_VRAM,
	};

	return kspace_map(&gpu->space, apertures[mem->kind], mem->phys,
			  mem->size, &mem->va);
}

static int mem_alloc(struct gpu *gpu, u64 size, enum mem_kind kind, bool map,
		     struct gpu_mem *mem)
{
	int err;

	if (size == 0 || size > 1ULL << 40)
		return -EINVAL;
	memset(mem, 0, sizeof(*mem));
	mem->kind = kind;
	mem->size = ALIGN(size, MMU_PAGE);

	mutex_lock(&gpu->lock);
	err = kind == MEM_VRAM ? mem_init_video(gpu, mem) :
		mem_init_system(gpu, mem);
	mutex_unlock(&gpu->lock);
	if (err)
		return err;
	if (kind == MEM_VRAM)
		err = mem_clear(mem);
	mutex_lock(&gpu->lock);
	if (!err && map)
		err = mem_map_space(gpu, mem);
	if (err)
		mem_fini(gpu, mem);
	mutex_unlock(&gpu->lock);
	return err;
}

int gpu_mem_alloc(struct gpu *gpu, u64 size, enum mem_kind kind,
		  struct gpu_mem *mem)
{
	return mem_alloc(gpu, size, kind, true, mem);
}

int gpu_mem_alloc_unmapped(struct gpu *gpu, u64 size, enum mem_kind kind,
			   struct gpu_mem *mem)
{
	return mem_alloc(gpu, size, kind, false, mem);
}

void gpu_mem_free(struct gpu *gpu, struct gpu_mem *mem)
{
	mutex_lock(&gpu->lock);
	if (mem->va)
		kspace_unmap(&gpu->space, mem->va, mem->size);
	mem_fini(gpu, mem);
	mutex_unlock(&gpu->lock);
	memset(mem, 0, sizeof(*mem));
}
