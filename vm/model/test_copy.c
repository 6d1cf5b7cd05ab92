/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The copy engines [§10.1], [§10.2]. */
#include "vm/model/test_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define PBDMA		2u		/* of runlist 1 on Pascal */
#define CE		2u		/* … and its engine */
#define count(a)	(sizeof(a) / sizeof((a)[0]))

/* LAUNCH_DMA, put together [§10.2] */
#define MOVE		2u		/* non-pipelined */
#define FLUSH		(1u << 2)
#define RELEASE_4	(1u << 3)
#define RELEASE_16	(2u << 3)
#define BLOCKING	(1u << 5)
#define NON_BLOCKING	(2u << 5)
#define PITCHES		(3u << 7)
#define LINES		(1u << 9)
#define REMAP		(1u << 10)
#define PHYSICAL	(3u << 12)

#define INTR		REG_AT(NV_PCE_GP100_INTR, CE)
#define LAUNCH_ERROR	REG_AT(NV_PCE_GP100_LAUNCH_ERROR, CE)

static struct rig rig;

static const uint32_t class_of[] = {
	[CARD_P100] = 0xc0b5, [CARD_P40] = 0xc1b5, [CARD_M40] = 0xb0b5,
};

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

static void stop(void)
{
	rig_stop(&rig);
}

struct copy {
	uint64_t src, dst;
	uint32_t pitch_in, pitch_out, length, lines;
	uint32_t launch;
};

static void queue(const struct copy *c)
{
	const uint32_t words[] = {
		INC(1, 4, 0), class_of[rig.chip],
		INC(8, 4, 0x400), c->src >> 32, c->src, c->dst >> 32, c->dst,
		c->pitch_in, c->pitch_out, c->length, c->lines,
		INC(3, 4, 0x240), 0, RIG_VA + RIG_SEM, 0xfe11,
		INC(1, 4, 0x300), c->launch,
	};

	rig_segment(&rig, 0, words, count(words));
	rig_ring(&rig, 0);
}

static void copy(const struct copy *c)
{
	queue(c);
	rig_settle(&rig);
}

static uint8_t *data(uint32_t offset)
{
	return rig.machine.memory + RIG_DATA + offset;
}

static void pattern(uint8_t *to, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		to[i] = i * 7 + i / 256 + 1;
}

START_TEST(bytes_go_to_video_memory_and_back_on_every_chip)
{
	const struct copy there = {
		RIG_VA + RIG_DATA, RIG_VRAM_VA + 0x123, 0, 0, 10000, 1,
		MOVE | FLUSH | PITCHES,
	};
	const struct copy back = {
		RIG_VRAM_VA + 0x123, RIG_VA + RIG_DATA + 0x4000, 0, 0, 10000,
		1, MOVE | FLUSH | PITCHES | RELEASE_4,
	};

	rig_start(&rig, _i, NULL);
	rig_channels(&rig, 1);
	pattern(data(0), 10000);
	copy(&there);
	ck_assert_uint_eq(rig_vram_rd(&rig, RIG_VRAM + 0x124) & 0xff,
			  data(0)[1]);
	copy(&back);
	ck_assert_int_eq(memcmp(data(0), data(0x4000), 10000), 0);
	ck_assert_uint_eq(data(0x4000)[10000], 0);
	ck_assert_uint_eq(*rig_word(&rig, RIG_SEM), 0xfe11);
	rig_no_violation(&rig);
	rig_stop(&rig);
}
END_TEST

START_TEST(lines_are_a_pitch_apart_and_a_pitch_may_be_negative)
{
	const struct copy c = {
		RIG_VA + RIG_DATA, RIG_VA + RIG_DATA + 0x1000 + 3 * 64, 32,
		-64u, 20, 4, MOVE | PITCHES | LINES,
	};
	unsigned int i;

	pattern(data(0), 128);
	copy(&c);
	for (i = 0; i < 4; i++) {
		ck_assert_int_eq(memcmp(data(0x1000 + (3 - i) * 64),
					data(32 * i), 20), 0);
		ck_assert_uint_eq(data(0x1000 + (3 - i) * 64)[20], 0);
	}
	rig_no_violation(&rig);
}
END_TEST

