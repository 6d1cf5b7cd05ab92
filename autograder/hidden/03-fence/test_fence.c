/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 1: the semaphore and the fence [§9.5].
 *
 * A fence is a number in memory.  The first exercise has the seed's value;
 * from there numbers count on, over the end of 32 bits as well.  Nothing here
 * needs an interrupt: the word is looked at.
 */
#include "autograder/hidden/03-fence/common.h"

#define STAMP_STEPS	6u	/* of a call, in a run	*/

static void one_fence(struct scenario *s, enum scenario_memory memory,
		      uint32_t start)
{
	struct ring_shape shape = roomy_ring(0);

	driver_open(s);
	irq_on(s);
	ring_open(s, 0, &shape);
	timeline_open(s, 0, memory, start);
	work(s, 0, 5);
	fence(s, 0, 0);
	expect_value(s, fence_value(s, 0), start + 1,
		     "the first fence should have the number after start");
	expect_done(s, fence_wait(s, 0, WAIT_SPIN, 5 * MS));
	expect_value(s, word_of(s, 0), start + 1,
		     "the card should have written the fence's number");
}

void test_public_first_fence(struct scenario *s)
{
	one_fence(s, MEMORY_COHERENT, FIRST_VALUE - 1);
	expect_value(s, fence_ask(s, 0), 1, "the fence should be signalled");
}

/* Below 0x0f000000: there the data of tests lies. */
void test_first_number_follows_start(struct scenario *s)
{
	one_fence(s, (enum scenario_memory)(seed(s) % 3),
		  seed(s) % 2 ? FIRST_VALUE - 1 : pick(s, 0x0e000000));
	work(s, 0, 3);
	fence(s, 0, 1);
	expect_done(s, fence_wait(s, 1, WAIT_SPIN, 5 * MS));
	fence_end(s, 1);
}

/* The semaphore is set to start: the first fence is not signalled by what
 * lay in the memory before. */
void test_nothing_is_signalled_before(struct scenario *s)
{
	struct ring_shape shape = roomy_ring(0);
	uint32_t start = 0x80000000 + pick(s, 0x7fff0000);

	driver_open(s);
	irq_on(s);
	ring_open(s, 0, &shape);
	timeline_open(s, 0, (enum scenario_memory)(seed(s) % 3), start);
	at_once(s, HOST_FREEZE);
	fence(s, 0, 0);
	expect_value(s, fence_ask(s, 0), 0,
		     "no fence should be signalled while Host stands still");
	at_once(s, HOST_THAW);
	expect_released(s, 10 * MS);
	expect_value(s, fence_ask(s, 0), 1, "the fence should be signalled");
	fence_end(s, 1);
}

/* 0xffffffff is a number, though a lost card's memory reads so, too. */
void test_all_ones_is_a_number(struct scenario *s)
{
	struct ring_shape shape = roomy_ring(0);
	uint64_t ns;

	ignore_rule(s, RULE_MMU_FAULT);
	driver_open(s);
	irq_on(s);
	ring_open(s, 0, &shape);
	timeline_open(s, 0, (enum scenario_memory)(seed(s) % 3), 0xfffffffd);
	fence(s, 0, 0);
	hold_host(s, 100 * US);
	fence(s, 0, 1);
	expect_value(s, fence_value(s, 1), 0xffffffff,
		     "the second fence should be start + 2");
	expect_done(s, fence_wait(s, 1, (enum wait_how)(seed(s) % WAIT_HOWS),
				  20 * MS));
	expect_value(s, fence_stamp(s, 1, &ns), 0,
		     "its time should be there");
	expect_value(s, submit(s, 0, segment_fault(s), 0, 5 * MS), 0,
		     "the submission should succeed");
	fence(s, 0, 2);
	expect_value(s, fence_wait(s, 2, any_way(s), 20 * MS), -EIO,
		     "a fence behind the fault should have an error");
	expect_value(s, fence_ask(s, 0), 1, "it should stay signalled");
	expect_value(s, fence_ask(s, 1), 1, "it should stay signalled");
}

