/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 01 in the guest: the ring, through a node.
 *
 * Nobody tells what the card saw.  So the work checks itself: a segment waits
 * for the number before its own and then writes its own.  One that is lost,
 * torn, doubled or early leaves the others waiting for ever, and the test hears
 * of it.
 */
#include "rig.h"

#define SEGMENT	64	/* words, at most */

static struct rig r;

/* The next of a chain of segments: after number comes number + 1. */
static void chain(struct push *push, u64 va, u32 number, u32 words)
{
	push_acquire(push, va, number);
	push_release(push, va, number + 1);
	push_pad(push, words);
}

static u64 word_va(const struct line *line, u32 offset)
{
	return line->sem.va + offset;
}

static int chain_submit(struct line *line, u32 offset, u32 number, u32 words,
			u32 flags, u64 timeout_ns)
{
	u32 space[SEGMENT];
	struct push push;

	push_init(&push, space, ARRAY_SIZE(space));
	chain(&push, word_va(line, offset), number, words);
	return ring_submit(line->ring, &push, flags, timeout_ns);
}

/* One thread --------------------------------------------------------------- */

static void first_light(void)
{
	rig_up(&r, &(struct rig_setup){ 0 });
	CHECK_EQ(chain_submit(&r.line[0], WORDS_AT, 0, 0, 0, 0), 0);
	CHECK_EQ(ring_wait_idle(r.line[0].ring, 10 * SECOND), 0);
	word_wait(&r.line[0], WORDS_AT, 1);
	CHECK_EQ(ring_is_idle(r.line[0].ring), 1);
	rig_down(&r);
}

/* So many segments of all sizes, one after the other. */
static void many_segments(const struct rig_setup *setup, u32 count)
{
	struct guest_random random;

	guest_random_init(&random, setup->gp * 16 + setup->pb);
	rig_up(&r, setup);
	for (u32 i = 0; i < count; i++) {
		u32 words = guest_below(&random, SEGMENT / 2);

		CHECK_EQ(chain_submit(&r.line[0], WORDS_AT, i, words, 0,
				      10 * SECOND), 0);
	}
	word_wait(&r.line[0], WORDS_AT, count);
	rig_down(&r);
}

static void three_laps(void)
{
	for (u32 first = 0; first < 8; first += 7)
		many_segments(&(struct rig_setup){
			.entries = 8, .pb_words = 64, .gp_first = first,
		}, 24 * guest.rounds);
}

static void every_segment_has_its_crc(void)
{
	many_segments(&(struct rig_setup){
		.entries = 16, .pb_words = 128, .crc = true,
	}, 200 * guest.rounds);
}

static void all_nine_memories(void)
{
	for (int i = 0; i < 9; i++)
		many_segments(&(struct rig_setup){
			.entries = 16, .pb_words = 96,
			.gp = MEM_COHERENT + i % 3,
			.pb = MEM_COHERENT + i / 3,
		}, 100 * guest.rounds);
}

static void half_the_buffer_is_one_segment(void)
{
	static u32 space[256 * K];
	/* The last is 2 MiB of memory in one piece, half of what Linux has. */
	const u32 sizes[] = { 10, 1000, 40000, ARRAY_SIZE(space) };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct push push;
		u32 words = sizes[i];

		rig_up(&r, &(struct rig_setup){ .pb_words = 2 * words });
		for (u32 n = 0; n < 5; n++) {
			push_init(&push, space, ARRAY_SIZE(space));
			chain(&push, word_va(&r.line[0], WORDS_AT), n, words);
			CHECK_EQ(push.count, words);
			line_submit(&r.line[0], &push);
		}
		word_wait(&r.line[0], WORDS_AT, 5);
		push.count++;
		CHECK_EQ(ring_submit(r.line[0].ring, &push, 0, 0), -EINVAL);
		rig_down(&r);
	}
}

/* Full --------------------------------------------------------------------- */

/* Hold the channel, and fill the ring: how many it took.  The entry of the
 * hold is free once Host has begun it. */
static u32 fill(struct line *line, u32 words)
{
	u32 taken = 0;
	int err;

	line_hold(line);
	while (!(err = chain_submit(line, WORDS_AT, taken, words, 0, 0)))
		CHECK(++taken < 1000);
	CHECK_EQ(err, -EAGAIN);
	while (!(err = chain_submit(line, WORDS_AT, taken, words, 0,
				    20 * MS)))
		CHECK(++taken < 1000);
	CHECK_EQ(err, -ETIMEDOUT);
	return taken;
}

static void a_full_ring_says_so(void)
{
	u32 taken;

	rig_up(&r, &(struct rig_setup){ .entries = 16, .pb_words = 4096 });
	taken = fill(&r.line[0], 0);
	CHECK_EQ(taken, 15);
	line_release(&r.line[0]);
	word_wait(&r.line[0], WORDS_AT, taken);
	for (u32 i = taken; i < 3 * taken; i++)
		CHECK_EQ(chain_submit(&r.line[0], WORDS_AT, i, 0, 0,
				      10 * SECOND), 0);
	word_wait(&r.line[0], WORDS_AT, 3 * taken);
	rig_down(&r);
}

