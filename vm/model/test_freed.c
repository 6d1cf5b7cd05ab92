/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A page table's memory is given back when nothing leads to it and the card
 * has forgotten it [§6.5]: each way to be too early, and the orders that are
 * right.
 */
#include <check.h>
#include <stdlib.h>

#include "vm/model/mmu.h"
#include "vm/model/test_pages.h"

/* Format 2, as format2() builds it. */
#define VA	0x1234567000ull
#define PD2	(ROOT + 0x1000)
#define PD1	(ROOT + 0x2000)
#define PD0	(ROOT + 0x3000)
#define ENTRY3	(ROOT + (VA >> 47 & 3) * 8)
#define ENTRY2	(PD2 + (VA >> 38 & 511) * 8)
#define ENTRY1	(PD1 + (VA >> 29 & 511) * 8)
#define ENTRY0	(PD0 + (VA >> 21 & 255) * 16)
#define BIG	(ROOT + 0x10100)	/* 256 bytes, in the middle of 4 KiB */
#define PAGE	0x1234000ull

static const uint64_t table[] = { PTE, PD0, PD1, PD2, ROOT };
static const uint64_t named_by[] = { ENTRY0 + 8, ENTRY1, ENTRY2, ENTRY3 };

static void begin(void)
{
	bench_start(&b, CARD_P100);
	format2(VA, PAGE >> 12 << 8 | 1);
}

/* The space is in use: BAR2 shows it. */
static void use(void)
{
	bench_wr(&b, NV_PBUS_BAR2_BLOCK, INST >> 12 | 1u << 31);
	bench_wait(&b, NV_PBUS_BIND_STATUS, 0xf);
}

static void forget(unsigned int level)
{
	struct tlb_forget what = { .root = ROOT, .level = level };

	card_tlb_forget(b.card, &what);
}

static void expect_told(const char *what)
{
	bench_expect(&b, RULE_TABLE_FREED, 1);
	ck_assert_msg(strstr(b.machine.last, what) != NULL, "%s",
		      b.machine.last);
}

START_TEST(a_table_that_a_directory_names_is_in_use)
{
	begin();
	use();
	card_table_freed(b.card, table[_i], 4096);
	expect_told(_i < 4 ? "names it" : "is that page directory");
	bench_stop(&b);
}
END_TEST

START_TEST(a_table_that_is_unlinked_is_free)
{
	begin();
	use();
	put(named_by[_i], 0);
	card_table_freed(b.card, table[_i], 4096);
	bench_expect_nothing(&b);
	/* All that hangs below goes with it. */
	for (int i = 0; i < _i; i++)
		card_table_freed(b.card, table[i], 4096);
	bench_expect_nothing(&b);
	if (_i < 3) {
		card_table_freed(b.card, table[_i + 1], 4096);
		expect_told("names it");
	}
	bench_stop(&b);
}
END_TEST

