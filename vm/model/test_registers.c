/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The register space: access kinds, identity, configuration space. */
#include <check.h>
#include <stdlib.h>

#include "vm/model/test_bench.h"

static struct bench b;

static void start(int chip)
{
	bench_start(&b, chip);
}

START_TEST(each_card_says_who_it_is)
{
	static const uint32_t boot[] = { 0x130000a1, 0x132000a1, 0x120000a1 };
	static const uint32_t id[] = { 0x15f810de, 0x1b3810de, 0x17fd10de };

	start(_i);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_BOOT_0), boot[_i]);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, 0, 4), id[_i]);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, 8, 4) >> 8,
			  NV_XVE_REV_ID_CLASS_CODE_3D);
	ck_assert_uint_eq(REG_GET(NV_PTOP_SCRATCH1_DEVINIT_COMPLETED,
				  bench_rd(&b, NV_PTOP_SCRATCH1)), 1);
	ck_assert_uint_eq(bench_rd(&b, 0x88000), id[_i]);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(every_register_has_its_reset_value_and_a_name)
{
	struct card_config config = { .chip = _i };
	unsigned int seen = 0;

	bench_start_config(&b, &config);
	for (uint32_t offset = 0; offset < 16 << 20; offset += 4) {
		uint32_t *stored = card_reg(b.card, offset);

		/* The names of what is not there: a sample will do. */
		if (!stored && offset % 0x1c)
			continue;
		ck_assert_int_eq(!stored,
				 !card_register_name(b.card, offset) ||
				 offset >> 12 == 0x88 ||
				 (offset >= 0x700000 && offset < 0x800000));
		seen += !!stored;
	}
	ck_assert_uint_gt(seen, 8192);
	ck_assert_str_eq(card_register_name(b.card, NV_PCCSR_CHANNEL + 8 * 77),
			 "NV_PCCSR_CHANNEL");
	ck_assert_str_eq(card_register_name(b.card, 0x88000 + NV_XVE_MSI_CTRL),
			 "NV_XVE_MSI_CTRL");
	bench_stop(&b);
}
END_TEST

START_TEST(a_plain_register_keeps_what_is_written)
{
	start(CARD_P100);
	bench_wr(&b, REG_AT(NV_PBUS_SW_SCRATCH, 63), 0xcafebabe);
	ck_assert_uint_eq(bench_rd(&b, REG_AT(NV_PBUS_SW_SCRATCH, 63)),
			  0xcafebabe);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_read_only_register_is_not_written)
{
	start(CARD_P100);
	bench_wr(&b, NV_PMC_BOOT_0, 0x12345678);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_BOOT_0), 0x130000a1);
	bench_expect(&b, RULE_READ_ONLY, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(reserved_bits_are_reported_and_stay_zero)
{
	start(CARD_P100);
	bench_wr(&b, NV_PMC_ELPG_ENABLE, 0xffffffff);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_ELPG_ENABLE), 0x20100004);
	bench_expect(&b, RULE_RESERVED_BITS, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(set_and_clear_registers_act_on_the_one_they_name)
{
	start(CARD_P40);
	bench_wr(&b, NV_PMC_INTR_EN_SET, 0x00f0);
	bench_wr(&b, NV_PMC_INTR_EN_CLEAR, 0x0030);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_GP100_INTR_EN), 0x00c0);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_INTR_EN_SET), 0);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_INTR_EN_CLEAR), 0);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(writing_one_clears_and_zero_does_not)
{
	start(CARD_P100);
	*card_reg(b.card, NV_PTIMER_INTR_0) = 3;
	bench_wr(&b, NV_PTIMER_INTR_0, 0);
	ck_assert_uint_eq(bench_rd(&b, NV_PTIMER_INTR_0), 3);
	bench_wr(&b, NV_PTIMER_INTR_0, 2);
	ck_assert_uint_eq(bench_rd(&b, NV_PTIMER_INTR_0), 1);
	bench_stop(&b);
}
END_TEST

