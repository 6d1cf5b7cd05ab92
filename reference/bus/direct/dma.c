/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * DMA addresses as an IOMMU might hand them out [§4.1]: scattered, beyond
 * 4 GiB, close below the end of the card's mask, and never a CPU pointer.
 * A driver that cuts an address to 32 bits, drops its top bits in a page
 * table, or hands the card a pointer, fails at its first transfer.
 *
 * The window of addresses is cut into slots of 1 MiB.  An allocation takes
 * the slots it needs at a random place and begins on a random page of the
 * first, so finding the memory behind an address is one table look-up, which
 * matters: the card asks for every fetch.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "dma.h"

#define SLOT_SHIFT	20
#define SLOT_SIZE	(1UL << SLOT_SHIFT)
#define SLOTS		(1UL << 16)
#define WINDOW_SIZE	((u64)SLOTS << SLOT_SHIFT)
#define DMA_PAGE	4096UL
#define TRIES		1024

struct dma_block {
	struct dma_block *next;
	char *cpu;
	u64 dma;
	size_t size;
};

struct dma_space {
	u64 base;			/* of the window		*/
	u64 random;
	struct dma_block *blocks;
	struct dma_block *slot[SLOTS];	/* what each slot belongs to	*/
};

struct dma_space *dma_space_new(unsigned int mask_bits, u64 seed)
{
	struct dma_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->base = (1ULL << mask_bits) - WINDOW_SIZE;
	space->random = seed;
	return space;
}

/* splitmix64: any seed will do, zero included. */
static u64 dma_random(struct dma_space *space)
{
	u64 z = space->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static bool slots_are_free(const struct dma_space *space, size_t first,
			   size_t count)
{
	for (size_t i = first; i < first + count; i++) {
		if (space->slot[i])
			return false;
	}
	return true;
}

/* Would this range hold a number that is also a pointer in use? */
static bool looks_like_a_pointer(const struct dma_space *space, u64 dma,
				 size_t size, const char *cpu)
{
	const struct dma_block *block;

	if (dma < (uintptr_t)cpu + size && (uintptr_t)cpu < dma + size)
		return true;
	for (block = space->blocks; block; block = block->next) {
		u64 at = (uintptr_t)block->cpu;

		if (dma < at + block->size && at < dma + size)
			return true;
		if (block->dma < (uintptr_t)cpu + size &&
		    (uintptr_t)cpu < block->dma + block->size)
			return true;
	}
	return false;
}

static int dma_choose(struct dma_space *space, size_t size, const char *cpu,
		      u64 *dma)
{
	size_t slots = (size + SLOT_SIZE - 1) >> SLOT_SHIFT;
	size_t slack = (slots << SLOT_SHIFT) - size;

	if (slots > SLOTS)
		return -ENOMEM;
	for (int i = 0; i < TRIES; i++) {
		size_t first = dma_random(space) % (SLOTS - slots + 1);
		u64 page = dma_random(space) % (slack / DMA_PAGE + 1);
		u64 at = space->base + ((u64)first << SLOT_SHIFT) +
			page * DMA_PAGE;

		if (slots_are_free(space, first, slots) &&
		    !looks_like_a_pointer(space, at, size, cpu)) {
			*dma = at;
			return 0;
		}
	}
	return -ENOMEM;
}

static void slots_set(struct dma_space *space, const struct dma_block *range,
		      struct dma_block *owner)
{
	size_t first = (range->dma - space->base) >> SLOT_SHIFT;
	size_t last = (range->dma + range->size - 1 - space->base) >>
		SLOT_SHIFT;

	for (size_t i = first; i <= last; i++)
		space->slot[i] = owner;
}

int dma_space_alloc(struct dma_space *space, size_t size, void **cpu,
		    u64 *dma)
{
	struct dma_block *block;
	int err = -ENOMEM;

	if (!size || !port_alloc_begin())
		return -ENOMEM;

	block = calloc(1, sizeof(*block));
	if (!block)
		goto undo_count;
	block->size = ALIGN(size, DMA_PAGE);
	block->cpu = mmap(NULL, block->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block->cpu == MAP_FAILED)
		goto free_block;
	err = dma_choose(space, block->size, block->cpu, &block->dma);
	if (err)
		goto unmap;

	slots_set(space, block, block);
	block->next = space->blocks;
	space->blocks = block;
	*cpu = block->cpu;
	*dma = block->dma;
	return 0;

unmap:
	munmap(block->cpu, block->size);
free_block:
	free(block);
undo_count:
	port_alloc_end();
	return err;
}

static void dma_block_free(struct dma_space *space, struct dma_block **link)
{
	struct dma_block *block = *link;

	*link = block->next;
	slots_set(space, block, NULL);
	munmap(block->cpu, block->size);
	free(block);
	port_alloc_end();
}

void dma_space_release(struct dma_space *space, size_t size, void *cpu,
		       u64 dma)
{
	struct dma_block **link = &space->blocks;

	while (*link && (*link)->cpu != cpu)
		link = &(*link)->next;
	if (!*link || (*link)->dma != dma ||
	    (*link)->size != ALIGN(size, DMA_PAGE)) {
		pr_err("dma_free: no such memory: %p, DMA %#llx, %zu bytes\n",
		       cpu, (unsigned long long)dma, size);
		return;
	}
	dma_block_free(space, link);
}

void *dma_space_find(const struct dma_space *space, u64 dma, size_t len)
{
	u64 slot = (dma - space->base) >> SLOT_SHIFT;
	const struct dma_block *block;

	if (slot >= SLOTS)
		return NULL;
	block = space->slot[slot];
	if (!block || dma < block->dma || len > block->size ||
	    dma - block->dma > block->size - len)
		return NULL;
	return block->cpu + (dma - block->dma);
}

void dma_space_free(struct dma_space *space)
{
	if (!space)
		return;
	while (space->blocks) {
		pr_err("DMA memory was not freed: %zu bytes at %#llx\n",
		       space->blocks->size,
		       (unsigned long long)space->blocks->dma);
		dma_block_free(space, &space->blocks);
	}
	free(space);
}

int dma_space_address(const struct dma_space *space, u64 cpu, u64 *dma)
{
	const struct dma_block *block = space->blocks;

	while (block && cpu - (u64)(uintptr_t)block->cpu >= block->size)
		block = block->next;
	if (!block)
		return -EFAULT;
	*dma = block->dma + (cpu - (u64)(uintptr_t)block->cpu);
	return 0;
}
