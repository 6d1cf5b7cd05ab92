/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Interrupts on their way to the client.
 *
 * MSI is an edge: one write to the eventfd for one message.  A driver that
 * turns MSI on reaches the card first (the configuration write) and this
 * table a moment later, so a message may leave before anybody listens.  It is
 * kept, and told when somebody does: an edge that is lost never comes again.
 *
 * INTx is a level on top of an edge: it is told once, counts as masked from
 * then on, and when the client unmasks it and the level is still there, it
 * is told again.
 *
 * A descriptor comes from a stranger: writing to it must not block, so it has
 * to be an eventfd and is made not to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vm/server/irq.h"

/* VFIO's flags of an index. */
enum { EVENTFD = 1, MASKABLE = 2, AUTOMASKED = 4, NORESIZE = 8 };

void irq_init(struct irq *irq)
{
	*irq = (struct irq){ .unmask_fd = -1 };
	for (int i = 0; i < IRQS; i++)
		irq->fd[i] = -1;
}

static void put(int *slot, int fd)
{
	if (*slot >= 0)
		close(*slot);
	*slot = fd;
}

void irq_fini(struct irq *irq)
{
	uint32_t unmask_fds;

	for (int i = 0; i < IRQS; i++)
		put(&irq->fd[i], -1);
	put(&irq->unmask_fd, -1);
	unmask_fds = irq->unmask_fds;
	irq_init(irq);
	irq->unmask_fds = unmask_fds;
}

void irq_reset(struct irq *irq)
{
	irq->level = irq->masked = irq->pending = false;
}

uint32_t irq_count(uint32_t index)
{
	return index == IRQ_INTX || index == IRQ_MSI || index == IRQ_ERROR;
}

uint32_t irq_flags(uint32_t index)
{
	switch (index) {
	case IRQ_INTX:
		return EVENTFD | MASKABLE | AUTOMASKED;
	case IRQ_MSI:
	case IRQ_ERROR:
		return EVENTFD | NORESIZE;
	default:
		return 0;
	}
}

static bool is_eventfd(int fd)
{
	char path[32], target[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return !strcmp(target, "anon_inode:[eventfd]");
}

/* The eventfd of a message, or -1 where it takes one away; -EINVAL. */
static int take(struct inbox *in, int *fd)
{
	int flags;

	*fd = inbox_take_fd(in);
	if (*fd < 0)
		return 0;
	flags = fcntl(*fd, F_GETFL);
	if (!is_eventfd(*fd) || flags < 0 ||
	    (!(flags & O_NONBLOCK) &&
	     fcntl(*fd, F_SETFL, flags | O_NONBLOCK) < 0)) {
		close(*fd);
		return -EINVAL;
	}
	return 0;
}

/* Full is as good as told: whoever reads it will look. */
static void tell(struct irq *irq, int index)
{
	uint64_t one = 1;

	if (write(irq->fd[index], &one, sizeof(one)) == sizeof(one))
		irq->told++;
}

static void intx_update(struct irq *irq)
{
	if (!irq->level || irq->masked || irq->fd[IRQ_INTX] < 0)
		return;
	irq->masked = true;
	tell(irq, IRQ_INTX);
}

static void msi_update(struct irq *irq)
{
	if (!irq->pending || irq->fd[IRQ_MSI] < 0)
		return;
	irq->pending = false;
	tell(irq, IRQ_MSI);
}

void irq_msi(struct irq *irq)
{
	irq->pending = true;
	msi_update(irq);
}

void irq_intx(struct irq *irq, bool level)
{
	irq->level = level;
	intx_update(irq);
}

void irq_unmask_event(struct irq *irq)
{
	uint64_t count;

	if (irq->unmask_fd < 0 ||
	    read(irq->unmask_fd, &count, sizeof(count)) != sizeof(count))
		return;
	irq->masked = false;
	intx_update(irq);
}

static int set_trigger(struct irq *irq, uint32_t index, uint32_t data,
		       bool on, struct inbox *in)
{
	int fd, err;

	switch (data) {
	case VU_IRQ_EVENTFD:
		err = take(in, &fd);
		if (err)
			return err;
		put(&irq->fd[index], fd);
		if (index == IRQ_INTX && fd < 0)
			irq->masked = false;
		break;
	default:
		/* the client tries its own way of hearing */
		if (on && irq->fd[index] >= 0)
			tell(irq, index);
		return 0;
	}
	intx_update(irq);
	msi_update(irq);
	return 0;
}

static int set_mask(struct irq *irq, uint32_t data, bool on, bool mask,
		    struct inbox *in)
{
	int fd, err;

	if (data == VU_IRQ_EVENTFD) {
		if (mask)
			return -EINVAL;
		err = take(in, &fd);
		if (err)
			return err;
		put(&irq->unmask_fd, fd);
		irq->unmask_fds++;
		return 0;
	}
	if (on)
		irq->masked = mask;
	intx_update(irq);
	return 0;
}

/* Count 0 takes a whole index out of use. */
static void disable(struct irq *irq, uint32_t index)
{
	put(&irq->fd[index], -1);
	if (index == IRQ_INTX) {
		put(&irq->unmask_fd, -1);
		irq->masked = false;
	}
}

int irq_set(struct irq *irq, const struct vu_message *message,
	    struct inbox *in)
{
	uint32_t index = message->irqs.index, count = message->irqs.count;
	uint32_t flags = message->irqs.flags;
	uint32_t data = flags & (VU_IRQ_NONE | VU_IRQ_BOOL | VU_IRQ_EVENTFD);
	uint32_t action = flags & ~data;
	bool on;

	/* Exactly one kind of data, one action, of interrupts there are. */
	if (!data || data & (data - 1) || index >= IRQS)
		return -EINVAL;
	if (action != VU_IRQ_MASK && action != VU_IRQ_UNMASK &&
	    action != VU_IRQ_TRIGGER)
		return -EINVAL;
	if (message->irqs.start > irq_count(index) ||
	    count > irq_count(index) - message->irqs.start)
		return -EINVAL;
	if (!count) {
		if (action != VU_IRQ_TRIGGER || data != VU_IRQ_NONE)
			return -EINVAL;
		disable(irq, index);
		return 0;
	}
	on = data != VU_IRQ_BOOL || message->irqs.bools[0];
	if (action == VU_IRQ_TRIGGER)
		return set_trigger(irq, index, data, on, in);
	if (index != IRQ_INTX)
		return -EINVAL;
	return set_mask(irq, data, on, action == VU_IRQ_MASK, in);
}
