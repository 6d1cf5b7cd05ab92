/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Method headers, Host's methods, semaphores [§9.3], [§9.4], [§9.5]. */
#include "vm/model/test_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define PBDMA		2u		/* of runlist 1 on the P40 */
#define WFI_DIS		(1u << 20)
#define ONE_WORD	(1u << 24)
#define SWITCH		(1u << 12)
#define count(a)	(sizeof(a) / sizeof((a)[0]))

static struct rig rig;

static void start(void)
{
	rig_start(&rig, CARD_P40, NULL);
	rig_channels(&rig, 1);
}

static void start_privileged(void)
{
	rig_start(&rig, CARD_P40, NULL);
	rig.privileged = true;
	rig_channels(&rig, 1);
}

static void start_maxwell(void)
{
	rig_start(&rig, CARD_M40, NULL);
	rig_channels(&rig, 1);
}

static void stop(void)
{
	rig_stop(&rig);
}

static void run(const uint32_t *words, unsigned int n)
{
	rig_segment(&rig, 0, words, n);
	rig_ring(&rig, 0);
	rig_settle(&rig);
}

static uint32_t intr_0(void)
{
	return rig_rd(&rig, REG_AT(NV_PPBDMA_INTR_0, PBDMA));
}

static void go_on(void)
{
	rig_wr(&rig, REG_AT(NV_PPBDMA_INTR_0, PBDMA), intr_0());
	rig_settle(&rig);
}

static uint32_t *sem(void)
{
	return rig_word(&rig, RIG_SEM);
}

static void sem_op(uint32_t offset, uint32_t payload, uint32_t operation)
{
	const uint32_t words[] = {
		INC(4, 0, 0x10), 0, RIG_VA + RIG_SEM + offset, payload,
		operation,
	};

	run(words, 5);
}

static void done_marker(uint32_t value)
{
	sem_op(64, value, WFI_DIS | ONE_WORD | 2);
}

/* Headers --------------------------------------------------------------- */

struct method {
	uint32_t subchannel, address, data;
};

static const struct {
	uint32_t words[8];
	unsigned int n;
	struct method made[4];
	unsigned int methods;
} forms[] = {
	{ { INC(3, 2, 0x10), 1, 2, 3 }, 4,
	  { { 2, 0x10, 1 }, { 2, 0x14, 2 }, { 2, 0x18, 3 } }, 3 },
	{ { NON_INC(3, 1, 0x08), 1, 2, 3 }, 4,
	  { { 1, 0x08, 1 }, { 1, 0x08, 2 }, { 1, 0x08, 3 } }, 3 },
	{ { ONE_INC(3, 3, 0x10), 1, 2, 3 }, 4,
	  { { 3, 0x10, 1 }, { 3, 0x14, 2 }, { 3, 0x14, 3 } }, 3 },
	{ { IMMD(0x1fff, 4, 0x18) }, 1, { { 4, 0x18, 0x1fff } }, 1 },
	/* old INC and old NON_INC: count 28:18, address 12:2 */
	{ { 2 << 18 | 1 << 13 | 0x10, 1, 2 }, 3,
	  { { 1, 0x10, 1 }, { 1, 0x14, 2 } }, 2 },
	{ { 2u << 29 | 2 << 18 | 1 << 13 | 0x10, 1, 2 }, 3,
	  { { 1, 0x10, 1 }, { 1, 0x10, 2 } }, 2 },
	/* no data words, no methods */
	{ { INC(0, 5, 0x3000), NON_INC(0, 5, 0x3000), 0 }, 3, { { 0 } }, 0 },
	/* the rest of the segment is skipped */
	{ { IMMD(1, 0, 0x08), 7u << 29, IMMD(2, 0, 0x08) }, 3,
	  { { 0, 0x08, 1 } }, 1 },
	/* sub-device masks: this card is 1 */
	{ { 1 << 16 | 2 << 4, IMMD(1, 0, 0x08), INC(1, 0, 0x10), 9,
	    1 << 16 | 1 << 4, IMMD(2, 0, 0x08) }, 6, { { 0, 0x08, 2 } }, 1 },
	{ { 2 << 16 | 1 << 4, 1 << 16 | 2 << 4, IMMD(1, 0, 0x08), 3 << 16,
	    IMMD(2, 0, 0x08) }, 5, { { 0, 0x08, 2 } }, 1 },
};

