/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Interrupts on their way to the client: by eventfds that it gave.
 *
 * Indexes are VFIO's.  The card has INTx and one MSI vector; the index of
 * errors can be set up, as QEMU does, and is never used.
 */
#ifndef SERVER_IRQ_H
#define SERVER_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/server/connection.h"

enum irq_index { IRQ_INTX, IRQ_MSI, IRQ_MSIX, IRQ_ERROR, IRQ_REQUEST, IRQS };

struct irq {
	int fd[IRQS];		/* eventfds; -1: nobody listens		*/
	int unmask_fd;		/* INTx: who may unmask it by an event	*/
	uint32_t unmask_fds;	/* how many there were: is it another?	*/
	bool level;		/* of INTx				*/
	bool masked;		/* INTx was told, and not unmasked yet	*/
	bool pending;		/* MSI: sent while nobody listened	*/
	uint64_t told;		/* events written			*/
};

void irq_init(struct irq *irq);
/* The client is gone: descriptors are closed, nothing is pending. */
void irq_fini(struct irq *irq);
/* The card was reset: nothing is pending; who listens goes on. */
void irq_reset(struct irq *irq);

/* Vectors of an index, and its flags for GET_IRQ_INFO. */
uint32_t irq_count(uint32_t index);
uint32_t irq_flags(uint32_t index);

/* SET_IRQS; takes descriptors from the inbox.  0 or -EINVAL. */
int irq_set(struct irq *irq, const struct vu_message *message,
	    struct inbox *in);

/* A message left the card. */
void irq_msi(struct irq *irq);
/* INTx changed. */
void irq_intx(struct irq *irq, bool level);
/* The client's event to unmask INTx is due, maybe. */
void irq_unmask_event(struct irq *irq);

#endif
