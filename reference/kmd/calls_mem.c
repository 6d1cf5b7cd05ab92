/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Calls about the card, and about memory.
 *
 * The driver has one address space of its own, where gpu_mem_alloc() puts its
 * memory.  Openers must not see each other, so each has a space for itself
 * instead; its memory lies there, and its channels know nothing but that.
 */
#include "file.h"

int call_get_info(struct tesla_file *file, struct tesla_get_info *arg)
{
	struct gpu *gpu = file->gpu;
	const char *name = gpu_chip_name(gpu);

	memset(arg, 0, sizeof(*arg));
	arg->version = TESLA_VERSION;
	arg->copy_class = gpu_copy_class(gpu);
	memcpy(arg->chip, name, min(strlen(name), sizeof(arg->chip) - 1));
	arg->vram_bytes = gpu_vram_end(gpu);
	arg->page_shifts = vas_page_shifts(gpu);
	arg->mmu_format = gpu_mmu_format(gpu);
	arg->additions = gpu_additions(gpu);
	return 0;
}

int call_irq_stats(struct tesla_file *file, struct tesla_irq_stats *arg)
{
	struct gpu_irq_stats stats;

	gpu_irq_stats(file->gpu, &stats);
	*arg = (struct tesla_irq_stats){
		.interrupts = stats.interrupts,
		.spurious = stats.spurious,
		.nonstall = stats.nonstall,
		.faults = stats.faults,
		.pbdma = stats.pbdma,
		.copy = stats.copy,
		.longest_ns = stats.longest_ns,
	};
	return 0;
}

/* Into the opener's own space, at an address of its choice. */
static int mem_map_own(struct tesla_file *file, struct mem *mem)
{
	struct vas_mapping mapping = { .size = mem->gpu.size };
	int err;

	err = space_map_mem(file, &file->own, mem, &mapping);
	if (!err)
		mem->va = mapping.va;
	return err;
}

static void mem_free(struct tesla_file *file, struct mem *mem)
{
	gpu_mem_free(file->gpu, &mem->gpu);
	kfree(mem);
}

/* The card may still go there: the memory stays until nothing does. */
static void mem_keep(struct tesla_file *file, struct mem *mem)
{
	mutex_lock(&file->lock);
	mem->next = file->stale;
	file->stale = mem;
	mutex_unlock(&file->lock);
}

/* What is left of it after an error is not the caller's. */
static int mem_init(struct tesla_file *file, struct mem *mem,
		    const struct tesla_mem_alloc *arg)
{
	static const enum mem_kind kinds[] = {
		[TESLA_MEM_COHERENT] = MEM_COHERENT,
		[TESLA_MEM_WC] = MEM_WC,
		[TESLA_MEM_VRAM] = MEM_VRAM,
	};
	int err;

	err = gpu_mem_alloc_unmapped(file->gpu, arg->size, kinds[arg->kind],
				     &mem->gpu);
	if (err) {
		kfree(mem);
		return err;
	}
	err = mem_map_own(file, mem);
	if (err == -ETIMEDOUT)
		mem_keep(file, mem);
	else if (err)
		mem_free(file, mem);
	return err;
}

int call_mem_alloc(struct tesla_file *file, struct tesla_mem_alloc *arg)
{
	struct mem *mem;
	int err;

	if (arg->flags || arg->pad || arg->kind > TESLA_MEM_VRAM)
		return -EINVAL;
	mem = kzalloc(sizeof(*mem), GFP_KERNEL);
	if (!mem)
		return -ENOMEM;
	err = mem_init(file, mem, arg);
	if (err)
		return err;
	err = object_add(file, &mem->object, OBJECT_MEM);
	if (err) {
		mem_release(file, &mem->object);
		return err;
	}
	arg->size = mem->gpu.size;
	arg->handle = mem->object.handle;
	arg->va = mem->va;
	arg->map_offset = view_offset(&mem->object);
	return 0;
}

int call_mem_free(struct tesla_file *file, struct tesla_mem_free *arg)
{
	if (arg->pad)
		return -EINVAL;
	return object_destroy(file, arg->handle, OBJECT_MEM);
}

/*
 * If it could not be taken out of the opener's space, or the card did not take
 * note, the card may still go there.
 */
void mem_release(struct tesla_file *file, struct object *object)
{
	struct mem *mem = container_of(object, struct mem, object);
	int err = space_unmap_own(file, mem);

	if (!err || err == -ENODEV)
		mem_free(file, mem);
	else
		mem_keep(file, mem);
}

void mem_free_stale(struct tesla_file *file)
{
	while (file->stale) {
		struct mem *mem = file->stale;

		file->stale = mem->next;
		mem_free(file, mem);
	}
}
