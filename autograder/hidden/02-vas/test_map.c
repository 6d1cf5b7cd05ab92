/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 3: mappings come, go, and change in part [§6.4].
 *
 * The judge keeps a list; after each call the card's walk is held against it.
 * So most of these tests only say what to do.
 */
#include "autograder/hidden/02-vas/common.h"

void test_public_unmap_part(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB);

	begin_with_ring(s);
	memory_new(s, 0, 16 * PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = 16 * PAGE));
	space_unmap(s, 0, va + 8 * PAGE, 8 * PAGE);
	expect_space(s, 0);
	gpu_reads(s, 0, va, 8 * PAGE);
}

void test_public_pieces(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB);

	begin_with_ring(s);
	memory_new(s, 0, 12 * PAGE, any_memory(s), 4 * PAGE);
	space_map(s, 0, MAP(.va = va, .size = 12 * PAGE));
	expect_space(s, 0);
	gpu_reads(s, 0, va, 12 * PAGE);
}

void test_pages_come_and_go(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB) + 2 * MIB - 8 * PAGE;
	uint64_t before;
	unsigned int i;

	begin(s);
	before = table_bytes(s, 0);
	memory_new(s, 0, 16 * PAGE, any_memory(s), 0);
	/* Across the end of a table. */
	for (i = 0; i < 16; i++)
		space_map(s, 0, MAP(.va = va + (i * 5 % 16) * PAGE,
				    .size = PAGE, .offset = i * PAGE));
	expect_space(s, 0);
	expect_true(s, table_bytes(s, 0) > before,
		    "tables should count once there are some",
		    "more bytes than at first", table_bytes(s, 0));
	for (i = 0; i < 16; i++)
		space_unmap(s, 0, va + (i * 7 % 16) * PAGE, PAGE);
	expect_space(s, 0);
	expect_value(s, table_bytes(s, 0), before,
		     "tables that are empty should be freed");
	/* And once more: what is freed can be used again. */
	space_map(s, 0, MAP(.va = va, .size = 16 * PAGE));
	expect_space(s, 0);
	space_close(s, 0);
	memory_free(s, 0);
	driver_leaves_nothing(s);
}

void test_the_middle_is_unmapped(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB) + 2 * MIB - 9 * PAGE;

	begin_with_ring(s);
	memory_new(s, 0, 20 * PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = 20 * PAGE));
	space_unmap(s, 0, va + 7 * PAGE, 3 * PAGE);
	expect_space(s, 0);
	gpu_reads(s, 0, va, 7 * PAGE);
	gpu_reads(s, 0, va + 10 * PAGE, 10 * PAGE);
	/* The hole is free again, and the sides still belong to it. */
	memory_new(s, 1, 3 * PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va + 7 * PAGE, .size = 3 * PAGE,
			    .memory = 1));
	expect_value(s, space_try_map(s, 0, MAP(.va = va + 10 * PAGE,
						.size = PAGE, .memory = 1)),
		     -EEXIST, "what lies behind the hole should be taken");
	gpu_reads(s, 0, va, 20 * PAGE);
	space_unmap(s, 0, va + 10 * PAGE, 10 * PAGE);
	space_unmap(s, 0, va, 7 * PAGE);
	expect_space(s, 0);
	gpu_reads(s, 0, va + 7 * PAGE, 3 * PAGE);
}

void test_pieces_are_followed(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB), size, offset;
	unsigned int i;

	begin_with_ring(s);
	/* Nine pages in pieces of three; and some that are not even. */
	memory_new(s, 0, 9 * PAGE, any_memory(s), 3 * PAGE);
	memory_new(s, 1, 22 * PAGE, any_memory(s), 5 * PAGE);
	for (i = 0; i < 12; i++, va += 4 * MIB + PAGE) {
		uint64_t pages = i % 2 ? 22 : 9;

		offset = i == 0 ? 3 : i == 2 ? 4 : pick(s, pages);
		size = 1 + pick(s, pages - offset);
		if (i == 0 || i == 2)
			size = pages - offset;
		space_map(s, 0, MAP(.va = va, .size = size * PAGE,
				    .memory = i % 2, .offset = offset * PAGE));
		gpu_reads(s, 0, va, size * PAGE);
	}
	expect_space(s, 0);
}

