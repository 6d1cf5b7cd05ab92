/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The interrupt tree, MSI and its re-arm, PTIMER, temperature. */
#include <check.h>
#include <stdlib.h>

#include "vm/model/test_bench.h"

#define PTIMER_BIT	REG_FIELD_MASK(NV_PMC_INTR_PTIMER)

static struct bench b;

static void msi_on(void)
{
	card_write(b.card, CARD_CONFIG, NV_XVE_MSI_CTRL + 2, 2, 1);
}

static void rearm(void)
{
	if (b.card->chip->pascal)
		bench_wr(&b, 0x88704, 0);
	else
		card_write(b.card, CARD_BAR0, 0x88068, 1, 0xff);
}

static void unmask(bool on)
{
	if (b.card->chip->pascal) {
		bench_wr(&b, on ? NV_PMC_INTR_EN_SET : NV_PMC_INTR_EN_CLEAR,
			 PTIMER_BIT);
	} else {
		bench_wr(&b, NV_PMC_INTR_MSK, PTIMER_BIT);
		bench_wr(&b, NV_PMC_INTR_EN, on);
	}
}

static void start(int chip)
{
	bench_start(&b, chip);
	bench_wr(&b, NV_PTIMER_INTR_EN_0, 1);
}

static void ring(void)
{
	bench_wr(&b, NV_PTIMER_ALARM_0,
		 (uint32_t)ptimer_now(b.card) + 5000);
	card_advance(b.card, 20000);
}

static void acknowledge(void)
{
	bench_wr(&b, NV_PTIMER_INTR_0, 1);
	bench_arrive(&b);
}

START_TEST(an_interrupt_is_one_message_until_re_armed)
{
	start(_i);
	msi_on();
	unmask(true);
	ring();
	ck_assert_uint_eq(b.machine.interrupts, 1);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_INTR), PTIMER_BIT);
	acknowledge();
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_INTR), 0);

	/* Forgotten: the next one is lost … */
	ring();
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_INTR), PTIMER_BIT);
	ck_assert_uint_eq(b.machine.interrupts, 1);
	/* … until the re-arm, which finds it pending. */
	rearm();
	card_advance(b.card, 20000);
	ck_assert_uint_eq(b.machine.interrupts, 2);
	acknowledge();
	rearm();
	card_advance(b.card, 20000);
	ck_assert_uint_eq(b.machine.interrupts, 2);
	ring();
	ck_assert_uint_eq(b.machine.interrupts, 3);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(the_other_chips_re_arm_does_nothing)
{
	start(_i);
	msi_on();
	unmask(true);
	ring();
	acknowledge();
	if (b.card->chip->pascal)
		card_write(b.card, CARD_BAR0, 0x88068, 1, 0xff);
	else
		bench_wr(&b, 0x88704, 0);
	/* Nor does a plain configuration write. */
	card_write(b.card, CARD_CONFIG, b.card->chip->pascal ? 0x704 : 0x68,
		   1, 0xff);
	ring();
	ck_assert_uint_eq(b.machine.interrupts, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(an_interrupt_that_is_masked_waits)
{
	start(_i);
	msi_on();
	ring();
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_INTR), PTIMER_BIT);
	ck_assert_uint_eq(b.machine.interrupts, 0);
	unmask(true);
	card_advance(b.card, 20000);
	ck_assert_uint_eq(b.machine.interrupts, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(masking_around_the_handler_loses_nothing)
{
	start(_i);
	msi_on();
	unmask(true);
	ring();
	/* Mask, serve, re-arm, unmask. */
	unmask(false);
	acknowledge();
	ring();
	rearm();
	unmask(true);
	card_advance(b.card, 20000);
	ck_assert_uint_eq(b.machine.interrupts, 2);
	bench_stop(&b);
}
END_TEST

START_TEST(without_msi_it_is_a_level)
{
	start(_i);
	unmask(true);
	ring();
	ck_assert_uint_eq(b.machine.interrupts, 1);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, 6, 2) >> 3 & 1, 1);
	acknowledge();
	card_advance(b.card, 20000);
	ck_assert_uint_eq(b.machine.drops, 1);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, 6, 2) >> 3 & 1, 0);
	/* No re-arm needed; but it can be switched off. */
	ring();
	ck_assert_uint_eq(b.machine.interrupts, 2);
	card_write(b.card, CARD_CONFIG, NV_XVE_DEV_CTRL, 2, 0x406);
	card_advance(b.card, 20000);
	ck_assert_uint_eq(b.machine.drops, 2);
	bench_stop(&b);
}
END_TEST

