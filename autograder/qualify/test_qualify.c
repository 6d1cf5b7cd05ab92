/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The campaign finds what is wrong, exactly, and nothing where all is right.
 * The driver here is the reference.
 */
#include <check.h>
#include <stdlib.h>

#include "autograder/qualify/qualify.h"
#include "vm/model/card.h"
#include "vm/model/crc.h"

static struct tally tally;

static void campaign(uint64_t commands, unsigned int jobs, uint64_t damage)
{
	struct qualify q = {
		.commands = commands, .jobs = jobs, .seed = 7, .hz = 100000,
		.damage = damage,
	};

	ck_assert_int_eq(qualify_run(&q, &tally), 0);
	ck_assert(!tally.failed);
}

START_TEST(every_command_is_counted_by_the_card)
{
	campaign(500003, 2, 0);
	ck_assert_uint_eq(tally.executed, 500003);
	ck_assert_uint_eq(tally.checked, 500003);
	ck_assert_uint_eq(tally.accepted, 500003);
	ck_assert(qualify_clean(&tally));
	ck_assert_uint_ge(tally.legs, 24);	/* every shape, twice */
	/* 10 us of card time for each */
	ck_assert_uint_ge(tally.card_ns, 500003 * 10000ull);
	ck_assert_uint_le(tally.card_ns, 500003 * 10100ull);
}
END_TEST

START_TEST(every_damaged_word_is_found)
{
	campaign(200000, 2, 1000 >> _i);
	ck_assert_uint_ge(tally.injected, 150 << _i);
	ck_assert_uint_eq(tally.crc_failures, tally.injected);
	ck_assert_uint_eq(tally.executed, 200000);
	ck_assert_uint_eq(tally.lost + tally.reordered + tally.stray, 0);
	ck_assert(!qualify_clean(&tally));
}
END_TEST

static struct observer o;
static struct card_crc crc;

static void command(unsigned int producer, uint32_t number)
{
	uint32_t words[QUALIFY_WORDS] = { 0x1234 };
	struct card_event event = { .kind = EV_CRC, .arg = { 0, 0, 3 } };

	sequence_fill(words, producer << QUALIFY_SHIFT | number);
	event.arg[0] = event.arg[1] = card_crc_update(&crc, 0, words,
						      sizeof(words));
	observer_hear(&o, &event);
}

static void observe(void)
{
	card_crc_init(&crc);
	tally = (struct tally){ 0 };
	o = (struct observer){
		.tally = &tally, .producers = 2, .limit = { 5, 5 },
	};
	ck_assert_int_eq(sequence_init(&o.sequence, 0x1234), 0);
}

START_TEST(numbers_are_read_from_crcs)
{
	observe();
	for (uint32_t i = 0; i < 5; i++) {
		command(0, i);
		command(1, i);
	}
	observer_close(&o);
	ck_assert_uint_eq(tally.checked, 10);
	ck_assert_uint_eq(tally.lost + tally.reordered + tally.stray, 0);
}
END_TEST

START_TEST(a_lost_command_is_seen_in_the_middle_and_at_the_end)
{
	observe();
	command(0, 0);
	command(0, 2);
	command(1, 0);
	observer_close(&o);
	ck_assert_uint_eq(tally.lost, 1 + 2 + 4);
	ck_assert_uint_eq(tally.reordered + tally.stray, 0);
}
END_TEST

START_TEST(a_late_command_is_reordered_and_not_lost)
{
	observe();
	for (uint32_t i = 0; i < 5; i++)
		command(1, i);
	command(0, 1);
	command(0, 0);
	for (uint32_t i = 2; i < 5; i++)
		command(0, i);
	observer_close(&o);
	ck_assert_uint_eq(tally.lost, 0);
	ck_assert_uint_eq(tally.reordered, 1);
}
END_TEST

START_TEST(what_nobody_sent_is_stray)
{
	observe();
	command(3, 0);
	command(0, 99);
	ck_assert_uint_eq(tally.stray, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("qualify");
	TCase *t = tcase_create("qualify");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_test(t, every_command_is_counted_by_the_card);
	tcase_add_loop_test(t, every_damaged_word_is_found, 0, 2);
	tcase_add_test(t, numbers_are_read_from_crcs);
	tcase_add_test(t, a_lost_command_is_seen_in_the_middle_and_at_the_end);
	tcase_add_test(t, a_late_command_is_reordered_and_not_lost);
	tcase_add_test(t, what_nobody_sent_is_stray);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
