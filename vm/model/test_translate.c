/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Translations against a flat map that knows nothing of tables: random
 * mappings in both formats, with invalidations and without; tables full of
 * what others left.
 */
#include <check.h>
#include <stdlib.h>

#include "vm/model/mmu.h"
#include "vm/model/test_pages.h"

/* The window: 8 times 2 MiB, all in one entry of a format 1 directory. */
#define BASE	0x1208000000ull
#define PAGES	4096u
#define AREA	512u		/* pages of an entry of PD0 */
#define SMALL	(ROOT + 0x100000)
#define BIG	(ROOT + 0x200000)
#define PD0	(ROOT + 0x3000)

struct flat {
	uint64_t addr;
	uint8_t aperture, shift;
	bool mapped, sparse, read_only;
};

static struct flat flat[PAGES];
static uint64_t dice;
static bool format_2;
static unsigned int big_shift;

static uint32_t roll(uint32_t n)
{
	dice = dice * 6364136223846793005ull + 1442695040888963407ull;
	return (dice >> 33) % n;
}

/* Table building --------------------------------------------------------- */

static uint64_t small_table(unsigned int page)
{
	return SMALL + page * 8ull;	/* one table after the other */
}

static uint64_t big_table(unsigned int page)
{
	unsigned int per = 1u << (big_shift - 12);

	return format_2 ? BIG + page / AREA * 256ull + page % AREA / per * 8 :
			  BIG + page / per * 8ull;
}

static uint64_t dual(unsigned int page)
{
	return PD0 + ((BASE >> 21 & 255) + page / AREA) * 16;
}

static void area_tables(unsigned int page)
{
	unsigned int first = page / AREA * AREA;

	put(dual(page) + 8, VRAM_PDE << 1 | small_table(first) >> 12 << 8);
	put(dual(page), VRAM_PDE << 1 | big_table(first) >> 8 << 4);
}

static uint64_t pte(const struct flat *f)
{
	if (!f->mapped)
		return 0;
	if (format_2)
		return f->sparse ? 1 << 3 : f->addr >> 12 << 8 |
			(uint64_t)f->read_only << 6 | f->aperture << 1 | 1;
	return f->sparse ? 1ull << 32 : f->addr >> 12 << 4 |
		(uint64_t)f->aperture << 33 | f->read_only << 2 | 1;
}

static void build(enum card_chip chip, unsigned int shift)
{
	bench_start(&b, chip);
	memset(flat, 0, sizeof(flat));
	format_2 = chip != CARD_M40;
	big_shift = shift;
	if (!format_2) {
		load(REG_SET(NV_RAMIN_BIG_PAGE_SIZE, shift == 16),
		     (1ull << 40) - 1);
		put(ROOT + (BASE >> (shift + 10)) * 8,
		    (SMALL >> 12 << 4 | VRAM_PDE) << 32 |
		    BIG >> 12 << 4 | VRAM_PDE);
		return;
	}
	format2(BASE, 0);
	for (unsigned int i = 0; i < PAGES; i += AREA)
		area_tables(i);
}

/* Page sizes by number: 0 small, 1 big, 2 of 2 MiB. */
static unsigned int size_shift(unsigned int size)
{
	return size == 2 ? 21 : size == 1 ? big_shift : 12;
}

/* Nothing is mapped in these pages; a 2 MiB page goes as a whole. */
static void clear(unsigned int page, unsigned int count)
{
	if (format_2 && flat[page].mapped && flat[page].shift == 21) {
		page = page / AREA * AREA;
		count = AREA;
		area_tables(page);
	}
	for (unsigned int i = page; i < page + count; i++) {
		unsigned int per = 1u << (big_shift - 12);
		unsigned int first = i / per * per;

		put(small_table(i), 0);
		put(big_table(i), 0);
		/* Others of a big page that is gone. */
		for (unsigned int k = first; k < first + per; k++)
			if (flat[k].mapped && flat[k].shift == big_shift)
				flat[k].mapped = false;
		flat[i].mapped = false;
	}
}

