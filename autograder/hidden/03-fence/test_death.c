/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 5: channels that die, cards that go, and the end of things.
 */
#include "autograder/hidden/03-fence/common.h"

#define DEATHS		8u	/* in a run: one a ring	*/

static void kill_channel(struct scenario *s, unsigned int ring)
{
	expect_value(s, submit(s, ring, segment_fault(s), 0, 5 * MS), 0,
		     "the submission should succeed");
}

void test_public_dead_channel(struct scenario *s)
{
	ignore_rule(s, RULE_MMU_FAULT);
	fence_begin(s, 1);
	kill_channel(s, 0);
	fence(s, 0, 0);
	expect_value(s, fence_wait(s, 0, WAIT_EVENT, 20 * MS), -EIO,
		     "a fence of a channel that died should say so");
}

/* What was before the fault is signalled; what is behind it has an error. */
void test_death_wakes_its_waiters(struct scenario *s)
{
	unsigned int t;

	ignore_rule(s, RULE_MMU_FAULT);
	fence_begin(s, 2);
	hold_host(s, 300 * US);
	fence(s, 0, 0);
	kill_channel(s, 0);
	fence(s, 0, 1);
	fence(s, 1, 2);
	for (t = 0; t < 8; t++)
		thread_wait(s, t, t == 6 ? 0 : t == 7 ? 2 : 1,
			    (enum wait_how)(t % WAIT_HOWS), 20 * MS);
	threads_run_with(s, -EIO, 6);
	expect_value(s, fence_ask(s, 0), 1,
		     "a fence before the fault should stay signalled");
	expect_value(s, fence_ask(s, 1), -EIO,
		     "a fence behind the fault should have an error");
	expect_value(s, fence_wait(s, 1, any_way(s), 5 * MS), -EIO,
		     "a fence behind the fault should have an error");
}

/*
 * A fence is released, and the fault behind it kills the channel, all while
 * whoever asks or waits stands still at one step of his way: between his look
 * at the word and his look at the channel, for one.  0 or 1: his answer.
 */
static void die_meanwhile(struct scenario *s, unsigned int n,
			  unsigned int step,
			  int64_t (*answer)(struct scenario *s,
					    unsigned int n))
{
	int64_t result;

	at_once(s, HOST_FREEZE);
	fence(s, n, n);
	kill_channel(s, n);
	fence(s, n, DEATHS + n);
	later(s, 5 * US, HOST_THAW);
	stand_still(s, step, 120 * US);
	result = answer(s, n);
	expect_true(s, result >= 0, "a fence that was released should give no "
		    "error", "no error", -result);
	expect_value(s, fence_wait(s, DEATHS + n, any_way(s), 20 * MS), -EIO,
		     "a fence behind the fault should have an error");
	expect_value(s, fence_ask(s, n), 1,
		     "a fence before the fault should stay signalled");
}

void test_death_at_each_step_of_a_look(struct scenario *s)
{
	unsigned int n;

	ignore_rule(s, RULE_MMU_FAULT);
	fence_begin(s, DEATHS);
	for (n = 0; n < DEATHS; n++)
		die_meanwhile(s, n, 1 + DEATHS * (seed(s) % 3) + n, fence_ask);
}

static int64_t wait_for_any(struct scenario *s, unsigned int n)
{
	uint32_t index;

	return fence_wait_any(s, n, 1, 20 * MS, &index);
}

static int64_t wait_by_spin(struct scenario *s, unsigned int n)
{
	return fence_wait(s, n, WAIT_SPIN, 20 * MS);
}

static int64_t wait_by_condition(struct scenario *s, unsigned int n)
{
	return fence_wait(s, n, WAIT_COND, 20 * MS);
}

static int64_t wait_by_event(struct scenario *s, unsigned int n)
{
	return fence_wait(s, n, WAIT_EVENT, 20 * MS);
}

/* The way into poll() is the longest: most of a run goes along it. */
void test_death_at_each_step_of_a_wait(struct scenario *s)
{
	unsigned int run = seed(s) % 16, n;

	ignore_rule(s, RULE_MMU_FAULT);
	fence_begin(s, DEATHS);
	die_meanwhile(s, 0, 1 + run, run % 2 ? wait_for_any : wait_by_spin);
	for (n = 1; n < 3; n++)
		die_meanwhile(s, n, 2 * run + n, wait_by_condition);
	for (n = 3; n < DEATHS; n++)
		die_meanwhile(s, n, 5 * run + n - 2, wait_by_event);
}

/*
 * The fault that is in the registers is of a channel that is gone when the
 * handler comes.  Behind it one was dropped: DROPPED_MMU_FAULT alone says so.
 */
