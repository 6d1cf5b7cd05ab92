/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The monitors of rings: a driver's mistakes are told, its rights are not
 * [§11]. */
#include "vm/model/test_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define WFI_DIS		(1u << 20)
#define ONE_WORD	(1u << 24)

static struct rig rig;

static void start(void)
{
	rig_start(&rig, CARD_P40, NULL);
	rig_channels(&rig, 1);
}

static void stop(void)
{
	rig_stop(&rig);
}

static uint32_t slot(unsigned int i)
{
	return RIG_RING(0) + 8 * (i % RIG_ENTRIES);
}

static void store(uint32_t offset, size_t len)
{
	card_cpu_store(rig.card, RIG_DMA + offset, len);
}

/* As a driver would: store the words, store the entry, tell of both. */
static void submit(const uint32_t *words, unsigned int n)
{
	uint32_t at = RIG_PB(0) + rig.pb_used[0];

	store(at, 4 * n);
	store(slot(rig.put[0]), 8);
	rig_segment(&rig, 0, words, n);
}

static void release(uint32_t payload)
{
	const uint32_t words[] = {
		INC(4, 0, 0x10), 0, RIG_VA + RIG_SEM, payload,
		WFI_DIS | ONE_WORD | 2,
	};

	submit(words, 5);
}

/* A channel that waits, so that what follows stays outstanding. */
static void block(void)
{
	const uint32_t words[] = {
		INC(4, 0, 0x10), 0, RIG_VA + RIG_SEM + 64, 1, 1,
		NON_INC(2, 0, 0x08), 0, 0,
	};

	submit(words, 8);
	rig_ring(&rig, 0);
	card_advance(rig.card, 20000);
}

static void unblock(void)
{
	*rig_word(&rig, RIG_SEM + 64) = 1;
	rig_settle(&rig);
}

START_TEST(a_driver_that_keeps_the_rules_hears_nothing)
{
	unsigned int i;

	for (i = 0; i < 4 * RIG_ENTRIES; i++) {
		release(i);
		rig_ring(&rig, 0);
		if (i % 3 == 0)
			rig_settle(&rig);
		while ((rig.put[0] + 1) % RIG_ENTRIES ==
		       rig_userd(&rig, 0, NV_RAMUSERD_GP_GET))
			;
	}
	rig_settle(&rig);
	card_audit(rig.card);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_slot_is_not_overwritten_before_its_entry_has_begun)
{
	block();		/* begins slot 0 */
	release(1);		/* slot 1 */
	rig_ring(&rig, 0);
	card_advance(rig.card, 20000);

	store(slot(0), 8);	/* begun: free */
	store(slot(2), 8);	/* not offered */
	rig_no_violation(&rig);
	store(slot(1) + 4, 4);	/* even half of it */
	rig_violated(&rig, RULE_GP_OVERWRITE, 1);
	unblock();
	store(slot(1), 8);
	rig_violated(&rig, RULE_GP_OVERWRITE, 1);
}
END_TEST

/* The write of GP_PUT is still on its way when the slot is stored to. */
START_TEST(a_slot_counts_as_offered_from_the_write_of_gp_put)
{
	release(1);
	rig_ring(&rig, 0);
	store(slot(0), 8);
	rig_violated(&rig, RULE_GP_OVERWRITE, 1);
}
END_TEST

START_TEST(a_word_is_not_overwritten_before_it_is_consumed)
{
	uint32_t first = RIG_PB(0), second;

	block();
	second = RIG_PB(0) + rig.pb_used[0];
	release(1);
	rig_ring(&rig, 0);
	card_advance(rig.card, 20000);

	/* The words of the acquire have been taken, those behind it not. */
	store(first, 16);
	rig_no_violation(&rig);
	store(first + 24, 4);
	rig_violated(&rig, RULE_PB_OVERWRITE, 1);
	store(second + 4, 4);
	rig_violated(&rig, RULE_PB_OVERWRITE, 2);
	store(second + 20, 4);	/* behind it: nobody's */
	rig_violated(&rig, RULE_PB_OVERWRITE, 2);
	unblock();
	store(first, 64);
	rig_violated(&rig, RULE_PB_OVERWRITE, 2);
}
END_TEST

START_TEST(a_ring_in_video_memory_is_watched_too)
{
	const uint32_t words[] = { NON_INC(2, 0, 0x08), 0, 0 };
	uint64_t at = RIG_VRAM + 0x3000;
	unsigned int i;

	block();
	for (i = 0; i < 3; i++)
		card_write(rig.card, CARD_BAR1, at + 4 * i, 4, words[i]);
	rig_wr(&rig, 0x70000, 1);
	rig_entry(&rig, 0, (RIG_VRAM_VA + 0x3000) | 3ull << 42);
	rig_ring(&rig, 0);
	card_advance(rig.card, 20000);
	rig_no_violation(&rig);
	card_write(rig.card, CARD_BAR1, at + 8, 4, 1);
	card_advance(rig.card, 20000);
	rig_violated(&rig, RULE_PB_OVERWRITE, 1);
	unblock();
}
END_TEST