START_TEST(what_is_not_there_answers_with_a_pattern)
{
	start(CARD_P100);
	ck_assert_uint_eq(bench_rd(&b, 0x00f000) >> 16, 0xbadf);
	bench_expect(&b, RULE_UNMODELLED, 1);
	ck_assert_uint_eq(REG_GET(NV_PTIMER_PRI_TIMEOUT_SAVE_0_ADDR,
				  bench_rd(&b, NV_PTIMER_PRI_TIMEOUT_SAVE_0)),
			  0x00f000 >> 2);
	ck_assert_uint_eq(bench_rd(&b, NV_PBUS_INTR_0),
			  REG_FIELD_MASK(NV_PBUS_INTR_0_PRI_FECSERR));
	/* A Maxwell register on Pascal. */
	bench_wr(&b, NV_PMC_INTR_MSK, 1);
	bench_arrive(&b);
	bench_expect(&b, RULE_UNMODELLED, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(a_unit_that_is_off_answers_with_another_pattern)
{
	start(CARD_P100);
	ck_assert_uint_eq(bench_rd(&b, NV_PFIFO_CFG0) >> 16, 0xbad0);
	bench_expect(&b, RULE_PRIV_DISABLED, 1);
	bench_wr(&b, NV_PMC_ENABLE, bench_rd(&b, NV_PMC_ENABLE) |
		 REG_FIELD_MASK(NV_PMC_ENABLE_PFIFO));
	ck_assert_uint_eq(bench_rd(&b, NV_PFIFO_CFG0), 6);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(enabling_a_unit_resets_it)
{
	uint32_t on = REG_FIELD_MASK(NV_PMC_ENABLE_PFIFO), enable;

	start(CARD_P100);
	enable = bench_rd(&b, NV_PMC_ENABLE);
	bench_wr(&b, NV_PMC_ENABLE, enable | on);
	bench_wr(&b, NV_PFIFO_FB_TIMEOUT, 0x777);
	bench_wr(&b, NV_PMC_ENABLE, enable | on);
	ck_assert_uint_eq(bench_rd(&b, NV_PFIFO_FB_TIMEOUT), 0x777);
	bench_wr(&b, NV_PMC_ENABLE, enable);
	bench_wr(&b, NV_PMC_ENABLE, enable | on);
	ck_assert_uint_ne(bench_rd(&b, NV_PFIFO_FB_TIMEOUT), 0x777);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(only_units_that_exist_can_be_enabled)
{
	start(CARD_M40);
	bench_wr(&b, NV_PMC_ENABLE, 0xffffffff);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_ENABLE) &
			  (REG_FIELD_MASK(NV_PMC_ENABLE_CE3) |
			   REG_FIELD_MASK(NV_PMC_ENABLE_PDISP)), 0);
	ck_assert_uint_ne(bench_rd(&b, NV_PMC_ENABLE) &
			  REG_FIELD_MASK(NV_PMC_ENABLE_CE2), 0);
	bench_wr(&b, NV_PMC_ENABLE_PB, 0xffffffff);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_ENABLE_PB), 0xf);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(registers_take_whole_words)
{
	start(CARD_P100);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR0, 0, 8), ~0ULL);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR0, 2, 2), 0xffff);
	card_write(b.card, CARD_BAR0, 0x1580, 1, 0x55);
	bench_arrive(&b);
	bench_expect(&b, RULE_ACCESS_SIZE, 3);
	ck_assert_uint_eq(bench_rd(&b, 0x1580), 0);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR0, 2, 4), 0xffffffff);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR0, 0, 3), 0xffffff);
	bench_expect(&b, RULE_ACCESS_SIZE, 2);
	bench_stop(&b);
}
END_TEST