static void dropped_behind_nobody(struct scenario *s)
{
	struct ring_shape shape = roomy_ring(3);

	ring_open(s, 3, &shape);
	shape = roomy_ring(4);
	fenced_ring(s, 4, &shape, pick(s, 1000));
	delay_interrupts(s, 400 * US);
	kill_channel(s, 3);
	let_pass(s, 50 * US);
	kill_channel(s, 4);
	fence(s, 4, 4);
	let_pass(s, 50 * US);
	ring_close(s, 3, 0);
	expect_value(s, fence_wait(s, 4, any_way(s), 20 * MS), -EIO,
		     "a channel whose fault was dropped should be dead, too");
	delay_interrupts(s, 0);
}

/* The second fault finds the first one's registers in use, and is dropped. */
void test_two_faults_end_two_channels(struct scenario *s)
{
	unsigned int n;

	ignore_rule(s, RULE_MMU_FAULT);
	fence_begin(s, 3);
	/* Late, so that both faults are there. */
	if (seed(s) % 2)
		delay_interrupts(s, 60 * US);
	at_once(s, HOST_FREEZE);
	for (n = 0; n < 3; n++) {
		if (n < 2)
			kill_channel(s, n);
		fence(s, n, n);
	}
	later(s, 300 * US, HOST_THAW);
	for (n = 0; n < 3; n++)
		thread_wait(s, n, n, any_way(s), 20 * MS);
	threads_run_with(s, -EIO, 2);
	for (n = 0; n < 3; n++)
		expect_value(s, channel_error(s, n), n < 2 ? -EIO : 0,
			     "who met a fault should be dead, and no other");
	expect_calm(s);
	dropped_behind_nobody(s);
}

void test_death_ends_waits_for_several(struct scenario *s)
{
	uint32_t index = 9;

	ignore_rule(s, RULE_MMU_FAULT);
	fence_begin(s, 2);
	expect_value(s, ring_pause(s, 1), 0, "ring_pause() should succeed");
	hold_host(s, 300 * US);
	kill_channel(s, 0);
	fence(s, 1, 0);
	fence(s, 0, 1);
	expect_value(s, fence_wait_all(s, 0, 2, 20 * MS), -EIO,
		     "wait-all should give the error");
	fence_wait_any(s, 0, 2, 20 * MS, &index);
	expect_value(s, index, 1, "wait-any should name the failed fence");
	expect_value(s, ring_resume(s, 1), 0, "ring_resume() should succeed");
	expect_done(s, fence_wait(s, 0, any_way(s), 20 * MS));
}

/* Its descriptor becomes readable, too. */
void test_death_shows_at_the_descriptor(struct scenario *s)
{
	unsigned int t;

	ignore_rule(s, RULE_MMU_FAULT);
	fence_begin(s, 1);
	hold_host(s, 300 * US);
	kill_channel(s, 0);
	fence(s, 0, 0);
	for (t = 0; t < 3; t++)
		thread_poll(s, t, 0, (enum poll_how)t, 20 * MS);
	threads_run_any(s);
	for (t = 0; t < 3; t++)
		expect_value(s, result_of(s, t), 1,
			     "the descriptor should become readable");
	expect_value(s, fence_poll(s, 0, (enum poll_how)pick(s, 3), 5 * MS),
		     1, "a descriptor made afterwards should be readable");
}

/* Thread 0 destroys the timeline that others wait on. */
void test_destroy_wakes_its_waiters(struct scenario *s)
{
	unsigned int t;

	fence_begin(s, 2);
	expect_value(s, ring_pause(s, 0), 0, "ring_pause() should succeed");
	fence(s, 0, 0);
	for (t = 1; t < 6; t++)
		thread_wait(s, t, 0, (enum wait_how)(t % WAIT_HOWS), 50 * MS);
	thread_sleep(s, 0, 200 * US);
	thread_timeline_close(s, 0, 0);
	threads_run_with(s, -ECANCELED, 5);
	work(s, 1, 4);
	fence(s, 1, 1);
	expect_done(s, fence_wait(s, 1, any_way(s), 20 * MS));
}

/* With the card gone every wait ends, by its time-out at the latest. */
void test_lost_card_ends_waits(struct scenario *s)
{
	unsigned int t;

	fence_begin(s, 1);
	at_once(s, HOST_FREEZE);
	fence(s, 0, 0);
	later(s, 200 * US, CARD_UNPLUG);
	for (t = 0; t < 4; t++)
		thread_wait(s, t, 0, (enum wait_how)(t % WAIT_HOWS), 5 * MS);
	threads_run_any(s);
	for (t = 0; t < 4; t++)
		expect_true(s, result_of(s, t) == -ENODEV ||
			    result_of(s, t) == -ETIMEDOUT,
			    "a wait on a lost card should end with an error",
			    "-ENODEV or -ETIMEDOUT", -result_of(s, t));
	expect_value(s, fence_ask(s, 0), -ENODEV,
		     "a lost card should be told of");
	expect_value(s, channel_error(s, 0), -ENODEV,
		     "a lost card should be told of");
	expect_value(s, fence_wait(s, 0, any_way(s), 5 * MS), -ENODEV,
		     "a lost card should be told of");
}

