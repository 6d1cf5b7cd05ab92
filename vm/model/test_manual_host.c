/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the manual states of Host, engines and additions, §7 to §12, tried. */
#include <stdlib.h>

#include "vm/model/crc.h"
#include "vm/model/test_manual.h"
#include "vm/model/test_rig.h"

/* The manual's example has its push buffer there: this is channel 1's. */
#define EXAMPLE_PB	0x40020000u
#define CHANNEL		3u		/* … and is about this channel	*/
#define PBDMA		2u		/* of runlist 1, on a P40	*/
#define count(a)	(sizeof(a) / sizeof((a)[0]))

static struct rig rig;

static void start(enum card_chip chip)
{
	rig_start(&rig, chip, NULL);
	rig_channels(&rig, 1);
}

static void run(const uint32_t *words, unsigned int n)
{
	rig_segment(&rig, 0, words, n);
	rig_ring(&rig, 0);
	rig_settle(&rig);
}

static uint32_t pbdma_intr(void)
{
	return rig_rd(&rig, REG_AT(NV_PPBDMA_INTR_0, PBDMA));
}

/* A page of the GPU's, by one more table of format 2 for its 2 MiB. */
static void map(uint64_t va, uint64_t entry, unsigned int table)
{
	uint64_t pd1 = RIG_TABLES + 0x2000, pd0 = RIG_TABLES + 0x3000;
	uint64_t small = RIG_TABLES + 0x10000 + table * 0x1000;

	if (va >> 29 != RIG_VA >> 29) {
		pd0 = RIG_TABLES + 0x8000;
		rig_vram_wr(&rig, pd1 + 8 * (va >> 29),
			    pd0 >> 12 << 8 | 1 << 1);
	}
	if (va >> 21 != RIG_VA >> 21)
		rig_vram_wr(&rig, pd0 + 16 * (va >> 21 & 0xff) + 8,
			    small >> 12 << 8 | 1 << 1);
	else
		small = RIG_TABLES + 0x4000;
	rig_vram_wr(&rig, small + 8 * (va >> 12 & 511), entry);
	rig_vram_wr(&rig, small + 8 * (va >> 12 & 511) + 4, entry >> 32);
}

static uint64_t system_page(uint32_t offset)
{
	return (RIG_DMA + offset) >> 12 << 8 | 2 << 1 | 1;
}

/* §7, §8 ----------------------------------------------------------------- */

START_TEST(each_chip_has_its_pbdmas)
{
	static const unsigned int pbdmas[] = {
		[CARD_P100] = 6, [CARD_P40] = 4, [CARD_M40] = 4,
	};

	states("§7.1", "(6 on GP100, 4 on GM200 and GP102 [A].)");
	rig_start(&rig, _i, NULL);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_CFG0) & 0xff, pbdmas[_i]);
}
END_TEST

START_TEST(a_runlist_may_be_empty)
{
	states("§7.2", "A list of length 0 is legal and stops everything on "
	       "that runlist.");
	start(_i);
	rig_submit_runlist(&rig, 0, false);
	rig_settle(&rig);
	run((uint32_t[]){ INC(1, 0, 0x50), 7 }, 2);
	ck_assert_uint_eq(rig_count(&rig, EV_METHOD), 0);
	ck_assert_uint_eq(rig_event(&rig, EV_RUNLIST, 1)->arg[1], 0);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(a_second_bind_is_error_1_and_no_such_runlist_5)
{
	states("§7.3", "| `RULE_CHANNEL_REBIND` | bind of a channel that is "
	       "bound | 1 |");
	states("§7.3", "one that does not exist gives error 5");
	start(_i);
	rig_bind(&rig, 0);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_BIND_ERROR) & 0xff, 1);
	rig_violated(&rig, RULE_CHANNEL_REBIND, 1);
	rig_wr(&rig, NV_PFIFO_INTR_0, 1);
	rig.runlist = 15;
	rig_instance(&rig, 1);
	rig_bind(&rig, 1);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_BIND_ERROR) & 0xff, 5);
}
END_TEST

