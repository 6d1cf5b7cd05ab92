/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Channels, runlists, preemption [§7.2], [§7.3], [§8.1], [§8.2], [§8.6]. */
#include "vm/model/test_rig.h"

#include <check.h>
#include <stdlib.h>

#define WFI_DIS		(1u << 20)
#define ONE_WORD	(1u << 24)

static struct rig rig;

static void start(void)
{
	rig_start(&rig, CARD_P40, NULL);
}

static void start_maxwell(void)
{
	rig_start(&rig, CARD_M40, NULL);
}

static void stop(void)
{
	rig_stop(&rig);
}

static void sem_op(unsigned int channel, uint32_t offset, uint32_t payload,
		   uint32_t operation)
{
	const uint32_t words[] = {
		INC(4, 0, 0x10), 0, RIG_VA + RIG_SEM + offset, payload,
		operation,
	};

	rig_segment(&rig, channel, words, 5);
}

static void release(unsigned int channel, uint32_t offset, uint32_t payload)
{
	sem_op(channel, offset, payload, WFI_DIS | ONE_WORD | 2);
}

static uint32_t sem(uint32_t offset)
{
	return *rig_word(&rig, RIG_SEM + offset);
}

static uint32_t status(unsigned int channel)
{
	return REG_GET(NV_PCCSR_CHANNEL_STATUS,
		       rig_rd(&rig, REG_AT(NV_PCCSR_CHANNEL, channel)));
}

static void no_runlist(void)
{
	rig_submit_runlist(&rig, 0, true);
}

/* An instance block that lacks something [§8.1]. */
static const struct {
	uint32_t offset, value;
} breakage[] = {
	{ NV_RAMFC_SIGNATURE, 0xfacf },
	{ NV_RAMFC_USERD, 0 },
	{ NV_RAMFC_GP_BASE, 0 },
	{ NV_RAMFC_GP_GET, RIG_ENTRIES },
	{ NV_RAMFC_GP_PUT, RIG_ENTRIES },
	{ NV_RAMFC_GP_BASE_HI, 0x001f00ff },
	{ NV_RAMIN_PAGE_DIR_BASE_LO, 1 },
};

START_TEST(an_incomplete_instance_block_is_reported_at_the_bind)
{
	rig_instance(&rig, 0);
	rig_vram_wr(&rig, RIG_INST + breakage[_i].offset, breakage[_i].value);
	rig_bind(&rig, 0);
	rig_settle(&rig);
	rig_violated(&rig, RULE_INSTANCE, 1);
}
END_TEST

START_TEST(a_wrong_signature_stops_the_channel_until_it_is_corrected)
{
	uint32_t intr = REG_AT(NV_PPBDMA_INTR_0, 2);

	rig_instance(&rig, 0);
	rig_vram_wr(&rig, RIG_INST + NV_RAMFC_SIGNATURE, 0xfacf);
	rig_bind(&rig, 0);
	rig_enable(&rig, 0, true);
	rig_submit_runlist(&rig, 1, true);
	release(0, 0, 1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_rd(&rig, intr),
			  REG_FIELD_MASK(NV_PPBDMA_INTR_0_SIGNATURE));
	ck_assert_uint_eq(sem(0), 0);
	rig_wr(&rig, REG_AT(NV_PPBDMA_SIGNATURE, 2), 0xface);
	rig_wr(&rig, intr, ~0u);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(0), 1);
}
END_TEST

START_TEST(a_bound_channel_is_not_bound_again)
{
	rig_instance(&rig, 0);
	rig_bind(&rig, 0);
	rig_bind(&rig, 0);
	rig_settle(&rig);
	rig_violated(&rig, RULE_CHANNEL_REBIND, 1);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_BIND_ERROR), 1);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_0) & 1, 1);
}
END_TEST

START_TEST(a_bind_needs_the_userd_window)
{
	rig_wr(&rig, NV_PFIFO_BAR1_BASE, 0);
	rig_instance(&rig, 0);
	rig_bind(&rig, 0);
	rig_settle(&rig);
	rig_violated(&rig, RULE_USERD_SNOOP, 1);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_BIND_ERROR), 2);
}
END_TEST

START_TEST(a_channel_that_runs_cannot_be_unbound)
{
	rig_channels(&rig, 1);
	rig_wr(&rig, NV_PCCSR_CHANNEL_INST, 0);
	rig_settle(&rig);
	rig_violated(&rig, RULE_CHANNEL_BUSY, 1);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_BIND_ERROR), 3);
	ck_assert_uint_ne(rig_rd(&rig, NV_PCCSR_CHANNEL_INST) >> 31, 0);
}
END_TEST

