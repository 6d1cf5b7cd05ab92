/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Stores that the card sees late, without instrumented code.
 *
 * The driver's stores are found by comparing memory with a copy of it
 * whenever the driver does something that could order them: a barrier, an
 * access to the card.  Between two such points their order means nothing, so
 * that nothing is lost by finding them late, but for stores of a value that
 * is there already.
 */
#include <stdlib.h>
#include <string.h>

#include "loose.h"

#define MEMORY		(4u << 20)
#define DMA_BASE	0x3a5000000ull
#define PAGE		4096u
#define WORD		4u

struct loose {
	struct gpu_bus bus;
	struct loose_config config;
	struct card *card;
	struct visibility *visibility;
	uint8_t *cpu, *seen;	/* memory, and as it was found last */
	size_t used;
	bool late;
	unsigned long violations;
};

static struct loose *the_loose;	/* whose barriers rt_barrier() are */

static struct loose *to_loose(struct gpu_bus *bus)
{
	return container_of(bus, struct loose, bus);
}

static void find_page(struct loose *l, size_t page)
{
	for (size_t at = page; at < page + PAGE; at += WORD) {
		u32 value;

		if (!memcmp(l->cpu + at, l->seen + at, WORD))
			continue;
		memcpy(&value, l->cpu + at, WORD);
		memcpy(l->seen + at, l->cpu + at, WORD);
		if (l->late)
			visibility_store(l->visibility, 0, at, WORD, value,
					 card_now(l->card));
		else
			visibility_card_write(l->visibility, at, &value,
					      WORD);
	}
}

static void find_stores(struct loose *l)
{
	for (size_t page = 0; page < l->used; page += PAGE) {
		if (memcmp(l->cpu + page, l->seen + page, PAGE))
			find_page(l, page);
	}
}

/* The ring is compiled with port/user/judge/barrier.h, which calls this. */
void rt_barrier(int kind);
void rt_barrier(int kind)
{
	if (!the_loose)
		return;
	find_stores(the_loose);
	if (the_loose->config.barriers)
		visibility_barrier(the_loose->visibility, 0, kind);
}

/* The card's side. */

static bool outside(u64 addr, size_t len)
{
	return addr < DMA_BASE || addr - DMA_BASE > MEMORY - len;
}

static const void *host_peek(void *host, enum card_dma_why why, u64 addr,
			     size_t len)
{
	struct loose *l = host;

	(void)why;
	if (outside(addr, len))
		return NULL;
	visibility_age(l->visibility, card_now(l->card));
	return visibility_card(l->visibility) + (addr - DMA_BASE);
}

static int host_read(void *host, enum card_dma_why why, u64 addr, void *buf,
		     size_t len)
{
	const void *from = host_peek(host, why, addr, len);

	if (!from)
		return -EFAULT;
	memcpy(buf, from, len);
	return 0;
}

static int host_write(void *host, enum card_dma_why why, u64 addr,
		      const void *buf, size_t len)
{
	struct loose *l = host;

	(void)why;
	if (outside(addr, len))
		return -EFAULT;
	visibility_card_write(l->visibility, addr - DMA_BASE, buf, len);
	memcpy(l->seen + (addr - DMA_BASE), l->cpu + (addr - DMA_BASE), len);
	return 0;
}

static void host_interrupt(void *host, bool level)
{
	(void)host;
	(void)level;
}

static void host_event(void *host, const struct card_event *event)
{
	struct loose *l = host;

	l->config.event(l->config.context, event);
}

static void host_violation(void *host, const struct card_violation *broken)
{
	struct loose *l = host;

	(void)broken;
	l->violations++;
}

static const struct card_host_ops host_ops = {
	.dma_read = host_read,
	.dma_write = host_write,
	.dma_peek = host_peek,
	.interrupt = host_interrupt,
	.event = host_event,
	.violation = host_violation,
};

/* The driver's side.  GPU_* and CARD_* regions have the same numbers. */

static u64 bus_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		    unsigned int size)
{
	struct loose *l = to_loose(bus);

	find_stores(l);
	return card_read(l->card, (enum card_region)region, offset, size);
}

