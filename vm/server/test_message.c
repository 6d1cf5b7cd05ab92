/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The parser: what is understood, and every way of not being a message. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "vm/server/version.h"

static uint8_t data[VU_MESSAGE_MAX + 64];
static struct vu_message message;
static const char *why;

/* A request with a body of zeroes. */
static void compose(unsigned int command, size_t body)
{
	struct vu_header header = {
		.id = 7, .command = command, .size = VU_HEADER_SIZE + body,
	};

	memset(data, 0, sizeof(data));
	vu_header_write(data, &header);
	why = NULL;
}

static uint8_t *body_at(size_t offset)
{
	return data + VU_HEADER_SIZE + offset;
}

static int parse(unsigned int fds)
{
	return vu_message_parse(data, vu_get32(data + 4), fds, &message, &why);
}

static void is_malformed(unsigned int fds)
{
	ck_assert_int_eq(parse(fds), -EPROTO);
	ck_assert_ptr_nonnull(why);
}

START_TEST(a_head_is_read_field_by_field)
{
	struct vu_header header;
	static const uint8_t head[] = {
		0x34, 0x12, 9, 0, 0x20, 0, 0, 0, 0x10, 0, 0, 0, 5, 0, 0, 0,
	};

	ck_assert_int_eq(vu_header_parse(head, &header, &why), 0);
	ck_assert_uint_eq(header.id, 0x1234);
	ck_assert_uint_eq(header.command, VU_REGION_READ);
	ck_assert_uint_eq(header.size, 32);
	ck_assert_uint_eq(header.flags, VU_NO_REPLY);
	ck_assert_uint_eq(header.error, 5);
}
END_TEST

START_TEST(a_head_with_an_impossible_size_is_malformed)
{
	static const uint32_t sizes[] = {
		0, 1, VU_HEADER_SIZE - 1, VU_MESSAGE_MAX + 1, ~0u,
	};

	compose(VU_DEVICE_RESET, 0);
	vu_put32(data + 4, sizes[_i]);
	ck_assert_int_eq(vu_header_parse(data, &message.header, &why),
			 -EPROTO);
}
END_TEST

START_TEST(a_type_beyond_reply_is_malformed)
{
	compose(VU_DEVICE_RESET, 0);
	vu_put32(data + 8, 2 + _i);
	is_malformed(0);
}
END_TEST

START_TEST(what_is_shorter_than_it_says_is_malformed)
{
	compose(VU_REGION_READ, 16);
	ck_assert_int_eq(vu_message_parse(data, 31, 0, &message, &why),
			 -EPROTO);
	ck_assert_int_eq(vu_message_parse(data, 33, 0, &message, &why),
			 -EPROTO);
	ck_assert_int_eq(vu_message_parse(data, 3, 0, &message, &why),
			 -EPROTO);
}
END_TEST

