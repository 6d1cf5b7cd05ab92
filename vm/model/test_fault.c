/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a fault leaves behind, whom it stops, and how a driver gets over it
 * [§7.4]; on all three chips.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "vm/model/test_rig.h"

#define SUBCH		4
#define UNMAPPED	0x70000000u
#define BUFFER		0x03000000ull	/* in video memory */
#define BUFFER_ENTRIES	64u

static struct rig rig;

static void start(unsigned int chip, unsigned int channels)
{
	rig_start(&rig, (enum card_chip)chip, NULL);
	rig_channels(&rig, channels);
	rig_no_violation(&rig);
}

static uint32_t copy_class(void)
{
	static const uint32_t class[] = { 0xc0b5, 0xc1b5, 0xb0b5 };

	return class[rig.chip];
}

/* 256 bytes from src to dst, then a semaphore word. */
static void copy(unsigned int channel, uint32_t src, uint32_t dst)
{
	const uint32_t words[] = {
		INC(1, SUBCH, NVC06F_SET_OBJECT), copy_class(),
		INC(8, SUBCH, NVC0B5_OFFSET_IN_UPPER), 0, src, 0, dst,
		256, 256, 256, 1,
		INC(3, SUBCH, NVC0B5_SET_SEMAPHORE_A), 0,
		RIG_VA + RIG_SEM + 16 * channel, 1,
		INC(1, SUBCH, NVC0B5_LAUNCH_DMA), 0x18e,
	};

	rig_segment(&rig, channel, words, sizeof(words) / 4);
	rig_ring(&rig, channel);
}

static uint32_t done(unsigned int channel)
{
	return *rig_word(&rig, RIG_SEM + 16 * channel);
}

static unsigned int faulted_engine(void)
{
	uint32_t id = rig_rd(&rig, NV_PFIFO_INTR_MMU_FAULT_ID);

	ck_assert_uint_ne(id, 0);
	ck_assert_uint_eq(id & (id - 1), 0);
	return __builtin_ctz(id);
}

static uint32_t info(unsigned int engine)
{
	return rig_rd(&rig, REG_AT(NV_PFIFO_FAULT_INFO, engine));
}

static unsigned int fault_type(unsigned int engine)
{
	return rig.chip == CARD_M40 ?
		REG_GET(NV_PFIFO_FAULT_INFO_GM200_TYPE, info(engine)) :
		REG_GET(NV_PFIFO_FAULT_INFO_GP100_TYPE, info(engine));
}

static unsigned int fault_write(unsigned int engine)
{
	return rig.chip == CARD_M40 ?
		REG_GET(NV_PFIFO_FAULT_INFO_GM200_WRITE, info(engine)) :
		REG_GET(NV_PFIFO_FAULT_INFO_GP100_ACCESS, info(engine));
}

START_TEST(a_fault_says_where_who_and_why)
{
	unsigned int engine, client;

	start(_i / 2, 2);
	if (_i % 2)
		copy(1, RIG_VA + RIG_DATA, UNMAPPED);
	else
		copy(1, UNMAPPED, RIG_VA + RIG_DATA);
	rig_settle(&rig);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	ck_assert_uint_eq(REG_GET(NV_PFIFO_INTR_0_MMU_FAULT,
				  rig_rd(&rig, NV_PFIFO_INTR_0)), 1);
	engine = faulted_engine();
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PFIFO_FAULT_INST, engine)),
			  (RIG_INST + 0x1000) >> 12);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PFIFO_FAULT_VALO, engine)),
			  UNMAPPED);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PFIFO_FAULT_VAHI, engine)),
			  0);
	ck_assert_uint_eq(fault_type(engine), NV_PFAULT_FAULT_TYPE_PDE);
	ck_assert_uint_eq(fault_write(engine), _i % 2);
	client = rig.chip == CARD_M40 ?
		REG_GET(NV_PFIFO_FAULT_INFO_GM200_CLIENT, info(engine)) :
		REG_GET(NV_PFIFO_FAULT_INFO_GP100_CLIENT, info(engine));
	ck_assert(client == NV_PFAULT_CLIENT_HUB_CE0 ||
		  client == NV_PFAULT_CLIENT_HUB_CE2);
	rig_stop(&rig);
}
END_TEST