static void map(void)
{
	unsigned int size = roll(format_2 ? 3 : 2);
	unsigned int count = 1u << (size_shift(size) - 12);
	unsigned int page = roll(PAGES / count) * count;
	struct flat f = {
		.mapped = true, .sparse = !roll(8), .read_only = roll(2),
		.aperture = roll(3) ? MEM_VRAM : MEM_SYS_COHERENT,
		.shift = size_shift(size),
		.addr = (1ull + roll(1000)) << 21,
	};

	clear(page, count);
	if (size == 2) {
		put(dual(page), pte(&f));
		put(dual(page) + 8, 0);
	} else {
		put(size ? big_table(page) : small_table(page), pte(&f));
	}
	for (unsigned int i = 0; i < count; i++) {
		flat[page + i] = f;
		flat[page + i].addr += 4096ull * i;
	}
}

static void unmap(void)
{
	unsigned int count = 1u << (size_shift(roll(2)) - 12);

	clear(roll(PAGES / count) * count, count);
}

/* Comparing -------------------------------------------------------------- */

static bool same(const struct flat *f, int err, uint64_t at)
{
	if (!f->mapped)
		return err && fault.type == FAULT_PTE;
	return !err && place.sparse == f->sparse &&
		place.read_only == f->read_only * !f->sparse &&
		(f->sparse || (place.addr == f->addr + at &&
			       place.aperture == f->aperture)) &&
		place.shift == f->shift;
}

static void fresh_is_right(const struct flat *f, uint64_t va)
{
	struct card_place p;
	int err = card_translate(b.card, ROOT, MEM_VRAM, format_2, big_shift,
				 va, &p);

	ck_assert_int_eq(err, f->mapped ? 0 : -EFAULT);
	if (err) {
		ck_assert_uint_eq(p.fault, FAULT_PTE);
		return;
	}
	ck_assert_uint_eq(p.sparse, f->sparse);
	ck_assert_uint_eq(p.page_shift, f->shift);
	if (f->sparse)
		return;
	ck_assert_uint_eq(p.addr, f->addr + va % 4096);
	ck_assert_uint_eq(p.aperture, f->aperture);
	ck_assert_uint_eq(p.read_only, f->read_only);
}

/* A page at random: fresh and by the card; was the card right? */
static bool look(void)
{
	unsigned int page = roll(4) ? roll(64) : roll(PAGES);
	uint64_t at = roll(4096);
	uint64_t va = BASE + 4096ull * page + at;
	int err = translate(va, false);

	fresh_is_right(&flat[page], va);
	return same(&flat[page], err, at);
}

static const struct {
	enum card_chip chip;
	unsigned int shift;
} kinds[] = {
	{ CARD_P100, 16 }, { CARD_P40, 16 }, { CARD_M40, 16 },
	{ CARD_M40, 17 },
};

START_TEST(random_maps_translate_as_a_flat_map_says)
{
	build(kinds[_i % 4].chip, kinds[_i % 4].shift);
	dice = _i + 1;
	for (unsigned int round = 0; round < 300; round++) {
		if (roll(3))
			map();
		else
			unmap();
		card_tlb_invalidate(b.card, ROOT);
		for (unsigned int i = 0; i < 20; i++)
			ck_assert(look());
	}
	bench_expect_nothing(&b);
	bench_stop(&b);
}
END_TEST

/* What the card gets wrong, it gets wrong by a stale entry: all are told. */
START_TEST(every_wrong_translation_has_been_reported)
{
	unsigned int wrong = 0;

	build(kinds[_i % 4].chip, kinds[_i % 4].shift);
	dice = _i + 100;
	for (unsigned int round = 0; round < 300; round++) {
		if (roll(3))
			map();
		else
			unmap();
		/* Now and then only. */
		if (!roll(10)) {
			card_tlb_invalidate(b.card, ROOT);
			b.machine.violations = 0;
			b.machine.rules[RULE_TLB_STALE] = 0;
		}
		for (unsigned int i = 0; i < 20; i++) {
			bool right = look();

			wrong += !right;
			ck_assert(right || b.machine.rules[RULE_TLB_STALE]);
		}
	}
	ck_assert_uint_eq(b.machine.violations,
			  b.machine.rules[RULE_TLB_STALE]);
	ck_assert_uint_gt(wrong, 0);
	bench_stop(&b);
}
END_TEST

