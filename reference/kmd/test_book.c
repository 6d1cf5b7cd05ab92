/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The book of mappings against an array that has a word for each page. */
#include <check.h>
#include <stdlib.h>

#include "book.h"

#define PAGES	64
#define MEMS	4
#define STEPS	2000

/* The book never looks inside. */
struct mem {
	long named;
};

static struct book book;
static struct mem mems[MEMS];
static struct mem *page[PAGES];
static u32 seed;

static u32 pick(u32 limit)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % limit;
}

static void more(void *context, struct mem *mem)
{
	ck_assert_ptr_eq(context, &book);
	mem->named++;
}

static void less(void *context, struct mem *mem)
{
	ck_assert_ptr_eq(context, &book);
	ck_assert_int_gt(mem->named, 0);
	mem->named--;
}

static const struct book_ops ops = { more, less, &book };

static void change(u32 first, u32 end, struct mem *mem)
{
	ck_assert_int_eq(book_room(&book), 0);
	book_set(&book, first, end, mem, &ops);
	for (u32 i = first; i < end; i++)
		page[i] = mem;
}

static void compare(void)
{
	long named[MEMS] = { 0 };

	for (u32 i = 0; i < book.count; i++) {
		ck_assert(book.entry[i].va < book.entry[i].end);
		ck_assert(!i || book.entry[i - 1].end <= book.entry[i].va);
		named[book.entry[i].mem - mems]++;
	}
	for (u32 i = 0; i < MEMS; i++)
		ck_assert_int_eq(mems[i].named, named[i]);
	for (u32 i = 0; i < PAGES; i++) {
		const struct book_entry *entry = book_find(&book, i);

		ck_assert_ptr_eq(entry ? entry->mem : NULL, page[i]);
	}
}

START_TEST(the_book_says_of_each_page_whose_it_is)
{
	seed = _i;
	for (int step = 0; step < STEPS; step++) {
		u32 first = pick(PAGES), size = 1 + pick(PAGES - first);

		/* Mostly short ones: many entries at a time. */
		if (pick(4))
			size = min(size, 3u);
		change(first, first + size,
		       pick(3) ? &mems[pick(MEMS)] : NULL);
		compare();
	}
	book_set(&book, 0, ~0ULL, NULL, &ops);
	for (u32 i = 0; i < MEMS; i++)
		ck_assert_int_eq(mems[i].named, 0);
	book_fini(&book);
	ck_assert_int_eq(port_live_allocs(), 0);
}
END_TEST

/* A memory is named once more before it is named once less: it is never out
 * of use in between. */
START_TEST(memory_that_is_mapped_over_itself_stays_in_use)
{
	change(10, 20, &mems[0]);
	mems[0].named += 1000;
	change(12, 14, &mems[0]);
	ck_assert_int_eq(mems[0].named, 1003);
	change(10, 20, &mems[0]);
	ck_assert_int_eq(mems[0].named, 1001);
	mems[0].named -= 1000;
	book_set(&book, 0, ~0ULL, NULL, &ops);
	book_fini(&book);
}
END_TEST

START_TEST(room_that_cannot_be_had_changes_nothing)
{
	for (u32 i = 0; i < 15; i++)
		change(2 * i, 2 * i + 1, &mems[0]);
	port_fail_alloc(1);
	ck_assert_int_eq(book_room(&book), -ENOMEM);
	port_fail_alloc(0);
	compare();
	ck_assert_int_eq(book_room(&book), 0);
	compare();
	book_set(&book, 0, ~0ULL, NULL, &ops);
	book_fini(&book);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("book");
	TCase *tcase = tcase_create("book");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tcase, the_book_says_of_each_page_whose_it_is, 0,
			    4);
	tcase_add_test(tcase, memory_that_is_mapped_over_itself_stays_in_use);
	tcase_add_test(tcase, room_that_cannot_be_had_changes_nothing);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