void test_fence_follows_the_work(struct scenario *s)
{
	unsigned int i;

	fence_begin(s, 1);
	at_once(s, HOST_FREEZE);
	for (i = 0; i < 4; i++)
		work(s, 0, 10 + 7 * i);
	fence(s, 0, 0);
	expect_value(s, fence_ask(s, 0), 0,
		     "nothing should be signalled while Host stands still");
	at_once(s, HOST_THAW);
	expect_done(s, fence_wait(s, 0, WAIT_SPIN, 10 * MS));
	expect_executed(s, 0, 0);
	expect_value(s, executed(s, 0), 4,
		     "the work before the fence should be executed");
	fence_end(s, 1);
}

/* A copy takes its time; Host is long done with its methods. */
void test_fence_waits_for_the_engine(struct scenario *s)
{
	unsigned int i;

	fence_begin(s, 1);
	expect_value(s, submit(s, 0, segment_bind_copy(s), 0, 5 * MS), 0,
		     "the submission should succeed");
	for (i = 0; i < 3; i++) {
		expect_value(s, submit(s, 0, segment_copy(s, 0, 150), 0,
				       5 * MS), 0,
			     "the submission should succeed");
		fence(s, 0, i);
		expect_done(s, fence_wait(s, i, WAIT_SPIN, 10 * MS));
		expect_value(s, copies_done(s, released_at(s, i)), i + 1,
			     "the copy should be done when the fence is");
	}
	fence_end(s, 1);
}

static void over_the_end(struct scenario *s, uint32_t start)
{
	struct ring_shape shape = roomy_ring(0);
	unsigned int i;

	driver_open(s);
	irq_on(s);
	fenced_ring(s, 0, &shape, start);
	at_once(s, HOST_FREEZE);
	for (i = 0; i < 6; i++)
		fence(s, 0, i);
	for (i = 0; i < 6; i++)
		expect_value(s, fence_ask(s, i), 0,
			     "no fence should be signalled yet");
	expect_value(s, fence_wait(s, 0, any_way(s), 100 * US), -ETIMEDOUT,
		     "no fence should be signalled yet");
	at_once(s, HOST_THAW);
	expect_done(s, fence_wait(s, 5, any_way(s), 10 * MS));
	for (i = 0; i < 6; i++) {
		expect_value(s, fence_ask(s, i), 1,
			     "all fences before should be signalled, too");
		expect_done(s, fence_wait(s, i, any_way(s), 0));
	}
	expect_value(s, fence_value(s, 5), (uint32_t)(start + 6),
		     "numbers should count on modulo 2^32");
	fence_end(s, 1);
}

void test_numbers_wrap(struct scenario *s)
{
	over_the_end(s, 0xffffffff - pick(s, 5));
}

void test_numbers_pass_the_sign(struct scenario *s)
{
	over_the_end(s, 0x7fffffff - pick(s, 5));
}

/*
 * Fence n is released while whoever asks for a time, that of this fence or of
 * the one before, stands still at one step of his way.  Whose the time is that
 * he gives is held against the card.
 */
static void release_meanwhile(struct scenario *s, unsigned int n,
			      unsigned int asked, unsigned int step)
{
	uint64_t ns;

	at_once(s, HOST_FREEZE);
	fence(s, 0, n);
	later(s, 5 * US, HOST_THAW);
	stand_still(s, step, 60 * US);
	fence_stamp(s, asked, &ns);
	expect_released(s, 10 * MS);
}

void test_fence_has_a_time(struct scenario *s)
{
	unsigned int n;
	uint64_t ns;

	fence_begin(s, 1);
	at_once(s, HOST_FREEZE);
	fence(s, 0, 0);
	expect_value(s, fence_stamp(s, 0, &ns), -EAGAIN,
		     "a fence should have no time yet");
	at_once(s, HOST_THAW);
	expect_done(s, fence_wait(s, 0, WAIT_SPIN, 10 * MS));
	expect_value(s, fence_stamp(s, 0, &ns), 0,
		     "a fence that is released should have its time");
	work(s, 0, 4);
	fence(s, 0, 1);
	expect_done(s, fence_wait(s, 1, WAIT_SPIN, 10 * MS));
	expect_value(s, fence_stamp(s, 0, &ns), -EAGAIN,
		     "a time should be given for the last fence only");
	expect_value(s, fence_stamp(s, 1, &ns), 0,
		     "a fence that is released should have its time");
	for (n = 0; n < STAMP_STEPS; n++) {
		unsigned int step = 1 + STAMP_STEPS * (seed(s) % 3) + n;

		release_meanwhile(s, 2 + 2 * n, 1 + 2 * n, step);
		release_meanwhile(s, 3 + 2 * n, 3 + 2 * n, step);
	}
	fence_end(s, 1);
}