START_TEST(the_documented_stop_is_clean_and_the_id_can_be_used_again)
{
	unsigned int round;

	for (round = 1; round <= 3; round++) {
		rig_channels(&rig, 1);
		release(0, 0, round);
		rig_ring(&rig, 0);
		rig_settle(&rig);
		ck_assert_uint_eq(sem(0), round);

		no_runlist();
		rig_enable(&rig, 0, false);
		rig_preempt(&rig, 0);
		rig_wr(&rig, NV_PCCSR_CHANNEL_INST, 0);
		rig_settle(&rig);
		ck_assert_uint_eq(rig_rd(&rig, NV_PCCSR_CHANNEL_INST), 0);
	}
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_stopped_channel_keeps_its_place_and_wants_gp_put_again)
{
	rig_channels(&rig, 1);
	release(0, 0, 1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	no_runlist();
	rig_enable(&rig, 0, false);
	rig_preempt(&rig, 0);
	ck_assert_uint_eq(rig_vram_rd(&rig, RIG_INST + NV_RAMFC_GP_GET), 1);
	ck_assert_uint_eq(rig_vram_rd(&rig, RIG_INST + NV_RAMFC_GP_PUT), 1);

	release(0, 0, 2);	/* offered while it is stopped */
	rig_ring(&rig, 0);
	rig_settle(&rig);
	rig_enable(&rig, 0, true);
	rig_submit_runlist(&rig, 1, true);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(0), 1);

	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(0), 2);
	rig_no_violation(&rig);
}
END_TEST

/* RAMFC's GP_PUT brings the channel back to what Host had already seen. */
START_TEST(a_preempted_channel_goes_on_where_it_was)
{
	unsigned int i, half;

	rig_channels(&rig, 1);
	for (i = 1; i < RIG_ENTRIES; i++)
		release(0, 0, i);
	rig_ring(&rig, 0);
	while (rig_userd(&rig, 0, NV_RAMUSERD_GP_GET) < 3)
		;
	rig_enable(&rig, 0, false);
	rig_preempt(&rig, 0);
	half = sem(0);
	ck_assert_uint_ge(half, 2);
	ck_assert_uint_lt(half, RIG_ENTRIES - 1);
	/* Begun means done: nothing is left half-way [§8.6]. */
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_GP_GET), half);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(0), half);

	rig_enable(&rig, 0, true);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(0), RIG_ENTRIES - 1);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_channel_that_is_being_loaded_can_be_preempted)
{
	rig_instance(&rig, 0);
	rig_bind(&rig, 0);
	rig_enable(&rig, 0, true);
	rig_submit_runlist(&rig, 1, true);
	ck_assert_uint_eq(REG_GET(NV_PFIFO_PBDMA_STATUS_CHAN_STATUS,
			  rig_rd(&rig, REG_AT(NV_PFIFO_PBDMA_STATUS, 2))), 5);
	rig_enable(&rig, 0, false);
	rig_preempt(&rig, 0);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PFIFO_PBDMA_STATUS, 2)), 0);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_channel_that_is_off_its_runlist_is_not_served)
{
	rig_channels(&rig, 2);
	rig_submit_runlist(&rig, 1, true);
	rig_settle(&rig);
	release(1, 0, 1);
	rig_ring(&rig, 1);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(0), 0);
	card_audit(rig.card);
	rig_violated(&rig, RULE_WORK_PENDING_AT_REST, 1);
}
END_TEST

START_TEST(channels_of_a_runlist_take_turns)
{
	unsigned int c, i;

	rig_channels(&rig, RIG_CHANNELS);
	for (i = 0; i < 5; i++)
		for (c = 0; c < RIG_CHANNELS; c++)
			release(c, 16 * c, i + 1);
	for (c = 0; c < RIG_CHANNELS; c++)
		rig_ring(&rig, c);
	rig_settle(&rig);
	for (c = 0; c < RIG_CHANNELS; c++)
		ck_assert_uint_eq(sem(16 * c), 5);
	ck_assert_uint_ge(rig_count(&rig, EV_CHANNEL_LOAD), RIG_CHANNELS);
	rig_no_violation(&rig);
}
END_TEST

