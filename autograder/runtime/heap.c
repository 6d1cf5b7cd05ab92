/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The driver's heap.
 *
 * It lies at a fixed address and gives the same addresses to the same calls.
 * New memory is filled with 0xcd and freed memory with 0xdd, so that using
 * either shows, and shows alike in every run.  A guard follows each block;
 * it is looked at when the block is freed.  Freed memory is looked at when
 * it is given out again, and at the end of a run.
 *
 * Blocks are powers of two, freed ones kept in a list for each size; the
 * driver's needs are small, but a thousand address spaces may each have a
 * copy of its tables.  So there is much room, of which only what is used is
 * memory; and one who finds it full is told so.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "hooks.h"
#include "internal.h"

#define MAGIC_LIVE	0x6c697665u
#define MAGIC_FREE	0x66726565u
#define GUARD		0xfdfdfdfdfdfdfdfdull
#define SMALLEST	6		/* 64 bytes			*/
#define SITES		3

struct block {
	uint32_t magic, order;
	size_t size;			/* what was asked for		*/
	char *base;			/* where the 2^order bytes begin */
	struct block *next, *previous;	/* live: in order of age	*/
	unsigned int sites;
	uintptr_t site[SITES];		/* who asked			*/
} __attribute__((aligned(16)));

static char *heap, *heap_end;
static struct block *free_list[48];
static struct block live = { .next = &live, .previous = &live };
static size_t live_count;
static uint64_t fail_in;

void rt_fail_alloc(uint64_t n)
{
	fail_in = n;
}

bool rt_alloc_fails(void)
{
	return fail_in && --fail_in == 0;
}

size_t rt_live(void)
{
	return live_count + rt_files_open();
}

const char *rt_live_text(char *buf, size_t len)
{
	const struct block *block = live.next;
	char name[80];
	size_t at;

	if (block == &live) {
		snprintf(buf, len, "%zu descriptors", rt_files_open());
		return buf;
	}
	at = snprintf(buf, len, "%zu blocks, the oldest of %zu bytes from",
		      live_count, block->size);
	for (unsigned int i = 0; i < block->sites && at < len; i++)
		at += snprintf(buf + at, len - at, "%s %s", i ? " <-" : "",
			       rt_name(block->site[i], name, sizeof(name)));
	return buf;
}

bool rt_heap_name(uintptr_t addr, char *buf, size_t len)
{
	const struct block *block;
	char name[80];

	for (block = live.next; block != &live; block = block->next) {
		uintptr_t offset = addr - (uintptr_t)(block + 1);

		if (offset >= block->size || !block->sites)
			continue;
		snprintf(buf, len, "at byte %zu of what %s() allocated",
			 (size_t)offset,
			 rt_name(block->site[0], name, sizeof(name)));
		return true;
	}
	return false;
}

/* Not a failure that was injected: the judge, too, must know. */
static void heap_full(size_t size)
{
	static bool told;

	if (told)
		return;
	told = true;
	rt_report(WIRE_REPORT_HEAP_FULL, size, "no room for %zu bytes in the "
		  "driver's heap of %lu MiB", size, WIRE_HEAP_SIZE >> 20);
}

