/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * In which context a function runs, and what it may do there [§4.6].
 *
 * In a process, "interrupts are off on this CPU" is a mark of the thread: it
 * stops nobody, just as in the kernel it stops no other CPU.
 */
#ifndef PORT_CONTEXT_H
#define PORT_CONTEXT_H

#include "types.h"

bool in_hardirq(void);
/* In hard interrupt, under a spinlock, or with interrupts off. */
bool in_atomic(void);
bool irqs_disabled(void);

/* This may sleep: reported where it must not.  what sleeps, in function
 * where. */
void port_might_sleep(const char *what, const char *where);
#define might_sleep()	port_might_sleep("might_sleep()", __func__)

/* Interrupts off on this CPU; were they on?  And as they were. */
unsigned long port_irq_save(void);
void port_irq_restore(unsigned long flags);
#define local_irq_save(flags)	 ((flags) = port_irq_save())
#define local_irq_restore(flags) port_irq_restore(flags)
#define local_irq_disable()	 ((void)port_irq_save())
#define local_irq_enable()	 port_irq_restore(0)

/* For the port's own files. */
struct port_context {
	const char *handler;	/* in hard interrupt: its name	*/
	bool irqs_off;
	unsigned int spinlocks;	/* held				*/
	u64 spent;		/* ns, by port_spend()		*/
};
struct port_context *port_context(void);

#endif
