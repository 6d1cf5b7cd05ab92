/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 5: the ring's life [§8.5], [§8.6], and the card's end [§2.5].
 */
#include "autograder/hidden/01-ring/common.h"

void test_destroy_waits_for_work(struct scenario *s)
{
	struct ring_shape shape = roomy;

	shape.words = 4096;
	driver_open(s);
	ring_open(s, 0, &shape);
	expect_value(s, submit_many(s, 0, 5, segment_words(s, 300), 0, 5 * MS),
		     5, "all submissions should succeed");
	/* What was held back was submitted, too. */
	expect_value(s, submit(s, 0, segment_words(s, 30), RING_DEFER, 5 * MS),
		     0, ALL_RIGHT);
	expect_value(s, ring_close(s, 0, 50 * MS), 0,
		     "there was time enough, so all should be executed");
	expect_value(s, executed(s, 0), 6, "every segment should be executed");
	expect_unbound(s, shape.channel);
	driver_leaves_nothing(s);
}

/*
 * Submit, let Host work for a while, pause, and submit so many more.  Host
 * begins no more of what a paused ring keeps, however long one waits.
 */
static void close_paused(struct scenario *s, uint64_t while_ns, uint32_t more)
{
	const struct segment *segment = segment_words(s, 300);
	struct ring_shape shape = roomy;
	int64_t result;

	shape.words = 4096;
	ring_open(s, 0, &shape);
	submit_steadily(s, 0, 6, segment);
	let_pass(s, while_ns);
	expect_value(s, ring_pause(s, 0), 0, "ring_pause() should succeed");
	submit_steadily(s, 0, more, segment);
	let_pass(s, 100 * US);
	result = ring_close(s, 0, 200 * US);
	expect_value(s, result, executed(s, 0) < 6 + more ? -ETIMEDOUT : 0,
		     "what a paused ring drops should be told");
	expect_unbound(s, shape.channel);
}

void test_destroy_drops_what_is_stuck(struct scenario *s)
{
	driver_open(s);
	close_paused(s, 6 * US + pick(s, 16) * US, 0);
	close_paused(s, 50 * US, 1 + pick(s, 3));
	close_paused(s, 50 * US, 0);
	ring_open(s, 0, &roomy);
	at_once(s, HOST_FREEZE);
	expect_value(s, submit_many(s, 0, 5, segment_words(s, 20), 0, 5 * MS),
		     5, "all submissions should succeed");
	/* Host recovers when the driver has given up waiting. */
	later(s, 400 * US, HOST_THAW);
	expect_value(s, ring_close(s, 0, 200 * US), -ETIMEDOUT,
		     "what was dropped should be told");
	expect_unbound(s, roomy.channel);
	let_pass(s, 1 * MS);
	driver_leaves_nothing(s);
}

/* As a new owner finds it: empty, at the first entry of its own. */
static void use_again(struct scenario *s, const struct ring_shape *shape)
{
	const struct segment *segment = segment_words(s, 6);
	unsigned int n = 3 + pick(s, 9);

	ring_open(s, 0, shape);
	let_pass(s, 20 * US);
	expect_value(s, put_writes(s, 0) && put_value(s, 0) != shape->first,
		     false, "nothing should be offered before a submission");
	submit_steadily(s, 0, 1, segment);
	expect_executed(s, 0, 5 * MS);
	expect_put_near(s, 0, shape);
	submit_steadily(s, 0, n - 1, segment);
	expect_executed(s, 0, 5 * MS);
	expect_value(s, executed(s, 0), n,
		     "just the new segments should be executed");
}

/* Leave the channel with work undone: Host stopped, or paused. */
static void leave_unfinished(struct scenario *s, bool paused)
{
	if (paused)
		expect_value(s, ring_pause(s, 0), 0,
			     "ring_pause() should succeed");
	else
		at_once(s, HOST_FREEZE);
	expect_value(s, submit_many(s, 0, 3, segment_words(s, 9), 0, 5 * MS),
		     3, "all submissions should succeed");
	if (!paused)
		later(s, 200 * US, HOST_THAW);
	ring_close(s, 0, 100 * US);
}

/*
 * Whatever the last owner left behind, in USERD or in the driver's own notes
 * of this id, is not the next one's.  GP_PUT least of all: most owners' first
 * submission comes to the very value that was written last.
 */
void test_channel_is_used_again(struct scenario *s)
{
	struct ring_shape shape = roomy;
	unsigned int i;

	shape.entries = 16;
	driver_open(s);
	for (i = 0; i < 6; i++) {
		use_again(s, &shape);
		if (i % 3 == 1)
			leave_unfinished(s, i / 3);
		else
			ring_close(s, 0, 5 * MS);
		expect_unbound(s, shape.channel);
		shape.first = i % 3 == 2 ? 5 * (i / 3) :
			(put_value(s, 0) + shape.entries - 1) % shape.entries;
	}
	driver_close(s);
}

