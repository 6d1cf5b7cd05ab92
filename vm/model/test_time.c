/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Time: timers, posted writes, determinism, the loss of the card. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "vm/model/test_bench.h"

static struct bench b;

static unsigned int fired[64], fired_count;

static void note(struct card *card, void *arg)
{
	(void)card;
	fired[fired_count++ % 64] = (uintptr_t)arg;
}

START_TEST(timers_fire_in_order_of_time_then_of_arming)
{
	struct card_timer timer[6];
	static const unsigned int order[] = { 3, 0, 2, 4, 1 };

	bench_start(&b, CARD_P100);
	fired_count = 0;
	for (uintptr_t i = 0; i < 6; i++)
		card_timer_init(&timer[i], note, (void *)i);
	card_timer_set(b.card, &timer[0], b.card->now + 100);
	card_timer_set(b.card, &timer[1], b.card->now + 300);
	card_timer_set(b.card, &timer[2], b.card->now + 100);
	card_timer_set(b.card, &timer[3], b.card->now + 50);
	card_timer_set(b.card, &timer[4], b.card->now + 200);
	card_timer_set(b.card, &timer[5], b.card->now + 60);
	card_timer_cancel(b.card, &timer[5]);
	ck_assert(!card_timer_armed(&timer[5]));
	/* Moved, it counts as armed now: after the others of that time. */
	card_timer_set(b.card, &timer[4], b.card->now + 100);
	card_advance(b.card, 1000);
	ck_assert_uint_eq(fired_count, 5);
	for (unsigned int i = 0; i < 5; i++)
		ck_assert_uint_eq(fired[i], order[i]);
	bench_stop(&b);
}
END_TEST

START_TEST(the_heap_keeps_its_order_under_any_use)
{
	static struct card_timer timer[CARD_TIMERS / 2];
	uint64_t last = 0;

	bench_start(&b, CARD_P100);
	for (size_t i = 0; i < array_size(timer); i++)
		card_timer_init(&timer[i], note, (void *)i);
	for (int round = 0; round < 20000; round++) {
		struct card_timer *t =
			&timer[card_random(b.card, array_size(timer) - 1)];

		if (card_random(b.card, 3))
			card_timer_set(b.card, t, b.card->now +
				       card_random(b.card, 1000));
		else
			card_timer_cancel(b.card, t);
		if (!card_random(b.card, 7))
			card_step(b.card, UINT64_MAX);
		ck_assert_uint_ge(b.card->now, last);
		last = b.card->now;
		for (uint32_t i = 1; i < b.card->timers; i++)
			ck_assert_uint_le(b.card->heap[(i - 1) / 2]->when,
					  b.card->heap[i]->when);
		ck_assert_int_eq(b.card->error, 0);
	}
	bench_stop(&b);
}
END_TEST

START_TEST(a_write_is_posted_and_a_read_pushes_it)
{
	uint64_t before;

	bench_start(&b, CARD_P100);
	before = card_now(b.card);
	bench_wr(&b, NV_PBUS_SW_SCRATCH, 7);
	ck_assert_uint_eq(card_now(b.card) - before,
			  b.card->costs.write_cpu);
	ck_assert_uint_eq(*card_reg(b.card, NV_PBUS_SW_SCRATCH), 0);
	/* A read of anything, even elsewhere, comes after the write. */
	bench_rd(&b, NV_PMC_BOOT_0);
	ck_assert_uint_eq(*card_reg(b.card, NV_PBUS_SW_SCRATCH), 7);
	ck_assert_uint_ge(card_now(b.card) - before, b.card->costs.read +
			  b.card->costs.write_arrive);
	bench_stop(&b);
}
END_TEST

START_TEST(posted_writes_arrive_in_order_whatever_their_delay)
{
	struct card_config config = { .chip = CARD_P100, .seed = _i };
	uint32_t last = 0;

	bench_start_config(&b, &config);
	b.card->costs.write_jitter = 5000;
	for (uint32_t i = 1; i <= 3000; i++) {
		uint32_t seen;

		bench_wr(&b, NV_PBUS_SW_SCRATCH, i);
		seen = *card_reg(b.card, NV_PBUS_SW_SCRATCH);
		ck_assert_uint_ge(seen, last);
		last = seen;
	}
	bench_arrive(&b);
	ck_assert_uint_eq(*card_reg(b.card, NV_PBUS_SW_SCRATCH), 3000);
	bench_stop(&b);
}
END_TEST

