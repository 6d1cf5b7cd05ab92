/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Address spaces against an array that says for each page what should be
 * there, on every card.  What is there says the card: it walks the tables.
 * Memory that nobody has written is full of entries that look valid.
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "pte.h"
#include "test_fault_bus.h"
#include "test_vas_rig.h"

#define BASE	(64 * M)		/* of a space			*/
#define LIMIT	(1ULL << 38)
/* What the array is about: across the ends of tables in both formats. */
#define SHADOW	(128 * M - 3 * M)
#define PAGES	1536u

static struct vas_rig m;
static struct vas *vas;
static u64 empty_bytes;			/* of tables, when nothing is mapped */
static u64 seed;

/* What a page should be mapped to. */
struct page {
	bool mapped;
	enum mmu_aperture aperture;
	u64 addr;
	u32 flags;
};

static struct page shadow[PAGES];

static u32 draw(u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

static bool has_huge(void)
{
	return gpu_mmu_format(m.gpu) == 2;
}

static void open_card(int chip)
{
	setenv("PORT_LOG", "err", 0);
	memset(shadow, 0, sizeof(shadow));
	vas_rig_open(&m, chip, NULL);
}

static void start(int chip)
{
	open_card(chip);
	ck_assert_int_eq(vas_create(m.gpu, BASE, LIMIT, &vas), 0);
	empty_bytes = vas_table_bytes(vas);
}

static void stop(void)
{
	port_fail_alloc(0);
	if (vas)
		vas_destroy(vas);
	vas = NULL;
	ck_assert_uint_eq(bus_direct_violations_all(m.bus), 0);
	vas_rig_close(&m);
}

/* What the card finds at va. */
static struct page page_at(const struct vas *space, u64 va, u32 *shift)
{
	struct card_place place = { 0 };
	bool mapped = !vas_rig_walk(&m, space, va, &place);

	*shift = place.page_shift;
	return (struct page){
		.mapped = mapped && !place.sparse,
		.aperture = place.aperture ? place.aperture - 1 : MMU_VRAM,
		.addr = place.addr,
		.flags = (place.read_only ? VAS_READ_ONLY : 0) |
			 (place.is_volatile ? VAS_VOLATILE : 0) |
			 (place.privileged ? VAS_PRIVILEGED : 0),
	};
}

static void expect(u64 va, const struct page *want)
{
	u32 shift;
	struct page got = page_at(vas, va, &shift);

	ck_assert_msg(got.mapped == want->mapped, "0x%llx is %smapped",
		      (unsigned long long)va, got.mapped ? "" : "not ");
	if (!want->mapped)
		return;
	ck_assert_uint_eq(got.addr, want->addr);
	ck_assert_int_eq(got.aperture, want->aperture);
	ck_assert_uint_eq(got.flags, want->flags);
}

static void expect_shift(u64 va, u32 want)
{
	u32 shift;

	ck_assert(page_at(vas, va, &shift).mapped);
	ck_assert_uint_eq(shift, want);
}

static void expect_shadow(void)
{
	for (u32 i = 0; i < PAGES; i++)
		expect(SHADOW + i * PAGE, &shadow[i]);
}

static void expect_none(u64 va, u64 size)
{
	static const struct page none;

	for (u64 at = va; at < va + size; at += PAGE)
		expect(at, &none);
}

/* Where byte offset of the pieces lies. */
static struct page piece_page(const struct vas_mapping *mapping, u64 offset)
{
	const struct vas_piece *piece = mapping->piece;

	while (offset >= piece->size)
		offset -= piece++->size;
	return (struct page){
		.mapped = true,
		.aperture = piece->aperture,
		.addr = piece->addr + offset,
		.flags = mapping->flags & (VAS_READ_ONLY | VAS_VOLATILE |
					   VAS_PRIVILEGED),
	};
}

static void expect_mapping(const struct vas_mapping *mapping)
{
	for (u64 at = 0; at < mapping->size; at += PAGE) {
		struct page want = piece_page(mapping, mapping->offset + at);

		expect(mapping->va + at, &want);
	}
}

static const struct vas_piece one = { MMU_VRAM, 256 * M, 1024 * M };

static struct vas_mapping mapping_of(u64 va, u64 size)
{
	return (struct vas_mapping){
		.va = va, .size = size, .piece = &one, .pieces = 1,
		.flags = VAS_FIXED,
	};
}

/* The manual's examples, and what differs from them [§6.4]. */
START_TEST(entries_are_as_the_manual_has_them)
{
	const struct pte_format *one = pte_format(1), *two = pte_format(2);
	u64 entry[2];

	ck_assert_uint_eq(two->page(MMU_VRAM, 0x01234000, 0), 0x123401);
	ck_assert_uint_eq(two->page(MMU_SYS_COHERENT, 0x7f1234567000, 0),
			  0x7f123456705);
	ck_assert_uint_eq(two->page(MMU_SYS_NONCOHERENT, 0x1000,
				    VAS_READ_ONLY | VAS_VOLATILE |
				    VAS_PRIVILEGED), 0x16f);
	two->directory(0, 0, 0x01234000, entry);
	ck_assert_uint_eq(entry[0], 0x123402);
	two->directory(3, 0x01234500, 0x05678000, entry);
	ck_assert_uint_eq(entry[0], 0x123452);
	ck_assert_uint_eq(entry[1], 0x567802);
	two->directory(3, 0, 0, entry);
	ck_assert_uint_eq(entry[0] | entry[1], 0);

	ck_assert_uint_eq(one->page(MMU_VRAM, 0x01234000, 0), 0x12341);
	ck_assert_uint_eq(one->page(MMU_SYS_NONCOHERENT, 0x1000,
				    VAS_READ_ONLY | VAS_VOLATILE |
				    VAS_PRIVILEGED), 0x700000017);
	one->directory(0, 0x01234000, 0x05678000, entry);
	ck_assert_uint_eq(entry[0], 0x0005678100012341);
}
END_TEST

START_TEST(an_empty_space_has_a_root_and_nothing_else)
{
	u32 words[4];

	start(_i);
	expect_none(BASE, 16 * PAGE);
	vas_instance(vas, words);
	ck_assert_uint_eq(words[0] & ~0xfffu, lower_32_bits(vas_root(vas)));
	ck_assert_uint_eq(words[1], upper_32_bits(vas_root(vas)));
	ck_assert_uint_eq(words[0] & 0xfff, has_huge() ? 0xc00 : 0x800);
	ck_assert_uint_eq(words[2], lower_32_bits(LIMIT - PAGE));
	ck_assert_uint_eq(words[3], upper_32_bits(LIMIT - PAGE));
	ck_assert_uint_eq(vas_page_shifts(m.gpu), 1 << 12 | 1 << 16 |
			  (has_huge() ? 1 << 21 : 0));
	ck_assert_uint_le(empty_bytes, 64 * K);
	stop();
}
END_TEST

START_TEST(pages_of_every_size_memory_and_right_are_mapped)
{
	static const u32 shifts[] = { 12, 16, 21 };
	static const u64 addrs[] = { 512 * M, 0x7fc0200000, 0xffffc00000 };

	start(_i);
	for (u32 n = 0; n < 3 * 3 * 8; n++) {
		u32 shift = shifts[n % 3], aperture = n / 3 % 3;
		struct vas_piece piece = {
			aperture, addrs[aperture], 2 << shift
		};
		struct vas_mapping mapping = {
			.size = 2 << shift, .piece = &piece, .pieces = 1,
			.flags = n / 9, .page_shift = shift,
		};

		if (shift == 21 && !has_huge()) {
			ck_assert_int_eq(vas_map(vas, &mapping), -EINVAL);
			continue;
		}
		ck_assert_int_eq(vas_map(vas, &mapping), 0);
		ck_assert_uint_eq(mapping.va % (1 << shift), 0);
		expect_mapping(&mapping);
		expect_shift(mapping.va, shift);
		if (n % 2)
			ck_assert_int_eq(vas_unmap(vas, mapping.va,
						   mapping.size), 0);
	}
	ck_assert_int_eq(vas_unmap(vas, BASE, LIMIT - BASE), 0);
	ck_assert_uint_eq(vas_table_bytes(vas), empty_bytes);
	stop();
}
END_TEST

START_TEST(an_offset_is_into_the_first_of_many_pieces)
{
	const struct vas_piece piece[] = {
		{ MMU_VRAM, 300 * M, 8 * K },
		{ MMU_SYS_COHERENT, 0x7000001000, 0 },
		{ MMU_SYS_COHERENT, 0x7000001000, 8 * K },
		{ MMU_VRAM, 400 * M, 8 * K },
		{ MMU_SYS_NONCOHERENT, 0x7100010000, 128 * K },
		{ MMU_VRAM, 500 * M, 9 * M },
	};
	struct vas_mapping mapping = {
		.va = SHADOW - PAGE, .size = 8 * M, .piece = piece,
		.pieces = ARRAY_SIZE(piece), .flags = VAS_FIXED,
	};

	start(_i);
	for (mapping.offset = 0; mapping.offset < 160 * K;
	     mapping.offset += 12 * K) {
		ck_assert_int_eq(vas_map(vas, &mapping), 0);
		expect_mapping(&mapping);
		expect_none(mapping.va - PAGE, PAGE);
		expect_none(mapping.va + mapping.size, PAGE);
		ck_assert_int_eq(vas_unmap(vas, mapping.va, mapping.size), 0);
		ck_assert_uint_eq(vas_table_bytes(vas), empty_bytes);
	}
	stop();
}
END_TEST

START_TEST(the_largest_pages_that_fit_are_used)
{
	struct vas_mapping mapping = mapping_of(128 * M - 68 * K, 4 * M);

	start(_i);
	mapping.offset = 2 * M - 68 * K;
	ck_assert_int_eq(vas_map(vas, &mapping), 0);
	expect_mapping(&mapping);
	expect_shift(128 * M - 68 * K, 12);
	expect_shift(128 * M - 64 * K, 16);
	expect_shift(128 * M, has_huge() ? 21 : 16);
	expect_shift(130 * M, 16);
	expect_shift(132 * M - 68 * K - PAGE, 12);
	stop();
}
END_TEST

/* One byte range out of the middle, of pages of one size. */
START_TEST(the_middle_of_a_page_can_be_unmapped_and_replaced)
{
	u32 shift = _i / 3 ? 16 : 21;
	u64 page = 1ULL << shift, hole = 3 * PAGE;

	start(_i % 3);
	if (shift == 21 && !has_huge())
		shift = 16;
	for (u64 at = 0; at + hole <= page;
	     at += page / 16 + (page > M ? PAGE : 0)) {
		struct vas_mapping all = mapping_of(128 * M, 3 * page);
		struct vas_mapping part = mapping_of(128 * M + page + at,
						     hole);

		all.page_shift = shift;
		part.offset = 64 * M;
		part.flags |= VAS_REPLACE | VAS_READ_ONLY;
		ck_assert_int_eq(vas_map(vas, &all), 0);
		ck_assert_int_eq(vas_unmap(vas, part.va, hole), 0);
		expect_none(part.va, hole);
		all.size = page + at;
		expect_mapping(&all);
		ck_assert_int_eq(vas_map(vas, &part), 0);
		expect_mapping(&part);
		expect_mapping(&all);
		all.va = part.va + hole;
		all.offset = page + at + hole;
		all.size = 2 * page - at - hole;
		expect_mapping(&all);
		ck_assert_int_eq(vas_unmap(vas, 128 * M, 3 * page), 0);
		ck_assert_uint_eq(vas_table_bytes(vas), empty_bytes);
	}
	stop();
}
END_TEST

START_TEST(pages_of_each_size_replace_pages_of_each_size)
{
	static const u32 shifts[] = { 12, 16, 21 };
	struct vas_mapping old = mapping_of(128 * M, 4 * M);
	struct vas_mapping new = mapping_of(128 * M, 4 * M);

	start(_i / 9);
	old.page_shift = shifts[_i % 3];
	new.page_shift = shifts[_i / 3 % 3];
	new.flags |= VAS_REPLACE;
	new.offset = 64 * M;
	if (!has_huge() && max(old.page_shift, new.page_shift) == 21) {
		stop();
		return;
	}
	ck_assert_int_eq(vas_map(vas, &old), 0);
	expect_shift(129 * M, old.page_shift);
	ck_assert_int_eq(vas_map(vas, &old), -EEXIST);
	ck_assert_int_eq(vas_map(vas, &new), 0);
	expect_mapping(&new);
	expect_shift(129 * M, new.page_shift);
	ck_assert_int_eq(vas_unmap(vas, BASE, LIMIT - BASE), 0);
	expect_none(128 * M, 4 * M);
	ck_assert_uint_eq(vas_table_bytes(vas), empty_bytes);
	stop();
}
END_TEST

/* Random calls on the pages of the array. */

static void shadow_set(u64 va, u64 size, const struct vas_mapping *mapping)
{
	for (u64 at = 0; at < size; at += PAGE)
		shadow[(va - SHADOW + at) / PAGE] = mapping ?
			piece_page(mapping, mapping->offset + at) :
			(struct page){ 0 };
}

static bool shadow_is_free(u64 va, u64 size)
{
	for (u64 at = 0; at < size; at += PAGE) {
		if (shadow[(va - SHADOW + at) / PAGE].mapped)
			return false;
	}
	return true;
}

static void draw_range(u64 *va, u64 *size, u64 page)
{
	u32 pages = PAGES * PAGE / page, first = draw(pages);
	u32 count = 1 + draw(min(pages - first, draw(4) ? 40u : PAGES));

	*va = SHADOW + first * page;
	*size = count * page;
}

static void random_map(void)
{
	u64 page = 1ULL << (draw(3) ? 12 : 16);
	struct vas_piece piece[4];
	struct vas_mapping mapping = {
		.flags = VAS_FIXED | (draw(2) ? VAS_REPLACE : 0) | draw(8),
		.piece = piece, .pieces = 1 + draw(4),
	};
	int err;

	draw_range(&mapping.va, &mapping.size, page);
	mapping.page_shift = draw(2) ? ilog2(page) : 0;
	mapping.offset = draw(3) * page;
	for (u32 i = 0; i < mapping.pieces; i++)
		piece[i] = (struct vas_piece){
			.aperture = draw(3), .addr = M * (16 + draw(999)) +
				draw(3) * page, .size = (draw(9)) * page,
		};
	piece[mapping.pieces - 1].size = mapping.offset + mapping.size;
	/* As if it lay in step with the addresses: large pages. */
	if (draw(2))
		piece[0] = (struct vas_piece){
			MMU_VRAM, mapping.va + 64 * M * (1 + draw(9)) -
				mapping.offset, 16 * M,
		};
	err = vas_map(vas, &mapping);
	if (err == -ENOMEM && port_fail_alloc_hit())
		return;
	if (!(mapping.flags & VAS_REPLACE) &&
	    !shadow_is_free(mapping.va, mapping.size)) {
		ck_assert_int_eq(err, -EEXIST);
		return;
	}
	ck_assert_int_eq(err, 0);
	shadow_set(mapping.va, mapping.size, &mapping);
}

static void random_unmap(void)
{
	u64 va, size;
	int err;

	draw_range(&va, &size, PAGE);
	err = vas_unmap(vas, va, size);
	if (err == -ENOMEM && port_fail_alloc_hit())
		return;
	ck_assert_int_eq(err, 0);
	shadow_set(va, size, NULL);
}

START_TEST(random_calls_leave_what_the_array_says)
{
	start(_i % 3);
	seed = _i;
	for (u32 call = 0; call < 150; call++) {
		if (_i >= 6)
			port_fail_alloc(draw(10));
		if (draw(5) < 3)
			random_map();
		else
			random_unmap();
		expect_shadow();
	}
	port_fail_alloc(0);
	ck_assert_int_eq(vas_unmap(vas, SHADOW, PAGES * PAGE), 0);
	ck_assert_uint_eq(vas_table_bytes(vas), empty_bytes);
	stop();
}
END_TEST

START_TEST(impossible_arguments_are_refused_and_change_nothing)
{
	struct vas_mapping good = mapping_of(128 * M, 64 * K), bad[16];
	struct vas_piece piece[] = {
		{ MMU_VRAM, 256 * M + 1, M }, { MMU_VRAM, 256 * M, M + 1 },
		{ MMU_VRAM, -M, 2 * M }, { MMU_VRAM, 1ULL << 40, M },
		{ MMU_SYS_COHERENT, 1ULL << 47, M }, { 3, 256 * M, M },
		{ MMU_SYS_COHERENT, 0x7000000000, 60 * K },
		{ MMU_SYS_COHERENT, -64 * K, 64 * K },
	};
	u32 n = 0;

	start(_i);
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[n++].size = 0;
	bad[n++].size = 64 * K + 1;
	bad[n++].size = -PAGE;
	bad[n++].va++;
	bad[n++].va = BASE - PAGE;
	bad[n++].va = LIMIT - PAGE;
	bad[n++].va = -PAGE;
	bad[n++].offset = 1;
	bad[n++].offset = 1024 * M - PAGE;
	bad[n++].offset = -PAGE;
	bad[n++].page_shift = 13;
	bad[n++].page_shift = 255;
	bad[n++].flags = VAS_REPLACE;
	bad[n++].flags |= 32;
	bad[n++].pieces = 0;
	bad[n].page_shift = 16;
	bad[n++].va += PAGE;
	ck_assert_uint_eq(n, ARRAY_SIZE(bad));
	for (u32 i = 0; i < n; i++)
		ck_assert_msg(vas_map(vas, &bad[i]) == -EINVAL, "bad %u", i);
	for (u32 i = 0; i < ARRAY_SIZE(piece); i++) {
		good.piece = &piece[i];
		ck_assert_msg(vas_map(vas, &good) == -EINVAL, "piece %u", i);
	}
	ck_assert_int_eq(vas_unmap(vas, 128 * M, 0), -EINVAL);
	ck_assert_int_eq(vas_unmap(vas, 128 * M + 1, PAGE), -EINVAL);
	ck_assert_int_eq(vas_unmap(vas, 128 * M, PAGE + 1), -EINVAL);
	ck_assert_int_eq(vas_unmap(vas, BASE - PAGE, 2 * PAGE), -EINVAL);
	ck_assert_int_eq(vas_unmap(vas, LIMIT - PAGE, 2 * PAGE), -EINVAL);
	ck_assert_int_eq(vas_unmap(vas, LIMIT - PAGE, -PAGE), -EINVAL);
	ck_assert_uint_eq(vas_table_bytes(vas), empty_bytes);
	stop();
}
END_TEST

START_TEST(impossible_spaces_are_refused)
{
	u64 bits = _i == CARD_M40 ? 40 : 49;

	open_card(_i);
	ck_assert_int_eq(vas_create(m.gpu, 1, PAGE, &vas), -EINVAL);
	ck_assert_int_eq(vas_create(m.gpu, 0, PAGE + 1, &vas), -EINVAL);
	ck_assert_int_eq(vas_create(m.gpu, PAGE, PAGE, &vas), -EINVAL);
	ck_assert_int_eq(vas_create(m.gpu, 0, (1ULL << bits) + PAGE, &vas),
			 -EINVAL);
	ck_assert_int_eq(vas_create(m.gpu, 0, 1ULL << bits, &vas), 0);
	struct vas_mapping last = mapping_of((1ULL << bits) - 2 * M, 2 * M);
	ck_assert_int_eq(vas_map(vas, &last), 0);
	expect_mapping(&last);
	last.flags = 0;
	last.size = 1024 * M;
	ck_assert_int_eq(vas_map(vas, &last), 0);
	ck_assert_uint_eq(last.va, 0);
	ck_assert_int_eq(vas_unmap(vas, 0, 1ULL << bits), 0);
	stop();
}
END_TEST

START_TEST(a_full_space_has_no_address_left)
{
	struct vas_mapping mapping = mapping_of(0, 512 * K);

	open_card(_i);
	ck_assert_int_eq(vas_create(m.gpu, BASE, BASE + M, &vas), 0);
	mapping.flags = 0;
	ck_assert_int_eq(vas_map(vas, &mapping), 0);
	ck_assert_int_eq(vas_map(vas, &mapping), 0);
	ck_assert_int_eq(vas_map(vas, &mapping), -ENOSPC);
	ck_assert_int_eq(vas_unmap(vas, BASE + 4 * K, 520 * K), 0);
	ck_assert_int_eq(vas_map(vas, &mapping), 0);
	ck_assert_uint_eq(mapping.va, BASE + 4 * K);
	expect_mapping(&mapping);
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vas");
	TCase *tcase = tcase_create("vas");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, entries_are_as_the_manual_has_them);
	tcase_add_loop_test(tcase,
		an_empty_space_has_a_root_and_nothing_else, 0, 3);
	tcase_add_loop_test(tcase,
		pages_of_every_size_memory_and_right_are_mapped, 0, 3);
	tcase_add_loop_test(tcase,
		an_offset_is_into_the_first_of_many_pieces, 0, 3);
	tcase_add_loop_test(tcase, the_largest_pages_that_fit_are_used, 0, 3);
	tcase_add_loop_test(tcase,
		the_middle_of_a_page_can_be_unmapped_and_replaced, 0, 6);
	tcase_add_loop_test(tcase,
		pages_of_each_size_replace_pages_of_each_size, 0, 27);
	tcase_add_loop_test(tcase, random_calls_leave_what_the_array_says,
			    0, 12);
	tcase_add_loop_test(tcase,
		impossible_arguments_are_refused_and_change_nothing, 0, 3);
	tcase_add_loop_test(tcase, impossible_spaces_are_refused, 0, 3);
	tcase_add_loop_test(tcase, a_full_space_has_no_address_left, 0, 3);
	suite_add_tcase(suite, tcase);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
