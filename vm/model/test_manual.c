/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the manual states of a bare card, §1 to §6, tried on it. */
#include <stdlib.h>

#include "vm/model/test_bench.h"
#include "vm/model/test_manual.h"

#define US	1000ull

static struct bench b;

static void wait_for(uint64_t ns)
{
	card_advance(b.card, ns);
}

static uint32_t config_rd(uint32_t at, unsigned int size)
{
	return card_read(b.card, CARD_CONFIG, at, size);
}

static void vram_word(uint64_t at, uint64_t value)
{
	vram_write(b.card, at, &value, 8);
}

/* §1, §2 ----------------------------------------------------------------- */

START_TEST(the_boot_register_tells_the_chip)
{
	static const uint32_t boot[] = {
		[CARD_P100] = 0x130000a1, [CARD_P40] = 0x132000a1,
		[CARD_M40] = 0x120000a1,
	};

	states("§1.1", "| `NV_PMC_BOOT_0` | `0x120000a1` | `0x130000a1` | "
	       "`0x132000a1` |");
	bench_start(&b, _i);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_BOOT_0), boot[_i]);
}
END_TEST

START_TEST(each_chip_has_its_copy_engines)
{
	static const unsigned int engines[] = {
		[CARD_P100] = 6, [CARD_P40] = 4, [CARD_M40] = 3,
	};
	unsigned int found = 0;

	states("§1.1", "| copy engines | 3 | 6 | 4 |");
	bench_start(&b, _i);
	for (unsigned int i = 0; i < NV_PTOP_DEVICE_INFO__SIZE_1; i++) {
		uint32_t word = bench_rd(&b, REG_AT(NV_PTOP_DEVICE_INFO, i));
		uint32_t type = REG_GET(NV_PTOP_DEVICE_INFO_TYPE_ENUM, word);

		found += (word & 3) == 3 &&
			(type == 0x13 || (type >= 1 && type <= 3));
	}
	ck_assert_uint_eq(found, engines[_i]);
}
END_TEST

START_TEST(what_is_not_there_answers_with_a_pattern)
{
	states("§2.2", "| offset without a register, or with one that this "
	       "card lacks | read `0xbadf1100`, write dropped; PBUS "
	       "PRI_FECSERR | `RULE_UNMODELLED` |");
	bench_start(&b, _i);
	ck_assert_uint_eq(bench_rd(&b, 0x0ffff0), 0xbadf1100);
	bench_expect(&b, RULE_UNMODELLED, 1);
}
END_TEST

START_TEST(a_read_brings_the_writes_before_it_along)
{
	states("§2.2", "when a load from the card returns, every posted write "
	       "that this CPU made before it has arrived");
	for (unsigned int seed = 0; seed < 20; seed++) {
		struct card_config config = { .seed = seed };
		uint32_t word;

		bench_start_config(&b, &config);
		/* Of any address, through any window. */
		bench_wr(&b, 0x700000, 0x600d0000 + seed);
		card_read(b.card, CARD_BAR3, 0x1000, 4);
		vram_read(b.card, 0, &word, 4);
		ck_assert_uint_eq(word, 0x600d0000 + seed);
		bench_stop(&b);
	}
	bench_start(&b, CARD_P100);
}
END_TEST

START_TEST(a_read_and_a_write_cost_what_the_table_says)
{
	uint64_t before;

	states("§2.3", "| `write_cpu` | 40 | CPU time of a posted write |");
	states("§2.3", "| `read` | 800 | round trip of a read |");
	bench_start(&b, _i);
	wait_for(10 * US);
	before = card_now(b.card);
	bench_rd(&b, NV_PMC_BOOT_0);
	ck_assert_uint_eq(card_now(b.card) - before, 800);
	before = card_now(b.card);
	bench_wr(&b, NV_PBUS_BAR0_WINDOW, 0);
	ck_assert_uint_eq(card_now(b.card) - before, 40);
}
END_TEST

START_TEST(a_lost_card_reads_all_ones)
{
	states("§2.5", "every read returns all ones, `0xffffffff` in a 32-bit "
	       "register");
	bench_start(&b, _i);
	card_unplug(b.card);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_BOOT_0), 0xffffffff);
	ck_assert_uint_eq(config_rd(0, 4), 0xffffffff);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0, 8), UINT64_MAX);
	/* Writes are dropped, and nothing is said about any of it. */
	bench_wr(&b, NV_PMC_ENABLE, 0);
	bench_expect_nothing(&b);
}
END_TEST

/* §3 --------------------------------------------------------------------- */

