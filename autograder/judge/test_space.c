/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Parts of an address space, against an array of pages. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/space.h"

#define PAGES	200u
#define PAGE	4096ull

static struct space_map map;
/* What each page should be: memory << 32 | page there; 0: nothing. */
static uint64_t page[PAGES];

static void setup(void)
{
	memset(&map, 0, sizeof(map));
	memset(page, 0, sizeof(page));
}

static void teardown(void)
{
	space_map_fini(&map);
}

static void set(unsigned int at, unsigned int count, unsigned int memory,
		unsigned int offset)
{
	struct space_part part = {
		.va = at * PAGE, .size = count * PAGE, .memory = memory,
		.offset = offset * PAGE,
	};
	unsigned int i;

	ck_assert(space_map_set(&map, &part));
	for (i = 0; i < count; i++)
		page[at + i] = (uint64_t)memory << 32 | (offset + i);
}

static void clear(unsigned int at, unsigned int count)
{
	ck_assert(space_map_clear(&map, at * PAGE, count * PAGE));
	memset(page + at, 0, count * sizeof(*page));
}

static uint64_t seen(unsigned int at)
{
	const struct space_part *part = space_map_next(&map, at * PAGE);

	if (!part || part->va > at * PAGE)
		return 0;
	return (uint64_t)part->memory << 32 |
		(part->offset + at * PAGE - part->va) / PAGE;
}

static void compare(void)
{
	size_t part;
	unsigned int i;

	for (i = 0; i < PAGES; i++) {
		ck_assert_uint_eq(seen(i), page[i]);
		ck_assert(space_map_free(&map, i * PAGE, PAGE) == !page[i]);
	}
	for (part = 0; part < map.count; part++) {
		ck_assert_uint_ne(map.part[part].size, 0);
		if (part)
			ck_assert_uint_ge(map.part[part].va,
					  map.part[part - 1].va +
					  map.part[part - 1].size);
	}
}

START_TEST(a_hole_in_the_middle_leaves_both_sides)
{
	set(10, 20, 1, 5);
	clear(15, 3);
	compare();
	ck_assert_uint_eq(map.count, 2);
	clear(12, 10);
	compare();
}
END_TEST

START_TEST(what_is_set_replaces_what_was_there)
{
	set(0, 10, 1, 0);
	set(20, 10, 2, 0);
	set(5, 20, 3, 7);
	compare();
	ck_assert_uint_eq(map.count, 3);
	clear(0, PAGES);
	compare();
	ck_assert_uint_eq(map.count, 0);
}
END_TEST

START_TEST(any_changes_agree_with_an_array)
{
	unsigned int i;

	srand(_i);
	for (i = 0; i < 500; i++) {
		unsigned int at = rand() % PAGES;
		unsigned int count = 1 + rand() % (PAGES - at);

		if (count > 30)
			count = 30;
		if (rand() % 2)
			set(at, count, 1 + rand() % 9, rand() % 100);
		else
			clear(at, count);
		compare();
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("space");
	TCase *tcase = tcase_create("space");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_hole_in_the_middle_leaves_both_sides);
	tcase_add_test(tcase, what_is_set_replaces_what_was_there);
	tcase_add_loop_test(tcase, any_changes_agree_with_an_array, 0, 10);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
