/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Method headers, GP entries and their CRC [§9.1] to [§9.3].
 *
 * The expected words are written out from the manual's bit ranges, not from
 * the tables that push.c uses: a wrong table must not agree with itself.
 */
#include <check.h>
#include <stdlib.h>

#include "push.h"

#define FORM_INC	(1u << 29)
#define FORM_NON_INC	(3u << 29)
#define FORM_IMMEDIATE	(4u << 29)
#define FORM_ONE_INC	(5u << 29)

#define HEADER(form, count, subchannel, method) \
	((form) | (u32)(count) << 16 | (u32)(subchannel) << 13 | (method) / 4)

static u32 words[16384];
static u32 data[8192];
static struct push push;

static void setup(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(data); i++)
		data[i] = 0xd0000000 + i;
	memset(words, 0xee, sizeof(words));
	push_init(&push, words, ARRAY_SIZE(words));
}

struct form {
	int (*append)(struct push *push, u32 subchannel, u32 method,
		      const u32 *data, u32 count);
	u32 bits;
};

static const struct form forms[] = {
	{ push_inc, FORM_INC },
	{ push_non_inc, FORM_NON_INC },
	{ push_one_inc, FORM_ONE_INC },
};

START_TEST(a_group_is_one_header_and_its_data)
{
	const struct form *form = &forms[_i];

	ck_assert_int_eq(form->append(&push, 4, 0x400, data, 3), 0);
	ck_assert_uint_eq(push.count, 4);
	ck_assert_uint_eq(words[0], HEADER(form->bits, 3, 4, 0x400));
	ck_assert_mem_eq(words + 1, data, 3 * 4);
	ck_assert_uint_eq(words[4], 0xeeeeeeee);
}
END_TEST

START_TEST(groups_follow_one_another)
{
	ck_assert_int_eq(push_inc(&push, 0, 0x10, data, 4), 0);
	ck_assert_int_eq(push_immediate(&push, 4, 0x300, 0x18e), 0);
	ck_assert_int_eq(push_non_inc(&push, 7, 0x3ffc, data, 1), 0);
	ck_assert_uint_eq(push.count, 5 + 1 + 2);
	ck_assert_uint_eq(words[0], 0x20040004);
	ck_assert_uint_eq(words[5],
			  HEADER(FORM_IMMEDIATE, 0x18e, 4, 0x300));
	ck_assert_uint_eq(words[6], HEADER(FORM_NON_INC, 1, 7, 0x3ffc));
}
END_TEST

START_TEST(the_largest_values_fit)
{
	const struct form *form = &forms[_i];

	ck_assert_int_eq(form->append(&push, 7, 0x3ffc, data, 8191), 0);
	ck_assert_uint_eq(push.count, 8192);
	ck_assert_uint_eq(words[0], HEADER(form->bits, 8191, 7, 0x3ffc));
	ck_assert_int_eq(push_immediate(&push, 7, 0x3ffc, 0x1fff), 0);
	ck_assert_uint_eq(words[8192],
			  HEADER(FORM_IMMEDIATE, 0x1fff, 7, 0x3ffc));
}
END_TEST

START_TEST(what_does_not_fit_a_field_is_refused_and_appends_nothing)
{
	const struct form *form = &forms[_i];

	ck_assert_int_eq(form->append(&push, 8, 0x100, data, 1), -EINVAL);
	ck_assert_int_eq(form->append(&push, 0, 0x4000, data, 1), -EINVAL);
	ck_assert_int_eq(form->append(&push, 0, 0x102, data, 1), -EINVAL);
	ck_assert_int_eq(form->append(&push, 0, 0x100, data, 0), -EINVAL);
	ck_assert_int_eq(form->append(&push, 0, 0x100, data, 8192), -EINVAL);
	ck_assert_int_eq(push_immediate(&push, 8, 0x100, 1), -EINVAL);
	ck_assert_int_eq(push_immediate(&push, 0, 0x4000, 1), -EINVAL);
	ck_assert_int_eq(push_immediate(&push, 0, 0x101, 1), -EINVAL);
	ck_assert_int_eq(push_immediate(&push, 0, 0x100, 0x2000), -EINVAL);
	ck_assert_uint_eq(push.count, 0);
	ck_assert_uint_eq(words[0], 0xeeeeeeee);
}
END_TEST

START_TEST(a_group_that_lacks_one_word_is_refused)
{
	const struct form *form = &forms[_i];

	push_init(&push, words, 4);
	ck_assert_int_eq(form->append(&push, 0, 0x100, data, 4), -ENOSPC);
	ck_assert_uint_eq(push.count, 0);
	ck_assert_uint_eq(words[0], 0xeeeeeeee);
	ck_assert_int_eq(form->append(&push, 0, 0x100, data, 3), 0);
	ck_assert_int_eq(push_immediate(&push, 0, 0x100, 0), -ENOSPC);
	ck_assert_uint_eq(push.count, 4);
}
END_TEST