START_TEST(remap_fills_with_constants)
{
	const struct copy c = {
		0, RIG_VA + RIG_DATA, 0, 0, 5000, 1, MOVE | PITCHES | REMAP,
	};
	/* elements of two words: A, B */
	const uint32_t words[] = {
		INC(3, 4, 0x700), 0x11223344, 0x55667788,
		4 | 5 << 4 | 3 << 16 | 1 << 24,
	};
	const uint32_t *word = (const uint32_t *)data(0);
	unsigned int i;

	rig_segment(&rig, 0, (const uint32_t[]){ INC(1, 4, 0), 0xc1b5 }, 2);
	rig_segment(&rig, 0, words, 4);
	copy(&c);
	for (i = 0; i < 5000; i++) {
		ck_assert_uint_eq(word[2 * i], 0x11223344);
		ck_assert_uint_eq(word[2 * i + 1], 0x55667788);
	}
	ck_assert_uint_eq(word[10000], 0);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(remap_moves_components_and_leaves_some_alone)
{
	const struct copy c = {
		RIG_VA + RIG_DATA, RIG_VA + RIG_DATA + 0x100, 0, 0, 2, 1,
		MOVE | PITCHES | REMAP,
	};
	/* from X Y to Y, nothing, A, X; components of one byte */
	const uint32_t words[] = {
		INC(1, 4, 0), 0xc1b5, INC(3, 4, 0x700), 0xaa, 0,
		1 | 6 << 4 | 4 << 8 | 0 << 12 | 1 << 20 | 3 << 24,
	};

	memcpy(data(0), "abcd", 4);
	memset(data(0x100), '.', 9);
	rig_segment(&rig, 0, words, 6);
	copy(&c);
	ck_assert_int_eq(memcmp(data(0x100), "b.\xaa" "ad.\xaa" "c.", 9), 0);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(the_release_comes_after_the_last_byte_with_a_time_stamp)
{
	const struct copy c = {
		RIG_VA + RIG_DATA, RIG_VRAM_VA, 0, 0, 60000, 1,
		MOVE | PITCHES | RELEASE_16,
	};
	const struct card_event *end, *release;
	uint32_t *sem = rig_word(&rig, RIG_SEM);
	uint64_t stamp;

	copy(&c);
	stamp = sem[2] | (uint64_t)sem[3] << 32;
	release = rig_event(&rig, EV_SEM_RELEASE, 0);
	end = rig_event(&rig, EV_COPY_END, 0);
	ck_assert_ptr_nonnull(release);
	ck_assert_uint_eq(end->time, release->time);
	ck_assert_uint_eq(release->arg[2], 16);
	/* PTIMER counts in steps of 32 ns. */
	ck_assert_uint_le(stamp, release->time);
	ck_assert_uint_ge(stamp + 32, release->time);
	/* At most as fast as the table says [§2.3]. */
	ck_assert_uint_ge(end->time - rig_event(&rig, EV_COPY_BEGIN, 0)->time,
			  60000 * 1000ull / 11000);
}
END_TEST

START_TEST(a_copy_is_seen_half_way)
{
	const struct copy c = {
		RIG_VRAM_VA, RIG_VA + RIG_DATA, 0, 0, 60000, 1,
		MOVE | PITCHES,
	};
	unsigned int half = 0;

	rig_vram_wr(&rig, RIG_VRAM, 0x01010101);
	rig_vram_wr(&rig, RIG_VRAM + 59996, 0x01010101);
	queue(&c);
	while (card_step(rig.card, UINT64_MAX))
		half += data(0)[0] == 1 && data(59999)[0] == 0;
	ck_assert_uint_gt(half, 5);
	ck_assert_uint_eq(data(59999)[0], 1);
}
END_TEST

START_TEST(more_launches_than_the_engine_takes_wait_their_turn)
{
	unsigned int i;

	pattern(data(0), 9000);
	for (i = 0; i < 9; i++) {
		const struct copy c = {
			RIG_VA + RIG_DATA + 1000 * i,
			RIG_VA + RIG_DATA + 0x8000 + 1000 * i, 0, 0, 1000, 1,
			MOVE | PITCHES,
		};

		queue(&c);
	}
	rig_settle(&rig);
	ck_assert_int_eq(memcmp(data(0), data(0x8000), 9000), 0);
	ck_assert_uint_eq(rig_count(&rig, EV_COPY_END), 9);
	rig_no_violation(&rig);
}
END_TEST

/* WFI waits, and a release says by its flag whether it does. */
START_TEST(a_host_release_waits_for_the_engine_unless_told_not_to)
{
	const struct copy c = {
		RIG_VA + RIG_DATA, RIG_VRAM_VA, 0, 0, 60000, 1,
		MOVE | PITCHES,
	};
	const uint32_t words[] = {
		INC(4, 0, 0x10), 0, RIG_VA + RIG_SEM, 1,
		1u << 24 | 2 | (uint32_t)_i << 20,
	};
	uint64_t end, release;

	queue(&c);
	rig_segment(&rig, 0, words, 5);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	end = rig_event(&rig, EV_COPY_END, 0)->time;
	release = rig_event(&rig, EV_SEM_RELEASE, 0)->time;
	ck_assert(_i ? release < end : release >= end);
}
END_TEST

START_TEST(a_blocking_interrupt_stops_the_engine_until_it_is_cleared)
{
	struct copy c = {
		RIG_VA + RIG_DATA, RIG_VRAM_VA, 0, 0, 4, 1,
		MOVE | PITCHES | BLOCKING,
	};

	rig_wr(&rig, REG_AT(NV_PCE_GP100_INTR_EN, CE), 7);
	copy(&c);
	c.launch = MOVE | PITCHES | NON_BLOCKING;
	queue(&c);
	card_advance(rig.card, 1000000);
	ck_assert_uint_eq(rig_count(&rig, EV_COPY_END), 1);
	ck_assert_uint_eq(rig_rd(&rig, INTR), 1);
	/* CE2 is bit 7 */
	ck_assert_uint_eq(rig_rd(&rig, NV_PMC_INTR) >> 7 & 1, 1);
	rig_wr(&rig, INTR, 1);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_count(&rig, EV_COPY_END), 2);
	ck_assert_uint_eq(rig_rd(&rig, INTR), 2);
	rig_wr(&rig, INTR, 2);
	ck_assert_uint_eq(rig_rd(&rig, NV_PMC_INTR) >> 7 & 1, 0);
	rig_no_violation(&rig);
}
END_TEST

static const struct {
	uint32_t launch, length, lines, components, code;
} wrong[] = {
	{ 3 | PITCHES, 4, 1, 0, NV_PCE_LAUNCH_ERROR_CODE_TRANSFER_TYPE },
	{ MOVE | PITCHES | 3 << 3, 4, 1, 0,
	  NV_PCE_LAUNCH_ERROR_CODE_SEMAPHORE },
	{ MOVE | PITCHES | 3 << 5, 4, 1, 0,
	  NV_PCE_LAUNCH_ERROR_CODE_INTERRUPT },
	{ MOVE | PITCHES, 0, 1, 0, NV_PCE_LAUNCH_ERROR_CODE_LINE },
	{ MOVE | PITCHES | LINES, 4, 0, 0, NV_PCE_LAUNCH_ERROR_CODE_LINE },
	{ MOVE | PITCHES | REMAP, 4, 1, 7, NV_PCE_LAUNCH_ERROR_CODE_REMAP },
	{ MOVE | PITCHES | REMAP, 4, 1, 1, NV_PCE_LAUNCH_ERROR_CODE_REMAP },
	{ MOVE | 1 << 7, 4, 1, 0, NV_PCE_LAUNCH_ERROR_CODE_LAYOUT },
	{ MOVE | 1 << 8, 4, 1, 0, NV_PCE_LAUNCH_ERROR_CODE_LAYOUT },
};

START_TEST(an_incomplete_launch_is_an_error_of_the_engine)
{
	const struct copy c = {
		RIG_VA + RIG_DATA, RIG_VRAM_VA, 0, 0, wrong[_i].length,
		wrong[_i].lines, wrong[_i].launch,
	};
	const struct copy good = {
		RIG_VA + RIG_DATA, RIG_VRAM_VA, 0, 0, 4, 1, MOVE | PITCHES,
	};
	const uint32_t components[] = {
		INC(1, 4, 0), 0xc1b5, INC(1, 4, 0x708), wrong[_i].components,
	};

	rig_segment(&rig, 0, components, 4);
	copy(&c);
	rig_violated(&rig, RULE_COPY_ARGUMENT, 1);
	ck_assert_uint_eq(rig_rd(&rig, INTR), 4);
	ck_assert_uint_eq(rig_rd(&rig, LAUNCH_ERROR), wrong[_i].code);
	ck_assert_uint_eq(rig_count(&rig, EV_COPY_BEGIN), 0);
	rig_wr(&rig, INTR, 4);
	copy(&good);
	ck_assert_uint_eq(rig_count(&rig, EV_COPY_END), 1);
}
END_TEST

static const struct copy physical = {
	RIG_DMA + RIG_DATA, RIG_VRAM + 0x40, 0, 0, 64, 1,
	MOVE | PITCHES | PHYSICAL,
};

START_TEST(a_user_channel_may_not_copy_physical)
{
	copy(&physical);
	rig_violated(&rig, RULE_PRIVILEGE, 1);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PPBDMA_INTR_1, PBDMA)),
			  REG_FIELD_MASK(NV_PPBDMA_INTR_1_HCE_PRIV));
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PPBDMA_HCE_DBG0, PBDMA)),
			  0x300);
	ck_assert_uint_eq(rig_count(&rig, EV_COPY_BEGIN), 0);
}
END_TEST

