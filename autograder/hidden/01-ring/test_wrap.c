/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 2: two circular buffers [§8.3], [§8.4].
 *
 * What is full, when it is full, and what Host still needs.  Host is frozen
 * where a test must know how much is in use.
 */
#include "autograder/hidden/01-ring/common.h"

static struct ring_shape small(uint32_t entries, uint32_t words)
{
	struct ring_shape shape = roomy;

	shape.entries = entries;
	shape.words = words;
	return shape;
}

void test_public_three_laps(struct scenario *s)
{
	struct ring_shape shape = small(8, 1024);

	driver_open(s);
	ring_open(s, 0, &shape);
	submit_steadily(s, 0, 24, segment_words(s, 6));
	expect_executed(s, 0, 5 * MS);
}

void test_ring_wraps(struct scenario *s)
{
	static const uint32_t entries[] = { 4, 8, 32 };
	unsigned int i;

	driver_open(s);
	for (i = 0; i < 3; i++) {
		struct ring_shape shape = small(entries[i], 1024);

		ring_open(s, 0, &shape);
		submit_steadily(s, 0, 70, segment_words(s, 3));
		expect_executed(s, 0, 5 * MS);
		expect_true(s, put_value(s, 0) < shape.entries,
			    "GP_PUT should be an index into the ring",
			    "a value below the number of entries",
			    put_value(s, 0));
		ring_close(s, 0, 5 * MS);
	}
}

void test_push_buffer_wraps(struct scenario *s)
{
	/* 97 is not a multiple of anything that segments are. */
	uint32_t words[] = { 97, 64, 128, 1000 };
	struct ring_shape shape = small(64, words[seed(s) % 4]);
	unsigned int i;

	driver_open(s);
	ring_open(s, 0, &shape);
	for (i = 0; i < 60; i++) {
		uint32_t most = shape.words / 2 < 200 ? shape.words / 2 : 200;

		submit_steadily(s, 0, 1, segment_words(s, 2 + pick(s, most -
								   1)));
		if (pick(s, 3) == 0)
			let_pass(s, pick(s, 20) * US);
	}
	expect_executed(s, 0, 20 * MS);
	expect_value(s, executed(s, 0), 60, "every segment should be executed");
}

void test_ring_starts_at_gp_first(struct scenario *s)
{
	struct ring_shape shape = small(16, 256);
	const struct segment *segment = segment_words(s, 4);

	shape.first = seed(s) % 3 ? 1 + pick(s, 11) : 15;
	driver_open(s);
	ring_open(s, 0, &shape);
	submit_steadily(s, 0, 1, segment);
	expect_executed(s, 0, 5 * MS);
	expect_put_near(s, 0, &shape);
	submit_steadily(s, 0, 20, segment);
	expect_executed(s, 0, 5 * MS);
}

/* Fill it while Host stands still; the number of segments that went in. */
static unsigned int fill_with(struct scenario *s,
			      const struct segment *segment, uint32_t flags,
			      unsigned int most)
{
	unsigned int n = 0;
	int64_t result;

	while (n <= most) {
		result = submit(s, 0, segment, flags, 0);
		if (result == -EAGAIN)
			return n;
		expect_value(s, result, 0, ALL_RIGHT);
		n++;
	}
	expect_true(s, false, "a full ring should say -EAGAIN",
		    "-EAGAIN at last", n);
	return n;
}

static unsigned int fill(struct scenario *s, const struct segment *segment,
			 unsigned int most)
{
	return fill_with(s, segment, 0, most);
}

/* Empty it again; whatever was refused must leave no trace. */
static void drain(struct scenario *s, const struct segment *segment,
		  unsigned int n)
{
	at_once(s, HOST_THAW);
	expect_executed(s, 0, 20 * MS);
	expect_value(s, executed(s, 0), n,
		     "just what was accepted should be executed");
	submit_steadily(s, 0, 1, segment);
	expect_executed(s, 0, 5 * MS);
}

