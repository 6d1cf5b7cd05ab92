/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card from power-on to ready, and back [§7.5], [§7.6].
 *
 * Each step needs the ones before it: no register before memory decoding, no
 * page table before video memory is known to work, no BAR before its page
 * tables, no channel before Host can hear of it.  The way down is the same
 * list backwards, and so is the way out of a step that fails.
 */
#include "device.h"

/*
 * Where addresses of the first address space begin and end.  Above 4 GiB, so
 * that an address cut to 32 bits is wrong at once; below 2^40, where rings
 * and push buffers must lie [§9.1].
 */
#define SPACE_BASE	(1ULL << 32)
#define SPACE_LIMIT	(1ULL << 36)

static int gpu_init(struct gpu *gpu)
{
	int err;

	err = gpu_pci_enable(gpu);
	if (err)
		return err;
	err = gpu_identify(gpu);
	if (err)
		goto disable_pci;
	err = gpu_units_enable(gpu);
	if (err)
		goto disable_pci;
	err = gpu_vram_init(gpu);
	if (err)
		goto disable_units;
	err = gpu_sysmem_flush_init(gpu);
	if (err)
		goto fini_vram;
	err = gpu_bar_init(gpu);
	if (err)
		goto fini_sysmem_flush;
	err = gpu_host_init(gpu);
	if (err)
		goto fini_bar;
	err = kspace_init(&gpu->space, gpu, SPACE_BASE, SPACE_LIMIT);
	if (err)
		goto fini_host;
	return 0;

fini_host:
	gpu_host_fini(gpu);
fini_bar:
	gpu_bar_fini(gpu);
fini_sysmem_flush:
	gpu_sysmem_flush_fini(gpu);
fini_vram:
	gpu_vram_fini(gpu);
disable_units:
	gpu_units_disable(gpu);
disable_pci:
	gpu_pci_disable(gpu);
	return err;
}

static void gpu_fini(struct gpu *gpu)
{
	gpu_recover_fini(gpu);
	gpu_tables_fini(gpu);
	kspace_fini(&gpu->space);
	gpu_host_fini(gpu);
	gpu_bar_fini(gpu);
	gpu_sysmem_flush_fini(gpu);
	gpu_vram_fini(gpu);
	gpu_units_disable(gpu);
	gpu_pci_disable(gpu);
}

static void gpu_free(struct gpu *gpu)
{
	mutex_destroy(&gpu->tlb_lock);
	mutex_destroy(&gpu->lock);
	kfree(gpu);
}

int gpu_open(struct gpu_bus *bus, struct gpu **out)
{
	struct gpu *gpu;
	int err;

	gpu = kzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return -ENOMEM;
	gpu->bus = bus;
	gpu->window = ~0u;
	mutex_init(&gpu->lock);
	mutex_init(&gpu->tlb_lock);
	gpu_recover_init(gpu);

	err = gpu_init(gpu);
	if (err) {
		gpu_free(gpu);
		return err;
	}
	pr_info("%s: %s, %llu MiB of video memory\n", bus->name,
		gpu->chip->name, (unsigned long long)gpu->vram.limit >> 20);
	*out = gpu;
	return 0;
}

void gpu_close(struct gpu *gpu)
{
	gpu_fini(gpu);
	gpu_free(gpu);
}

struct gpu_bus *gpu_bus(struct gpu *gpu)
{
	return gpu->bus;
}

const char *gpu_chip_name(const struct gpu *gpu)
{
	return gpu->chip->name;
}

u32 gpu_copy_class(const struct gpu *gpu)
{
	return gpu->chip->copy_class;
}

void __iomem *gpu_registers(const struct gpu *gpu)
{
	return gpu->bus->bar[GPU_BAR0];
}

u32 gpu_mmu_format(const struct gpu *gpu)
{
	return gpu->chip->mmu == &mmu_format_2 ? 2 : 1;
}

bool gpu_has_wide_pdb(const struct gpu *gpu)
{
	return gpu->chip->wide_pdb;
}

u32 gpu_dma_bits(const struct gpu *gpu)
{
	return gpu->chip->dma_bits;
}