/* A channel that only spins would starve the other without a slice. */
START_TEST(a_time_slice_ends)
{
	static const uint32_t spin[] = { NON_INC(4, 0, 0x08), 0, 0, 0, 0 };
	uint64_t begun, other;
	unsigned int i;

	rig.entries = 512;
	rig_channels(&rig, 2);
	for (i = 0; i < 500; i++)
		rig_segment(&rig, 0, spin, 5);
	rig_ring(&rig, 0);
	card_advance(rig.card, 20000);
	begun = card_now(rig.card);
	release(1, 0, 1);
	rig_ring(&rig, 1);
	while (!sem(0))
		ck_assert(card_step(rig.card, UINT64_MAX));
	other = card_now(rig.card);
	/* The slice is 128 << 3 units of 1024 ns, at most. */
	ck_assert_uint_lt(other - begun, 1200000);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_GP_GET), 500);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(an_acquire_with_switch_lets_the_other_channel_release_it)
{
	rig_channels(&rig, 2);
	sem_op(0, 0, 77, 1u << 12 | 1);		/* acquire, switch */
	release(0, 16, 1);
	rig_ring(&rig, 0);
	card_advance(rig.card, 20000);
	ck_assert_uint_eq(sem(16), 0);
	release(1, 0, 77);
	rig_ring(&rig, 1);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(16), 1);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_channel_that_waits_for_a_semaphore_can_be_stopped)
{
	rig_channels(&rig, 1);
	sem_op(0, 0, 77, 1);
	release(0, 16, 1);
	rig_ring(&rig, 0);
	card_advance(rig.card, 20000);
	no_runlist();
	rig_enable(&rig, 0, false);
	rig_preempt(&rig, 0);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_GP_GET), 1);
	*rig_word(&rig, RIG_SEM) = 77;
	rig_enable(&rig, 0, true);
	rig_submit_runlist(&rig, 1, true);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(16), 1);
	rig_no_violation(&rig);
}
END_TEST

/* Runlist entries ------------------------------------------------------- */

static void bad_runlist(void)
{
	rig_violated(&rig, RULE_RUNLIST_ENTRY, 1);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_SCHED_ERROR), 0x20);
	ck_assert_uint_ne(rig_rd(&rig, NV_PFIFO_INTR_0) & 1 << 8, 0);
}

START_TEST(on_pascal_a_channel_needs_a_tsg)
{
	rig_instance(&rig, 0);
	rig_bind(&rig, 0);
	rig_submit_runlist(&rig, 1, false);
	bad_runlist();
}
END_TEST

START_TEST(on_maxwell_a_channel_may_stand_alone_or_in_a_tsg)
{
	rig_channels(&rig, 2);
	rig_submit_runlist(&rig, 2, _i);
	release(0, 0, 5);
	release(1, 16, 6);
	rig_ring(&rig, 0);
	rig_ring(&rig, 1);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(0), 5);
	ck_assert_uint_eq(sem(16), 6);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_runlist_names_only_bound_channels)
{
	rig_submit_runlist(&rig, 1, true);
	bad_runlist();
}
END_TEST

START_TEST(a_tsg_has_as_many_channels_as_its_header_says)
{
	rig_instance(&rig, 0);
	rig_bind(&rig, 0);
	rig_submit_runlist(&rig, 1, true);
	rig_no_violation(&rig);
	rig_vram_wr(&rig, RIG_RUNLIST, (uint32_t)_i << 26 | 1 << 13);
	rig_wr(&rig, NV_PFIFO_RUNLIST, 1u << 20 | 2);
	rig_settle(&rig);
	bad_runlist();
}
END_TEST

START_TEST(a_runlist_is_not_submitted_while_one_is_pending)
{
	rig_channels(&rig, 1);
	rig_wr(&rig, NV_PFIFO_RUNLIST, 1u << 20 | 2);
	rig_wr(&rig, NV_PFIFO_RUNLIST, 1u << 20 | 2);
	rig_settle(&rig);
	rig_violated(&rig, RULE_RUNLIST_PENDING, 1);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_SCHED_ERROR), 0x0d);
}
END_TEST

