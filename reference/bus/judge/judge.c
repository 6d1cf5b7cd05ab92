/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The bus to a card that a judge holds, in another process.
 *
 * Reads ask, and wait for the answer; writes are posted, as on PCI Express,
 * and the judge works through them in order before it answers anything.  DMA
 * memory is a piece of the arena that both processes map: what the driver
 * stores there is announced by the instrumentation of its code, not here.
 *
 * Every access is a point where another thread may run.
 */
#include "autograder/runtime/rt.h"
#include "gpu_bus.h"

#define DMA_PAGE	4096u
/* CPU time of a posted write [§2.3], for a handler's budget. */
#define WRITE_COST	40u

static u64 judge_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      unsigned int size)
{
	struct wire_reply reply;

	(void)bus;
	rt_point();
	reply = rt_ask(WIRE_READ, region, offset, size);
	port_spend(reply.cost);
	return reply.a;
}

static void judge_write(struct gpu_bus *bus, enum gpu_region region,
			u64 offset, unsigned int size, u64 value)
{
	(void)bus;
	rt_point();
	rt_post(WIRE_WRITE, region, offset, size, value);
	port_spend(WRITE_COST);
}

static void judge_write_burst(struct gpu_bus *bus, enum gpu_region region,
			      u64 offset, const void *data, size_t len)
{
	(void)bus;
	rt_point();
	/* The data may lie in DMA memory that the card has written. */
	if (rt_arena_offset(data) != UINT64_MAX)
		rt_ask(WIRE_LOAD, rt_arena_offset(data), len, 0);
	rt_post_burst(region, offset, data, len);
	port_spend(WRITE_COST * DIV_ROUND_UP(len, 64));
}

static int judge_dma_alloc(struct gpu_bus *bus, size_t size,
			   enum dma_kind kind, void **cpu, u64 *dma)
{
	struct wire_reply reply;

	(void)bus;
	rt_point();
	if (!size || size > WIRE_ARENA_SIZE || rt_alloc_fails())
		return -ENOMEM;
	size = ALIGN(size, DMA_PAGE);
	reply = rt_ask(WIRE_DMA_ALLOC, size, kind, 0);
	if (reply.a > WIRE_ARENA_SIZE - size)
		return -ENOMEM;
	*cpu = rt_arena(reply.a);
	*dma = reply.b;
	return 0;
}

static void judge_dma_free(struct gpu_bus *bus, size_t size, void *cpu,
			   u64 dma)
{
	(void)bus;
	(void)dma;
	rt_point();
	rt_ask(WIRE_DMA_FREE, ALIGN(size, DMA_PAGE), rt_arena_offset(cpu), 0);
}

/* Told in order with the writes before it; no point to change threads. */
static void judge_table_freed(struct gpu_bus *bus, u64 addr, u64 size)
{
	(void)bus;
	rt_post(WIRE_TABLE_FREED, 0, addr, 0, size);
}

static u64 judge_now(struct gpu_bus *bus)
{
	(void)bus;
	return rt_now();
}

static void judge_relax(struct gpu_bus *bus)
{
	(void)bus;
	port_spend(rt_relax());
}

static void judge_sleep(struct gpu_bus *bus, u64 ns)
{
	(void)bus;
	rt_sleep(ns);
	port_spend(ns);
}

static int judge_irq_wait(struct gpu_bus *bus)
{
	(void)bus;
	return rt_irq_wait() ? 0 : -EINTR;
}

static void judge_irq_stop(struct gpu_bus *bus)
{
	(void)bus;
	rt_irq_stop();
}

static void judge_close(struct gpu_bus *bus)
{
	gpu_bus_unregister(bus);
}

static const struct gpu_bus_ops judge_ops = {
	.read = judge_read,
	.write = judge_write,
	.write_burst = judge_write_burst,
	.dma_alloc = judge_dma_alloc,
	.dma_free = judge_dma_free,
	.table_freed = judge_table_freed,
	.now = judge_now,
	.relax = judge_relax,
	.sleep = judge_sleep,
	.irq_wait = judge_irq_wait,
	.irq_stop = judge_irq_stop,
	.close = judge_close,
};

int bus_judge_open(struct gpu_bus **bus)
{
	/* One link, one card. */
	static struct gpu_bus judge_bus;
	int err;

	judge_bus = (struct gpu_bus){ .ops = &judge_ops, .name = "judge" };
	for (int i = 0; i < GPU_REGIONS; i++)
		judge_bus.bar_size[i] = rt_ask(WIRE_REGION_SIZE, i, 0, 0).a;

	err = gpu_bus_register(&judge_bus);
	if (err)
		return err;
	for (int i = GPU_BAR0; i < GPU_REGIONS; i++)
		rt_bar_range(i, judge_bus.bar[i], judge_bus.bar_size[i]);
	*bus = &judge_bus;
	return 0;
}
