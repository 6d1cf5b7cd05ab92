/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Addresses for DMA: where they may lie, and that no two meet. */
#include <check.h>
#include <stdlib.h>

#include "iova.h"

#define PAGE	4096ULL
#define G	(1ULL << 30)

static struct iova_space space;

static int init(const struct iova_range *range, unsigned int n, u64 last)
{
	return iova_init(&space, range, n, last, PAGE);
}

static u64 alloc(u64 size)
{
	u64 iova;

	ck_assert_int_eq(iova_alloc(&space, size, &iova), 0);
	return iova;
}

START_TEST(addresses_above_4_gib_come_first)
{
	const struct iova_range range = { 0, 8 * G - 1 };
	u64 iova;

	ck_assert_int_eq(init(&range, 1, ~0ULL), 0);
	ck_assert_uint_eq(alloc(1), 4 * G);
	ck_assert_uint_eq(alloc(4 * G - 2 * PAGE), 4 * G + 2 * PAGE);
	/* All of it is used: now those below, but never page 0. */
	ck_assert_uint_eq(alloc(PAGE), PAGE);
	ck_assert_int_eq(iova_alloc(&space, 4 * G, &iova), -ENOSPC);
	iova_fini(&space);
}
END_TEST

START_TEST(nothing_lies_beyond_the_cards_mask)
{
	const struct iova_range range = { 0, ~0ULL };
	u64 last = (1ULL << (_i ? 40 : 47)) - 1, iova;

	ck_assert_int_eq(init(&range, 1, last), 0);
	ck_assert_int_eq(iova_alloc(&space, last - 4 * G + 2, &iova),
			 -ENOSPC);
	ck_assert_uint_eq(alloc(last - 4 * G + 1), 4 * G);
	ck_assert_uint_lt(alloc(PAGE), 4 * G);
	iova_fini(&space);
}
END_TEST

START_TEST(holes_of_the_iommu_stay_holes)
{
	/* As a PC has them: the interrupts' window; and not in order. */
	const struct iova_range range[] = {
		{ 0xfef00000, 5 * G - 1 }, { 0, 0xfedfffff },
	};

	ck_assert_int_eq(init(range, 2, ~0ULL), 0);
	ck_assert_uint_eq(space.ranges, 3);
	ck_assert_uint_eq(alloc(G), 4 * G);
	for (int i = 0; i < 5000; i++) {
		u64 iova = alloc(i % 7 ? PAGE : 1 << 18);
		u64 size = i % 7 ? PAGE : 1 << 18;

		ck_assert(iova + size <= 0xfee00000 || iova >= 0xfef00000);
	}
	iova_fini(&space);
}
END_TEST

START_TEST(ranges_are_cut_to_whole_pages)
{
	const struct iova_range range[] = {
		{ 5 * PAGE + 1, 7 * PAGE + 5 }, { 100, PAGE - 1 },
		{ 9 * PAGE, 9 * PAGE + 4094 },
	};
	u64 iova;

	ck_assert_int_eq(init(range, 3, ~0ULL), 0);
	ck_assert_uint_eq(space.ranges, 1);
	ck_assert_uint_eq(alloc(PAGE), 6 * PAGE);
	ck_assert_int_eq(iova_alloc(&space, 1, &iova), -ENOSPC);
	iova_fini(&space);
}
END_TEST

START_TEST(ranges_that_touch_are_one)
{
	const struct iova_range range[] = {
		{ 16 * PAGE, 32 * PAGE - 1 }, { 24 * PAGE, 40 * PAGE - 1 },
		{ 2 * PAGE, 16 * PAGE },
	};

	ck_assert_int_eq(init(range, 3, ~0ULL), 0);
	ck_assert_uint_eq(space.ranges, 1);
	ck_assert_uint_eq(alloc(38 * PAGE), 2 * PAGE);
	iova_fini(&space);
}
END_TEST

START_TEST(without_an_address_there_is_no_space)
{
	const struct iova_range low = { 0, PAGE - 1 };
	const struct iova_range high = { 1ULL << 40, ~0ULL };
	struct iova_range many[IOVA_RANGES + 1];

	ck_assert_int_eq(init(NULL, 0, ~0ULL), -ENOSPC);
	ck_assert_int_eq(init(&low, 1, ~0ULL), -ENOSPC);
	ck_assert_int_eq(init(&high, 1, (1ULL << 40) - 1), -ENOSPC);
	ck_assert_int_eq(iova_init(&space, &high, 1, ~0ULL, 3), -EINVAL);
	ck_assert_int_eq(iova_init(&space, &high, 1, ~0ULL, 0), -EINVAL);
	for (u64 i = 0; i <= IOVA_RANGES; i++)
		many[i] = (struct iova_range){
			(2 * i + 1) * PAGE, (2 * i + 2) * PAGE - 1,
		};
	ck_assert_int_eq(init(many, IOVA_RANGES + 1, ~0ULL), -ENOSPC);
	ck_assert_int_eq(init(many, IOVA_RANGES - 1, ~0ULL), 0);
}
END_TEST

