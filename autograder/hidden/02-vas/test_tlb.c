/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 4: what the card remembers of tables, and when tables reach it
 * [§6.5], [§6.6].
 *
 * A translation is remembered once the GPU has used it.  So each test first
 * uses an address, then changes it, then uses it again; and the card complains
 * of what it should have forgotten.
 */
#include "autograder/hidden/02-vas/common.h"

void test_public_remap(struct scenario *s)
{
	uint64_t va = any_address(s, PAGE);

	begin_with_ring(s);
	memory_new(s, 0, PAGE, any_memory(s), 0);
	memory_new(s, 1, PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = PAGE));
	gpu_reads(s, 0, va, PAGE);
	space_unmap(s, 0, va, PAGE);
	space_map(s, 0, MAP(.va = va, .size = PAGE, .memory = 1));
	gpu_reads(s, 0, va, PAGE);
}

void test_unmapped_is_forgotten(struct scenario *s)
{
	unsigned int shift[3], n, i;
	uint64_t va = any_address(s, 2 * MIB), page;

	begin_with_ring(s);
	n = page_shifts(s, shift);
	i = seed(s) % n;
	page = 1ull << shift[i];
	memory_new(s, 0, 2 * page, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = 2 * page, .shift = shift[i]));
	gpu_reads(s, 0, va, PAGE);
	gpu_writes(s, 0, va + page, PAGE);
	space_unmap(s, 0, va, page);
	gpu_reads(s, 0, va + page, PAGE);
	if (seed(s) / 3 % 2)
		gpu_write_faults(s, 0, va);
	else
		gpu_read_faults(s, 0, va);
	expect_space(s, 0);
}

void test_replaced_is_forgotten(struct scenario *s)
{
	uint64_t va = any_address(s, PAGE);
	unsigned int i;

	begin_with_ring(s);
	for (i = 0; i < 4; i++)
		memory_new(s, i, 4 * PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = 4 * PAGE));
	gpu_reads(s, 0, va, 4 * PAGE);
	for (i = 1; i < 4; i++) {
		space_map(s, 0, MAP(.va = va + PAGE, .size = 2 * PAGE,
				    .memory = i, .flags = MAP_REPLACE));
		gpu_reads(s, 0, va, 4 * PAGE);
		gpu_writes(s, 0, va, 4 * PAGE);
	}
	/* The same page, but for reading only. */
	space_map(s, 0, MAP(.va = va + PAGE, .size = 2 * PAGE, .memory = 3,
			    .flags = MAP_REPLACE | MAP_READ_ONLY));
	gpu_reads(s, 0, va, 4 * PAGE);
	gpu_write_faults(s, 0, va + 2 * PAGE);
	expect_space(s, 0);
}

void test_replacing_by_large_is_told(struct scenario *s)
{
	unsigned int shift[3], n, i;
	uint64_t va = any_address(s, 2 * MIB), page;

	begin_with_ring(s);
	n = page_shifts(s, shift);
	i = 1 + seed(s) % (n - 1);
	page = 1ull << shift[i];
	memory_new(s, 0, page, any_memory(s), 0);
	memory_new(s, 1, page, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = page, .shift = PAGES_4K));
	gpu_reads(s, 0, va, 16 * PAGE);
	gpu_writes(s, 0, va + page - PAGE, PAGE);
	space_map(s, 0, MAP(.va = va, .size = page, .memory = 1,
			    .shift = shift[i], .flags = MAP_REPLACE));
	gpu_reads(s, 0, va, 16 * PAGE);
	gpu_writes(s, 0, va + page - PAGE, PAGE);
	space_map(s, 0, MAP(.va = va, .size = page, .memory = 0,
			    .shift = PAGES_4K, .flags = MAP_REPLACE));
	gpu_reads(s, 0, va, 16 * PAGE);
	expect_space(s, 0);
}

/*
 * A small table is used, emptied and freed; another address takes a table,
 * likely in the same place; then the first address gets one again.
 */
