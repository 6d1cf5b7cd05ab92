/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The direct link: driver and card in one process.
 *
 * A register access is a function call, so a debugger steps from the driver
 * into the hardware, and a bench measures the driver.  The card is not thread
 * safe: one mutex is the PCI Express link, which also serialises what the
 * CPUs send.  Memory is shared plainly: what the driver has stored before an
 * access, the card sees.  Missing barriers are therefore found on the judge's
 * link and not here.
 *
 * Who runs the card?  Whoever accesses it, and while all threads sleep, the
 * one that waits for its interrupts (irq.c here).  A driver that requests none
 * has no such thread, and its runs are the same to the nanosecond.
 *
 * Broken rules are counted and logged.  PORT_LOG=debug logs every event.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "link.h"

/* The longest a turn of a polling loop may last, ns. */
#define RELAX_NS	1000
/* Turns in which nothing happens before other threads get a chance. */
#define YIELD_TURNS	16

/* The card's side: what it asks of its machine. */

static int host_dma_read(void *host, enum card_dma_why why, u64 addr,
			 void *buf, size_t len)
{
	struct direct *direct = host;
	const void *from = dma_space_find(direct->dma, addr, len);

	(void)why;
	if (!from)
		return -EFAULT;
	memcpy(buf, from, len);
	return 0;
}

static int host_dma_write(void *host, enum card_dma_why why, u64 addr,
			  const void *buf, size_t len)
{
	struct direct *direct = host;
	void *to = dma_space_find(direct->dma, addr, len);

	(void)why;
	if (!to)
		return -EFAULT;
	memcpy(to, buf, len);
	return 0;
}

static const void *host_dma_peek(void *host, enum card_dma_why why, u64 addr,
				 size_t len)
{
	struct direct *direct = host;

	(void)why;
	return dma_space_find(direct->dma, addr, len);
}

static int host_ats(void *host, u64 page, u64 *dma)
{
	struct direct *direct = host;

	return dma_space_address(direct->dma, page, dma);
}

static void host_interrupt(void *host, bool level)
{
	struct direct *direct = host;

	direct_irq_level(direct, level);
}

static void host_event(void *host, const struct card_event *event)
{
	struct direct *direct = host;
	char line[256];

	if (direct->event)
		direct->event(direct->event_context, event);
	if (direct->log_events && direct->card) {
		card_event_print(direct->card, event, line, sizeof(line));
		pr_debug("%12llu %s\n", (unsigned long long)event->time, line);
	}
}

static void host_violation(void *host, const struct card_violation *broken)
{
	struct direct *direct = host;

	direct->violations[broken->rule]++;
	pr_err("%llu ns: %s [%s] %s; expected %s, actual %s\n",
	       (unsigned long long)broken->time, card_rule_name(broken->rule),
	       card_rule_section(broken->rule), card_rule_text(broken->rule),
	       broken->expected ? broken->expected : "-",
	       broken->actual ? broken->actual : "-");
}

/* The driver's side: struct gpu_bus_ops. */

static enum card_region to_card_region(enum gpu_region region)
{
	static const enum card_region regions[GPU_REGIONS] = {
		[GPU_CONFIG] = CARD_CONFIG,
		[GPU_BAR0] = CARD_BAR0,
		[GPU_BAR1] = CARD_BAR1,
		[GPU_BAR3] = CARD_BAR3,
	};

	return regions[region];
}

static u64 direct_read(struct gpu_bus *bus, enum gpu_region region,
		       u64 offset, unsigned int size)
{
	struct direct *direct = to_direct(bus);
	u64 value;

	direct_enter(direct);
	value = card_read(direct->card, to_card_region(region), offset, size);
	direct_leave(direct);
	return value;
}

static void direct_write(struct gpu_bus *bus, enum gpu_region region,
			 u64 offset, unsigned int size, u64 value)
{
	struct direct *direct = to_direct(bus);

	direct_enter(direct);
	card_write(direct->card, to_card_region(region), offset, size, value);
	direct_leave(direct);
}

static void direct_write_burst(struct gpu_bus *bus, enum gpu_region region,
			       u64 offset, const void *data, size_t len)
{
	struct direct *direct = to_direct(bus);

	direct_enter(direct);
	card_write_burst(direct->card, to_card_region(region), offset, data,
			 len);
	direct_leave(direct);
}

static int direct_dma_alloc(struct gpu_bus *bus, size_t size,
			    enum dma_kind kind, void **cpu, u64 *dma)
{
	struct direct *direct = to_direct(bus);
	int err;

	(void)kind;	/* one process sees its own stores either way */
	pthread_mutex_lock(&direct->lock);
	err = dma_space_alloc(direct->dma, size, cpu, dma);
	pthread_mutex_unlock(&direct->lock);
	return err;
}

static void direct_dma_free(struct gpu_bus *bus, size_t size, void *cpu,
			    u64 dma)
{
	struct direct *direct = to_direct(bus);

	pthread_mutex_lock(&direct->lock);
	card_dma_freed(direct->card, dma, size);
	dma_space_release(direct->dma, size, cpu, dma);
	pthread_mutex_unlock(&direct->lock);
}

