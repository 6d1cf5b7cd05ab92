/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Host: from GP_PUT to GP_GET [§8.3], [§8.4], [§9.1], [§9.2]. */
#include "vm/model/crc.h"
#include "vm/model/test_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define WFI_DIS		(1u << 20)
#define ONE_WORD	(1u << 24)
#define RELEASE		2u

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

/* NOPs, then a release of `payload`. */
static void work(unsigned int channel, uint32_t payload)
{
	const uint32_t words[] = {
		NON_INC(3, 0, 0x08), 1, 2, 3,
		INC(4, 0, 0x10), 0, RIG_VA + RIG_SEM, payload,
		WFI_DIS | ONE_WORD | RELEASE,
	};

	rig_segment(&rig, channel, words, 9);
}

static uint32_t sem(void)
{
	return *rig_word(&rig, RIG_SEM);
}

static uint32_t control(uint32_t opcode, uint32_t operand)
{
	rig_entry(&rig, 0, (uint64_t)opcode << 32 | operand);
	return operand;
}

static uint32_t pbdma_intr(void)
{
	return rig_rd(&rig, REG_AT(NV_PPBDMA_INTR_0, 2));
}

static void clear_intr(void)
{
	rig_wr(&rig, REG_AT(NV_PPBDMA_INTR_0, 2), pbdma_intr());
}

START_TEST(a_channel_executes_a_segment_on_every_chip)
{
	rig_start(&rig, _i, NULL);
	rig_channels(&rig, 1);
	work(0, 0xcafebabe);
	rig_ring(&rig, 0);
	rig_settle(&rig);

	ck_assert_uint_eq(sem(), 0xcafebabe);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_GP_GET), 1);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_GET),
			  RIG_VA + RIG_PB(0) + 36);
	rig_no_violation(&rig);
	rig_stop(&rig);
}
END_TEST

START_TEST(memory_without_pointers_gives_the_same_result)
{
	rig.machine.peek = false;
	work(0, 0xcafebabe);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 0xcafebabe);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(the_ring_wraps)
{
	unsigned int i;

	for (i = 1; i <= 5 * RIG_ENTRIES; i++) {
		work(0, i);
		if (i % 7 == 0 || i == 5 * RIG_ENTRIES) {
			rig_ring(&rig, 0);
			rig_settle(&rig);
			ck_assert_uint_eq(sem(), i);
			ck_assert_uint_eq(rig_userd(&rig, 0,
						    NV_RAMUSERD_GP_GET),
					  i % RIG_ENTRIES);
		}
	}
	ck_assert_uint_eq(rig_count(&rig, EV_GP_END), 5 * RIG_ENTRIES);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_full_ring_is_executed_to_its_end)
{
	unsigned int i;

	for (i = 1; i < RIG_ENTRIES; i++)
		work(0, i);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), RIG_ENTRIES - 1);
	rig_no_violation(&rig);
}
END_TEST

/* The second of two writers is overtaken: Host walks round [§8.3]. */
START_TEST(a_gp_put_that_goes_back_takes_host_round_the_ring)
{
	unsigned int i;

	for (i = 1; i < 7; i++)
		work(0, i);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	rig.put[0] = 5;
	for (i = 7; i < RIG_ENTRIES; i++)
		*rig_quad(&rig, RIG_RING(0) + 8 * i) = 0;
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_count(&rig, EV_GP_BEGIN), 6 + RIG_ENTRIES - 1);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_GP_GET), 5);
	ck_assert_uint_eq(sem(), 5);
}
END_TEST

START_TEST(gp_get_moves_at_the_beginning_and_get_while_words_are_read)
{
	static uint32_t words[8001];
	uint64_t end = RIG_VA + RIG_PB(0) + sizeof(words), get;
	unsigned int middle = 0, i;

	words[0] = NON_INC(8000, 0, 0x08);
	rig_segment(&rig, 0, words, 8001);
	rig_ring(&rig, 0);
	for (i = 0; i < 200 && card_next_event(rig.card) != UINT64_MAX; i++) {
		uint32_t begun = rig_userd(&rig, 0, NV_RAMUSERD_GP_GET);

		get = rig_userd(&rig, 0, NV_RAMUSERD_GET);
		if (begun == 1 && get > RIG_VA + RIG_PB(0) && get < end)
			middle++;
	}
	ck_assert_uint_gt(middle, 5);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_GET), end);
}
END_TEST

