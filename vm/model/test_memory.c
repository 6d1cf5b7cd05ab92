/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Memory: sparse video memory, windows, the BAR1 write path, DMA. */
#include <check.h>
#include <stdlib.h>

#include "vm/model/memory.h"
#include "vm/model/test_bench.h"

static struct bench b;

static const struct mem_who host = { CARD_DMA_PUSHBUFFER, 5 };
static const struct mem_who ce = { CARD_DMA_COPY, 5 };

START_TEST(video_memory_is_sparse_and_reads_zero)
{
	uint64_t end, value = 0x1122334455667788ull, back = 1;

	bench_start(&b, _i);
	end = b.card->chip->vram_size;
	vram_read(b.card, end / 2, &back, 8);
	ck_assert_uint_eq(back, 0);
	/* Across two pages, and at the very end. */
	vram_write(b.card, (1 << 24) - 3, &value, 8);
	vram_read(b.card, (1 << 24) - 3, &back, 8);
	ck_assert_uint_eq(back, value);
	vram_write(b.card, end - 8, &value, 8);
	vram_read(b.card, end - 8, &back, 8);
	ck_assert_uint_eq(back, value);
	ck_assert_ptr_null(vram_find(b.card, end));
	ck_assert_int_eq(card_mem_write(b.card, ce, MEM_VRAM, end - 4,
					&value, 8), -EFAULT);
	bench_expect(&b, RULE_DMA_FAULT, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(pramin_shows_any_mebibyte)
{
	static const uint64_t at[] = { 0, 0x12340000, 0x2fff00000 };

	bench_start(&b, CARD_P100);
	for (size_t i = 0; i < array_size(at); i++) {
		bench_wr(&b, NV_PBUS_BAR0_WINDOW, at[i] >> 16);
		bench_wr(&b, 0x700000 + 0x5678, 0xfeed0000 + i);
		ck_assert_uint_eq(bench_rd(&b, 0x700000 + 0x5678),
				  0xfeed0000 + i);
	}
	for (size_t i = 0; i < array_size(at); i++) {
		uint32_t word;

		vram_read(b.card, at[i] + 0x5678, &word, 4);
		ck_assert_uint_eq(word, 0xfeed0000 + i);
	}
	ck_assert_uint_eq(card_read(b.card, CARD_BAR0, 0x705679, 1), 0);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR0, 0x70567a, 2), 0xfeed);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(pramin_reaches_system_memory_too)
{
	bench_start(&b, CARD_P100);
	bench_wr(&b, NV_PBUS_BAR0_WINDOW, BENCH_DMA >> 16 |
		 REG_VAL(NV_PBUS_BAR0_WINDOW_TARGET,
			 NV_PBUS_BAR0_WINDOW_TARGET_SYS_MEM_COHERENT));
	bench_wr(&b, 0x700100, 0x600dcafe);
	ck_assert_uint_eq(bench_rd(&b, 0x700100), 0x600dcafe);
	ck_assert_mem_eq(b.machine.memory + 0x100, "\xfe\xca\x0d\x60", 4);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(bar1_is_physical_until_it_is_bound)
{
	bench_start(&b, CARD_P100);
	card_write(b.card, CARD_BAR1, 0x123456788, 8, 0x0102030405060708);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0x12345678c, 4),
			  0x01020304);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR3, 0x88, 4), 0);
	bench_expect_nothing(&b);
	bench_stop(&b);

	/* P40's BAR1 is larger than its memory. */
	bench_start(&b, CARD_P40);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 30ull << 30, 4),
			  0xffffffff);
	bench_expect(&b, RULE_BAR_FAULT, 1);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 32ull << 30, 4),
			  0xffffffff);
	bench_expect(&b, RULE_BAR_FAULT, 1);
	bench_stop(&b);
}
END_TEST

/* The words that Host would fetch. */
static uint32_t fetch(uint64_t addr)
{
	return card_mem_rd32(b.card, host, MEM_VRAM, addr);
}