void test_freed_tables_are_forgotten(struct scenario *s)
{
	uint64_t va = any_address(s, 512 * MIB) + 512 * MIB;
	uint64_t other = va + 64 * GIB;
	unsigned int i;

	begin_with_ring(s);
	memory_new(s, 0, 8 * PAGE, any_memory(s), 0);
	memory_new(s, 1, 8 * PAGE, any_memory(s), 0);
	for (i = 0; i < 4; i++) {
		space_map(s, 0, MAP(.va = va, .size = 2 * PAGE));
		gpu_reads(s, 0, va, 2 * PAGE);
		space_unmap(s, 0, va, 2 * PAGE);
		space_map(s, 0, MAP(.va = other, .size = 4 * PAGE,
				    .memory = 1));
		gpu_reads(s, 0, other, 4 * PAGE);
		space_map(s, 0, MAP(.va = va + PAGE, .size = PAGE,
				    .offset = 4 * PAGE));
		gpu_reads(s, 0, va + PAGE, PAGE);
		space_unmap(s, 0, va, 2 * PAGE);
		space_unmap(s, 0, other, 4 * PAGE);
	}
	space_map(s, 0, MAP(.va = other, .size = 2 * PAGE, .memory = 1));
	gpu_reads(s, 0, other, 2 * PAGE);
	gpu_read_faults(s, 0, va + PAGE);
	expect_space(s, 0);
}

void test_new_tables_are_empty(struct scenario *s)
{
	unsigned int i;
	uint64_t va;

	use_dirty_memory(s);
	begin_with_ring(s);
	expect_space(s, 0);
	memory_new(s, 0, 8 * PAGE, any_memory(s), 0);
	for (i = 0; i < 8; i++) {
		va = any_address(s, PAGE) % (100 * GIB) + BASE +
			i * 101 * GIB;
		space_map(s, 0, MAP(.va = va, .size = PAGE,
				    .offset = i * PAGE));
		expect_space(s, 0);
		gpu_reads(s, 0, va, PAGE);
	}
	gpu_read_faults(s, 0, va + PAGE);
}

/*
 * The tables are behind BAR1, which may let a later write pass an earlier
 * one unless there is a flush between them [§4.4].  The GPU is at work all
 * the time, and walks.
 */
void test_tables_are_published_in_order(struct scenario *s)
{
	uint64_t va = any_address(s, 512 * MIB);
	unsigned int i;

	use_real_memory(s);
	use_dirty_memory(s);
	begin_with_ring(s);
	memory_new(s, 0, 16 * PAGE, any_memory(s), 0);
	for (i = 0; i < 12; i++) {
		space_map(s, 0, MAP(.va = va + i * GIB, .size = PAGE,
				    .offset = i * PAGE));
		gpu_reads(s, 0, va + i * GIB, PAGE);
		if (i % 3 == 2) {
			space_unmap(s, 0, va + (i - 1) * GIB, PAGE);
			gpu_reads(s, 0, va + i * GIB, PAGE);
		}
	}
	expect_space(s, 0);
}

void test_invalidation_is_waited_for(struct scenario *s)
{
	uint64_t va = any_address(s, PAGE);
	unsigned int i;

	use_slow_invalidation(s);
	begin_with_ring(s);
	space_open(s, 1, BASE, LIMIT);
	tlb_invalidate(s, 1);
	tlb_invalidate(s, 0);
	tlb_invalidate(s, SPACES);
	memory_new(s, 0, 2 * PAGE, any_memory(s), 0);
	memory_new(s, 1, 2 * PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = 2 * PAGE));
	for (i = 1; i < 7; i++) {
		gpu_reads(s, 0, va, 2 * PAGE);
		space_map(s, 0, MAP(.va = va, .size = 2 * PAGE,
				    .memory = i % 2, .flags = MAP_REPLACE));
	}
	gpu_reads(s, 0, va, 2 * PAGE);
	space_unmap(s, 0, va, PAGE);
	gpu_read_faults(s, 0, va);
}

