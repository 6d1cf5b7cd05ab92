/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 4: many threads, one ring [§8.3], [§4.6].
 *
 * Threads run one at a time; who runs next is drawn at every access, from the
 * seed.  The card's rules and the order of what is executed tell a race from
 * a lock.  Segments have different lengths, so that a slot or a word that two
 * threads share never looks right by chance.
 */
#include "autograder/hidden/01-ring/common.h"

/* More often than not, and with either kind of schedule. */
static void choose_cpu(struct scenario *s)
{
	if (seed(s) % 2 || seed(s) % 8 == 0)
		use_slow_cpu(s);
}

void test_public_two_threads(struct scenario *s)
{
	choose_cpu(s);
	driver_open(s);
	ring_open(s, 0, &roomy);
	thread_submit(s, 0, 0, 6, segment_words(s, 4), 0, 5 * MS);
	thread_submit(s, 1, 0, 6, segment_words(s, 7), 0, 5 * MS);
	threads_run(s);
	expect_executed(s, 0, 5 * MS);
	expect_value(s, executed(s, 0), 12, "every segment should be executed");
}

void test_threads_share_a_ring(struct scenario *s)
{
	struct ring_shape shape = roomy;
	unsigned int t;

	shape.gp = shape.pb = seed(s) % 4 == 3 ? MEMORY_COMBINED :
		MEMORY_COHERENT;
	choose_cpu(s);
	driver_open(s);
	ring_open(s, 0, &shape);
	for (t = 0; t < 3; t++)
		thread_submit(s, t, 0, 12, segment_words(s, 3 + 5 * t), 0,
			      5 * MS);
	threads_run(s);
	expect_executed(s, 0, 5 * MS);
	expect_value(s, executed(s, 0), 36, "every segment should be executed");
	ring_close(s, 0, 5 * MS);
	driver_close(s);
}

/*
 * So many that most of them wait, and Host so slow that room is rare: what
 * one has read of Host's progress is old when another has used it up.
 */
static void fill_with_a_crowd(struct scenario *s)
{
	struct ring_shape shape = roomy;
	unsigned int t;

	shape.entries = 4;
	use_slow_host(s);
	driver_open(s);
	ring_open(s, 0, &shape);
	for (t = 0; t < SCENARIO_THREADS; t++)
		thread_submit(s, t, 0, 12, segment_words(s, 2), 0, 500 * MS);
	threads_run(s);
	expect_executed(s, 0, 20 * MS);
	expect_value(s, executed(s, 0), SCENARIO_THREADS * 12,
		     "every segment should be executed");
}

static void fill_in_turn(struct scenario *s, uint32_t entries, uint32_t words)
{
	struct ring_shape shape = roomy;
	unsigned int t;

	shape.entries = entries;
	shape.words = words;
	if (pick(s, 3))
		use_slow_cpu(s);
	driver_open(s);
	ring_open(s, 0, &shape);
	for (t = 0; t < 3; t++)
		thread_submit(s, t, 0, 12, segment_words(s, 5 + 6 * t), 0,
			      500 * MS);
	threads_run(s);
	expect_executed(s, 0, 20 * MS);
	expect_value(s, executed(s, 0), 36, "every segment should be executed");
}

void test_threads_fill_the_ring(struct scenario *s)
{
	/* Even seeds have PCT schedules among them: nothing for a crowd. */
	if (seed(s) % 2)
		fill_with_a_crowd(s);
	else if (pick(s, 2))
		fill_in_turn(s, 4, 512);
	else
		fill_in_turn(s, 32, 64);
}

void test_threads_keep_batches_whole(struct scenario *s)
{
	struct ring_shape shape = roomy;
	const struct segment *batch[2][3];
	unsigned int t, i;

	shape.entries = 16;
	choose_cpu(s);
	driver_open(s);
	ring_open(s, 0, &shape);
	for (t = 0; t < 2; t++) {
		for (i = 0; i < 3; i++)
			batch[t][i] = segment_words(s, 3 + 4 * i + t);
		thread_submit_batch(s, t, 0, 6, batch[t], 3, 0, 500 * MS);
	}
	thread_submit(s, 2, 0, 10, segment_words(s, 9), 0, 500 * MS);
	threads_run(s);
	expect_executed(s, 0, 20 * MS);
	expect_value(s, executed(s, 0), 2 * 6 * 3 + 10,
		     "every segment should be executed");
}

/*
 * When the last call has returned, everything is offered: who deferred has
 * kicked, or somebody else submitted after.  A driver that leaves the ringing
 * to a thread that has just looked and gone away lets work sleep.
 */
void test_threads_defer_and_kick(struct scenario *s)
{
	unsigned int t, i;

	choose_cpu(s);
	driver_open(s);
	ring_open(s, 0, &roomy);
	for (t = 0; t < 3; t++) {
		const struct segment *segment = segment_words(s, 3 + 2 * t);

		for (i = 0; i < 4; i++) {
			thread_submit(s, t, 0, 2, segment,
				      t ? RING_DEFER : 0, 5 * MS);
			if (t)
				thread_kick(s, t, 0);
		}
	}
	threads_run(s);
	expect_executed(s, 0, 5 * MS);
	expect_value(s, executed(s, 0), 24, "every segment should be executed");
}

void test_two_rings_do_not_mix(struct scenario *s)
{
	struct ring_shape first = roomy, second = roomy;

	first.channel = 1 + pick(s, 40);
	second.channel = 60 + pick(s, 40);
	second.pb = MEMORY_COMBINED;
	second.entries = 8;
	choose_cpu(s);
	driver_open(s);
	ring_open(s, 0, &first);
	ring_open(s, 1, &second);
	/* Both are where the other was. */
	submit_steadily(s, 0, 1, segment_words(s, 3));
	expect_executed(s, 0, 10 * MS);
	submit_steadily(s, 1, 1, segment_words(s, 3));
	expect_executed(s, 1, 10 * MS);
	thread_submit(s, 0, 0, 10, segment_words(s, 4), 0, 500 * MS);
	thread_submit(s, 1, 1, 10, segment_words(s, 9), 0, 500 * MS);
	threads_run(s);
	expect_executed(s, 0, 10 * MS);
	expect_executed(s, 1, 10 * MS);
	ring_close(s, 0, 10 * MS);
	submit_steadily(s, 1, 5, segment_words(s, 6));
	expect_executed(s, 1, 10 * MS);
	ring_close(s, 1, 10 * MS);
	driver_close(s);
}
