/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the manual states of interrupts and faults, §3.3, §5.2 and §7.4, tried:
 * what a handler may count on.
 */
#include <stdlib.h>

#include "vm/model/model.h"
#include "vm/model/test_manual.h"
#include "vm/model/test_rig.h"

#define NON_STALL	IMMD(0, 0, 0x020)
#define PFIFO		(1u << 8)
#define UNMAPPED	0x70000000u
#define SEM		(RIG_VA + RIG_SEM)

static struct rig rig;

static void start(unsigned int chip, unsigned int channels)
{
	rig_start(&rig, (enum card_chip)chip, NULL);
	rig_channels(&rig, channels);
}

static void run(unsigned int channel, const uint32_t *words, unsigned int n)
{
	rig_segment(&rig, channel, words, n);
	rig_ring(&rig, channel);
	rig_settle(&rig);
}

static void one(uint32_t word)
{
	run(0, &word, 1);
}

static uint32_t intr_0(void)
{
	return rig_rd(&rig, 0x002100);
}

static uint32_t pmc(unsigned int tree)
{
	return rig_rd(&rig, 0x000100 + 4 * tree);
}

static uint32_t copy_class(void)
{
	static const uint32_t class[] = {
		[CARD_P100] = 0xc0b5, [CARD_P40] = 0xc1b5, [CARD_M40] = 0xb0b5,
	};

	return class[rig.chip];
}

/* Channel 1, say, copies a page to where nothing is. */
static void fault(unsigned int channel, uint32_t at)
{
	run(channel, (uint32_t[]){ INC(1, 4, 0x000), copy_class(),
	    INC(8, 4, 0x400), 0, RIG_VA + RIG_DATA, 0, at, 4096, 4096, 4096,
	    1, INC(1, 4, 0x300), 0x186 }, 13);
}

static unsigned int fault_engine(void)
{
	return __builtin_ctz(rig_rd(&rig, 0x00259c));
}

/* §3.3, §5.2 -------------------------------------------------------------- */

static void pmc_enable(unsigned int tree, bool on)
{
	if (rig.chip != CARD_M40) {
		rig_wr(&rig, (on ? 0x000160 : 0x000180) + 4 * tree, PFIFO);
		return;
	}
	rig_wr(&rig, 0x000640 + 4 * tree, PFIFO);
	rig_wr(&rig, 0x000140 + 4 * tree, on);
}

static void rearm(void)
{
	if (rig.chip != CARD_M40)
		rig_wr(&rig, 0x88704, 0);
	else
		card_write(rig.card, CARD_BAR0, 0x88068, 1, 0xff);
}

static void interrupts_on(void)
{
	card_write(rig.card, CARD_CONFIG, 0x6a, 2, 1);
	rig_wr(&rig, 0x002140, ~0u);
	pmc_enable(0, true);
}