/* Written through BAR1, it is not in memory before the flush. */
START_TEST(an_entry_on_its_way_names_its_old_table)
{
	begin();
	use();
	card_write(b.card, CARD_BAR1, named_by[0], 8, 0);
	bench_arrive(&b);
	card_table_freed(b.card, PTE, 4096);
	expect_told("names it");
	bench_wr(&b, NV_UFLUSH_FB_FLUSH, 1);
	bench_wait(&b, NV_UFLUSH_FB_FLUSH, 3);
	forget(0);
	card_table_freed(b.card, PTE, 4096);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(nobody_asks_for_spaces_that_are_not_in_use)
{
	begin();
	for (int i = 0; i < 5; i++)
		card_table_freed(b.card, table[i], 4096);
	bench_expect_nothing(&b);
	/* In use, and then no more. */
	use();
	bench_wr(&b, NV_PBUS_BAR2_BLOCK, 0);
	bench_wait(&b, NV_PBUS_BIND_STATUS, 0xf);
	for (int i = 0; i < 5; i++)
		card_table_freed(b.card, table[i], 4096);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* Unlinked or not, it was walked, and the card was not told. */
START_TEST(what_is_remembered_is_not_free)
{
	begin();
	ck_assert_int_eq(translate(VA, false), 0);
	if (_i < 4)
		put(named_by[_i], 0);
	card_table_freed(b.card, table[_i], 4096);
	expect_told(_i < 4 ? "a directory's entry that names it" :
		    "an entry of that page directory");
	/* Pages only: the way there is still known. */
	forget(1);
	put(PTE, 0);
	card_table_freed(b.card, table[_i], 4096);
	bench_expect(&b, RULE_TABLE_FREED, 1);
	forget(0);
	card_table_freed(b.card, table[_i], 4096);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* The walk cache may have lost the way; the page is there all the same. */
START_TEST(a_page_that_was_found_there_is_remembered)
{
	const uint64_t gone[] = { PTE, ROOT };

	begin();
	ck_assert_int_eq(translate(VA, false), 0);
	memset(b.card->mmu->walked, 0, sizeof(b.card->mmu->walked));
	put(named_by[0], 0);
	card_table_freed(b.card, PD1, 4096);
	bench_expect_nothing(&b);
	card_table_freed(b.card, gone[_i], 4096);
	expect_told(_i ? "a page of that page directory" :
		    "a page that it found there");
	ck_assert_ptr_nonnull(strstr(b.machine.last, "0x1234567000"));
	bench_stop(&b);
}
END_TEST

START_TEST(an_invalidation_has_to_be_done)
{
	begin();
	ck_assert_int_eq(translate(VA, false), 0);
	put(named_by[0], 0);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_PDB, ROOT >> 12 << 4);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB, 0);
	bench_wr(&b, NV_PFB_PRI_MMU_INVALIDATE,
		 REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER, 1) |
		 REG_VAL(NV_PFB_PRI_MMU_INVALIDATE_ALL_VA, 1));
	bench_arrive(&b);
	card_table_freed(b.card, PTE, 4096);
	expect_told("an invalidation is not done yet");
	while (!REG_GET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY,
			bench_rd(&b, NV_PFB_PRI_MMU_CTRL)))
		;
	card_table_freed(b.card, PTE, 4096);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* Big tables are small: sixteen lie in 4 KiB, and each is another's. */
