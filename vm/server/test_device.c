/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What a client may ask, and what it is answered. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm/server/test_client.h"
#include "vm/spec/reg.h"

static void setup(void)
{
	client_setup();
	client_greet();
}

static int ask_info(unsigned int command, uint32_t argsz, uint32_t index)
{
	uint8_t body[32] = { 0 };

	vu_put32(body, argsz);
	vu_put32(body + 8, index);
	return client_ask(command, body,
			  command == VU_GET_REGION_INFO ? 32 : 16, NULL, 0);
}

static uint32_t word(size_t offset)
{
	return vu_get32(client.seen.body + offset);
}

START_TEST(a_version_is_answered_with_ours)
{
	client_connect();
	ck_assert_int_eq(client_ask(VU_VERSION, "\0\0\5\0", 4, NULL, 0), 0);
	ck_assert_uint_eq(word(0), 0);
	ck_assert_ptr_nonnull(strstr((char *)client.seen.body + 4,
				     "max_dma_maps"));
	ck_assert_ptr_null(strstr((char *)client.seen.body + 4,
				  "write_multiple"));
}
END_TEST

START_TEST(the_device_is_pci_and_can_be_reset)
{
	ck_assert_int_eq(ask_info(VU_GET_INFO, 16, 0), 0);
	ck_assert_uint_eq(client.seen.size, 16);
	ck_assert_uint_eq(word(4), 3);
	ck_assert_uint_eq(word(8), 9);
	ck_assert_uint_eq(word(12), 5);
	ck_assert_int_eq(ask_info(VU_GET_INFO, 15, 0), -EINVAL);
}
END_TEST

START_TEST(regions_are_those_of_the_card_and_none_can_be_mapped)
{
	static const uint64_t sizes[9] = {
		16 << 20, 16ull << 30, 0, 32 << 20, 0, 0, 0, 4096, 0,
	};
	uint64_t size = sizes[_i];

	if (_i == 1 && client.options.card.chip == CARD_P40)
		size = 32ull << 30;
	ck_assert_int_eq(ask_info(VU_GET_REGION_INFO, 32, _i), 0);
	ck_assert_uint_eq(client.seen.size, 32);
	ck_assert_uint_eq(word(4), size ? 3 : 0);
	ck_assert_uint_eq(word(8), _i);
	ck_assert_uint_eq(vu_get64(client.seen.body + 16), size);
	ck_assert_int_eq(ask_info(VU_GET_REGION_INFO, 31, _i), -EINVAL);
	ck_assert_int_eq(ask_info(VU_GET_REGION_INFO, 32, 9 + _i), -EINVAL);
	ck_assert_int_eq(ask_info(VU_GET_REGION_INFO, 32, ~0u), -EINVAL);
}
END_TEST

START_TEST(interrupts_are_intx_and_one_message)
{
	static const uint32_t counts[5] = { 1, 1, 0, 1, 0 };
	static const uint32_t flags[5] = { 7, 9, 0, 9, 0 };

	ck_assert_int_eq(ask_info(VU_GET_IRQ_INFO, 16, _i), 0);
	ck_assert_uint_eq(client.seen.size, 16);
	ck_assert_uint_eq(word(4), flags[_i]);
	ck_assert_uint_eq(word(12), counts[_i]);
	ck_assert_int_eq(ask_info(VU_GET_IRQ_INFO, 15, _i), -EINVAL);
	ck_assert_int_eq(ask_info(VU_GET_IRQ_INFO, 16, 5 + _i), -EINVAL);
}
END_TEST

START_TEST(configuration_space_is_read_in_one_go)
{
	uint8_t body[16] = { 0 };

	vu_put32(body + 8, REGION_CONFIG);
	vu_put32(body + 12, 4096);
	ck_assert_int_eq(client_ask(VU_REGION_READ, body, 16, NULL, 0), 0);
	ck_assert_uint_eq(client.seen.size, 16 + 4096);
	ck_assert_uint_eq(word(16) & 0xffff, 0x10de);
	ck_assert_uint_eq(word(16 + NV_XVE_MSI_CTRL) & 0xff, 5);
}
END_TEST

