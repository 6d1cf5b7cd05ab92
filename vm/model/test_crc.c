/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The CRC's implementations agree, and with the manual's figures [§9.2]. */
#include "vm/model/crc.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct card_crc fast, portable;

static void start(void)
{
	card_crc_init(&fast);
	card_crc_init_portable(&portable);
}

static const struct {
	const char *bytes;
	size_t len;
	uint32_t crc;
} known[] = {
	{ "123456789", 9, 0x2dfd2d88 },
	{ "\x01\0\0\0", 4, 0xb8bc6765 },
	{ "\0\0\x02\x40\0\x20\0\0", 8, 0x2d76bfa2 },
	{ "", 0, 0 },
};

START_TEST(known_values_come_out)
{
	ck_assert_uint_eq(card_crc_update(&fast, 0, known[_i].bytes,
					  known[_i].len), known[_i].crc);
	ck_assert_uint_eq(card_crc_update(&portable, 0, known[_i].bytes,
					  known[_i].len), known[_i].crc);
}
END_TEST

static uint32_t bit_by_bit(uint32_t crc, const uint8_t *byte, size_t len)
{
	unsigned int i;

	while (len--) {
		crc ^= *byte++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

START_TEST(both_agree_with_the_definition_for_every_length_and_alignment)
{
	uint8_t data[400];
	unsigned int from, len;
	uint32_t crc = 1;

	for (len = 0; len < sizeof(data); len++)
		data[len] = crc = crc * 1103515245 + 12345;
	for (from = 0; from < 17; from++) {
		for (len = 0; len < sizeof(data) - 17; len++) {
			uint32_t right = bit_by_bit(crc, data + from, len);

			ck_assert_uint_eq(card_crc_update(&fast, crc,
						data + from, len), right);
			ck_assert_uint_eq(card_crc_update(&portable, crc,
						data + from, len), right);
			crc = crc * 69069 + 1;
		}
	}
}
END_TEST

START_TEST(a_crc_may_be_computed_in_pieces)
{
	static const char text[] = "a segment that was fetched in two lines";
	size_t i, len = strlen(text);
	uint32_t whole = card_crc_update(&fast, 0, text, len);

	for (i = 0; i <= len; i++) {
		uint32_t crc = card_crc_update(&fast, 0, text, i);

		ck_assert_uint_eq(card_crc_update(&fast, crc, text + i,
						  len - i), whole);
	}
}
END_TEST

static uint32_t method_bit_by_bit(uint32_t crc, uint64_t bytes)
{
	unsigned int i, bit;

	for (i = 0; i < 6; i++, bytes >>= 8) {
		crc ^= (uint32_t)(bytes & 0xff) << 24;
		for (bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7 : 0);
	}
	return crc;
}

START_TEST(methods_are_counted_singly_or_in_a_run)
{
	uint32_t data[9], i, n, crc = 3, one, right;

	for (n = 0; n <= 9; n++) {
		one = right = crc;
		for (i = 0; i < n; i++) {
			data[i] = (crc + i) * 2654435761u;
			one = card_crc_method(&fast, one, 5, 0x1114, data[i]);
			right = method_bit_by_bit(right, data[i] |
				(uint64_t)(0x1114 >> 2 | 5 << 12) << 32);
		}
		ck_assert_uint_eq(one, right);
		ck_assert_uint_eq(card_crc_methods(&fast, crc, 5, 0x1114,
						   data, n), right);
		crc = right + n;
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("crc");
	TCase *t = tcase_create("crc");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(t, start, NULL);
	tcase_add_loop_test(t, known_values_come_out, 0,
			    sizeof(known) / sizeof(known[0]));
	tcase_add_test(t,
	    both_agree_with_the_definition_for_every_length_and_alignment);
	tcase_add_test(t, a_crc_may_be_computed_in_pieces);
	tcase_add_test(t, methods_are_counted_singly_or_in_a_run);
	suite_add_tcase(s, t);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