/* For each command the least body, and whether more is malformed too. */
static const struct shape {
	unsigned int command, least;
	bool exact;
} shapes[] = {
	{ VU_VERSION, 4, false },
	{ VU_DMA_MAP, 32, true },
	{ VU_DMA_UNMAP, 24, false },
	{ VU_GET_INFO, 16, false },
	{ VU_GET_REGION_INFO, 32, false },
	{ VU_GET_IRQ_INFO, 16, false },
	{ VU_SET_IRQS, 20, false },
	{ VU_REGION_READ, 16, true },
	{ VU_REGION_WRITE, 16, true },
	{ VU_WRITE_MULTI, 8, true },
	{ VU_DEVICE_RESET, 0, true },
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

START_TEST(each_request_needs_its_body)
{
	const struct shape *shape = &shapes[_i];

	for (size_t size = 0; size < shape->least; size++) {
		compose(shape->command, size);
		is_malformed(0);
	}
	compose(shape->command, shape->least);
	ck_assert_int_eq(parse(0), 0);
	ck_assert_uint_eq(message.header.command, shape->command);
	ck_assert(message.wants_reply);
	ck_assert(!message.is_reply);
	compose(shape->command, shape->least + 1);
	ck_assert_int_eq(parse(0), shape->exact ? -EPROTO : 0);
}
END_TEST

START_TEST(descriptors_come_only_where_they_belong)
{
	const struct shape *shape = &shapes[_i];

	compose(shape->command, shape->least);
	if (shape->command == VU_DMA_MAP) {
		ck_assert_int_eq(parse(1), 0);
		is_malformed(2);
	} else {
		is_malformed(1);
	}
}
END_TEST

START_TEST(a_request_may_want_no_reply)
{
	compose(VU_DEVICE_RESET, 0);
	vu_put32(data + 8, VU_NO_REPLY);
	ck_assert_int_eq(parse(0), 0);
	ck_assert(!message.wants_reply);
}
END_TEST

START_TEST(an_unknown_command_is_refused_and_not_malformed)
{
	static const unsigned int commands[] = {
		0, VU_GET_REGION_IO_FDS, 14, VU_DEVICE_FEATURE, 17, 18, 19,
		0xffff,
	};

	compose(commands[_i], 40);
	ck_assert_int_eq(parse(3), -EOPNOTSUPP);
	ck_assert_uint_eq(message.header.id, 7);
	ck_assert(message.wants_reply);
	ck_assert_ptr_nonnull(vu_command_name(commands[_i]));
}
END_TEST

START_TEST(a_client_does_not_ask_for_dma)
{
	compose(VU_DMA_READ + _i, 16);
	is_malformed(0);
}
END_TEST

START_TEST(a_write_has_as_much_data_as_it_counts)
{
	compose(VU_REGION_WRITE, 20);
	vu_put64(body_at(0), 0x1122334455667788);
	vu_put32(body_at(8), 3);
	vu_put32(body_at(12), 4);
	ck_assert_int_eq(parse(0), 0);
	ck_assert_uint_eq(message.access.offset, 0x1122334455667788);
	ck_assert_uint_eq(message.access.region, 3);
	ck_assert_uint_eq(message.access.count, 4);
	ck_assert_ptr_eq(message.access.data, body_at(16));
	vu_put32(body_at(12), 3);
	is_malformed(0);
	vu_put32(body_at(12), 5);
	is_malformed(0);
	vu_put32(body_at(12), ~0u);
	is_malformed(0);
	vu_put32(body_at(12), 4u - 16);
	is_malformed(0);
}
END_TEST

START_TEST(a_read_counts_at_most_what_was_agreed)
{
	compose(VU_REGION_READ, 16);
	vu_put32(body_at(12), VU_DATA_MAX);
	ck_assert_int_eq(parse(0), 0);
	ck_assert_ptr_null(message.access.data);
	vu_put32(body_at(12), VU_DATA_MAX + 1);
	is_malformed(0);
}
END_TEST

START_TEST(many_writes_are_as_many_as_they_count)
{
	struct vu_access access;

	compose(VU_WRITE_MULTI, 8 + 2 * VU_MULTI_ENTRY);
	vu_put64(body_at(0), 2);
	vu_put64(body_at(8 + VU_MULTI_ENTRY), 0x90);
	vu_put32(body_at(8 + VU_MULTI_ENTRY + 8), 1);
	vu_put32(body_at(8 + VU_MULTI_ENTRY + 12), 8);
	ck_assert_int_eq(parse(0), 0);
	ck_assert_uint_eq(message.multi.count, 2);
	vu_multi_entry(&message, 1, &access);
	ck_assert_uint_eq(access.offset, 0x90);
	ck_assert_uint_eq(access.region, 1);
	ck_assert_uint_eq(access.count, 8);
	ck_assert_ptr_eq(access.data, body_at(8 + VU_MULTI_ENTRY + 16));
	vu_put32(body_at(8 + VU_MULTI_ENTRY + 12), 9);
	is_malformed(0);
}
END_TEST

START_TEST(a_count_of_writes_that_wraps_is_malformed)
{
	static const uint64_t counts[] = {
		0, 1, 3, ~0ull, 1ull << 32 | 2, 0xaaaaaaaaaaaaaaacull,
	};

	compose(VU_WRITE_MULTI, 8 + 2 * VU_MULTI_ENTRY);
	vu_put64(body_at(0), counts[_i]);
	is_malformed(0);
}
END_TEST

START_TEST(interrupts_have_a_byte_each)
{
	compose(VU_SET_IRQS, 22);
	vu_put32(body_at(4), VU_IRQ_BOOL | VU_IRQ_TRIGGER);
	vu_put32(body_at(8), 1);
	vu_put32(body_at(12), 5);
	vu_put32(body_at(16), 2);
	ck_assert_int_eq(parse(0), 0);
	ck_assert_uint_eq(message.irqs.index, 1);
	ck_assert_uint_eq(message.irqs.start, 5);
	ck_assert_uint_eq(message.irqs.count, 2);
	ck_assert_ptr_eq(message.irqs.bools, body_at(20));
	vu_put32(body_at(16), 3);
	is_malformed(0);
	vu_put32(body_at(16), ~0u);
	is_malformed(0);
}
END_TEST

START_TEST(eventfds_are_no_more_than_interrupts)
{
	compose(VU_SET_IRQS, 20);
	vu_put32(body_at(4), VU_IRQ_EVENTFD | VU_IRQ_TRIGGER);
	vu_put32(body_at(16), 2);
	ck_assert_int_eq(parse(0), 0);
	ck_assert_int_eq(parse(2), 0);
	is_malformed(3);
	vu_put32(body_at(16), ~0u);
	is_malformed(VU_FDS + 1);
	vu_put32(body_at(4), VU_IRQ_NONE | VU_IRQ_TRIGGER);
	is_malformed(1);
}
END_TEST

static void compose_reply(unsigned int command, size_t body, uint64_t count)
{
	compose(command, body);
	vu_put32(data + 8, VU_REPLY);
	vu_put64(body_at(0), 0x5000);
	vu_put64(body_at(8), count);
}

START_TEST(an_answer_has_as_much_data_as_it_counts)
{
	compose_reply(VU_DMA_READ, 16 + 8, 8);
	ck_assert_int_eq(parse(0), 0);
	ck_assert(message.is_reply);
	ck_assert_uint_eq(message.dma.address, 0x5000);
	ck_assert_uint_eq(message.dma.count, 8);
	ck_assert_ptr_eq(message.dma.data, body_at(16));
	is_malformed(1);
	compose_reply(VU_DMA_READ, 16 + 8, 9);
	is_malformed(0);
	compose_reply(VU_DMA_READ, 16 + 8, ~0ull);
	is_malformed(0);
	compose_reply(VU_DMA_READ, 15, 0);
	is_malformed(0);
	compose_reply(VU_DMA_WRITE, 16, 8);
	ck_assert_int_eq(parse(0), 0);
	ck_assert_ptr_null(message.dma.data);
}
END_TEST

START_TEST(an_answer_may_be_an_error_alone)
{
	compose_reply(VU_DMA_READ, 0, 0);
	vu_put32(data + 8, VU_REPLY | VU_ERROR);
	vu_put32(data + 12, EFAULT);
	ck_assert_int_eq(parse(0), 0);
	ck_assert_uint_eq(message.header.error, EFAULT);
}
END_TEST

START_TEST(an_answer_to_what_nobody_asks_is_malformed)
{
	compose_reply(VU_REGION_READ, 24, 8);
	is_malformed(0);
}
END_TEST

/* Versions ----------------------------------------------------------------- */

static void compose_version(const char *json)
{
	compose(VU_VERSION, 4 + (json ? strlen(json) + 1 : 0));
	if (json)
		strcpy((char *)body_at(4), json);
	ck_assert_int_eq(parse(0), 0);
}

START_TEST(a_version_tells_what_a_client_takes)
{
	static const struct {
		const char *json;
		uint32_t data_max;
		bool many;
	} rows[] = {
		{ NULL, VU_DATA_MAX, false },
		{ "{}", VU_DATA_MAX, false },
		{ "{\"capabilities\":{\"max_data_xfer_size\":4096}}", 4096,
		  false },
		{ "{\"capabilities\":{\"write_multiple\":true}}",
		  VU_DATA_MAX, true },
		{ "{\"capabilities\":{\"max_data_xfer_size\":-1}}",
		  VU_DATA_LEAST, false },
		{ "{\"capabilities\":{\"max_data_xfer_size\":1e300}}",
		  VU_DATA_MAX, false },
		{ "{\"capabilities\":{\"max_data_xfer_size\":\"x\"}}",
		  VU_DATA_MAX, false },
		{ "{\"capabilities\":[1]}", VU_DATA_MAX, false },
	};
	struct vu_peer peer;

	compose_version(rows[_i].json);
	ck_assert_int_eq(vu_version_read(&message, &peer, &why), 0);
	ck_assert_uint_eq(peer.data_max, rows[_i].data_max);
	ck_assert(peer.many == rows[_i].many);
}
END_TEST

START_TEST(a_version_that_is_not_ours_ends_it)
{
	static const char *const texts[] = {
		"", "{", "[]", "7", "{\"capabilities\":{}} {", "null",
	};
	struct vu_peer peer;

	compose_version("{}");
	message.version.major = 1;
	ck_assert_int_eq(vu_version_read(&message, &peer, &why), -EPROTO);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (i == 4)	/* the parser reads the first value */
			continue;
		compose_version(texts[i]);
		ck_assert_int_eq(vu_version_read(&message, &peer, &why),
				 -EPROTO);
	}
}
END_TEST