START_TEST(a_privileged_channel_may)
{
	const uint32_t words[] = {
		INC(1, 4, 0), 0xc1b5,
		INC(2, 4, 0x260), 1, 0,	/* coherent memory, video memory */
	};

	pattern(data(0), 64);
	rig_segment(&rig, 0, words, 5);
	copy(&physical);
	ck_assert_uint_eq(rig_vram_rd(&rig, RIG_VRAM + 0x40 + 60),
			  *rig_word(&rig, RIG_DATA + 60));
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_copy_beyond_the_mapping_is_a_fault_of_the_engine)
{
	const struct copy c = {
		RIG_VA + RIG_MEMORY - 4096, RIG_VRAM_VA, 0, 0, 8192, 1,
		MOVE | PITCHES | RELEASE_4,
	};

	copy(&c);
	rig_violated(&rig, RULE_MMU_FAULT, 1);
	ck_assert_uint_eq(rig_event(&rig, EV_FAULT, 0)->arg[0],
			  RIG_VA + RIG_MEMORY);
	/* CE2 is MMU engine 27 */
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_MMU_FAULT_ID), 1u << 27);
	ck_assert_uint_ne(rig_rd(&rig, NV_PCCSR_CHANNEL) &
			  REG_FIELD_MASK(NV_PCCSR_CHANNEL_ENG_FAULTED), 0);
	ck_assert_uint_eq(*rig_word(&rig, RIG_SEM), 0);
}
END_TEST