START_TEST(any_range_of_configuration_space_can_be_read)
{
	uint8_t whole[64], body[16] = { 0 };

	for (int i = 0; i < 16; i++) {
		uint32_t value = client_read(REGION_CONFIG, 4 * i, 4);

		memcpy(whole + 4 * i, &value, 4);
	}
	for (uint32_t at = 0; at < 16; at++) {
		vu_put64(body, at);
		vu_put32(body + 8, REGION_CONFIG);
		vu_put32(body + 12, 1 + _i);
		ck_assert_int_eq(client_ask(VU_REGION_READ, body, 16, NULL,
					    0), 0);
		ck_assert_mem_eq(client.seen.body + 16, whole + at, 1 + _i);
	}
}
END_TEST

static void memory_on(void)
{
	ck_assert_int_eq(client_write(REGION_CONFIG, NV_XVE_DEV_CTRL, 2, 6),
			 0);
}

START_TEST(registers_answer_once_memory_is_on)
{
	static const uint32_t boot[] = { 0x130000a1, 0x132000a1, 0x120000a1 };

	ck_assert_uint_eq(client_read(0, NV_PMC_BOOT_0, 4), ~0u);
	memory_on();
	ck_assert_uint_eq(client_read(0, NV_PMC_BOOT_0, 4), boot[_i]);
}
END_TEST

START_TEST(a_posted_write_is_seen_by_the_next_read)
{
	memory_on();
	client_post(0, NV_PMC_INTR_EN_SET, 4, 0x100);
	ck_assert_uint_eq(client_read(0, NV_PMC_GP100_INTR_EN, 4), 0x100);
	ck_assert(!client_receive());
}
END_TEST

START_TEST(many_writes_in_one_message_are_made_in_order)
{
	uint8_t body[8 + 3 * VU_MULTI_ENTRY] = { 3 };

	memory_on();
	for (unsigned int i = 0; i < 3; i++) {
		uint8_t *entry = body + 8 + i * VU_MULTI_ENTRY;

		vu_put64(entry, i == 1 ? NV_PMC_INTR_EN_CLEAR :
			 NV_PMC_INTR_EN_SET);
		vu_put32(entry + 8, 0);
		vu_put32(entry + 12, 4);
		vu_put32(entry + 16, i == 1 ? 0x300 : 0x100 << i);
	}
	ck_assert_int_eq(client_ask(VU_WRITE_MULTI, body, sizeof(body), NULL,
				    0), 0);
	ck_assert_uint_eq(vu_get64(client.seen.body), 3);
	ck_assert_uint_eq(client_read(0, NV_PMC_GP100_INTR_EN, 4), 0x400);
	/* one that cannot be made spoils all */
	vu_put32(body + 8 + 2 * VU_MULTI_ENTRY + 8, 2);
	ck_assert_int_eq(client_ask(VU_WRITE_MULTI, body, sizeof(body), NULL,
				    0), -EINVAL);
	ck_assert_uint_eq(client_read(0, NV_PMC_GP100_INTR_EN, 4), 0x400);
}
END_TEST

START_TEST(an_access_outside_a_region_is_refused)
{
	static const struct {
		uint32_t region, count;
		uint64_t offset;
	} rows[] = {
		{ 0, 4, 16 << 20 }, { 0, 4, (16 << 20) - 3 },
		{ 0, 4, ~0ull }, { 0, 4, ~0ull - 3 }, { 0, 0, 0 },
		{ 2, 4, 0 }, { 6, 1, 0 }, { 8, 4, 0 }, { 9, 4, 0 },
		{ ~0u, 4, 0 }, { REGION_CONFIG, 4, 4094 },
		{ REGION_CONFIG, 4097, 0 }, { 3, 1, 32 << 20 },
		{ 1, 1, 64ull << 30 },
	};
	static uint8_t body[16 + 8192];
	uint32_t count = rows[_i].count;

	vu_put64(body, rows[_i].offset);
	vu_put32(body + 8, rows[_i].region);
	vu_put32(body + 12, count);
	ck_assert_int_eq(client_ask(VU_REGION_READ, body, 16, NULL, 0),
			 -EINVAL);
	ck_assert_int_eq(client_ask(VU_REGION_WRITE, body, 16 + count, NULL,
				    0), -EINVAL);
	ck_assert_uint_eq(client_read(REGION_CONFIG, 0, 2), 0x10de);
}
END_TEST