START_TEST(a_header_makes_the_methods_of_its_form)
{
	unsigned int i;

	run(forms[_i].words, forms[_i].n);
	ck_assert_uint_eq(rig_count(&rig, EV_METHOD), forms[_i].methods);
	for (i = 0; i < forms[_i].methods; i++) {
		const struct card_event *e = rig_event(&rig, EV_METHOD, i);

		ck_assert_uint_eq(e->arg[0], forms[_i].made[i].subchannel);
		ck_assert_uint_eq(e->arg[1], forms[_i].made[i].address);
		ck_assert_uint_eq(e->arg[2], forms[_i].made[i].data);
	}
	done_marker(1);
	ck_assert_uint_eq(sem()[16], 1);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_sequence_may_go_on_in_the_next_segment)
{
	static const uint32_t first[] = { INC(4, 0, 0x10), 0 };
	const uint32_t second[] = {
		RIG_VA + RIG_SEM, 5, WFI_DIS | ONE_WORD | 2,
	};

	rig_segment(&rig, 0, first, 2);
	rig_segment(&rig, 0, second, 3);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(sem()[0], 5);
	rig_no_violation(&rig);
}
END_TEST

static const uint32_t bad_headers[] = {
	6u << 29, 6u << 29 | 0x10004, INC(1, 0, 0x10) | 1 << 12,
	2u << 29 | 1 << 16, INC(2, 0, 0x3ffc), ONE_INC(2, 0, 0x3ffc),
};

START_TEST(a_malformed_header_stops_host_until_it_is_replaced)
{
	run(&bad_headers[_i], 1);
	rig_violated(&rig, RULE_METHOD_HEADER, 1);
	ck_assert_uint_eq(intr_0(),
			  REG_FIELD_MASK(NV_PPBDMA_INTR_0_PBENTRY));
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PPBDMA_HDR_SHADOW, PBDMA)),
			  bad_headers[_i]);
	go_on();
	ck_assert_uint_ne(intr_0(), 0);

	rig_wr(&rig, REG_AT(NV_PPBDMA_PB_HEADER, PBDMA), 1u << 29);
	rig_wr(&rig, REG_AT(NV_PPBDMA_PB_COUNT, PBDMA), 0);
	go_on();
	ck_assert_uint_eq(intr_0(), 0);
	done_marker(1);
	ck_assert_uint_eq(sem()[16], 1);
}
END_TEST

/* Host methods ---------------------------------------------------------- */

static const uint32_t unknown[][2] = {
	{ 0x04, 0 }, { 0x0c, 0 }, { 0x24 + 0x1c, 0 }, { 0x70, 0 }, { 0x74, 0 },
	{ 0xfc, 0 }, { 0x80, 7 }, { 0x34, 31u << 27 },
};

START_TEST(an_unknown_method_waits_in_method0)
{
	const uint32_t words[] = {
		INC(1, 3, unknown[_i][0]), unknown[_i][1],
	};
	uint32_t method0 = REG_AT(NV_PPBDMA_METHOD0, PBDMA);

	run(words, 2);
	rig_violated(&rig, RULE_METHOD_HOST, 1);
	ck_assert_uint_eq(intr_0(), REG_FIELD_MASK(NV_PPBDMA_INTR_0_METHOD));
	ck_assert_uint_eq(rig_rd(&rig, method0),
			  1u << 31 | 3 << 16 | unknown[_i][0]);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PPBDMA_DATA0, PBDMA)),
			  unknown[_i][1]);
	rig_wr(&rig, method0, 1u << 31 | 0x08);		/* a NOP */
	go_on();
	done_marker(1);
	ck_assert_uint_eq(sem()[16], 1);
}
END_TEST