/* … and none succeeds, though the word then reads as a large number.  What was
 * released before, into memory that is still there, stays so. */
void test_lost_card_releases_nothing(struct scenario *s)
{
	struct ring_shape shape[3];
	uint64_t ns;
	unsigned int n, t;

	driver_open(s);
	irq_on(s);
	for (n = 0; n < 3; n++) {
		shape[n] = roomy_ring(n);
		ring_open(s, n, &shape[n]);
	}
	timeline_open(s, 0, MEMORY_VRAM, 0x80000000 + pick(s, 0x7fff0000));
	timeline_open(s, 1, MEMORY_VRAM, 0xfffffffe);
	timeline_open(s, 2, MEMORY_COHERENT, 0x80000000 + pick(s, 1000));
	fence(s, 2, 2);
	expect_done(s, fence_wait(s, 2, any_way(s), 20 * MS));
	at_once(s, HOST_FREEZE);
	fence(s, 0, 0);
	fence(s, 1, 1);
	later(s, 200 * US, CARD_UNPLUG);
	for (t = 0; t < 8; t++)
		thread_wait(s, t, t / 4, (enum wait_how)(t % WAIT_HOWS),
			    5 * MS);
	threads_run_any(s);
	for (n = 0; n < 2; n++) {
		expect_value(s, fence_ask(s, n), -ENODEV,
			     "a lost card should be told of");
		expect_value(s, fence_wait(s, n, any_way(s), 5 * MS), -ENODEV,
			     "a lost card should be told of");
		expect_value(s, fence_stamp(s, n, &ns), -EAGAIN,
			     "there should be no time without a release");
	}
	expect_value(s, fence_ask(s, 2), 1,
		     "a fence in system memory should stay signalled");
}

/* One message gets lost: who sleeps looks once more at the end. */
void test_lost_interrupt_is_survived(struct scenario *s)
{
	fence_begin(s, 1);
	hold_host(s, 300 * US);
	fence(s, 0, 0);
	lose_interrupts(s, 1);
	expect_done(s, fence_wait(s, 0, seed(s) % 2 ? WAIT_EVENT : WAIT_COND,
				  5 * MS));
}

static int64_t wait_short_of_memory(struct scenario *s, unsigned int way,
				    unsigned int n)
{
	uint32_t index;

	switch (way) {
	case 0:
		return fence_wait(s, n, WAIT_COND, 5 * MS);
	case 1:
		return fence_wait_any(s, n, 1, 5 * MS, &index);
	case 2:
		return fence_wait(s, n, WAIT_EVENT, 5 * MS);
	default:
		return fence_poll(s, n, BY_POLL, 5 * MS) - 1;
	}
}

/* The first allocation fails, the second, …, until none was left to fail. */
void test_failed_wait_leaves_nothing(struct scenario *s)
{
	struct ring_shape shape = roomy_ring(0);
	unsigned int way, nth, n = 0;
	int64_t result;

	driver_open(s);
	irq_on(s);
	ring_open(s, 0, &shape);
	for (nth = 1; nth < 4; nth++) {
		fail_alloc(s, nth);
		result = timeline_try_open(s, 0, MEMORY_COHERENT, 5);
		fail_alloc(s, 0);
		if (result == 0)
			timeline_close(s, 0);
	}
	timeline_open(s, 0, MEMORY_COHERENT, 5);
	for (way = 0; way < 4; way++) {
		for (nth = 1; nth < 8; nth++) {
			hold_host(s, 100 * US);
			fence(s, 0, n);
			fail_alloc(s, nth);
			result = wait_short_of_memory(s, way, n);
			fail_alloc(s, 0);
			expect_released(s, 10 * MS);
			if (result != -ENOMEM && (way < 3 || result >= 0))
				expect_done(s, result);
			n++;
		}
	}
	fence_end(s, 1);
}

void test_failed_start_leaves_nothing(struct scenario *s)
{
	unsigned int nth;
	int64_t result = 0;

	driver_open(s);
	for (nth = 1; nth < 12; nth++) {
		fail_alloc(s, nth);
		result = irq_try_on(s);
		fail_alloc(s, 0);
		if (result == 0)
			break;
		expect_value(s, result, -ENOMEM,
			     "gpu_irq_init() should say why it failed");
	}
	expect_value(s, result, 0, "gpu_irq_init() should succeed then");
	irq_off(s);
	driver_leaves_nothing(s);
}
