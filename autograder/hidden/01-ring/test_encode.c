/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 1: words for Host, and a first submission [§9.1], [§9.2], [§9.3].
 *
 * The encoders are called with values at the edges of every field and their
 * words compared bit by bit: the formats are the hardware's.  Then segments
 * go to the card, which executes what it finds.
 */
#include "autograder/hidden/01-ring/common.h"

#define INC		(1u << 29)
#define NON_INC		(3u << 29)
#define IMMEDIATE	(4u << 29)
#define ONE_INC		(5u << 29)

struct push_case {
	enum wire_method kind;
	uint32_t subchannel, method, count, capacity;
	uint32_t header;
};

static const struct push_case good[] = {
	{ WIRE_METHOD_INC, 0, 0x0010, 4, 16, INC | 4 << 16 | 0x04 },
	{ WIRE_METHOD_INC, 7, 0x3ffc, 1, 2, INC | 1 << 16 | 7 << 13 | 0xfff },
	{ WIRE_METHOD_INC, 4, 0x0400, 8, 9, INC | 8 << 16 | 4 << 13 | 0x100 },
	{ WIRE_METHOD_NON_INC, 4, 0x0100, 3, 16,
	  NON_INC | 3 << 16 | 4 << 13 | 0x40 },
	{ WIRE_METHOD_NON_INC, 1, 0x0008, 48, 49,
	  NON_INC | 48 << 16 | 1 << 13 | 0x02 },
	{ WIRE_METHOD_ONE_INC, 5, 0x1234 & ~3, 3, 16,
	  ONE_INC | 3 << 16 | 5 << 13 | 0x1234 >> 2 },
	{ WIRE_METHOD_IMMEDIATE, 0, 0x0000, 0x0000, 1, IMMEDIATE },
	{ WIRE_METHOD_IMMEDIATE, 6, 0x0300, 0x1fff, 1,
	  IMMEDIATE | 0x1fffu << 16 | 6 << 13 | 0xc0 },
};

static const struct push_case bad[] = {
	{ WIRE_METHOD_INC, 8, 0x0010, 1, 16, -EINVAL },
	{ WIRE_METHOD_INC, 0, 0x4000, 1, 16, -EINVAL },
	{ WIRE_METHOD_INC, 0, 0x0012, 1, 16, -EINVAL },
	{ WIRE_METHOD_INC, 0, 0x0010, 0, 16, -EINVAL },
	{ WIRE_METHOD_INC, 0, 0x0010, 8192, 9000, -EINVAL },
	{ WIRE_METHOD_NON_INC, 9, 0x0010, 1, 16, -EINVAL },
	{ WIRE_METHOD_NON_INC, 0, 0x8000, 1, 16, -EINVAL },
	{ WIRE_METHOD_NON_INC, 0, 0x0010, 16384, 16000, -EINVAL },
	{ WIRE_METHOD_ONE_INC, 0, 0x0011, 2, 16, -EINVAL },
	{ WIRE_METHOD_ONE_INC, 0, 0x0010, 0, 16, -EINVAL },
	{ WIRE_METHOD_IMMEDIATE, 0, 0x0010, 0x2000, 16, -EINVAL },
	{ WIRE_METHOD_IMMEDIATE, 8, 0x0010, 1, 16, -EINVAL },
	{ WIRE_METHOD_INC, 0, 0x0010, 4, 4, -ENOSPC },
	{ WIRE_METHOD_NON_INC, 0, 0x0010, 1, 1, -ENOSPC },
	{ WIRE_METHOD_ONE_INC, 0, 0x0010, 15, 3, -ENOSPC },
	{ WIRE_METHOD_IMMEDIATE, 0, 0x0010, 1, 0, -ENOSPC },
};

static uint32_t test_data[16384];

static int64_t encode(struct scenario *s, const struct push_case *c)
{
	uint64_t args[] = { c->kind, c->subchannel, c->method, c->count,
			    c->capacity };
	bool has_data = c->kind != WIRE_METHOD_IMMEDIATE;
	unsigned int i;

	for (i = 0; i < c->count && i < 16384; i++)
		test_data[i] = 0x10000u * i + 0xabcd;
	return call(s, CALL_push, args, 5, test_data, has_data ? c->count : 0);
}