START_TEST(software_subchannels_are_softwares)
{
	const uint32_t words[] = {
		INC(1, 5 + _i, _i ? 0x100 : 0), 0x1234,
	};

	run(words, 2);
	ck_assert_uint_eq(intr_0(), REG_FIELD_MASK(NV_PPBDMA_INTR_0_DEVICE));
	rig_wr(&rig, REG_AT(NV_PPBDMA_METHOD0, PBDMA), 0);
	go_on();
	done_marker(1);
	ck_assert_uint_eq(sem()[16], 1);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(set_reference_is_seen_in_userd)
{
	static const uint32_t words[] = { INC(1, 0, 0x50), 0x12345678 };

	run(words, 2);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_REF), 0x12345678);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(an_object_must_be_of_the_engines_class)
{
	static const uint32_t wrong[] = { INC(1, 4, 0), 0xb0b5 };
	static const uint32_t right[] = { INC(1, 4, 0), 0xc1b5 };

	run(right, 2);
	rig_no_violation(&rig);
	run(wrong, 2);
	rig_violated(&rig, RULE_METHOD_ENGINE, 1);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PPBDMA_INTR_1, PBDMA)),
			  REG_FIELD_MASK(NV_PPBDMA_INTR_1_HCE_ILLEGAL_CLASS));
}
END_TEST

START_TEST(an_unbound_subchannel_is_told_once)
{
	static const uint32_t words[] = {
		IMMD(0, 4, 0x400), IMMD(0, 4, 0x404), IMMD(0, 4, 0x400),
	};

	run(words, 3);
	rig_violated(&rig, RULE_SUBCHANNEL_UNBOUND, 1);
}
END_TEST

static const uint32_t invalidate[] = {
	INC(4, 0, 0x28), 0, 0, 1, 9u << 27,	/* all page directories */
};

START_TEST(a_user_channel_may_not_invalidate)
{
	run(invalidate, 5);
	rig_violated(&rig, RULE_PRIVILEGE, 1);
	ck_assert_uint_eq(intr_0(), REG_FIELD_MASK(NV_PPBDMA_INTR_0_METHOD));
	ck_assert_uint_eq(rig_count(&rig, EV_TLB_INVALIDATE), 0);
}
END_TEST

START_TEST(a_privileged_channel_may)
{
	run(invalidate, 5);
	rig_no_violation(&rig);
	ck_assert_uint_eq(rig_count(&rig, EV_TLB_INVALIDATE), 1);
	done_marker(1);
	ck_assert_uint_eq(sem()[16], 1);
}
END_TEST

START_TEST(maxwell_has_two_operands_of_mem_op)
{
	static const uint32_t words[] = { INC(2, 0, 0x30), 1, 9u << 27 };
	static const uint32_t pascals[] = { IMMD(0, 0, 0x28) };

	run(words, 3);
	rig_no_violation(&rig);
	ck_assert_uint_eq(rig_count(&rig, EV_TLB_INVALIDATE), 1);
	run(pascals, 1);
	rig_violated(&rig, RULE_METHOD_HOST, 1);
}
END_TEST

/*
 * The semaphore's page leads elsewhere from now on: to the page of RIG_DATA.
 * What was remembered of it, by a release before, has to go.
 */
static void move_semaphore_page(void)
{
	uint64_t to = RIG_DMA + RIG_DATA;

	done_marker(1);
	if (rig.chip == CARD_M40) {
		rig_vram_wr(&rig, RIG_TABLES + 0x20000 + RIG_SEM / 4096 * 8,
			    to >> 12 << 4 | 1);
		return;
	}
	rig_vram_wr(&rig, RIG_TABLES + 0x4000 + RIG_SEM / 4096 * 8,
		    to >> 12 << 8 | 2 << 1 | 1);
}