START_TEST(a_delay_may_be_zero)
{
	unsigned int at_once = 0, later = 0;

	bench_start(&b, CARD_P100);
	for (unsigned int i = 0; i < 2000; i++) {
		bench_arrive(&b);
		bench_wr(&b, NV_PBUS_SW_SCRATCH, i);
		card_advance(b.card, b.card->costs.write_arrive);
		if (*card_reg(b.card, NV_PBUS_SW_SCRATCH) == i)
			at_once++;
		else
			later++;
	}
	ck_assert_uint_gt(at_once, 0);
	ck_assert_uint_gt(later, 0);
	bench_stop(&b);
}
END_TEST

START_TEST(time_stands_still_for_what_is_held)
{
	struct card_timer timer;
	uint64_t begin;

	bench_start(&b, CARD_P100);
	begin = b.card->now;
	fired_count = 0;
	card_timer_init(&timer, note, (void *)0);
	card_timer_set(b.card, &timer, begin + 100);
	card_hold(b.card, true);
	/* accesses are made, writes arrive, also more than the link holds */
	for (uint32_t i = 0; i < 2 * CARD_POSTED; i++)
		card_write(b.card, CARD_BAR0, NV_PMC_INTR_EN_SET, 4, 0x100);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR0, NV_PMC_GP100_INTR_EN,
				    4), 0x100);
	card_advance(b.card, 1000);
	ck_assert_uint_eq(b.card->now, begin);
	ck_assert_uint_eq(fired_count, 0);
	card_hold(b.card, false);
	ck_assert_uint_eq(card_next_event(b.card), begin + 100);
	card_step(b.card, begin + 100);
	ck_assert_uint_eq(b.card->now, begin + 100);
	ck_assert_uint_eq(fired_count, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(a_full_link_makes_the_cpu_wait)
{
	bench_start(&b, CARD_P100);
	b.card->costs.write_arrive = 100 * 1000 * 1000;
	for (uint32_t i = 0; i < 2 * CARD_POSTED; i++)
		bench_wr(&b, NV_PBUS_SW_SCRATCH, i);
	ck_assert_uint_ge(card_now(b.card), b.card->costs.write_arrive);
	card_advance(b.card, 200 * 1000 * 1000);
	ck_assert_uint_eq(*card_reg(b.card, NV_PBUS_SW_SCRATCH),
			  2 * CARD_POSTED - 1);
	bench_stop(&b);
}
END_TEST

START_TEST(a_burst_is_one_write_a_line)
{
	uint32_t data[64], back;
	uint64_t before;

	bench_start(&b, CARD_P100);
	for (unsigned int i = 0; i < 64; i++)
		data[i] = i * 0x01010101;
	before = card_now(b.card);
	card_write_burst(b.card, CARD_BAR1, 0x1020, data, sizeof(data));
	/* 32 bytes to the end of the line, three lines, and the rest. */
	ck_assert_uint_eq(card_now(b.card) - before,
			  5 * b.card->costs.write_cpu);
	for (unsigned int i = 0; i < 64; i++) {
		back = card_read(b.card, CARD_BAR1, 0x1020 + 4 * i, 4);
		ck_assert_uint_eq(back, data[i]);
	}
	card_write_burst(b.card, CARD_BAR0, NV_PBUS_SW_SCRATCH, data, 256);
	ck_assert_uint_eq(bench_rd(&b, REG_AT(NV_PBUS_SW_SCRATCH, 63)),
			  data[63]);
	bench_expect_nothing(&b);
	card_write_burst(b.card, CARD_BAR1, 2, data, 4);
	bench_expect(&b, RULE_ACCESS_SIZE, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(an_idle_processor_takes_time_to_wake)
{
	uint64_t before;

	bench_start(&b, CARD_P100);
	b.card->costs.cstate_exit = 200000;
	bench_rd(&b, NV_PMC_BOOT_0);
	before = card_now(b.card);
	bench_wr(&b, NV_PBUS_SW_SCRATCH, 1);
	ck_assert_uint_lt(card_now(b.card) - before, 1000);
	card_advance(b.card, 1000000);
	before = card_now(b.card);
	bench_wr(&b, NV_PBUS_SW_SCRATCH, 1);
	ck_assert_uint_ge(card_now(b.card) - before, 200000);
	bench_stop(&b);
}
END_TEST

/* Some of everything; the trace is the result. */
static void exercise(struct bench *bench, uint64_t seed)
{
	struct card_config config = { .chip = CARD_P40, .seed = seed };
	uint32_t word = 0;

	bench_start_config(bench, &config);
	bench_wr(bench, NV_PMC_ENABLE, 0xffffffff);
	bench_wr(bench, NV_PMC_INTR_EN_SET, 0xffffffff);
	bench_wr(bench, NV_PTIMER_INTR_EN_0, 1);
	for (unsigned int i = 0; i < 300; i++) {
		card_write(bench->card, CARD_BAR1, i * 4096, 8, i);
		bench_wr(bench, NV_PTIMER_ALARM_0,
			 (uint32_t)ptimer_now(bench->card) + 5000);
		if (i % 3 == 0)
			bench_wr(bench, NV_UFLUSH_FB_FLUSH, 1);
		if (i % 7 == 0)
			bench_wr(bench, NV_PFB_PRI_MMU_INVALIDATE,
				 0x80000003);
		if (i % 5 == 0)
			word ^= bench_rd(bench, NV_PTIMER_TIME_0);
		card_step(bench->card, card_now(bench->card) + 3000);
	}
	card_advance(bench->card, 1000000);
	ck_assert_uint_eq(card_next_event(bench->card), UINT64_MAX);
	bench->trace_len += sprintf(bench->trace + bench->trace_len, "%u",
				    word);
}

START_TEST(one_seed_is_one_run_to_the_byte)
{
	struct bench first, second, third;

	exercise(&first, 42);
	exercise(&second, 42);
	exercise(&third, 43);
	ck_assert_uint_gt(first.trace_len, 20000);
	ck_assert_uint_lt(first.trace_len, BENCH_TRACE - 1024);
	ck_assert_uint_eq(first.trace_len, second.trace_len);
	ck_assert_mem_eq(first.trace, second.trace, first.trace_len);
	ck_assert(third.trace_len != first.trace_len ||
		  memcmp(first.trace, third.trace, first.trace_len));
	bench_stop(&first);
	bench_stop(&second);
	bench_stop(&third);
}
END_TEST

START_TEST(chance_covers_its_range_evenly)
{
	unsigned int seen[8] = { 0 };

	bench_start(&b, CARD_P100);
	for (unsigned int i = 0; i < 80000; i++) {
		uint32_t value = card_random(b.card, 7);

		ck_assert_uint_le(value, 7);
		seen[value]++;
	}
	for (unsigned int i = 0; i < 8; i++) {
		ck_assert_uint_gt(seen[i], 9500);
		ck_assert_uint_lt(seen[i], 10500);
	}
	ck_assert_uint_eq(card_random(b.card, 0), 0);
	bench_stop(&b);
}
END_TEST

START_TEST(a_lost_card_is_silent)
{
	bench_start(&b, CARD_P100);
	bench_wr(&b, NV_PBUS_SW_SCRATCH, 1);
	card_unplug(b.card);
	card_unplug(b.card);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_BOOT_0), 0xffffffff);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, 0, 4), 0xffffffff);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0, 8), ~0ULL);
	bench_wr(&b, NV_PBUS_SW_SCRATCH, 2);
	card_write(b.card, CARD_BAR1, 0, 4, 2);
	bench_arrive(&b);
	ck_assert_uint_eq(*card_reg(b.card, NV_PBUS_SW_SCRATCH), 0);
	ck_assert(!card_may_dma(b.card));
	ck_assert_uint_eq(card_next_event(b.card), UINT64_MAX);
	ck_assert_ptr_nonnull(strstr(b.trace, "the card left the bus"));
	ck_assert_ptr_null(strstr(strstr(b.trace, "left the bus") + 1,
				  "left the bus"));
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(an_impossible_card_is_not_made)
{
	struct card_config config = { .chip = CARD_CHIPS };
	static const struct card_host_ops none;

	ck_assert_ptr_null(card_new(&config, &none, NULL));
	config.chip = CARD_P100;
	ck_assert_ptr_null(card_new(&config, &none, NULL));
	card_free(NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("time");
	TCase *t = tcase_create("time");
	SRunner *runner = srunner_create(suite);
	int failed;

	/* Many assertions: a loaded machine takes its time. */
	tcase_set_timeout(t, 60);
	tcase_add_test(t, timers_fire_in_order_of_time_then_of_arming);
	tcase_add_test(t, the_heap_keeps_its_order_under_any_use);
	tcase_add_test(t, a_write_is_posted_and_a_read_pushes_it);
	tcase_add_loop_test(t,
		posted_writes_arrive_in_order_whatever_their_delay, 0, 5);
	tcase_add_test(t, a_delay_may_be_zero);
	tcase_add_test(t, time_stands_still_for_what_is_held);
	tcase_add_test(t, a_full_link_makes_the_cpu_wait);
	tcase_add_test(t, a_burst_is_one_write_a_line);
	tcase_add_test(t, an_idle_processor_takes_time_to_wake);
	tcase_add_test(t, one_seed_is_one_run_to_the_byte);
	tcase_add_test(t, chance_covers_its_range_evenly);
	tcase_add_test(t, a_lost_card_is_silent);
	tcase_add_test(t, an_impossible_card_is_not_made);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
