/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 5: one address space for each context, and what may go wrong [§6.4].
 */
#include "autograder/hidden/02-vas/common.h"

static const char refused[] = "what makes no sense should be refused";

void test_public_two_spaces(struct scenario *s)
{
	uint64_t va = any_address(s, PAGE);
	unsigned int i;

	driver_open(s);
	for (i = 0; i < 2; i++) {
		space_open(s, i, BASE, LIMIT);
		ring_open_in(s, i, i, RINGS, false);
		memory_new(s, i, PAGE, any_memory(s), 0);
		space_map(s, i, MAP(.va = va, .size = PAGE, .memory = i));
	}
	gpu_reads(s, 0, va, PAGE);
	gpu_reads(s, 1, va, PAGE);
	gpu_writes(s, 0, va, PAGE);
	gpu_reads(s, 1, va, PAGE);
}

void test_public_bad_arguments(struct scenario *s)
{
	begin(s);
	memory_new(s, 0, 4 * PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = GIB, .size = 4 * PAGE));
	expect_value(s, space_try_map(s, 0, MAP(.va = GIB + 1, .size = PAGE)),
		     -EINVAL, refused);
	expect_value(s, space_try_map(s, 0, MAP(.va = GIB + 3 * PAGE,
						.size = PAGE)), -EEXIST,
		     "what is mapped should not be mapped over");
	expect_space(s, 0);
}

void test_spaces_do_not_mix(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB);
	unsigned int i, round;

	driver_open(s);
	for (i = 0; i < 4; i++) {
		space_open(s, i, BASE, LIMIT);
		ring_open_in(s, i, i, RINGS, false);
		memory_new(s, i, 8 * PAGE, any_memory(s), 2 * PAGE);
		space_map(s, i, MAP(.va = va, .size = 8 * PAGE, .memory = i));
	}
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 4; i++) {
			gpu_reads(s, i, va, 8 * PAGE);
			gpu_writes(s, i, va + PAGE, 2 * PAGE);
		}
		for (i = 0; i < 4; i++)
			gpu_reads(s, i, va, 8 * PAGE);
	}
	/* One goes, with all that it maps and the card remembers, and what it
	 * had is somebody else's. */
	ring_close_mapped(s, 1, 5 * MS);
	space_close(s, 1);
	space_map(s, 2, MAP(.va = va + GIB, .size = 4 * PAGE, .memory = 1));
	/* And another comes, perhaps in the same place. */
	space_open(s, 1, BASE, LIMIT);
	ring_open_in(s, 1, 1, RINGS, false);
	space_map(s, 1, MAP(.va = va, .size = 8 * PAGE, .memory = 3));
	for (i = 0; i < 4; i++) {
		expect_space(s, i);
		gpu_reads(s, i, va, 8 * PAGE);
	}
	gpu_reads(s, 2, va + GIB, 4 * PAGE);
}

void test_read_only_is_kept(struct scenario *s)
{
	unsigned int shift[3], n, i;
	uint64_t va = any_address(s, 2 * MIB), page;

	begin_with_ring(s);
	n = page_shifts(s, shift);
	i = seed(s) % n;
	page = 1ull << shift[i];
	memory_new(s, 0, 2 * page, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = page, .shift = shift[i],
			    .flags = MAP_READ_ONLY));
	space_map(s, 0, MAP(.va = va + page, .size = page, .offset = page,
			    .shift = shift[i]));
	gpu_reads(s, 0, va, PAGE);
	gpu_writes(s, 0, va + page, PAGE);
	gpu_write_faults(s, 0, va + page - PAGE);
}

void test_privileged_is_kept(struct scenario *s)
{
	uint64_t va = any_address(s, PAGE);

	begin(s);
	ring_open_in(s, 0, 0, RINGS, false);
	ring_open_in(s, 1, 0, RINGS + GIB, true);
	memory_new(s, 0, 2 * PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = PAGE,
			    .flags = MAP_PRIVILEGED));
	space_map(s, 0, MAP(.va = va + PAGE, .size = PAGE, .offset = PAGE));
	expect_space(s, 0);
	gpu_reads(s, 1, va, 2 * PAGE);
	gpu_reads(s, 0, va + PAGE, PAGE);
	gpu_writes(s, 1, va, PAGE);
	if (seed(s) % 2)
		gpu_read_faults(s, 0, va);
	else
		gpu_write_faults(s, 0, va);
	gpu_reads(s, 1, va, 2 * PAGE);
}