/* Did the release after the MEM_OP find the new page? */
static void moved(bool forgotten)
{
	done_marker(7);
	ck_assert_uint_eq(sem()[16], forgotten ? 1 : 7);
	ck_assert_uint_eq(*rig_word(&rig, RIG_DATA + 64), forgotten ? 7 : 0);
	if (forgotten)
		rig_no_violation(&rig);
	else
		rig_violated(&rig, RULE_TLB_STALE, 1);
}

/* MEM_OP_A to D, and whether they reach the page. */
static const struct {
	uint32_t word[4];
	bool reaches;
} mem_ops[] = {
	/* one directory, all levels; pages only; all; another; in sysmem */
	{ { 0, 0, RIG_TABLES, 9u << 27 }, true },
	{ { 0, 0, RIG_TABLES | 1 << 7, 9u << 27 }, true },
	{ { 0, 0, 1, 9u << 27 }, true },
	{ { 0, 0, RIG_TABLES + 0x1000, 9u << 27 }, false },
	{ { 0, 0, RIG_TABLES, 9u << 27 | 1 }, false },
	{ { 0, 0, RIG_TABLES | 2 << 10, 9u << 27 }, false },
	/* this page; another one; the same address 4 GiB above */
	{ { RIG_VA + RIG_SEM, 0, RIG_TABLES, 10u << 27 }, true },
	{ { RIG_VA + RIG_DATA, 0, RIG_TABLES, 10u << 27 }, false },
	{ { RIG_VA + RIG_SEM, 1, RIG_TABLES, 10u << 27 }, false },
	/* with a replay, an acknowledge, a membar */
	{ { 1 << 11, 0, RIG_TABLES | 2 << 2 | 1 << 5, 9u << 27 }, true },
};

START_TEST(mem_op_forgets_what_it_names)
{
	uint32_t words[5] = { INC(4, 0, 0x28) };

	memcpy(words + 1, mem_ops[_i].word, 16);
	move_semaphore_page();
	run(words, 5);
	moved(mem_ops[_i].reaches);
}
END_TEST

START_TEST(maxwells_mem_op_names_a_directory_of_40_bits)
{
	const uint32_t words[] = {
		INC(2, 0, 0x30), RIG_TABLES, 9u << 27 | _i,
	};

	done_marker(1);
	move_semaphore_page();
	/* format 1: the aperture is in the upper half, and stays */
	run(words, 3);
	moved(!_i);
}
END_TEST

/* Most significant bit first, as the pseudo-code of CRC_CHECK [§9.4]. */
static uint32_t method_crc(uint32_t crc, uint32_t where, uint32_t data)
{
	uint8_t bytes[6] = { data, data >> 8, data >> 16, data >> 24, where,
			     where >> 8 };
	unsigned int i, bit;

	for (i = 0; i < 6; i++) {
		crc ^= (uint32_t)bytes[i] << 24;
		for (bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7 : 0);
	}
	return crc;
}

START_TEST(crc_check_compares_the_methods_of_the_engine)
{
	uint32_t crc = method_crc(0, 0x404 >> 2 | 4 << 12, 0x1234);
	const uint32_t words[] = {
		INC(1, 4, 0), 0xc1b5, INC(1, 4, 0x404), 0x1234,
		INC(1, 0, 0x7c), crc,
		INC(1, 0, 0x7c), 0,		/* cleared by the check */
		INC(1, 0, 0x7c), 1,
	};

	run(words, 10);
	ck_assert_uint_eq(rig_count(&rig, EV_CRC), 3);
	ck_assert_uint_eq(rig_event(&rig, EV_CRC, 0)->arg[1], crc);
	ck_assert_uint_eq(intr_0(),
			  REG_FIELD_MASK(NV_PPBDMA_INTR_0_METHODCRC));
	rig_wr(&rig, REG_AT(NV_PPBDMA_METHOD_CRC, PBDMA), 1);
	go_on();
	ck_assert_uint_eq(intr_0(), 0);
}
END_TEST

/* Semaphores ------------------------------------------------------------ */

