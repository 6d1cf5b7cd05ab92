/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * From an __iomem pointer to the bus it belongs to.
 *
 * In a process an emulated BAR has no memory behind it.  Each open bus
 * reserves addresses of its BARs' sizes, without access rights and without
 * cost: a pointer into them is a name that readl() and writel() look up here.
 * A driver that dereferences one faults at once, on every link; on a real
 * card the same slip works on some machines and breaks on others.
 *
 * One reservation holds all BARs of a bus, so finding the bus is one
 * comparison for each open card, and the region one for each BAR.
 *
 * Slots are filled under a mutex and read without: a slot's bus pointer is
 * stored last, with release, and cleared first.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "gpu_bus.h"

#define PORT_BUSES	16
/* Between BARs, so that a pointer run off the end of one hits none. */
#define PORT_GUARD	(1UL << 20)

static struct bus_slot {
	struct gpu_bus *bus;	/* NULL: free */
	uintptr_t base;
	size_t span;
} slots[PORT_BUSES];

static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;
static int slots_used;		/* no slot beyond was ever filled */

static size_t bus_span(const struct gpu_bus *bus)
{
	size_t span = 0;

	for (int i = 0; i < GPU_REGIONS; i++)
		span += ALIGN(bus->bar_size[i], PORT_GUARD) + PORT_GUARD;
	return span;
}

static void bus_place_bars(struct gpu_bus *bus, char *at)
{
	for (int i = 0; i < GPU_REGIONS; i++) {
		bus->bar[i] = bus->bar_size[i] ? at : NULL;
		at += ALIGN(bus->bar_size[i], PORT_GUARD) + PORT_GUARD;
	}
}

static struct bus_slot *slot_find_free(void)
{
	for (int i = 0; i < PORT_BUSES; i++) {
		if (!slots[i].bus)
			return &slots[i];
	}
	return NULL;
}

int gpu_bus_register(struct gpu_bus *bus)
{
	size_t span = bus_span(bus);
	struct bus_slot *slot;
	void *base;

	base = mmap(NULL, span, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return -ENOMEM;

	pthread_mutex_lock(&slots_lock);
	slot = slot_find_free();
	if (slot) {
		bus_place_bars(bus, base);
		__atomic_store_n(&slot->base, (uintptr_t)base,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&slot->span, span, __ATOMIC_RELAXED);
		smp_store_release(&slot->bus, bus);
		if (slots_used <= slot - slots)
			smp_store_release(&slots_used,
					  (int)(slot - slots) + 1);
	}
	pthread_mutex_unlock(&slots_lock);

	if (!slot) {
		munmap(base, span);
		return -ENOSPC;
	}
	return 0;
}

void gpu_bus_unregister(struct gpu_bus *bus)
{
	void *base = NULL;
	size_t span = 0;

	pthread_mutex_lock(&slots_lock);
	for (int i = 0; i < PORT_BUSES; i++) {
		if (slots[i].bus != bus)
			continue;
		base = (void *)slots[i].base;
		span = slots[i].span;
		smp_store_release(&slots[i].bus, NULL);
	}
	pthread_mutex_unlock(&slots_lock);

	if (base)
		munmap(base, span);
	memset(bus->bar, 0, sizeof(bus->bar));
}

struct gpu_bus *gpu_bus_next(unsigned int *cursor)
{
	while (*cursor < PORT_BUSES) {
		struct gpu_bus *bus = smp_load_acquire(&slots[*cursor].bus);

		++*cursor;
		if (bus)
			return bus;
	}
	return NULL;
}

static bool bus_locate(const struct gpu_bus *bus, uintptr_t at,
		       enum gpu_region *region, u64 *offset)
{
	for (int i = 0; i < GPU_REGIONS; i++) {
		u64 distance = at - (uintptr_t)bus->bar[i];

		if (bus->bar[i] && distance < bus->bar_size[i]) {
			*region = i;
			*offset = distance;
			return true;
		}
	}
	return false;
}

struct gpu_bus *gpu_bus_find(const volatile void __iomem *addr,
			     enum gpu_region *region, u64 *offset)
{
	uintptr_t at = (uintptr_t)addr;
	int used = smp_load_acquire(&slots_used);

	for (int i = 0; i < used; i++) {
		struct gpu_bus *bus = smp_load_acquire(&slots[i].bus);
		uintptr_t base = __atomic_load_n(&slots[i].base,
						 __ATOMIC_RELAXED);
		size_t span = __atomic_load_n(&slots[i].span,
					      __ATOMIC_RELAXED);

		if (bus && at - base < span)
			return bus_locate(bus, at, region, offset) ?
				bus : NULL;
	}
	return NULL;
}