START_TEST(the_re_arm_may_stand_anywhere_before_the_unmasking)
{
	states("§3.3", "while PMC is masked nothing leaves, so any place "
	       "before the unmasking will do");
	states("§3.3", "If something is still pending when MSI is re-armed and "
	       "unmasked, the next message follows at once");
	start(_i, 1);
	interrupts_on();
	one(NON_STALL);
	ck_assert_uint_eq(rig.machine.interrupts, 1);
	/* As nouveau does: mask, re-arm, then serve. */
	pmc_enable(0, false);
	rearm();
	one(NON_STALL);
	ck_assert_uint_eq(rig.machine.interrupts, 1);
	rig_wr(&rig, 0x002100, intr_0());
	intr_0();
	pmc_enable(0, true);
	rig_settle(&rig);
	ck_assert_uint_eq(rig.machine.interrupts, 1);
	one(NON_STALL);
	ck_assert_uint_eq(rig.machine.interrupts, 2);
	/* Not served: the next message comes with the unmasking. */
	pmc_enable(0, false);
	rearm();
	rig_settle(&rig);
	ck_assert_uint_eq(rig.machine.interrupts, 2);
	pmc_enable(0, true);
	rig_settle(&rig);
	ck_assert_uint_eq(rig.machine.interrupts, 3);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(the_tree_is_the_drivers_choice)
{
	states("§5.2", "`NV_PFIFO_INTR_EN_0` bit 31 for tree 0, "
	       "`NV_PFIFO_INTR_EN_1` for tree 1.");
	start(_i, 1);
	one(NON_STALL);			/* EN_0 is 0x7fffffff */
	ck_assert_uint_eq(intr_0(), 1u << 31);
	ck_assert_uint_eq((pmc(0) | pmc(1)) & PFIFO, 0);
	rig_wr(&rig, 0x002528, 1u << 31);
	ck_assert_uint_eq(pmc(0) & PFIFO, 0);
	ck_assert_uint_eq(pmc(1) & PFIFO, PFIFO);
	rig_wr(&rig, 0x002528, 0);
	rig_wr(&rig, 0x002140, ~0u);
	ck_assert_uint_eq(pmc(0) & PFIFO, PFIFO);
	ck_assert_uint_eq(pmc(1) & PFIFO, 0);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_bit_is_cleared_in_its_unit)
{
	states("§5.2", "A bit is set while its unit has something pending; it "
	       "is cleared *in the unit*, never here.");
	states("§5.2", "| GM200 | `NV_PMC_INTR_EN(i)` = 1 on, 0 off; "
	       "`NV_PMC_INTR_MSK(i)` a bit per unit |");
	start(_i, 1);
	interrupts_on();
	one(NON_STALL);
	rig_wr(&rig, 0x000100, PFIFO);
	ck_assert_uint_eq(pmc(0) & PFIFO, PFIFO);
	rig_violated(&rig, RULE_READ_ONLY, 1);
	rig_wr(&rig, 0x002100, intr_0());
	ck_assert_uint_eq(pmc(0) & PFIFO, 0);
}
END_TEST

START_TEST(a_source_is_a_bit_and_no_counter)
{
	states("§5.2", "A source is a bit, not a counter: raised again while "
	       "it is pending, it stays one.");
	start(_i, 1);
	one(NON_STALL);
	one(NON_STALL);
	ck_assert_uint_eq(intr_0(), 1u << 31);
	rig_wr(&rig, 0x002100, 1u << 31);
	ck_assert_uint_eq(intr_0(), 0);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(an_acknowledgement_takes_along_what_comes_meanwhile)
{
	struct card_config config = { .chip = CARD_P100 };

	states("§5.2", "an event that is raised while it is on its way is "
	       "acknowledged with the one before. When the read returns the "
	       "write has arrived, and what comes from then on is a new "
	       "interrupt.");
	card_costs_default(&config.costs);
	config.costs.write_arrive = 100000;
	config.costs.write_jitter = 0;
	rig_start(&rig, CARD_P100, &config);
	rig_channels(&rig, 1);
	one(NON_STALL);
	ck_assert_uint_eq(intr_0(), 1u << 31);
	/* The second is under way; its bit will be set before the write. */
	rig_segment(&rig, 0, (uint32_t[]){ NON_STALL }, 1);
	rig_ring(&rig, 0);
	card_advance(rig.card, 50000);
	rig_wr(&rig, 0x002100, 1u << 31);
	ck_assert_uint_eq(rig_count(&rig, EV_METHOD), 1);
	card_advance(rig.card, 90000);
	ck_assert_uint_eq(rig_count(&rig, EV_METHOD), 2);
	ck_assert_uint_eq(intr_0(), 0);		/* both are gone */
	one(NON_STALL);
	ck_assert_uint_eq(intr_0(), 1u << 31);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(what_was_not_read_is_not_acknowledged)
{
	states("§5.2", "a write of all ones to a status that was not read "
	       "throws away an interrupt that came in between, and breaks "
	       "`RULE_ACK_UNREAD`");
	start(_i, 1);
	one(NON_STALL);
	rig_wr(&rig, 0x002100, ~0u);
	rig_settle(&rig);
	rig_violated(&rig, RULE_ACK_UNREAD, 1);
}
END_TEST

/* §7.3, §7.4 -------------------------------------------------------------- */

START_TEST(some_bits_clear_at_their_source)
{
	unsigned int engine;

	states("§7.4", "| 28 | MMU_FAULT | `NV_PFIFO_INTR_MMU_FAULT_ID`, then "
	       "the fault registers of that engine | W1C in MMU_FAULT_ID |");
	states("§7.4", "| 30 | RUNLIST_EVENT | `NV_PFIFO_INTR_RUNLIST` | W1C "
	       "there |");
	states("§7.4", "| 31 | CHANNEL_INTR | the channels' semaphores | W1C "
	       "here |");
	start(_i, 2);
	one(NON_STALL);
	fault(1, UNMAPPED);
	rig_wr(&rig, 0x002274, 2 << 20);	/* runlist 2, empty */
	rig_settle(&rig);
	ck_assert_uint_eq(intr_0(), 0xd0000000);
	rig_wr(&rig, 0x002100, 0xd0000000);
	ck_assert_uint_eq(intr_0(), 0x50000000);
	engine = fault_engine();
	rig_wr(&rig, 0x00259c, 1u << engine);
	ck_assert_uint_eq(intr_0(), 0x40000000);
	rig_wr(&rig, 0x002a00, rig_rd(&rig, 0x002a00));
	ck_assert_uint_eq(intr_0(), 0);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
}
END_TEST

/* NV_PFIFO_ENGINE_STATUS of the engine behind the channels' runlist. */
static uint32_t engine_status(void)
{
	const struct chip *chip = rig.card->chip;
	uint32_t status = 0;

	for (unsigned int i = 0; i < chip->engines; i++) {
		if (chip->engine[i].runlist == rig.runlist)
			status |= rig_rd(&rig, REG_AT(NV_PFIFO_ENGINE_STATUS,
						      chip->engine[i].engine));
	}
	return status;
}

START_TEST(an_error_has_a_channel)
{
	unsigned int p;

	start(_i, 3);
	states("§10.2", "A launch error holds the engine until it is cleared. "
	       "Whose it is says the engine's `NV_PFIFO_ENGINE_STATUS`: ID, of "
	       "a channel, or of a TSG if ID_TYPE is 1.");
	/* A transfer of type 3. */
	run(1, (uint32_t[]){ INC(1, 4, 0), copy_class(), INC(1, 4, 0x300),
			     0x183 }, 4);
	rig_violated(&rig, RULE_COPY_ARGUMENT, 1);
	ck_assert_uint_eq(REG_GET(NV_PFIFO_ENGINE_STATUS_ID, engine_status()),
			  1);
	/* The rig's TSGs, where there are some, have their channel's id. */
	ck_assert_uint_eq(REG_GET(NV_PFIFO_ENGINE_STATUS_ID_TYPE,
				  engine_status()), _i != CARD_M40);

	states("§7.4", "`NV_PPBDMA_INTR_0(p)` and `_1`; whose it is: "
	       "`NV_PPBDMA_CHANNEL(p)`, if VALID |");
	run(2, (uint32_t[]){ IMMD(7, 0, 0x004) }, 1);
	ck_assert_uint_eq(rig.machine.rules[RULE_METHOD_HOST], 1);
	p = __builtin_ctz(rig_rd(&rig, NV_PFIFO_INTR_PBDMA_ID));
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PPBDMA_CHANNEL, p)),
			  REG_VAL(NV_PPBDMA_CHANNEL_VALID, 1) | 2);
}
END_TEST

