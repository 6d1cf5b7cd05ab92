/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The inside of a struct gpu: what the files of this folder share.
 *
 * gpu->lock is over all of it.  Functions declared here are called with the
 * lock held, or while no one else can know the gpu yet.
 */
#ifndef KMD_DEVICE_H
#define KMD_DEVICE_H

#include "gpu.h"
#include "extents.h"
#include "engines.h"
#include "vas.h"
#include "instmem.h"
#include "runlist.h"
#include "reference/hal/chip.h"
#include "vm/spec/reg.h"

#define HOST_CHANNELS	NV_PCCSR_CHANNEL__SIZE_1

struct gpu {
	struct gpu_bus *bus;
	const struct chip *chip;
	struct mutex lock;
	u32 pci_command;		/* as we found it		*/
	u32 window;			/* PRAMIN's base, or ~0		*/

	struct engine copy;		/* the copy engine we use	*/
	u32 pbdmas;			/* mask of those that serve it	*/

	struct extents vram;
	void *flush_cpu;		/* the sysmem flush page	*/
	u64 flush_dma;

	struct vas bar1, bar2, space;
	u64 bar1_inst, bar2_inst;	/* their instance blocks	*/
	u64 userd;			/* the USERD array, in VRAM	*/
	u64 userd_bar1;			/* … and in BAR1		*/

	struct runlist runlist;
	struct chan *chans[HOST_CHANNELS];	/* by channel id	*/
};

/* Registers: BAR0 offsets. */
static inline u32 gpu_rd32(struct gpu *gpu, u32 offset)
{
	return readl((char __iomem *)gpu->bus->bar[GPU_BAR0] + offset);
}

static inline void gpu_wr32(struct gpu *gpu, u32 offset, u32 value)
{
	writel(value, (char __iomem *)gpu->bus->bar[GPU_BAR0] + offset);
}

static inline void gpu_mask32(struct gpu *gpu, u32 offset, u32 clear, u32 set)
{
	gpu_wr32(gpu, offset, (gpu_rd32(gpu, offset) & ~clear) | set);
}

/*
 * Wait for bits of a register: all clear, or any set.  Bounded.  0;
 * -ETIMEDOUT; -ENODEV when the card is lost [§2.5].
 */
int gpu_poll_clear(struct gpu *gpu, u32 offset, u32 bits, const char *what);
int gpu_poll_set(struct gpu *gpu, u32 offset, u32 bits, const char *what);

/* Does the card still answer? */
bool gpu_is_lost(struct gpu *gpu);

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
/* Let PBDMAs go on that stopped at an error; true if there was one. */
bool gpu_host_clear_errors(struct gpu *gpu);

/* Video memory, page aligned.  0, -ENOMEM. */
int gpu_vram_alloc(struct gpu *gpu, u64 size, u64 *addr);
void gpu_vram_free(struct gpu *gpu, u64 addr);

/* Video memory through the PRAMIN window [§6.1]. */
u32 pramin_rd32(struct gpu *gpu, u64 addr);
void pramin_wr32(struct gpu *gpu, u64 addr, u32 value);
void pramin_clear(struct gpu *gpu, u64 addr, u64 size);

/* What was written to video memory is there for every unit [§6.6]. */
int gpu_flush(struct gpu *gpu);
/* Forget translations of the address space with this root [§6.5]. */
int gpu_tlb_invalidate(struct gpu *gpu, u64 root);

#endif