START_TEST(a_subroutine_does_not_move_top_level_get)
{
	uint32_t main_end;

	work(0, 1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	main_end = rig_userd(&rig, 0, NV_RAMUSERD_TOP_LEVEL_GET);
	ck_assert_uint_eq(main_end, rig_userd(&rig, 0, NV_RAMUSERD_GET));

	work(0, 2);
	*rig_quad(&rig, RIG_RING(0) + 8) |= 1ull << 41;
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 2);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_TOP_LEVEL_GET),
			  main_end);
	ck_assert_uint_gt(rig_userd(&rig, 0, NV_RAMUSERD_GET), main_end);
}
END_TEST

START_TEST(gp_put_beyond_the_ring_stops_the_channel_until_it_is_corrected)
{
	work(0, 7);
	rig.put[0] = RIG_ENTRIES;
	rig_ring(&rig, 0);
	rig_settle(&rig);
	rig_violated(&rig, RULE_GP_PUT_RANGE, 1);
	ck_assert_uint_eq(pbdma_intr(),
			  REG_FIELD_MASK(NV_PPBDMA_INTR_0_GPPTR));
	ck_assert_uint_ne(rig_rd(&rig, NV_PFIFO_INTR_0) &
			  REG_FIELD_MASK(NV_PFIFO_INTR_0_PBDMA_INTR), 0);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_PBDMA_ID), 1 << 2);

	clear_intr();		/* still wrong: it comes again */
	rig_settle(&rig);
	ck_assert_uint_ne(pbdma_intr(), 0);
	rig_wr(&rig, REG_AT(NV_PPBDMA_GP_PUT, 2), 1);
	clear_intr();
	rig_settle(&rig);
	ck_assert_uint_eq(pbdma_intr(), 0);
	ck_assert_uint_eq(sem(), 7);
}
END_TEST

START_TEST(a_gp_put_that_does_not_come_through_bar1_is_not_noticed)
{
	work(0, 1);
	rig_vram_wr(&rig, RIG_USERD + NV_RAMUSERD_GP_PUT, 1);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 0);
	card_audit(rig.card);
	rig_violated(&rig, RULE_WORK_PENDING_AT_REST, 1);

	/* The doorbell page makes Host look [§12.2]. */
	rig_wr(&rig, NV_USERMODE_NOTIFY_CHANNEL_PENDING, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 1);
}
END_TEST

START_TEST(without_additions_there_is_no_doorbell)
{
	struct card_config config = { .no_additions = true, .seed = 3 };

	rig_start(&rig, CARD_P100, &config);
	rig_channels(&rig, 1);
	work(0, 1);
	rig_vram_wr(&rig, RIG_USERD + NV_RAMUSERD_GP_PUT, 1);
	rig_no_violation(&rig);
	rig_wr(&rig, NV_USERMODE_NOTIFY_CHANNEL_PENDING, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 0);
	rig_violated(&rig, RULE_UNMODELLED, 1);
	rig_stop(&rig);
}
END_TEST

/* Control entries and CRCs ---------------------------------------------- */

static uint32_t crc_of(uint32_t crc, const void *data, size_t len)
{
	static struct card_crc tables;

	card_crc_init(&tables);
	return card_crc_update(&tables, crc, data, len);
}

START_TEST(crcs_that_are_right_pass)
{
	uint64_t entry[2];

	work(0, 1);
	control(3, crc_of(0, rig.machine.memory + RIG_PB(0), 36));
	memcpy(entry, rig.machine.memory + RIG_RING(0), 16);
	control(2, crc_of(0, entry, 16));
	control(2, 0);		/* cleared by the comparison */
	work(0, 2);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 2);
	ck_assert_uint_eq(rig_count(&rig, EV_CRC), 3);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_crc_that_is_wrong_stops_the_channel_until_it_is_cleared)
{
	bool gp = _i;

	work(0, 1);
	control(gp ? 2 : 3, 0xdeadbeef);
	work(0, 2);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 1);
	rig_violated(&rig, gp ? RULE_GP_CRC_MISMATCH : RULE_PB_CRC_MISMATCH,
		     1);
	ck_assert_uint_eq(pbdma_intr(), gp ?
			  REG_FIELD_MASK(NV_PPBDMA_INTR_0_GPCRC) :
			  REG_FIELD_MASK(NV_PPBDMA_INTR_0_PBCRC));
	clear_intr();
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 2);
}
END_TEST