/* Leftovers -------------------------------------------------------------- */

START_TEST(fresh_memory_may_hold_entries_that_look_valid)
{
	const uint64_t table = ROOT + 0x400000;
	struct card_place p;

	bench_start(&b, (enum card_chip)_i);
	card_vram_fill(b.card, 42);
	ck_assert_uint_ne(card_mem_rd64(b.card, who, MEM_VRAM, table), 0);
	/* A table that nobody cleared, of a space that maps one page. */
	if (_i == CARD_M40) {
		load(REG_VAL(NV_RAMIN_BIG_PAGE_SIZE, 1), (1ull << 40) - 1);
		put(ROOT, (table >> 12 << 4 | VRAM_PDE) << 32);
		put(table, 0x777ull << 4 | 1);
	} else {
		format2(0, 0x123401);
	}
	ck_assert_int_eq(translate(0, false), 0);
	/* The neighbour was never mapped, and translates. */
	ck_assert_int_eq(translate(0x1000, false), 0);
	ck_assert_int_eq(card_translate(b.card, ROOT, 0, _i != CARD_M40, 16,
					0x1000, &p), 0);
	ck_assert_uint_eq(p.addr, place.addr);
	ck_assert_uint_lt(p.addr, b.card->chip->vram_size);
	bench_stop(&b);
}
END_TEST

/* Whatever the tables say, a walk ends. */
START_TEST(walks_through_garbage_end)
{
	uint8_t data[64];
	unsigned int mapped = 0;
	bool pascal = _i % CARD_CHIPS != CARD_M40;

	bench_start(&b, (enum card_chip)(_i % CARD_CHIPS));
	dice = _i;
	load(REG_SET(NV_RAMIN_USE_VER2_PT_FORMAT, pascal), ~0ull);
	for (unsigned int i = 0; i < 4096; i++) {
		uint64_t word = (uint64_t)roll(1u << 31) << 33 |
			(uint64_t)roll(1u << 31) << 2 | roll(4);

		/* Half of them name our own tables: loops. */
		if (i < 8 || roll(2))
			word = ((ROOT >> 12) + roll(8)) << (pascal ? 8 : 4) |
				(i < 8 || roll(8) ? 1u << pascal :
				 roll(8));
		put(ROOT + 8 * i, word);
	}
	for (unsigned int i = 0; i < 2000; i++) {
		uint64_t va = ((uint64_t)roll(1u << 31) << 18 |
			       roll(1 << 18)) >> roll(40);

		mapped += !translate(va, roll(2));
		card_va_read(b.card, who, &space, va, data, sizeof(data),
			     &fault);
		if (!roll(4))
			card_va_write(b.card, who, &space, va, data,
				      sizeof(data), &fault);
		if (!roll(50))
			card_tlb_invalidate(b.card, ROOT);
	}
	/* At most five entries, two of them at once, for each miss. */
	ck_assert_uint_le(b.card->mmu->stats.entries_read,
			  5 * b.card->mmu->stats.misses);
	ck_assert_uint_gt(mapped, 0);
	bench_stop(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("translate");
	TCase *t = tcase_create("translate");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, random_maps_translate_as_a_flat_map_says,
			    0, 4 * 4);
	tcase_add_loop_test(t, every_wrong_translation_has_been_reported,
			    0, 4 * 4);
	tcase_add_loop_test(t, fresh_memory_may_hold_entries_that_look_valid,
			    0, CARD_CHIPS);
	tcase_add_loop_test(t, walks_through_garbage_end, 0, 3 * CARD_CHIPS);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