static void bus_write(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      unsigned int size, u64 value)
{
	struct loose *l = to_loose(bus);

	find_stores(l);
	visibility_mmio(l->visibility, 0);
	card_write(l->card, (enum card_region)region, offset, size, value);
}

static void bus_burst(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      const void *data, size_t len)
{
	struct loose *l = to_loose(bus);

	find_stores(l);
	card_write_burst(l->card, (enum card_region)region, offset, data, len);
}

static int bus_alloc(struct gpu_bus *bus, size_t size, enum dma_kind kind,
		     void **cpu, u64 *dma)
{
	struct loose *l = to_loose(bus);

	size = ALIGN(size, PAGE);
	if (size > MEMORY - l->used)
		return -ENOMEM;
	visibility_map(l->visibility, l->used, size,
		       kind == DMA_COHERENT ? VISIBILITY_COHERENT :
					      VISIBILITY_COMBINED);
	*cpu = l->cpu + l->used;
	*dma = DMA_BASE + l->used;
	l->used += size;
	return 0;
}

/* A run allocates a few times; all is gone at loose_close(). */
static void bus_free(struct gpu_bus *bus, size_t size, void *cpu, u64 dma)
{
	(void)bus;
	(void)size;
	(void)cpu;
	(void)dma;
}

static u64 bus_now(struct gpu_bus *bus)
{
	return card_now(to_loose(bus)->card);
}

static void bus_sleep(struct gpu_bus *bus, u64 ns)
{
	struct loose *l = to_loose(bus);

	find_stores(l);
	card_advance(l->card, ns);
}

static void bus_relax(struct gpu_bus *bus)
{
	bus_sleep(bus, 50);
}

static void bus_close(struct gpu_bus *bus)
{
	gpu_bus_unregister(bus);
}

static const struct gpu_bus_ops bus_ops = {
	.read = bus_read,
	.write = bus_write,
	.write_burst = bus_burst,
	.dma_alloc = bus_alloc,
	.dma_free = bus_free,
	.now = bus_now,
	.relax = bus_relax,
	.sleep = bus_sleep,
	.close = bus_close,
};

static int open_card(struct loose *l)
{
	struct visibility_config memory = {
		.cpu = l->cpu, .size = MEMORY, .order = l->config.order,
		.seed = l->config.card.seed,
		.evict_min = l->config.evict_min,
		.evict_max = l->config.evict_max,
	};

	l->visibility = visibility_new(&memory);
	if (!l->visibility)
		return -ENOMEM;
	l->card = card_new(&l->config.card, &host_ops, l);
	return l->card ? 0 : -ENOMEM;
}

static void loose_free(struct loose *l)
{
	if (l->card)
		card_free(l->card);
	if (l->visibility)
		visibility_free(l->visibility);
	free(l->cpu);
	free(l->seen);
	free(l);
}

int loose_open(const struct loose_config *config, struct loose **out)
{
	struct loose *l = calloc(1, sizeof(*l));
	int err = -ENOMEM;

	if (!l)
		return -ENOMEM;
	l->config = *config;
	l->cpu = aligned_alloc(PAGE, MEMORY);
	l->seen = calloc(1, MEMORY);
	if (!l->cpu || !l->seen)
		goto free_loose;
	memset(l->cpu, 0, MEMORY);
	err = open_card(l);
	if (err)
		goto free_loose;

	l->bus.ops = &bus_ops;
	l->bus.name = "loose";
	for (int i = 0; i < GPU_REGIONS; i++)
		l->bus.bar_size[i] = card_region_size(l->card, i);
	err = gpu_bus_register(&l->bus);
	if (err)
		goto free_loose;
	the_loose = l;
	*out = l;
	return 0;

free_loose:
	loose_free(l);
	return err;
}

void loose_close(struct loose *l)
{
	the_loose = NULL;
	gpu_bus_close(&l->bus);
	loose_free(l);
}

struct gpu_bus *loose_bus(struct loose *l)
{
	return &l->bus;
}

void loose_start(struct loose *l)
{
	find_stores(l);
	l->late = true;
}

unsigned long loose_violations(const struct loose *l)
{
	return l->violations;
}