START_TEST(a_version_text_ends_where_the_message_does)
{
	compose_version("{}");
	*body_at(6) = 'x';
	is_malformed(0);
	*body_at(5) = '\0';
	*body_at(6) = '\0';
	is_malformed(0);
}
END_TEST

START_TEST(our_version_fits_or_is_not_written)
{
	struct vu_peer peer = { .many = true };
	struct vu_peer back;
	size_t size = vu_version_write(&peer, 65535, body_at(0), 512);

	ck_assert_uint_gt(size, 4);
	ck_assert_uint_eq(strlen((char *)body_at(4)) + 5, size);
	for (size_t room = 0; room < size; room++)
		ck_assert_uint_eq(vu_version_write(&peer, 65535, body_at(0),
						   room), 0);
	compose(VU_VERSION, size);
	ck_assert_uint_eq(vu_version_write(&peer, 65535, body_at(0), size),
			  size);
	ck_assert_int_eq(parse(0), 0);
	ck_assert_int_eq(vu_version_read(&message, &back, &why), 0);
	ck_assert(back.many);
	ck_assert_uint_eq(back.data_max, VU_DATA_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("message");
	TCase *t = tcase_create("message");
	SRunner *runner;
	int failed;

	tcase_add_test(t, a_head_is_read_field_by_field);
	tcase_add_loop_test(t, a_head_with_an_impossible_size_is_malformed,
			    0, 5);
	tcase_add_loop_test(t, a_type_beyond_reply_is_malformed, 0, 14);
	tcase_add_test(t, what_is_shorter_than_it_says_is_malformed);
	tcase_add_loop_test(t, each_request_needs_its_body, 0, SHAPES);
	tcase_add_loop_test(t, descriptors_come_only_where_they_belong, 0,
			    SHAPES);
	tcase_add_test(t, a_request_may_want_no_reply);
	tcase_add_loop_test(t, an_unknown_command_is_refused_and_not_malformed,
			    0, 8);
	tcase_add_loop_test(t, a_client_does_not_ask_for_dma, 0, 2);
	tcase_add_test(t, a_write_has_as_much_data_as_it_counts);
	tcase_add_test(t, a_read_counts_at_most_what_was_agreed);
	tcase_add_test(t, many_writes_are_as_many_as_they_count);
	tcase_add_loop_test(t, a_count_of_writes_that_wraps_is_malformed, 0,
			    6);
	tcase_add_test(t, interrupts_have_a_byte_each);
	tcase_add_test(t, eventfds_are_no_more_than_interrupts);
	tcase_add_test(t, an_answer_has_as_much_data_as_it_counts);
	tcase_add_test(t, an_answer_may_be_an_error_alone);
	tcase_add_test(t, an_answer_to_what_nobody_asks_is_malformed);
	tcase_add_loop_test(t, a_version_tells_what_a_client_takes, 0, 8);
	tcase_add_test(t, a_version_that_is_not_ours_ends_it);
	tcase_add_test(t, a_version_text_ends_where_the_message_does);
	tcase_add_test(t, our_version_fits_or_is_not_written);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
