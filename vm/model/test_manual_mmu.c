/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the manual states of page tables and windows, §4 and §6, tried. */
#include <stdlib.h>

#include "vm/model/test_manual.h"
#include "vm/model/test_pages.h"

#define VA	0x1234567000ull
#define LEAF	(PTE + (VA >> 12 & 511) * 8)	/* its entry		*/
#define PD0	(ROOT + 0x3000 + (VA >> 21 & 255) * 16)
#define PD1	(ROOT + 0x2000 + (VA >> 29 & 511) * 8)
#define OTHER	(ROOT + 0x6000)			/* another small table	*/
#define BIG	(ROOT + 0x40000)		/* tables of format 1 …	*/
#define SMALL	(ROOT + 0x80000)		/* … as far as 0xbffff	*/
#define PAGE_A	0x0000000000123401ull		/* 0x0123_4000		*/

/* Format 1: one directory entry, a big page's and a small page's. */
static void format1(unsigned int big, uint64_t big_pte, uint64_t small_pte)
{
	unsigned int dir = big == 16 ? 26 : 27;
	uint64_t at = VA & ((1ull << dir) - 1);

	load(big == 16 ? REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1) : 0,
	     (1ull << 40) - 1);
	put(ROOT + (VA >> dir) * 8, SMALL >> 12 << 36 | 1ull << 32 |
	    BIG >> 12 << 4 | 1);
	put(BIG + (at >> big) * 8, big_pte);
	put(SMALL + (at >> 12) * 8, small_pte);
}

static unsigned int type_of(uint64_t va, bool write)
{
	ck_assert_int_eq(translate(va, write), -EFAULT);
	return fault.type;
}

static uint64_t found(uint64_t va)
{
	ck_assert_int_eq(translate(va, false), 0);
	return place.addr;
}

/* §6.4 -------------------------------------------------------------------- */

START_TEST(a_directory_entry_of_format_1_covers_both_tables)
{
	static const struct {
		const char *row;
		unsigned int big;
	} size[] = {
		{ "| 64 KiB | VA 39:26 | 16 384 | VA 25:12 | VA 25:16 |", 16 },
		{ "| 128 KiB | VA 39:27 | 8 192 | VA 26:12 | VA 26:17 |", 17 },
	};
	unsigned int big = size[_i].big;

	states("§6.4", size[_i].row);
	bench_start(&b, CARD_M40);
	format1(big, 0, 0x1234 << 4 | 1);
	ck_assert_uint_eq(found(VA), 0x01234000);
	ck_assert_uint_eq(place.shift, 12);
	card_tlb_invalidate(b.card, ~0ull);
	format1(big, 0x4000 << 4 | 1, 0);
	ck_assert_uint_eq(found(VA + 0x10),
			  0x04000010 + (VA & ((1u << big) - 1)));
	ck_assert_uint_eq(place.shift, big);
	bench_expect_nothing(&b);
}
END_TEST

START_TEST(video_memory_is_1_in_a_directory_and_0_in_a_page)
{
	states("§6.4", "**in a directory entry 1 is video memory and 0 "
	       "invalid; in a page-table entry 0 is video memory**");
	bench_start(&b, CARD_P100);
	format2(VA, PAGE_A);
	ck_assert_uint_eq(found(VA), 0x01234000);
	ck_assert_int_eq(place.aperture, MEM_VRAM);
	/* The same code in the directory: there is no table. */
	put(PD0 + 8, PTE >> 12 << 8);
	card_tlb_invalidate(b.card, ~0ull);
	ck_assert_uint_eq(type_of(VA, false), 0);
	/* 1 in a page is another card. */
	put(PD0 + 8, PTE >> 12 << 8 | 1 << 1);
	put(LEAF, PAGE_A | 1 << 1);
	states("§6.4", "| peer | aperture 1 | aperture 1 | another card's "
	       "memory: a fault here |");
	ck_assert_uint_eq(type_of(VA, false), 0xa);
}
END_TEST

