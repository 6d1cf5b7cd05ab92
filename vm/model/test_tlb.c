/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The TLB and what it remembers; BARs bound to page tables. */
#include <check.h>
#include <stdlib.h>

#include "vm/model/test_pages.h"

START_TEST(a_changed_entry_is_stale_until_invalidated)
{
	const uint64_t va = 0x1234567000;

	bench_start(&b, CARD_P100);
	format2(va, 0x123401);
	ck_assert_int_eq(translate(va, false), 0);
	put(PTE + 0x167 * 8, 0x999901);
	ck_assert_int_eq(translate(va, false), 0);
	ck_assert_uint_eq(place.addr, 0x1234000);
	bench_expect(&b, RULE_TLB_STALE, 1);
	/* Said once; the old page goes on being used. */
	ck_assert_int_eq(translate(va, false), 0);
	ck_assert_uint_eq(place.addr, 0x1234000);
	bench_expect_nothing(&b);

	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, ROOT >> 12 << 4);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB, 0);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE,
		 REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER, 1) |
		 REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_ALL_VA, 1));
	while (!REG_GET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY,
			bench_rd(&b, NV_PFB_PRI_MMU_CTRL)))
		;
	ck_assert_int_eq(translate(va, false), 0);
	ck_assert_uint_eq(place.addr, 0x9999000);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_neighbour_that_changes_is_no_staleness)
{
	const uint64_t va = 0x1234567000;

	bench_start(&b, CARD_P100);
	format2(va, 0x123401);
	ck_assert_int_eq(translate(va, false), 0);
	put(PTE + 0x168 * 8, 0x999901);
	ck_assert_int_eq(translate(va, false), 0);
	/* Becoming valid needs no invalidation either. */
	ck_assert_int_eq(translate(va + 0x1000, false), 0);
	ck_assert_uint_eq(place.addr, 0x9999000);
	/* Unmapped and not used again: nobody's business. */
	put(PTE + 0x167 * 8, 0);
	bench_expect_nothing(&b);
	ck_assert_int_eq(translate(va, false), 0);
	bench_expect(&b, RULE_TLB_STALE, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(invalidations_queue_up_and_a_full_queue_loses_them)
{
	uint32_t ctrl;

	bench_start(&b, CARD_P100);
	for (unsigned int i = 0; i < CARD_SLOTS + 3; i++)
		bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, 0x80000003);
	bench_arrive(&b);
	ck_assert_uint_ge(b.machine.rules[RULE_TLB_INVALIDATE_BUSY], 1);
	bench_expect(&b, RULE_TLB_INVALIDATE_BUSY,
		     b.machine.rules[RULE_TLB_INVALIDATE_BUSY]);
	ctrl = bench_rd(&b, NV_PFB_PRI_MMU_CTRL);
	ck_assert_uint_lt(REG_GET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_SPACE, ctrl),
			  2);
	ck_assert_uint_eq(REG_GET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY, ctrl),
			  0);
	card_advance(b.card, 1000000);
	ctrl = bench_rd(&b, NV_PFB_PRI_MMU_CTRL);
	ck_assert_uint_eq(REG_GET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_SPACE, ctrl),
			  CARD_SLOTS);
	ck_assert_uint_eq(REG_GET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY, ctrl),
			  1);
	bench_stop(&b);
}
END_TEST