/* The entry behind a segment may come long after it. */
START_TEST(a_pb_crc_that_is_offered_later_is_checked_too)
{
	work(0, 1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	control(3, crc_of(0, rig.machine.memory + RIG_PB(0), 36));
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_count(&rig, EV_CRC), 1);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_malformed_entry_is_discarded_when_its_interrupt_is_cleared)
{
	static const uint64_t bad[] = {
		1ull << 32,				/* ILLEGAL	*/
		0x77ull << 32,				/* unknown	*/
		0xfffffffcull | 0xffull << 32 | 1ull << 42,	/* the end */
		(RIG_VA + 0x10000) | 2 | 1ull << 42,	/* bit 1	*/
	};

	rig_entry(&rig, 0, bad[_i]);
	work(0, 1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 0);
	rig_violated(&rig, RULE_GP_ENTRY_INVALID, 1);
	ck_assert_uint_eq(pbdma_intr(),
			  REG_FIELD_MASK(NV_PPBDMA_INTR_0_GPENTRY));
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PPBDMA_GP_SHADOW_1, 2)),
			  bad[_i] >> 32);
	clear_intr();
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 1);
	rig_violated(&rig, RULE_GP_ENTRY_INVALID, 1);
}
END_TEST

/* Faults, chance, loss -------------------------------------------------- */

START_TEST(a_segment_at_an_unmapped_address_is_a_fault_of_its_channel)
{
	rig_stop(&rig);
	rig_start(&rig, CARD_P40, NULL);
	rig_channels(&rig, 2);
	rig_entry(&rig, 0, 0x70000000 | 4ull << 42);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	ck_assert_uint_ne(rig_rd(&rig, NV_PFIFO_INTR_0) &
			  REG_FIELD_MASK(NV_PFIFO_INTR_0_MMU_FAULT), 0);
	/* PBDMA 2 is MMU engine 8 on the P40. */
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_MMU_FAULT_ID), 1 << 8);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PFIFO_FAULT_VALO, 8)),
			  0x70000000);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PFIFO_FAULT_INST, 8)),
			  RIG_INST >> 12);
	ck_assert_uint_ne(rig_rd(&rig, NV_PCCSR_CHANNEL) &
			  REG_FIELD_MASK(NV_PCCSR_CHANNEL_PBDMA_FAULTED), 0);

	work(1, 5);		/* the other one goes on */
	rig_ring(&rig, 1);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 5);
}
END_TEST

static unsigned int run_seed(uint64_t seed, struct card_event *events)
{
	struct card_config config = { .seed = seed };
	unsigned int i, n;

	rig_start(&rig, CARD_P40, &config);
	rig_channels(&rig, 2);
	for (i = 0; i < 20; i++) {
		work(i & 1, i);
		rig_ring(&rig, i & 1);
		card_advance(rig.card, 300 * i);
	}
	rig_settle(&rig);
	n = rig.events;
	memcpy(events, rig.event, n * sizeof(*events));
	rig_stop(&rig);
	return n;
}

START_TEST(one_seed_is_one_run)
{
	struct card_event *a = calloc(RIG_EVENTS, sizeof(*a));
	struct card_event *b = calloc(RIG_EVENTS, sizeof(*b));
	unsigned int n;

	ck_assert(a && b);
	n = run_seed(7, a);
	ck_assert_uint_eq(run_seed(7, b), n);
	ck_assert_int_eq(memcmp(a, b, n * sizeof(*a)), 0);
	run_seed(8, b);
	ck_assert_int_ne(memcmp(a, b, n * sizeof(*a)), 0);
	free(a);
	free(b);
}
END_TEST

