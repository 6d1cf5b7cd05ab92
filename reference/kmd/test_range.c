/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Sets of ranges against a model that a child would write: an array with the
 * owner of each byte.  Random calls, with seeds, and failed allocations.
 */
#include <check.h>
#include <stdlib.h>

#include "range.h"

#define BASE	1000u
#define SPACE	400u		/* bytes from BASE on			*/
#define CALLS	4000

/* The model: whose each byte is, 0: nobody's, and where ranges begin. */
static struct {
	u64 tag[SPACE];
	bool begins[SPACE + 1];
} model;

static struct ranges *ranges;
static u64 seed;

static u32 draw(u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

static void setup(void)
{
	memset(&model, 0, sizeof(model));
	ck_assert_int_eq(ranges_create(BASE, BASE + SPACE, &ranges), 0);
}

static void teardown(void)
{
	port_fail_alloc(0);
	ranges_destroy(ranges);
	ck_assert_int_eq(port_live_allocs(), 0);
}

static bool model_is_free(u64 at, u64 size)
{
	for (u64 i = at; i < at + size; i++) {
		if (i < BASE || i >= BASE + SPACE || model.tag[i - BASE])
			return false;
	}
	return true;
}

static void model_take(u64 at, u64 size, u64 tag)
{
	for (u64 i = at - BASE; i < at - BASE + size; i++)
		model.tag[i] = tag;
	model.begins[at - BASE] = true;
}

static void model_free(u64 at, u64 size)
{
	u64 from = at - BASE, to = from + size;

	if (to < SPACE && model.tag[to] && !model.begins[to])
		model.begins[to] = true;
	for (u64 i = from; i < to; i++) {
		model.tag[i] = 0;
		model.begins[i] = false;
	}
}

/* Would giving it back leave a rest of one range on each side? */
static bool model_splits(u64 at, u64 size)
{
	u64 from = at - BASE, to = from + size;

	if (!from || to >= SPACE || !model.tag[from - 1] || !model.tag[to])
		return false;
	for (u64 i = from; i <= to; i++) {
		if (!model.tag[i] || model.begins[i])
			return false;
	}
	return true;
}

/* Walk both, range by range. */
static void compare(void)
{
	struct range range = { 0 };
	u64 at = 0, taken = 0;

	for (u32 i = 0; i < SPACE; i++) {
		u32 end = i;

		if (!model.tag[i])
			continue;
		do
			end++;
		while (end < SPACE && model.tag[end] && !model.begins[end]);
		ck_assert(ranges_find(ranges, at, &range));
		ck_assert_uint_eq(range.at, BASE + i);
		ck_assert_uint_eq(range.size, end - i);
		ck_assert_uint_eq(range.tag, model.tag[i]);
		at = range.at + range.size;
		taken += range.size;
		i = end - 1;
	}
	ck_assert(!ranges_find(ranges, at, &range));
	ck_assert_uint_eq(ranges_taken(ranges), taken);
}

static void try_alloc(u64 tag)
{
	u64 size = 1 + draw(draw(4) ? 12 : 60), align = 1u << draw(5);
	u64 want = ALIGN((u64)BASE, align), at = 0;
	int err = ranges_alloc(ranges, size, align, tag, &at);

	while (want + size <= BASE + SPACE && !model_is_free(want, size))
		want += align;
	if (want + size > BASE + SPACE) {
		ck_assert_int_eq(err, -ENOSPC);
		return;
	}
	if (err == -ENOMEM && port_fail_alloc_hit())
		return;
	ck_assert_int_eq(err, 0);
	ck_assert_uint_eq(at, want);
	model_take(at, size, tag);
}

static void try_reserve(u64 tag)
{
	u64 at = BASE - 5 + draw(SPACE + 10), size = draw(30);
	bool inside = size && at >= BASE && at + size <= BASE + SPACE;
	int err = ranges_reserve(ranges, at, size, tag);

	if (!inside)
		ck_assert_int_eq(err, -EINVAL);
	else if (!model_is_free(at, size))
		ck_assert_int_eq(err, -EEXIST);
	else if (err != -ENOMEM || !port_fail_alloc_hit())
		ck_assert_int_eq(err, 0);
	if (!err)
		model_take(at, size, tag);
}

static void try_free(void)
{
	u64 at = BASE + draw(SPACE), size = 1 + draw(draw(3) ? 20 : 120);
	int err;

	size = min(size, BASE + SPACE - at);
	err = ranges_free(ranges, at, size);
	if (err == -ENOMEM && port_fail_alloc_hit()) {
		ck_assert(model_splits(at, size));
		return;
	}
	ck_assert_int_eq(err, 0);
	model_free(at, size);
}

static void try_any(u64 tag)
{
	switch (draw(5)) {
	case 0:
		try_reserve(tag);
		break;
	case 1:
	case 2:
		try_free();
		break;
	default:
		try_alloc(tag);
	}
}

START_TEST(ranges_are_what_a_child_would_keep)
{
	seed = _i;
	for (u32 call = 1; call <= CALLS; call++) {
		try_any(call);
		if (call % 8 == 0)
			compare();
	}
}
END_TEST

START_TEST(a_failed_allocation_changes_nothing)
{
	seed = _i;
	for (u32 call = 1; call <= CALLS; call++) {
		port_fail_alloc(draw(2));
		try_any(call);
		compare();
	}
}
END_TEST

START_TEST(impossible_arguments_are_refused)
{
	struct ranges *none = NULL;
	u64 at;

	ck_assert_int_eq(ranges_create(5, 5, &none), -EINVAL);
	ck_assert_int_eq(ranges_create(6, 5, &none), -EINVAL);
	ck_assert_int_eq(ranges_alloc(ranges, 0, 1, 1, &at), -EINVAL);
	ck_assert_int_eq(ranges_alloc(ranges, 1, 0, 1, &at), -EINVAL);
	ck_assert_int_eq(ranges_alloc(ranges, 1, 3, 1, &at), -EINVAL);
	ck_assert_int_eq(ranges_alloc(ranges, SPACE + 1, 1, 1, &at), -ENOSPC);
	ck_assert_int_eq(ranges_alloc(ranges, ~0ULL, 1, 1, &at), -ENOSPC);
	ck_assert_int_eq(ranges_alloc(ranges, 1, 1ULL << 63, 1, &at),
			 -ENOSPC);
	ck_assert_int_eq(ranges_reserve(ranges, BASE, 0, 1), -EINVAL);
	ck_assert_int_eq(ranges_reserve(ranges, BASE, ~0ULL, 1), -EINVAL);
	ck_assert_int_eq(ranges_reserve(ranges, ~0ULL, 2, 1), -EINVAL);
	ck_assert_int_eq(ranges_free(ranges, BASE, 0), -EINVAL);
	ck_assert_int_eq(ranges_free(ranges, BASE - 1, 2), -EINVAL);
	ck_assert_int_eq(ranges_free(ranges, BASE, ~0ULL - BASE + 2),
			 -EINVAL);
	compare();
}
END_TEST

START_TEST(the_ends_of_all_addresses_can_be_had)
{
	struct ranges *all;
	struct range range;
	u64 at;

	ck_assert_int_eq(ranges_create(0, ~0ULL, &all), 0);
	ck_assert_int_eq(ranges_reserve(all, ~0ULL - 4096, 4096, 7), 0);
	ck_assert_int_eq(ranges_alloc(all, ~0ULL - 4096, 1, 8, &at), 0);
	ck_assert_uint_eq(at, 0);
	ck_assert_int_eq(ranges_alloc(all, 1, 1, 9, &at), -ENOSPC);
	ck_assert(ranges_find(all, ~0ULL - 4096, &range));
	ck_assert_uint_eq(range.tag, 7);
	ranges_destroy(all);
}
END_TEST

/* In order, as an allocator sees them: the worst case of a plain tree. */
START_TEST(a_hundred_thousand_in_order_do_not_make_it_deep)
{
	struct ranges *many;
	u64 at;

	ck_assert_int_eq(ranges_create(0, 1ULL << 49, &many), 0);
	for (u64 i = 0; i < 100000; i++) {
		ck_assert_int_eq(ranges_alloc(many, 4096, 4096, i, &at), 0);
		ck_assert_uint_eq(at, i * 4096);
	}
	for (u64 i = 0; i < 100000; i += 2)
		ck_assert_int_eq(ranges_free(many, i * 4096, 4096), 0);
	for (u64 i = 0; i < 1000; i++) {
		ck_assert_int_eq(ranges_alloc(many, 8192, 4096, i, &at), 0);
		ck_assert_uint_eq(at, (100000 + 2 * i) * 4096);
	}
	ck_assert_int_eq(ranges_free(many, 0, 1ULL << 49), 0);
	ck_assert_uint_eq(ranges_taken(many), 0);
	ranges_destroy(many);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("range");
	TCase *tcase = tcase_create("range");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, ranges_are_what_a_child_would_keep, 1, 13);
	tcase_add_loop_test(tcase, a_failed_allocation_changes_nothing, 1, 5);
	tcase_add_test(tcase, impossible_arguments_are_refused);
	tcase_add_test(tcase, the_ends_of_all_addresses_can_be_had);
	tcase_add_test(tcase,
		       a_hundred_thousand_in_order_do_not_make_it_deep);
	suite_add_tcase(suite, tcase);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