START_TEST(a_frozen_invalidation_ends_when_it_is_let_go)
{
	const uint64_t va = 0x1234567000;

	bench_start(&b, CARD_P100);
	format2(va, 0x123401);
	ck_assert_int_eq(translate(va, false), 0);
	put(PTE + 0x167 * 8, 0x999901);
	card_freeze_tlb(b.card, true);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, 0x80000003);
	card_advance(b.card, 1000000);
	ck_assert_uint_eq(REG_GET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY,
				  bench_rd(&b, NV_PFB_PRI_MMU_CTRL)), 0);
	card_freeze_tlb(b.card, false);
	card_advance(b.card, 1000000);
	ck_assert_uint_eq(REG_GET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY,
				  bench_rd(&b, NV_PFB_PRI_MMU_CTRL)), 1);
	ck_assert_int_eq(translate(va, false), 0);
	ck_assert_uint_eq(place.addr, 0x9999000);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_bar_shows_its_page_tables_after_the_bind)
{
	const enum card_region region = _i ? CARD_BAR3 : CARD_BAR1;
	const uint32_t reg = _i ? NV_PBUS_BAR2_BLOCK : NV_PBUS_BAR1_BLOCK;
	const uint64_t va = 0x567000;
	uint32_t word = 0x5ca1ab1e;

	bench_start(&b, CARD_P100);
	format2(va, 0x123401);
	vram_write(b.card, 0x1234000, &word, 4);
	bench_wr(&b, reg, INST >> 12 | 1u << 31);
	bench_arrive(&b);
	/* Not yet. */
	ck_assert_uint_eq(card_read(b.card, region, va, 4), 0);
	ck_assert_uint_ne(bench_rd(&b, NV_PBUS_BIND_STATUS), 0);
	bench_wait(&b, NV_PBUS_BIND_STATUS, 0xf);
	ck_assert_uint_eq(card_read(b.card, region, va, 4), word);
	card_write(b.card, region, va + 4, 4, 17);
	ck_assert_uint_eq(card_read(b.card, region, va + 4, 4), 17);
	bench_expect_nothing(&b);

	ck_assert_uint_eq(card_read(b.card, region, 0, 4), 0xffffffff);
	bench_expect(&b, RULE_BAR_FAULT, 1);
	bench_wr(&b, reg, 0);
	bench_wait(&b, NV_PBUS_BIND_STATUS, 0xf);
	ck_assert_uint_eq(card_read(b.card, region, 0x1234000, 4), word);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* How long the CPU waits for a word of BAR1. */
static uint64_t read_time(uint64_t offset)
{
	uint64_t start = card_now(b.card);

	card_read(b.card, CARD_BAR1, offset, 4);
	return card_now(b.card) - start;
}

START_TEST(a_walk_takes_its_time_and_a_hit_none)
{
	const uint64_t va = 0x567000;
	const uint64_t read = 800, level = 500;

	bench_start(&b, CARD_P100);
	format2(va, 0x123401);
	put(PTE + (va >> 12 & 511) * 8 + 8, 0x5678ull << 8 | 1);
	bench_wr(&b, NV_PBUS_BAR1_BLOCK, INST >> 12 | 1u << 31);
	bench_wait(&b, NV_PBUS_BIND_STATUS, 0xf);
	ck_assert_uint_eq(read_time(va), read + 5 * level);
	ck_assert_uint_eq(read_time(va + 8), read);
	ck_assert_uint_eq(read_time(va + 0x1000), read + level);
	card_tlb_invalidate(b.card, ~0ull);
	ck_assert_uint_eq(read_time(va), read + 5 * level);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(tables_written_through_bar1_need_the_flush)
{
	const uint64_t va = 0x1234567000;

	bench_start(&b, CARD_P100);
	format2(va, 0);
	card_write(b.card, CARD_BAR1, PTE + 0x167 * 8, 8, 0x123401);
	bench_arrive(&b);
	ck_assert_int_eq(translate(va, false), -EFAULT);
	bench_expect(&b, RULE_BAR1_NOT_FLUSHED, 1);
	bench_wr(&b, NV_UFLUSH_FB_FLUSH, 1);
	bench_wait(&b, NV_UFLUSH_FB_FLUSH, 3);
	ck_assert_int_eq(translate(va, false), 0);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tlb");
	TCase *t = tcase_create("tlb");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(t, a_changed_entry_is_stale_until_invalidated);
	tcase_add_test(t, a_neighbour_that_changes_is_no_staleness);
	tcase_add_test(t, invalidations_queue_up_and_a_full_queue_loses_them);
	tcase_add_test(t, a_frozen_invalidation_ends_when_it_is_let_go);
	tcase_add_loop_test(t, a_bar_shows_its_page_tables_after_the_bind,
			    0, 2);
	tcase_add_test(t, a_walk_takes_its_time_and_a_hit_none);
	tcase_add_test(t, tables_written_through_bar1_need_the_flush);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