START_TEST(a_table_of_big_pages_is_told_from_its_neighbours)
{
	begin();
	use();
	put(ENTRY0, VRAM_PDE << 1 | BIG >> 8 << 4);
	put(BIG + (VA >> 16 & 31) * 8, 0x7650ull << 8 | 1);
	card_table_freed(b.card, BIG - 256, 256);
	card_table_freed(b.card, BIG + 256, 256);
	bench_expect_nothing(&b);
	card_table_freed(b.card, BIG, 256);
	expect_told("names it");
	ck_assert_int_eq(translate(VA, false), 0);
	put(ENTRY0, 0);
	card_table_freed(b.card, BIG - 256, 256);
	card_table_freed(b.card, BIG + 256, 256);
	bench_expect_nothing(&b);
	card_table_freed(b.card, BIG, 256);
	expect_told("a directory's entry that names it");
	forget(0);
	card_table_freed(b.card, BIG, 256);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* A page of 2 MiB has taken a table's place. */
START_TEST(a_page_in_a_directory_names_no_table)
{
	begin();
	use();
	put(ENTRY0, 0x40000000ull >> 12 << 8 | 1);
	card_table_freed(b.card, PTE, 4096);
	bench_expect_nothing(&b);
	/* Its entry lies in the directory. */
	ck_assert_int_eq(translate(VA, false), 0);
	memset(b.card->mmu->walked, 0, sizeof(b.card->mmu->walked));
	bench_wr(&b, NV_PBUS_BAR2_BLOCK, 0);
	bench_wait(&b, NV_PBUS_BIND_STATUS, 0xf);
	card_table_freed(b.card, PD0, 4096);
	expect_told("a page that it found there");
	bench_stop(&b);
}
END_TEST

START_TEST(one_change_is_told_once)
{
	begin();
	use();
	for (int i = 0; i < 5; i++)
		card_table_freed(b.card, table[i], 4096);
	bench_expect(&b, RULE_TABLE_FREED, 1);
	/* Another change, another report. */
	put(named_by[3], 0);
	card_table_freed(b.card, ROOT, 4096);
	bench_expect(&b, RULE_TABLE_FREED, 1);
	bench_stop(&b);
}
END_TEST

/* A driver may write anything into a table; the monitor comes to an end. */
START_TEST(directories_that_name_each_other_end)
{
	begin();
	use();
	put(ENTRY3, VRAM_PDE << 1 | PD2 >> 12 << 8);
	for (unsigned int i = 0; i < 512; i++) {
		put(PD2 + i * 8, VRAM_PDE << 1 | PD2 >> 12 << 8);
		put(PD1 + i * 8, VRAM_PDE << 1 | PD2 >> 12 << 8);
	}
	card_table_freed(b.card, 0x900000, 4096);
	card_table_freed(b.card, ~0ull - 100, ~0ull);
	bench_expect_nothing(&b);
	card_table_freed(b.card, PD2, 4096);
	bench_expect(&b, RULE_TABLE_FREED, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(a_lost_card_reads_no_tables)
{
	begin();
	use();
	ck_assert_int_eq(translate(VA, false), 0);
	card_unplug(b.card);
	card_table_freed(b.card, PTE, 4096);
	card_table_freed(b.card, ROOT, 4096);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* Both tables of an entry of format 1, and the directory behind 4 KiB. */
START_TEST(format_1_names_two_tables)
{
	const uint64_t va = 0x9c04000000, big = ROOT + 0x40000;
	const uint64_t small = ROOT + 0x80000;
	const uint64_t entry = ROOT + (va >> 26) * 8;

	bench_start(&b, CARD_M40);
	load(REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1), (1ull << 40) - 1);
	put(entry, (small >> 12 << 4 | VRAM_PDE) << 32 | big >> 12 << 4 |
	    VRAM_PDE);
	put(small, 0x777ull << 4 | 1);
	use();
	card_table_freed(b.card, _i ? big : small, 8192);
	expect_told("(PDE0) of address 0x9c04000000");
	ck_assert_int_eq(translate(va, false), 0);
	put(entry, 0);
	card_table_freed(b.card, _i ? big : small, 8192);
	expect_told("a directory's entry that names it");
	card_tlb_invalidate(b.card, ROOT);
	card_table_freed(b.card, big, 8192);
	card_table_freed(b.card, small, 8192);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("freed");
	TCase *t = tcase_create("freed");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, a_table_that_a_directory_names_is_in_use, 0, 5);
	tcase_add_loop_test(t, a_table_that_is_unlinked_is_free, 0, 4);
	tcase_add_test(t, an_entry_on_its_way_names_its_old_table);
	tcase_add_test(t, nobody_asks_for_spaces_that_are_not_in_use);
	tcase_add_loop_test(t, what_is_remembered_is_not_free, 0, 5);
	tcase_add_loop_test(t, a_page_that_was_found_there_is_remembered, 0,
			    2);
	tcase_add_test(t, an_invalidation_has_to_be_done);
	tcase_add_test(t, a_table_of_big_pages_is_told_from_its_neighbours);
	tcase_add_test(t, a_page_in_a_directory_names_no_table);
	tcase_add_test(t, one_change_is_told_once);
	tcase_add_test(t, directories_that_name_each_other_end);
	tcase_add_test(t, a_lost_card_reads_no_tables);
	tcase_add_loop_test(t, format_1_names_two_tables, 0, 2);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
