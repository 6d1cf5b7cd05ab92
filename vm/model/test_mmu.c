/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Page tables of both formats; the TLB is in test_tlb.c. */
#include <check.h>
#include <stdlib.h>

#include "vm/model/test_pages.h"

/* The example of the hardware's documentation, address for address. */
START_TEST(the_documented_example_translates)
{
	bench_start(&b, CARD_P100);
	format2(0x1234567000, 0x123401);
	/* The indices that the example gives: 0, 0, 0x91, 0xa2, 0x167. */
	ck_assert_uint_eq(card_mem_rd64(b.card, who, MEM_VRAM,
					ROOT + 0x2000 + 0x91 * 8),
			  VRAM_PDE << 1 | (ROOT + 0x3000) >> 12 << 8);
	ck_assert_uint_eq(card_mem_rd64(b.card, who, MEM_VRAM,
					PTE + 0x167 * 8), 0x123401);
	ck_assert_int_eq(translate(0x1234567abc, true), 0);
	ck_assert_uint_eq(place.addr, 0x1234abc);
	ck_assert_uint_eq(place.aperture, MEM_VRAM);
	ck_assert_uint_eq(place.left, 0x1000 - 0xabc);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(format_2_maps_system_memory_and_checks_rights)
{
	const uint64_t va = 0x1fedc00000000;

	bench_start(&b, CARD_P40);
	format2(va, BENCH_DMA >> 12 << 8 | 1 << 6 | 2 << 1 | 1);
	b.machine.memory[5] = 0x99;
	ck_assert_int_eq(translate(va + 5, false), 0);
	ck_assert_uint_eq(place.addr, BENCH_DMA + 5);
	ck_assert_uint_eq(place.aperture, MEM_SYS_COHERENT);
	ck_assert(place.read_only);
	ck_assert_int_eq(translate(va, true), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_READ_ONLY);
	ck_assert(fault.write);
	/* The TLB knows it now; the rights stay. */
	ck_assert_int_eq(translate(va, false), 0);
	ck_assert_int_eq(translate(va, true), -EFAULT);
	bench_stop(&b);
}
END_TEST

START_TEST(format_2_faults_where_nothing_is_mapped)
{
	const uint64_t va = 0x1234567000;

	bench_start(&b, CARD_P100);
	format2(va, 0);
	ck_assert_int_eq(translate(va, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PTE);
	ck_assert_uint_eq(fault.va, va);
	ck_assert_int_eq(translate(va + (1 << 21), false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PDE);
	ck_assert_int_eq(translate(va + (1ull << 38), false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PDE);
	ck_assert_int_eq(translate(1ull << 49, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_VA_LIMIT);
	space.limit = va - 1;
	ck_assert_int_eq(translate(va, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_VA_LIMIT);
	space.valid = false;
	ck_assert_int_eq(translate(va, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_UNBOUND_INST);
	bench_stop(&b);
}
END_TEST

START_TEST(format_2_knows_three_page_sizes_and_sparse)
{
	const uint64_t va = 0x40000000, big = ROOT + 0x5000;
	const uint64_t dual = ROOT + 0x3000 + (va >> 21 & 255) * 16;

	bench_start(&b, CARD_P100);
	format2(va, 0x50ull << 8 | 1);
	put(dual, VRAM_PDE << 1 | big >> 8 << 4);

	/* A valid big entry wins over the small table. */
	put(big, 0x7650ull << 8 | 1);
	ck_assert_int_eq(translate(va + 0x1234, false), 0);
	ck_assert_uint_eq(place.addr, 0x7651234);
	ck_assert_uint_eq(place.left, 0x10000 - 0x1234);

	/* One that is not valid leaves it to the small one … */
	put(big, 0);
	card_tlb_invalidate(b.card, ROOT);
	ck_assert_int_eq(translate(va + 0x34, false), 0);
	ck_assert_uint_eq(place.addr, 0x50034);
	/* … unless it forbids that. */
	put(big, 1 << 5);
	card_tlb_invalidate(b.card, ROOT);
	ck_assert_int_eq(translate(va, false), -EFAULT);
	/* Sparse: no fault, no memory. */
	put(big, 1 << 3);
	ck_assert_int_eq(translate(va, true), 0);
	ck_assert(place.sparse);

	/* The directory's entry as a page of 2 MiB. */
	put(dual, 0x1234000ull >> 12 << 8 | 1);
	card_tlb_invalidate(b.card, ROOT);
	ck_assert_int_eq(translate(va + 0x123456, false), 0);
	ck_assert_uint_eq(place.addr, 0x1200000 + 0x123456);
	ck_assert_uint_eq(place.left, 0x200000 - 0x123456);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* Format 1: big tables at BIG, small ones at SMALL. */
#define SMALL	(ROOT + 0x40000)
#define BIG	(ROOT + 0x90000)

static void format1(uint64_t va, bool is_64k)
{
	load(is_64k ? REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1) : 0,
	     (1ull << 40) - 1);
	put(ROOT + (va >> (is_64k ? 26 : 27)) * 8,
	    (SMALL >> 12 << 4 | VRAM_PDE) << 32 | BIG >> 12 << 4 | VRAM_PDE);
}

START_TEST(format_1_maps_small_and_big_pages)
{
	const unsigned int shift = _i ? 16 : 17, dir = _i ? 26 : 27;
	const uint64_t va = 0x12fc000000 | 5 << 12;
	const uint64_t in_table = va & ((1ull << dir) - 1);

	bench_start(&b, CARD_M40);
	format1(va, _i);
	ck_assert_uint_eq(space.big_shift, shift);
	ck_assert_int_eq(translate(va, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PTE);

	put(SMALL + (in_table >> 12) * 8, 0x777ull << 4 | 1);
	ck_assert_int_eq(translate(va + 8, true), 0);
	ck_assert_uint_eq(place.addr, 0x777008);
	ck_assert_uint_eq(place.left, 0x1000 - 8);

	/* A big page over the small one: GM200 takes neither. */
	put(BIG + (in_table >> shift) * 8, 0x20000ull << 4 | 1);
	card_tlb_invalidate(b.card, ~0ull);
	ck_assert_int_eq(translate(va, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_BOTH_PTES);
	put(SMALL + (in_table >> 12) * 8, 0);
	ck_assert_int_eq(translate(va, false), 0);
	ck_assert_uint_eq(place.addr, 0x20005000);
	ck_assert_uint_eq(place.left, (1u << shift) - 0x5000);

	ck_assert_int_eq(translate(va + (1ull << dir), false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PDE);
	ck_assert_int_eq(translate(1ull << 40, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_VA_LIMIT);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(format_1_knows_apertures_rights_and_short_tables)
{
	const uint64_t va = 0x4000000;

	bench_start(&b, CARD_M40);
	format1(va, true);
	put(SMALL, (2ull << 33) | BENCH_DMA >> 12 << 4 | 1);
	ck_assert_int_eq(translate(va + 4, true), 0);
	ck_assert_uint_eq(place.aperture, MEM_SYS_COHERENT);
	ck_assert_uint_eq(place.addr, BENCH_DMA + 4);

	put(SMALL + 8, 1 << 2 | 1);
	ck_assert_int_eq(translate(va + 0x1000, true), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_READ_ONLY);
	put(SMALL + 16, 1ull << 62 | 1);
	ck_assert_int_eq(translate(va + 0x2000, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_WRITE_ONLY);
	ck_assert_int_eq(translate(va + 0x2000, true), 0);
	put(SMALL + 24, 1ull << 33 | 1);
	ck_assert_int_eq(translate(va + 0x3000, false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_APERTURE);
	put(SMALL + 32, 1ull << 32);
	ck_assert_int_eq(translate(va + 0x4000, false), 0);
	ck_assert(place.sparse);

	/* A table of a quarter of its size. */
	put(ROOT + (va >> 26) * 8, (SMALL >> 12 << 4 | VRAM_PDE) << 32 |
	    2 << 2);
	card_tlb_invalidate(b.card, ~0ull);
	ck_assert_int_eq(translate(va + (1 << 24), false), -EFAULT);
	ck_assert_uint_eq(fault.type, FAULT_PDE_SIZE);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(pascal_walks_format_1_when_told_so)
{
	bench_start(&b, CARD_P100);
	format1(0, true);
	ck_assert(!space.format2);
	put(SMALL, 0x777ull << 4 | 1);
	ck_assert_int_eq(translate(0x10, false), 0);
	ck_assert_uint_eq(place.addr, 0x777010);
	/* It has no fault for two valid entries: the big one wins. */
	put(BIG, 0x20000ull << 4 | 1);
	card_tlb_invalidate(b.card, ~0ull);
	ck_assert_int_eq(translate(0x10, false), 0);
	ck_assert_uint_eq(place.addr, 0x20000010);
	bench_stop(&b);
}
END_TEST

START_TEST(maxwell_may_overrule_the_big_page_size)
{
	bench_start(&b, CARD_M40);
	bench_wr(&b, NV_PFB_PRI_MMU_CTRL, 0);
	bench_arrive(&b);
	format1(0, true);
	ck_assert_uint_eq(space.big_shift, 17);
	bench_wr(&b, NV_PFB_PRI_MMU_CTRL, 1);
	bench_arrive(&b);
	format1(0, false);
	ck_assert_uint_eq(space.big_shift, 16);
	bench_stop(&b);
}
END_TEST

START_TEST(memory_is_read_and_written_across_pages)
{
	const uint64_t va = 0x1234567000;
	uint8_t data[0x1800], back[0x1800];

	bench_start(&b, CARD_P100);
	format2(va, 0x123401);
	put(PTE + 0x168 * 8, BENCH_DMA >> 12 << 8 | 2 << 1 | 1);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = i * 7;
	ck_assert_int_eq(card_va_write(b.card, who, &space, va + 0x400, data,
				       sizeof(data), &fault), 0);
	ck_assert_mem_eq(b.machine.memory, data + 0xc00, 0xc00);
	ck_assert_int_eq(card_va_read(b.card, who, &space, va + 0x400, back,
				      sizeof(back), &fault), 0);
	ck_assert_mem_eq(data, back, sizeof(data));
	ck_assert_ptr_nonnull(card_va_peek(b.card, who, &space, va, 64));
	ck_assert_ptr_null(card_va_peek(b.card, who, &space, va + 0xfff, 2));
	ck_assert_int_eq(card_va_read(b.card, who, &space, va + 0x1ff0, back,
				      32, &fault), -EFAULT);
	ck_assert_uint_eq(fault.va, va + 0x2000);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mmu");
	TCase *t = tcase_create("mmu");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(t, the_documented_example_translates);
	tcase_add_test(t, format_2_maps_system_memory_and_checks_rights);
	tcase_add_test(t, format_2_faults_where_nothing_is_mapped);
	tcase_add_test(t, format_2_knows_three_page_sizes_and_sparse);
	tcase_add_loop_test(t, format_1_maps_small_and_big_pages, 0, 2);
	tcase_add_test(t, format_1_knows_apertures_rights_and_short_tables);
	tcase_add_test(t, pascal_walks_format_1_when_told_so);
	tcase_add_test(t, maxwell_may_overrule_the_big_page_size);
	tcase_add_test(t, memory_is_read_and_written_across_pages);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