START_TEST(impossible_sizes_are_refused)
{
	const struct iova_range range = { 0, ~0ULL };
	u64 iova;

	ck_assert_int_eq(init(&range, 1, ~0ULL), 0);
	ck_assert_int_eq(iova_alloc(&space, 0, &iova), -EINVAL);
	ck_assert_int_eq(iova_alloc(&space, ~0ULL, &iova), -EINVAL);
	ck_assert_int_eq(iova_alloc(&space, ~0ULL - PAGE, &iova), -ENOSPC);
	ck_assert_int_eq(iova_free(&space, 4 * G), -ENOENT);
	iova_fini(&space);
}
END_TEST

/* Against a plain list of what is taken. */
#define LIVE	64

START_TEST(no_two_blocks_meet)
{
	const struct iova_range range[] = {
		{ 3 * PAGE, 40 * PAGE - 1 }, { 4 * G - 32 * PAGE, 4 * G +
			64 * PAGE - 1 }, { 9 * G, 9 * G + 90 * PAGE - 1 },
	};
	struct { u64 at, size; } live[LIVE] = { { 0 } };
	u64 random = _i + 1, iova, size;
	unsigned int full = 0;

	ck_assert_int_eq(init(range, 3, ~0ULL), 0);
	for (int step = 0; step < 20000; step++) {
		unsigned int slot;

		random = random * 6364136223846793005ULL + 1442695040888963407;
		slot = random >> 40 & (LIVE - 1);
		size = ((random >> 50 & 15) + 1) * PAGE;
		if (live[slot].size) {
			ck_assert_int_eq(iova_free(&space, live[slot].at), 0);
			live[slot].size = 0;
			continue;
		}
		if (iova_alloc(&space, size - 5, &iova)) {
			full++;
			continue;
		}
		ck_assert_uint_eq(iova % PAGE, 0);
		for (int i = 0; i < LIVE; i++)
			ck_assert(!live[i].size ||
				  iova >= live[i].at + live[i].size + PAGE ||
				  iova + size + PAGE <= live[i].at);
		live[slot].at = iova;
		live[slot].size = size;
	}
	ck_assert_uint_gt(full, 0);
	for (int i = 0; i < LIVE; i++) {
		if (live[i].size)
			ck_assert_int_eq(iova_free(&space, live[i].at), 0);
	}
	/* All of it is there again. */
	ck_assert_uint_eq(alloc(64 * PAGE), 4 * G);
	ck_assert_uint_eq(alloc(90 * PAGE), 9 * G);
	iova_fini(&space);
	ck_assert_int_eq(port_live_allocs(), 0);
}
END_TEST

START_TEST(a_failed_allocation_takes_nothing)
{
	const struct iova_range range = { 0, ~0ULL };
	u64 iova, size;

	ck_assert_int_eq(init(&range, 1, ~0ULL), 0);
	port_fail_alloc(1);
	ck_assert_int_eq(iova_alloc(&space, PAGE, &iova), -ENOMEM);
	ck_assert(!iova_first(&space, &iova, &size));
	ck_assert_uint_eq(alloc(PAGE), 4 * G);
	ck_assert(iova_first(&space, &iova, &size));
	ck_assert_uint_eq(iova, 4 * G);
	ck_assert_uint_eq(size, PAGE);
	iova_fini(&space);
	ck_assert_int_eq(port_live_allocs(), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("iova");
	TCase *tcase = tcase_create("iova");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, addresses_above_4_gib_come_first);
	tcase_add_loop_test(tcase, nothing_lies_beyond_the_cards_mask, 0, 2);
	tcase_add_test(tcase, holes_of_the_iommu_stay_holes);
	tcase_add_test(tcase, ranges_are_cut_to_whole_pages);
	tcase_add_test(tcase, ranges_that_touch_are_one);
	tcase_add_test(tcase, without_an_address_there_is_no_space);
	tcase_add_test(tcase, impossible_sizes_are_refused);
	tcase_add_loop_test(tcase, no_two_blocks_meet, 0, 8);
	tcase_add_test(tcase, a_failed_allocation_takes_nothing);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