START_TEST(the_last_byte_of_bar1_is_there)
{
	uint64_t size = card_region_size(client.server.card, CARD_BAR1);

	memory_on();
	ck_assert_int_eq(client_write(1, size - 4, 4, 0x600d), 0);
	client_read(1, size - 4, 4);
	ck_assert_int_eq(client_write(1, size - 3, 4, 0), -EINVAL);
}
END_TEST

START_TEST(video_memory_is_reached_through_bar1)
{
	uint8_t body[16 + 256], back[256];

	memory_on();
	vu_put64(body, 0x100010);
	vu_put32(body + 8, 1);
	vu_put32(body + 12, 200);
	for (int i = 0; i < 200; i++)
		body[16 + i] = i + 1;
	memcpy(back, body + 16, 200);
	client_send(VU_REGION_WRITE, VU_NO_REPLY, body, 16 + 200, NULL, 0);
	ck_assert_int_eq(client_ask(VU_REGION_READ, body, 16, NULL, 0), 0);
	ck_assert_mem_eq(client.seen.body + 16, back, 200);
	for (int size = 1; size <= 8; size *= 2) {
		uint64_t want = 0;

		memcpy(&want, back + 8, size);
		ck_assert_uint_eq(client_read(1, 0x100018, size), want);
	}
}
END_TEST

START_TEST(maps_are_taken_and_given_back)
{
	int fd = memfd_create("ram", 0);

	ck_assert_int_eq(ftruncate(fd, 1 << 20), 0);
	ck_assert_int_eq(client_map(0, 1 << 20, fd, 0), 0);
	ck_assert_int_eq(client_map(0xfff00, 1 << 20, fd, 0), -EEXIST);
	ck_assert_int_eq(client_map(1 << 20, 2 << 20, fd, 0), -EINVAL);
	ck_assert_int_eq(client_map(1 << 20, 1 << 20, -1, 0), 0);
	ck_assert_int_eq(client_unmap(0, 1 << 19), -EINVAL);
	ck_assert_int_eq(client_unmap(0, 2 << 20), 0);
	ck_assert_uint_eq(vu_get64(client.seen.body + 16), 2 << 20);
	ck_assert_int_eq(client_unmap(0, 2 << 20), 0);
	ck_assert_int_eq(client_map(0, 1 << 20, fd, 0), 0);
	close(fd);
}
END_TEST

START_TEST(everything_is_unmapped_at_once)
{
	uint8_t body[24] = { 24, 0, 0, 0, VU_UNMAP_ALL };

	ck_assert_int_eq(client_map(0, 4096, -1, 0), 0);
	ck_assert_int_eq(client_map(~0ull - 4095, 4096, -1, 0), 0);
	ck_assert_int_eq(client_ask(VU_DMA_UNMAP, body, 24, NULL, 0), 0);
	ck_assert_uint_eq(client.server.maps.count, 0);
	body[8] = 1;
	ck_assert_int_eq(client_ask(VU_DMA_UNMAP, body, 24, NULL, 0),
			 -EINVAL);
	body[4] = 1;
	ck_assert_int_eq(client_ask(VU_DMA_UNMAP, body, 24, NULL, 0),
			 -EINVAL);
}
END_TEST

START_TEST(a_map_that_needs_a_descriptor_has_one)
{
	uint8_t body[32] = { 32 };

	vu_put64(body + 24, 4096);
	vu_put32(body + 4, VU_MAP_READ | VU_MAP_MMAP);
	ck_assert_int_eq(client_ask(VU_DMA_MAP, body, 32, NULL, 0), -EINVAL);
	vu_put32(body + 4, VU_MAP_READ | VU_MAP_FILE);
	ck_assert_int_eq(client_ask(VU_DMA_MAP, body, 32, NULL, 0), -EINVAL);
	vu_put32(body + 4, 16);
	ck_assert_int_eq(client_ask(VU_DMA_MAP, body, 32, NULL, 0), -EINVAL);
	ck_assert_uint_eq(client.server.maps.count, 0);
}
END_TEST

START_TEST(what_this_server_has_not_is_refused)
{
	static const unsigned int commands[] = {
		VU_GET_REGION_IO_FDS, VU_DEVICE_FEATURE, 17, 99,
	};

	ck_assert_int_eq(client_ask(commands[_i], "????????????????", 16,
				    NULL, 0), -EOPNOTSUPP);
	ck_assert_uint_eq(client_read(REGION_CONFIG, 0, 2), 0x10de);
}
END_TEST

