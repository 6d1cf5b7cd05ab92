/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* GR_CTX_SWITCH and ATS, the additions of [§12.3] and [§12.4]. */
#include <check.h>
#include <stdlib.h>

#include "vm/model/ctx.h"
#include "vm/model/test_bench.h"

#define VA	0x1234560000ull		/* where each context's pages are */
#define PAGES	16u
#define TABLES(n) (0x1000000ull + (n) * 0x10000)
#define MEMORY(n) (0x4000000ull + (n) * 0x100000)

static struct bench b;

static void put(uint64_t addr, uint64_t value)
{
	vram_write(b.card, addr, &value, 8);
}

/* Context n: PAGES pages at VA, of video memory or as `entry` says. */
static void tables(unsigned int n, uint64_t entry)
{
	uint64_t at = TABLES(n);

	put(at + (VA >> 47 & 3) * 8, 1 << 1 | (at + 0x1000) >> 12 << 8);
	put(at + 0x1000 + (VA >> 38 & 511) * 8,
	    1 << 1 | (at + 0x2000) >> 12 << 8);
	put(at + 0x2000 + (VA >> 29 & 511) * 8,
	    1 << 1 | (at + 0x3000) >> 12 << 8);
	put(at + 0x3000 + (VA >> 21 & 255) * 16 + 8,
	    1 << 1 | (at + 0x4000) >> 12 << 8);
	for (unsigned int i = 0; i < PAGES; i++)
		put(at + 0x4000 + ((VA >> 12 & 511) + i) * 8,
		    entry + ((uint64_t)i << 8));
}

static void start(void)
{
	bench_start(&b, CARD_P100);
	for (unsigned int n = 0; n < 3; n++)
		tables(n, MEMORY(n) >> 12 << 8 | 1);
}

static void stage(unsigned int n, unsigned int tag)
{
	bench_wr(&b, GR_CTX_SWITCH_PDB_LO, TABLES(n) |
		 REG_VAL(NV_RAMIN_USE_VER2_PT_FORMAT, 1));
	bench_wr(&b, GR_CTX_SWITCH_LIMIT_LO, ~0u);
	bench_wr(&b, GR_CTX_SWITCH_LIMIT_HI, 0x1ffff);
	bench_wr(&b, GR_CTX_SWITCH_TAG, tag);
}

#define LOAD	REG_FIELD_MASK(GR_CTX_SWITCH_LOAD)
#define WAIT	REG_FIELD_MASK(GR_CTX_SWITCH_WAIT_IDLE)
#define CLEAN	REG_FIELD_MASK(GR_CTX_SWITCH_CLEAN)
#define FLUSH	REG_FIELD_MASK(GR_CTX_SWITCH_FLUSH)
#define FLUSH_TAG REG_FIELD_MASK(GR_CTX_SWITCH_FLUSH_TAG)
#define ALL	(LOAD | WAIT | CLEAN | FLUSH)

static void switch_to(unsigned int n, unsigned int tag, uint32_t command)
{
	stage(n, tag);
	bench_wr(&b, GR_CTX_SWITCH, command);
}

static void work(uint32_t pages, uint32_t data)
{
	bench_wr(&b, GR_CTX_SWITCH_WORK_LO, (uint32_t)VA);
	bench_wr(&b, GR_CTX_SWITCH_WORK_HI, VA >> 32);
	bench_wr(&b, GR_CTX_SWITCH_WORK_DATA, data);
	bench_wr(&b, GR_CTX_SWITCH_WORK, pages);
}

static void settle(void)
{
	bench_wait(&b, GR_CTX_SWITCH_STATUS,
		   REG_FIELD_MASK(GR_CTX_SWITCH_STATUS_WORK) |
		   REG_FIELD_MASK(GR_CTX_SWITCH_STATUS_SWITCH) |
		   REG_FIELD_MASK(GR_CTX_SWITCH_STATUS_BATCH));
}

