/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* DMA memory: room, addresses, and what is remembered of freed pieces. */
#include <check.h>
#include <stdlib.h>

#include "autograder/judge/arena.h"

static struct arena arena;

static uint64_t alloc(uint64_t size)
{
	const struct arena_piece *piece = arena_alloc(&arena, size);

	ck_assert_ptr_nonnull(piece);
	return piece->offset;
}

START_TEST(addresses_fit_the_mask_and_are_far_from_small)
{
	unsigned int bits = _i, i, high = 0;

	arena_init(&arena, bits, 5);
	for (i = 0; i < 100; i++) {
		const struct arena_piece *p = arena_alloc(&arena, 5000);

		ck_assert_ptr_nonnull(p);
		ck_assert_uint_eq(p->size, 8192);
		ck_assert_uint_eq(p->dma % 4096, 0);
		ck_assert_uint_ge(p->dma, 1ull << 32);
		ck_assert_uint_le(p->dma + p->size, 1ull << bits);
		high += p->dma >> (bits - 1) & 1;
	}
	ck_assert_uint_gt(high, 30);
}
END_TEST

START_TEST(pieces_never_meet)
{
	unsigned int i, a, b;
	uint64_t offset[40];

	arena_init(&arena, 40, 9);
	srand(1);
	for (i = 0; i < 40; i++)
		offset[i] = alloc(1 + rand() % 40000);
	for (i = 0; i < 200; i++) {
		a = rand() % 40;
		arena_free(&arena, arena_at(&arena, offset[a]));
		offset[a] = alloc(1 + rand() % 40000);
	}
	for (a = 0; a < arena.pieces; a++) {
		for (b = 0; b < arena.pieces; b++) {
			const struct arena_piece *p = &arena.piece[a];
			const struct arena_piece *q = &arena.piece[b];

			if (a == b)
				continue;
			ck_assert(p->dma + p->size < q->dma ||
				  q->dma + q->size < p->dma);
			if (p->live && q->live)
				ck_assert(p->offset + p->size <= q->offset ||
					  q->offset + q->size <= p->offset);
		}
	}
}
END_TEST

START_TEST(room_that_was_freed_is_used_again)
{
	unsigned int i;

	arena_init(&arena, 47, 1);
	for (i = 0; i < 1000; i++) {
		uint64_t offset = alloc(WIRE_ARENA_SIZE / 2 + 4096);

		ck_assert_ptr_null(arena_alloc(&arena, WIRE_ARENA_SIZE / 2));
		arena_free(&arena, arena_at(&arena, offset));
	}
	ck_assert_uint_eq(arena.allocated, 0);
}
END_TEST

START_TEST(a_freed_piece_is_still_known_by_its_address)
{
	const struct arena_piece *found;
	struct arena_piece *piece;
	uint64_t dma;

	arena_init(&arena, 47, 1);
	piece = arena_at(&arena, alloc(4096));
	dma = piece->dma;
	arena_free(&arena, piece);
	found = arena_find_dma(&arena, dma + 100, 8);
	ck_assert_ptr_nonnull(found);
	ck_assert(!found->live);
	ck_assert_ptr_null(arena_at(&arena, found->offset));
}
END_TEST

START_TEST(ranges_that_stick_out_or_wrap_are_not_found)
{
	const struct arena_piece *p;

	arena_init(&arena, 47, 1);
	p = arena_alloc(&arena, 4096);
	ck_assert_ptr_eq(arena_find_dma(&arena, p->dma, 4096), p);
	ck_assert_ptr_null(arena_find_dma(&arena, p->dma + 1, 4096));
	ck_assert_ptr_null(arena_find_dma(&arena, p->dma - 1, 2));
	ck_assert_ptr_null(arena_find_dma(&arena, p->dma + 8, UINT64_MAX));
	ck_assert_ptr_null(arena_find(&arena, UINT64_MAX - 3, 8));
	ck_assert_ptr_null(arena_alloc(&arena, 0));
	ck_assert_ptr_null(arena_alloc(&arena, UINT64_MAX));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("arena");
	TCase *tests = tcase_create("pieces");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tests,
			    addresses_fit_the_mask_and_are_far_from_small, 40,
			    48);
	tcase_add_test(tests, pieces_never_meet);
	tcase_add_test(tests, room_that_was_freed_is_used_again);
	tcase_add_test(tests, a_freed_piece_is_still_known_by_its_address);
	tcase_add_test(tests, ranges_that_stick_out_or_wrap_are_not_found);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
