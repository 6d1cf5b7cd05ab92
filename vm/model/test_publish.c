/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A table is ready before its directory names it [§6.4]; invalidations are
 * asked for one at a time [§6.5].
 */
#include <check.h>
#include <stdlib.h>

#include "vm/model/test_pages.h"

/* BAR2 uses the space, so that it is in use; BAR1 shows video memory. */
#define VA	0x567000ull
#define PD0	(ROOT + 0x3000)
#define TABLE	(ROOT + 0x20000)
#define NEXT_VA	(VA + (1 << 21))
#define NEXT	(PD0 + (NEXT_VA >> 21 & 255) * 16)

static void start(enum card_chip chip)
{
	bench_start(&b, chip);
	format2(VA, 0x123401);
	bench_wr(&b, NV_PBUS_BAR2_BLOCK, INST >> 12 | 1u << 31);
	bench_wait(&b, NV_PBUS_BIND_STATUS, 0xf);
	/* A walk by here, and the card knows the directories. */
	card_read(b.card, CARD_BAR3, VA, 4);
	bench_expect_nothing(&b);
}

/* As a driver writes: PRAMIN is in memory at once. */
static void pramin(uint64_t addr, uint64_t value)
{
	bench_wr(&b, NV_PBUS_BAR0_WINDOW, addr >> 16);
	bench_wr(&b, 0x700000 + (addr & 0xffff) + 4, value >> 32);
	bench_wr(&b, 0x700000 + (addr & 0xffff), value);
	bench_arrive(&b);
}

static void clear(uint64_t addr, size_t len)
{
	for (size_t i = 0; i < len; i += 8)
		pramin(addr + i, 0);
}

static uint64_t names(uint64_t table)
{
	return VRAM_PDE << 1 | table >> 12 << 8;
}

START_TEST(a_table_is_cleared_before_it_is_named)
{
	start(CARD_P100);
	clear(TABLE, 4096);
	pramin(NEXT + 8, names(TABLE));
	pramin(TABLE + (NEXT_VA >> 12 & 511) * 8, 0x999901);
	ck_assert_int_eq(translate(NEXT_VA, false), 0);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_table_that_is_cleared_too_late_is_reported)
{
	start(CARD_P100);
	pramin(NEXT + 8, names(TABLE));
	bench_expect(&b, RULE_PDE_BEFORE_TABLE, 1);
	clear(TABLE, 4096);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_table_that_misses_one_word_is_reported)
{
	start(CARD_P40);
	clear(TABLE, 4096 - 8);
	pramin(NEXT + 8, names(TABLE));
	bench_expect(&b, RULE_PDE_BEFORE_TABLE, 1);
	ck_assert_ptr_nonnull(strstr(b.machine.last, "120ff8"));
	bench_stop(&b);
}
END_TEST

START_TEST(a_table_in_the_write_path_is_not_ready)
{
	uint64_t zero[8] = { 0 };

	start(CARD_P100);
	clear(TABLE, 4096);
	card_write_burst(b.card, CARD_BAR1, TABLE, zero, sizeof(zero));
	pramin(NEXT + 8, names(TABLE));
	bench_expect(&b, RULE_PDE_BEFORE_TABLE, 1);
	ck_assert_ptr_nonnull(strstr(b.machine.last, "write path"));
	bench_stop(&b);
}
END_TEST