static void expect_words(struct scenario *s, const struct push_case *c)
{
	bool has_data = c->kind != WIRE_METHOD_IMMEDIATE;
	unsigned int count, i, words = has_data ? c->count + 1 : 1;
	const uint64_t *out;

	expect_value(s, encode(s, c), 0, "a valid group should be appended");
	out = outputs(s, &count);
	expect_value(s, out[0], words, "push->count should count the words");
	expect_value(s, out[1], c->header,
		     "the header should hold form, count, subchannel, method");
	for (i = 1; i < words && i + 1 < SCENARIO_OUTPUTS; i++)
		expect_value(s, out[i + 1], test_data[i - 1],
			     "the data should follow its header");
}

void test_public_push_inc(struct scenario *s)
{
	driver_open(s);
	expect_words(s, &good[0]);
}

void test_methods_are_encoded(struct scenario *s)
{
	unsigned int i;

	driver_open(s);
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		expect_words(s, &good[i]);
}

void test_methods_refuse_what_does_not_fit(struct scenario *s)
{
	unsigned int i, count;

	driver_open(s);
	/* A driver that refuses everything has not understood it. */
	expect_words(s, &good[1]);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		expect_value(s, encode(s, &bad[i]), (int32_t)bad[i].header,
			     "what does not fit should be refused");
		expect_value(s, outputs(s, &count)[0], 0,
			     "a group that is refused should leave no word");
	}
}

struct entry_case {
	uint64_t va;
	uint32_t words, flags;
	uint64_t entry;
};

static void expect_entry(struct scenario *s, const struct entry_case *c)
{
	uint64_t args[] = { c->va, c->words, c->flags };
	unsigned int count;

	expect_value(s, call(s, CALL_gp_entry_segment, args, 3, NULL, 0), 0,
		     "a valid segment should get an entry");
	expect_value(s, outputs(s, &count)[0], c->entry,
		     "the entry should hold address, length and flags");
}

/* High word: address 39:32 in 7:0, level 9, length 30:10, sync 31. */
#define HIGH(address, level, length, sync) \
	((uint64_t)((address) | (level) << 9 | (uint32_t)(length) << 10 | \
		    (uint32_t)(sync) << 31) << 32)

static const struct entry_case good_entry[] = {
	{ 0x0000123450, 16, 0, HIGH(0x00, 0, 16, 0) | 0x00123450 },
	{ 0xab89abcdec, 1, 0, HIGH(0xab, 0, 1, 0) | 0x89abcdec },
	{ 0x00fffffffc, 7, 1, HIGH(0x00, 0, 7, 1) | 0xfffffffc },
	{ 0x1000000000, 0x1fffff, 0, HIGH(0x10, 0, 0x1fffff, 0) },
	{ 0x0000001000, 2, 2, HIGH(0x00, 1, 2, 0) | 0x1000 },
	{ 0x7f00000004, 0x100000, 3, HIGH(0x7f, 1, 0x100000, 1) | 4 },
	{ 0xfffffffff8, 1, 0, HIGH(0xff, 0, 1, 0) | 0xfffffff8 },
};

void test_public_gp_entry(struct scenario *s)
{
	driver_open(s);
	expect_entry(s, &good_entry[0]);
}

void test_entries_are_encoded(struct scenario *s)
{
	static const uint64_t control[][3] = {
		{ 0, 0, 0 },
		{ 2, 0xcafe0123, 2ull << 32 | 0xcafe0123 },
		{ 3, 0xffffffff, 3ull << 32 | 0xffffffff },
	};
	unsigned int i, count;

	driver_open(s);
	for (i = 0; i < sizeof(good_entry) / sizeof(good_entry[0]); i++)
		expect_entry(s, &good_entry[i]);
	for (i = 0; i < 3; i++) {
		expect_value(s, call(s, CALL_gp_entry_control, control[i], 2,
				     NULL, 0), 0,
			     "a control entry should be made");
		expect_value(s, outputs(s, &count)[0], control[i][2],
			     "it should hold operand and opcode, length 0");
	}
}