void test_pause_keeps_what_is_queued(struct scenario *s)
{
	struct ring_shape shape = roomy;
	unsigned int i, n = 0;

	shape.entries = 16;
	shape.first = pick(s, 16);
	driver_open(s);
	ring_open(s, 0, &shape);
	for (i = 0; i < 3; i++) {
		const struct segment *segment = segment_words(s, 8 + 20 * i);

		n += submit_many(s, 0, 4, segment, 0, 5 * MS);
		let_pass(s, pick(s, 6) * US);
		expect_value(s, ring_pause(s, 0), 0,
			     "ring_pause() should succeed");
		expect_value(s, ring_pause(s, 0), -EINVAL,
			     "a paused ring should not be paused again");
		n += submit_many(s, 0, 3, segment, 0, 5 * MS);
		let_pass(s, 50 * US);
		expect_value(s, ring_resume(s, 0), 0,
			     "ring_resume() should succeed");
		expect_value(s, ring_resume(s, 0), -EINVAL,
			     "a running ring should not be resumed");
		expect_executed(s, 0, 10 * MS);
	}
	expect_value(s, n, 21, "all submissions should succeed");
	expect_value(s, executed(s, 0), 21, "every segment should be executed");
}

static void expect_nodev(struct scenario *s, int64_t result)
{
	expect_value(s, result, -ENODEV,
		     "with the card gone a call should say -ENODEV");
}

/*
 * A submission that finds room need not look at the card; one that finds
 * none must.  So nobody can miss the loss for longer than one lap.
 */
static void finds_out(struct scenario *s, const struct segment *segment,
		      unsigned int lap)
{
	int64_t result = 0;
	unsigned int i;

	for (i = 0; i <= lap && result == 0; i++)
		result = submit(s, 0, segment, 0, 5 * MS);
	expect_nodev(s, result);
	expect_true(s, elapsed(s) < 1 * MS, "it should say so at once",
		    "less than 1000000 ns", elapsed(s));
}

void test_public_lost_card(struct scenario *s)
{
	const struct segment *segment = segment_words(s, 4);
	struct ring_shape shape = roomy;

	shape.entries = 8;
	driver_open(s);
	ring_open(s, 0, &shape);
	expect_value(s, submit(s, 0, segment, 0, 5 * MS), 0, ALL_RIGHT);
	expect_executed(s, 0, 5 * MS);
	at_once(s, CARD_UNPLUG);
	finds_out(s, segment, 8);
	expect_nodev(s, wait_idle(s, 0, 5 * MS));
	ring_close(s, 0, 5 * MS);
}

void test_lost_card_ends_every_call(struct scenario *s)
{
	const struct segment *segment = segment_words(s, 4);
	const struct segment *batch[] = { segment, segment };
	struct ring_shape shape = roomy;

	shape.entries = 8;
	driver_open(s);
	ring_open(s, 0, &shape);
	expect_value(s, submit_many(s, 0, 3, segment, 0, 5 * MS), 3,
		     "all submissions should succeed");
	expect_executed(s, 0, 5 * MS);
	at_once(s, CARD_UNPLUG);
	/* One call finds out; then all know. */
	finds_out(s, segment, 8);
	expect_nodev(s, is_idle(s, 0));
	expect_nodev(s, submit(s, 0, segment, 0, 0));
	expect_nodev(s, submit(s, 0, segment, RING_DEFER, 5 * MS));
	expect_nodev(s, submit_batch(s, 0, batch, 2, 0, 5 * MS));
	expect_nodev(s, kick(s, 0));
	expect_nodev(s, wait_idle(s, 0, 5 * MS));
	expect_nodev(s, ring_pause(s, 0));
	expect_nodev(s, ring_resume(s, 0));
	expect_nodev(s, ring_close(s, 0, 5 * MS));
	expect_true(s, elapsed(s) < 5 * MS, "it should say so at once",
		    "less than 5000000 ns", elapsed(s));
	driver_leaves_nothing(s);
}

/* The card goes while a call waits, or at any access of it. */
void test_lost_card_ends_a_wait(struct scenario *s)
{
	const struct segment *segment = segment_words(s, 20);
	struct ring_shape shape = roomy;

	shape.entries = 8;
	driver_open(s);
	ring_open(s, 0, &shape);
	if (seed(s) % 2) {
		at_once(s, HOST_FREEZE);
		submit_many(s, 0, 8, segment, 0, 0);
		later(s, 300 * US, CARD_UNPLUG);
		expect_nodev(s, submit(s, 0, segment, 0, 50 * MS));
		expect_true(s, elapsed(s) < 2 * MS, "it should say so at once",
			    "less than 2000000 ns", elapsed(s));
	} else {
		at_access(s, accesses(s) + 1 + pick(s, 20), CARD_UNPLUG);
		submit_many(s, 0, 40, segment, 0, 5 * MS);
		finds_out(s, segment, 8);
	}
	expect_nodev(s, submit(s, 0, segment, 0, 5 * MS));
	ring_close(s, 0, 5 * MS);
	driver_close(s);
}

void test_failed_allocation_leaves_nothing(struct scenario *s)
{
	const struct ring_shape shape = roomy;
	unsigned int n;
	int64_t result;

	driver_open(s);
	for (n = 1; n < 64; n++) {
		fail_alloc(s, n);
		result = ring_try_open(s, 0, &shape);
		fail_alloc(s, 0);
		if (result == 0)
			break;
		expect_value(s, result, -ENOMEM,
			     "ring_create() should say why it failed");
		expect_unbound(s, shape.channel);
	}
	expect_value(s, result, 0, "ring_create() should succeed at last");
	expect_value(s, submit_many(s, 0, 3, segment_words(s, 5), 0, 5 * MS),
		     3, "all submissions should succeed");
	expect_executed(s, 0, 5 * MS);
	ring_close(s, 0, 5 * MS);
	driver_leaves_nothing(s);
}