START_TEST(a_loaded_runlist_is_an_event)
{
	rig_instance(&rig, 0);
	rig_bind(&rig, 0);
	rig_vram_wr(&rig, RIG_RUNLIST, 0);
	rig_wr(&rig, NV_PFIFO_RUNLIST_BASE, RIG_RUNLIST >> 12);
	rig_wr(&rig, NV_PFIFO_RUNLIST, 1u << 20);
	ck_assert_uint_ne(rig_rd(&rig, REG_AT(NV_PFIFO_ENG_RUNLIST, 1)) &
			  1u << 20, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PFIFO_ENG_RUNLIST, 1)), 0);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_0), 1u << 30);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_RUNLIST), 1 << 1);
	rig_wr(&rig, NV_PFIFO_INTR_RUNLIST, 1 << 1);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_0), 0);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(status_tells_where_a_channel_is)
{
	rig_instance(&rig, 0);
	ck_assert_uint_eq(status(0), NV_PCCSR_CHANNEL_STATUS_IDLE);
	rig_channels(&rig, 1);
	ck_assert_uint_eq(status(0), NV_PCCSR_CHANNEL_STATUS_ON_PBDMA);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PFIFO_PBDMA_STATUS, 2)),
			  1u << 13 | 1u << 12 | 0);
	ck_assert_uint_eq(rig_rd(&rig, NV_PCCSR_CHANNEL) & 1, 1);
	rig_wr(&rig, NV_PFIFO_SCHED_DISABLE, 1 << 1);
	rig_preempt(&rig, 0);
	ck_assert_uint_eq(status(0), NV_PCCSR_CHANNEL_STATUS_IDLE);
	release(0, 0, 1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(status(0), NV_PCCSR_CHANNEL_STATUS_PENDING);
	rig_wr(&rig, NV_PFIFO_SCHED_DISABLE, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(0), 1);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(switching_host_off_forgets_the_channels)
{
	rig_channels(&rig, 1);
	rig_wr(&rig, NV_PMC_ENABLE, 0xfffffeff);
	rig_wr(&rig, NV_PMC_ENABLE, 0xffffffff);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_rd(&rig, NV_PCCSR_CHANNEL_INST), 0);
	ck_assert_uint_eq(rig_rd(&rig, NV_PCCSR_CHANNEL), 0);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_BAR1_BASE), 0);
	rig_no_violation(&rig);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("channel");
	TCase *t = tcase_create("Pascal"), *m = tcase_create("Maxwell");

	tcase_add_checked_fixture(t, start, stop);
	tcase_add_loop_test(t,
	    an_incomplete_instance_block_is_reported_at_the_bind, 0,
	    sizeof(breakage) / sizeof(breakage[0]));
	tcase_add_test(t,
	    a_wrong_signature_stops_the_channel_until_it_is_corrected);
	tcase_add_test(t, a_bound_channel_is_not_bound_again);
	tcase_add_test(t, a_bind_needs_the_userd_window);
	tcase_add_test(t, a_channel_that_runs_cannot_be_unbound);
	tcase_add_test(t,
	    the_documented_stop_is_clean_and_the_id_can_be_used_again);
	tcase_add_test(t,
	    a_stopped_channel_keeps_its_place_and_wants_gp_put_again);
	tcase_add_test(t, a_preempted_channel_goes_on_where_it_was);
	tcase_add_test(t, a_channel_that_is_being_loaded_can_be_preempted);
	tcase_add_test(t, a_channel_that_is_off_its_runlist_is_not_served);
	tcase_add_test(t, channels_of_a_runlist_take_turns);
	tcase_add_test(t, a_time_slice_ends);
	tcase_add_test(t,
	    an_acquire_with_switch_lets_the_other_channel_release_it);
	tcase_add_test(t,
	    a_channel_that_waits_for_a_semaphore_can_be_stopped);
	tcase_add_test(t, on_pascal_a_channel_needs_a_tsg);
	tcase_add_test(t, a_runlist_names_only_bound_channels);
	tcase_add_loop_test(t, a_tsg_has_as_many_channels_as_its_header_says,
			    2, 4);
	tcase_add_loop_test(t, a_tsg_has_as_many_channels_as_its_header_says,
			    0, 1);
	tcase_add_test(t, a_runlist_is_not_submitted_while_one_is_pending);
	tcase_add_test(t, a_loaded_runlist_is_an_event);
	tcase_add_test(t, status_tells_where_a_channel_is);
	tcase_add_test(t, switching_host_off_forgets_the_channels);
	suite_add_tcase(s, t);

	tcase_add_checked_fixture(m, start_maxwell, stop);
	tcase_add_loop_test(m,
	    on_maxwell_a_channel_may_stand_alone_or_in_a_tsg, 0, 2);
	suite_add_tcase(s, m);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
