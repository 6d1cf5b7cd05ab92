/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The two windows into GPU address spaces, BAR1 and BAR2 [§6.2], [§6.3].
 *
 * Each is given an instance block of which only the page-directory words
 * count.  From then on a CPU access to the BAR is an access by the GPU's MMU
 * to the virtual address that is the offset in the BAR.
 */
#include "device.h"

static int bind_bar1(struct gpu *gpu)
{
	gpu_wr32(gpu, NV_PBUS_BAR1_BLOCK,
		 REG_VAL(NV_PBUS_BAR1_BLOCK_MODE,
			 NV_PBUS_BAR1_BLOCK_MODE_VIRTUAL) |
		 REG_SET(NV_PBUS_BAR1_BLOCK_PTR, gpu->bar1_inst >> 12));
	return gpu_poll_clear(gpu, NV_PBUS_BIND_STATUS,
			      REG_FIELD_MASK(NV_PBUS_BIND_STATUS_BAR1_PENDING) |
			      REG_FIELD_MASK(
				NV_PBUS_BIND_STATUS_BAR1_OUTSTANDING),
			      "BAR1 binding");
}

static int bind_bar2(struct gpu *gpu)
{
	gpu_wr32(gpu, NV_PBUS_BAR2_BLOCK,
		 REG_VAL(NV_PBUS_BAR2_BLOCK_MODE,
			 NV_PBUS_BAR2_BLOCK_MODE_VIRTUAL) |
		 REG_SET(NV_PBUS_BAR2_BLOCK_PTR, gpu->bar2_inst >> 12));
	return gpu_poll_clear(gpu, NV_PBUS_BIND_STATUS,
			      REG_FIELD_MASK(NV_PBUS_BIND_STATUS_BAR2_PENDING) |
			      REG_FIELD_MASK(
				NV_PBUS_BIND_STATUS_BAR2_OUTSTANDING),
			      "BAR2 binding");
}

/* An address space and an instance block for one window. */
static int window_init(struct gpu *gpu, struct kspace *space, u64 *inst,
		       u64 size)
{
	int err = kspace_init(space, gpu, 0, size);

	if (err)
		return err;
	err = vram_alloc(gpu, MMU_PAGE, MMU_PAGE, inst);
	if (err)
		goto fini_space;
	pramin_clear(gpu, *inst, MMU_PAGE);
	kspace_write_instance(space, *inst);
	return 0;

fini_space:
	kspace_fini(space);
	return err;
}

static void window_fini(struct gpu *gpu, struct kspace *space, u64 inst)
{
	vram_free(gpu, inst);
	kspace_fini(space);
}

/* Back to showing video memory as it lies, as after reset. */
static void unbind(struct gpu *gpu)
{
	gpu_wr32(gpu, NV_PBUS_BAR2_BLOCK, 0);
	gpu_wr32(gpu, NV_PBUS_BAR1_BLOCK, 0);
	gpu_poll_clear(gpu, NV_PBUS_BIND_STATUS,
		       REG_FIELD_MASK(NV_PBUS_BIND_STATUS_BAR1_PENDING) |
		       REG_FIELD_MASK(NV_PBUS_BIND_STATUS_BAR1_OUTSTANDING) |
		       REG_FIELD_MASK(NV_PBUS_BIND_STATUS_BAR2_PENDING) |
		       REG_FIELD_MASK(NV_PBUS_BIND_STATUS_BAR2_OUTSTANDING),
		       "unbinding");
}

int gpu_bar_init(struct gpu *gpu)
{
	int err;

	err = window_init(gpu, &gpu->bar1, &gpu->bar1_inst,
			  gpu->bus->bar_size[GPU_BAR1]);
	if (err)
		return err;
	err = window_init(gpu, &gpu->bar2, &gpu->bar2_inst,
			  gpu->bus->bar_size[GPU_BAR3]);
	if (err)
		goto fini_bar1;
	err = gpu_flush(gpu);
	if (err)
		goto fini_bar2;
	err = bind_bar1(gpu);
	if (err)
		goto unbind;
	err = bind_bar2(gpu);
	if (err)
		goto unbind;
	return 0;

unbind:
	unbind(gpu);
fini_bar2:
	window_fini(gpu, &gpu->bar2, gpu->bar2_inst);
fini_bar1:
	window_fini(gpu, &gpu->bar1, gpu->bar1_inst);
	return err;
}

void gpu_bar_fini(struct gpu *gpu)
{
	unbind(gpu);
	window_fini(gpu, &gpu->bar2, gpu->bar2_inst);
	window_fini(gpu, &gpu->bar1, gpu->bar1_inst);
}