START_TEST(a_faults_word_has_the_chips_layout)
{
	uint32_t word, client;

	states("§7.4", "on Maxwell type 3:0, hub 6, write 7, client 13:8; on "
	       "Pascal type 4:0, client 14:8, access 18:16 (0 read, 1 write), "
	       "hub 20");
	start(_i, 2);
	fault(1, UNMAPPED);
	word = rig_rd(&rig, 0x00280c + 16 * fault_engine());
	client = _i == CARD_M40 ? word >> 8 & 0x3f : word >> 8 & 0x7f;
	ck_assert(client == 1 || client == 2 || client == 0x18);
	ck_assert_uint_eq(word & ~(0x7fu << 8), _i == CARD_M40 ?
			  1 << 7 | 1 << 6 : 1 << 20 | 1 << 16);
}
END_TEST

START_TEST(a_second_fault_leaves_a_mark)
{
	unsigned int engine;

	states("§7.4", "A second fault of the same engine before the first is "
	       "acknowledged raises DROPPED_MMU_FAULT: its registers keep the "
	       "first, its channel is stopped all the same.");
	states("§7.4", "until it is unbound, or 1 is written there");
	start(_i, 3);
	fault(1, UNMAPPED);
	fault(2, UNMAPPED + 0x1000);
	ck_assert_uint_eq(intr_0() >> 27 & 1, 1);
	engine = fault_engine();
	ck_assert_uint_eq(rig_rd(&rig, 0x002804 + 16 * engine), UNMAPPED);
	for (unsigned int c = 1; c < 3; c++) {
		uint32_t at = 0x800004 + 8 * c;

		ck_assert_uint_eq(rig_rd(&rig, at) >> 23 & 1, 1);
		states("§7.3", "Never write back what was read from "
		       "`NV_PCCSR_CHANNEL`: a 1 in a FAULTED bit clears it.");
		rig_wr(&rig, at, rig_rd(&rig, at) & 1u << 23);
		ck_assert_uint_eq(rig_rd(&rig, at) >> 23 & 1, 0);
	}
}
END_TEST

