/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 1: page-table entries [§6.4].
 *
 * No test looks at an entry.  A page is mapped, and the card's own walk, on
 * which scenario_vas.h insists, says what the entry means; then the GPU uses
 * it.
 */
#include "autograder/hidden/02-vas/common.h"

void test_public_first_page(struct scenario *s)
{
	begin_with_ring(s);
	memory_new(s, 0, PAGE, APERTURE_VRAM, 0);
	space_map(s, 0, MAP(.va = 0x1234567000, .size = PAGE));
	expect_space(s, 0);
	gpu_reads(s, 0, 0x1234567000, PAGE);
	gpu_writes(s, 0, 0x1234567000, PAGE);
}

static void all_memories(struct scenario *s)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		uint64_t va = any_address(s, 64 * MIB) + i * GIB;

		memory_new(s, i, 4 * PAGE, (enum scenario_aperture)i, 0);
		space_map(s, 0, MAP(.va = va, .size = 4 * PAGE, .memory = i,
				    .shift = i == 1 ? PAGES_4K : 0));
		gpu_reads(s, 0, va, 4 * PAGE);
		gpu_writes(s, 0, va, 4 * PAGE);
	}
	expect_space(s, 0);
}

void test_public_three_memories(struct scenario *s)
{
	begin_with_ring(s);
	all_memories(s);
}

void test_entries_for_every_memory(struct scenario *s)
{
	unsigned int i;
	uint64_t va;

	begin_above(s, pick(s, 2) ? 4 * GIB : 0);
	ring_open_in(s, 0, 0, RINGS, false);
	all_memories(s);
	/* Pages far apart: each needs tables of its own. */
	memory_new(s, 3, 8 * PAGE, any_memory(s), PAGE);
	for (i = 0; i < 8; i++) {
		va = (uint64_t)(i + 1) * 97 * GIB + any_address(s, PAGE) % GIB;
		space_map(s, 0, MAP(.va = va, .size = PAGE, .memory = 3,
				    .offset = i * PAGE));
		gpu_reads(s, 0, va, PAGE);
	}
	expect_space(s, 0);
}

void test_entries_carry_rights(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB);
	unsigned int i;

	begin(s);
	memory_new(s, 0, 24 * PAGE, any_memory(s), 0);
	memory_new(s, 1, 24 * PAGE, any_memory(s), 0);
	for (i = 0; i < 8; i++) {
		space_map(s, 0, MAP(.va = va + i * PAGE, .size = PAGE,
				    .offset = i * PAGE,
				    .flags = i));
		space_map(s, 0, MAP(.va = va + GIB + i * 2 * MIB,
				    .size = 3 * PAGE, .memory = 1,
				    .offset = i * 3 * PAGE,
				    .flags = i));
	}
	expect_space(s, 0);
	/* The same page with other rights, in place. */
	for (i = 0; i < 8; i++)
		space_map(s, 0, MAP(.va = va + i * PAGE, .size = PAGE,
				    .offset = i * PAGE,
				    .flags = MAP_REPLACE | (i ^ 5)));
	expect_space(s, 0);
}

static void use_large(struct scenario *s, unsigned int shift)
{
	uint64_t page = 1ull << shift, va = any_address(s, page);
	unsigned int pages = shift == PAGES_2M ? 1 : 3, i;

	for (i = 0; i < 3; i++, va += 4 * GIB) {
		memory_new(s, i, pages * page, (enum scenario_aperture)i,
			   i == 1 ? page : 0);
		space_map(s, 0, MAP(.va = va, .size = pages * page,
				    .memory = i, .shift = shift,
				    .flags = (i == 2 ? MAP_READ_ONLY : 0)));
		expect_pages(s, 0, va, pages * page, shift);
		gpu_reads(s, 0, va + page / 2, page / 2);
		if (i != 2)
			gpu_writes(s, 0, va + page - 2 * PAGE, 2 * PAGE);
	}
	expect_space(s, 0);
	/* The same memory, next to it, in small pages. */
	space_map(s, 0, MAP(.va = va, .size = page, .memory = 0,
			    .shift = PAGES_4K));
	expect_pages(s, 0, va, page, PAGES_4K);
	gpu_reads(s, 0, va + page - PAGE, PAGE);
}

void test_big_pages_are_used(struct scenario *s)
{
	begin_with_ring(s);
	use_large(s, big_shift(s));
}

void test_huge_pages_are_used(struct scenario *s)
{
	begin_with_ring(s);
	if (has_huge_pages(s)) {
		use_large(s, PAGES_2M);
		return;
	}
	memory_new(s, 0, 2 * MIB, APERTURE_VRAM, 0);
	expect_value(s, space_try_map(s, 0, MAP(.va = GIB, .size = 2 * MIB,
						.shift = PAGES_2M)), -EINVAL,
		     "a page size that the chip lacks should be refused");
	space_map(s, 0, MAP(.va = GIB, .size = 2 * MIB));
	expect_space(s, 0);
	gpu_reads(s, 0, GIB + MIB, 64 * KIB);
}

void test_entries_reach_both_ends(struct scenario *s)
{
	/* Format 1 has 40 bits, format 2 has 49 [§6.4]. */
	uint64_t end = has_huge_pages(s) ? 1ull << 49 : 1ull << 40;
	uint64_t page;

	driver_open(s);
	space_open(s, 0, 0, end);
	page = 1ull << big_shift(s);
	memory_new(s, 0, page, any_memory(s), 0);
	space_map(s, 0, MAP(.va = 0, .size = PAGE));
	space_map(s, 0, MAP(.va = end - PAGE, .size = PAGE, .offset = PAGE));
	expect_space(s, 0);
	space_map(s, 0, MAP(.va = end - page, .size = page,
			    .shift = big_shift(s),
			    .flags = MAP_REPLACE));
	expect_space(s, 0);
	ring_open_in(s, 0, 0, RINGS, false);
	gpu_reads(s, 0, end - page, page);
	gpu_reads(s, 0, 0, PAGE);
	expect_value(s, space_try_map(s, 0, MAP(.va = end, .size = PAGE)),
		     -EINVAL, "an address beyond the space should be refused");
}
