/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The inside of struct gpu_irq, between irq.c and irq_events.c. */
#ifndef IRQ_STATE_H
#define IRQ_STATE_H

#include "irq.h"

/* What is counted, as in struct gpu_irq_stats. */
enum { INTERRUPTS, SPURIOUS, NONSTALL, FAULTS, PBDMA, COPY, LONGEST, COUNTS };

struct gpu_irq {
	struct gpu *gpu;
	unsigned int vector;
	int users;			/* under users_lock		*/
	bool faults;			/* the handler's: look for some	*/
	atomic64_t count[COUNTS];
	spinlock_t lock;		/* over what follows		*/
	struct list_head events;	/* not told; by word together	*/
};

/* NULL: no interrupt is taken; else it stays until irq_put().  Any context. */
struct gpu_irq *irq_hold(struct gpu *gpu);
void irq_put(struct gpu_irq *irq);
/* For those two, and gpu_irq_get(): it is there, or with NULL not any more. */
void irq_publish(struct gpu *gpu, struct gpu_irq *irq, unsigned int vector);

/* Tell those whose time has come, and those whose channel died.  Any context,
 * after what let them be looked at has been acknowledged. */
void events_check(struct gpu_irq *irq);

#endif
