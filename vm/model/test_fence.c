/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The monitors of fences and of interrupts that nobody serves. */
#include <check.h>
#include <stdlib.h>

#include "vm/model/host.h"
#include "vm/model/test_rig.h"

#define WAIT_MS		2000000	/* longer than a driver may take */
#define PFIFO		REG_FIELD_MASK(NV_PMC_INTR_PFIFO)
#define NONSTALL	REG_FIELD_MASK(NV_PFIFO_INTR_0_CHANNEL_INTR)

static struct rig r;

static void release(unsigned int channel, uint32_t value, bool fence)
{
	const uint64_t va = RIG_VA + RIG_SEM;
	const uint32_t words[] = {
		INC(4, 0, NVC06F_SEMAPHOREA), va >> 32, va, value,
		NVC06F_SEMAPHORED_OPERATION_RELEASE,
		INC(1, 0, NVC06F_NON_STALL_INTERRUPT), 0,
	};

	rig_segment(&r, channel, words, fence ? 7 : 5);
	rig_ring(&r, channel);
	rig_settle(&r);
}

static void start(int chip)
{
	rig_start(&r, chip, NULL);
	rig_channels(&r, 2);
	rig_settle(&r);
}

static uint32_t *word(void)
{
	return rig_word(&r, RIG_SEM);
}

START_TEST(a_fence_that_goes_backward_is_told)
{
	start(_i);
	release(0, 5, true);
	release(0, 6, true);
	rig_no_violation(&r);
	release(0, 4, true);
	rig_violated(&r, RULE_FENCE_DECREASED, 1);
	rig_stop(&r);
}
END_TEST

START_TEST(numbers_may_wrap)
{
	start(CARD_P40);
	release(0, 0xfffffffe, true);
	release(0, 0xffffffff, true);
	release(0, 0, true);
	release(0, 1, true);
	card_audit(r.card);
	rig_no_violation(&r);
	rig_stop(&r);
}
END_TEST

START_TEST(a_semaphore_that_is_no_fence_may_go_anywhere)
{
	start(CARD_P40);
	release(0, 100, false);
	release(0, 7, false);
	release(1, 3, false);
	release(0, 0xcafebabe, false);
	release(0, 1, true);	/* from here on it is one */
	rig_no_violation(&r);
	release(0, 0xcafebabe, false);
	rig_violated(&r, RULE_FENCE_DECREASED, 1);
	rig_stop(&r);
}
END_TEST

START_TEST(the_cpu_must_not_move_it_back)
{
	start(CARD_P40);
	release(0, 10, true);
	*word() = 12;		/* forward is odd, and no harm */
	card_audit(r.card);
	rig_no_violation(&r);
	*word() = 3;
	if (_i)
		card_audit(r.card);
	else
		release(0, 13, true);
	rig_violated(&r, RULE_FENCE_DECREASED, 1);
	rig_stop(&r);
}
END_TEST

START_TEST(an_unbound_channel_has_no_fences)
{
	start(CARD_P40);
	release(0, 10, true);
	rig_enable(&r, 0, false);
	rig_preempt(&r, 0);
	rig_settle(&r);
	rig_submit_runlist(&r, 0, false);
	rig_settle(&r);
	rig_wr(&r, REG_AT(NV_PCCSR_CHANNEL_INST, 0), 0);
	rig_settle(&r);
	*word() = 0;
	card_audit(r.card);
	rig_no_violation(&r);
	rig_stop(&r);
}
END_TEST

/* Make the channel wait for RIG_SEM + 64 to be 1. */
static void hold(unsigned int channel)
{
	const uint64_t va = RIG_VA + RIG_SEM + 0x1000;
	const uint32_t words[] = {
		INC(4, 0, NVC06F_SEMAPHOREA), va >> 32, va, 1,
		NVC06F_SEMAPHORED_OPERATION_ACQUIRE | (_Bool)channel << 12,
	};

	rig_segment(&r, channel, words, 5);
	rig_ring(&r, channel);
	card_advance(r.card, 200000);
}

