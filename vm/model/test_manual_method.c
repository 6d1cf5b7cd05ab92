/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the manual states of Host's methods, MEM_OP, semaphores and fences,
 * §9.4 and §9.5, tried.
 */
#include <stdlib.h>

#include "vm/model/test_manual.h"
#include "vm/model/test_rig.h"

#define NON_STALL	IMMD(0, 0, 0x020)
#define SEM		(RIG_VA + RIG_SEM)

static struct rig rig;

static void start(unsigned int chip, unsigned int channels)
{
	rig_start(&rig, (enum card_chip)chip, NULL);
	rig_channels(&rig, channels);
}

static void run(const uint32_t *words, unsigned int n)
{
	rig_segment(&rig, 0, words, n);
	rig_ring(&rig, 0);
	rig_settle(&rig);
}

static void semaphore(uint32_t offset, uint32_t payload, uint32_t operation)
{
	run((uint32_t[]){ INC(4, 0, 0x10), 0, SEM + offset, payload,
			     operation }, 5);
}

/* The error bits of the PBDMA that has any, and which it is. */
static uint32_t pbdma_error(unsigned int *which)
{
	uint32_t id = rig_rd(&rig, 0x0025a0);

	ck_assert_uint_ne(id, 0);
	*which = __builtin_ctz(id);
	return rig_rd(&rig, REG_AT(NV_PPBDMA_INTR_0, *which));
}

/* §9.4 -------------------------------------------------------------------- */

START_TEST(a_method_that_host_does_not_do_stalls_the_pbdma)
{
	static const struct {
		const char *row;
		uint32_t method;
	} bad[] = {
		{ "| 0x004 | ILLEGAL | raises METHOD |", 0x004 },
		{ "| 0x070, 0x074 | SYNCPOINTA, B | raise METHOD here: for "
		  "Tegra only |", 0x074 },
		{ "an unknown operation raises METHOD |", 0x080 },
	};
	unsigned int p;

	states("§9.4", bad[_i].row);
	states("§7.4", "a method in METHOD0 is executed again, so replace it "
	       "by a NOP first");
	start(CARD_P100, 1);
	run((uint32_t[]){ IMMD(7, 0, bad[_i].method), INC(1, 0, 0x050), 9 },
	    3);
	ck_assert_uint_eq(pbdma_error(&p), 1 << 21);
	ck_assert_uint_eq(rig_count(&rig, EV_METHOD), 1);
	/* The NOP that nouveau writes. */
	rig_wr(&rig, REG_AT(NV_PPBDMA_METHOD0, p), 0x80600008);
	rig_wr(&rig, REG_AT(NV_PPBDMA_INTR_0, p), 1 << 21);
	rig_settle(&rig);
	states("§9.4", "| 0x050 | SET_REFERENCE | wait until the engine is "
	       "idle, flush, then REF in USERD |");
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_REF), 9);
	rig_violated(&rig, RULE_METHOD_HOST, 1);
}
END_TEST

/* Where the page of the semaphores is from now on. */
static void move_semaphores(uint32_t to)
{
	uint64_t page = (RIG_DMA + to) >> 12, entry = page << 8 | 2 << 1 | 1;
	uint64_t at = RIG_TABLES + 0x4000 + RIG_SEM / 4096 * 8;

	if (rig.chip == CARD_M40) {
		at = RIG_TABLES + 0x20000 + RIG_SEM / 4096 * 8;
		entry = page << 4 | 2ull << 33 | 1;
	}
	rig_vram_wr(&rig, at, entry);
	rig_vram_wr(&rig, at + 4, entry >> 32);
}

/* A forgetting of everything, or of one address, by methods. */
static void forget(bool one_address)
{
	if (rig.chip != CARD_M40)
		run((uint32_t[]){ INC(4, 0, 0x028), SEM, 0, RIG_TABLES,
				     (one_address ? 10u : 9u) << 27 }, 5);
	else
		run((uint32_t[]){ INC(2, 0, 0x030), RIG_TABLES,
				     9u << 27 }, 3);
}