START_TEST(what_an_entry_forbids_has_a_type)
{
	static const struct {
		const char *row;
		enum card_chip chip;
		uint64_t bits;
		bool write;
		unsigned int type;
	} fault_of[] = {
		{ "| 5 | PRIV_VIOLATION |", CARD_P100, 1 << 5, false, 5 },
		{ "| 5 | PRIV_VIOLATION |", CARD_M40, 1 << 1, false, 5 },
		{ "| 6 | RO_VIOLATION |", CARD_P40, 1 << 6, true, 6 },
		{ "| 6 | RO_VIOLATION |", CARD_M40, 1 << 2, true, 6 },
		{ "| 6 | RO_VIOLATION |", CARD_M40, 1ull << 63, true, 6 },
		{ "| 7 | WO_VIOLATION |", CARD_M40, 1ull << 62, false, 7 },
		{ "| 0xc | UNSUPPORTED_KIND |", CARD_P100, 1ull << 56, false,
		  0xc },
		{ "| 0xc | UNSUPPORTED_KIND |", CARD_M40, 1ull << 36, false,
		  0xc },
		{ "| 0xa | UNSUPPORTED_APERTURE |", CARD_M40, 1ull << 33,
		  false, 0xa },
	};

	states("§6.4", fault_of[_i].row);
	bench_start(&b, fault_of[_i].chip);
	if (fault_of[_i].chip == CARD_M40)
		format1(16, 0, 0x12341 | fault_of[_i].bits);
	else
		format2(VA, PAGE_A | fault_of[_i].bits);
	ck_assert_uint_eq(type_of(VA, fault_of[_i].write), fault_of[_i].type);
	/* A right that is there is there: read what may not be written. */
	if (fault_of[_i].type == 6 || fault_of[_i].type == 7)
		ck_assert_int_eq(translate(VA, !fault_of[_i].write), 0);
}
END_TEST

START_TEST(what_is_not_there_has_a_type)
{
	states("§6.4", "| 0 | PDE | a directory entry names no table;");
	states("§6.4", "| 2 | PTE | the table has no valid entry |");
	states("§6.4", "| 3 | VA_LIMIT_VIOLATION | beyond ADR_LIMIT, or beyond "
	       "the format |");
	states("§6.4", "| 4 | UNBOUND_INST_BLOCK | no address space |");
	bench_start(&b, CARD_P100);
	ck_assert_uint_eq(type_of(VA, false), 4);
	format2(VA, PAGE_A);
	ck_assert_uint_eq(type_of(VA + 0x1000, false), 2);
	ck_assert_uint_eq(type_of(VA + (1 << 21), false), 0);
	load(REG_VAL(NV_RAMIN_USE_VER2_PT_FORMAT, 1), VA | 0xfff);
	ck_assert_uint_eq(found(VA + 0xfff), 0x01234fff);
	ck_assert_uint_eq(type_of(VA + 0x1000, false), 3);
	load(REG_VAL(NV_RAMIN_USE_VER2_PT_FORMAT, 1), (1ull << 52) - 1);
	ck_assert_uint_eq(type_of(1ull << 49, false), 3);
	load(0, (1ull << 52) - 1);
	ck_assert_uint_eq(type_of(1ull << 40, false), 3);
}
END_TEST

START_TEST(a_part_of_a_table_ends_in_a_fault)
{
	uint64_t pde;

	states("§6.4", "| part of a table | SIZE of a directory entry | – | a "
	       "half, a quarter or an eighth of the two tables is there; "
	       "beyond it a fault |");
	states("§6.4", "| 1 | PDE_SIZE | beyond the part of a table that is "
	       "there |");
	bench_start(&b, CARD_M40);
	format1(16, 0, 0x12341);
	vram_read(b.card, ROOT + (VA >> 26) * 8, &pde, 8);
	/* VA is in the first eighth of its 64 MiB. */
	ck_assert_uint_eq(VA >> 23 & 7, 0);
	put(ROOT + (VA >> 26) * 8, pde | 1 << 2);
	ck_assert_uint_eq(found(VA), 0x01234000);
	ck_assert_uint_eq(type_of(VA + (32 << 20), false), 1);
	card_tlb_invalidate(b.card, ~0ull);
	put(ROOT + (VA >> 26) * 8, pde | 3 << 2);
	ck_assert_uint_eq(type_of(VA + (8 << 20), false), 1);
}
END_TEST