START_TEST(a_wrong_signature_is_an_interrupt)
{
	states("§8.1", "Host answers a wrong signature with interrupt "
	       "SIGNATURE");
	rig_start(&rig, CARD_P40, NULL);
	rig_instance(&rig, 0);
	rig_vram_wr(&rig, RIG_INST + NV_RAMFC_SIGNATURE, 0xbeef);
	rig_bind(&rig, 0);
	rig_enable(&rig, 0, true);
	rig_submit_runlist(&rig, 1, true);
	rig_settle(&rig);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(REG_GET(NV_PPBDMA_INTR_0_SIGNATURE, pbdma_intr()),
			  1);
	rig_violated(&rig, RULE_INSTANCE, 1);
}
END_TEST

START_TEST(gp_put_is_not_taken_modulo)
{
	states("§8.3", "Larger values are not taken modulo: they break "
	       "`RULE_GP_PUT_RANGE`, raise GPPTR and stall the channel.");
	start(CARD_P40);
	rig.put[0] = RIG_ENTRIES;
	rig_ring(&rig, 0);
	rig_settle(&rig);
	rig_violated(&rig, RULE_GP_PUT_RANGE, 1);
	ck_assert_uint_eq(REG_GET(NV_PPBDMA_INTR_0_GPPTR, pbdma_intr()), 1);
}
END_TEST

START_TEST(gp_put_by_another_way_is_not_noticed)
{
	states("§8.3", "A write of GP_PUT by any other way, PRAMIN, BAR2 or a "
	       "store to memory, changes memory and is not noticed.");
	start(CARD_P40);
	rig_segment(&rig, 0, (uint32_t[]){ 0 }, 1);
	rig_vram_wr(&rig, RIG_USERD + NV_RAMUSERD_GP_PUT, 1);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_count(&rig, EV_GP_FETCH), 0);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_count(&rig, EV_GP_FETCH), 1);
}
END_TEST

START_TEST(gp_get_says_that_an_entry_has_begun)
{
	const struct card_event *begin;
	uint32_t words[400] = { 0 };

	states("§8.3", "GP_GET moves past the entry; the entry is committed "
	       "and its slot is no longer referenced");
	start(CARD_P40);
	rig_segment(&rig, 0, words, count(words));
	rig_ring(&rig, 0);
	while (!rig_count(&rig, EV_GP_BEGIN))
		ck_assert(card_step(rig.card, UINT64_MAX));
	begin = rig_event(&rig, EV_GP_BEGIN, 0);
	ck_assert_uint_eq(begin->arg[2], count(words));
	ck_assert_uint_eq(rig_userd(&rig, 0, NV_RAMUSERD_GP_GET), 1);
	ck_assert_uint_eq(rig_count(&rig, EV_GP_END), 0);
	rig_settle(&rig);
}
END_TEST

/* §9 --------------------------------------------------------------------- */

/* A ring of 8 on channel 3, that is at entry 5; words 16 to 19 are mapped. */
static void start_example(void)
{
	static const uint32_t at5[] = {
		NV_RAMFC_GP_GET, NV_RAMFC_GP_PUT, NV_RAMFC_GP_FETCH
	};
	uint64_t userd = RIG_USERD + CHANNEL * NV_RAMUSERD_CHAN_SIZE;

	rig_start(&rig, CARD_P40, NULL);
	map(0x123456000, system_page(RIG_SEM), 0);
	rig.entries = 8;
	for (unsigned int c = 0; c <= CHANNEL; c++)
		rig_instance(&rig, c);
	for (unsigned int i = 0; i < count(at5); i++)
		rig_vram_wr(&rig, RIG_INST + CHANNEL * 0x1000 + at5[i], 5);
	rig_vram_wr(&rig, userd + NV_RAMUSERD_GP_GET, 5);
	rig_vram_wr(&rig, userd + NV_RAMUSERD_GP_PUT, 5);
	for (unsigned int c = 0; c <= CHANNEL; c++) {
		rig_bind(&rig, c);
		rig_enable(&rig, c, true);
	}
	rig_submit_runlist(&rig, CHANNEL + 1, true);
	rig_settle(&rig);
}