START_TEST(mem_op_forgets_before_the_next_method)
{
	states("§9.4", "it forgets what the registers of §6.5 forget, when "
	       "Host gets there, and the next method comes after it");
	states("§9.4", "| page directory | C 31:12 and D 26:0, address bits "
	       "31:12 and 58:32 | C 31:12 and D 7:0 |");
	states("§9.4", "| one address | operation 0xa,");
	rig_start(&rig, (enum card_chip)(_i % 3), NULL);
	rig.privileged = true;
	rig_channels(&rig, 1);
	semaphore(0, 1, 1 << 24 | 2);
	move_semaphores(RIG_DATA);
	forget(_i >= 3);
	semaphore(0, 2, 1 << 24 | 2);
	ck_assert_uint_eq(*rig_word(&rig, RIG_SEM), 1);
	ck_assert_uint_eq(*rig_word(&rig, RIG_DATA), 2);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(to_forget_is_a_right_on_pascal)
{
	unsigned int p;

	states("§9.4", "on Pascal TLB invalidation without CONFIG bit 8");
	start(_i, 1);
	forget(false);
	if (_i == CARD_M40) {
		rig_no_violation(&rig);
		return;
	}
	ck_assert_uint_eq(pbdma_error(&p), 1 << 21);
	rig_violated(&rig, RULE_PRIVILEGE, 1);
}
END_TEST

/* §9.5, §10.2 ------------------------------------------------------------- */

START_TEST(a_long_release_is_aligned)
{
	unsigned int p;

	states("§9.5", "the address *must* be 16-byte aligned, or SEMAPHORE is "
	       "raised");
	start(CARD_P40, 1);
	semaphore(8, 1, 1 << 24 | 2);
	ck_assert_uint_eq(rig_word(&rig, RIG_SEM)[2], 1);
	semaphore(8, 2, 2);
	ck_assert_uint_eq(pbdma_error(&p), 1 << 25);
	ck_assert_uint_eq(rig_word(&rig, RIG_SEM)[2], 1);
}
END_TEST

START_TEST(reductions_wrap_as_the_manual_says)
{
	/* Bits 31:27 of D, memory, payload, then. */
	static const uint32_t cases[][4] = {
		{ 22, 4, 5, 5 }, { 22, 5, 5, 0 }, { 22, 9, 5, 0 },
		{ 23, 4, 5, 3 }, { 23, 0, 5, 5 }, { 23, 9, 5, 5 },
		{ 0, ~0u, 5, ~0u }, { 1, ~0u, 5, 5 }, { 5, 4, 5, 9 },
	};

	states("§9.5", "inc: memory becomes 0 if it is ≥ payload, else one "
	       "more; dec: payload if it is 0 or above payload, else one less");
	start(CARD_P40, 1);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*rig_word(&rig, RIG_SEM) = cases[i][1];
		semaphore(0, cases[i][2], 1 << 24 | cases[i][0] << 27 | 16);
		ck_assert_uint_eq(*rig_word(&rig, RIG_SEM), cases[i][3]);
	}
	states("§9.5", "| 31 | FORMAT | 0 signed, 1 unsigned, for min and max "
	       "|");
	*rig_word(&rig, RIG_SEM) = ~0u;
	semaphore(0, 5, 1u << 31 | 1 << 24 | 16);
	ck_assert_uint_eq(*rig_word(&rig, RIG_SEM), 5);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_release_waits_for_the_engine_unless_told_not_to)
{
	const uint32_t release = 1 << 24 | (_i ? 1 << 20 : 0) | 2;
	uint64_t copied, released;

	states("§9.5", "| 20 | RELEASE_WFI | **0: wait** for the engine to be "
	       "idle first; 1: do not |");
	start(CARD_P40, 1);
	rig_segment(&rig, 0, (uint32_t[]){ INC(4, 0, 0x10), 0, SEM, 7,
					   release }, 5);
	rig.put[0] = 0;
	rig_segment(&rig, 0, (uint32_t[]){ INC(1, 4, 0x000), 0xc1b5,
		    INC(8, 4, 0x400), 0, RIG_VA + RIG_DATA, 0, RIG_VRAM_VA,
		    4096, 4096, 4096, 1, INC(1, 4, 0x300), 0x186,
		    INC(4, 0, 0x10), 0, SEM, 7, release }, 18);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	copied = rig_event(&rig, EV_COPY_END, 0)->time;
	released = rig_event(&rig, EV_SEM_RELEASE, 0)->time;
	ck_assert(_i ? released < copied : released >= copied);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(an_acquire_times_out_by_its_word)
{
	unsigned int p;

	states("§9.5", "raises ACQUIRE when the time-out there passes, if "
	       "enabled");
	rig_start(&rig, CARD_P40, NULL);
	rig_instance(&rig, 0);
	/* 1 << 15: 1 × 1024 ns; bit 31: enabled. */
	rig_vram_wr(&rig, RIG_INST + NV_RAMFC_ACQUIRE, 1u << 31 | 1 << 15);
	rig_bind(&rig, 0);
	rig_enable(&rig, 0, true);
	rig_submit_runlist(&rig, 1, true);
	semaphore(0, 0x10, 8);		/* AND: no bit in common */
	ck_assert_uint_eq(pbdma_error(&p), 1 << 26);
	states("§9.5", "8 acquire AND: memory & payload is not 0");
	*rig_word(&rig, RIG_SEM) = 0x30;
	rig_wr(&rig, REG_AT(NV_PPBDMA_INTR_0, p), 1 << 26);
	semaphore(16, 5, 1 << 24 | 2);
	ck_assert_uint_eq(rig_word(&rig, RIG_SEM)[4], 5);
	rig_no_violation(&rig);
}
END_TEST

static void emit(uint32_t number)
{
	run((uint32_t[]){ INC(4, 0, 0x10), 0, SEM, number, 2, NON_STALL },
	    6);
}

START_TEST(a_fences_number_only_grows)
{
	states("§9.5", "From then on its number *must* only grow.");
	states("§9.5", "Semaphores that are no fences may hold anything.");
	start(_i, 1);
	semaphore(16, 5, 2);
	semaphore(16, 4, 2);
	emit(0xffffffff);
	emit(0);		/* that is one more */
	rig_no_violation(&rig);
	emit(0xffffffff);
	rig_violated(&rig, RULE_FENCE_DECREASED, 1);
}
END_TEST

static void stop(void)
{
	rig_stop(&rig);
}

int main(void)
{
	Suite *suite = suite_create("manual: methods");
	TCase *t = tcase_create("methods, semaphores, fences");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, NULL, stop);
#define EACH_CHIP(name)	tcase_add_loop_test(t, name, 0, CARD_CHIPS)
	tcase_add_loop_test(t, a_method_that_host_does_not_do_stalls_the_pbdma,
			    0, 3);
	tcase_add_loop_test(t, mem_op_forgets_before_the_next_method, 0, 5);
	EACH_CHIP(to_forget_is_a_right_on_pascal);
	tcase_add_test(t, a_long_release_is_aligned);
	tcase_add_test(t, reductions_wrap_as_the_manual_says);
	tcase_add_loop_test(t,
		a_release_waits_for_the_engine_unless_told_not_to, 0, 2);
	tcase_add_test(t, an_acquire_times_out_by_its_word);
	EACH_CHIP(a_fences_number_only_grows);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
