/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a walk remembers of the directories it went through, how deep an
 * invalidation goes, and what is stale [§6.5].
 */
#include <check.h>
#include <stdlib.h>

#include "vm/model/test_pages.h"

/* Format 2, as format2() builds it; one entry of each level. */
#define VA	0x1234567000ull
#define PD2	(ROOT + 0x1000)
#define PD1	(ROOT + 0x2000)
#define PD0	(ROOT + 0x3000)
#define ENTRY3	(ROOT + (VA >> 47 & 3) * 8)
#define ENTRY2	(PD2 + (VA >> 38 & 511) * 8)
#define ENTRY1	(PD1 + (VA >> 29 & 511) * 8)
#define ENTRY0	(PD0 + (VA >> 21 & 255) * 16 + 8)
#define LEAF	(PTE + (VA >> 12 & 511) * 8)
/* A second set of tables, and where it leads. */
#define OTHER	(ROOT + 0x10000)
#define OLD_PAGE 0x1234000ull
#define NEW_PAGE 0x7777000ull

static const uint64_t entry_at[] = { ENTRY0, ENTRY1, ENTRY2, ENTRY3 };

static uint64_t names(uint64_t table)
{
	return VRAM_PDE << 1 | table >> 12 << 8;
}

/* Tables below level `level` once more, which lead to NEW_PAGE. */
static void second_tables(unsigned int level)
{
	static const struct {
		uint8_t shift, size, bits, more;
	} below[] = {
		{ 12, 8, 9, 0 }, { 21, 16, 8, 8 }, { 29, 8, 9, 0 },
		{ 38, 8, 9, 0 },
	};
	uint64_t table = OTHER;

	while (level) {
		unsigned int index = VA >> below[level].shift &
			((1u << below[level].bits) - 1);

		put(table + index * below[level].size + below[level].more,
		    names(table + 0x1000));
		table += 0x1000;
		level--;
	}
	put(table + (VA >> 12 & 511) * 8, NEW_PAGE >> 12 << 8 | 1);
	put(table + ((VA >> 12 & 511) + 1) * 8, NEW_PAGE >> 12 << 8 | 1);
}

static void forget(unsigned int level)
{
	struct tlb_forget what = { .root = ROOT, .level = level };

	card_tlb_forget(b.card, &what);
}

static struct card_tlb_stats stats(void)
{
	struct card_tlb_stats s;

	card_tlb_stats(b.card, &s);
	return s;
}

START_TEST(a_second_walk_begins_at_the_lowest_directory)
{
	struct card_tlb_stats s;

	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	put(LEAF + 8, 0x5678ull << 8 | 1);
	ck_assert_int_eq(translate(VA, false), 0);
	s = stats();
	ck_assert_uint_eq(s.misses, 1);
	ck_assert_uint_eq(s.entries_read, 5);
	ck_assert_uint_eq(card_walk_time(b.card),
			  5 * b.card->costs.walk_level);
	/* The page's neighbour: one entry; then neither costs anything. */
	ck_assert_int_eq(translate(VA + 0x1000, false), 0);
	ck_assert_uint_eq(place.addr, 0x5678000);
	s = stats();
	ck_assert_uint_eq(s.entries_read, 6);
	ck_assert_uint_eq(s.levels_saved, 4);
	ck_assert_uint_eq(card_walk_time(b.card), b.card->costs.walk_level);
	ck_assert_int_eq(translate(VA + 4, false), 0);
	ck_assert_uint_eq(stats().hits, 1);
	ck_assert_uint_eq(card_walk_time(b.card), 0);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* CACHE_LEVEL n forgets directories PDE0 to PDE(n - 2), and no more. */
START_TEST(an_invalidation_goes_as_deep_as_its_level)
{
	const unsigned int level = _i / 4, changed = _i % 4;
	bool reaches = !level || level >= changed + 2;

	bench_start(&b, CARD_P100);
	format2(VA, OLD_PAGE >> 12 << 8 | 1);
	ck_assert_int_eq(translate(VA, false), 0);
	/* The entry of one level names other tables from now on. */
	second_tables(changed);
	put(entry_at[changed], names(OTHER));
	forget(level);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, reaches ? NEW_PAGE : OLD_PAGE);
	if (reaches)
		bench_expect_nothing(&b);
	else
		bench_expect(&b, RULE_TLB_STALE, 1);
	/* All levels, and the truth is found. */
	forget(0);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, NEW_PAGE);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* The bug of many drivers: the table is freed, and is data by then. */
START_TEST(a_freed_table_is_followed_after_forgetting_pages_only)
{
	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	ck_assert_int_eq(translate(VA, false), 0);
	put(LEAF, 0);
	put(ENTRY0, 0);
	forget(1);
	put(LEAF, 0xdada01);	/* data, which looks like an entry */
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, 0xdada000);
	bench_expect(&b, RULE_TLB_STALE, 1);
	ck_assert_ptr_nonnull(strstr(b.machine.last, "directory entries"));
	/* Also when the data looks like no entry. */
	forget(1);
	put(LEAF + 8, 0);
	ck_assert_int_eq(translate(VA + 0x1000, false), -EFAULT);
	bench_expect_nothing(&b);	/* told before */
	forget(0);
	ck_assert_int_eq(translate(VA, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PDE);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_stale_directory_is_reported_even_if_it_leads_nowhere)
{
	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	ck_assert_int_eq(translate(VA, false), 0);
	put(ENTRY0, 0);
	ck_assert_int_eq(translate(VA + 0x1000, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PTE);
	bench_expect(&b, RULE_TLB_STALE, 1);
	bench_stop(&b);
}
END_TEST

/* 4 KiB pages remapped as one of 2 MiB, and nobody said so. */
START_TEST(a_big_page_over_small_ones_needs_an_invalidation)
{
	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	ck_assert_int_eq(translate(VA, false), 0);
	put(ENTRY0 - 8, 0x40000000ull >> 12 << 8 | 1);
	put(ENTRY0, 0);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, 0x1234000);
	bench_expect(&b, RULE_TLB_STALE, 1);
	/* Another page of the two megabytes goes through the old table. */
	ck_assert_int_eq(translate(VA + 0x1000, false), -EFAULT);
	bench_expect(&b, RULE_TLB_STALE, 1);
	forget(0);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, 0x40000000 + (VA & 0x1fffff));
	ck_assert_uint_eq(place.shift, 21);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* A table of big pages beside the small one changes nothing for the rest. */