void test_unmap_takes_what_is_there(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB);
	unsigned int i;

	begin(s);
	memory_new(s, 0, 64 * PAGE, any_memory(s), 0);
	expect_value(s, space_try_unmap(s, 0, va, 64 * PAGE), 0,
		     "there being nothing to unmap should be no error");
	for (i = 0; i < 6; i++)
		space_map(s, 0, MAP(.va = va + i * MIB, .size = 10 * PAGE,
				    .offset = i * 10 * PAGE));
	space_unmap(s, 0, va + 5 * PAGE, MIB + PAGE);
	expect_space(s, 0);
	space_unmap(s, 0, va + 12 * PAGE, 4 * MIB - 8 * PAGE);
	expect_space(s, 0);
	space_unmap(s, 0, BASE, RINGS);
	expect_space(s, 0);
	space_map(s, 0, MAP(.va = va + 5 * PAGE, .size = 20 * PAGE));
	expect_space(s, 0);
}

/* A mapping of pages of this size, out of which parts are taken. */
static void split(struct scenario *s, unsigned int memory, unsigned int shift)
{
	uint64_t page = 1ull << shift, va = any_address(s, 2 * MIB) +
		memory * 16 * GIB;
	uint64_t hole = PAGE * (1 + pick(s, page / PAGE - 2));

	memory_new(s, memory, 2 * page, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = 2 * page, .memory = memory,
			    .shift = shift));
	gpu_reads(s, 0, va + hole - PAGE, PAGE);
	space_unmap(s, 0, va + hole, PAGE);
	gpu_reads(s, 0, va + hole - PAGE, PAGE);
	if (hole + PAGE < page)
		gpu_reads(s, 0, va + hole + PAGE, PAGE);
	expect_space(s, 0);
	/* Over the boundary between two. */
	space_unmap(s, 0, va + page - PAGE, 2 * PAGE);
	expect_space(s, 0);
	gpu_reads(s, 0, va + 2 * page - PAGE, PAGE);
	gpu_writes(s, 0, va + 2 * page - PAGE, PAGE);
}

void test_large_pages_are_split(struct scenario *s)
{
	unsigned int shift[3], n, i;

	begin_with_ring(s);
	n = page_shifts(s, shift);
	for (i = 1; i < n; i++)
		split(s, i, shift[i]);
}

/* In place of one another, at the same address. */
static void change_size(struct scenario *s, unsigned int memory,
			unsigned int shift)
{
	uint64_t page = 1ull << shift, va = any_address(s, 2 * MIB) +
		memory * 16 * GIB;
	const uint32_t replace = MAP_REPLACE;

	memory_new(s, memory, page, any_memory(s), 0);
	memory_new(s, memory + 1, page, any_memory(s), PAGE * 16);
	space_map(s, 0, MAP(.va = va + 3 * PAGE, .size = 5 * PAGE,
			    .memory = memory + 1, .shift = PAGES_4K));
	gpu_reads(s, 0, va + 3 * PAGE, 5 * PAGE);
	space_map(s, 0, MAP(.va = va, .size = page, .memory = memory,
			    .flags = replace, .shift = shift));
	expect_pages(s, 0, va, page, shift);
	gpu_reads(s, 0, va, page < 64 * KIB ? page : 64 * KIB);
	space_map(s, 0, MAP(.va = va + 2 * PAGE, .size = 2 * PAGE,
			    .memory = memory + 1, .offset = 7 * PAGE,
			    .flags = replace, .shift = PAGES_4K));
	expect_space(s, 0);
	gpu_reads(s, 0, va, 8 * PAGE);
	space_map(s, 0, MAP(.va = va, .size = page, .memory = memory,
			    .flags = replace, .shift = shift));
	expect_pages(s, 0, va, page, shift);
	gpu_writes(s, 0, va + page - 4 * PAGE, 4 * PAGE);
	expect_space(s, 0);
}

void test_small_pages_become_large(struct scenario *s)
{
	unsigned int shift[3], n, i;
	uint64_t before;

	begin_with_ring(s);
	before = table_bytes(s, 0);
	n = page_shifts(s, shift);
	for (i = 1; i < n; i++) {
		if (shift[i] == PAGES_2M)
			continue;
		change_size(s, 2 * i, shift[i]);
	}
	if (has_huge_pages(s)) {
		uint64_t va = 40 * GIB;

		memory_new(s, 8, 2 * MIB, any_memory(s), 0);
		memory_new(s, 9, 64 * KIB, any_memory(s), 16 * KIB);
		space_map(s, 0, MAP(.va = va + 64 * KIB, .size = 64 * KIB,
				    .memory = 9, .shift = PAGES_4K));
		gpu_reads(s, 0, va + 64 * KIB, 64 * KIB);
		space_map(s, 0, MAP(.va = va, .size = 2 * MIB, .memory = 8,
				    .flags = MAP_REPLACE,
				    .shift = PAGES_2M));
		expect_pages(s, 0, va, 2 * MIB, PAGES_2M);
		gpu_reads(s, 0, va + 64 * KIB, 64 * KIB);
		space_map(s, 0, MAP(.va = va + MIB, .size = 64 * KIB,
				    .memory = 9,
				    .flags = MAP_REPLACE,
				    .shift = PAGES_4K));
		gpu_reads(s, 0, va + MIB - 16 * KIB, 96 * KIB);
	}
	expect_space(s, 0);
	space_unmap(s, 0, BASE, RINGS - BASE);
	expect_space(s, 0);
	expect_value(s, table_bytes(s, 0), before,
		     "tables that are empty should be freed");
}