void test_a_fault_ends_one_context(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB);
	unsigned int i;

	driver_open(s);
	for (i = 0; i < 3; i++) {
		space_open(s, i, BASE, LIMIT);
		ring_open_in(s, i, i, RINGS, false);
		memory_new(s, i, 4 * PAGE, any_memory(s), 0);
		space_map(s, i, MAP(.va = va, .size = 4 * PAGE, .memory = i));
		gpu_reads(s, i, va, 4 * PAGE);
	}
	space_unmap(s, 1, va + PAGE, PAGE);
	if (seed(s) % 2)
		gpu_read_faults(s, 1, va + PAGE);
	else
		gpu_write_faults(s, 1, va + PAGE);
	gpu_reads(s, 0, va, 4 * PAGE);
	gpu_writes(s, 2, va, 4 * PAGE);
	/* Its address space is as good as before. */
	expect_space(s, 1);
	space_map(s, 1, MAP(.va = va + PAGE, .size = PAGE, .memory = 1,
			    .offset = PAGE));
	expect_space(s, 1);
	ring_close(s, 1, MS);
	gpu_reads(s, 0, va, 4 * PAGE);
}

static void bad_spaces(struct scenario *s)
{
	uint64_t end = has_huge_pages(s) ? 1ull << 49 : 1ull << 40;

	expect_value(s, space_try_open(s, 1, BASE + 1, LIMIT), -EINVAL,
		     refused);
	expect_value(s, space_try_open(s, 1, BASE, LIMIT - 5), -EINVAL,
		     refused);
	expect_value(s, space_try_open(s, 1, BASE, BASE), -EINVAL, refused);
	expect_value(s, space_try_open(s, 1, GIB, MIB), -EINVAL, refused);
	expect_value(s, space_try_open(s, 1, 0, end + PAGE), -EINVAL, refused);
}

