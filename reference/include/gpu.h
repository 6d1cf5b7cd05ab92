/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A card from power-on to running channels [§7.5].  Given to the student
 * until the labs that teach its parts.
 */
#ifndef GPU_H
#define GPU_H

#include "gpu_bus.h"

struct gpu;
struct chan;
struct vas;

/*
 * Identify the card, check that it is POSTed, bring up windows, a first
 * address space, Host and the copy runlist.  May sleep.
 *
 * 0; -ENODEV: no such chip, or the card does not answer; -ENXIO: not POSTed;
 * -ENOMEM; -ETIMEDOUT: a unit did not become ready.  On failure the card is
 * as quiet as it was found.
 */
int gpu_open(struct gpu_bus *bus, struct gpu **gpu);
/* Stop everything in reverse; all channels must be destroyed.  May sleep. */
void gpu_close(struct gpu *gpu);

/* What gpu_open() was given or found out; any context. */
struct gpu_bus *gpu_bus(struct gpu *gpu);
const char *gpu_chip_name(const struct gpu *gpu);	/* "GP102" */
u32 gpu_copy_class(const struct gpu *gpu);	/* 0xb0b5, 0xc0b5, 0xc1b5 */

/* Memory as a page-table entry names it [§6.4]. */
enum mmu_aperture {
	MMU_VRAM,
	MMU_SYS_COHERENT,
	MMU_SYS_NONCOHERENT,
};

/* Where driver memory lives. */
enum mem_kind {
	MEM_COHERENT,	/* system memory, cached		*/
	MEM_WC,		/* system memory, write-combining	*/
	MEM_VRAM,	/* video memory, seen through BAR1	*/
};

/* Memory that CPU and GPU both see, mapped in the GPU's address space. */
struct gpu_mem {
	enum mem_kind kind;
	u64 size;		/* bytes				*/
	u64 va;			/* GPU virtual address, below 2^40	*/
	struct iosys_map map;	/* the CPU's way to it			*/
	/* private to the allocator */
	void *cpu;
	u64 phys;		/* DMA address, or offset in video memory */
};

/* Zeroed and page aligned.  0, -ENOMEM, -EINVAL.  May sleep. */
int gpu_mem_alloc(struct gpu *gpu, u64 size, enum mem_kind kind,
		  struct gpu_mem *mem);
void gpu_mem_free(struct gpu *gpu, struct gpu_mem *mem);

/*
 * Channels.  A channel is created stopped; chan_start() binds it, enables it
 * and puts it on the runlist.  chan_stop() takes it off again: disable,
 * preempt, off the runlist [§8.6]; it stays bound until chan_destroy().
 */
struct chan_config {
	u32 id;			/* channel id, or CHAN_ANY		*/
	u64 gp_va;		/* GPU address of the GP entries	*/
	u32 gp_entries;		/* a power of two, 2 to 2^20		*/
	struct vas *vas;	/* whose addresses it uses; NULL: the
				 * driver's own, where gpu_mem lies	*/
	bool privileged;	/* may send TLB invalidations [§9.4]	*/
};
/* Let the driver choose a channel id. */
#define CHAN_ANY 0xffffffffu

/* 0; -EBUSY: the id is taken; -EINVAL; -ENOMEM.  May sleep. */
int chan_create(struct gpu *gpu, const struct chan_config *config,
		struct chan **chan);
void chan_destroy(struct chan *chan);
u32 chan_id(const struct chan *chan);
/* The channel's USERD, in BAR1 [§8.3].  512 bytes. */
struct iosys_map chan_userd(const struct chan *chan);
/*
 * Start with Host's GP_GET and GP_PUT at gp_first [§8.6].  Host looks at
 * USERD again only when GP_PUT is written.  0, -EINVAL, -ETIMEDOUT, -ENODEV.
 */
int chan_start(struct chan *chan, u32 gp_first);
/* Stop; entries not begun stay in the ring.  0, -ETIMEDOUT, -ENODEV. */
int chan_stop(struct chan *chan);

#endif