START_TEST(a_reset_resets)
{
	memory_on();
	ck_assert_int_eq(client_write(0, NV_PMC_INTR_EN_SET, 4, 0x100), 0);
	ck_assert_int_eq(client_ask(VU_DEVICE_RESET, NULL, 0, NULL, 0), 0);
	ck_assert_uint_eq(client.seen.size, 0);
	ck_assert_uint_eq(client_read(REGION_CONFIG, NV_XVE_DEV_CTRL, 2), 0);
	memory_on();
	ck_assert_uint_eq(client_read(0, NV_PMC_GP100_INTR_EN, 4), 0);
}
END_TEST

START_TEST(the_cards_have_no_function_level_reset)
{
	memory_on();
	ck_assert_uint_eq(client_read(REGION_CONFIG, NV_XVE_DEVICE_CAPABILITY,
				      4) >> 28 & 1, 0);
	ck_assert_int_eq(client_write(REGION_CONFIG,
				      NV_XVE_DEVICE_CONTROL_STATUS, 2,
				      0xa910), 0);
	ck_assert_uint_eq(client_read(REGION_CONFIG, NV_XVE_DEV_CTRL, 2), 6);
}
END_TEST

START_TEST(what_wants_no_reply_gets_none)
{
	uint8_t body[32] = { 32 };

	client_send(VU_DEVICE_RESET, VU_NO_REPLY, NULL, 0, NULL, 0);
	client_send(VU_GET_REGION_INFO, VU_NO_REPLY, body, 32, NULL, 0);
	client_send(99, VU_NO_REPLY, NULL, 0, NULL, 0);
	client_serve();
	ck_assert(!client_receive());
	ck_assert_int_ge(client.server.client.fd, 0);
}
END_TEST

/* A fixture for each chip: tests of all three. */
static void setup_p40(void)
{
	client.options.card.chip = CARD_P40;
	setup();
}

static void setup_m40(void)
{
	client.options.card.chip = CARD_M40;
	setup();
}

static TCase *chip_case(const char *name, void (*begin)(void), int chip)
{
	TCase *t = tcase_create(name);

	tcase_add_checked_fixture(t, begin, client_teardown);
	tcase_add_loop_test(t,
		regions_are_those_of_the_card_and_none_can_be_mapped, 0, 9);
	tcase_add_loop_test(t, registers_answer_once_memory_is_on, chip,
			    chip + 1);
	tcase_add_test(t, the_last_byte_of_bar1_is_there);
	tcase_add_test(t, video_memory_is_reached_through_bar1);
	tcase_add_test(t, the_cards_have_no_function_level_reset);
	return t;
}

static TCase *access_case(void)
{
	TCase *t = tcase_create("access");

	tcase_add_checked_fixture(t, setup, client_teardown);
	tcase_add_test(t, configuration_space_is_read_in_one_go);
	tcase_add_loop_test(t, any_range_of_configuration_space_can_be_read,
			    0, 17);
	tcase_add_test(t, a_posted_write_is_seen_by_the_next_read);
	tcase_add_test(t, many_writes_in_one_message_are_made_in_order);
	tcase_add_loop_test(t, an_access_outside_a_region_is_refused, 0, 14);
	return t;
}

static TCase *device_case(void)
{
	TCase *t = tcase_create("device");

	tcase_add_checked_fixture(t, setup, client_teardown);
	tcase_add_test(t, a_version_is_answered_with_ours);
	tcase_add_test(t, the_device_is_pci_and_can_be_reset);
	tcase_add_loop_test(t, interrupts_are_intx_and_one_message, 0, 5);
	tcase_add_test(t, maps_are_taken_and_given_back);
	tcase_add_test(t, everything_is_unmapped_at_once);
	tcase_add_test(t, a_map_that_needs_a_descriptor_has_one);
	tcase_add_loop_test(t, what_this_server_has_not_is_refused, 0, 4);
	tcase_add_test(t, a_reset_resets);
	tcase_add_test(t, what_wants_no_reply_gets_none);
	return t;
}

int main(void)
{
	Suite *suite = suite_create("device");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, chip_case("P100", setup, CARD_P100));
	suite_add_tcase(suite, chip_case("P40", setup_p40, CARD_P40));
	suite_add_tcase(suite, chip_case("M40", setup_m40, CARD_M40));
	suite_add_tcase(suite, access_case());
	suite_add_tcase(suite, device_case());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