START_TEST(writes_through_bar1_and_their_flush_are_enough)
{
	uint64_t zero[512] = { 0 };

	start(CARD_P100);
	card_write_burst(b.card, CARD_BAR1, TABLE, zero, sizeof(zero));
	bench_wr(&b, NV_UFLUSH_FB_FLUSH, 1);
	bench_wait(&b, NV_UFLUSH_FB_FLUSH, 3);
	pramin(NEXT + 8, names(TABLE));
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* The path merges lines: what was written first may arrive last. */
START_TEST(both_through_bar1_need_a_flush_between)
{
	uint64_t zero[512] = { 0 };

	start(CARD_P100);
	card_write_burst(b.card, CARD_BAR1, TABLE, zero, sizeof(zero));
	if (_i) {
		bench_wr(&b, NV_UFLUSH_FB_FLUSH, 1);
		bench_wait(&b, NV_UFLUSH_FB_FLUSH, 3);
	}
	card_write(b.card, CARD_BAR1, NEXT + 8, 8, names(TABLE));
	bench_arrive(&b);
	if (!_i)
		bench_expect(&b, RULE_PDE_BEFORE_TABLE, 1);
	card_advance(b.card, 100000);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* Both through BAR1, and no flush between them: found when the entry arrives,
 * though the path keeps their order. */
START_TEST(an_entry_behind_its_table_in_the_write_path_is_reported)
{
	uint64_t zero[8] = { 0 }, entry = names(TABLE);

	start(CARD_P100);
	clear(TABLE, 4096);
	card_write_burst(b.card, CARD_BAR1, TABLE + 0x800, zero, sizeof(zero));
	card_write(b.card, CARD_BAR1, NEXT + 8, 8, entry);
	bench_arrive(&b);
	bench_expect(&b, RULE_PDE_BEFORE_TABLE, 1);
	bench_stop(&b);
}
END_TEST

/* An empty table is as good as a full one: pages may follow its entry. */
START_TEST(a_table_may_be_filled_after_it_was_named)
{
	uint64_t entry = names(TABLE);

	start(CARD_P100);
	clear(TABLE, 4096);
	card_write(b.card, CARD_BAR1, NEXT + 8, 8, entry);
	card_write(b.card, CARD_BAR1, TABLE + (NEXT_VA >> 12 & 511) * 8, 8,
		   0x999901);
	bench_arrive(&b);
	bench_wr(&b, NV_UFLUSH_FB_FLUSH, 1);
	bench_wait(&b, NV_UFLUSH_FB_FLUSH, 3);
	ck_assert_int_eq(translate(NEXT_VA, false), 0);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* Once it was given up, the same memory has to be written anew. */
START_TEST(a_table_that_comes_back_is_cleared_again)
{
	start(CARD_P100);
	clear(TABLE, 4096);
	pramin(NEXT + 8, names(TABLE));
	pramin(NEXT + 8, 0);
	bench_expect_nothing(&b);
	pramin(NEXT + 8, names(TABLE));
	bench_expect(&b, RULE_PDE_BEFORE_TABLE, 1);
	bench_stop(&b);
}
END_TEST

/* Upper levels, and a table that the card has not walked yet. */
START_TEST(directories_below_a_new_directory_are_watched)
{
	const uint64_t pd1 = ROOT + 0x2000, pd0 = ROOT + 0x30000;

	start(CARD_P100);
	clear(pd0, 4096);
	pramin(pd1 + 8, names(pd0));	/* the next 512 MiB */
	bench_expect_nothing(&b);
	pramin(pd0 + 8, names(TABLE));
	bench_expect(&b, RULE_PDE_BEFORE_TABLE, 1);
	bench_stop(&b);
}
END_TEST

/* Data may look like anything where a directory was. */
START_TEST(memory_of_a_space_that_nobody_uses_is_not_watched)
{
	start(CARD_P100);
	bench_wr(&b, NV_PBUS_BAR2_BLOCK, 0);
	bench_wait(&b, NV_PBUS_BIND_STATUS, 0xf);
	pramin(NEXT + 8, names(TABLE));
	pramin(ROOT + 8, names(TABLE));
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(memory_that_was_cut_off_is_not_watched)
{
	start(CARD_P100);
	pramin(ROOT, 0);
	pramin(NEXT + 8, names(TABLE));
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(format_1_has_two_tables_to_get_ready)
{
	const uint64_t va = 0x100000, small = ROOT + 0x40000;
	const uint64_t big = ROOT + 0x90000;

	bench_start(&b, CARD_M40);
	load(REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1), (1ull << 40) - 1);
	put(ROOT, (small >> 12 << 4 | VRAM_PDE) << 32);
	put(small + (va >> 12) * 8, 0x777ull << 4 | 1);
	bench_wr(&b, NV_PBUS_BAR2_BLOCK, INST >> 12 | 1u << 31);
	bench_wait(&b, NV_PBUS_BIND_STATUS, 0xf);
	card_read(b.card, CARD_BAR3, va, 4);
	bench_expect_nothing(&b);
	/* A big table beside the small one: an eighth of it, then all. */
	clear(big, 1024);
	pramin(ROOT + 8, big >> 12 << 4 | 3 << 2 | VRAM_PDE);
	bench_expect_nothing(&b);
	pramin(ROOT + 16, big >> 12 << 4 | VRAM_PDE);
	bench_expect(&b, RULE_PDE_BEFORE_TABLE, 1);
	bench_stop(&b);
}
END_TEST

/* Invalidations ---------------------------------------------------------- */

#define ALL_VA	REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_ALL_VA, 1)
#define TRIGGER	REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER, 1)

START_TEST(a_directory_named_by_two_before_a_trigger_is_reported)
{
	bench_start(&b, CARD_P100);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, 0x100 << 4);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, TRIGGER | ALL_VA);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, 0x200 << 4);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, TRIGGER | ALL_VA);
	bench_arrive(&b);
	bench_expect_nothing(&b);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, 0x100 << 4);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, 0x200 << 4);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, TRIGGER | ALL_VA);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, TRIGGER | ALL_VA);
	bench_arrive(&b);
	bench_expect(&b, RULE_TLB_INVALIDATE_BUSY, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(an_invalidation_that_names_nothing_is_reported)
{
	bench_start(&b, CARD_M40);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, 0x100 << 4);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, TRIGGER);
	bench_arrive(&b);
	bench_expect(&b, RULE_TLB_INVALIDATE_BUSY, 1);
	/* 1 TiB of video memory: the address was not shifted. */
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, 0xfffffff0);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, TRIGGER | ALL_VA);
	bench_arrive(&b);
	bench_expect(&b, RULE_TLB_INVALIDATE_BUSY, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(it_takes_its_time_and_entries_live_until_then)
{
	struct card_config config = { .chip = CARD_P100, .seed = 1 };

	card_costs_default(&config.costs);
	config.costs.tlb_flush = 100000;
	bench_start_config(&b, &config);
	format2(VA, 0x123401);
	ck_assert_int_eq(translate(VA, false), 0);
	put(PTE + (VA >> 12 & 511) * 8, 0x999901);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, ROOT >> 12 << 4);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, TRIGGER | ALL_VA);
	bench_arrive(&b);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, 0x1234000);
	bench_expect(&b, RULE_TLB_STALE, 1);
	ck_assert_ptr_nonnull(strstr(b.machine.last, "not done yet"));
	card_advance(b.card, 200000);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, 0x9999000);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(the_aperture_of_the_directory_counts)
{
	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	ck_assert_int_eq(translate(VA, false), 0);
	put(PTE + (VA >> 12 & 511) * 8, 0x999901);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, ROOT >> 12 << 4 | 2);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE, TRIGGER | ALL_VA);
	card_advance(b.card, 20000);
	ck_assert_int_eq(translate(VA, false), 0);
	bench_expect(&b, RULE_TLB_STALE, 1);
	bench_stop(&b);
}
END_TEST