void test_addresses_are_chosen(struct scenario *s)
{
	unsigned int i, chosen = 0;
	int64_t result = 0;

	driver_open(s);
	space_open(s, 0, 2 * MIB + 16 * PAGE, 4 * MIB);
	memory_new(s, 0, MIB, any_memory(s), 0);
	space_map(s, 0, MAP(.va = 3 * MIB, .size = 4 * PAGE));
	for (i = 0; i < 400 && !result; i++) {
		struct mapping mapping = {
			.size = (1 + pick(s, 12)) * PAGE,
			.shift = i % 8 ? 0 : PAGES_4K,
			.anywhere = true,
		};

		if (i % 5 == 4) {
			mapping.shift = big_shift(s);
			mapping.size = 1ull << mapping.shift;
		}
		result = space_try_map(s, 0, &mapping);
		chosen += !result;
	}
	/* Whether there is room, the judge knows. */
	expect_value(s, result, -ENOSPC,
		     "when there is no address left the answer should say so");
	expect_true(s, chosen >= 8, "addresses should be chosen before that",
		    "8 or more", chosen);
	expect_space(s, 0);
	space_unmap(s, 0, 3 * MIB, 16 * PAGE);
	space_map(s, 0, MAP(.size = PAGE, .anywhere = true));
	expect_space(s, 0);
}

void test_tables_are_given_back(struct scenario *s)
{
	uint64_t before, va[12];
	unsigned int i;

	begin(s);
	before = table_bytes(s, 0);
	memory_new(s, 0, 2 * MIB, any_memory(s), 0);
	for (i = 0; i < 12; i++) {
		va[i] = any_address(s, 2 * MIB) % (64 * GIB) + BASE +
			i * 65 * GIB;
		space_map(s, 0, MAP(.va = va[i], .size = i % 3 ? 3 * PAGE :
				    2 * MIB));
	}
	expect_space(s, 0);
	for (i = 0; i < 12; i++) {
		if (i % 2)
			space_unmap(s, 0, va[i] - PAGE, 4 * MIB);
		else
			space_unmap(s, 0, va[i], i % 3 ? 3 * PAGE : 2 * MIB);
	}
	expect_space(s, 0);
	expect_value(s, table_bytes(s, 0), before,
		     "tables that are empty should be freed");
	/* What was freed does not lie around in another's place. */
	space_map(s, 0, MAP(.va = va[3], .size = MIB));
	expect_space(s, 0);
}

/* One change, somewhere in 16 MiB that hold the boundaries of all tables. */
static void change(struct scenario *s, uint64_t start)
{
	unsigned int shift[3], n = page_shifts(s, shift);
	unsigned int which = pick(s, n);
	uint64_t page = 1ull << shift[which];
	uint64_t size = (1 + pick(s, which == 2 ? 1 : 24 >> which * 2)) * page;
	uint64_t va = start + (uint64_t)pick(s, 14 * MIB / page) * page;

	if (pick(s, 3) == 0) {
		space_unmap(s, 0, va + PAGE * pick(s, 4), size);
		return;
	}
	space_try_map(s, 0, MAP(.va = va, .size = size, .memory = pick(s, 2),
				.offset = page * pick(s, (2 * MIB - size) /
						      page + 1),
				.shift = pick(s, 2) ? shift[which] : 0,
				.flags = pick(s, 8) |
				(pick(s, 3) ? MAP_REPLACE : 0)));
}

void test_mappings_agree_with_a_list(struct scenario *s)
{
	uint64_t start = GIB * (1 + pick(s, 30)) - 6 * MIB, before;
	unsigned int i;

	begin(s);
	before = table_bytes(s, 0);
	memory_new(s, 0, 2 * MIB, APERTURE_VRAM, 0);
	memory_new(s, 1, 2 * MIB, any_memory(s), 0);
	for (i = 1; i <= 120; i++) {
		change(s, start);
		if (i % 20 == 0)
			expect_space(s, 0);
	}
	space_unmap(s, 0, BASE, LIMIT - BASE);
	expect_space(s, 0);
	expect_value(s, table_bytes(s, 0), before,
		     "tables that are empty should be freed");
}