START_TEST(configuration_space_says_what_it_is)
{
	static const uint32_t device[] = {
		[CARD_P100] = 0x15f8, [CARD_P40] = 0x1b38,
		[CARD_M40] = 0x17fd,
	};

	states("§3.1", "Class 03 02 00, a 3D controller; vendor 10de");
	states("§1.1", "| PCI device id | 17fd | 15f8 | 1b38 |");
	bench_start(&b, _i);
	ck_assert_uint_eq(config_rd(0, 4), device[_i] << 16 | 0x10de);
	ck_assert_uint_eq(config_rd(8, 4) >> 8, 0x030200);
}
END_TEST

START_TEST(configuration_space_is_mirrored)
{
	states("§3.1", "Configuration space is mirrored in BAR0 from 0x88000");
	bench_start(&b, _i);
	for (uint32_t at = 0; at < 0x100; at += 4)
		ck_assert_uint_eq(bench_rd(&b, 0x88000 + at),
				  config_rd(at, 4));
}
END_TEST

START_TEST(msi_is_one_vector_with_a_long_address)
{
	states("§3.1", "| 0x68 | MSI, one vector, 64-bit address |");
	bench_start(&b, _i);
	ck_assert_uint_eq(config_rd(0x68, 1), 0x05);
	/* Multiple Message Capable 0; bit 7: 64 bits. */
	ck_assert_uint_eq(config_rd(0x6a, 2) >> 1 & 7, 0);
	ck_assert_uint_eq(config_rd(0x6a, 2) >> 7 & 1, 1);
}
END_TEST

START_TEST(bars_have_their_sizes)
{
	states("§3.2", "| 1 | 16 GiB; P40 32 GiB | 64-bit, prefetchable |");
	states("§3.2", "| 3 | 32 MiB | 64-bit, prefetchable |");
	bench_start(&b, _i);
	ck_assert_uint_eq(card_region_size(b.card, CARD_BAR0), 16 << 20);
	ck_assert_uint_eq(card_region_size(b.card, CARD_BAR1),
			  (_i == CARD_P40 ? 32ull : 16ull) << 30);
	ck_assert_uint_eq(card_region_size(b.card, CARD_BAR3), 32 << 20);
}
END_TEST

/* Interrupts of PTIMER, through to MSI. */
static void alarm_on(void)
{
	card_write(b.card, CARD_CONFIG, 0x6a, 2, 1);
	bench_wr(&b, NV_PTIMER_INTR_EN_0, 1);
}

static void unmask(void)
{
	uint32_t bit = REG_FIELD_MASK(NV_PMC_INTR_PTIMER);

	if (b.card->chip->pascal) {
		bench_wr(&b, REG_AT(NV_PMC_INTR_EN_SET, 0), bit);
	} else {
		bench_wr(&b, REG_AT(NV_PMC_INTR_MSK, 0), bit);
		bench_wr(&b, REG_AT(NV_PMC_INTR_EN, 0), 1);
	}
}

static void alarm_rings(void)
{
	bench_wr(&b, NV_PTIMER_ALARM_0, (uint32_t)ptimer_now(b.card) + 5000);
	wait_for(20 * US);
}

static void acknowledge(void)
{
	bench_rd(&b, NV_PTIMER_INTR_0);
	bench_wr(&b, NV_PTIMER_INTR_0, 1);
	bench_arrive(&b);
}

START_TEST(no_message_follows_before_the_re_arm)
{
	states("§3.3", "**no further message is sent until the driver "
	       "re-arms**");
	states("§3.3", "| GM200 | byte write of 0xff to 0x88068 |");
	states("§3.3", "| Pascal | write of anything to 0x88704 |");
	bench_start(&b, _i);
	alarm_on();
	unmask();
	for (unsigned int n = 1; n <= 3; n++) {
		alarm_rings();
		ck_assert_uint_eq(b.machine.interrupts, n);
		acknowledge();
		alarm_rings();
		acknowledge();
		ck_assert_uint_eq(b.machine.interrupts, n);
		if (b.card->chip->pascal)
			bench_wr(&b, 0x88704, 0x600d);
		else
			card_write(b.card, CARD_BAR0, 0x88068, 1, 0xff);
	}
}
END_TEST

/* §4 --------------------------------------------------------------------- */

