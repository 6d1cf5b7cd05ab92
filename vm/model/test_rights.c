/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Every level of both formats with every kind of fault, and every page size
 * with every right [§6.4].
 */
#include <check.h>
#include <stdlib.h>

#include "vm/model/test_pages.h"

#define VA	0x1234560000ull
#define PAGE	0x40000000ull	/* in video memory */
#define SMALL	(ROOT + 0x100000)
#define BIG	(ROOT + 0x200000)

/* Page entries ----------------------------------------------------------- */

enum { PLAIN, READ_ONLY, PRIVILEGED, WRITE_ONLY, VOLATILE, SPARSE, PEER,
       KIND, SYSTEM, NONCOHERENT, ABSENT, ENTRIES };

static uint64_t entry_2(unsigned int what)
{
	uint64_t frame = PAGE >> 12 << 8, dma = BENCH_DMA >> 12 << 8;

	switch (what) {
	case READ_ONLY:
		return frame | 1 << 6 | 1;
	case PRIVILEGED:
		return frame | 1 << 5 | 1;
	case VOLATILE:
		return frame | 1 << 3 | 1;
	case SPARSE:
		return 1 << 3;
	case PEER:
		return frame | 1 << 1 | 1;
	case KIND:
		return frame | 0xfeull << 56 | 1;
	case SYSTEM:
		return dma | 2 << 1 | 1;
	case NONCOHERENT:
		return dma | 3 << 1 | 1;
	case ABSENT:
		return 0;
	}
	return frame | 1;
}

static uint64_t entry_1(unsigned int what)
{
	uint64_t frame = PAGE >> 12 << 4, dma = BENCH_DMA >> 12 << 4;

	switch (what) {
	case READ_ONLY:
		return frame | 1 << 2 | 1;
	case PRIVILEGED:
		return frame | 1 << 1 | 1;
	case WRITE_ONLY:
		return frame | 1ull << 62 | 1;
	case VOLATILE:
		return frame | 1ull << 32 | 1;
	case SPARSE:
		return 1ull << 32;
	case PEER:
		return frame | 1ull << 33 | 1;
	case KIND:
		return frame | 0xfeull << 36 | 1;
	case SYSTEM:
		return dma | 2ull << 33 | 1;
	case NONCOHERENT:
		return dma | 3ull << 33 | 1;
	case ABSENT:
		return 0;
	}
	return frame | 1;
}

/* The page of one size; 0, 1, 2 as below. */
static const struct {
	enum card_chip chip;
	unsigned int shift;
} sizes[] = {
	{ CARD_P100, 12 }, { CARD_P40, 16 }, { CARD_P100, 21 },
	{ CARD_M40, 12 }, { CARD_M40, 16 }, { CARD_M40, 17 },
};

static void map(unsigned int shift, unsigned int what)
{
	const uint64_t dual = ROOT + 0x3000 + (VA >> 21 & 255) * 16;
	unsigned int big = shift == 17 ? 17 : 16;
	uint64_t at = VA & ((1ull << (big + 10)) - 1);

	if (b.card->chip->pascal) {
		format2(VA, shift == 12 ? entry_2(what) : 0);
		if (shift == 16) {
			put(dual, VRAM_PDE << 1 | BIG >> 8 << 4);
			put(BIG + (VA >> 16 & 31) * 8, entry_2(what));
		} else if (shift == 21) {
			put(dual, entry_2(what));
			put(dual + 8, 0);
		}
		return;
	}
	load(REG_SET(NV_RAMIN_BIG_PAGE_SIZE, big == 16), (1ull << 40) - 1);
	put(ROOT + (VA >> (big + 10)) * 8, (SMALL >> 12 << 4 | VRAM_PDE) << 32 |
	    BIG >> 12 << 4 | VRAM_PDE);
	put(shift == 12 ? SMALL + (at >> 12) * 8 : BIG + (at >> big) * 8,
	    entry_1(what));
}

/* 0, or the type of fault + 1. */
static unsigned int expected(unsigned int what, bool write, bool privileged)
{
	switch (what) {
	case READ_ONLY:
		return write ? FAULT_READ_ONLY + 1 : 0;
	case PRIVILEGED:
		return privileged ? 0 : FAULT_PRIVILEGE + 1;
	case WRITE_ONLY:
		return write ? 0 : FAULT_WRITE_ONLY + 1;
	case PEER:
		return FAULT_APERTURE + 1;
	case KIND:
		return FAULT_KIND + 1;
	case ABSENT:
		return FAULT_PTE + 1;
	}
	return 0;
}