/*
 * Ring 0 is paused, so its fence waits; rings 1 and 2 are behind it, and ring
 * 3 has nothing to do with them: all four share one PBDMA, and who waits leaves
 * it long before its time slice is over.  A fence that the word has passed
 * long ago holds nobody.
 */
void test_another_channel_waits(struct scenario *s)
{
	fence_begin(s, 4);
	work(s, 0, 4);
	fence(s, 0, 0);
	fence(s, 0, 1);
	expect_done(s, fence_wait(s, 1, WAIT_SPIN, 10 * MS));
	expect_value(s, fence_behind(s, 1, 0, 5 * MS), 0,
		     "fence_acquire() should succeed");
	work(s, 1, 6);
	expect_executed(s, 1, 10 * MS);

	expect_value(s, ring_pause(s, 0), 0, "ring_pause() should succeed");
	fence(s, 0, 2);
	expect_value(s, fence_behind(s, 1, 2, 5 * MS), 0,
		     "fence_acquire() should succeed");
	work(s, 1, 8);
	fence(s, 1, 3);
	expect_value(s, fence_behind(s, 2, 2, 5 * MS), 0,
		     "fence_acquire() should succeed");
	fence(s, 3, 4);
	let_pass(s, 300 * US);
	expect_value(s, fence_ask(s, 4), 1,
		     "other channels should run while two wait on the GPU");
	expect_value(s, executed(s, 1), 1,
		     "the channel should wait for the other's fence");
	expect_value(s, fence_ask(s, 3), 0, "its fence should wait, too");
	expect_value(s, ring_resume(s, 0), 0, "ring_resume() should succeed");
	expect_done(s, fence_wait(s, 3, any_way(s), 20 * MS));
	expect_executed(s, 1, 10 * MS);
	expect_value(s, executed(s, 1), 2, "then it should go on");
	fence_end(s, 4);
}

/* The ring is full of work that was held back: who waits has it offered. */
static void fence_behind_held_back(struct scenario *s, unsigned int n)
{
	unsigned int held = 0;

	while (held < 8 && submit(s, 0, segment_words(s, 4), RING_DEFER,
				  0) == 0)
		held++;
	expect_true(s, held >= 2 && held < 8,
		    "a ring of 8 entries should hold back some segments",
		    "2 to 7", held);
	expect_value(s, fence_try(s, 0, n, 5 * MS), 0,
		     "work that was held back should be offered, to make room");
	expect_done(s, fence_wait(s, n, any_way(s), 10 * MS));
}

/* A full ring: no number is spent on a fence that did not fit. */
void test_full_ring_loses_no_number(struct scenario *s)
{
	struct ring_shape shape = roomy_ring(0);
	unsigned int n, count = 0;

	shape.entries = 8;
	driver_open(s);
	irq_on(s);
	fenced_ring(s, 0, &shape, 77);
	at_once(s, HOST_FREEZE);
	for (n = 0; n < 12 && fence_try(s, 0, n, 0) == 0; n++)
		count++;
	expect_true(s, count >= 2 && count < 8,
		    "a ring of 8 entries should hold some fences",
		    "2 to 7", count);
	expect_value(s, fence_try(s, 0, 20, 0), -EAGAIN,
		     "a full ring should say so");
	expect_value(s, fence_try(s, 0, 20, 300 * US), -ETIMEDOUT,
		     "a full ring should be waited for as long as asked");
	later(s, 100 * US, HOST_THAW);
	expect_value(s, fence_try(s, 0, 21, 10 * MS), 0,
		     "the fence should go in once there is room");
	expect_value(s, fence_value(s, 21), 77 + count + 1,
		     "no number should be left out");
	expect_done(s, fence_wait(s, 21, any_way(s), 10 * MS));
	fence_behind_held_back(s, 22);
	fence_end(s, 1);
}