START_TEST(what_was_written_through_bar1_takes_its_time)
{
	states("§4.4", "on this card at least 4 µs, seeded up to 20 µs");
	for (unsigned int seed = 0; seed < 40; seed++) {
		struct card_config config = { .seed = seed };
		uint32_t word;

		bench_start_config(&b, &config);
		card_write(b.card, CARD_BAR1, 0x1000, 4, 0xabcd);
		/* It arrives after 250 to 450 ns. */
		wait_for(250 + 4 * US - 1);
		vram_read(b.card, 0x1000, &word, 4);
		ck_assert_uint_eq(word, 0);
		wait_for(200 + 16 * US + 1);
		vram_read(b.card, 0x1000, &word, 4);
		ck_assert_uint_eq(word, 0xabcd);
		bench_stop(&b);
	}
	bench_start(&b, CARD_P100);
}
END_TEST

START_TEST(a_read_back_is_a_flush)
{
	uint32_t word;

	states("§4.4", "a CPU read through BAR1, BAR2 or PRAMIN, of any "
	       "address, returns only after what was written through BAR1 has "
	       "left the path");
	bench_start(&b, _i);
	card_write(b.card, CARD_BAR1, 0x1000, 4, 0xabcd);
	card_read(b.card, CARD_BAR1, 0x800000, 4);
	vram_read(b.card, 0x1000, &word, 4);
	ck_assert_uint_eq(word, 0xabcd);
}
END_TEST

/* §5 --------------------------------------------------------------------- */

START_TEST(a_card_that_was_not_posted_has_no_memory)
{
	struct card_config config = { .chip = _i, .unposted = true };

	states("§5.1", "Bit 1 of 0x02240c (a PTOP scratch register) is 1 when "
	       "it has run");
	states("§5.1", "memory then reads `0xbad0fb00`");
	bench_start(&b, _i);
	ck_assert_uint_eq(bench_rd(&b, 0x02240c) >> 1 & 1, 1);
	bench_stop(&b);
	bench_start_config(&b, &config);
	ck_assert_uint_eq(bench_rd(&b, 0x02240c) >> 1 & 1, 0);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0, 4), 0xbad0fb00);
}
END_TEST

START_TEST(a_unit_that_is_off_answers_with_another_pattern)
{
	states("§5.1", "Touching a register of a unit whose bit is 0 reads "
	       "`0xbad00100` and breaks `RULE_PRIV_DISABLED`");
	bench_start(&b, _i);
	bench_wr(&b, NV_PMC_ENABLE,
		 bench_rd(&b, NV_PMC_ENABLE) & ~(1u << 8));
	ck_assert_uint_eq(bench_rd(&b, NV_PFIFO_INTR_0), 0xbad00100);
	bench_expect(&b, RULE_PRIV_DISABLED, 1);
}
END_TEST

START_TEST(what_is_masked_waits_in_its_unit)
{
	states("§5.2", "What is raised while it is masked stays pending in its "
	       "unit, and comes when it is unmasked.");
	bench_start(&b, _i);
	alarm_on();
	alarm_rings();
	ck_assert_uint_eq(b.machine.interrupts, 0);
	ck_assert_uint_eq(bench_rd(&b, NV_PTIMER_INTR_0), 1);
	unmask();
	wait_for(10 * US);
	ck_assert_uint_eq(b.machine.interrupts, 1);
}
END_TEST

START_TEST(ptimer_follows_virtual_time_in_steps)
{
	uint32_t first, second;

	states("§5.3", "64 bits of nanoseconds in steps of 32");
	states("§5.3", "On this card PTIMER follows virtual time");
	bench_start(&b, _i);
	first = bench_rd(&b, NV_PTIMER_TIME_0);
	wait_for(32 * 1000 - 800);
	second = bench_rd(&b, NV_PTIMER_TIME_0);
	ck_assert_uint_eq(first % 32, 0);
	ck_assert_uint_eq(second - first, 32 * 1000);
}
END_TEST

START_TEST(the_example_of_a_temperature_is_right)
{
	states("§5.4", "45.5 °C is `0x20002d80` on Pascal.");
	bench_start(&b, CARD_P100);
	therm_set(b.card, 45500);
	ck_assert_uint_eq(bench_rd(&b, 0x020460), 0x20002d80);
}
END_TEST

/* Runlists by copy engine, and that of graphics, as PTOP has them. */
static void find_runlists(unsigned int *graphics, unsigned int copy[8])
{
	unsigned int instance = 0, runlist = 0, type = 0;

	for (unsigned int i = 0; i < 64; i++) {
		uint32_t word = bench_rd(&b, 0x022700 + 4 * i);

		if ((word & 3) == 1)
			instance = word >> 26 & 15;
		if ((word & 3) == 2)
			runlist = word >> 21 & 15;
		if ((word & 3) == 3)
			type = word >> 2 & 0x1fffffff;
		if (!(word & 3) || word >> 31)
			continue;
		if (type == 0)
			*graphics = runlist;
		else if (type == 0x13)
			copy[instance] = runlist;
		else if (type <= 3)
			copy[type - 1] = runlist;
		instance = 0;
	}
}