START_TEST(render_enable_decides_whether_data_moves)
{
	static const struct {
		uint32_t mode, a, b;
		bool moves;
	} t[] = {
		{ 0, 0, 0, false }, { 1, 0, 0, true }, { 2, 0, 0, false },
		{ 2, 3, 0, true }, { 3, 5, 5, true }, { 3, 5, 6, false },
		{ 4, 5, 5, false }, { 4, 5, 6, true },
	};
	unsigned int i;

	for (i = 0; i < count(t); i++) {
		const uint32_t words[] = {
			INC(1, 4, 0), 0xc1b5, INC(3, 4, 0x254), 0,
			RIG_VA + RIG_SEM + 0x100, t[i].mode,
		};
		const struct copy c = {
			RIG_VA + RIG_DATA, RIG_VA + RIG_DATA + 64, 0, 0, 4, 1,
			MOVE | PITCHES,
		};

		*rig_word(&rig, RIG_SEM + 0x100) = t[i].a;
		*rig_word(&rig, RIG_SEM + 0x110) = t[i].b;
		*rig_word(&rig, RIG_DATA) = i + 1;
		*rig_word(&rig, RIG_DATA + 64) = 0;
		rig_segment(&rig, 0, words, 6);
		copy(&c);
		ck_assert_uint_eq(*rig_word(&rig, RIG_DATA + 64),
				  t[i].moves ? i + 1 : 0);
	}
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_method_that_the_class_lacks_stops_host)
{
	const uint32_t words[] = {
		INC(1, 4, 0), 0xc1b5, INC(1, 4, 0x304), 1,
	};

	rig_segment(&rig, 0, words, 4);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	rig_violated(&rig, RULE_METHOD_ENGINE, 1);
	ck_assert_uint_eq(rig_rd(&rig, REG_AT(NV_PPBDMA_INTR_1, PBDMA)),
			  REG_FIELD_MASK(NV_PPBDMA_INTR_1_HCE_ILLEGAL_MTHD));
}
END_TEST