/* Each of them wrong in one way; the judge knows what the answer should be. */
static void bad_mappings(struct scenario *s, uint64_t va)
{
	const unsigned int shift = big_shift(s);
	const uint64_t big = 1ull << shift;
	const struct mapping bad[] = {
		{ .va = va, .size = 0 },
		{ .va = va, .size = PAGE + 1 },
		{ .va = va + 8, .size = PAGE },
		{ .va = va, .size = PAGE, .offset = 16 },
		{ .va = va, .size = PAGE, .offset = 1 * MIB },
		{ .va = va, .size = 2 * MIB },
		{ .va = va, .size = PAGE, .offset = UINT64_MAX - PAGE + 1 },
		{ .va = BASE - PAGE, .size = 2 * PAGE },
		{ .va = LIMIT - PAGE, .size = 2 * PAGE },
		{ .va = UINT64_MAX - PAGE + 1, .size = PAGE },
		{ .va = UINT64_MAX - PAGE + 1, .size = 2 * PAGE },
		{ .va = va, .size = PAGE, .flags = 1u << 30 },
		{ .va = va, .size = PAGE, .shift = 13 },
		{ .va = va, .size = PAGE, .shift = 70 },
		{ .va = va, .size = PAGE, .shift = shift },
		{ .va = va + PAGE, .size = big, .shift = shift },
		{ .va = va, .size = big, .offset = PAGE, .shift = shift },
		{ .va = va, .size = big, .memory = 1, .shift = shift },
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_value(s, space_try_map(s, 0, &bad[i]), -EINVAL,
			     refused);
}

static void bad_unmaps(struct scenario *s, uint64_t va)
{
	const uint64_t bad[][2] = {
		{ va, 0 }, { va, 17 }, { va + 4, PAGE }, { BASE - PAGE, PAGE },
		{ LIMIT - PAGE, 2 * PAGE }, { UINT64_MAX - PAGE + 1, PAGE },
		{ va, UINT64_MAX - PAGE + 1 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_value(s, space_try_unmap(s, 0, bad[i][0], bad[i][1]),
			     -EINVAL, refused);
}

void test_bad_arguments_change_nothing(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB), before;

	begin(s);
	memory_new(s, 0, 256 * KIB, any_memory(s), 0);
	memory_new(s, 1, 256 * KIB, any_memory(s), 3 * PAGE * 8);
	space_map(s, 0, MAP(.va = va - 2 * PAGE, .size = 2 * PAGE));
	space_map(s, 0, MAP(.va = va + MIB, .size = 2 * PAGE));
	before = table_bytes(s, 0);
	bad_spaces(s);
	bad_mappings(s, va);
	bad_unmaps(s, va);
	expect_value(s, space_try_map(s, 0, MAP(.va = va + MIB - 4 * PAGE,
						.size = 5 * PAGE)), -EEXIST,
		     "what is mapped should not be mapped over");
	expect_space(s, 0);
	expect_value(s, table_bytes(s, 0), before,
		     "what is refused should leave no table behind");
}

/*
 * A mapping that was to replace has failed: what it would have replaced is
 * taken as before, and what was free is free.
 */
static void check_addresses(struct scenario *s, uint64_t taken, uint64_t hole)
{
	expect_value(s, space_try_map(s, 0, MAP(.va = taken, .size = PAGE)),
		     -EEXIST, "what was taken before should still be");
	space_map(s, 0, MAP(.va = hole, .size = PAGE, .shift = PAGES_4K));
	space_unmap(s, 0, hole, PAGE);
}

/* The n-th allocation of a call fails, for every n until none does. */
static void sweep_map(struct scenario *s, const struct mapping *mapping)
{
	uint64_t before = table_bytes(s, 0);
	unsigned int n;
	int64_t result = -ENOMEM;

	for (n = 1; n < 200 && result; n++) {
		fail_alloc(s, n);
		result = space_try_map(s, 0, mapping);
		fail_alloc(s, 0);
		expect_true(s, result == 0 || result == -ENOMEM,
			    "vas_map() should succeed or lack memory",
			    "0 or -ENOMEM", -result);
		expect_space(s, 0);
		if (result)
			expect_value(s, table_bytes(s, 0), before,
				     "what failed should leave no table");
		if (result && mapping->flags & MAP_REPLACE)
			check_addresses(s, mapping->va, mapping->va +
					mapping->size / 2);
	}
	expect_value(s, result, 0, "vas_map() should succeed at last");
}

void test_failed_allocation_is_undone(struct scenario *s)
{
	uint64_t va = 96 * GIB - 8 * PAGE;
	unsigned int n;
	int64_t result = -ENOMEM;

	begin(s);
	memory_new(s, 0, 2 * MIB, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va - 4 * PAGE, .size = 4 * PAGE,
			    .offset = MIB));
	sweep_map(s, MAP(.va = va, .size = 16 * PAGE));
	/* Over a hole with something on both sides. */
	space_unmap(s, 0, va + PAGE, 3 * PAGE);
	sweep_map(s, MAP(.va = va - 2 * PAGE, .size = 8 * PAGE,
			 .offset = 64 * PAGE,
			 .flags = MAP_REPLACE));
	sweep_map(s, MAP(.size = 2 * MIB, .anywhere = true));
	space_map(s, 0, MAP(.va = 40 * GIB, .size = 2 * MIB,
			    .shift = big_shift(s)));
	for (n = 1; n < 200 && result; n++) {
		fail_alloc(s, n);
		result = space_try_unmap(s, 0, 40 * GIB + 5 * PAGE, PAGE);
		fail_alloc(s, 0);
		expect_space(s, 0);
	}
	expect_value(s, result, 0, "vas_unmap() should succeed at last");
	space_close(s, 0);
	memory_free(s, 0);
	driver_leaves_nothing(s);
}

/*
 * Invalidations do not come to their end for a while.  Calls say so in time;
 * what the card may still remember is nobody else's until it was told.
 */
void test_late_invalidation_is_survived(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB), far = va + 64 * GIB;
	static const char late[] =
		"a call should say that the card did not forget in time";
	unsigned int i;
	int64_t result;

	use_slow_reads(s);
	begin_with_ring(s);
	for (i = 0; i < 3; i++)
		memory_new(s, i, 8 * PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = 8 * PAGE));
	space_map(s, 0, MAP(.va = far, .size = 8 * PAGE, .memory = 1));
	gpu_reads(s, 0, va, 8 * PAGE);
	gpu_reads(s, 0, far, 8 * PAGE);
	at_once(s, TLB_FREEZE);
	expect_value(s, space_try_map(s, 0, MAP(.va = va + 2 * PAGE,
						.size = 4 * PAGE, .memory = 2,
						.flags = MAP_REPLACE)),
		     -ETIMEDOUT, late);
	expect_value(s, space_try_unmap(s, 0, far, 8 * PAGE), -ETIMEDOUT,
		     late);
	/* Where nothing was valid there is nothing to forget. */
	result = space_try_map(s, 0, MAP(.va = far + GIB, .size = 4 * PAGE,
					 .memory = 2));
	at_once(s, TLB_THAW);
	expect_space(s, 0);
	/* What is not mapped is free, and can be mapped again. */
	if (result)
		space_map(s, 0, MAP(.va = far + GIB, .size = 4 * PAGE,
				    .memory = 2));
	space_unmap(s, 0, va + 2 * PAGE, 4 * PAGE);
	space_map(s, 0, MAP(.va = va + 2 * PAGE, .size = 4 * PAGE,
			    .memory = 1));
	space_map(s, 0, MAP(.va = far, .size = 8 * PAGE, .memory = 2));
	expect_space(s, 0);
	gpu_reads(s, 0, va, 8 * PAGE);
	gpu_reads(s, 0, far, 8 * PAGE);
	gpu_writes(s, 0, far, 8 * PAGE);
}

void test_lost_card_ends_calls(struct scenario *s)
{
	uint64_t va = any_address(s, 2 * MIB);

	begin(s);
	memory_new(s, 0, 8 * PAGE, any_memory(s), 0);
	space_map(s, 0, MAP(.va = va, .size = 4 * PAGE));
	at_once(s, CARD_UNPLUG);
	expect_value(s, space_try_map(s, 0, MAP(.va = va, .size = 4 * PAGE,
						.offset = 4 * PAGE,
						.flags = MAP_REPLACE)), -ENODEV,
		     "a call should say that the card is gone");
	expect_value(s, space_try_unmap(s, 0, va, PAGE), -ENODEV,
		     "a call should say that the card is gone");
	space_close(s, 0);
	memory_free(s, 0);
	driver_leaves_nothing(s);
}