START_TEST(a_release_of_16_bytes_has_a_time_stamp)
{
	uint64_t before = card_now(rig.card), stamp;

	sem()[1] = sem()[2] = sem()[3] = ~0u;
	sem_op(0, 0x1234, WFI_DIS | 2);
	stamp = sem()[2] | (uint64_t)sem()[3] << 32;
	ck_assert_uint_eq(sem()[0], 0x1234);
	ck_assert_uint_eq(sem()[1], 0);
	ck_assert_uint_ge(stamp, before);
	ck_assert_uint_le(stamp, card_now(rig.card));
}
END_TEST

START_TEST(a_release_of_4_bytes_leaves_the_rest)
{
	sem()[1] = 0x5555;
	sem_op(0, 0x1234, WFI_DIS | ONE_WORD | 2);
	ck_assert_uint_eq(sem()[0], 0x1234);
	ck_assert_uint_eq(sem()[1], 0x5555);
}
END_TEST

static const struct {
	uint32_t op, memory, payload;
	bool passes;
} acquires[] = {
	{ 1, 5, 5, true }, { 1, 6, 5, false },
	{ 4, 5, 5, true }, { 4, 6, 5, true }, { 4, 4, 5, false },
	{ 4, 2, 0xfffffffe, true },		/* circular */
	{ 4, 0xfffffffe, 2, false },
	{ 8, 6, 2, true }, { 8, 5, 2, false },
};

START_TEST(an_acquire_passes_or_waits)
{
	const uint32_t words[] = {
		INC(4, 0, 0x10), 0, RIG_VA + RIG_SEM, acquires[_i].payload,
		acquires[_i].op, IMMD(0x77, 0, 0x50),
	};

	*sem() = acquires[_i].memory;
	rig_segment(&rig, 0, words, 6);
	rig_ring(&rig, 0);
	card_advance(rig.card, 100000);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_REF),
			  acquires[_i].passes ? 0x77 : 0);
	/* Whatever it waits for comes, and the CPU said nothing. */
	*sem() = acquires[_i].op == 8 ? ~0u : acquires[_i].payload;
	card_advance(rig.card, 200000);
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_REF), 0x77);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(an_acquire_times_out)
{
	/* 10 units of 1024 ns */
	rig_enable(&rig, 0, false);
	rig_preempt(&rig, 0);
	rig_vram_wr(&rig, RIG_INST + NV_RAMFC_ACQUIRE,
		    1u << 31 | 10 << 15 | 2 << 7 | 2);
	rig_enable(&rig, 0, true);
	rig_settle(&rig);
	sem_op(0, 99, 1);
	ck_assert_uint_eq(intr_0(), REG_FIELD_MASK(NV_PPBDMA_INTR_0_ACQUIRE));
	*sem() = 99;
	go_on();
	done_marker(1);
	ck_assert_uint_eq(sem()[16], 1);
}
END_TEST

static const struct {
	uint32_t op, is_unsigned, memory, payload, result;
} reductions[] = {
	{ 0, 0, 0xffffffff, 1, 0xffffffff }, { 0, 1, 0xffffffff, 1, 1 },
	{ 1, 0, 0xffffffff, 1, 1 }, { 1, 1, 0xffffffff, 1, 0xffffffff },
	{ 2, 0, 0xf0, 0xff, 0x0f }, { 3, 0, 0xf0, 0x3c, 0x30 },
	{ 4, 0, 0xf0, 0x0f, 0xff }, { 5, 0, 0xffffffff, 2, 1 },
	{ 6, 0, 4, 5, 5 }, { 6, 0, 5, 5, 0 }, { 6, 0, 7, 5, 0 },
	{ 7, 0, 3, 5, 2 }, { 7, 0, 0, 5, 5 }, { 7, 0, 9, 5, 5 },
};