/* From somewhere in the middle until there is no entry left, and on. */
void test_crc_entries_need_room(struct scenario *s)
{
	struct ring_shape shape = small(seed(s) % 2 ? 4 : 8, 1024);
	const struct segment *segment = segment_words(s, 3);
	unsigned int before = 9 + pick(s, 8), n;

	shape.crc = true;
	driver_open(s);
	ring_open(s, 0, &shape);
	submit_steadily(s, 0, before, segment);
	expect_executed(s, 0, 5 * MS);
	at_once(s, HOST_FREEZE);
	n = fill(s, segment, shape.entries);
	drain(s, segment, before + n);
	submit_steadily(s, 0, 9, segment);
	expect_executed(s, 0, 5 * MS);
}

void test_public_full_ring(struct scenario *s)
{
	struct ring_shape shape = small(8, 1024);
	const struct segment *segment = segment_words(s, 4);

	driver_open(s);
	ring_open(s, 0, &shape);
	at_once(s, HOST_FREEZE);
	drain(s, segment, fill(s, segment, 8));
}

void test_full_ring_says_so(struct scenario *s)
{
	struct ring_shape shape = small(seed(s) % 2 ? 8 : 16, 4096);
	const struct segment *segment = segment_words(s, 5);
	unsigned int before, n;

	driver_open(s);
	ring_open(s, 0, &shape);
	/* From somewhere in the middle, so that full is not 15 and 0. */
	before = pick(s, 6);
	submit_steadily(s, 0, before, segment);
	expect_executed(s, 0, 5 * MS);
	at_once(s, HOST_FREEZE);
	n = fill(s, segment, shape.entries);
	expect_value(s, submit(s, 0, segment, 0, 0), -EAGAIN,
		     "a full ring should stay full");
	drain(s, segment, before + n);
}

void test_full_push_buffer_says_so(struct scenario *s)
{
	struct ring_shape shape = small(256, 256);
	const struct segment *segment;
	unsigned int before, n;

	segment = segment_words(s, 19 + pick(s, 30));
	driver_open(s);
	ring_open(s, 0, &shape);
	before = pick(s, 5);
	submit_steadily(s, 0, before, segment);
	expect_executed(s, 0, 5 * MS);
	at_once(s, HOST_FREEZE);
	n = fill(s, segment, 256);
	expect_value(s, submit(s, 0, segment, 0, 0), -EAGAIN,
		     "a full push buffer should stay full");
	drain(s, segment, before + n);
}

/*
 * Nothing that is held back makes room.  Who asks and goes away leaves it so;
 * who waits, offers it.
 */
static unsigned int fill_deferred(struct scenario *s,
				  const struct segment *segment)
{
	uint32_t flags = seed(s) / 2 % 2 ? RING_DEFER : 0;
	unsigned int n = fill_with(s, segment, RING_DEFER, 64);

	let_pass(s, 50 * US);
	expect_value(s, submit(s, 0, segment, flags, 5 * MS), 0,
		     "a ring full of deferred work should make room");
	if (flags)
		expect_value(s, kick(s, 0), 0, "ring_kick() should succeed");
	expect_executed(s, 0, 10 * MS);
	return n + 1;
}

void test_full_ring_waits(struct scenario *s)
{
	struct ring_shape shape = seed(s) % 2 ? small(8, 1024) :
		small(64, 128);
	const struct segment *segment = segment_words(s, 20);
	unsigned int n;

	driver_open(s);
	ring_open(s, 0, &shape);
	at_once(s, HOST_FREEZE);
	n = fill(s, segment, 64);
	expect_value(s, submit(s, 0, segment, 0, 300 * US), -ETIMEDOUT,
		     "a ring that stays full should time out");
	expect_value(s, wait_idle(s, 0, 300 * US), -ETIMEDOUT,
		     "a ring that stays busy should time out");
	later(s, 200 * US, HOST_THAW);
	expect_value(s, submit(s, 0, segment, 0, 5 * MS), 0,
		     "a ring that gets room in time should be used");
	expect_true(s, elapsed(s) >= 190 * US && elapsed(s) < 1 * MS,
		    "a wait should end soon after there is room",
		    "about 200000 ns", elapsed(s));
	expect_executed(s, 0, 10 * MS);
	n += 1 + fill_deferred(s, segment);
	expect_value(s, executed(s, 0), n,
		     "just what was accepted should be executed");
}