static void direct_table_freed(struct gpu_bus *bus, u64 addr, u64 size)
{
	struct direct *direct = to_direct(bus);

	pthread_mutex_lock(&direct->lock);
	card_table_freed(direct->card, addr, size);
	pthread_mutex_unlock(&direct->lock);
}

static u64 direct_now(struct gpu_bus *bus)
{
	struct direct *direct = to_direct(bus);
	u64 now;

	pthread_mutex_lock(&direct->lock);
	now = card_now(direct->card);
	pthread_mutex_unlock(&direct->lock);
	return now;
}

static void direct_relax(struct gpu_bus *bus)
{
	struct direct *direct = to_direct(bus);
	unsigned int rests = 0;
	u64 deadline;

	direct_enter(direct);
	deadline = card_now(direct->card) + RELAX_NS;
	if (!card_step(direct->card, deadline)) {
		u64 now = card_now(direct->card);

		if (now < deadline)
			card_advance(direct->card, deadline - now);
		rests = ++direct->rests;
	}
	direct_leave(direct);

	/* The card waits for the driver: let another thread be the one. */
	if (rests % YIELD_TURNS == 1)
		sched_yield();
}

static void direct_sleep(struct gpu_bus *bus, u64 ns)
{
	struct direct *direct = to_direct(bus);

	direct_enter(direct);
	card_advance(direct->card, ns);
	direct_leave(direct);
}

static void direct_close(struct gpu_bus *bus)
{
	struct direct *direct = to_direct(bus);

	gpu_bus_unregister(bus);
	card_free(direct->card);
	dma_space_free(direct->dma);
	pthread_cond_destroy(&direct->irq.wake);
	pthread_mutex_destroy(&direct->lock);
	free(direct);
}

static const struct gpu_bus_ops direct_ops = {
	.read = direct_read,
	.write = direct_write,
	.write_burst = direct_write_burst,
	.dma_alloc = direct_dma_alloc,
	.dma_free = direct_dma_free,
	.table_freed = direct_table_freed,
	.now = direct_now,
	.relax = direct_relax,
	.sleep = direct_sleep,
	.irq_wait = direct_irq_wait,
	.irq_stop = direct_irq_stop,
	.close = direct_close,
};

static struct card *direct_card_new(struct direct *direct,
				    const struct card_config *config)
{
	const char *log = getenv("PORT_LOG");

	direct->ops = (struct card_host_ops){
		.dma_read = host_dma_read,
		.dma_write = host_dma_write,
		.dma_peek = host_dma_peek,
	.ats = host_ats,
		.interrupt = host_interrupt,
		.violation = host_violation,
	};

	direct->log_events = log && !strcmp(log, "debug");
	if (direct->log_events || direct->event)
		direct->ops.event = host_event;
	return card_new(config, &direct->ops, direct);
}

int bus_direct_open_traced(const struct card_config *config,
			   void (*event)(void *context,
					 const struct card_event *event),
			   void *context, struct gpu_bus **bus)
{
	static const char *const names[CARD_CHIPS] = {
		"direct:P100", "direct:P40", "direct:M40",
	};
	unsigned int mask_bits = config->chip == CARD_M40 ? 40 : 47;
	struct direct *direct = calloc(1, sizeof(*direct));
	int err = -ENOMEM;

	if (!direct)
		return -ENOMEM;
	pthread_mutex_init(&direct->lock, NULL);
	direct_irq_init(direct);
	direct->bus.ops = &direct_ops;
	direct->bus.name = names[config->chip];
	direct->event = event;
	direct->event_context = context;

	direct->dma = dma_space_new(mask_bits, config->seed);
	if (!direct->dma)
		goto free_direct;
	direct->card = direct_card_new(direct, config);
	if (!direct->card)
		goto free_dma;
	for (int i = 0; i < GPU_REGIONS; i++)
		direct->bus.bar_size[i] =
			card_region_size(direct->card, to_card_region(i));
	err = gpu_bus_register(&direct->bus);
	if (err)
		goto free_card;

	*bus = &direct->bus;
	return 0;

free_card:
	card_free(direct->card);
free_dma:
	dma_space_free(direct->dma);
free_direct:
	pthread_cond_destroy(&direct->irq.wake);
	pthread_mutex_destroy(&direct->lock);
	free(direct);
	return err;
}

int bus_direct_open(const struct card_config *config, struct gpu_bus **bus)
{
	return bus_direct_open_traced(config, NULL, NULL, bus);
}

struct card *bus_direct_card(struct gpu_bus *bus)
{
	return to_direct(bus)->card;
}

struct card *bus_direct_lock(struct gpu_bus *bus)
{
	pthread_mutex_lock(&to_direct(bus)->lock);
	return to_direct(bus)->card;
}

void bus_direct_unlock(struct gpu_bus *bus)
{
	pthread_mutex_unlock(&to_direct(bus)->lock);
}

unsigned int bus_direct_violations(struct gpu_bus *bus, enum card_rule rule)
{
	return to_direct(bus)->violations[rule];
}

unsigned int bus_direct_violations_all(struct gpu_bus *bus)
{
	unsigned int sum = 0;

	for (int i = 0; i < CARD_RULES; i++)
		sum += to_direct(bus)->violations[i];
	return sum;
}

unsigned int bus_direct_interrupts(struct gpu_bus *bus)
{
	return to_direct(bus)->irq.messages;
}