static void a_full_push_buffer_says_so(void)
{
	u32 taken;

	rig_up(&r, &(struct rig_setup){ .entries = 64, .pb_words = 128 });
	taken = fill(&r.line[0], 30);
	CHECK(taken == 3 || taken == 4);
	line_release(&r.line[0]);
	word_wait(&r.line[0], WORDS_AT, taken);
	rig_down(&r);
}

static void a_full_ring_is_waited_for_in_time(void)
{
	u64 start, ns;
	u32 taken;

	rig_up(&r, &(struct rig_setup){ .entries = 8 });
	taken = fill(&r.line[0], 0);
	start = ktime_get_ns();
	CHECK_EQ(chain_submit(&r.line[0], WORDS_AT, taken, 0, 0, 30 * MS),
		 -ETIMEDOUT);
	ns = ktime_get_ns() - start;
	CHECK(ns >= 30 * MS && ns < 5 * SECOND);
	line_release(&r.line[0]);
	CHECK_EQ(chain_submit(&r.line[0], WORDS_AT, taken, 0, 0,
			      10 * SECOND), 0);
	word_wait(&r.line[0], WORDS_AT, taken + 1);
	rig_down(&r);
}

/* Held back, in batches, paused -------------------------------------------- */

static void a_batch_is_whole_or_not_at_all(void)
{
	u32 space[4][SEGMENT];
	struct push push[4];
	u32 number = 0;

	rig_up(&r, &(struct rig_setup){ .entries = 8, .pb_words = 256 });
	for (u32 turn = 0; turn < 20 * guest.rounds; turn++, number += 4) {
		for (u32 i = 0; i < 4; i++) {
			push_init(&push[i], space[i], SEGMENT);
			chain(&push[i], word_va(&r.line[0], WORDS_AT),
			      number + i, 10 + i);
		}
		CHECK_EQ(ring_submit_batch(r.line[0].ring, push, 4, 0,
					   10 * SECOND), 0);
	}
	CHECK_EQ(ring_submit_batch(r.line[0].ring, push, 0, 0, 0), -EINVAL);
	word_wait(&r.line[0], WORDS_AT, number);
	rig_down(&r);
}

static void deferred_work_waits_for_the_kick(void)
{
	struct line *line = &r.line[0];

	rig_up(&r, &(struct rig_setup){ 0 });
	for (u32 i = 0; i < 5; i++)
		CHECK_EQ(chain_submit(line, WORDS_AT, i, 0, RING_DEFER, 0),
			 0);
	udelay(20000);
	CHECK_EQ(word(line, WORDS_AT), 0);
	CHECK_EQ(ring_kick(line->ring), 0);
	word_wait(line, WORDS_AT, 5);
	CHECK_EQ(chain_submit(line, WORDS_AT, 5, 0, RING_DEFER, 0), 0);
	CHECK_EQ(chain_submit(line, WORDS_AT, 6, 0, 0, 0), 0);
	word_wait(line, WORDS_AT, 7);
	CHECK_EQ(chain_submit(line, WORDS_AT, 7, 0, 8, 0), -EINVAL);
	rig_down(&r);
}

static void a_pause_keeps_what_is_queued(void)
{
	struct line *line = &r.line[0];
	u32 number = 0;

	rig_up(&r, &(struct rig_setup){ .entries = 16 });
	CHECK_EQ(ring_resume(line->ring), -EINVAL);
	for (u32 turn = 0; turn < 10 * guest.rounds; turn++) {
		for (u32 i = 0; i < 3; i++)
			CHECK_EQ(chain_submit(line, WORDS_AT, number++, 0, 0,
					      10 * SECOND), 0);
		CHECK_EQ(ring_pause(line->ring), 0);
		CHECK_EQ(ring_pause(line->ring), -EINVAL);
		for (u32 i = 0; i < 3; i++)
			CHECK_EQ(chain_submit(line, WORDS_AT, number++, 0, 0,
					      0), 0);
		udelay(1000);
		CHECK(word(line, WORDS_AT) <= number - 3);
		CHECK_EQ(ring_resume(line->ring), 0);
		word_wait(line, WORDS_AT, number);
	}
	rig_down(&r);
}

/* Threads ------------------------------------------------------------------ */

#define THREADS	8
#define TURNS	(50 * guest.rounds)

/* Each has a word, and so an order, of its own. */
static void submitter(unsigned int number)
{
	struct line *line = &r.line[number % r.lines];
	u32 offset = WORDS_AT + 16 * number;
	struct guest_random random;

	guest_random_init(&random, number);
	for (u32 i = 0; i < TURNS; i++) {
		bool defer = guest_below(&random, 4) == 0;

		CHECK_EQ(chain_submit(line, offset, i,
				      guest_below(&random, 30),
				      defer ? RING_DEFER : 0, 30 * SECOND),
			 0);
		if (defer)
			CHECK_EQ(ring_kick(line->ring), 0);
	}
}