void test_invalidation_by_methods(struct scenario *s)
{
	/* Most have page directories whose addresses are of 33 bits. */
	begin_above(s, seed(s) % 3 ? 4 * GIB : 0);
	space_open(s, 1, BASE, LIMIT);
	ring_open_in(s, 0, 0, RINGS, true);
	gpu_invalidates(s, 0, 0);
	gpu_invalidates(s, 0, 1);
	gpu_invalidates(s, 0, SPACES);
}

/* What one thread does: change its part, use it, and change it again. */
static void work(struct scenario *s, unsigned int thread, unsigned int space,
		 uint64_t va)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		thread_map(s, thread, space,
			   MAP(.va = va, .size = 4 * PAGE,
			       .memory = 2 * thread + i % 2,
			       .flags = MAP_REPLACE));
		thread_copy(s, thread, thread, va, ring_scratch(s, thread),
			    4 * PAGE);
		thread_wait_idle(s, thread, thread);
		thread_unmap(s, thread, space, va + PAGE, PAGE);
	}
	thread_map(s, thread, space, MAP(.va = va + PAGE, .size = PAGE,
					 .memory = 2 * thread,
					 .offset = PAGE));
	thread_copy(s, thread, thread, va, ring_scratch(s, thread), 4 * PAGE);
	thread_wait_idle(s, thread, thread);
}

/*
 * Each thread has a ring and a part of a space; one has a space of its own.
 * What it has changed it uses at once: its own call has told the card,
 * whoever else was at it.
 */
void test_threads_change_spaces(struct scenario *s)
{
	unsigned int thread;

	begin(s);
	space_open(s, 1, BASE, LIMIT);
	for (thread = 0; thread < 3; thread++) {
		memory_new(s, 2 * thread, 4 * PAGE, any_memory(s), 0);
		memory_new(s, 2 * thread + 1, 4 * PAGE, any_memory(s), 0);
		ring_open_in(s, thread, thread == 2, RINGS + thread * GIB,
			     false);
	}
	for (thread = 0; thread < 3; thread++)
		work(s, thread, thread == 2, 16 * GIB + thread * 8 * PAGE);
	threads_run(s);
	expect_space(s, 0);
	expect_space(s, 1);
	for (thread = 0; thread < 3; thread++)
		expect_scratch(s, thread, thread == 2,
			       16 * GIB + thread * 8 * PAGE, 4 * PAGE);
}

/*
 * The GPU reads all the time while what it reads is replaced: small pages by
 * large ones and back, then by small ones.  Old or new page, either is right,
 * but there is always one; also between two writes of the CPU, which come far
 * apart.
 */
void test_replacing_leaves_no_gap(struct scenario *s)
{
	unsigned int shift[3], n, i, which = 0;
	uint64_t va = any_address(s, 2 * MIB), size;

	use_interrupted_cpu(s);
	begin(s);
	ring_open_in(s, 0, 0, RINGS, true);
	n = page_shifts(s, shift);
	/* Where both may not be valid there is no way from small to large. */
	if (has_huge_pages(s))
		which = 1 + seed(s) / 3 % (n - 1);
	size = which == 2 ? 2 * MIB : 128 * KIB;
	memory_new(s, 0, size, any_memory(s), 0);
	memory_new(s, 1, size, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = size, .shift = PAGES_4K));
	/* In between the card may well use what it remembers, or an entry
	 * whose new words are on their way. */
	ignore_rule(s, RULE_TLB_STALE);
	ignore_rule(s, RULE_BAR1_NOT_FLUSHED);
	for (i = 1; i < 6; i++) {
		gpu_walks(s, 0, va, size, which ? 120 : 15);
		gpu_walks(s, 0, va, size, which ? 120 : 15);
		space_map(s, 0, MAP(.va = va, .size = size, .memory = i % 2,
				    .shift = i == 1 || i == 3 ? shift[which] :
				    PAGES_4K, .flags = MAP_REPLACE));
		expect_executed(s, 0, 50 * MS);
	}
	expect_space(s, 0);
}
