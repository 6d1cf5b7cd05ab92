/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A driver gone mad: whatever it writes wherever, the card neither crashes
 * nor hangs, and stays deterministic.  Registers that exist are hit more
 * often than chance would; memory holds noise, so that instance blocks,
 * runlists, page tables and rings are noise as well.
 */
#include <check.h>
#include <stdlib.h>

#include "vm/model/test_bench.h"

enum { OPERATIONS = 20000, SEEDS = 12, REGISTERS = 1 << 16 };

static struct bench b;
static uint32_t registers[REGISTERS], register_count;
static uint64_t state;

/* Our own chance: the card's is part of the result. */
static uint32_t chance(uint32_t bound)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % (bound + 1);
}

static void find_registers(void)
{
	register_count = 0;
	for (uint32_t at = 0; at < 16 << 20; at += 4) {
		/* The channel table would be most of it. */
		if (at >= 0x800100 && at < 0x900000)
			continue;
		if (card_reg(b.card, at))
			registers[register_count++] = at;
	}
	ck_assert_uint_gt(register_count, 300);
}

static uint32_t any_register(void)
{
	return registers[chance(register_count - 1)];
}

/* Noise, small numbers, single bits, addresses that exist. */
static uint64_t any_value(void)
{
	switch (chance(5)) {
	case 0:
		return (uint64_t)chance(0x7fffffff) << 33 | chance(0x7fffffff);
	case 1:
		return chance(15);
	case 2:
		return 1ull << chance(63);
	case 3:
		return 0x80000000u | chance(0xfff);
	case 4:
		return BENCH_DMA + chance(0xff) * 4096ull;
	}
	return ~0ull;
}

static void noise(void)
{
	uint64_t words[512];

	for (unsigned int page = 0; page < 64; page++) {
		for (unsigned int i = 0; i < 512; i++)
			words[i] = any_value();
		vram_write(b.card, page * 4096ull, words, sizeof(words));
		memcpy(b.machine.memory + page * 4096, words, sizeof(words));
	}
}

static void operation(void)
{
	unsigned int size = 1u << chance(3);
	enum card_region region = chance(CARD_REGIONS - 1);
	uint64_t at = chance(0x3ffff);

	switch (chance(9)) {
	case 0:
		card_write(b.card, region, at, size, any_value());
		break;
	case 1:
		card_read(b.card, region, at, size);
		break;
	case 2:
		card_advance(b.card, chance(20000));
		break;
	case 3:
		bench_rd(&b, any_register());
		break;
	case 4:
		if (chance(200) == 0)
			card_reset(b.card);
		else if (chance(50) == 0)
			card_freeze_host(b.card, chance(1));
		break;
	case 5:
		/* Decoding, DMA and units tend to be on. */
		card_write(b.card, CARD_CONFIG, NV_XVE_DEV_CTRL, 2, 6);
		card_write(b.card, CARD_CONFIG, NV_XVE_PWR_MGMT_1, 2, 0);
		bench_wr(&b, NV_PMC_ENABLE, 0xffffffff);
		bench_wr(&b, NV_PMC_ENABLE_PB, 0xffffffff);
		break;
	default:
		bench_wr(&b, any_register(), any_value());
	}
}

static void madness(int seed)
{
	struct card_config config = { .chip = seed % CARD_CHIPS,
				      .seed = seed, .unposted = seed == 11 };

	state = seed;
	bench_start_config(&b, &config);
	b.card->ops.event = NULL;
	find_registers();
	noise();
	for (unsigned int i = 0; i < OPERATIONS; i++)
		operation();
	ck_assert_int_eq(b.card->error, 0);
	card_freeze_host(b.card, false);
	card_audit(b.card);
}

START_TEST(nothing_that_a_driver_does_breaks_the_card)
{
	uint64_t now, next;
	unsigned int broken;

	madness(_i);
	now = card_now(b.card);
	broken = b.machine.violations;
	next = b.card->random[0];
	ck_assert_uint_gt(broken, 100);
	bench_stop(&b);

	madness(_i);
	ck_assert_uint_eq(card_now(b.card), now);
	ck_assert_uint_eq(b.machine.violations, broken);
	ck_assert_uint_eq(b.card->random[0], next);
	card_unplug(b.card);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fuzz");
	TCase *t = tcase_create("fuzz");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, nothing_that_a_driver_does_breaks_the_card,
			    0, SEEDS);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
