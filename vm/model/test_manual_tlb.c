/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the manual states of the TLB, §6.5, and of the additions that live from
 * it, §12.3 and §12.4, tried: what a driver may count on when it changes a
 * table.
 */
#include <stdlib.h>

#include "vm/model/ctx.h"
#include "vm/model/test_manual.h"
#include "vm/model/test_pages.h"

#define VA	0x1234567000ull
#define LEAF	(PTE + (VA >> 12 & 511) * 8)	/* its entry		*/
#define PD0	(ROOT + 0x3000 + (VA >> 21 & 255) * 16)
#define OTHER	(ROOT + 0x6000)			/* another small table	*/
#define SMALL	(ROOT + 0x80000)		/* of format 1		*/
#define PAGE_A	0x0000000000123401ull		/* 0x0123_4000		*/
#define PAGE_B	0x0000000000999901ull		/* 0x0999_9000		*/

/* Format 1, a small page. */
static void format1(uint64_t pte)
{
	load(REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1), (1ull << 40) - 1);
	put(ROOT + (VA >> 26) * 8, SMALL >> 12 << 36 | 1ull << 32);
	put(SMALL + (VA >> 12 & 0x3fff) * 8, pte);
}

/* A table that nothing is in, written from end to end. */
static void empty_table(uint64_t at)
{
	static const uint8_t zeros[4096];

	vram_write(b.card, at, zeros, sizeof(zeros));
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

static void name_root(uint64_t root)
{
	bench_wr(&b, 0x100cb8, root >> 12 << 4);
	if (b.card->chip->pascal)
		bench_wr(&b, 0x100cec, root >> 12 << 4 >> 32);
}

/* [§6.5], steps 2 to 4, with these bits beside TRIGGER. */
static void invalidate(uint64_t root, uint32_t what)
{
	name_root(root);
	bench_wr(&b, 0x100cbc, 1u << 31 | what);
	while (!(bench_rd(&b, 0x100c80) >> 15 & 1))
		;
}

/* §6.5 -------------------------------------------------------------------- */

START_TEST(what_becomes_valid_needs_no_invalidation)
{
	states("§6.5", "What is not valid is not remembered: neither entries "
	       "of pages, nor directory entries without a table.");
	bench_start(&b, CARD_P100);
	format2(VA, 0);
	ck_assert_uint_eq(type_of(VA, false), 2);
	put(LEAF, PAGE_A);
	ck_assert_uint_eq(found(VA), 0x01234000);
	ck_assert_uint_eq(type_of(VA + (1 << 21), false), 0);
	put(OTHER + (VA >> 12 & 511) * 8, PAGE_B);
	put(PD0 + 16 + 8, OTHER >> 12 << 8 | 1 << 1);
	ck_assert_uint_eq(found(VA + (1 << 21)), 0x09999000);
	bench_expect_nothing(&b);
}
END_TEST

static uint64_t read_time(uint64_t offset)
{
	uint64_t start = card_now(b.card);

	card_read(b.card, CARD_BAR1, offset, 4);
	return card_now(b.card) - start - 800;
}

START_TEST(a_walk_reads_what_is_not_remembered)
{
	uint64_t pd0 = ROOT + 0x3000;

	states("§6.5", "A walk begins at the lowest one that is remembered and "
	       "reads one entry a level from there.");
	states("§6.5", "the two tables at the bottom are read at the same "
	       "time. A translation at hand costs nothing extra.");
	bench_start(&b, CARD_P100);
	format2(0x7000, PAGE_A);
	put(PTE + 8 * 8, PAGE_B);
	empty_table(OTHER);
	put(pd0, OTHER >> 8 << 4 | 1 << 1);	/* a big table as well */
	bench_wr(&b, 0x001704, INST >> 12 | 1u << 31);
	bench_wait(&b, 0x001710, 3);
	ck_assert_uint_eq(read_time(0x7000), 5 * 500);
	ck_assert_uint_eq(read_time(0x7010), 0);
	ck_assert_uint_eq(read_time(0x8000), 500);
	/* Another 2 MiB: of it PD0's entry is news, and the page's. */
	empty_table(OTHER + 0x1000);
	put(OTHER + 0x1000 + 7 * 8, PAGE_B);
	put(pd0 + 16 + 8, (OTHER + 0x1000) >> 12 << 8 | 1 << 1);
	ck_assert_uint_eq(read_time(0x207000), 2 * 500);
	bench_expect_nothing(&b);
}
END_TEST

START_TEST(until_it_is_done_the_old_entry_is_used)
{
	states("§6.5", "**Until one is done the old entries are used**");
	bench_start(&b, _i);
	if (_i == CARD_M40) {
		format1(0x12341);
		found(VA);
		put(SMALL + (VA >> 12 & 0x3fff) * 8, 0x99991);
	} else {
		format2(VA, PAGE_A);
		found(VA);
		put(LEAF, PAGE_B);
	}
	name_root(ROOT);
	bench_wr(&b, 0x100cbc, 1u << 31 | 1);
	bench_rd(&b, 0x100c80);		/* it has arrived, no more */
	ck_assert_uint_eq(found(VA), 0x01234000);
	ck_assert_ptr_nonnull(strstr(b.machine.last, "is not done yet"));
	bench_expect(&b, RULE_TLB_STALE, 1);
	while (!(bench_rd(&b, 0x100c80) >> 15 & 1))
		;
	ck_assert_uint_eq(found(VA), 0x09999000);
	bench_expect_nothing(&b);
}
END_TEST

/* The small table of VA moves; what do so many levels forget? */
START_TEST(levels_forget_as_deep_as_they_say)
{
	bool enough = _i != 1;

	states("§6.5", "0 all levels; 1 pages only; *n* pages and directory "
	       "entries PDE0 to PDE(*n* − 2).");
	bench_start(&b, CARD_P100);
	format2(VA, PAGE_A);
	found(VA);
	put(OTHER + (VA >> 12 & 511) * 8, PAGE_B);
	put(PD0 + 8, OTHER >> 12 << 8 | 1 << 1);
	invalidate(ROOT, 1 | (uint32_t)_i << 24);
	ck_assert_uint_eq(found(VA), enough ? 0x09999000 : 0x01234000);
	if (!enough)
		bench_expect(&b, RULE_TLB_STALE, 1);
	bench_expect_nothing(&b);
}
END_TEST

START_TEST(gm200_forgets_all_levels)
{
	states("§6.5", "GM200 has no levels: all are forgotten.");
	bench_start(&b, CARD_M40);
	format1(0x12341);
	found(VA);
	put(SMALL + 0x20000 + (VA >> 12 & 0x3fff) * 8, 0x99991);
	put(ROOT + (VA >> 26) * 8,
	    (SMALL + 0x20000) >> 12 << 36 | 1ull << 32);
	invalidate(ROOT, 1);
	ck_assert_uint_eq(found(VA), 0x09999000);
	bench_expect_nothing(&b);
}
END_TEST

START_TEST(an_invalidation_is_for_all_addresses)
{
	states("§6.5", "without ALL_VA nothing is forgotten [I]");
	bench_start(&b, _i);
	invalidate(ROOT, 0);
	bench_expect(&b, RULE_TLB_INVALIDATE_BUSY, 1);
	invalidate(ROOT, 1);
	bench_expect_nothing(&b);
}
END_TEST

START_TEST(the_registers_are_one_request)
{
	states("§6.5", "who names another page directory before the trigger "
	       "takes somebody's away");
	states("§6.5", "a trigger when no place is free (it is lost)");
	bench_start(&b, _i);
	name_root(ROOT);
	name_root(2 * ROOT);
	bench_wr(&b, 0x100cbc, 1u << 31 | 1);
	bench_arrive(&b);
	bench_expect(&b, RULE_TLB_INVALIDATE_BUSY, 1);
	card_advance(b.card, 10000);
	for (unsigned int i = 0; i < 17; i++)
		bench_wr(&b, 0x100cbc, 1u << 31 | 3);
	bench_arrive(&b);
	bench_expect(&b, RULE_TLB_INVALIDATE_BUSY, 1);
}
END_TEST

START_TEST(two_spaces_that_share_a_table_are_two)
{
	const uint64_t second = ROOT + 0x10000;
	struct mem_space first;

	states("§6.5", "Two spaces that share a table are two page "
	       "directories: both have to be forgotten.");
	bench_start(&b, CARD_P100);
	format2(VA, PAGE_A);
	found(VA);
	first = space;
	bench_instance(&b, INST, second,
		       REG_VAL(NV_RAMIN_USE_VER2_PT_FORMAT, 1), ~0ull >> 15);
	put(second + (VA >> 47) * 8, (ROOT + 0x1000) >> 12 << 8 | 1 << 1);
	ck_assert_int_eq(card_space_load(b.card, who, MEM_VRAM, INST, &space),
			 0);
	found(VA);
	put(LEAF, PAGE_B);
	invalidate(ROOT, 1);
	ck_assert_uint_eq(found(VA), 0x01234000);
	bench_expect(&b, RULE_TLB_STALE, 1);
	space = first;
	ck_assert_uint_eq(found(VA), 0x09999000);
	bench_expect_nothing(&b);
}
END_TEST

/* §12 --------------------------------------------------------------------- */

static void context(uint32_t command)
{
	bench_wr(&b, GR_CTX_SWITCH_PDB_LO, (uint32_t)ROOT |
		 REG_VAL(NV_RAMIN_USE_VER2_PT_FORMAT, 1));
	bench_wr(&b, GR_CTX_SWITCH_LIMIT_LO, ~0u);
	bench_wr(&b, GR_CTX_SWITCH_LIMIT_HI, 0x1ffff);
	bench_wr(&b, GR_CTX_SWITCH, command);
	bench_arrive(&b);
}

START_TEST(a_switch_costs_what_the_unit_forgets)
{
	uint64_t start;

	states("§12.3", "16 × 5 × 500 ns = 40 µs, and 1.5 µs for the flush");
	bench_start(&b, CARD_P100);
	format2(0x100000, 0);
	for (uint64_t i = 0; i < 16; i++)
		put(PTE + (0x100 + i) * 8, (0x1000 + i) << 8 | 1);
	context(1u << 31 | 1);
	card_advance(b.card, 10000);
	for (unsigned int round = 0; round < 2; round++) {
		bench_wr(&b, GR_CTX_SWITCH_WORK_LO, 0x100000);
		bench_wr(&b, GR_CTX_SWITCH_WORK, 16);
		bench_arrive(&b);
		start = card_now(b.card);
		while (b.card->ctx->count)
			ck_assert(card_step(b.card, UINT64_MAX));
		/* 10 ns a page besides; it has begun a little before. */
		ck_assert_uint_le(card_now(b.card) - start,
				  16 * 10 + (round ? 0 : 40000));
		ck_assert_uint_ge(card_now(b.card) - start + 250,
				  16 * 10 + (round ? 0 : 40000));
	}
	bench_expect_nothing(&b);
}
END_TEST

/* Work of so many pages from VA. */
static void work(unsigned int pages, uint32_t data)
{
	bench_wr(&b, GR_CTX_SWITCH_WORK_LO, (uint32_t)VA);
	bench_wr(&b, GR_CTX_SWITCH_WORK_HI, VA >> 32);
	bench_wr(&b, GR_CTX_SWITCH_WORK_DATA, data);
	bench_wr(&b, GR_CTX_SWITCH_WORK, pages);
}

/* The same in a batch; then a block that loads, forgets and cleans. */
static void batch(unsigned int pages, uint32_t data)
{
	uint32_t block[2][CTX_BLOCK_WORDS] = { {
		[CTX_WORK_LO] = (uint32_t)VA, [CTX_WORK_HI] = VA >> 32,
		[CTX_WORK_DATA] = data, [CTX_WORK_PAGES] = pages,
	}, {
		[CTX_PDB_LO] = OTHER, [CTX_COMMAND] = 1u << 31 | 7,
	} };

	memcpy(b.machine.memory, block, sizeof(block));
	bench_wr(&b, GR_CTX_SWITCH_BATCH_LO, (uint32_t)BENCH_DMA);
	bench_wr(&b, GR_CTX_SWITCH_BATCH_HI, BENCH_DMA >> 32);
	bench_wr(&b, GR_CTX_SWITCH_BATCH, 2);
}

/* All work done, and what it wrote in memory. */
static void clean(void)
{
	bench_wr(&b, GR_CTX_SWITCH, 3);
	card_advance(b.card, 100000);
}

START_TEST(a_fault_drops_what_is_behind_it)
{
	uint64_t root;
	uint32_t word;

	states("§12.3", "**A fault** drops the rest of the work, and every "
	       "command, work and block of a batch behind it: none of them is "
	       "done. What was done before it stays. The context that faulted "
	       "stays current; the pages that were written stay dirty, and "
	       "wait for `CLEAN`; translations stay. `STATUS` shows the unit "
	       "idle. Commands, work and batches that are given before "
	       "`GR_CTX_SWITCH_FAULT` is cleared are lost, and no rule says "
	       "so.");
	bench_start(&b, CARD_P100);
	format2(VA, PAGE_A);
	context(1u << 31 | 1);
	card_advance(b.card, 10000);
	if (_i) {
		batch(3, 0x600d);
	} else {
		work(3, 0x600d);
		bench_wr(&b, GR_CTX_SWITCH_PDB_LO, OTHER);
		bench_wr(&b, GR_CTX_SWITCH, 1u << 31 | 7);
	}
	card_advance(b.card, 100000);
	bench_expect(&b, RULE_MMU_FAULT, 1);
	/* VALID, one page dirty, and nothing under way. */
	ck_assert_uint_eq(bench_rd(&b, GR_CTX_SWITCH_STATUS), 1 << 16 | 8);
	ck_assert(card_current_context(b.card, &root));
	ck_assert_uint_eq(root, ROOT);

	bench_wr(&b, GR_CTX_SWITCH, 1u << 31 | 7);
	work(1, 0xbad);
	batch(1, 0xbad);
	card_advance(b.card, 100000);
	ck_assert_uint_eq(bench_rd(&b, GR_CTX_SWITCH_STATUS), 1 << 16 | 8);
	bench_wr(&b, GR_CTX_SWITCH_FAULT, 1);
	card_advance(b.card, 100000);
	ck_assert_uint_eq(bench_rd(&b, GR_CTX_SWITCH_STATUS), 1 << 16 | 8);

	clean();
	vram_read(b.card, 0x01234000, &word, 4);
	ck_assert_uint_eq(word, 0x600d);
	work(1, 2);
	bench_arrive(&b);
	ck_assert_uint_eq(b.card->ctx->walks, 0);
	bench_expect_nothing(&b);
}
END_TEST

static void bus_master(bool on)
{
	card_write(b.card, CARD_CONFIG, 4, 2, on ? 6 : 2);
}

static uint32_t enable_ats(void)
{
	card_write(b.card, CARD_CONFIG, 0xb44, 4, 1u << 31);
	return card_read(b.card, CARD_CONFIG, 0xb44, 4) >> 31;
}

static unsigned int ats_state(void)
{
	return bench_rd(&b, FB_TLB_CTRL) >> 8 & 7;
}

START_TEST(ats_has_one_order_and_three_wrong_ones)
{
	states("§12.4", "1. load a context whose page tables are complete; 2. "
	       "set `FB_TLB_CTRL_ATS`; 3. enable the capability, with bus "
	       "mastering off; 4. set bus mastering.");
	states("§12.4", "| `FB_TLB_CTRL_ATS`, before a context | state 1:");
	states("§12.4", "| the capability, before `FB_TLB_CTRL_ATS` | "
	       "state 2:");
	states("§12.4", "| bus mastering, before the capability | ENABLE stays "
	       "0: a function in use ignores it. State 2, as above |");
	bench_start(&b, CARD_P100);
	format2(0x7000, PAGE_A);
	if (_i != 1)
		context(1u << 31 | 1);
	bus_master(_i == 3);
	if (_i == 2)
		enable_ats();
	bench_wr(&b, FB_TLB_CTRL, 1);
	ck_assert_uint_eq(ats_state(), _i == 1 ? 1 : 2);
	if (_i != 2)
		ck_assert_uint_eq(enable_ats(), _i != 3);
	bus_master(true);
	ck_assert_uint_eq(ats_state(), _i == 0 ? 3 : _i == 1 ? 1 : 2);
	if (!_i)
		bench_expect_nothing(&b);
	else
		ck_assert_uint_ge(b.machine.rules[RULE_ATS_ORDER], 1);
}
END_TEST

static unsigned int asked;

/* The IOMMU has each page one further on. */
static int next_page(void *host, uint64_t page, uint64_t *dma)
{
	(void)host;
	asked++;
	*dma = page + 0x1000;
	return 0;
}

/* In which page of the machine's the unit's next word is. */
static int lands_in(uint32_t data)
{
	work(1, data);
	clean();
	for (int page = 0; page < 4; page++) {
		if (!memcmp(b.machine.memory + page * 0x1000, &data, 4))
			return page;
	}
	return -1;
}

START_TEST(ats_goes_on_and_off_and_nothing_is_flushed)
{
	states("§12.4", "Switching ATS on or off flushes nothing. A "
	       "translation that the unit holds goes on to be used as it was "
	       "made: untranslated if it is from before, translated if it "
	       "was made under ATS and ATS is off by now. No rule says so.");
	bench_start(&b, CARD_P100);
	b.card->ops.ats = next_page;
	format2(VA, BENCH_DMA >> 12 << 8 | 2 << 1 | 1);
	context(1u << 31 | 1);
	ck_assert_int_eq(lands_in(1), 0);

	bus_master(false);
	bench_wr(&b, FB_TLB_CTRL, 1);
	enable_ats();
	bus_master(true);
	ck_assert_uint_eq(ats_state(), 3);
	ck_assert_int_eq(lands_in(2), 0);
	ck_assert_uint_eq(asked, 0);
	bench_wr(&b, GR_CTX_SWITCH, 5);
	ck_assert_int_eq(lands_in(3), 1);
	ck_assert_uint_eq(asked, 1);

	bus_master(false);
	card_write(b.card, CARD_CONFIG, 0xb44, 4, 0);
	bench_wr(&b, FB_TLB_CTRL, 0);
	bus_master(true);
	ck_assert_uint_eq(ats_state(), 0);
	ck_assert_int_eq(lands_in(4), 1);
	bench_wr(&b, GR_CTX_SWITCH, 5);
	ck_assert_int_eq(lands_in(5), 0);
	ck_assert_uint_eq(asked, 1);
	bench_expect_nothing(&b);
}
END_TEST

static void stop(void)
{
	bench_stop(&b);
}

int main(void)
{
	Suite *suite = suite_create("manual: TLB");
	TCase *t = tcase_create("TLB, contexts, ATS");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, NULL, stop);
#define EACH_CHIP(name)	tcase_add_loop_test(t, name, 0, CARD_CHIPS)
	tcase_add_test(t, what_becomes_valid_needs_no_invalidation);
	tcase_add_test(t, a_walk_reads_what_is_not_remembered);
	EACH_CHIP(until_it_is_done_the_old_entry_is_used);
	tcase_add_loop_test(t, levels_forget_as_deep_as_they_say, 0, 6);
	tcase_add_test(t, gm200_forgets_all_levels);
	EACH_CHIP(an_invalidation_is_for_all_addresses);
	EACH_CHIP(the_registers_are_one_request);
	tcase_add_test(t, two_spaces_that_share_a_table_are_two);
	tcase_add_test(t, a_switch_costs_what_the_unit_forgets);
	tcase_add_loop_test(t, a_fault_drops_what_is_behind_it, 0, 2);
	tcase_add_loop_test(t, ats_has_one_order_and_three_wrong_ones, 0, 4);
	tcase_add_test(t, ats_goes_on_and_off_and_nothing_is_flushed);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