/* As pci_find_ext_capability() walks it. */
START_TEST(the_capability_chains_are_those_of_a_real_card)
{
	static const struct {
		uint16_t at, id;
	} chain[] = {
		{ 0x100, 0x0002 }, { 0x250, 0x0018 }, { 0x258, 0x001e },
		{ 0x128, 0x0004 }, { 0x420, 0x0001 }, { 0x600, 0x000b },
		{ 0x900, 0x0019 }, { 0xb00, 0x000b }, { 0xb40, 0x000f },
	};
	struct card_config config = { .chip = CARD_P100,
				      .no_additions = _i };
	unsigned int at, count = 0;

	bench_start_config(&b, &config);
	at = card_read(b.card, CARD_CONFIG, 0x34, 1);
	ck_assert_uint_eq(at, 0x60);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, at, 2), 0x6801);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, 0x68, 2), 0x7805);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, 0x78, 2), 0x0010);
	for (at = 0x100; at; count++) {
		uint32_t header = card_read(b.card, CARD_CONFIG, at, 4);

		ck_assert_uint_eq(at, chain[count].at);
		ck_assert_uint_eq(header & 0xffff, chain[count].id);
		at = header >> 20;
	}
	ck_assert_uint_eq(count, _i ? 7 : 9);
	ck_assert_uint_eq(bench_rd(&b, NV_ADDITION_ID),
			  _i ? 0xbadf1100 : 0x0d00be11);
	bench_expect(&b, RULE_UNMODELLED, _i);
	bench_stop(&b);
}
END_TEST

static uint64_t size_of(unsigned int bar, bool wide)
{
	uint64_t mask;

	card_write(b.card, CARD_CONFIG, bar, 4, 0xffffffff);
	mask = card_read(b.card, CARD_CONFIG, bar, 4) & ~0xfu;
	if (!wide)
		return -(uint32_t)mask;
	card_write(b.card, CARD_CONFIG, bar + 4, 4, 0xffffffff);
	return -(mask | card_read(b.card, CARD_CONFIG, bar + 4, 4) << 32);
}

START_TEST(writing_all_ones_gives_the_size_of_a_bar)
{
	start(_i);
	ck_assert_uint_eq(size_of(NV_XVE_BAR0, false), 16 << 20);
	ck_assert_uint_eq(size_of(NV_XVE_BAR1_LO, true),
			  card_region_size(b.card, CARD_BAR1));
	ck_assert_uint_eq(size_of(NV_XVE_BAR2_LO, true), 32 << 20);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, NV_XVE_BAR1_LO, 4) &
			  0xf, 0xc);
	bench_stop(&b);
}
END_TEST

START_TEST(configuration_space_ignores_what_is_read_only)
{
	uint8_t before[4096];

	start(CARD_P100);
	for (unsigned int i = 0; i < 4096; i += 4) {
		if (i == NV_XVE_ATS_CTRL)
			continue;	/* has an order to keep [§12.4] */
		memcpy(before, b.card->config_space, sizeof(before));
		card_write(b.card, CARD_CONFIG, i, 4,
			   ~(uint32_t)card_read(b.card, CARD_CONFIG, i, 4));
		if (i == NV_XVE_ID || i == NV_XVE_SUBSYSTEM || i == 0x34 ||
		    i == 0x60 || i == 0x78 || i == 0x100)
			ck_assert_mem_eq(before, b.card->config_space, 4096);
	}
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(without_memory_decoding_a_bar_reads_all_ones)
{
	start(CARD_P100);
	card_write(b.card, CARD_CONFIG, NV_XVE_DEV_CTRL, 2, 0x4);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_BOOT_0), 0xffffffff);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0, 8), ~0ULL);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, 0, 4), 0x15f810de);
	card_write(b.card, CARD_CONFIG, NV_XVE_DEV_CTRL, 2, 0x6);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_BOOT_0), 0x130000a1);
	/* Asleep it does not answer either. */
	card_write(b.card, CARD_CONFIG, NV_XVE_PWR_MGMT_1, 2, 3);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_BOOT_0), 0xffffffff);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(ptop_lists_the_engines_of_the_chip)
{
	static const unsigned int copies[] = { 6, 4, 3 };
	unsigned int found = 0, type;

	start(_i);
	for (unsigned int i = 0; i < NV_PTOP_DEVICE_INFO__SIZE_1; i++) {
		uint32_t word = bench_rd(&b, REG_AT(NV_PTOP_DEVICE_INFO, i));

		if (REG_GET(NV_PTOP_DEVICE_INFO_ENTRY, word) !=
		    NV_PTOP_DEVICE_INFO_ENTRY_ENGINE_TYPE)
			continue;
		ck_assert_uint_eq(REG_GET(NV_PTOP_DEVICE_INFO_CHAIN, word), 0);
		type = REG_GET(NV_PTOP_DEVICE_INFO_TYPE_ENUM, word);
		found += type == NV_PTOP_DEVICE_INFO_TYPE_ENUM_LCE ||
			(type >= NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY0 &&
			 type <= NV_PTOP_DEVICE_INFO_TYPE_ENUM_COPY2);
	}
	ck_assert_uint_eq(found, copies[_i]);
	bench_stop(&b);
}
END_TEST

