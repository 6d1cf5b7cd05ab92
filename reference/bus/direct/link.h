/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The inside of a direct link: its files share this. */
#ifndef DIRECT_LINK_H
#define DIRECT_LINK_H

#include "direct.h"
#include "dma.h"

/* The interrupt's way to the thread that waits for it; irq.c. */
struct direct_irq {
	pthread_cond_t wake;
	unsigned int messages;	/* that left the card			*/
	bool pending;		/* one came and was not waited for	*/
	bool stop;
	bool asleep;		/* the waiter lies in wake		*/
	/* where the card's time and the host's were at the last access */
	bool moved;
	u64 card_base, host_base;
};

struct direct {
	struct gpu_bus bus;
	pthread_mutex_t lock;
	struct card *card;
	struct dma_space *dma;
	struct card_host_ops ops;
	unsigned int violations[CARD_RULES];
	unsigned int rests;
	struct direct_irq irq;
	u64 entered;		/* the card's time when the lock was taken */
	bool log_events;
	void (*event)(void *context, const struct card_event *event);
	void *event_context;
};

static inline struct direct *to_direct(struct gpu_bus *bus)
{
	return container_of(bus, struct direct, bus);
}

/* Around everything that a CPU does with the card and that takes time. */
static inline void direct_enter(struct direct *direct)
{
	pthread_mutex_lock(&direct->lock);
	direct->entered = card_now(direct->card);
}

static inline void direct_leave(struct direct *direct)
{
	port_spend(card_now(direct->card) - direct->entered);
	direct->irq.moved = true;
	if (direct->irq.asleep)
		pthread_cond_signal(&direct->irq.wake);
	pthread_mutex_unlock(&direct->lock);
}

void direct_irq_init(struct direct *direct);
/* From the card, with the lock held. */
void direct_irq_level(struct direct *direct, bool level);
int direct_irq_wait(struct gpu_bus *bus);
void direct_irq_stop(struct gpu_bus *bus);

#endif