START_TEST(memory_of_a_fence_stays_while_there_is_work)
{
	start(CARD_P40);
	release(_i, 1, true);
	hold(_i);
	card_dma_freed(r.card, RIG_DMA + RIG_SEM, 4096);
	rig_violated(&r, RULE_FENCE_FREED, 1);
	rig_stop(&r);
}
END_TEST

START_TEST(what_is_waited_for_stays_too)
{
	start(CARD_P40);
	hold(_i);
	card_dma_freed(r.card, RIG_DMA + RIG_SEM + 0x1000, 4096);
	rig_violated(&r, RULE_FENCE_FREED, 1);
	rig_stop(&r);
}
END_TEST

START_TEST(an_idle_channels_fence_may_go)
{
	start(CARD_P40);
	release(0, 9, true);
	card_dma_freed(r.card, RIG_DMA + RIG_SEM, 4096);
	*word() = 0;		/* somebody else's now */
	release(1, 1, true);
	card_audit(r.card);
	rig_no_violation(&r);
	rig_stop(&r);
}
END_TEST

/* Interrupts --------------------------------------------------------------- */

static void pmc(bool on)
{
	if (r.chip != CARD_M40) {
		rig_wr(&r, on ? NV_PMC_INTR_EN_SET : NV_PMC_INTR_EN_CLEAR,
		       PFIFO);
		return;
	}
	rig_wr(&r, NV_PMC_INTR_MSK, PFIFO);
	rig_wr(&r, NV_PMC_INTR_EN, on);
}

static void rearm(void)
{
	if (r.chip != CARD_M40)
		rig_wr(&r, 0x88704, 0);
	else
		card_write(r.card, CARD_BAR0, 0x88068, 1, 0xff);
}

static void interrupts_on(int chip)
{
	start(chip);
	card_write(r.card, CARD_CONFIG, NV_XVE_MSI_CTRL + 2, 2, 1);
	rig_wr(&r, NV_PFIFO_INTR_EN_0, NONSTALL);
	pmc(true);
	rig_settle(&r);
	r.machine.interrupts = 0;
}

static void serve(void)
{
	ck_assert_uint_eq(rig_rd(&r, NV_PMC_INTR) & PFIFO, PFIFO);
	ck_assert_uint_eq(rig_rd(&r, NV_PFIFO_INTR_0), NONSTALL);
	rig_wr(&r, NV_PFIFO_INTR_0, NONSTALL);
}

START_TEST(an_interrupt_that_is_served_is_in_order)
{
	interrupts_on(_i);
	for (uint32_t i = 1; i < 4; i++) {
		release(0, i, true);
		ck_assert_uint_eq(r.machine.interrupts, i);
		serve();
		rearm();
		rig_settle(&r);
	}
	card_advance(r.card, WAIT_MS);
	card_audit(r.card);
	rig_no_violation(&r);
	rig_stop(&r);
}
END_TEST

START_TEST(an_interrupt_that_is_left_is_told)
{
	interrupts_on(_i);
	release(0, 1, true);
	card_audit(r.card);	/* the driver may still be on its way */
	rig_no_violation(&r);
	card_advance(r.card, WAIT_MS);
	card_audit(r.card);
	rig_violated(&r, RULE_INTR_UNACKNOWLEDGED, 1);
	rig_stop(&r);
}
END_TEST

START_TEST(a_re_arm_that_was_forgotten_is_told)
{
	interrupts_on(_i);
	release(0, 1, true);
	serve();
	rig_settle(&r);
	card_advance(r.card, WAIT_MS);
	card_audit(r.card);
	rig_violated(&r, RULE_MSI_NOT_REARMED, 1);
	rig_stop(&r);
}
END_TEST

START_TEST(the_nonstall_interrupt_masked_is_told)
{
	interrupts_on(_i % 3);
	if (_i / 3)
		pmc(false);
	else
		rig_wr(&r, NV_PFIFO_INTR_EN_0, 0);
	release(0, 1, true);
	ck_assert_uint_eq(r.machine.interrupts, 0);
	card_advance(r.card, WAIT_MS);
	card_audit(r.card);
	rig_violated(&r, RULE_INTR_MASKED_WAITER, 1);
	/* It waits in the unit: opened, it comes. */
	pmc(true);
	rig_wr(&r, NV_PFIFO_INTR_EN_0, NONSTALL);
	rig_settle(&r);
	ck_assert_uint_eq(r.machine.interrupts, 1);
	rig_stop(&r);
}
END_TEST