START_TEST(a_frozen_host_moves_when_it_is_let_go)
{
	struct card_channel_state state;

	card_freeze_host(rig.card, true);
	work(0, 1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 0);
	ck_assert(card_channel(rig.card, 0, &state));
	ck_assert_uint_eq(state.gp_get, 0);
	card_freeze_host(rig.card, false);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 1);
	ck_assert(card_channel(rig.card, 0, &state));
	ck_assert_uint_eq(state.gp_get, 1);
	ck_assert(state.idle);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_lost_card_fetches_nothing_more)
{
	work(0, 1);
	rig_ring(&rig, 0);
	card_unplug(rig.card);
	rig_settle(&rig);
	ck_assert_uint_eq(sem(), 0);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_0), ~0u);
}
END_TEST

START_TEST(the_non_stalling_interrupt_reaches_the_cpu_when_it_is_enabled)
{
	static const uint32_t words[] = { IMMD(0, 0, 0x20) };

	rig_wr(&rig, NV_PMC_INTR_EN_SET, 1 << 8);
	rig_segment(&rig, 0, words, 1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_0), 1u << 31);
	ck_assert_uint_eq(rig_rd(&rig, NV_PMC_INTR) >> 8 & 1, 0);

	rig_wr(&rig, NV_PFIFO_INTR_EN_0, ~0u);
	ck_assert_uint_eq(rig_rd(&rig, NV_PMC_INTR) >> 8 & 1, 1);
	rig_wr(&rig, NV_PFIFO_INTR_0, 1u << 31);
	ck_assert_uint_eq(rig_rd(&rig, NV_PMC_INTR) >> 8 & 1, 0);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(an_interrupt_that_was_not_read_is_not_acknowledged)
{
	static const uint32_t words[] = { IMMD(0, 0, 0x20) };

	rig_segment(&rig, 0, words, 1);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	rig_wr(&rig, NV_PFIFO_INTR_0, 1u << 31);
	rig_settle(&rig);
	rig_violated(&rig, RULE_ACK_UNREAD, 1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("host");
	TCase *own = tcase_create("own card"), *t = tcase_create("channel");

	tcase_add_loop_test(own, a_channel_executes_a_segment_on_every_chip,
			    0, CARD_CHIPS);
	tcase_add_test(own, without_additions_there_is_no_doorbell);
	tcase_add_test(own, one_seed_is_one_run);
	suite_add_tcase(s, own);

	tcase_add_checked_fixture(t, start, stop);
	tcase_add_test(t, memory_without_pointers_gives_the_same_result);
	tcase_add_test(t, the_ring_wraps);
	tcase_add_test(t, a_full_ring_is_executed_to_its_end);
	tcase_add_test(t, a_gp_put_that_goes_back_takes_host_round_the_ring);
	tcase_add_test(t,
	    gp_get_moves_at_the_beginning_and_get_while_words_are_read);
	tcase_add_test(t, a_subroutine_does_not_move_top_level_get);
	tcase_add_test(t,
	    gp_put_beyond_the_ring_stops_the_channel_until_it_is_corrected);
	tcase_add_test(t,
	    a_gp_put_that_does_not_come_through_bar1_is_not_noticed);
	tcase_add_test(t, crcs_that_are_right_pass);
	tcase_add_loop_test(t,
	    a_crc_that_is_wrong_stops_the_channel_until_it_is_cleared, 0, 2);
	tcase_add_test(t, a_pb_crc_that_is_offered_later_is_checked_too);
	tcase_add_loop_test(t,
	    a_malformed_entry_is_discarded_when_its_interrupt_is_cleared, 0,
	    4);
	tcase_add_test(t,
	    a_segment_at_an_unmapped_address_is_a_fault_of_its_channel);
	tcase_add_test(t, a_frozen_host_moves_when_it_is_let_go);
	tcase_add_test(t, a_lost_card_fetches_nothing_more);
	tcase_add_test(t,
	    the_non_stalling_interrupt_reaches_the_cpu_when_it_is_enabled);
	tcase_add_test(t, an_interrupt_that_was_not_read_is_not_acknowledged);
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