START_TEST(of_two_valid_pages_the_big_one_wins_except_on_gm200)
{
	states("§6.4", "Format 2: a valid big page wins [D]; Pascal walking "
	       "format 1 does the same [I].");
	states("§6.4", "| 0xe | BOTH_PTES_VALID | GM200: see above |");
	bench_start(&b, _i);
	format1(16, 0x4000 << 4 | 1, 0x12341);
	if (_i == CARD_M40) {
		ck_assert_uint_eq(type_of(VA, false), 0xe);
		return;
	}
	ck_assert_uint_eq(found(VA), 0x04000000 + (VA & 0xffff));
	card_tlb_invalidate(b.card, ~0ull);
	format2(VA, PAGE_A);
	put(PD0, OTHER >> 8 << 4 | 1 << 1);
	put(OTHER + (VA >> 16 & 31) * 8, 0x4000 << 8 | 1);
	ck_assert_uint_eq(found(VA), 0x04000000 + (VA & 0xffff));
	/* An invalid one leaves it to the small table, or forbids that. */
	card_tlb_invalidate(b.card, ~0ull);
	put(OTHER + (VA >> 16 & 31) * 8, 0);
	ck_assert_uint_eq(found(VA), 0x01234000);
	states("§6.4", "| no small pages here | – | in a *big* entry: VALID 0, "
	       "PRIVILEGE 1 | the small table is not looked at for these 64 "
	       "KiB |");
	card_tlb_invalidate(b.card, ~0ull);
	put(OTHER + (VA >> 16 & 31) * 8, 1 << 5);
	ck_assert_uint_eq(type_of(VA, false), 2);
}
END_TEST

START_TEST(sparse_is_for_pages_of_all_sizes_and_no_more)
{
	states("§6.4", "| sparse | VALID 0, VOL 1 | the same; also in PD0, for "
	       "2 MiB | reads give 0, writes vanish, no fault. nouveau does it "
	       "in the directories above PD0 too [N]; here they fault [A] |");
	bench_start(&b, CARD_P100);
	format2(VA, 1 << 3);
	ck_assert_int_eq(translate(VA, true), 0);
	ck_assert(place.sparse);
	put(PD0, 1 << 3);
	put(PD0 + 8, 0);
	card_tlb_invalidate(b.card, ~0ull);
	ck_assert_int_eq(translate(VA, true), 0);
	ck_assert(place.sparse);
	ck_assert_uint_eq(place.shift, 21);
	put(PD1, 1 << 3);
	card_tlb_invalidate(b.card, ~0ull);
	ck_assert_uint_eq(type_of(VA, false), 0);
}
END_TEST

START_TEST(a_burst_inside_64_bytes_is_one_write)
{
	const uint64_t entry[2] = { 0x1122334455667788ull, ~0ull };
	uint64_t seen[2];

	states("§4.4", "A burst that stays inside an aligned 64 bytes enters "
	       "it at once, and leaves it so; a line may leave between two "
	       "writes.");
	bench_start(&b, _i);
	card_write_burst(b.card, CARD_BAR1, 0x1030, entry, sizeof(entry));
	for (unsigned int ns = 0; ns < 30000; ns += 10) {
		vram_read(b.card, 0x1030, seen, sizeof(seen));
		ck_assert_uint_eq(seen[0] != 0, seen[1] != 0);
		card_advance(b.card, 10);
	}
	ck_assert_mem_eq(seen, entry, sizeof(seen));
	/* Two writes: whoever looks between them finds half. */
	card_write(b.card, CARD_BAR1, 0x1030, 8, 1);
	card_advance(b.card, 30000);
	vram_read(b.card, 0x1030, seen, sizeof(seen));
	ck_assert_uint_eq(seen[0], 1);
	ck_assert_uint_eq(seen[1], entry[1]);
	card_write(b.card, CARD_BAR1, 0x1038, 8, 1);
	card_advance(b.card, 30000);
	vram_read(b.card, 0x1030, seen, sizeof(seen));
	ck_assert_uint_eq(seen[1], 1);
	bench_expect_nothing(&b);
}
END_TEST

static void bind_bar1(void)
{
	bench_wr(&b, 0x001704, INST >> 12 | 1u << 31);
	bench_wait(&b, 0x001710, 3);
}

START_TEST(the_cpu_is_privileged_behind_a_window)
{
	states("§6.4", "or of the CPU through BAR1 or BAR2 [I]. Any other "
	       "access to a privileged page faults.");
	bench_start(&b, CARD_P100);
	format2(0x7000, PAGE_A | 1 << 5);
	put(0x01234000, 0x600d);
	ck_assert_uint_eq(type_of(0x7000, false), 5);
	bind_bar1();
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0x7000, 4), 0x600d);
	bench_expect_nothing(&b);
}
END_TEST

START_TEST(the_mmu_never_writes_an_entry)
{
	uint64_t entry;

	states("§12.3", "Neither format of these chips has one: the MMU never "
	       "writes an entry.");
	bench_start(&b, CARD_P100);
	format2(VA, PAGE_A);
	ck_assert_int_eq(card_va_write(b.card, who, &space, VA, &(int){ 7 },
				       4, &fault), 0);
	vram_read(b.card, LEAF, &entry, 8);
	ck_assert_uint_eq(entry, PAGE_A);
}
END_TEST