START_TEST(the_fault_buffer_fills_and_overflows)
{
	states("§7.4", "| `…_SIZE` | its entries, 64 |");
	states("§7.4", "While GET is not PUT, `NV_PMC_INTR` bit 9 is set");
	states("§7.4", "When PUT + 1 is GET, or the page tables of BAR2 lead "
	       "nowhere, the entry is lost: OVERFLOW, and INTR_0 bit 25, "
	       "REPLAYABLE_FAULT_ERROR.");
	start(_i, 1);
	rig_wr(&rig, 0x002a74, 0);
	rig_wr(&rig, 0x002a70, 0x03000001);
	ck_assert_uint_eq(rig_rd(&rig, 0x002a78), 64);
	rig_wr(&rig, 0x001704, RIG_INST >> 12 | 1u << 31);
	for (unsigned int i = 0; i < 63; i++) {
		ck_assert_uint_eq(rig_rd(&rig, 0x002a80), i);
		ck_assert_uint_eq(pmc(0) >> 9 & 1, i != 0);
		card_read(rig.card, CARD_BAR1, 0x1000 * i, 4);
	}
	ck_assert_uint_eq(rig_rd(&rig, 0x002a84) & 1, 0);
	card_read(rig.card, CARD_BAR1, 0, 4);
	ck_assert_uint_eq(rig_rd(&rig, 0x002a80), 63);
	ck_assert_uint_eq(rig_rd(&rig, 0x002a84) & 1, 1);
	ck_assert_uint_eq(intr_0() >> 25 & 1, 1);
	rig_wr(&rig, 0x002a7c, 63);
	ck_assert_uint_eq(pmc(0) >> 9 & 1, 0);
	/* Off and on: empty. */
	rig_wr(&rig, 0x002a70, 0);
	rig_wr(&rig, 0x002a70, 0x03000001);
	ck_assert_uint_eq(rig_rd(&rig, 0x002a80), 0);
}
END_TEST

START_TEST(a_lost_card_sends_nothing)
{
	states("§2.5", "the card neither reads nor writes system memory, and "
	       "sends no interrupt");
	start(_i, 1);
	interrupts_on();
	rig_segment(&rig, 0, (uint32_t[]){ INC(4, 0, 0x10), 0, SEM, 7, 2,
					   NON_STALL }, 6);
	rig_ring(&rig, 0);
	card_unplug(rig.card);
	card_advance(rig.card, 1000000);
	ck_assert_uint_eq(rig.machine.interrupts, 0);
	ck_assert_uint_eq(*rig_word(&rig, RIG_SEM), 0);
}
END_TEST

static void stop(void)
{
	rig_stop(&rig);
}

int main(void)
{
	Suite *suite = suite_create("manual: interrupts");
	TCase *t = tcase_create("interrupts, faults");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, NULL, stop);
#define EACH_CHIP(name)	tcase_add_loop_test(t, name, 0, CARD_CHIPS)
	EACH_CHIP(the_re_arm_may_stand_anywhere_before_the_unmasking);
	EACH_CHIP(the_tree_is_the_drivers_choice);
	EACH_CHIP(a_bit_is_cleared_in_its_unit);
	EACH_CHIP(a_source_is_a_bit_and_no_counter);
	tcase_add_test(t, an_acknowledgement_takes_along_what_comes_meanwhile);
	EACH_CHIP(what_was_not_read_is_not_acknowledged);
	EACH_CHIP(some_bits_clear_at_their_source);
	EACH_CHIP(an_error_has_a_channel);
	EACH_CHIP(a_faults_word_has_the_chips_layout);
	EACH_CHIP(a_second_fault_leaves_a_mark);
	tcase_add_loop_test(t, the_fault_buffer_fills_and_overflows, 0, 2);
	EACH_CHIP(a_lost_card_sends_nothing);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