START_TEST(a_fetch_before_the_flush_gets_the_old_bytes)
{
	struct card_config config = { .chip = CARD_P100, .seed = _i };

	bench_start_config(&b, &config);
	card_write(b.card, CARD_BAR1, 0x1000, 4, 0xabcd);
	bench_arrive(&b);
	ck_assert_uint_eq(fetch(0x1000), 0);
	bench_expect(&b, RULE_BAR1_NOT_FLUSHED, 1);
	/* Its neighbour in the same line is not affected. */
	ck_assert_uint_eq(fetch(0x1004), 0);
	bench_expect_nothing(&b);
	ck_assert(path_holds(b.card, 0x0fff, 2));
	ck_assert(!path_holds(b.card, 0x0ffe, 2));
	ck_assert(!path_holds(b.card, 0x1004, 64));
	/* In time it gets there by itself. */
	card_advance(b.card, 100000);
	ck_assert_uint_eq(fetch(0x1000), 0xabcd);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(a_flush_drains_the_write_path)
{
	bench_start(&b, CARD_P100);
	card_write(b.card, CARD_BAR1, 0x1000, 4, 0xabcd);
	bench_wr(&b, NV_UFLUSH_FB_FLUSH, 1);
	bench_arrive(&b);
	/* Asked for, not done. */
	ck_assert_uint_eq(fetch(0x1000), 0);
	bench_expect(&b, RULE_BAR1_NOT_FLUSHED, 1);
	ck_assert_uint_ne(bench_rd(&b, NV_UFLUSH_FB_FLUSH), 0);
	bench_wait(&b, NV_UFLUSH_FB_FLUSH, 3);
	ck_assert_uint_eq(fetch(0x1000), 0xabcd);
	bench_expect_nothing(&b);
	ck_assert_ptr_nonnull(strstr(b.trace, "flush of the BAR1"));
	bench_stop(&b);
}
END_TEST

START_TEST(a_read_back_drains_it_too)
{
	bench_start(&b, CARD_P100);
	card_write(b.card, CARD_BAR1, 0x1000, 4, 0xabcd);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0x1000, 4), 0xabcd);
	ck_assert_uint_eq(fetch(0x1000), 0xabcd);
	/* A register is not behind that path. */
	card_write(b.card, CARD_BAR1, 0x1000, 4, 0x1234);
	bench_rd(&b, NV_PMC_BOOT_0);
	bench_expect_nothing(&b);
	ck_assert_uint_eq(fetch(0x1000), 0xabcd);
	bench_expect(&b, RULE_BAR1_NOT_FLUSHED, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(the_write_path_keeps_order_and_bytes)
{
	uint8_t want[8192] = { 0 }, got[8192];

	bench_start(&b, CARD_P100);
	for (unsigned int i = 0; i < 5000; i++) {
		unsigned int size = 1u << card_random(b.card, 3);
		unsigned int at = card_random(b.card, 8191) & ~(size - 1);
		uint64_t value = (uint64_t)card_random(b.card, ~0u) << 32 |
			card_random(b.card, ~0u);

		card_write(b.card, CARD_BAR1, 0x40000 + at, size, value);
		memcpy(want + at, &value, size);
		if (!card_random(b.card, 99)) {
			ck_assert_uint_eq(
				card_read(b.card, CARD_BAR1, 0x40000 + at, 1),
				want[at]);
		}
	}
	bench_arrive(&b);
	card_advance(b.card, 100000);
	vram_read(b.card, 0x40000, got, sizeof(got));
	ck_assert_mem_eq(got, want, sizeof(got));
	ck_assert_uint_eq(b.card->lines, 0);
	bench_stop(&b);
}
END_TEST

START_TEST(other_windows_do_not_overtake_bar1)
{
	bench_start(&b, CARD_P100);
	card_write(b.card, CARD_BAR1, 0x2000, 4, 1);
	card_write(b.card, CARD_BAR3, 0x2000, 4, 2);
	bench_arrive(&b);
	card_advance(b.card, 100000);
	ck_assert_uint_eq(fetch(0x2000), 2);
	card_write(b.card, CARD_BAR1, 0x2000, 4, 3);
	ck_assert_uint_eq(bench_rd(&b, 0x702000), 3);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(system_memory_is_reached_by_dma)
{
	uint32_t word = 0x12345678;

	bench_start(&b, CARD_M40);
	ck_assert_int_eq(card_mem_write(b.card, ce, MEM_SYS_COHERENT,
					BENCH_DMA + 16, &word, 4), 0);
	ck_assert_mem_eq(b.machine.memory + 16, &word, 4);
	ck_assert_uint_eq(card_mem_rd32(b.card, ce, MEM_SYS_NONCOHERENT,
					BENCH_DMA + 16), word);
	bench_expect_nothing(&b);
	ck_assert_uint_eq(card_mem_rd32(b.card, ce, MEM_SYS_COHERENT,
					BENCH_DMA + MACHINE_MEMORY), 0);
	bench_expect(&b, RULE_DMA_FAULT, 1);
	ck_assert_uint_eq(card_read(b.card, CARD_CONFIG, 6, 2) >> 13 & 1, 1);
	ck_assert_int_eq(card_mem_write(b.card, ce, MEM_SYS_COHERENT,
					1ull << 40, &word, 4), -EFAULT);
	bench_expect(&b, RULE_DMA_MASK, 1);
	ck_assert_int_eq(card_mem_write(b.card, ce, MEM_PEER, 0, &word, 4),
			 -EFAULT);
	bench_expect(&b, RULE_DMA_FAULT, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(without_bus_mastering_there_is_no_dma)
{
	uint32_t word = 0;

	bench_start(&b, CARD_P100);
	card_write(b.card, CARD_CONFIG, NV_XVE_DEV_CTRL, 2, 2);
	ck_assert(!card_may_dma(b.card));
	ck_assert_int_eq(card_mem_read(b.card, ce, MEM_SYS_COHERENT,
				       BENCH_DMA, &word, 4), -EFAULT);
	bench_expect(&b, RULE_DMA_FAULT, 1);
	bench_stop(&b);
}
END_TEST

START_TEST(an_unposted_card_has_registers_and_no_memory)
{
	struct card_config config = { .chip = CARD_P100, .unposted = true };

	bench_start_config(&b, &config);
	ck_assert_uint_eq(bench_rd(&b, NV_PMC_BOOT_0), 0x130000a1);
	ck_assert_uint_eq(bench_rd(&b, NV_PTOP_SCRATCH1), 0);
	bench_wr(&b, 0x700000, 1);
	ck_assert_uint_eq(bench_rd(&b, 0x700000) >> 16, 0xbad0);
	card_write(b.card, CARD_BAR1, 0, 4, 1);
	ck_assert_uint_eq(card_read(b.card, CARD_BAR1, 0, 4) >> 16, 0xbad0);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

START_TEST(switching_the_memory_hub_off_cuts_memory_off)
{
	uint32_t enable;

	bench_start(&b, CARD_P100);
	bench_wr(&b, 0x700000, 0x77);
	enable = bench_rd(&b, NV_PMC_ENABLE);
	bench_wr(&b, NV_PMC_ENABLE,
		 enable & ~REG_FIELD_MASK(NV_PMC_ENABLE_HUB));
	ck_assert_uint_eq(bench_rd(&b, 0x700000) >> 16, 0xbad0);
	bench_wr(&b, NV_PMC_ENABLE, enable);
	ck_assert_uint_eq(bench_rd(&b, 0x700000), 0x77);
	bench_stop(&b);
}
END_TEST

/* As the driver adds it up. */
START_TEST(the_size_of_memory_can_be_read)
{
	uint64_t mib = 0;
	uint32_t base, stride, range;

	bench_start(&b, _i);
	base = _i == CARD_M40 ? NV_PFB_GM200_FBPA_AMOUNT :
		NV_PFB_GP100_FBPA_AMOUNT;
	stride = _i == CARD_M40 ? 0x1000 : 0x4000;
	for (unsigned int i = 0; i < bench_rd(&b, NV_PTOP_SCAL_NUM_FBPAS); i++)
		mib += bench_rd(&b, base + i * stride);
	if (_i != CARD_M40) {
		range = bench_rd(&b, NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE);
		ck_assert_uint_eq(mib, REG_GET(
			NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_MAG, range) <<
			REG_GET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_SCALE,
				range));
		if (REG_GET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_ECC_MODE, range))
			mib = mib / 16 * 15;
	}
	ck_assert_uint_eq(mib << 20, b.card->chip->vram_size);
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("memory");
	TCase *t = tcase_create("memory");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, video_memory_is_sparse_and_reads_zero,
			    0, CARD_CHIPS);
	tcase_add_test(t, pramin_shows_any_mebibyte);
	tcase_add_test(t, pramin_reaches_system_memory_too);
	tcase_add_test(t, bar1_is_physical_until_it_is_bound);
	tcase_add_loop_test(t, a_fetch_before_the_flush_gets_the_old_bytes,
			    0, 20);
	tcase_add_test(t, a_flush_drains_the_write_path);
	tcase_add_test(t, a_read_back_drains_it_too);
	tcase_add_test(t, the_write_path_keeps_order_and_bytes);
	tcase_add_test(t, other_windows_do_not_overtake_bar1);
	tcase_add_test(t, system_memory_is_reached_by_dma);
	tcase_add_test(t, without_bus_mastering_there_is_no_dma);
	tcase_add_test(t, an_unposted_card_has_registers_and_no_memory);
	tcase_add_test(t, switching_the_memory_hub_off_cuts_memory_off);
	tcase_add_loop_test(t, the_size_of_memory_can_be_read,
			    0, CARD_CHIPS);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