/* Twice: by a walk, and from the TLB. */
static void access_is(unsigned int what, bool write, bool privileged)
{
	unsigned int want = expected(what, write, privileged);

	space.privileged = privileged;
	for (unsigned int i = 0; i < 2; i++) {
		fault.type = 0xff;
		ck_assert_int_eq(translate(VA + 8, write),
				 want ? -EFAULT : 0);
		if (want) {
			ck_assert_uint_eq(fault.type, want - 1);
			ck_assert_uint_eq(fault.write, write);
			ck_assert_uint_eq(fault.va, VA + 8);
		}
	}
}

START_TEST(every_size_has_every_right)
{
	const unsigned int size = _i / ENTRIES, what = _i % ENTRIES;
	const unsigned int shift = sizes[size].shift;
	bool pascal = sizes[size].chip != CARD_M40;

	/* Only format 1 can forbid to read; a 2 MiB entry that is not valid
	 * names no table. */
	if ((pascal && what == WRITE_ONLY) || (shift == 21 && what == ABSENT))
		return;
	bench_start(&b, sizes[size].chip);
	map(shift, what);
	for (unsigned int i = 0; i < 4; i++)
		access_is(what, i & 1, i & 2);
	if (expected(what, false, true)) {
		bench_stop(&b);
		return;
	}
	ck_assert_int_eq(translate(VA + 8, false), 0);
	ck_assert_uint_eq(place.shift, shift);
	ck_assert_uint_eq(place.sparse, what == SPARSE);
	ck_assert_uint_eq(place.is_volatile, what == VOLATILE);
	ck_assert_uint_eq(place.aperture, what == SYSTEM ? MEM_SYS_COHERENT :
			  what == NONCOHERENT ? MEM_SYS_NONCOHERENT :
			  MEM_VRAM);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* Directories ------------------------------------------------------------ */

START_TEST(a_directory_entry_that_names_nothing_is_a_fault)
{
	const uint64_t at[] = {
		ROOT + (VA >> 47 & 3) * 8, ROOT + 0x1000 + (VA >> 38 & 511) * 8,
		ROOT + 0x2000 + (VA >> 29 & 511) * 8,
		ROOT + 0x3000 + (VA >> 21 & 255) * 16 + 8,
	};

	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	ck_assert_int_eq(translate(VA, false), 0);
	put(at[_i], 0);
	card_tlb_invalidate(b.card, ROOT);
	ck_assert_int_eq(translate(VA, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PDE);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* Upper directories have no pages: bit 0 set is an error there. */
START_TEST(a_page_entry_in_an_upper_directory_is_a_fault)
{
	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	put(ROOT + 0x2000 + (VA >> 29 & 511) * 8, 0x123400 | 1 << 1 | 1);
	ck_assert_int_eq(translate(VA, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PDE);
	bench_stop(&b);
}
END_TEST

/* A table in system memory, in each code that a directory has for it. */
START_TEST(tables_may_lie_in_system_memory)
{
	const unsigned int code = 2 + _i % 2;
	uint64_t pte = 0x123401, pte_1 = 0x12341;

	bench_start(&b, _i < 2 ? CARD_P40 : CARD_M40);
	if (_i < 2) {
		format2(VA, 0);
		put(ROOT + 0x3000 + (VA >> 21 & 255) * 16 + 8,
		    code << 1 | BENCH_DMA >> 12 << 8);
		memcpy(b.machine.memory + (VA >> 12 & 511) * 8, &pte, 8);
	} else {
		load(REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1), (1ull << 40) - 1);
		put(ROOT + (VA >> 26) * 8, (BENCH_DMA >> 12 << 4 |
					    (uint64_t)code) << 32);
		memcpy(b.machine.memory + (VA >> 12 & 0x3fff) * 8, &pte_1, 8);
	}
	ck_assert_int_eq(translate(VA, true), 0);
	ck_assert_uint_eq(place.addr, 0x1234000);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* Memory that does not answer has no tables. */
START_TEST(a_table_that_cannot_be_read_is_a_fault)
{
	bench_start(&b, CARD_P100);
	format2(VA, 0x123401);
	put(ROOT + 0x2000 + (VA >> 29 & 511) * 8,
	    2 << 1 | 0x7000000ull << 8);
	ck_assert_int_eq(translate(VA, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PDE);
	ck_assert_uint_ge(b.machine.rules[RULE_DMA_FAULT], 1);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rights");
	TCase *t = tcase_create("rights");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, every_size_has_every_right, 0, 6 * ENTRIES);
	tcase_add_loop_test(t,
			    a_directory_entry_that_names_nothing_is_a_fault,
			    0, 4);
	tcase_add_test(t, a_page_entry_in_an_upper_directory_is_a_fault);
	tcase_add_loop_test(t, tables_may_lie_in_system_memory, 0, 4);
	tcase_add_test(t, a_table_that_cannot_be_read_is_a_fault);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