/* Beside it, behind it on the same engine, and after it. */
START_TEST(the_others_go_on)
{
	start(_i, 3);
	copy(0, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	copy(1, RIG_VA + RIG_DATA, UNMAPPED);
	copy(2, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	rig_settle(&rig);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	ck_assert_uint_eq(done(0), 1);
	ck_assert_uint_eq(done(1), 0);
	ck_assert_uint_eq(done(2), 1);
	*rig_word(&rig, RIG_SEM) = 0;
	copy(0, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	rig_settle(&rig);
	ck_assert_uint_eq(done(0), 1);
	/* The one that faulted does not run again by itself. */
	copy(1, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	rig_settle(&rig);
	ck_assert_uint_eq(done(1), 0);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	rig_stop(&rig);
}
END_TEST

START_TEST(a_faulted_channel_is_torn_down_and_may_come_back)
{
	uint32_t state;
	unsigned int engine;

	start(_i, 2);
	copy(1, RIG_VA + RIG_DATA, UNMAPPED);
	rig_settle(&rig);
	rig_rd(&rig, NV_PFIFO_INTR_0);
	engine = faulted_engine();
	/* Read, then acknowledge [§5.2]. */
	rig_wr(&rig, NV_PFIFO_INTR_MMU_FAULT_ID, 1u << engine);
	ck_assert_uint_eq(REG_GET(NV_PFIFO_INTR_0_MMU_FAULT,
				  rig_rd(&rig, NV_PFIFO_INTR_0)), 0);
	state = rig_rd(&rig, REG_AT(NV_PCCSR_CHANNEL, 1));
	ck_assert_uint_eq(REG_GET(NV_PCCSR_CHANNEL_ENG_FAULTED, state), 1);
	/* Off: disable, preempt, list, unbind. */
	rig_enable(&rig, 1, false);
	rig_preempt(&rig, 1);
	rig_submit_runlist(&rig, 1, rig.chip != CARD_M40);
	rig_wr(&rig, REG_AT(NV_PCCSR_CHANNEL_INST, 1), 0);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	/* The same id anew. */
	rig_instance(&rig, 1);
	rig_bind(&rig, 1);
	rig_enable(&rig, 1, true);
	rig_submit_runlist(&rig, 2, rig.chip != CARD_M40);
	copy(1, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	rig_settle(&rig);
	ck_assert_uint_eq(done(1), 1);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	rig_stop(&rig);
}
END_TEST

START_TEST(a_second_fault_before_the_acknowledge_is_dropped)
{
	unsigned int engine;

	start(_i, 3);
	copy(1, RIG_VA + RIG_DATA, UNMAPPED);
	rig_settle(&rig);
	copy(2, RIG_VA + RIG_DATA, UNMAPPED + 0x1000);
	rig_settle(&rig);
	rig_violated(&rig, RULE_MMU_FAULT, 2);
	ck_assert_uint_eq(REG_GET(NV_PFIFO_INTR_0_DROPPED_MMU_FAULT,
				  rig_rd(&rig, NV_PFIFO_INTR_0)), 1);
	engine = faulted_engine();
	/* The registers hold the first; both channels are off. */
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PFIFO_FAULT_VALO, engine)),
			  UNMAPPED);
	for (unsigned int i = 1; i < 3; i++)
		ck_assert_uint_eq(REG_GET(NV_PCCSR_CHANNEL_ENG_FAULTED,
			rig_rd(&rig, REG_AT(NV_PCCSR_CHANNEL, i))), 1);
	rig_stop(&rig);
}
END_TEST

/* Channels 0 and 1 in one TSG, 2 in another. */
START_TEST(a_tsg_falls_as_one)
{
	static const uint32_t list[] = {
		2u << 26 | 128u << 18 | 3u << 14 | 1u << 13, 0,
		0, RIG_INST >> 12, 1, (RIG_INST + 0x1000) >> 12,
		1u << 26 | 128u << 18 | 3u << 14 | 1u << 13 | 2, 0,
		2, (RIG_INST + 0x2000) >> 12,
	};

	rig_start(&rig, (enum card_chip)_i, NULL);
	for (unsigned int i = 0; i < 3; i++) {
		rig_instance(&rig, i);
		rig_bind(&rig, i);
		rig_enable(&rig, i, true);
	}
	for (unsigned int i = 0; i < sizeof(list) / 4; i++)
		rig_vram_wr(&rig, RIG_RUNLIST + 4 * i, list[i]);
	rig_wr(&rig, NV_PFIFO_RUNLIST_BASE, RIG_RUNLIST >> 12);
	rig_wr(&rig, NV_PFIFO_RUNLIST,
	       REG_SET(NV_PFIFO_RUNLIST_ID, rig.runlist) |
	       sizeof(list) / 8);
	rig_settle(&rig);
	copy(0, RIG_VA + RIG_DATA, UNMAPPED);
	rig_settle(&rig);
	copy(1, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	copy(2, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	rig_settle(&rig);
	ck_assert_uint_eq(done(1), 0);
	ck_assert_uint_eq(done(2), 1);
	ck_assert_uint_eq(REG_GET(NV_PCCSR_CHANNEL_ENG_FAULTED,
		rig_rd(&rig, REG_AT(NV_PCCSR_CHANNEL, 1))), 1);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	rig_stop(&rig);
}
END_TEST

START_TEST(a_hung_engine_is_kicked_off)
{
	unsigned int engine, i;

	start(_i, 2);
	copy(1, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	for (i = 0; !rig_count(&rig, EV_COPY_BEGIN) && i < 10000; i++)
		card_advance(rig.card, 100);
	engine = rig.chip == CARD_M40 ? 21 : 27;
	rig_wr(&rig, NV_PFIFO_TRIGGER_MMU_FAULT,
	       REG_VAL(NV_PFIFO_TRIGGER_MMU_FAULT_ENABLE, 1) | engine);
	rig_settle(&rig);
	ck_assert_uint_eq(done(1), 0);
	ck_assert_uint_eq(faulted_engine(), engine);
	copy(0, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	rig_settle(&rig);
	ck_assert_uint_eq(done(0), 1);
	rig_stop(&rig);
}
END_TEST

/* Rights and bases --------------------------------------------------------- */

/* The page of RIG_DATA for privileged channels only. */
static void make_privileged(void)
{
	uint64_t to = (RIG_DMA + RIG_DATA) >> 12;
	uint64_t at = RIG_TABLES + RIG_DATA / 4096 * 8;

	if (rig.chip == CARD_M40)
		rig_vram_wr(&rig, at + 0x20000, to << 4 | 1 << 1 | 1);
	else
		rig_vram_wr(&rig, at + 0x4000,
			    to << 8 | 1 << 5 | 2 << 1 | 1);
}

START_TEST(a_privileged_page_is_for_privileged_channels)
{
	bool privileged = _i % 2;

	rig_start(&rig, (enum card_chip)(_i / 2), NULL);
	rig.privileged = privileged;
	make_privileged();
	rig_channels(&rig, 2);
	copy(1, RIG_VA + RIG_DATA, RIG_VRAM_VA);
	rig_settle(&rig);
	ck_assert_uint_eq(done(1), privileged);
	if (privileged) {
		rig_no_violation(&rig);
	} else {
		rig_violated(&rig, RULE_MMU_FAULT, 1);
		ck_assert_uint_eq(fault_type(faulted_engine()),
				  NV_PFAULT_FAULT_TYPE_PRIV_VIOLATION);
	}
	rig_stop(&rig);
}
END_TEST

START_TEST(a_base_is_changed_while_host_has_let_go)
{
	const uint64_t base = RIG_INST + 0x1000 + NV_RAMIN_PAGE_DIR_BASE_LO;
	uint32_t old;

	start(_i, 2);
	old = rig_vram_rd(&rig, base);
	rig_vram_wr(&rig, base - 0x200, 0);	/* another word: harmless */
	rig_no_violation(&rig);
	rig_vram_wr(&rig, base, old);
	rig_settle(&rig);
	rig_violated(&rig, RULE_PDB_BUSY, 1);
	rig_enable(&rig, 1, false);
	rig_preempt(&rig, 1);
	rig_vram_wr(&rig, base, old);
	rig_settle(&rig);
	rig_violated(&rig, RULE_PDB_BUSY, 1);
	rig_stop(&rig);
}
END_TEST

/* The buffer ------------------------------------------------------------- */

static void buffer_on(void)
{
	rig_wr(&rig, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_HI, 0);
	rig_wr(&rig, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_LO, (uint32_t)BUFFER |
	       REG_VAL(NV_PFIFO_REPLAYABLE_FAULT_BUFFER_LO_EN, 1));
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_SIZE),
			  BUFFER_ENTRIES);
}

static uint32_t entry_word(unsigned int entry, unsigned int word)
{
	return rig_vram_rd(&rig, BUFFER + 32 * entry + 4 * word);
}

static uint32_t put(void)
{
	return rig_rd(&rig, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_PUT);
}

static bool pending(void)
{
	return REG_GET(NV_PMC_INTR_REPLAYABLE_FAULT,
		       rig_rd(&rig, NV_PMC_INTR));
}

START_TEST(pascals_buffer_tells_the_same_and_when)
{
	unsigned int engine;

	start(_i, 2);
	buffer_on();
	ck_assert(!pending());
	copy(1, RIG_VA + RIG_DATA, UNMAPPED);
	rig_settle(&rig);
	ck_assert_uint_eq(put(), 1);
	ck_assert(pending());
	engine = faulted_engine();
	ck_assert_uint_eq(entry_word(0, 0), RIG_INST + 0x1000);
	ck_assert_uint_eq(entry_word(0, 1), 0);
	ck_assert_uint_eq(entry_word(0, 2), UNMAPPED);
	ck_assert_uint_eq(entry_word(0, 3), 0);
	ck_assert_uint_eq(entry_word(0, 6), engine);
	ck_assert_uint_eq(entry_word(0, 7), 1u << 31 | info(engine));
	ck_assert_uint_eq(entry_word(0, 4) & ~31u,
			  rig_event(&rig, EV_FAULT, 0)->time & ~31u);
	/* Taken. */
	rig_wr(&rig, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_GET, 1);
	ck_assert(!pending());
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	rig_stop(&rig);
}
END_TEST

START_TEST(the_buffer_holds_what_the_registers_drop)
{
	start(_i, 3);
	buffer_on();
	copy(1, RIG_VA + RIG_DATA, UNMAPPED);
	rig_settle(&rig);
	copy(2, RIG_VA + RIG_DATA, UNMAPPED + 0x5000);
	rig_settle(&rig);
	ck_assert_uint_eq(put(), 2);
	ck_assert_uint_eq(entry_word(1, 0), RIG_INST + 0x2000);
	ck_assert_uint_eq(entry_word(1, 2), UNMAPPED + 0x5000);
	rig_stop(&rig);
}
END_TEST

/* A CPU that reads BAR1 where nothing is makes faults without end. */
START_TEST(a_full_buffer_overflows_and_says_so)
{
	unsigned int i;

	start(_i, 1);
	buffer_on();
	rig_wr(&rig, NV_PBUS_BAR1_BLOCK, RIG_INST >> 12 | 1u << 31);
	rig_settle(&rig);
	for (i = 0; i < BUFFER_ENTRIES - 1; i++)
		card_read(rig.card, CARD_BAR1, 0x1000ull * i, 4);
	ck_assert_uint_eq(put(), BUFFER_ENTRIES - 1);
	ck_assert_uint_eq(rig_rd(&rig,
				 NV_PFIFO_REPLAYABLE_FAULT_BUFFER_INFO), 0);
	card_read(rig.card, CARD_BAR1, 0, 4);
	ck_assert_uint_eq(put(), BUFFER_ENTRIES - 1);
	ck_assert_uint_eq(rig_rd(&rig,
				 NV_PFIFO_REPLAYABLE_FAULT_BUFFER_INFO), 1);
	ck_assert_uint_eq(REG_GET(NV_PFIFO_INTR_0_REPLAYABLE_FAULT_ERROR,
				  rig_rd(&rig, NV_PFIFO_INTR_0)), 1);
	/* Cleared; room again, and around the end. */
	rig_wr(&rig, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_INFO, 1);
	ck_assert_uint_eq(rig_rd(&rig,
				 NV_PFIFO_REPLAYABLE_FAULT_BUFFER_INFO), 0);
	rig_wr(&rig, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_GET, 5);
	card_read(rig.card, CARD_BAR1, 0, 4);
	ck_assert_uint_eq(put(), 0);
	rig_stop(&rig);
}
END_TEST

START_TEST(maxwell_has_no_buffer)
{
	start(CARD_M40, 1);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_PUT),
			  0xbadf1100);
	rig_violated(&rig, RULE_UNMODELLED, 1);
	rig_stop(&rig);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fault");
	TCase *t = tcase_create("fault");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, a_fault_says_where_who_and_why, 0, 6);
	tcase_add_loop_test(t, the_others_go_on, 0, CARD_CHIPS);
	tcase_add_loop_test(t, a_faulted_channel_is_torn_down_and_may_come_back,
			    0, CARD_CHIPS);
	tcase_add_loop_test(t, a_second_fault_before_the_acknowledge_is_dropped,
			    0, CARD_CHIPS);
	tcase_add_loop_test(t, a_tsg_falls_as_one, 0, CARD_CHIPS);
	tcase_add_loop_test(t, a_hung_engine_is_kicked_off, 0, CARD_CHIPS);
	tcase_add_loop_test(t, a_privileged_page_is_for_privileged_channels,
			    0, 2 * CARD_CHIPS);
	tcase_add_loop_test(t, a_base_is_changed_while_host_has_let_go, 0,
			    CARD_CHIPS);
	tcase_add_loop_test(t, pascals_buffer_tells_the_same_and_when, 0, 2);
	tcase_add_loop_test(t, the_buffer_holds_what_the_registers_drop, 0, 2);
	tcase_add_loop_test(t, a_full_buffer_overflows_and_says_so, 0, 2);
	tcase_add_test(t, maxwell_has_no_buffer);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
