/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The inside of a struct gpu: what the files of this folder share.
 *
 * gpu->lock is over all of it.  Functions declared here are called with the
 * lock held, or while no one else can know the gpu yet.
 */
#ifndef KMD_DEVICE_H
#define KMD_DEVICE_H

#include "kmd.h"
#include "extents.h"
#include "engines.h"
#include "kspace.h"
#include "instmem.h"
#include "tables.h"
#include "runlist.h"
#include "reference/hal/chip.h"
#include "vm/spec/reg.h"

#define HOST_CHANNELS	NV_PCCSR_CHANNEL__SIZE_1

struct gpu {
	struct gpu_bus *bus;
	const struct chip *chip;
	struct mutex lock;
	struct mutex tlb_lock;		/* see gpu_tlb_lock()		*/
	u32 pci_command;		/* as we found it		*/
	u32 window;			/* PRAMIN's base, or ~0		*/

	struct engine copy;		/* the copy engine we use	*/
	u32 pbdmas;			/* mask of those that serve it	*/

	struct extents vram;
	void *flush_cpu;		/* the sysmem flush page	*/
	u64 flush_dma;

	struct kspace bar1, bar2, space;
	u64 bar1_inst, bar2_inst;	/* their instance blocks	*/
	u64 userd;			/* the USERD array, in VRAM	*/
	u64 userd_bar1;			/* … and in BAR1		*/

	struct table_pool tables;
	struct runlist runlist;
	struct chan *chans[HOST_CHANNELS];	/* by channel id	*/

	struct gpu_irq *irq;		/* lab 03's			*/
	unsigned int vector;		/* … and its interrupt		*/
	struct work_struct recover;
};

/* An offset in BAR1, as the CPU names it. */
static inline void __iomem *gpu_bar1_at(const struct gpu *gpu, u64 offset)
{
	return (char __iomem *)gpu->bus->bar[GPU_BAR1] + offset;
}

/* One file each, in the order in which gpu_open() calls them. */
int gpu_pci_enable(struct gpu *gpu);
void gpu_pci_disable(struct gpu *gpu);
int gpu_identify(struct gpu *gpu);
int gpu_units_enable(struct gpu *gpu);
void gpu_units_disable(struct gpu *gpu);
int gpu_vram_init(struct gpu *gpu);
void gpu_vram_fini(struct gpu *gpu);
int gpu_sysmem_flush_init(struct gpu *gpu);
void gpu_sysmem_flush_fini(struct gpu *gpu);
int gpu_bar_init(struct gpu *gpu);
void gpu_bar_fini(struct gpu *gpu);
int gpu_host_init(struct gpu *gpu);
void gpu_host_fini(struct gpu *gpu);
/* Let PBDMAs go on that stopped at an error, and interrupt at the next; true
 * if there was one. */
bool gpu_host_clear_errors(struct gpu *gpu);
/* recover.c: dead channels are taken off Host by work. */
void gpu_recover_init(struct gpu *gpu);
void gpu_recover_fini(struct gpu *gpu);
/* The same for the copy engine. */
void gpu_copy_clear_errors(struct gpu *gpu);
/* The copy engine, reset: it lets go, what it was at is lost, and the channel
 * that this was for is dead. */
void gpu_copy_reset(struct gpu *gpu);
/* Without the lock: every channel is dead, and whoever waits is told. */
void gpu_kill_all(struct gpu *gpu);

/* As gpu_vram_alloc(), with the lock held; align is a power of two. */
int vram_alloc(struct gpu *gpu, u64 size, u64 align, u64 *addr);
void vram_free(struct gpu *gpu, u64 addr);

/*
 * As gpu_mem_alloc(), without the lock, but the GPU has it at no address: va
 * is 0.  A vas_map() of it, by the same thread, makes its zeros arrive.
 */
int gpu_mem_alloc_unmapped(struct gpu *gpu, u64 size, enum mem_kind kind,
			   struct gpu_mem *mem);

/* Video memory through the PRAMIN window [§6.1]. */
u32 pramin_rd32(struct gpu *gpu, u64 addr);
void pramin_wr32(struct gpu *gpu, u64 addr, u32 value);
void pramin_clear(struct gpu *gpu, u64 addr, u64 size);

/* Flush, then forget translations of the space with this root [§6.5]. */
int gpu_tlb_invalidate(struct gpu *gpu, u64 root);

#endif
