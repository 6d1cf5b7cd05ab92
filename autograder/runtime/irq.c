/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Interrupts, as the driver's interrupt thread waits for them.
 *
 * The judge counts the messages that the card has sent, and tells the number
 * with every answer.  The thread can run once it has risen; when it does is
 * the schedule's decision, as if the handler ran on another CPU: between any
 * two accesses of the other threads.
 *
 * Messages that come while the handler runs are one: MSI has a bit for each
 * vector and no queue.  At the end of a batch the handler that is due or
 * running is run to its end, so that no interrupt is left half served while
 * the judge looks.  Waiting for one that may never come is no deadlock.
 */
#include "internal.h"

static struct {
	struct rt_thread *thread;	/* who waits, or serves		*/
	uint64_t sent, taken;
	bool waits, stop;
} irq;

static bool due(void)
{
	return irq.sent != irq.taken || irq.stop;
}

void rt_irq_sent(uint64_t count)
{
	if (count == irq.sent)
		return;
	irq.sent = count;
	if (irq.waits)
		rt_wake(irq.thread);
}

bool rt_irq_is_taken(void)
{
	return irq.thread;
}

bool rt_irq_waits(const struct rt_thread *thread)
{
	return irq.waits && (!thread || thread == irq.thread);
}

bool rt_irq_wait(void)
{
	rt_point();
	irq.thread = rt_self;
	rt_wake_all(&irq);		/* rt_irq_settle()		*/
	while (!due()) {
		irq.waits = true;
		rt_block("interrupt", &irq.waits, RT_FOREVER);
		irq.waits = false;
	}
	if (irq.stop) {
		irq.stop = false;
		irq.thread = NULL;
		return false;
	}
	irq.taken = irq.sent;
	return true;
}

void rt_irq_stop(void)
{
	rt_point();
	irq.stop = true;
	if (irq.waits)
		rt_wake(irq.thread);
}

void rt_irq_settle(void)
{
	while (irq.thread && irq.thread->state != RT_DONE &&
	       (due() || !irq.waits))
		rt_block("the interrupt handler", &irq, RT_FOREVER);
}
