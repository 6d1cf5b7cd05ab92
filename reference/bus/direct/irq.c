/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Interrupts on the direct link, and who runs the card while all sleep.
 *
 * The card's time moves when somebody accesses the card.  If every thread
 * sleeps until an interrupt comes, nobody does, and it would never come.  So
 * the thread that waits for interrupts steps the card from event to event.
 *
 * It must not run away.  A channel that waits for a semaphore tries again for
 * ever, and with it the card's time would fly past every time-out of a thread
 * that has just been scheduled out.  Therefore the card's time may run ahead
 * by HEAD_START from the last access, and from then on as fast as the host's.
 */
#include <sched.h>
#include <time.h>

#include "link.h"

#define HEAD_START	NSEC_PER_MSEC
/* Steps before other threads get a chance. */
#define YIELD_STEPS	16

static u64 host_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

void direct_irq_init(struct direct *direct)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&direct->irq.wake, &attr);
	pthread_condattr_destroy(&attr);
}

void direct_irq_level(struct direct *direct, bool level)
{
	struct direct_irq *irq = &direct->irq;

	if (!level)
		return;
	irq->messages++;
	irq->pending = true;
	if (irq->asleep)
		pthread_cond_signal(&irq->wake);
}

static void sleep_until(struct direct *direct, u64 host)
{
	struct timespec until = { host / NSEC_PER_SEC, host % NSEC_PER_SEC };
	struct direct_irq *irq = &direct->irq;

	irq->asleep = true;
	if (host == UINT64_MAX)
		pthread_cond_wait(&irq->wake, &direct->lock);
	else
		pthread_cond_timedwait(&irq->wake, &direct->lock, &until);
	irq->asleep = false;
}

/* The card's next event; or sleep until it may come, or an access does. */
static void idle(struct direct *direct)
{
	u64 next = card_next_event(direct->card);
	struct direct_irq *irq = &direct->irq;
	u64 ahead, host;

	if (next == UINT64_MAX) {
		sleep_until(direct, UINT64_MAX);
		return;
	}
	if (irq->moved) {
		irq->moved = false;
		irq->card_base = card_now(direct->card);
		irq->host_base = 0;
	}
	ahead = next > irq->card_base ? next - irq->card_base : 0;
	if (ahead > HEAD_START) {
		host = host_ns();
		if (!irq->host_base)
			irq->host_base = host;
		if (host - irq->host_base < ahead - HEAD_START) {
			sleep_until(direct, irq->host_base + ahead -
				    HEAD_START);
			return;
		}
	}
	card_step(direct->card, next);
}

int direct_irq_wait(struct gpu_bus *bus)
{
	struct direct *direct = to_direct(bus);
	struct direct_irq *irq = &direct->irq;
	bool stop;

	pthread_mutex_lock(&direct->lock);
	irq->moved = true;
	for (unsigned int steps = 1; !irq->stop && !irq->pending; steps++) {
		idle(direct);
		if (steps % YIELD_STEPS == 0) {
			pthread_mutex_unlock(&direct->lock);
			sched_yield();
			pthread_mutex_lock(&direct->lock);
		}
	}
	stop = irq->stop;
	if (stop)
		irq->stop = false;
	else
		irq->pending = false;
	pthread_mutex_unlock(&direct->lock);
	return stop ? -EINTR : 0;
}

void direct_irq_stop(struct gpu_bus *bus)
{
	struct direct *direct = to_direct(bus);

	pthread_mutex_lock(&direct->lock);
	direct->irq.stop = true;
	pthread_cond_signal(&direct->irq.wake);
	pthread_mutex_unlock(&direct->lock);
}