static uint32_t memory(unsigned int n, unsigned int page)
{
	uint32_t word;

	vram_read(b.card, MEMORY(n) + page * CARD_PAGE, &word, 4);
	return word;
}

static uint32_t dirty(void)
{
	return REG_GET(GR_CTX_SWITCH_STATUS_DIRTY,
		       bench_rd(&b, GR_CTX_SWITCH_STATUS));
}

START_TEST(each_context_writes_its_own_pages)
{
	start();
	for (unsigned int n = 0; n < 3; n++) {
		switch_to(n, 0, ALL);
		work(PAGES, 0x100 + n);
	}
	switch_to(0, 0, ALL);
	settle();
	bench_expect(&b, RULE_CTX_WORK_BUSY, 2);
	bench_stop(&b);

	start();
	for (unsigned int n = 0; n < 3; n++) {
		switch_to(n, 0, ALL);
		work(PAGES, 0x100 + n);
		settle();
	}
	bench_wr(&b, GR_CTX_SWITCH, CLEAN | WAIT);
	settle();
	for (unsigned int n = 0; n < 3; n++) {
		for (unsigned int i = 0; i < PAGES; i++)
			ck_assert_uint_eq(memory(n, i), 0x100 + n);
	}
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(pages_are_dirty_until_they_are_cleaned)
{
	uint64_t root;

	start();
	ck_assert(!card_current_context(b.card, &root));
	switch_to(1, 0, ALL);
	work(5, 7);
	settle();
	ck_assert(card_current_context(b.card, &root));
	ck_assert_uint_eq(root, TABLES(1));
	ck_assert_uint_eq(dirty(), 5);
	ck_assert_uint_eq(memory(1, 0), 0);
	/* The same pages again are no more pages. */
	work(5, 8);
	settle();
	ck_assert_uint_eq(card_dirty_pages(b.card, TABLES(1)), 5);
	bench_wr(&b, GR_CTX_SWITCH, CLEAN | WAIT);
	settle();
	ck_assert_uint_eq(dirty(), 0);
	ck_assert_uint_eq(memory(1, 4), 8);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_switch_without_clean_is_reported)
{
	start();
	switch_to(0, 0, ALL);
	work(3, 1);
	settle();
	switch_to(1, 0, LOAD | WAIT | FLUSH);
	settle();
	bench_expect(&b, RULE_CTX_DIRTY, 1);
	ck_assert_uint_eq(card_dirty_pages(b.card, TABLES(0)), 3);
	bench_stop(&b);
}
END_TEST

START_TEST(a_switch_in_the_middle_of_work_is_reported)
{
	start();
	switch_to(0, 0, ALL);
	settle();
	work(PAGES, 1);
	switch_to(1, 0, LOAD | CLEAN | FLUSH);
	settle();
	bench_expect(&b, RULE_CTX_BUSY, 1);
	/* What was left of the work went to the other context. */
	bench_wr(&b, GR_CTX_SWITCH, CLEAN);
	settle();
	ck_assert_uint_eq(memory(1, PAGES - 1), 1);
	bench_stop(&b);
}
END_TEST

START_TEST(without_flush_the_other_context_is_written)
{
	start();
	switch_to(0, 0, ALL);
	work(1, 1);
	settle();
	switch_to(1, 0, LOAD | WAIT | CLEAN);
	work(1, 2);
	settle();
	bench_expect(&b, RULE_CTX_FOREIGN, 1);
	bench_wr(&b, GR_CTX_SWITCH, CLEAN);
	settle();
	ck_assert_uint_eq(memory(0, 0), 2);
	ck_assert_uint_eq(memory(1, 0), 0);
	bench_stop(&b);
}
END_TEST

START_TEST(tags_make_the_flush_needless)
{
	start();
	bench_wr(&b, FB_TLB_CTRL, REG_FIELD_MASK(FB_TLB_CTRL_TAGS));
	for (unsigned int i = 0; i < 6; i++) {
		switch_to(i % 3, i % 3, LOAD | WAIT | CLEAN);
		work(PAGES, i + 1);
		settle();
	}
	bench_wr(&b, GR_CTX_SWITCH, CLEAN);
	settle();
	for (unsigned int n = 0; n < 3; n++)
		ck_assert_uint_eq(memory(n, PAGES - 1), n + 4);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_tag_that_is_used_again_must_be_forgotten_first)
{
	start();
	bench_wr(&b, FB_TLB_CTRL, REG_FIELD_MASK(FB_TLB_CTRL_TAGS));
	switch_to(0, 9, LOAD | WAIT | CLEAN);
	work(1, 1);
	settle();
	switch_to(1, 9, LOAD | WAIT | CLEAN | FLUSH_TAG);
	work(1, 2);
	settle();
	bench_expect_nothing(&b);
	switch_to(2, 9, LOAD | WAIT | CLEAN);
	work(1, 3);
	settle();
	bench_expect(&b, RULE_CTX_TAG_REUSED, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(a_changed_entry_must_be_flushed_here_too)
{
	start();
	switch_to(0, 0, ALL);
	work(1, 1);
	settle();
	put(TABLES(0) + 0x4000 + (VA >> 12 & 511) * 8,
	    MEMORY(2) >> 12 << 8 | 1);
	b.card->tables++;
	work(1, 2);
	settle();
	bench_expect(&b, RULE_TLB_STALE, 1);
	bench_wr(&b, GR_CTX_SWITCH, FLUSH | CLEAN | WAIT);
	work(1, 3);
	bench_wr(&b, GR_CTX_SWITCH, CLEAN | WAIT);
	settle();
	ck_assert_uint_eq(memory(2, 0), 3);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(tags_and_batches_are_faster_than_flushes)
{
	uint64_t began, flushed, tagged;

	start();
	began = card_now(b.card);
	for (unsigned int i = 0; i < 30; i++) {
		switch_to(i % 3, 0, ALL);
		work(PAGES, i);
		settle();
	}
	flushed = card_now(b.card) - began;
	bench_wr(&b, GR_CTX_SWITCH, ALL & ~LOAD);
	settle();

	bench_wr(&b, FB_TLB_CTRL, REG_FIELD_MASK(FB_TLB_CTRL_TAGS));
	began = card_now(b.card);
	for (unsigned int i = 0; i < 30; i++) {
		switch_to(i % 3, i % 3, LOAD | WAIT | CLEAN);
		work(PAGES, i);
		settle();
	}
	tagged = card_now(b.card) - began;
	bench_expect_nothing(&b);
	ck_assert_uint_gt(flushed, 30ull * PAGES * 5 *
			  b.card->costs.walk_level);
	ck_assert_uint_lt(tagged, flushed / 5);
	bench_stop(&b);
}
END_TEST

START_TEST(a_batch_does_what_its_blocks_say)
{
	uint32_t block[3][CTX_BLOCK_WORDS] = { { 0 } };

	start();
	for (unsigned int n = 0; n < 3; n++) {
		block[n][CTX_PDB_LO] = TABLES(n) |
			REG_VAL(NV_RAMIN_USE_VER2_PT_FORMAT, 1);
		block[n][CTX_LIMIT_LO] = ~0u;
		block[n][CTX_LIMIT_HI] = 0x1ffff;
		block[n][CTX_COMMAND] = ALL;
		block[n][CTX_WORK_LO] = (uint32_t)VA;
		block[n][CTX_WORK_HI] = VA >> 32;
		block[n][CTX_WORK_DATA] = 0x200 + n;
		block[n][CTX_WORK_PAGES] = PAGES;
	}
	memcpy(b.machine.memory, block, sizeof(block));
	bench_wr(&b, GR_CTX_SWITCH_BATCH_LO, (uint32_t)BENCH_DMA);
	bench_wr(&b, GR_CTX_SWITCH_BATCH_HI, BENCH_DMA >> 32);
	bench_wr(&b, GR_CTX_SWITCH_BATCH, 3);
	settle();
	bench_wr(&b, GR_CTX_SWITCH, CLEAN);
	settle();
	for (unsigned int n = 0; n < 3; n++)
		ck_assert_uint_eq(memory(n, PAGES - 1), 0x200 + n);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_fault_stops_the_unit_until_it_is_cleared)
{
	start();
	switch_to(0, 0, ALL);
	work(PAGES + 1, 1);
	settle();
	bench_expect(&b, RULE_MMU_FAULT, 1);
	ck_assert_uint_eq(bench_rd(&b, GR_CTX_SWITCH_FAULT), 1);
	ck_assert_uint_eq(bench_rd(&b, GR_CTX_SWITCH_FAULT_INFO), FAULT_PTE);
	ck_assert_uint_eq(bench_rd(&b, GR_CTX_SWITCH_FAULT_LO),
			  (uint32_t)(VA + PAGES * CARD_PAGE));
	work(1, 2);
	settle();
	bench_wr(&b, GR_CTX_SWITCH_FAULT, 1);
	work(1, 3);
	bench_wr(&b, GR_CTX_SWITCH, CLEAN | WAIT);
	settle();
	ck_assert_uint_eq(memory(0, 0), 3);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* ATS: the "process" has its memory at this address. */
#define PROCESS	0x7f0000000000ull

START_TEST(its_tables_are_in_use_while_it_works)
{
	uint64_t root;

	start();
	switch_to(1, 0, ALL);
	work(PAGES, 7);
	while (!card_current_context(b.card, &root))
		card_advance(b.card, 100);
	card_table_freed(b.card, root + 0x1000, CARD_PAGE);
	bench_expect(&b, RULE_TABLE_FREED, 1);
	card_table_freed(b.card, TABLES(2), CARD_PAGE);
	settle();
	/* Current and idle: it has pages in hand, which need no tables. */
	card_tlb_invalidate(b.card, ~0ull);
	card_table_freed(b.card, root + 0x1000, CARD_PAGE);
	card_table_freed(b.card, root, CARD_PAGE);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

static int process_page(void *host, uint64_t page, uint64_t *dma)
{
	(void)host;
	if (page < PROCESS || page >= PROCESS + MACHINE_MEMORY)
		return -EFAULT;
	*dma = page - PROCESS + BENCH_DMA;
	return 0;
}

static uint32_t config(uint32_t offset)
{
	return (uint32_t)card_read(b.card, CARD_CONFIG, offset, 4);
}

static void config_wr(uint32_t offset, uint32_t value)
{
	card_write(b.card, CARD_CONFIG, offset, 4, value);
	bench_arrive(&b);
}

enum { TABLES_FIRST, CONTROL, CAPABILITY, BUS };

/* The four steps in any order; what one page of work comes to. */
static uint32_t ats_in_order(const int *order)
{
	uint32_t dev = config(NV_XVE_DEV_CTRL);
	uint32_t master = REG_FIELD_MASK(NV_XVE_DEV_CTRL_CMD_BUS_MASTER);

	config_wr(NV_XVE_DEV_CTRL, dev & ~master);
	for (unsigned int i = 0; i < 4; i++) {
		switch (order[i]) {
		case TABLES_FIRST:
			switch_to(0, 0, LOAD);
			settle();
			break;
		case CONTROL:
			bench_wr(&b, FB_TLB_CTRL,
				 REG_FIELD_MASK(FB_TLB_CTRL_ATS));
			bench_arrive(&b);
			break;
		case CAPABILITY:
			config_wr(NV_XVE_ATS_CTRL,
				  REG_FIELD_MASK(NV_XVE_ATS_CTRL_ENABLE));
			break;
		case BUS:
			config_wr(NV_XVE_DEV_CTRL, dev | master);
			break;
		}
	}
	work(1, 0x77);
	bench_wr(&b, GR_CTX_SWITCH, CLEAN | WAIT);
	settle();
	return bench_rd(&b, GR_CTX_SWITCH_FAULT) ?
		1 + bench_rd(&b, GR_CTX_SWITCH_FAULT_INFO) : 0;
}

START_TEST(ats_works_in_one_order)
{
	static const struct {
		int order[4];
		uint32_t fault;		/* 1 + type, or 0 */
		uint32_t state;
	} tests[] = {
		{ { TABLES_FIRST, CONTROL, CAPABILITY, BUS }, 0,
		  FB_TLB_CTRL_ATS_STATE_ACTIVE },
		{ { CONTROL, TABLES_FIRST, CAPABILITY, BUS }, 1 + FAULT_PDE,
		  FB_TLB_CTRL_ATS_STATE_NO_TABLES },
		{ { TABLES_FIRST, CAPABILITY, CONTROL, BUS }, 0,
		  FB_TLB_CTRL_ATS_STATE_WAITING },
		{ { TABLES_FIRST, CONTROL, BUS, CAPABILITY }, 0,
		  FB_TLB_CTRL_ATS_STATE_WAITING },
	};

	bench_start(&b, CARD_P100);
	b.card->ops.ats = process_page;
	tables(0, PROCESS >> 12 << 8 | MEM_SYS_COHERENT << 1 | 1);
	ck_assert_uint_eq(ats_in_order(tests[_i].order), tests[_i].fault);
	ck_assert_uint_eq(REG_GET(FB_TLB_CTRL_ATS_STATE,
				  bench_rd(&b, FB_TLB_CTRL)), tests[_i].state);
	if (_i == 0) {
		ck_assert_uint_eq(*(uint32_t *)b.machine.memory, 0x77);
		bench_expect_nothing(&b);
	} else {
		ck_assert_uint_eq(*(uint32_t *)b.machine.memory, 0);
		ck_assert_uint_ge(b.machine.rules[RULE_ATS_ORDER], 1);
	}
	/* The device that was enabled first ignored the capability. */
	if (_i == 3)
		ck_assert_uint_eq(REG_GET(NV_XVE_ATS_CTRL_ENABLE,
					  config(NV_XVE_ATS_CTRL)), 0);
	bench_stop(&b);
}
END_TEST

START_TEST(a_card_without_additions_has_none_of_it)
{
	struct card_config config = { .no_additions = true };

	bench_start_config(&b, &config);
	ck_assert_uint_eq(bench_rd(&b, GR_CTX_SWITCH_STATUS) >> 16, 0xbadf);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, NV_XVE_ATS_HDR, 4),
			  0);
	ck_assert_uint_eq(card_dirty_pages(b.card, 0), 0);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ctx");
	TCase *t = tcase_create("ctx");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(t, each_context_writes_its_own_pages);
	tcase_add_test(t, pages_are_dirty_until_they_are_cleaned);
	tcase_add_test(t, a_switch_without_clean_is_reported);
	tcase_add_test(t, a_switch_in_the_middle_of_work_is_reported);
	tcase_add_test(t, without_flush_the_other_context_is_written);
	tcase_add_test(t, tags_make_the_flush_needless);
	tcase_add_test(t, a_tag_that_is_used_again_must_be_forgotten_first);
	tcase_add_test(t, a_changed_entry_must_be_flushed_here_too);
	tcase_add_test(t, tags_and_batches_are_faster_than_flushes);
	tcase_add_test(t, a_batch_does_what_its_blocks_say);
	tcase_add_test(t, a_fault_stops_the_unit_until_it_is_cleared);
	tcase_add_test(t, its_tables_are_in_use_while_it_works);
	tcase_add_loop_test(t, ats_works_in_one_order, 0, 4);
	tcase_add_test(t, a_card_without_additions_has_none_of_it);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