START_TEST(some_copy_engines_share_the_runlist_of_graphics)
{
	unsigned int graphics = ~0u, copy[8], i, other;

	states("§5.5", "CE0 and CE1 share the runlist of graphics on Pascal, "
	       "CE2 does on GM200, and each other engine has a runlist of its "
	       "own");
	bench_start(&b, _i);
	memset(copy, 0xff, sizeof(copy));
	find_runlists(&graphics, copy);
	ck_assert_uint_ne(graphics, ~0u);
	for (i = 0; i < 8 && copy[i] != ~0u; i++) {
		bool shares = _i == CARD_M40 ? i == 2 : i < 2;

		ck_assert(shares == (copy[i] == graphics));
		for (other = 0; other < i && !shares; other++)
			ck_assert_uint_ne(copy[i], copy[other]);
	}
	ck_assert_uint_ge(i, 3);
}
END_TEST

START_TEST(the_p40_tells_its_memory_with_ecc)
{
	uint64_t range, size;

	states("§5.6", "magnitude 9:4 << (scale 3:0 + 20); with ECC, bit 30, "
	       "15/16 of it");
	states("§1.1", "here on: 22.5 GiB");
	bench_start(&b, CARD_P40);
	range = bench_rd(&b, 0x100ce0);
	size = (range >> 4 & 0x3f) << ((range & 15) + 20);
	ck_assert_uint_eq(range >> 30 & 1, 1);
	ck_assert_uint_eq(size / 16 * 15, 45ull << 29);
}
END_TEST

/* §6 --------------------------------------------------------------------- */

START_TEST(pramin_shows_what_its_window_says)
{
	states("§6.1", "base 23:0 = address >> 16");
	bench_start(&b, _i);
	bench_wr(&b, 0x001700, 0x12345670ull >> 16);
	bench_wr(&b, 0x700000 + 0x5670, 0x600dbeef);
	bench_rd(&b, NV_PMC_BOOT_0);
	/* After reset BAR1 is physical. */
	states("§6.2", "| 0 physical (after reset) | offset in the BAR = "
	       "address in video memory |");
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0x12345670, 4),
			  0x600dbeef);
	bench_expect_nothing(&b);
}
END_TEST

START_TEST(a_window_ends_with_memory)
{
	states("§6.3", "in physical mode beyond video memory, reads "
	       "`0xffffffff` or is dropped, records an MMU fault of engine "
	       "BAR1 or BAR2 [§7.4] and breaks `RULE_BAR_FAULT`");
	/* 12 GiB behind a window of 16. */
	bench_start(&b, CARD_M40);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 13ull << 30, 4),
			  0xffffffff);
	bench_expect(&b, RULE_BAR_FAULT, 1);
}
END_TEST

#define ROOT	0x100000ull

START_TEST(the_example_in_format_2_is_right)
{
	struct card_place place;

	states("§6.4", "| format 2 | PD3 0, PD2 0, PD1 0x91, PD0 0xa2, small "
	       "table 0x167 | 0x1234 << 8 \\| 1 = `0x0000000000123401` |");
	states("§6.4", "0x7f1234567 << 8 | aperture 2 << 1 | 1 = "
	       "`0x000007f123456705`");
	bench_start(&b, CARD_P100);
	/* In a directory entry 1 is video memory, in bits 2:1. */
	vram_word(ROOT, (ROOT + 0x1000) >> 12 << 8 | 1 << 1);
	vram_word(ROOT + 0x1000, (ROOT + 0x2000) >> 12 << 8 | 1 << 1);
	vram_word(ROOT + 0x2000 + 0x91 * 8,
		  (ROOT + 0x3000) >> 12 << 8 | 1 << 1);
	vram_word(ROOT + 0x3000 + 0xa2 * 16 + 8,
		  (ROOT + 0x4000) >> 12 << 8 | 1 << 1);
	vram_word(ROOT + 0x4000 + 0x167 * 8, 0x0000000000123401);
	ck_assert_int_eq(card_translate(b.card, ROOT, 0, true, 16,
					0x1234567000, &place), 0);
	ck_assert_uint_eq(place.addr, 0x01234000);
	ck_assert_uint_eq(place.aperture, 0);
	vram_word(ROOT + 0x4000 + 0x167 * 8, 0x000007f123456705);
	ck_assert_int_eq(card_translate(b.card, ROOT, 0, true, 16,
					0x1234567000, &place), 0);
	ck_assert_uint_eq(place.addr, 0x7f1234567000);
	ck_assert_uint_eq(place.aperture, 2);
	/* Sparse: VALID 0, VOL 1. */
	states("§6.4", "| sparse | VALID 0, VOL 1 |");
	vram_word(ROOT + 0x4000 + 0x167 * 8, 1 << 3);
	ck_assert_int_eq(card_translate(b.card, ROOT, 0, true, 16,
					0x1234567000, &place), 0);
	ck_assert(place.sparse);
}
END_TEST