static void threads_run(const struct rig_setup *setup)
{
	rig_up(&r, setup);
	guest_threads(THREADS, submitter);
	for (unsigned int i = 0; i < THREADS; i++)
		word_wait(&r.line[i % r.lines], WORDS_AT + 16 * i, TURNS);
	rig_down(&r);
}

static void eight_threads_share_a_ring(void)
{
	threads_run(&(struct rig_setup){ 0 });
}

static void eight_threads_share_a_small_ring_with_crcs(void)
{
	threads_run(&(struct rig_setup){
		.entries = 8, .pb_words = 64, .crc = true,
		.gp = MEM_WC, .pb = MEM_WC,
	});
}

static void eight_threads_share_three_rings(void)
{
	threads_run(&(struct rig_setup){
		.lines = 3, .entries = 32, .gp = MEM_VRAM,
	});
}

/* Copies ------------------------------------------------------------------- */

#define BYTES	(64 * K)

/* From one memory to another, at any place; and back to where we look. */
static void copy_and_check(struct gpu_mem *from, struct gpu_mem *to, u32 n)
{
	struct guest_random random;
	struct line *line = &r.line[0];
	u32 space[SEGMENT];

	guest_random_init(&random, n);
	mem_fill(from, n);
	mem_clear(to);
	for (u32 i = 0; i < 4; i++) {
		u32 bytes = 8 + 8 * guest_below(&random, BYTES / 8 / 4);
		u32 source = 8 * guest_below(&random, (BYTES - bytes) / 8);
		u32 target = 8 * guest_below(&random, (BYTES - bytes) / 8);
		struct push push;

		push_init(&push, space, ARRAY_SIZE(space));
		push_copy(&push, r.gpu, from->va + source, to->va + target,
			  bytes);
		push_release(&push, word_va(line, WORDS_AT), n * 4 + i + 1);
		line_submit(line, &push);
		word_wait(line, WORDS_AT, n * 4 + i + 1);
		mem_check(to, target, n, source, bytes);
	}
}

static void copies_arrive_in_every_memory(void)
{
	struct gpu_mem mem[3], to[3];

	rig_up(&r, &(struct rig_setup){ 0 });
	for (int kind = 0; kind < 3; kind++) {
		CHECK_EQ(gpu_mem_alloc(r.gpu, BYTES, kind, &mem[kind]), 0);
		CHECK_EQ(gpu_mem_alloc(r.gpu, BYTES, kind, &to[kind]), 0);
	}
	for (u32 i = 0; i < 9; i++)
		copy_and_check(&mem[i % 3], &to[i / 3], i);
	for (int kind = 0; kind < 3; kind++) {
		gpu_mem_free(r.gpu, &mem[kind]);
		gpu_mem_free(r.gpu, &to[kind]);
	}
	rig_down(&r);
}

/* The end of things -------------------------------------------------------- */

static void a_channel_is_used_again_and_again(void)
{
	struct rig_setup setup = { .entries = 16, .pb_words = 64 };

	rig_up(&r, &setup);
	for (u32 i = 0; i < 20 * guest.rounds; i++) {
		struct line *line = &r.line[0];
		u32 id = chan_id(line->chan);

		setup.gp_first = i % 16;
		for (u32 n = 0; n < i % 20; n++)
			CHECK_EQ(chain_submit(line, WORDS_AT, n, 0, 0,
					      10 * SECOND), 0);
		line_down(&r, line);
		line_up(&r, line, &setup);
		CHECK_EQ(chan_id(line->chan), id);
	}
	rig_down(&r);
}

static void work_that_is_stuck_is_dropped(void)
{
	struct line *line = &r.line[0];

	rig_up(&r, &(struct rig_setup){ .lines = 2 });
	fill(line, 0);
	timeline_destroy(line->timeline);
	line->timeline = NULL;
	CHECK_EQ(ring_destroy(line->ring, 5 * MS), -ETIMEDOUT);
	line->ring = NULL;
	CHECK_EQ(chain_submit(&r.line[1], WORDS_AT, 0, 0, 0, 0), 0);
	word_wait(&r.line[1], WORDS_AT, 1);
	rig_down(&r);
}

static const struct guest_test tests[] = {
#define TEST(name) { #name, name, false }
	TEST(first_light),
	TEST(three_laps),
	TEST(every_segment_has_its_crc),
	TEST(all_nine_memories),
	TEST(half_the_buffer_is_one_segment),
	TEST(a_full_ring_says_so),
	TEST(a_full_push_buffer_says_so),
	TEST(a_full_ring_is_waited_for_in_time),
	TEST(a_batch_is_whole_or_not_at_all),
	TEST(deferred_work_waits_for_the_kick),
	TEST(a_pause_keeps_what_is_queued),
	TEST(eight_threads_share_a_ring),
	TEST(eight_threads_share_a_small_ring_with_crcs),
	TEST(eight_threads_share_three_rings),
	TEST(copies_arrive_in_every_memory),
	TEST(a_channel_is_used_again_and_again),
	TEST(work_that_is_stuck_is_dropped),
};

int main(int argc, char **argv)
{
	return guest_main(argc, argv, tests, ARRAY_SIZE(tests));
}
