/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 4: races.
 *
 * Between the look at a word and the sleep lies the moment in which wake-ups
 * get lost.  Threads, the handler and the card take turns at every access, by
 * the seed; Host is let go at about the time at which the wait begins.
 */
#include "autograder/hidden/03-fence/common.h"

#define STEPS_OF_A_RUN	16u

void test_public_race(struct scenario *s)
{
	unsigned int i;

	fence_begin(s, 1);
	for (i = 0; i < 4; i++) {
		hold_host(s, 500 + pick(s, 8000));
		fence(s, 0, i);
		expect_done(s, fence_wait(s, i, WAIT_EVENT, 20 * MS));
	}
}

/*
 * The fence comes while the waiter is getting into the list.  Another thread
 * asks all the while, so that time passes between any two of its steps; and
 * mostly the bus is so fast that a whole handler fits in there.
 */
static void close_call(struct scenario *s, int how)
{
	bool fast = seed(s) % 4 != 1;
	unsigned int i;

	if (fast)
		use_fast_bus(s);
	fence_begin(s, 1);
	for (i = 0; i < 12; i++) {
		hold_host(s, 1 * US);
		fence(s, 0, i);
		/* Until about when the card releases it. */
		thread_sleep(s, 0, 2 * US + pick(s, fast ? 700 : 5000));
		if (how < 0)
			thread_poll(s, 0, i, (enum poll_how)pick(s, 3),
				    20 * MS);
		else
			thread_wait(s, 0, i, (enum wait_how)how, 20 * MS);
		thread_ask(s, 1, i, fast ? 160 : 20);
		threads_run_any(s);
		expect_value(s, result_of(s, 1), how < 0,
			     "the wait should end with the fence");
	}
	fence_end(s, 1);
}

void test_close_call_by_event(struct scenario *s)
{
	close_call(s, WAIT_EVENT);
}

void test_close_call_by_condition(struct scenario *s)
{
	close_call(s, WAIT_COND);
}

void test_close_call_by_descriptor(struct scenario *s)
{
	close_call(s, -1);
}

/*
 * Whoever waits loses the processor at one step of its way to sleep, or back,
 * for longer than fence and interrupt take to come and go.  Each run tries
 * other steps; all runs together, each of the first hundreds.
 */
static void at_each_step(struct scenario *s, enum wait_how how)
{
	unsigned int i;

	fence_begin(s, 1);
	for (i = 0; i < STEPS_OF_A_RUN; i++) {
		at_once(s, HOST_FREEZE);
		fence(s, 0, i);
		later(s, 5 * US, HOST_THAW);
		stand_still(s, 1 + STEPS_OF_A_RUN * (seed(s) % 16) + i,
			    60 * US);
		expect_done(s, fence_wait(s, i, how, 20 * MS));
	}
	fence_end(s, 1);
}

void test_close_call_at_each_step(struct scenario *s)
{
	at_each_step(s, WAIT_EVENT);
}

/* All emit on one timeline and wait for what they emitted. */
void test_threads_emit_and_wait(struct scenario *s)
{
	unsigned int t, i;

	fence_begin(s, 1);
	for (i = 0; i < 6; i++) {
		for (t = 0; t < 4; t++) {
			unsigned int n = 6 * t + i;

			thread_submit(s, t, 0, 1, segment_words(s, 3 + t), 0,
				      20 * MS);
			thread_fence(s, t, 0, n);
			thread_wait(s, t, n, (enum wait_how)((t + i) %
							     WAIT_HOWS),
				    20 * MS);
		}
	}
	threads_run(s);
	fence_end(s, 1);
}

/* Each waits for what its neighbour emits, on the other ring. */
void test_threads_wait_for_others(struct scenario *s)
{
	unsigned int t, i;

	fence_begin(s, 2);
	for (i = 0; i < 6; i++) {
		for (t = 0; t < 4; t++)
			thread_fence(s, t, t % 2, 6 * t + i);
		for (t = 0; t < 4; t++)
			thread_wait(s, t, 6 * ((t + 1) % 4) + i,
				    (enum wait_how)((t + i) % WAIT_HOWS),
				    20 * MS);
	}
	threads_run(s);
	fence_end(s, 2);
}

/* Fences come one after the other; who sleeps for one, and who for another,
 * come and go. */
void test_waiters_come_and_go(struct scenario *s)
{
	unsigned int t, i;

	fence_begin(s, 1);
	for (i = 0; i < 5; i++) {
		for (t = 0; t < 6; t++) {
			if (t == 0) {
				thread_fence(s, t, 0, i);
				thread_sleep(s, t, 3 * US);
			} else {
				thread_wait(s, t, i, t % 2 ? WAIT_COND :
					    WAIT_EVENT, 20 * MS);
			}
		}
	}
	threads_run(s);
	fence_end(s, 1);
}

/* A message takes long on its way, so one stands for many fences. */
void test_late_interrupts(struct scenario *s)
{
	unsigned int t, i;

	fence_begin(s, 2);
	delay_interrupts(s, 20 * US + pick(s, 60000));
	for (i = 0; i < 5; i++) {
		for (t = 0; t < 4; t++) {
			thread_fence(s, t, t % 2, 5 * t + i);
			thread_wait(s, t, 5 * t + i, t % 2 ? WAIT_EVENT :
				    WAIT_COND, 20 * MS);
		}
	}
	threads_run(s);
	fence_end(s, 2);
}

/* A short time-out and the fence come together; either may win. */
void test_time_out_meets_the_fence(struct scenario *s)
{
	unsigned int i;
	int64_t result;

	fence_begin(s, 1);
	for (i = 0; i < 12; i++) {
		hold_host(s, 1 * MS - pick(s, 16000));
		fence(s, 0, i);
		result = fence_wait(s, i, i % 2 ? WAIT_EVENT : WAIT_COND,
				    1 * MS);
		if (result != -ETIMEDOUT)
			expect_done(s, result);
		expect_released(s, 10 * MS);
	}
	fence_end(s, 1);
}