static void add_tests(TCase *t)
{
	tcase_add_test(t, a_table_is_cleared_before_it_is_named);
	tcase_add_test(t, a_table_that_is_cleared_too_late_is_reported);
	tcase_add_test(t, a_table_that_misses_one_word_is_reported);
	tcase_add_test(t, a_table_in_the_write_path_is_not_ready);
	tcase_add_test(t,
		       an_entry_behind_its_table_in_the_write_path_is_reported);
	tcase_add_test(t, a_table_may_be_filled_after_it_was_named);
	tcase_add_test(t, writes_through_bar1_and_their_flush_are_enough);
	tcase_add_loop_test(t, both_through_bar1_need_a_flush_between, 0, 2);
	tcase_add_test(t, a_table_that_comes_back_is_cleared_again);
	tcase_add_test(t, directories_below_a_new_directory_are_watched);
	tcase_add_test(t, memory_of_a_space_that_nobody_uses_is_not_watched);
	tcase_add_test(t, memory_that_was_cut_off_is_not_watched);
	tcase_add_test(t, format_1_has_two_tables_to_get_ready);
	tcase_add_test(t,
		       a_directory_named_by_two_before_a_trigger_is_reported);
	tcase_add_test(t, an_invalidation_that_names_nothing_is_reported);
	tcase_add_test(t, it_takes_its_time_and_entries_live_until_then);
	tcase_add_test(t, the_aperture_of_the_directory_counts);
}

int main(void)
{
	Suite *suite = suite_create("publish");
	TCase *t = tcase_create("publish");
	SRunner *runner = srunner_create(suite);
	int failed;

	add_tests(t);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
