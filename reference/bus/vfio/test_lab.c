/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * lab-vfio's steps over a card in the process: they pass on every card, find
 * one that does not work, and what fails leaves nothing behind.
 */
#include <check.h>
#include <stdlib.h>

#include "lab.h"
#include "reference/bus/direct/direct.h"

static struct lab lab;

static void up(int chip, bool no_additions)
{
	struct card_config config = {
		.chip = chip, .seed = 3 + chip, .no_additions = no_additions,
	};

	setenv("PORT_LOG", "quiet", 1);
	memset(&lab, 0, sizeof(lab));
	ck_assert_int_eq(bus_direct_open(&config, &lab.bus), 0);
}

static void down(unsigned int faults)
{
	ck_assert_uint_eq(bus_direct_violations(lab.bus, RULE_MMU_FAULT),
			  faults);
	ck_assert_uint_eq(bus_direct_violations_all(lab.bus), faults);
	ck_assert_int_eq(port_live_allocs(), 0);
	for (int i = 0; i < PORT_MISUSES; i++)
		ck_assert_uint_eq(port_reports(i), 0);
	gpu_bus_close(lab.bus);
}

START_TEST(all_steps_pass_on_every_card)
{
	up(_i % 3, _i >= 3);
	ck_assert_int_eq(lab_up(&lab), 0);
	for (int round = 0; round < 3; round++) {
		ck_assert_int_eq(lab_ring(&lab), 0);
		ck_assert_int_eq(lab_fences(&lab), 0);
		ck_assert_int_eq(lab_copy(&lab), 0);
		ck_assert_int_eq(lab_space(&lab), 0);
		ck_assert_int_eq(lab_fault(&lab), 0);
	}
	lab_down(&lab);
	down(3);
}
END_TEST

/* A card that is pulled out: each step says so, and ends. */
START_TEST(no_step_passes_on_a_lost_card)
{
	static int (*const steps[])(struct lab *lab) = {
		lab_ring, lab_fences, lab_copy, lab_space, lab_fault,
	};

	up(_i % 3, false);
	ck_assert_int_eq(lab_up(&lab), 0);
	card_unplug(bus_direct_lock(lab.bus));
	bus_direct_unlock(lab.bus);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		lab.why = NULL;
		ck_assert_int_lt(steps[i](&lab), 0);
		ck_assert_ptr_nonnull(lab.why);
	}
	lab_down(&lab);
	ck_assert_int_eq(port_live_allocs(), 0);
	gpu_bus_close(lab.bus);
}
END_TEST

START_TEST(an_unposted_card_is_not_brought_up)
{
	struct card_config config = { .chip = _i, .unposted = true };

	setenv("PORT_LOG", "quiet", 1);
	memset(&lab, 0, sizeof(lab));
	ck_assert_int_eq(bus_direct_open(&config, &lab.bus), 0);
	ck_assert_int_eq(lab_up(&lab), -ENXIO);
	down(0);
}
END_TEST

START_TEST(any_failed_allocation_leaves_nothing)
{
	int err;

	up(CARD_P40, false);
	for (unsigned int i = 1;; i++) {
		port_fail_alloc(i);
		err = lab_up(&lab);
		port_fail_alloc(0);
		if (!err)
			break;
		ck_assert_int_eq(err, -ENOMEM);
		ck_assert_int_eq(port_live_allocs(), 0);
	}
	lab_down(&lab);
	down(0);
}
END_TEST

START_TEST(any_failed_allocation_of_a_step_leaves_nothing)
{
	static int (*const steps[])(struct lab *lab) = {
		lab_ring, lab_fences, lab_copy, lab_space,
	};
	long live;
	int err;

	up(_i & 1 ? CARD_M40 : CARD_P100, false);
	ck_assert_int_eq(lab_up(&lab), 0);
	ck_assert_int_eq(steps[_i](&lab), 0);
	live = port_live_allocs();
	for (unsigned int i = 1; i < 200; i++) {
		port_fail_alloc(i);
		err = steps[_i](&lab);
		port_fail_alloc(0);
		ck_assert_int_eq(port_live_allocs(), live);
		if (!err)
			break;
	}
	ck_assert_int_eq(err, 0);
	lab_down(&lab);
	down(0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lab-vfio");
	TCase *tcase = tcase_create("lab-vfio");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, all_steps_pass_on_every_card, 0, 6);
	tcase_add_loop_test(tcase, no_step_passes_on_a_lost_card, 0, 3);
	tcase_add_loop_test(tcase, an_unposted_card_is_not_brought_up, 0, 3);
	tcase_add_test(tcase, any_failed_allocation_leaves_nothing);
	tcase_add_loop_test(tcase,
			    any_failed_allocation_of_a_step_leaves_nothing, 0,
			    4);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