void test_entries_refuse_what_does_not_fit(struct scenario *s)
{
	static const uint64_t bad_entry[][3] = {
		{ 0x1002, 4, 0 },		/* not a multiple of 4	*/
		{ 0x1000, 0, 0 },		/* a control entry	*/
		{ 0x1000, 0x200000, 0 },	/* length over 21 bits	*/
		{ 1ull << 40, 1, 0 },		/* over 40 bits		*/
		{ 0xfffffffffc, 1, 0 },		/* its end needs 41 bits */
		{ 0xfffffffffc, 2, 0 },		/* ends over 40 bits	*/
	};
	uint64_t opcode[] = { 0x103, 7 };
	unsigned int i, count;

	driver_open(s);
	expect_entry(s, &good_entry[1]);
	for (i = 0; i < sizeof(bad_entry) / sizeof(bad_entry[0]); i++) {
		expect_value(s, call(s, CALL_gp_entry_segment, bad_entry[i],
				     3, NULL, 0), -EINVAL,
			     "what does not fit should be refused");
		expect_value(s, outputs(s, &count)[0], 0x5a5a5a5a5a5a5a5a,
			     "*entry should be unchanged then");
	}
	expect_value(s, call(s, CALL_gp_entry_control, opcode, 2, NULL, 0),
		     -EINVAL, "an opcode over 8 bits should be refused");
}

/* --- to the card ----------------------------------------------------- */

static struct segment *every_form(struct scenario *s)
{
	static const uint32_t copy[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct segment *segment = segment_bind_copy(s);

	segment_add(segment, WIRE_METHOD_INC, COPY_SUBCHANNEL,
		    COPY_OFFSET_IN, copy, 8);
	segment_add(segment, WIRE_METHOD_NON_INC, COPY_SUBCHANNEL, COPY_NOP,
		    copy, 5);
	/* With two words it would be no other than the incrementing form. */
	segment_add(segment, WIRE_METHOD_ONE_INC, COPY_SUBCHANNEL,
		    COPY_OFFSET_IN, copy, 3);
	segment_add(segment, WIRE_METHOD_IMMEDIATE, COPY_SUBCHANNEL, COPY_NOP,
		    copy + 6, 1);
	return segment;
}

void test_public_first_light(struct scenario *s)
{
	driver_open(s);
	ring_open(s, 0, &roomy);
	expect_value(s, submit(s, 0, segment_words(s, 8), 0, 0), 0,
		     "there is room, so ring_submit() should succeed");
	expect_executed(s, 0, 1 * MS);
}

void test_one_segment_is_executed(struct scenario *s)
{
	struct ring_shape shape = roomy;

	shape.channel = 1 + pick(s, 100);
	driver_open(s);
	ring_open(s, 0, &shape);
	expect_value(s, submit(s, 0, every_form(s), 0, 0), 0,
		     "there is room, so ring_submit() should succeed");
	expect_executed(s, 0, 1 * MS);
	ring_close(s, 0, 1 * MS);
	driver_close(s);
}

void test_segments_keep_their_order(struct scenario *s)
{
	unsigned int i;

	driver_open(s);
	ring_open(s, 0, &roomy);
	for (i = 0; i < 6; i++) {
		expect_value(s, submit(s, 0, every_form(s), 0, 1 * MS), 0,
			     "there is room, so ring_submit() should succeed");
		expect_value(s, submit(s, 0, segment_words(s, 2 + pick(s, 30)),
				       0, 1 * MS), 0,
			     "there is room, so ring_submit() should succeed");
	}
	expect_executed(s, 0, 5 * MS);
	expect_value(s, executed(s, 0), 12, "every segment should be executed");
}

void test_crc_follows_each_segment(struct scenario *s)
{
	struct ring_shape shape = roomy;
	unsigned int i;

	shape.crc = true;
	driver_open(s);
	ring_open(s, 0, &shape);
	for (i = 0; i < 5; i++)
		expect_value(s, submit(s, 0, segment_words(s, 2 + 7 * i), 0,
				       1 * MS), 0,
			     "there is room, so ring_submit() should succeed");
	expect_executed(s, 0, 5 * MS);
	expect_true(s, crc_checks(s, 0) >= 5,
		    "each segment should be followed by its CRC",
		    "5 checks of a PB_CRC entry", crc_checks(s, 0));
}
