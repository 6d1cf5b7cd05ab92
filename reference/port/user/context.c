/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Contexts, as marks of a thread [§4.6].
 *
 * A function that may sleep asks might_sleep() first, whether it will sleep
 * this time or not: the mistake shows in the first run, not in the one that
 * finds the lock taken.
 *
 * A spinlock that an interrupt handler takes must be taken elsewhere with
 * interrupts off.  Otherwise the handler may interrupt the holder on its own
 * CPU and spin for ever.  As lockdep does, each lock remembers in which ways
 * it was ever taken, so the two places need not meet to be found.
 */
#include "gpu_bus.h"

enum { TAKEN_IN_IRQ = 1, TAKEN_IRQS_ON = 2 };

static __thread struct port_context context;

struct port_context *port_context(void)
{
	return &context;
}

bool in_hardirq(void)
{
	return context.handler;
}

bool irqs_disabled(void)
{
	return context.irqs_off || context.handler;
}

bool in_atomic(void)
{
	return irqs_disabled() || context.spinlocks;
}

unsigned long port_irq_save(void)
{
	unsigned long flags = context.irqs_off;

	context.irqs_off = true;
	return flags;
}

void port_irq_restore(unsigned long flags)
{
	context.irqs_off = flags;
}

void port_spend(u64 ns)
{
	context.spent += ns;
}

void port_might_sleep(const char *what, const char *where)
{
	if (!in_atomic())
		return;
	if (context.handler)
		port_report(PORT_SLEEP, "%s in %s() may sleep, in the "
			    "interrupt handler %s()", what, where,
			    context.handler);
	else
		port_report(PORT_SLEEP, "%s in %s() may sleep, %s", what,
			    where, context.spinlocks ?
			    "with a spinlock held" : "with interrupts off");
}

/* The lock is held: its words are ours. */
static void lock_check(spinlock_t *lock, const char *name, const char *where)
{
	unsigned int way = context.handler ? TAKEN_IN_IRQ :
		context.irqs_off ? 0 : TAKEN_IRQS_ON;

	if (!way || lock->taken & way)
		return;
	lock->taken |= way;
	if (way == TAKEN_IN_IRQ)
		lock->in_irq = where;
	else
		lock->irqs_on = where;
	if (lock->in_irq && lock->irqs_on)
		port_report(PORT_LOCK, "spinlock %s is taken by the interrupt "
			    "handler, in %s(), and with interrupts on in "
			    "%s()", name, lock->in_irq, lock->irqs_on);
}

void port_spin_lock(spinlock_t *lock, const char *name, const char *where)
{
	pthread_mutex_lock(&lock->lock);
	context.spinlocks++;
	lock_check(lock, name, where);
}

void port_spin_unlock(spinlock_t *lock)
{
	context.spinlocks--;
	pthread_mutex_unlock(&lock->lock);
}