START_TEST(a_message_needs_bus_mastering)
{
	start(CARD_P100);
	msi_on();
	unmask(true);
	card_write(b.card, CARD_CONFIG, NV_XVE_DEV_CTRL, 2, 2);
	ring();
	ck_assert_uint_eq(b.machine.interrupts, 0);
	card_write(b.card, CARD_CONFIG, NV_XVE_DEV_CTRL, 2, 6);
	card_advance(b.card, 20000);
	ck_assert_uint_eq(b.machine.interrupts, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(an_interrupt_takes_its_time)
{
	uint64_t alarm;

	start(CARD_P100);
	msi_on();
	unmask(true);
	alarm = (ptimer_now(b.card) + 9000) & ~31ull;
	bench_wr(&b, NV_PTIMER_ALARM_0, alarm);
	card_advance(b.card, 40000);
	ck_assert_uint_eq(b.machine.interrupt_at,
			  alarm + b.card->costs.interrupt);
	bench_stop(&b);
}
END_TEST

START_TEST(software_raises_an_interrupt_on_pascal)
{
	bench_start(&b, CARD_P40);
	msi_on();
	bench_wr(&b, REG_AT(NV_PMC_INTR_EN_SET, 1), 1u << 31);
	bench_wr(&b, REG_AT(NV_PMC_INTR_SW, 1), 1);
	card_advance(b.card, 20000);
	ck_assert_uint_eq(b.machine.interrupts, 1);
	ck_assert_uint_eq(bench_rd(&b, REG_AT(NV_PMC_INTR, 1)), 1u << 31);
	bench_wr(&b, REG_AT(NV_PMC_INTR_SW, 1), 0);
	ck_assert_uint_eq(bench_rd(&b, REG_AT(NV_PMC_INTR, 1)), 0);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

static uint64_t read_time(void)
{
	uint32_t high, low;

	do {
		high = bench_rd(&b, NV_PTIMER_TIME_1);
		low = bench_rd(&b, NV_PTIMER_TIME_0);
	} while (high != bench_rd(&b, NV_PTIMER_TIME_1));
	return (uint64_t)high << 32 | low;
}

START_TEST(ptimer_counts_nanoseconds_in_steps_of_32)
{
	uint64_t first, second;

	bench_start(&b, CARD_P100);
	first = read_time();
	card_advance(b.card, 1000000);
	second = read_time();
	ck_assert_uint_eq(first % 32, 0);
	ck_assert_uint_ge(second - first, 1000000);
	ck_assert_uint_lt(second - first, 1010000);
	/* A driver sets it to wall-clock time. */
	bench_wr(&b, NV_PTIMER_TIME_1, 0x18000000);
	bench_wr(&b, NV_PTIMER_TIME_0, 0xffff0000);
	ck_assert_uint_eq(read_time() >> 12, 0x18000000ffff0000ull >> 12);
	/* And it carries. */
	card_advance(b.card, 0x10000);
	ck_assert_uint_eq(read_time() >> 32, 0x18000001);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(the_countdown_ends_at_zero)
{
	uint32_t left;

	bench_start(&b, CARD_P100);
	bench_wr(&b, NV_PTIMER_TIMER_0, 100000);
	left = bench_rd(&b, NV_PTIMER_TIMER_0);
	ck_assert_uint_lt(left, 100000);
	ck_assert_uint_gt(left, 90000);
	ck_assert_uint_eq(bench_rd(&b, NV_PTIMER_INTR_0), 0);
	card_advance(b.card, 100000);
	ck_assert_uint_eq(bench_rd(&b, NV_PTIMER_INTR_0), 2);
	ck_assert_uint_eq(bench_rd(&b, NV_PTIMER_TIMER_0), 0);
	bench_stop(&b);
}
END_TEST

START_TEST(pascal_tells_the_temperature_in_fractions)
{
	bench_start(&b, CARD_P40);
	therm_set(b.card, 45500);
	ck_assert_uint_eq(bench_rd(&b, NV_THERM_GP100_TEMP), 0x20002d80);
	bench_stop(&b);
}
END_TEST

START_TEST(maxwell_wants_its_sensor_switched_on)
{
	bench_start(&b, CARD_M40);
	therm_set(b.card, 61900);
	ck_assert_uint_eq(bench_rd(&b, NV_FUSE_STATUS_OPT_SENSOR), 1);
	ck_assert_uint_eq(bench_rd(&b, NV_THERM_GM200_TEMP), 0);
	bench_wr(&b, NV_THERM_GM200_SENSOR_CTRL, 1u << 31);
	bench_wr(&b, NV_THERM_GM200_SENSOR_CAL, 0);
	ck_assert_uint_eq(bench_rd(&b, NV_THERM_GM200_TEMP), 0);
	card_advance(b.card, 20 * 1000 * 1000);
	ck_assert_uint_eq(bench_rd(&b, NV_THERM_GM200_TEMP), 61);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("interrupt");
	TCase *t = tcase_create("interrupt");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, an_interrupt_is_one_message_until_re_armed,
			    0, CARD_CHIPS);
	tcase_add_loop_test(t, the_other_chips_re_arm_does_nothing,
			    0, CARD_CHIPS);
	tcase_add_loop_test(t, an_interrupt_that_is_masked_waits,
			    0, CARD_CHIPS);
	tcase_add_loop_test(t, masking_around_the_handler_loses_nothing,
			    0, CARD_CHIPS);
	tcase_add_loop_test(t, without_msi_it_is_a_level, 0, CARD_CHIPS);
	tcase_add_test(t, a_message_needs_bus_mastering);
	tcase_add_test(t, an_interrupt_takes_its_time);
	tcase_add_test(t, software_raises_an_interrupt_on_pascal);
	tcase_add_test(t, ptimer_counts_nanoseconds_in_steps_of_32);
	tcase_add_test(t, the_countdown_ends_at_zero);
	tcase_add_test(t, pascal_tells_the_temperature_in_fractions);
	tcase_add_test(t, maxwell_wants_its_sensor_switched_on);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