START_TEST(a_second_table_in_the_same_entry_harms_nobody_else)
{
	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	put(LEAF + 8, 0x5678ull << 8 | 1);
	ck_assert_int_eq(translate(VA, false), 0);
	put(ENTRY0 - 8, VRAM_PDE << 1 | OTHER >> 8 << 4);
	ck_assert_int_eq(translate(VA + 0x1000, false), 0);
	ck_assert_uint_eq(place.addr, 0x5678000);
	bench_expect_nothing(&b);
	/* But what it maps is not found, and that shows. */
	put(OTHER + ((VA >> 16 & 31) + 1) * 8, 0x7650ull << 8 | 1);
	ck_assert_int_eq(translate(VA + 0x10000, false), -EFAULT);
	bench_expect(&b, RULE_TLB_STALE, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(one_page_is_forgotten_and_no_other)
{
	struct tlb_forget what = {
		.root = ROOT, .one_page = true, .va = VA, .level = 1,
	};

	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	put(LEAF + 8, 0x5678ull << 8 | 1);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_int_eq(translate(VA + 0x1000, false), 0);
	put(LEAF, 0x999901);
	put(LEAF + 8, 0x888801);
	card_tlb_forget(b.card, &what);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, 0x9999000);
	bench_expect_nothing(&b);
	ck_assert_int_eq(translate(VA + 0x1000, false), 0);
	ck_assert_uint_eq(place.addr, 0x5678000);
	bench_expect(&b, RULE_TLB_STALE, 1);
	bench_stop(&b);
}
END_TEST

/* Two spaces share a table; each has to be told. */
START_TEST(a_shared_table_is_remembered_for_each_directory)
{
	struct mem_space second;

	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	second = space;
	second.root = OTHER;
	put(OTHER + (VA >> 47 & 3) * 8, names(PD2));
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_int_eq(card_va_translate(b.card, who, &second, VA, false,
					   &place, &fault), 0);
	put(LEAF, 0x999901);
	forget(0);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, 0x9999000);
	bench_expect_nothing(&b);
	ck_assert_int_eq(card_va_translate(b.card, who, &second, VA, false,
					   &place, &fault), 0);
	ck_assert_uint_eq(place.addr, 0x1234000);
	bench_expect(&b, RULE_TLB_STALE, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(tables_in_system_memory_are_looked_at_on_every_use)
{
	uint64_t pte = 0x123401, pde;

	bench_start(&b, CARD_P40);
	format2(VA, 0);
	/* The lowest table lies in system memory. */
	pde = 2 << 1 | BENCH_DMA >> 12 << 8;
	put(ENTRY0, pde);
	memcpy(b.machine.memory + (VA >> 12 & 511) * 8, &pte, 8);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, 0x1234000);
	bench_expect_nothing(&b);
	pte = 0x999901;
	memcpy(b.machine.memory + (VA >> 12 & 511) * 8, &pte, 8);
	ck_assert_int_eq(translate(VA, false), 0);
	ck_assert_uint_eq(place.addr, 0x1234000);
	bench_expect(&b, RULE_TLB_STALE, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(format_1_remembers_its_directory_too)
{
	const uint64_t va = 0x4000000, small = ROOT + 0x40000;

	bench_start(&b, CARD_M40);
	load(REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1), (1ull << 40) - 1);
	put(ROOT + (va >> 26) * 8, (small >> 12 << 4 | VRAM_PDE) << 32);
	put(small, 0x777ull << 4 | 1);
	put(small + 8, 0x778ull << 4 | 1);
	ck_assert_int_eq(translate(va, false), 0);
	ck_assert_uint_eq(stats().entries_read, 2);
	ck_assert_int_eq(translate(va + 0x1000, false), 0);
	ck_assert_uint_eq(stats().entries_read, 3);
	put(ROOT + (va >> 26) * 8, 0);
	ck_assert_int_eq(translate(va + 0x2000, false), -EFAULT);
	bench_expect(&b, RULE_TLB_STALE, 1);
	card_tlb_invalidate(b.card, ROOT);
	ck_assert_int_eq(translate(va, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PDE);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk");
	TCase *t = tcase_create("walk");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(t, a_second_walk_begins_at_the_lowest_directory);
	tcase_add_loop_test(t, an_invalidation_goes_as_deep_as_its_level,
			    0, 6 * 4);
	tcase_add_test(t,
		       a_freed_table_is_followed_after_forgetting_pages_only);
	tcase_add_test(t,
		       a_stale_directory_is_reported_even_if_it_leads_nowhere);
	tcase_add_test(t, a_big_page_over_small_ones_needs_an_invalidation);
	tcase_add_test(t, a_second_table_in_the_same_entry_harms_nobody_else);
	tcase_add_test(t, one_page_is_forgotten_and_no_other);
	tcase_add_test(t, a_shared_table_is_remembered_for_each_directory);
	tcase_add_test(t, tables_in_system_memory_are_looked_at_on_every_use);
	tcase_add_test(t, format_1_remembers_its_directory_too);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
