/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Memory with a way back: blocks, and what is undone. */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vm/server/arena.h"

enum { BLOCKS = 200, MIB = 1 << 20 };

static uint8_t *block[BLOCKS];
static size_t size[BLOCKS];

static void fill(unsigned int i)
{
	memset(block[i], i + 1, size[i]);
}

/* An assertion for each byte would take minutes. */
static bool is_all(const uint8_t *at, size_t n, uint8_t value)
{
	while (n && at[n - 1] == value)
		n--;
	return n == 0;
}

static void check(unsigned int i)
{
	ck_assert(is_all(block[i], size[i], i + 1));
}

static size_t any_size(void)
{
	return (size_t)rand() % (1u << rand() % 18);
}

START_TEST(blocks_of_any_size_do_not_meet)
{
	srand(_i);
	memset(block, 0, sizeof(block));
	for (int round = 0; round < 4000; round++) {
		unsigned int i = rand() % BLOCKS;

		if (block[i])
			check(i);
		switch (rand() % 3) {
		case 0:
			arena_free(block[i]);
			size[i] = any_size();
			block[i] = arena_malloc(size[i]);
			break;
		case 1:
			arena_free(block[i]);
			size[i] = any_size();
			block[i] = arena_calloc(1, size[i]);
			ck_assert(is_all(block[i], size[i], 0));
			break;
		default:
			size[i] = block[i] ? size[i] : 0;
			/* grows, and keeps what was there */
			block[i] = arena_realloc(block[i], size[i] + 100);
			check(i);
			size[i] += 100;
		}
		ck_assert_ptr_nonnull(block[i]);
		ck_assert_uint_eq((uintptr_t)block[i] % 16, 0);
		fill(i);
	}
}
END_TEST

START_TEST(a_size_that_cannot_be_is_refused)
{
	ck_assert_ptr_null(arena_malloc(SIZE_MAX));
	ck_assert_ptr_null(arena_calloc(SIZE_MAX / 2, 3));
	ck_assert_ptr_null(arena_calloc(1ul << 40, 1));
	block[0] = arena_malloc(10);
	ck_assert_ptr_null(arena_realloc(block[0], SIZE_MAX));
	arena_free(block[0]);
	arena_free(NULL);
}
END_TEST

START_TEST(what_is_undone_has_not_been)
{
	uint8_t *old = arena_malloc(MIB), *new, *other;

	memset(old, 0x11, MIB);
	ck_assert_int_eq(arena_begin(), 0);
	memset(old + 5000, 0x22, 20000);
	new = arena_malloc(300000);
	memset(new, 0x33, 300000);
	arena_free(old);
	ck_assert_int_eq(arena_undo(), 0);
	ck_assert(is_all(old, MIB, 0x11));
	/* the block is there again, and empty */
	other = arena_calloc(1, 300000);
	ck_assert_ptr_eq(other, new);
	ck_assert(is_all(other, 300000, 0));
}
END_TEST

START_TEST(what_is_kept_stays)
{
	uint8_t *old = arena_calloc(1, MIB);

	for (int round = 0; round < 50; round++) {
		ck_assert_int_eq(arena_begin(), 0);
		old[round * 5000] = 1;
		if (round % 3 == 0) {
			ck_assert_int_eq(arena_undo(), 0);
		} else {
			arena_keep();
			/* between tries it is written too */
			old[round * 5000 + 1] = 2;
		}
	}
	for (int round = 0; round < 50; round++) {
		ck_assert_uint_eq(old[round * 5000], round % 3 != 0);
		ck_assert_uint_eq(old[round * 5000 + 1],
				  round % 3 ? 2 : 0);
	}
}
END_TEST

START_TEST(the_same_can_be_tried_again_and_again)
{
	uint64_t *words = arena_calloc(MIB / 8, 8);

	for (uint64_t round = 1; round < 300; round++) {
		for (int try = 0; try < 3; try++) {
			ck_assert_int_eq(arena_begin(), 0);
			for (size_t i = 0; i < 40; i++)
				words[i * 3000] += round;
			if (try < 2)
				ck_assert_int_eq(arena_undo(), 0);
		}
		arena_keep();
		for (size_t i = 0; i < 40; i++)
			ck_assert_uint_eq(words[i * 3000],
					  round * (round + 1) / 2);
	}
}
END_TEST

START_TEST(too_much_to_remember_is_told)
{
	uint8_t *old = arena_malloc(40 * MIB);

	memset(old, 1, 40 * MIB);
	ck_assert_int_eq(arena_begin(), 0);
	memset(old, 2, 40 * MIB);
	ck_assert_int_ne(arena_undo(), 0);
	ck_assert_uint_eq(old[30 * MIB], 2);
	/* and the next is remembered again */
	ck_assert_int_eq(arena_begin(), 0);
	memset(old, 3, MIB);
	ck_assert_int_eq(arena_undo(), 0);
	ck_assert_uint_eq(old[0], 2);
	/* so many pages in between are no loss either */
	ck_assert_int_eq(arena_begin(), 0);
	arena_keep();
	memset(old, 4, 40 * MIB);
	ck_assert_int_eq(arena_begin(), 0);
	old[7] = 5;
	ck_assert_int_eq(arena_undo(), 0);
	ck_assert_uint_eq(old[7], 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arena");
	TCase *t = tcase_create("arena");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(t, blocks_of_any_size_do_not_meet, 1, 5);
	tcase_add_test(t, a_size_that_cannot_be_is_refused);
	tcase_add_test(t, what_is_undone_has_not_been);
	tcase_add_test(t, what_is_kept_stays);
	tcase_add_test(t, the_same_can_be_tried_again_and_again);
	tcase_add_test(t, too_much_to_remember_is_told);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