START_TEST(a_preempted_channel_still_needs_its_words)
{
	uint32_t first = RIG_PB(0);

	block();
	rig_enable(&rig, 0, false);
	rig_preempt(&rig, 0);
	store(first + 24, 4);
	rig_violated(&rig, RULE_PB_OVERWRITE, 1);
	rig_enable(&rig, 0, true);
	unblock();
	store(first + 24, 4);
	rig_violated(&rig, RULE_PB_OVERWRITE, 1);
}
END_TEST

START_TEST(memory_in_use_is_not_given_back)
{
	block();
	card_dma_freed(rig.card, RIG_DMA + RIG_DATA, 4096);
	rig_no_violation(&rig);
	card_dma_freed(rig.card, RIG_DMA + RIG_RING(0), 4096);
	rig_violated(&rig, RULE_FREED_IN_USE, 1);
	card_dma_freed(rig.card, RIG_DMA + RIG_PB(0), 4096);
	rig_violated(&rig, RULE_FREED_IN_USE, 2);
	unblock();
	/* Consumed; but a channel on a runlist needs its ring. */
	card_dma_freed(rig.card, RIG_DMA + RIG_PB(0), 4096);
	rig_violated(&rig, RULE_FREED_IN_USE, 2);
	card_dma_freed(rig.card, RIG_DMA + RIG_RING(0), 4096);
	rig_violated(&rig, RULE_FREED_IN_USE, 3);

	rig_submit_runlist(&rig, 0, true);
	rig_enable(&rig, 0, false);
	rig_preempt(&rig, 0);
	rig_wr(&rig, NV_PCCSR_CHANNEL_INST, 0);
	rig_settle(&rig);
	card_dma_freed(rig.card, RIG_DMA, RIG_MEMORY);
	rig_violated(&rig, RULE_FREED_IN_USE, 3);
}
END_TEST

START_TEST(an_entry_that_was_written_is_offered_in_the_end)
{
	release(1);
	rig_ring(&rig, 0);
	release(2);		/* and forgotten */
	rig_settle(&rig);
	card_audit(rig.card);
	rig_violated(&rig, RULE_WORK_PENDING_AT_REST, 1);
}
END_TEST

START_TEST(a_channel_that_waits_for_ever_is_told_at_the_end)
{
	block();
	release(1);
	rig_ring(&rig, 0);
	card_advance(rig.card, 20000);
	card_freeze_host(rig.card, true);
	rig_settle(&rig);
	card_audit(rig.card);
	rig_violated(&rig, RULE_WORK_PENDING_AT_REST, 1);
}
END_TEST

START_TEST(gp_put_outside_the_window_is_told)
{
	rig_wr(&rig, NV_PFIFO_BAR1_BASE, 0);
	release(1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	rig_violated(&rig, RULE_USERD_SNOOP, 1);
	ck_assert_uint_eq(*rig_word(&rig, RIG_SEM), 0);
}
END_TEST

START_TEST(a_report_says_what_was_expected_and_what_was_seen)
{
	release(1);
	rig_ring(&rig, 0);
	store(slot(0), 8);
	ck_assert_str_eq(rig.machine.last,
		"RULE_GP_OVERWRITE: expected a store to a slot outside "
		"GP_GET 0 up to GP_PUT 1; actual store to slot 0 of 16");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("monitor");
	TCase *t = tcase_create("rings");

	tcase_add_checked_fixture(t, start, stop);
	tcase_add_test(t, a_driver_that_keeps_the_rules_hears_nothing);
	tcase_add_test(t,
	    a_slot_is_not_overwritten_before_its_entry_has_begun);
	tcase_add_test(t,
	    a_slot_counts_as_offered_from_the_write_of_gp_put);
	tcase_add_test(t, a_word_is_not_overwritten_before_it_is_consumed);
	tcase_add_test(t, a_ring_in_video_memory_is_watched_too);
	tcase_add_test(t, a_preempted_channel_still_needs_its_words);
	tcase_add_test(t, memory_in_use_is_not_given_back);
	tcase_add_test(t, an_entry_that_was_written_is_offered_in_the_end);
	tcase_add_test(t, a_channel_that_waits_for_ever_is_told_at_the_end);
	tcase_add_test(t, gp_put_outside_the_window_is_told);
	tcase_add_test(t, a_report_says_what_was_expected_and_what_was_seen);
	suite_add_tcase(s, t);
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
