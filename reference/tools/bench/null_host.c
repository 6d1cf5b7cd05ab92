/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A Host that has always consumed what it was offered.
 *
 * Peers of the ring, rte_ring and ck_ring, are measured by what enqueueing
 * costs; so is the ring, and a card that executes would be most of it.  Here
 * GP_GET reads as the last GP_PUT, and GET as the end of the last segment.
 * A register access still takes the way of every access: readl(), the look-up
 * of the bus by address, its read().  GP_PUT is the only word ever written.
 */
#include <stdlib.h>

#include "null_host.h"
#include "vm/spec/reg.h"

struct gpu {
	struct gpu_bus bus;
	const struct gpu_mem *gp;	/* where entries lie */
	u32 gp_entries;
	u32 gp_put;
	u64 offered;
};

struct chan {
	struct gpu *gpu;
};

static struct gpu *to_gpu(struct gpu_bus *bus)
{
	return container_of(bus, struct gpu, bus);
}

/* The GPU address behind the last segment that was offered. */
static u64 null_get(const struct gpu *gpu)
{
	u32 put = __atomic_load_n(&gpu->gp_put, __ATOMIC_ACQUIRE);
	const u64 *entries = gpu->gp->map.vaddr;
	u64 entry = entries[(put - 1) & (gpu->gp_entries - 1)];
	u64 high = entry >> 32;

	return (entry & 0xfffffffc) +
		(REG_GET(NVC06F_GP_ENTRY1_GET_HI, high) << 32) +
		REG_GET(NVC06F_GP_ENTRY1_LENGTH, high) * sizeof(u32);
}

static u64 null_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		     unsigned int size)
{
	struct gpu *gpu = to_gpu(bus);

	(void)size;
	if (region != GPU_BAR1)
		return 0;
	switch (offset) {
	case NV_RAMUSERD_GP_GET:
	case NV_RAMUSERD_GP_PUT:
		return __atomic_load_n(&gpu->gp_put, __ATOMIC_ACQUIRE);
	case NV_RAMUSERD_GET:
		return lower_32_bits(null_get(gpu));
	case NV_RAMUSERD_GET_HI:
		return upper_32_bits(null_get(gpu));
	}
	return 0;
}

static void null_write(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		       unsigned int size, u64 value)
{
	struct gpu *gpu = to_gpu(bus);
	u32 mask = gpu->gp_entries - 1;

	(void)size;
	if (region != GPU_BAR1 || offset != NV_RAMUSERD_GP_PUT)
		return;
	gpu->offered += ((u32)value - gpu->gp_put) & mask;
	__atomic_store_n(&gpu->gp_put, (u32)value, __ATOMIC_RELEASE);
}

static u64 null_now(struct gpu_bus *bus)
{
	(void)bus;
	return 0;
}

static void null_relax(struct gpu_bus *bus)
{
	(void)bus;
	sched_yield();
}

static const struct gpu_bus_ops null_ops = {
	.read = null_read,
	.write = null_write,
	.now = null_now,
	.relax = null_relax,
};

int null_gpu_open(struct gpu **out)
{
	struct gpu *gpu = calloc(1, sizeof(*gpu));
	int err;

	if (!gpu)
		return -ENOMEM;
	gpu->bus.ops = &null_ops;
	gpu->bus.name = "null";
	gpu->bus.bar_size[GPU_BAR1] = 1 << 20;
	err = gpu_bus_register(&gpu->bus);
	if (err) {
		free(gpu);
		return err;
	}
	*out = gpu;
	return 0;
}

void null_gpu_close(struct gpu *gpu)
{
	gpu_bus_unregister(&gpu->bus);
	free(gpu);
}

void null_gpu_entries(struct gpu *gpu, const struct gpu_mem *gp)
{
	gpu->gp = gp;
}

u64 null_gpu_offered(const struct gpu *gpu)
{
	return gpu->offered;
}

/* What a ring asks of the bring-up. */

struct gpu_bus *gpu_bus(struct gpu *gpu)
{
	return &gpu->bus;
}

int gpu_mem_alloc(struct gpu *gpu, u64 size, enum mem_kind kind,
		  struct gpu_mem *mem)
{
	(void)gpu;
	*mem = (struct gpu_mem){ .kind = kind, .size = ALIGN(size, 4096) };
	mem->cpu = aligned_alloc(4096, mem->size);
	if (!mem->cpu)
		return -ENOMEM;
	memset(mem->cpu, 0, mem->size);
	/* any address that fits a GP entry, and tells buffers apart */
	mem->va = (uintptr_t)mem->cpu & 0xffffffffffULL;
	iosys_map_set_vaddr(&mem->map, mem->cpu);
	return 0;
}

void gpu_mem_free(struct gpu *gpu, struct gpu_mem *mem)
{
	(void)gpu;
	free(mem->cpu);
}

int chan_create(struct gpu *gpu, const struct chan_config *config,
		struct chan **out)
{
	struct chan *chan = calloc(1, sizeof(*chan));

	if (!chan)
		return -ENOMEM;
	chan->gpu = gpu;
	gpu->gp_entries = config->gp_entries;
	*out = chan;
	return 0;
}

void chan_destroy(struct chan *chan)
{
	free(chan);
}

struct iosys_map chan_userd(const struct chan *chan)
{
	struct iosys_map map;

	iosys_map_set_vaddr_iomem(&map, chan->gpu->bus.bar[GPU_BAR1]);
	return map;
}

int chan_start(struct chan *chan, u32 gp_first)
{
	chan->gpu->gp_put = gp_first;
	return 0;
}

int chan_stop(struct chan *chan)
{
	(void)chan;
	return 0;
}
