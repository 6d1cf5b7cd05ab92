/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the driver's core gives to a lab's file in the kernel: registers,
 * bounded waits, video memory, and what there is to know of the chip.
 *
 * struct gpu stays closed.  Unless a comment says otherwise, functions may be
 * called from any number of threads at once.
 */
#ifndef KMD_H
#define KMD_H

#include "gpu.h"

/* Where the registers are: BAR0. */
void __iomem *gpu_registers(const struct gpu *gpu);

/* Registers by their offset in BAR0; any context. */
static inline u32 gpu_rd32(struct gpu *gpu, u32 offset)
{
	return readl((char __iomem *)gpu_registers(gpu) + offset);
}

static inline void gpu_wr32(struct gpu *gpu, u32 offset, u32 value)
{
	writel(value, (char __iomem *)gpu_registers(gpu) + offset);
}

static inline void gpu_mask32(struct gpu *gpu, u32 offset, u32 clear, u32 set)
{
	gpu_wr32(gpu, offset, (gpu_rd32(gpu, offset) & ~clear) | set);
}

/* Configuration space [§3.1], by byte offset; any context. */
u32 gpu_config_rd32(struct gpu *gpu, u32 offset);
void gpu_config_wr32(struct gpu *gpu, u32 offset, u32 value);
/* Where the next extended capability with this id is, after the one at after
 * or, when that is 0, from the first; 0: there is none.  Any context. */
u32 gpu_find_ext_cap(struct gpu *gpu, u32 after, u32 id);

/* Which course additions the card has, as NV_ADDITION_FEATURES says; 0 where
 * nothing announces them [§12.1].  Any context. */
u32 gpu_additions(struct gpu *gpu);

/*
 * Wait for bits of a register: all clear, or any set.  Bounded; what goes
 * into the log.  0; -ETIMEDOUT; -ENODEV when the card is lost [§2.5].
 */
int gpu_poll_clear(struct gpu *gpu, u32 offset, u32 bits, const char *what);
int gpu_poll_set(struct gpu *gpu, u32 offset, u32 bits, const char *what);

/* Does the card not answer any more?  Any context. */
bool gpu_is_lost(struct gpu *gpu);

/* The chip; any context. */
u32 gpu_mmu_format(const struct gpu *gpu);	/* 1 or 2 [§6.4]	*/
bool gpu_has_wide_pdb(const struct gpu *gpu);	/* …_UPPER_PDB [§6.5]	*/
u32 gpu_dma_bits(const struct gpu *gpu);	/* of a DMA address [§4.1] */
u64 gpu_vram_end(const struct gpu *gpu);	/* usable: below this	*/

/*
 * Video memory, page aligned; its contents are whatever was there before.
 * May sleep.  0, -ENOMEM.
 */
int gpu_vram_alloc(struct gpu *gpu, u64 size, u64 *addr);
void gpu_vram_free(struct gpu *gpu, u64 addr);

/*
 * Video memory for page tables, which the CPU sees through BAR1: what is
 * written there is on its way until gpu_flush() returns [§4.4].
 */
struct table_mem {
	u64 addr;		/* in video memory			*/
	u64 size;
	struct iosys_map map;
	/* private to the allocator */
	struct slab *slab;
};

/*
 * size is at most 2 MiB; addr is a multiple of it, rounded up to a power of
 * two, and of 256.  The contents are whatever was there before.  May sleep.
 * 0, -ENOMEM, -ETIMEDOUT, -ENODEV.
 */
int gpu_table_alloc(struct gpu *gpu, u64 size, struct table_mem *mem);
/* Nothing leads there any more, and the card has forgotten it [§6.5]. */
void gpu_table_free(struct gpu *gpu, struct table_mem *mem);

/*
 * What was written to video memory before, by this thread, is there for every
 * unit [§6.6].  May poll.  0, -ETIMEDOUT, -ENODEV.
 */
int gpu_flush(struct gpu *gpu);

/*
 * The lock over the registers by which translations are invalidated [§6.5]:
 * there is one set of them, and the driver's core uses it too.  A lock below
 * all others.  May sleep.
 */
void gpu_tlb_lock(struct gpu *gpu);
void gpu_tlb_unlock(struct gpu *gpu);

/* Interrupts ----------------------------------------------------------- */

/* Which of the two kinds of interrupt tree the chip has [§5.2], [§3.3]; any
 * context. */
bool gpu_is_pascal(const struct gpu *gpu);
/* The copy engine that we use: its bit in NV_PMC_INTR, its number among copy
 * engines [§10.2], and Host's number for it [§7.4]; any context. */
u32 gpu_copy_intr(const struct gpu *gpu);
u32 gpu_copy_instance(const struct gpu *gpu);
u32 gpu_copy_engine(const struct gpu *gpu);
/* The PBDMAs that serve us, one bit each; any context. */
u32 gpu_pbdmas(const struct gpu *gpu);

/* What gpu_irq_init() keeps with the gpu. */
struct gpu_irq;
/* Its state, NULL before and after; any context. */
struct gpu_irq *gpu_irq_get(struct gpu *gpu);
/* Keep it, and the vector that it took. */
void gpu_irq_set(struct gpu *gpu, struct gpu_irq *irq, unsigned int vector);

/*
 * For the interrupt handler, which sees a channel's number (its TSG's is the
 * same) or its instance block.  NULL: none.  The channel stays until the
 * handler has returned.
 */
struct chan *gpu_find_chan(struct gpu *gpu, u32 id);
struct chan *gpu_find_chan_inst(struct gpu *gpu, u64 inst);

/*
 * This channel is dead: chan_error() is -EIO from now on, and work that may
 * sleep takes it off Host: disabled, preempted, what it stalled set going
 * again and its interrupts enabled, off the runlist [§7.4].  Any context.
 */
void chan_kill(struct chan *chan);
/* Of NV_PFIFO_INTR_0, as read and not acknowledged yet: the errors that end no
 * channel, a line each into the log [§7.4].  Any context. */
void gpu_log_errors(struct gpu *gpu, u32 intr);
/* Some channel has met a fault and it is not known which: work looks for it,
 * kills it, and calls gpu_event_check().  Any context. */
void gpu_find_faults(struct gpu *gpu);

#endif