START_TEST(who_never_enabled_it_polls)
{
	start(_i);
	card_write(r.card, CARD_CONFIG, NV_XVE_MSI_CTRL + 2, 2, 1);
	release(0, 1, true);
	card_advance(r.card, WAIT_MS);
	card_audit(r.card);
	rig_no_violation(&r);
	rig_stop(&r);
}
END_TEST

START_TEST(it_may_go_by_either_tree)
{
	interrupts_on(CARD_P40);
	rig_wr(&r, NV_PFIFO_INTR_EN_0, 0);
	rig_wr(&r, NV_PFIFO_INTR_EN_1, NONSTALL);
	rig_wr(&r, REG_AT(NV_PMC_INTR_EN_SET, 1), PFIFO);
	release(0, 1, true);
	ck_assert_uint_eq(r.machine.interrupts, 1);
	ck_assert_uint_eq(rig_rd(&r, REG_AT(NV_PMC_INTR, 0)) & PFIFO, 0);
	ck_assert_uint_eq(rig_rd(&r, REG_AT(NV_PMC_INTR, 1)) & PFIFO, PFIFO);
	ck_assert_uint_eq(rig_rd(&r, NV_PFIFO_INTR_0), NONSTALL);
	rig_wr(&r, NV_PFIFO_INTR_0, NONSTALL);
	rearm();
	rig_settle(&r);
	card_advance(r.card, WAIT_MS);
	card_audit(r.card);
	rig_no_violation(&r);
	rig_stop(&r);
}
END_TEST

/*
 * The acknowledgement is a posted write.  A release that comes while it is on
 * its way is acknowledged with the one before; a read of the unit in between
 * makes it a new one.
 */
START_TEST(an_acknowledgement_on_its_way_takes_what_comes)
{
	interrupts_on(CARD_P40);
	release(0, 1, true);
	rig_rd(&r, NV_PFIFO_INTR_0);
	rig_wr(&r, NV_PFIFO_INTR_0, NONSTALL);
	if (_i)
		rig_rd(&r, NV_PFIFO_INTR_0);
	pfifo_raise(r.card, NV_PFIFO_INTR_0_CHANNEL_INTR);
	ck_assert_uint_eq(rig_rd(&r, NV_PFIFO_INTR_0), _i ? NONSTALL : 0);
	rig_stop(&r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fence");
	TCase *t = tcase_create("fence");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, a_fence_that_goes_backward_is_told, 0,
			    CARD_CHIPS);
	tcase_add_test(t, numbers_may_wrap);
	tcase_add_test(t, a_semaphore_that_is_no_fence_may_go_anywhere);
	tcase_add_loop_test(t, the_cpu_must_not_move_it_back, 0, 2);
	tcase_add_test(t, an_unbound_channel_has_no_fences);
	tcase_add_loop_test(t, memory_of_a_fence_stays_while_there_is_work,
			    0, 2);
	tcase_add_loop_test(t, what_is_waited_for_stays_too, 0, 2);
	tcase_add_test(t, an_idle_channels_fence_may_go);
	tcase_add_loop_test(t, an_interrupt_that_is_served_is_in_order, 0,
			    CARD_CHIPS);
	tcase_add_loop_test(t, an_interrupt_that_is_left_is_told, 0,
			    CARD_CHIPS);
	tcase_add_loop_test(t, a_re_arm_that_was_forgotten_is_told, 0,
			    CARD_CHIPS);
	tcase_add_loop_test(t, the_nonstall_interrupt_masked_is_told, 0, 6);
	tcase_add_loop_test(t, who_never_enabled_it_polls, 0, CARD_CHIPS);
	tcase_add_test(t, it_may_go_by_either_tree);
	tcase_add_loop_test(t, an_acknowledgement_on_its_way_takes_what_comes,
			    0, 2);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