/*
 * GP_GET moves when Host begins an entry.  A segment of many words keeps it
 * busy long after; its words must stay, and the ring is not idle.
 */
void test_begun_is_not_consumed(struct scenario *s)
{
	struct ring_shape shape = small(32, 2048);
	const struct segment *large = segment_words(s, 900);
	const struct segment *little = segment_words(s, 400);
	unsigned int i;

	driver_open(s);
	ring_open(s, 0, &shape);
	for (i = 0; i < 4; i++) {
		submit_steadily(s, 0, 1, large);
		/* Until Host is somewhere in the middle of it. */
		let_pass(s, 1 * US + pick(s, 4) * US);
		is_idle(s, 0);
		submit_steadily(s, 0, 1, little);
		is_idle(s, 0);
		submit_steadily(s, 0, 1, large);
		expect_value(s, wait_idle(s, 0, 20 * MS), 0,
			     "the ring should become idle");
	}
	let_pass(s, 100 * US);
	expect_value(s, is_idle(s, 0), 1, "the ring should be idle by now");
}

void test_largest_segment_fits(struct scenario *s)
{
	struct ring_shape shape = small(16, 512);
	const struct segment *largest = segment_words(s, 256);
	const struct segment *over = segment_words(s, 257);
	unsigned int i;

	driver_open(s);
	ring_open(s, 0, &shape);
	for (i = 0; i < 8; i++) {
		submit_steadily(s, 0, 1, segment_words(s, 2 + pick(s, 250)));
		expect_value(s, submit_patiently(s, 0, largest), 0,
			     "half the push buffer should fit at last");
	}
	expect_value(s, submit(s, 0, over, 0, 20 * MS), -EINVAL,
		     "more than half the push buffer should be refused");
	expect_executed(s, 0, 20 * MS);
}

void test_batch_crosses_the_wrap(struct scenario *s)
{
	struct ring_shape shape = small(16, 1024);
	const struct segment *batch[SCENARIO_BATCH], *large[4];
	unsigned int i, lap;
	int64_t result = 0;

	driver_open(s);
	ring_open(s, 0, &shape);
	for (lap = 0; lap < 8; lap++) {
		unsigned int count = 4 + pick(s, 4);

		for (i = 0; i < count; i++)
			batch[i] = segment_words(s, 2 + pick(s, 40));
		expect_executed(s, 0, 20 * MS);
		put_writes(s, 0);
		expect_value(s, submit_batch(s, 0, batch, count, 0, 0), 0,
			     ALL_RIGHT);
		expect_executed(s, 0, 20 * MS);
		expect_value(s, put_writes(s, 0), 1,
			     "one write of GP_PUT should offer a batch");
	}
	/* Most of the push buffer, which is empty, with its head anywhere. */
	for (i = 0; i < 4; i++)
		large[i] = segment_words(s, 240);
	expect_value(s, submit_batch(s, 0, large, 4, 0, 1 * MS), 0, ALL_RIGHT);
	expect_executed(s, 0, 20 * MS);
	/* All or nothing, when there is room for some of it. */
	at_once(s, HOST_FREEZE);
	submit_steadily(s, 0, 1 + pick(s, 4), batch[0]);
	for (i = 0; i < 8 && result == 0; i++)
		result = submit_batch(s, 0, batch, 4, 0, 0);
	expect_value(s, result, -EAGAIN, "a full ring should say -EAGAIN");
	at_once(s, HOST_THAW);
	expect_executed(s, 0, 20 * MS);
	for (i = 0; i < SCENARIO_BATCH; i++)
		batch[i] = batch[0];
	expect_value(s, submit_batch(s, 0, batch, SCENARIO_BATCH, 0, 1 * MS),
		     -EINVAL, "a batch that can never fit should be refused");
	expect_executed(s, 0, 1 * MS);
}