START_TEST(the_example_in_format_1_is_right)
{
	struct card_place place;

	states("§6.4", "| format 1, 64 KiB big pages | directory 0x48d, small "
	       "table 0x567 | 0x1234 << 4 \\| 1 = `0x0000000000012341` |");
	bench_start(&b, CARD_M40);
	vram_word(ROOT + 0x48d * 8, (ROOT + 0x40000) >> 12 << 36 |
		  1ull << 32);
	vram_word(ROOT + 0x40000 + 0x567 * 8, 0x0000000000012341);
	ck_assert_int_eq(card_translate(b.card, ROOT, 0, false, 16,
					0x1234567000, &place), 0);
	ck_assert_uint_eq(place.addr, 0x01234000);
	ck_assert_uint_eq(place.aperture, 0);
}
END_TEST

START_TEST(sixteen_invalidations_find_a_place)
{
	uint32_t places;

	states("§6.5", "bits 23:16, free places of a queue of 16");
	bench_start(&b, _i);
	ck_assert_uint_eq(bench_rd(&b, 0x100c80) >> 16 & 0xff, 16);
	bench_wr(&b, 0x100cbc, 1u << 31 | 3);
	places = bench_rd(&b, 0x100c80) >> 16 & 0xff;
	ck_assert_uint_eq(places, 15);
	/* Bit 15: all are done; each takes 1.5 to 9.5 us. */
	ck_assert_uint_eq(bench_rd(&b, 0x100c80) >> 15 & 1, 0);
	wait_for(10 * US);
	ck_assert_uint_eq(bench_rd(&b, 0x100c80) >> 15 & 1, 1);
	bench_expect_nothing(&b);
}
END_TEST

static void stop(void)
{
	bench_stop(&b);
}

int main(void)
{
	Suite *suite = suite_create("manual");
	TCase *t = tcase_create("a bare card");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, NULL, stop);
#define EACH_CHIP(name)	tcase_add_loop_test(t, name, 0, CARD_CHIPS)
	EACH_CHIP(the_boot_register_tells_the_chip);
	EACH_CHIP(each_chip_has_its_copy_engines);
	EACH_CHIP(what_is_not_there_answers_with_a_pattern);
	tcase_add_test(t, a_read_brings_the_writes_before_it_along);
	EACH_CHIP(a_read_and_a_write_cost_what_the_table_says);
	EACH_CHIP(a_lost_card_reads_all_ones);
	EACH_CHIP(configuration_space_says_what_it_is);
	EACH_CHIP(configuration_space_is_mirrored);
	EACH_CHIP(msi_is_one_vector_with_a_long_address);
	EACH_CHIP(bars_have_their_sizes);
	EACH_CHIP(no_message_follows_before_the_re_arm);
	tcase_add_test(t, what_was_written_through_bar1_takes_its_time);
	EACH_CHIP(a_read_back_is_a_flush);
	EACH_CHIP(a_card_that_was_not_posted_has_no_memory);
	EACH_CHIP(a_unit_that_is_off_answers_with_another_pattern);
	EACH_CHIP(what_is_masked_waits_in_its_unit);
	EACH_CHIP(ptimer_follows_virtual_time_in_steps);
	tcase_add_test(t, the_example_of_a_temperature_is_right);
	EACH_CHIP(some_copy_engines_share_the_runlist_of_graphics);
	tcase_add_test(t, the_p40_tells_its_memory_with_ecc);
	EACH_CHIP(pramin_shows_what_its_window_says);
	tcase_add_test(t, a_window_ends_with_memory);
	tcase_add_test(t, the_example_in_format_2_is_right);
	tcase_add_test(t, the_example_in_format_1_is_right);
	EACH_CHIP(sixteen_invalidations_find_a_place);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