/* Graphics' runlist has copy engines, and no context to use them with. */
START_TEST(the_graphics_runlist_is_no_place_to_copy)
{
	const struct copy c = {
		RIG_VA + RIG_DATA, RIG_VRAM_VA, 0, 0, 4, 1, MOVE | PITCHES,
	};

	rig_start(&rig, _i, NULL);
	rig.runlist = 0;
	rig_channels(&rig, 1);
	copy(&c);
	ck_assert_uint_ge(rig.machine.rules[RULE_METHOD_ENGINE], 1);
	ck_assert_uint_eq(rig_count(&rig, EV_COPY_BEGIN), 0);
	rig_stop(&rig);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("copy");
	TCase *own = tcase_create("own card"), *t = tcase_create("user");
	TCase *p = tcase_create("privileged");

	tcase_add_loop_test(own,
	    bytes_go_to_video_memory_and_back_on_every_chip, 0, CARD_CHIPS);
	tcase_add_loop_test(own, the_graphics_runlist_is_no_place_to_copy, 0,
			    CARD_CHIPS);
	suite_add_tcase(s, own);

	tcase_add_checked_fixture(t, start, stop);
	tcase_add_test(t,
	    lines_are_a_pitch_apart_and_a_pitch_may_be_negative);
	tcase_add_test(t, remap_fills_with_constants);
	tcase_add_test(t, remap_moves_components_and_leaves_some_alone);
	tcase_add_test(t,
	    the_release_comes_after_the_last_byte_with_a_time_stamp);
	tcase_add_test(t, a_copy_is_seen_half_way);
	tcase_add_test(t,
	    more_launches_than_the_engine_takes_wait_their_turn);
	tcase_add_loop_test(t,
	    a_host_release_waits_for_the_engine_unless_told_not_to, 0, 2);
	tcase_add_test(t,
	    a_blocking_interrupt_stops_the_engine_until_it_is_cleared);
	tcase_add_loop_test(t, an_incomplete_launch_is_an_error_of_the_engine,
			    0, count(wrong));
	tcase_add_test(t, a_user_channel_may_not_copy_physical);
	tcase_add_test(t,
	    a_copy_beyond_the_mapping_is_a_fault_of_the_engine);
	tcase_add_test(t, render_enable_decides_whether_data_moves);
	tcase_add_test(t, a_method_that_the_class_lacks_stops_host);
	suite_add_tcase(s, t);

	tcase_add_checked_fixture(p, start_privileged, stop);
	tcase_add_test(p, a_privileged_channel_may);
	suite_add_tcase(s, p);
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