/* §4, §6: windows --------------------------------------------------------- */

START_TEST(a_bind_is_done_when_its_bits_are_0)
{
	states("§6.2", "(bits 1:0 BAR1, 3:2 BAR2)");
	bench_start(&b, CARD_P40);
	format2(0x7000, PAGE_A);
	bench_wr(&b, 0x001704, INST >> 12 | 1u << 31);
	ck_assert_uint_ne(bench_rd(&b, 0x001710) & 3, 0);
	ck_assert_uint_eq(bench_rd(&b, 0x001710) >> 2 & 3, 0);
	bench_wait(&b, 0x001710, 3);
	bench_wr(&b, 0x001714, INST >> 12 | 1u << 31);
	ck_assert_uint_ne(bench_rd(&b, 0x001710) >> 2 & 3, 0);
	bench_wait(&b, 0x001710, 0xc);
	bench_expect_nothing(&b);
}
END_TEST

START_TEST(a_window_on_nothing_faults)
{
	states("§6.3", "an offset that is not mapped, beyond the limit, or in "
	       "physical mode beyond video memory, reads `0xffffffff`");
	bench_start(&b, CARD_P100);
	bench_wr(&b, NV_PMC_ENABLE, ~0u);
	format2(0x7000, PAGE_A);
	bind_bar1();
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0x9000, 4), ~0u);
	bench_expect(&b, RULE_BAR_FAULT, 1);
	/* MMU engine 4, client 7, hub, a read, type PTE. */
	ck_assert_uint_eq(bench_rd(&b, NV_PFIFO_INTR_MMU_FAULT_ID), 1 << 4);
	ck_assert_uint_eq(bench_rd(&b, 0x002804 + 16 * 4), 0x9000);
	ck_assert_uint_eq(bench_rd(&b, 0x00280c + 16 * 4),
			  1u << 20 | 7 << 8 | 2);
}
END_TEST

START_TEST(a_flush_brings_what_arrived_before_it)
{
	uint32_t word;

	states("§6.6", "write 1 (PENDING), poll PENDING and OUTSTANDING to 0. "
	       "After it, what arrived through the windows before is in "
	       "memory");
	bench_start(&b, _i);
	card_write(b.card, CARD_BAR1, 0x1000, 4, 0xabcd);
	bench_wr(&b, 0x070000, 1);
	bench_wait(&b, 0x070000, 3);
	vram_read(b.card, 0x1000, &word, 4);
	ck_assert_uint_eq(word, 0xabcd);
}
END_TEST

START_TEST(an_address_that_is_too_long_is_reported)
{
	states("§4.1", "An address that does not fit breaks `RULE_DMA_MASK` "
	       "when it is given to the card, in a page-table entry for "
	       "instance.");
	bench_start(&b, CARD_P100);
	format2(0x7000, 1ull << (47 - 12 + 8) | 2 << 1 | 1);
	bind_bar1();
	card_read(b.card, CARD_BAR1, 0x7000, 4);
	ck_assert_uint_eq(b.machine.rules[RULE_DMA_MASK], 1);
}
END_TEST

static void stop(void)
{
	bench_stop(&b);
}

int main(void)
{
	Suite *suite = suite_create("manual: MMU");
	TCase *t = tcase_create("page tables, windows");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, NULL, stop);
#define EACH_CHIP(name)	tcase_add_loop_test(t, name, 0, CARD_CHIPS)
	tcase_add_loop_test(t, a_directory_entry_of_format_1_covers_both_tables,
			    0, 2);
	tcase_add_test(t, video_memory_is_1_in_a_directory_and_0_in_a_page);
	tcase_add_loop_test(t, what_an_entry_forbids_has_a_type, 0, 9);
	tcase_add_test(t, what_is_not_there_has_a_type);
	tcase_add_test(t, a_part_of_a_table_ends_in_a_fault);
	EACH_CHIP(of_two_valid_pages_the_big_one_wins_except_on_gm200);
	tcase_add_test(t, sparse_is_for_pages_of_all_sizes_and_no_more);
	tcase_add_test(t, the_cpu_is_privileged_behind_a_window);
	tcase_add_test(t, the_mmu_never_writes_an_entry);
	EACH_CHIP(a_burst_inside_64_bytes_is_one_write);
	tcase_add_test(t, a_bind_is_done_when_its_bits_are_0);
	tcase_add_test(t, a_window_on_nothing_faults);
	EACH_CHIP(a_flush_brings_what_arrived_before_it);
	tcase_add_test(t, an_address_that_is_too_long_is_reported);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
