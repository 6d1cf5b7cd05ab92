/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Interrupts, and what waits for them in the kernel [§5.2], [§7.4].  Lab 03.
 *
 * The handler runs in hard-interrupt context: it reads what is pending,
 * acknowledges exactly that, wakes whoever waits, and leaves the rest to
 * work that may sleep.
 */
#ifndef GPU_IRQ_H
#define GPU_IRQ_H

#include "gpu.h"

/*
 * Take the interrupt and switch it on, top of the tree last; and back, with no
 * handler running and nothing enabled at return.  May sleep.  0; -EBUSY: it is
 * on; -ENOMEM, -ENXIO, -ENOSPC; -ENODEV: the card is lost.
 */
int gpu_irq_init(struct gpu *gpu);
void gpu_irq_fini(struct gpu *gpu);

/*
 * An event: tell an eventfd when a semaphore word reaches a value.
 *
 * The word is looked at when the event is added, and then at each interrupt
 * of its channel [§9.5].  "Reached" is serial arithmetic: word - value, as a
 * signed 32-bit number, is not negative.  The eventfd is written once, then
 * the event is over; it is also written when the channel dies, and may be when
 * the card is lost and its memory reads as all ones: who is told looks.
 */
struct gpu_event_config {
	struct chan *chan;	/* whose work will write the word	*/
	struct iosys_map word;	/* 4 bytes				*/
	u32 value;
	int eventfd;
};

struct gpu_event;

/* 0; -EINVAL; -EBADF: no eventfd; -ENOMEM; -EIO: the channel is dead, and the
 * word has not reached the value.  The eventfd may be readable before this
 * returns.  Events are removed before their channel and before
 * gpu_irq_fini().  May sleep. */
int gpu_event_add(struct gpu *gpu, const struct gpu_event_config *config,
		  struct gpu_event **event);
/* Whether it was told or not; afterwards nobody writes the eventfd. */
void gpu_event_remove(struct gpu_event *event);

/* Look at all events again: a channel has died.  Any context. */
void gpu_event_check(struct gpu *gpu);

/* 0, or -EIO once the channel has met a fault, -ENODEV on a lost card, which
 * takes a register's read to know; any context. */
int chan_error(const struct chan *chan);
/* Has it met a fault?  Memory alone is looked at; any context. */
bool chan_is_dead(const struct chan *chan);

/* What the handler did so far. */
struct gpu_irq_stats {
	u64 interrupts;		/* times the handler ran		*/
	u64 spurious;		/* … and found nothing			*/
	/* … and found such a thing pending; faults and pbdma may count each
	 * engine and each PBDMA that had one */
	u64 nonstall, faults, pbdma, copy;
	u64 longest_ns;		/* longest run				*/
};
/* All zero while no interrupt is taken; any context. */
void gpu_irq_stats(struct gpu *gpu, struct gpu_irq_stats *stats);

#endif
