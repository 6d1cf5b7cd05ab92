/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Interrupts, under Linux's names [§3.3], [§4.6].
 *
 * The handler runs in hard interrupt: it must not sleep, and it must be
 * short.  In a process it is a thread of its own that waits for the bus to
 * deliver a message; what a handler may not do is reported all the same.
 */
#ifndef PORT_IRQ_H
#define PORT_IRQ_H

#include "types.h"

typedef enum irqreturn {
	IRQ_NONE,		/* not ours, or nothing was pending	*/
	IRQ_HANDLED,
} irqreturn_t;

typedef irqreturn_t (*irq_handler_t)(int irq, void *dev);

#define IRQF_SHARED	0x00000080ul
/* Not to be made a thread, even where the kernel is told to force that. */
#define IRQF_NO_THREAD	0x00010000ul

/* What a handler may take of the CPU's time, ns. */
#define PORT_IRQ_BUDGET	50000u

/*
 * From here on the handler may run; irq is from gpu_bus_irq().  Not shared
 * here.  May sleep.  0, -EINVAL: no such vector, -EBUSY, -ENOMEM.
 */
int port_request_irq(unsigned int irq, irq_handler_t handler,
		     const char *handler_name, unsigned long flags,
		     const char *name, void *dev);
#define request_irq(irq, handler, flags, name, dev) \
	port_request_irq(irq, handler, #handler, flags, name, dev)
/* The handler is not running at return and will not run again.  Sleeps. */
void free_irq(unsigned int irq, void *dev);
/* Until a run of the handler in progress has ended.  Sleeps. */
void synchronize_irq(unsigned int irq);

#endif