static const uint32_t example[] = {
	0x20018000, 0x0000c1b5, 0x20050004, 0x00000001,
	0x23456780, 0xcafebabe, 0x01000002, 0x00000000,
};

START_TEST(the_whole_example_does_what_it_says)
{
	const uint32_t ring = RIG_RING(CHANNEL);

	states("§9.3", "0 0x20018000 INC, count 1, subchannel 4, method 0x000 "
	       "SET_OBJECT 1 0x0000c1b5 PASCAL_DMA_COPY_B 2 0x20050004 INC, "
	       "count 5, subchannel 0, method 0x010 SEMAPHOREA 3 0x00000001 "
	       "SEMAPHOREA: address 39:32 4 0x23456780 SEMAPHOREB: address "
	       "31:2 5 0xcafebabe SEMAPHOREC: payload 6 0x01000002 SEMAPHORED: "
	       "release, wait for idle, 4 bytes 7 0x00000000 "
	       "NON_STALL_INTERRUPT");
	states("§9.3", "| 2 | `0x0000200040020000` | ring, slot 5: byte offset "
	       "0x28 |");
	states("§9.3", "| 3 | `0x00000003b44b4206` | ring, slot 6: byte offset "
	       "0x30 |");
	states("§9.3", "| 5 | `0x00000007` | BAR1, USERD array + 0x68c: GP_PUT "
	       "|");
	start_example();
	rig_word(&rig, RIG_SEM)[0x780 / 4 + 1] = 0x11111111;
	memcpy(rig_word(&rig, EXAMPLE_PB - RIG_VA), example, sizeof(example));
	*rig_quad(&rig, ring + 0x28) = 0x0000200040020000;
	*rig_quad(&rig, ring + 0x30) = 0x00000003b44b4206;
	card_write(rig.card, CARD_BAR1, RIG_USERD + 0x68c, 4, 0x00000007);
	rig_settle(&rig);

	ck_assert_uint_eq(rig_word(&rig, RIG_SEM)[0x780 / 4], 0xcafebabe);
	ck_assert_uint_eq(rig_word(&rig, RIG_SEM)[0x780 / 4 + 1], 0x11111111);
	ck_assert_uint_eq(rig_event(&rig, EV_SEM_RELEASE, 0)->arg[0],
			  0x0123456780);
	ck_assert_uint_eq(rig_event(&rig, EV_CRC, 0)->arg[1], 0xb44b4206);
	ck_assert_uint_eq(rig_rd(&rig, NV_PFIFO_INTR_0) >> 31, 1);
	ck_assert_uint_eq(rig_userd(&rig, CHANNEL, NV_RAMUSERD_GP_GET), 7);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(an_entry_names_its_segment)
{
	const struct card_event *begin;

	states("§9.1", "word 0 0x40020000 GET = 0x40020000 >> 2, in place "
	       "word 1 8 << 10 = 0x00002000 LENGTH 8");
	start(CARD_P40);
	rig_entry(&rig, 0, 0x0000200040020000);
	rig_ring(&rig, 0);
	rig_settle(&rig);
	begin = rig_event(&rig, EV_GP_BEGIN, 0);
	ck_assert_uint_eq(begin->arg[1], 0x40020000);
	ck_assert_uint_eq(begin->arg[2], 8);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(crcs_come_out_as_the_table_says)
{
	const uint32_t one = 1;
	const uint64_t entry = 0x0000200040020000;
	struct card_crc crc;

	states("§9.2", "| the nine bytes \"123456789\" | `0x2dfd2d88` | | one "
	       "word, `0x00000001` | `0xb8bc6765` | | the segment of the "
	       "example in §9.3 | `0xb44b4206` | | the GP entry "
	       "`0x0000200040020000` | `0x2d76bfa2` |");
	start(CARD_P40);
	card_crc_init(&crc);
	ck_assert_uint_eq(card_crc_update(&crc, 0, "123456789", 9),
			  0x2dfd2d88);
	ck_assert_uint_eq(card_crc_update(&crc, 0, &one, 4), 0xb8bc6765);
	ck_assert_uint_eq(card_crc_update(&crc, 0, example, 32), 0xb44b4206);
	ck_assert_uint_eq(card_crc_update(&crc, 0, &entry, 8), 0x2d76bfa2);
}
END_TEST

/* The polynomial's definition, most significant bit first. */
static uint32_t crc_msb_first(uint32_t crc, uint8_t byte)
{
	crc ^= (uint32_t)byte << 24;
	for (int i = 0; i < 8; i++)
		crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7 : 0);
	return crc;
}

static uint32_t crc_of_method(uint32_t crc, uint32_t where, uint32_t data)
{
	for (int i = 0; i < 4; i++)
		crc = crc_msb_first(crc, data >> 8 * i);
	crc = crc_msb_first(crc, where);
	return crc_msb_first(crc, where >> 8);
}

START_TEST(the_crc_of_methods_takes_the_other_end_first)
{
	/* SET_OBJECT is Host's, and not sent. */
	uint32_t crc = crc_of_method(0, 0x100 / 4 | 4 << 12, 0x12345678);

	states("§9.2", "the bits of a byte *most* significant first [D]; this "
	       "card does as it says");
	states("§9.2", "The method CRC covers, for each method sent to the "
	       "engine, six bytes: four of data, then two of method address / "
	       "4 with the subchannel in 15:12.");
	start(CARD_P40);
	run((uint32_t[]){ INC(1, 4, 0x000), 0xc1b5, INC(1, 4, 0x100),
			  0x12345678, INC(1, 0, 0x07c), crc }, 6);
	ck_assert_uint_eq(rig_event(&rig, EV_CRC, 0)->arg[1], crc);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(each_form_of_a_header_makes_its_methods)
{
	static const struct {
		const char *row;
		uint32_t header, method[3];
	} form[] = {
		{ "| 1 | INC | a ← d0, a+4 ← d1, a+8 ← d2 |",
		  INC(3, 4, 0x400), { 0x400, 0x404, 0x408 } },
		{ "| 3 | NON_INC | a ← d0, a ← d1, a ← d2 |",
		  NON_INC(3, 4, 0x400), { 0x400, 0x400, 0x400 } },
		{ "| 5 | ONE_INC | a ← d0, a+4 ← d1, a+4 ← d2 |",
		  ONE_INC(3, 4, 0x400), { 0x400, 0x404, 0x404 } },
	};

	states("§9.3", form[_i].row);
	start(CARD_P40);
	run((uint32_t[]){ INC(1, 4, 0x000), 0xc1b5, form[_i].header, 1, 2, 3,
			  0x00000000, IMMD(0x123, 4, 0x100) }, 8);
	states("§9.3", "| 4 | IMMEDIATE | a ← bits 28:16, no data words |");
	states("§9.3", "The word `0x00000000` is a NOP wherever a header is "
	       "expected, and has no data");
	for (unsigned int i = 0; i < 3; i++) {
		const struct card_event *e = rig_event(&rig, EV_METHOD, 1 + i);

		ck_assert_uint_eq(e->arg[1], form[_i].method[i]);
		ck_assert_uint_eq(e->arg[2], 1 + i);
	}
	ck_assert_uint_eq(rig_event(&rig, EV_METHOD, 4)->arg[1], 0x100);
	ck_assert_uint_eq(rig_event(&rig, EV_METHOD, 4)->arg[2], 0x123);
	ck_assert_uint_eq(rig_count(&rig, EV_METHOD), 5);
	rig_no_violation(&rig);
}
END_TEST

static void semaphore(uint32_t offset, uint32_t payload, uint32_t operation)
{
	run((uint32_t[]){ INC(4, 0, 0x10), 0, RIG_VA + RIG_SEM + offset,
			  payload, operation }, 5);
}

START_TEST(a_release_has_16_bytes_unless_told_otherwise)
{
	const uint32_t *word;
	uint64_t stamp;

	states("§9.5", "A 16-byte release writes payload, 0, and the 64-bit "
	       "PTIMER value");
	states("§9.5", "| 24 | RELEASE_SIZE | **0: 16 bytes** with time stamp; "
	       "1: 4 bytes |");
	start(CARD_P40);
	word = rig_word(&rig, RIG_SEM);
	rig_word(&rig, RIG_SEM)[1] = 0x11111111;
	semaphore(0, 0xcafebabe, 2);
	ck_assert_uint_eq(word[0], 0xcafebabe);
	ck_assert_uint_eq(word[1], 0);
	memcpy(&stamp, word + 2, 8);
	ck_assert_uint_gt(stamp, 0);
	ck_assert_uint_le(stamp, card_now(rig.card));
	rig_word(&rig, RIG_SEM)[5] = 0x11111111;
	semaphore(16, 1, 1 << 24 | 2);
	ck_assert_uint_eq(word[4], 1);
	ck_assert_uint_eq(word[5], 0x11111111);
}
END_TEST

START_TEST(an_acquire_compares_on_a_circle)
{
	states("§9.5", "4 acquire ≥, circular: memory − payload, as a signed "
	       "number, is not negative");
	start(CARD_P40);
	*rig_word(&rig, RIG_SEM) = 0x00000001;
	semaphore(0, 0xffffffff, 4);
	ck_assert_uint_eq(rig_event(&rig, EV_SEM_ACQUIRE, 0)->arg[2], 1);
	/* The other way round it waits, until its time-out. */
	*rig_word(&rig, RIG_SEM + 16) = 0xffffffff;
	rig_segment(&rig, 0, (uint32_t[]){ INC(4, 0, 0x10), 0,
		    RIG_VA + RIG_SEM + 16, 0x00000001, 4 }, 5);
	rig_ring(&rig, 0);
	while (rig_count(&rig, EV_SEM_ACQUIRE) < 2)
		ck_assert(card_step(rig.card, UINT64_MAX));
	ck_assert_uint_eq(rig_event(&rig, EV_SEM_ACQUIRE, 1)->arg[2], 0);
}
END_TEST

/* §10, §12 --------------------------------------------------------------- */

START_TEST(the_example_of_a_copy_copies)
{
	static const uint32_t words[] = {
		0x20018000, 0x0000c1b5,		/* bind, as in §9.3 */
		0x20088100, 0x00000000, 0x40100000, 0x00000000, 0x40200000,
		0x00001000, 0x00001000, 0x00001000, 0x00000001,
		0x20038090, 0x00000000, 0x40300000, 0x00000001,
		0x200180c0, 0x0000018e,
	};

	states("§10.2", "0x20088100 INC, 8 words, subchannel 4, "
	       "OFFSET_IN_UPPER 0x00000000 0x40100000 0x00000000 0x40200000 "
	       "in, out 0x00001000 0x00001000 0x00001000 0x00000001 pitches, "
	       "length, lines "
	       "0x20038090 INC, 3 words, subchannel 4, SET_SEMAPHORE_A "
	       "0x00000000 0x40300000 0x00000001 0x200180c0 INC, 1 word, "
	       "subchannel 4, LAUNCH_DMA 0x0000018e");
	rig_start(&rig, CARD_P40, NULL);
	map(0x40100000, system_page(RIG_DATA), 1);
	map(0x40200000, system_page(RIG_DATA + 0x1000), 2);
	map(0x40300000, system_page(RIG_SEM), 2);
	rig_channels(&rig, 1);
	for (unsigned int i = 0; i < 1024; i++)
		rig_word(&rig, RIG_DATA)[i] = 0x01010101 * i;
	run(words, count(words));
	ck_assert_mem_eq(rig_word(&rig, RIG_DATA + 0x1000),
			 rig_word(&rig, RIG_DATA), 4096);
	ck_assert_uint_eq(*rig_word(&rig, RIG_SEM), 1);
	rig_no_violation(&rig);
}
END_TEST

START_TEST(additions_are_announced_or_absent)
{
	struct card_config config = { .chip = _i, .no_additions = true };

	states("§12.1", "`NV_ADDITION_ID` (0xf00000) reads `0x0d00be11`");
	states("§12.2", "| 0x000 | `NV_USERMODE_CFG0` | class 0xc361 |");
	rig_start(&rig, _i, NULL);
	ck_assert_uint_eq(rig_rd(&rig, 0xf00000), 0x0d00be11);
	ck_assert_uint_eq(rig_rd(&rig, 0xf10000), 0xc361);
	states("§12.4", "Pascal only: an entry of format 1 has no room for "
	       "such an address.");
	ck_assert_uint_eq(rig_rd(&rig, NV_ADDITION_FEATURES),
			  _i == CARD_M40 ? 3 : 7);
	rig_no_violation(&rig);
	rig_stop(&rig);
	rig_start(&rig, _i, &config);
	ck_assert_uint_eq(rig_rd(&rig, 0xf00000), 0xbadf1100);
	rig_violated(&rig, RULE_UNMODELLED, 1);
}
END_TEST

START_TEST(a_doorbell_makes_host_look_in_memory)
{
	states("§12.2", "A write of a channel id makes Host read GP_PUT from "
	       "that channel's USERD *in memory*.");
	start(CARD_P40);
	rig_segment(&rig, 0, (uint32_t[]){ 0 }, 1);
	rig_vram_wr(&rig, RIG_USERD + NV_RAMUSERD_GP_PUT, 1);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_count(&rig, EV_GP_FETCH), 0);
	rig_wr(&rig, 0xf10090, 0);
	rig_settle(&rig);
	ck_assert_uint_eq(rig_count(&rig, EV_GP_FETCH), 1);
	rig_no_violation(&rig);
}
END_TEST

static void stop(void)
{
	rig_stop(&rig);
}

int main(void)
{
	Suite *suite = suite_create("manual: Host");
	TCase *t = tcase_create("Host, engines, additions");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, NULL, stop);
#define EACH_CHIP(name)	tcase_add_loop_test(t, name, 0, CARD_CHIPS)
	EACH_CHIP(each_chip_has_its_pbdmas);
	EACH_CHIP(a_runlist_may_be_empty);
	EACH_CHIP(a_second_bind_is_error_1_and_no_such_runlist_5);
	tcase_add_test(t, a_wrong_signature_is_an_interrupt);
	tcase_add_test(t, gp_put_is_not_taken_modulo);
	tcase_add_test(t, gp_put_by_another_way_is_not_noticed);
	tcase_add_test(t, gp_get_says_that_an_entry_has_begun);
	tcase_add_test(t, the_whole_example_does_what_it_says);
	tcase_add_test(t, an_entry_names_its_segment);
	tcase_add_test(t, crcs_come_out_as_the_table_says);
	tcase_add_test(t, the_crc_of_methods_takes_the_other_end_first);
	tcase_add_loop_test(t, each_form_of_a_header_makes_its_methods, 0, 3);
	tcase_add_test(t, a_release_has_16_bytes_unless_told_otherwise);
	tcase_add_test(t, an_acquire_compares_on_a_circle);
	tcase_add_test(t, the_example_of_a_copy_copies);
	EACH_CHIP(additions_are_announced_or_absent);
	tcase_add_test(t, a_doorbell_makes_host_look_in_memory);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