START_TEST(a_reduction_combines)
{
	*sem() = reductions[_i].memory;
	sem_op(0, reductions[_i].payload, reductions[_i].is_unsigned << 31 |
	       reductions[_i].op << 27 | WFI_DIS | ONE_WORD | 16);
	ck_assert_uint_eq(*sem(), reductions[_i].result);
	rig_no_violation(&rig);
}
END_TEST

static const struct {
	uint32_t offset, operation;
} bad_semaphores[] = {
	{ 4, WFI_DIS | 2 },			/* 16 bytes, not aligned */
	{ 0, 0 }, { 0, 3 },			/* no operation, two	*/
	{ 0, 8u << 27 | WFI_DIS | 16 },		/* no such reduction	*/
};

START_TEST(a_wrong_semaphore_method_stops_host)
{
	sem_op(bad_semaphores[_i].offset, 1, bad_semaphores[_i].operation);
	ck_assert_uint_eq(intr_0(),
			  REG_FIELD_MASK(NV_PPBDMA_INTR_0_SEMAPHORE));
	rig_violated(&rig, RULE_METHOD_HOST, 1);
	rig_wr(&rig, REG_AT(NV_PPBDMA_METHOD0, PBDMA), 0);
	go_on();
	done_marker(1);
	ck_assert_uint_eq(sem()[16], 1);
}
END_TEST

START_TEST(a_release_at_an_unmapped_address_is_a_fault)
{
	const uint32_t words[] = {
		INC(4, 0, 0x10), 0, 0x70000000, 1, WFI_DIS | ONE_WORD | 2,
	};

	run(words, 5);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	ck_assert_uint_eq(rig_event(&rig, EV_FAULT, 0)->arg[0], 0x70000000);
	ck_assert_uint_eq(rig_event(&rig, EV_FAULT, 0)->arg[2], 1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("method");
	TCase *t = tcase_create("user"), *p = tcase_create("privileged");
	TCase *m = tcase_create("Maxwell");

	tcase_add_checked_fixture(t, start, stop);
	tcase_add_loop_test(t, a_header_makes_the_methods_of_its_form, 0,
			    count(forms));
	tcase_add_test(t, a_sequence_may_go_on_in_the_next_segment);
	tcase_add_loop_test(t,
	    a_malformed_header_stops_host_until_it_is_replaced, 0,
	    count(bad_headers));
	tcase_add_loop_test(t, an_unknown_method_waits_in_method0, 0,
			    count(unknown));
	tcase_add_loop_test(t, software_subchannels_are_softwares, 0, 2);
	tcase_add_test(t, set_reference_is_seen_in_userd);
	tcase_add_test(t, an_object_must_be_of_the_engines_class);
	tcase_add_test(t, an_unbound_subchannel_is_told_once);
	tcase_add_test(t, a_user_channel_may_not_invalidate);
	tcase_add_test(t, crc_check_compares_the_methods_of_the_engine);
	tcase_add_test(t, a_release_of_16_bytes_has_a_time_stamp);
	tcase_add_test(t, a_release_of_4_bytes_leaves_the_rest);
	tcase_add_loop_test(t, an_acquire_passes_or_waits, 0,
			    count(acquires));
	tcase_add_test(t, an_acquire_times_out);
	tcase_add_loop_test(t, a_reduction_combines, 0, count(reductions));
	tcase_add_loop_test(t, a_wrong_semaphore_method_stops_host, 0,
			    count(bad_semaphores));
	tcase_add_test(t, a_release_at_an_unmapped_address_is_a_fault);
	suite_add_tcase(s, t);

	tcase_add_checked_fixture(p, start_privileged, stop);
	tcase_add_test(p, a_privileged_channel_may);
	tcase_add_loop_test(p, mem_op_forgets_what_it_names, 0,
			    count(mem_ops));
	suite_add_tcase(s, p);

	tcase_add_checked_fixture(m, start_maxwell, stop);
	tcase_add_test(m, maxwell_has_two_operands_of_mem_op);
	tcase_add_loop_test(m, maxwells_mem_op_names_a_directory_of_40_bits,
			    0, 2);
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