static char *heap_grow(size_t size)
{
	char *at = heap;

	if (!heap) {
		at = mmap((void *)RT_HEAP_BASE, WIRE_HEAP_SIZE,
			  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
			  MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (at == MAP_FAILED)
			return NULL;
		heap = at;
		heap_end = at + WIRE_HEAP_SIZE;
	}
	if (size > (size_t)(heap_end - at))
		return NULL;
	heap = at + size;
	return at;
}

static void block_link(struct block *block)
{
	const struct rt_thread *self = rt_self;

	block->next = &live;
	block->previous = live.previous;
	live.previous->next = block;
	live.previous = block;
	live_count++;
	while (block->sites < SITES && block->sites < self->depth &&
	       self->depth <= RT_STACK_DEPTH) {
		block->site[block->sites] =
			self->stack[self->depth - 1 - block->sites];
		block->sites++;
	}
}

static void guard_put(const struct block *block)
{
	uint64_t guard = GUARD;

	memcpy((char *)(block + 1) + block->size, &guard, sizeof(guard));
}

static bool guard_whole(const struct block *block)
{
	uint64_t guard = GUARD;

	return !memcmp((char *)(block + 1) + block->size, &guard,
		       sizeof(guard));
}

/* Crashes if somebody wrote into a block that had been freed. */
static void freed_check(const struct block *block)
{
	const unsigned char *byte = (const unsigned char *)(block + 1);
	char name[80];

	for (size_t i = 0; i < block->size; i++)
		if (byte[i] != 0xdd)
			rt_crash(0, byte + i, NULL,
				 "wrote at byte %zu of what %s() had "
				 "allocated, after it was freed", i,
				 rt_name(block->site[0], name, sizeof(name)));
}

void rt_heap_check(void)
{
	for (unsigned int i = 0; i < sizeof(free_list) / sizeof(*free_list);
	     i++)
		for (struct block *b = free_list[i]; b; b = b->next)
			freed_check(b);
}

static void *block_new(size_t size, size_t align)
{
	unsigned int order = SMALLEST;
	size_t need;
	struct block *block;
	char *base;

	if (size > WIRE_HEAP_SIZE || align > WIRE_HEAP_SIZE)
		return NULL;
	need = size + sizeof(*block) + sizeof(uint64_t) + align;
	while ((1ul << order) < need)
		order++;

	block = free_list[order];
	if (block) {
		freed_check(block);
		free_list[order] = block->next;
		base = block->base;
	} else {
		base = heap_grow(1ul << order);
		if (!base)
			return NULL;
	}
	/* The header ends where the aligned memory begins. */
	block = (struct block *)(((uintptr_t)base + sizeof(*block) +
				  align - 1) / align * align) - 1;
	*block = (struct block){
		.magic = MAGIC_LIVE, .order = order, .size = size,
		.base = base,
	};
	block_link(block);
	memset(block + 1, 0xcd, size);
	guard_put(block);
	return block + 1;
}

static void *allocate(size_t size, size_t align)
{
	void *memory = NULL;

	rt_point();
	if (!rt_alloc_fails()) {
		memory = block_new(size, align < 16 ? 16 : align);
		if (!memory)
			heap_full(size);
	}
	if (!memory)
		errno = ENOMEM;
	return memory;
}

void *rt_malloc(size_t size)
{
	return allocate(size, 16);
}

void *rt_calloc(size_t count, size_t size)
{
	size_t total;
	void *memory;

	if (__builtin_mul_overflow(count, size, &total))
		return NULL;
	memory = allocate(total, 16);
	if (memory)
		memset(memory, 0, total);
	return memory;
}

int rt_posix_memalign(void **memory, size_t align, size_t size)
{
	void *new;

	if (align < sizeof(void *) || align & (align - 1))
		return EINVAL;
	new = allocate(size, align);
	if (!new)
		return ENOMEM;
	*memory = new;
	return 0;
}

void *rt_aligned_alloc(size_t align, size_t size)
{
	if (!align || align & (align - 1)) {
		errno = EINVAL;
		return NULL;
	}
	return allocate(size, align);
}

/* The block of memory the driver gives back; crashes if there is none. */
static struct block *block_of(void *memory, const char *what)
{
	struct block *block = (struct block *)memory - 1;
	uintptr_t at = (uintptr_t)block;
	char where[256];

	rt_where(rt_self, where, sizeof(where));
	if (!heap || at < RT_HEAP_BASE || at >= (uintptr_t)heap ||
	    at % 16 || (block->magic != MAGIC_LIVE &&
			block->magic != MAGIC_FREE))
		rt_crash(0, memory, NULL, "%s of what was not allocated, in %s",
			 what, where);
	if (block->magic == MAGIC_FREE)
		rt_crash(0, memory, NULL, "%s of what is free already, in %s",
			 what, where);
	if (!guard_whole(block))
		rt_crash(0, memory, NULL,
			 "wrote past the end of a block of %zu bytes; seen by "
			 "%s in %s",
			 block->size, what, where);
	return block;
}

static void block_free(struct block *block)
{
	block->next->previous = block->previous;
	block->previous->next = block->next;
	live_count--;
	rt_locks_forget(block + 1, block->size);
	memset(block + 1, 0xdd, block->size);
	block->magic = MAGIC_FREE;
	block->next = free_list[block->order];
	free_list[block->order] = block;
}

void rt_free(void *memory)
{
	rt_enter();
	if (memory)
		block_free(block_of(memory, "free()"));
}

void *rt_realloc(void *memory, size_t size)
{
	struct block *block;
	void *new;

	if (!memory)
		return rt_malloc(size);
	rt_enter();
	block = block_of(memory, "realloc()");
	if (!size) {
		block_free(block);
		return NULL;
	}
	new = allocate(size, 16);
	if (!new)
		return NULL;
	memcpy(new, memory, size < block->size ? size : block->size);
	block_free(block);
	return new;
}

void *rt_reallocarray(void *memory, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return rt_realloc(memory, total);
}

char *rt_strdup(const char *text)
{
	size_t len = strlen(text) + 1;
	char *copy = allocate(len, 16);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}