START_TEST(a_segment_entry_holds_address_length_and_flags)
{
	u64 entry;

	ck_assert_int_eq(gp_entry_segment(0x123456789cULL, 5, 0, &entry), 0);
	ck_assert_uint_eq(entry, 5ULL << 42 | 0x12ULL << 32 | 0x3456789c);
	ck_assert_int_eq(gp_entry_segment(0xfffffffff8ULL, 1, 0, &entry), 0);
	ck_assert_uint_eq(entry, 1ULL << 42 | 0xffULL << 32 | 0xfffffff8);
	ck_assert_int_eq(gp_entry_segment(0, (1 << 21) - 1,
					  GP_SYNC_WAIT | GP_SUBROUTINE,
					  &entry), 0);
	ck_assert_uint_eq(entry, 1ULL << 63 | 0x1fffffULL << 42 | 1ULL << 41);
}
END_TEST

START_TEST(a_segment_entry_that_cannot_be_is_refused)
{
	u64 entry = 42;

	ck_assert_int_eq(gp_entry_segment(2, 1, 0, &entry), -EINVAL);
	ck_assert_int_eq(gp_entry_segment(0, 0, 0, &entry), -EINVAL);
	ck_assert_int_eq(gp_entry_segment(0, 1 << 21, 0, &entry), -EINVAL);
	ck_assert_int_eq(gp_entry_segment(1ULL << 40, 1, 0, &entry), -EINVAL);
	/* The position after the segment has 40 bits too. */
	ck_assert_int_eq(gp_entry_segment(0xfffffffffcULL, 1, 0, &entry),
			 -EINVAL);
	ck_assert_int_eq(gp_entry_segment(0, 1, 4, &entry), -EINVAL);
	ck_assert_uint_eq(entry, 42);
}
END_TEST

START_TEST(a_control_entry_has_length_zero)
{
	u64 entry = 42;

	ck_assert_int_eq(gp_entry_control(3, 0xfeedf00d, &entry), 0);
	ck_assert_uint_eq(entry, 3ULL << 32 | 0xfeedf00d);
	ck_assert_int_eq(gp_entry_control(2, 1, &entry), 0);
	ck_assert_uint_eq(entry, 2ULL << 32 | 1);
	ck_assert_int_eq(gp_entry_control(0, 0, &entry), 0);
	ck_assert_uint_eq(entry, 0);
	entry = 42;
	ck_assert_int_eq(gp_entry_control(1, 0, &entry), -EINVAL);
	ck_assert_int_eq(gp_entry_control(4, 0, &entry), -EINVAL);
	ck_assert_uint_eq(entry, 42);
}
END_TEST

static u32 crc_bit_by_bit(u32 crc, const u32 *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		crc ^= from[i];
		for (int bit = 0; bit < 32; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return crc;
}

START_TEST(the_crc_is_that_of_its_definition_for_every_length)
{
	for (u32 i = 0; i < ARRAY_SIZE(data); i++)
		data[i] = i * 2654435761u ^ i << 7;
	for (size_t count = 0; count < 200; count++) {
		const u32 *from = data + count % 5;

		ck_assert_uint_eq(push_crc32(0, from, count),
				  crc_bit_by_bit(0, from, count));
		ck_assert_uint_eq(push_crc32(0xdeadbeef, from, count),
				  crc_bit_by_bit(0xdeadbeef, from, count));
	}
	ck_assert_uint_eq(push_crc32(0, data, 8192),
			  crc_bit_by_bit(0, data, 8192));
}
END_TEST

START_TEST(the_crc_can_be_continued)
{
	for (size_t cut = 0; cut <= 64; cut++) {
		u32 crc = push_crc32(0, data, cut);

		crc = push_crc32(crc, data + cut, 64 - cut);
		ck_assert_uint_eq(crc, push_crc32(0, data, 64));
	}
}
END_TEST

START_TEST(the_crc_is_the_one_that_everybody_knows)
{
	/* "12345678" with inversion at both ends has CRC 0x9ae0daaf. */
	static const u32 text[2] = { 0x34333231, 0x38373635 };

	ck_assert_uint_eq(~push_crc32(0xffffffff, text, 2), 0x9ae0daaf);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("push");
	TCase *tcase = tcase_create("push");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_loop_test(tcase, a_group_is_one_header_and_its_data, 0, 3);
	tcase_add_test(tcase, groups_follow_one_another);
	tcase_add_loop_test(tcase, the_largest_values_fit, 0, 3);
	tcase_add_loop_test(tcase,
		what_does_not_fit_a_field_is_refused_and_appends_nothing,
		0, 3);
	tcase_add_loop_test(tcase, a_group_that_lacks_one_word_is_refused,
			    0, 3);
	tcase_add_test(tcase, a_segment_entry_holds_address_length_and_flags);
	tcase_add_test(tcase, a_segment_entry_that_cannot_be_is_refused);
	tcase_add_test(tcase, a_control_entry_has_length_zero);
	tcase_add_test(tcase,
		the_crc_is_that_of_its_definition_for_every_length);
	tcase_add_test(tcase, the_crc_can_be_continued);
	tcase_add_test(tcase, the_crc_is_the_one_that_everybody_knows);
	suite_add_tcase(suite, tcase);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