START_TEST(a_reset_brings_everything_back_to_the_start)
{
	uint8_t config[4096];
	uint32_t word = 0x11223344;

	start(CARD_P40);
	bench_stop(&b);
	start(CARD_P40);
	memcpy(config, b.card->config_space, sizeof(config));
	bench_wr(&b, NV_PMC_ENABLE, 0xffffffff);
	bench_wr(&b, NV_PBUS_BAR0_WINDOW, 0x77);
	bench_rd(&b, NV_PBUS_BAR0_WINDOW);
	vram_write(b.card, 0x123456, &word, 4);
	card_reset(b.card);
	ck_assert_uint_eq(card_next_event(b.card), UINT64_MAX);
	card_write(b.card, CARD_CONFIG, NV_XVE_DEV_CTRL, 2, 0x6);
	ck_assert_mem_eq(config, b.card->config_space, sizeof(config));
	ck_assert_uint_eq(bench_rd(&b, NV_PBUS_BAR0_WINDOW), 0);
	vram_read(b.card, 0x123456, &word, 4);
	ck_assert_uint_eq(word, 0);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("registers");
	TCase *t = tcase_create("registers");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, each_card_says_who_it_is, 0, CARD_CHIPS);
	tcase_add_loop_test(t, every_register_has_its_reset_value_and_a_name,
			    0, CARD_CHIPS);
	tcase_add_test(t, a_plain_register_keeps_what_is_written);
	tcase_add_test(t, a_read_only_register_is_not_written);
	tcase_add_test(t, reserved_bits_are_reported_and_stay_zero);
	tcase_add_test(t, set_and_clear_registers_act_on_the_one_they_name);
	tcase_add_test(t, writing_one_clears_and_zero_does_not);
	tcase_add_test(t, what_is_not_there_answers_with_a_pattern);
	tcase_add_test(t, a_unit_that_is_off_answers_with_another_pattern);
	tcase_add_test(t, enabling_a_unit_resets_it);
	tcase_add_test(t, only_units_that_exist_can_be_enabled);
	tcase_add_test(t, registers_take_whole_words);
	tcase_add_loop_test(t, the_capability_chains_are_those_of_a_real_card,
			    0, 2);
	tcase_add_loop_test(t, writing_all_ones_gives_the_size_of_a_bar,
			    0, CARD_CHIPS);
	tcase_add_test(t, configuration_space_ignores_what_is_read_only);
	tcase_add_test(t, without_memory_decoding_a_bar_reads_all_ones);
	tcase_add_loop_test(t, ptop_lists_the_engines_of_the_chip,
			    0, CARD_CHIPS);
	tcase_add_test(t, a_reset_brings_everything_back_to_the_start);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
