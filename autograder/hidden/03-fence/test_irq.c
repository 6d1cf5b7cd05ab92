/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 2: the interrupt handler [§3.3], [§5.2], [§7.4].
 *
 * Waiters sleep, so each wake-up is an interrupt that went all the way: from
 * its unit through the tree to one message, which is re-armed.  What the
 * handler may not do (sleep, take locks that others take with interrupts on,
 * run for long, acknowledge what it has not read) is watched in every test.
 */
#include "autograder/hidden/03-fence/common.h"

#define OFF_STEPS	4u	/* of the handler, in a run	*/

static void sleep_for_each(struct scenario *s, unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++) {
		work(s, 0, 3 + n);
		hold_host(s, 20 * US + pick(s, 100 * US));
		fence(s, 0, n);
		expect_done(s, fence_wait(s, n, WAIT_EVENT, 20 * MS));
	}
}

void test_public_one_interrupt(struct scenario *s)
{
	fence_begin(s, 1);
	sleep_for_each(s, 1);
}

void test_public_interrupt_after_interrupt(struct scenario *s)
{
	fence_begin(s, 1);
	sleep_for_each(s, 4);
	fence_end(s, 1);
}

void test_every_message_is_rearmed(struct scenario *s)
{
	uint64_t before;

	fence_begin(s, 1);
	before = messages(s);
	sleep_for_each(s, 8);
	expect_true(s, messages(s) >= before + 8,
		    "each fence that was slept for should be an interrupt",
		    "8 messages or more", messages(s) - before);
	fence_end(s, 1);
}

/* Interrupts come while one is served: two channels, no pause. */
static void thread_rounds(struct scenario *s, unsigned int threads,
			  unsigned int rounds)
{
	unsigned int t, i;

	for (i = 0; i < rounds; i++) {
		for (t = 0; t < threads; t++) {
			unsigned int n = t * rounds + i;

			thread_fence(s, t, t % 2, n);
			thread_wait(s, t, n, WAIT_EVENT, 20 * MS);
		}
	}
	threads_run(s);
}

void test_what_comes_meanwhile_is_kept(struct scenario *s)
{
	fence_begin(s, 2);
	thread_rounds(s, 4, 8);
	fence_end(s, 2);
}

/*
 * Two fences, so far apart that the second comes while the first one's
 * interrupt is served: after the look at the words it must be a new one.
 */
void test_release_during_the_handler(struct scenario *s)
{
	struct ring_shape shape = roomy_ring(0);
	unsigned int i;

	shape.words = 16384;
	driver_open(s);
	irq_on(s);
	fenced_ring(s, 0, &shape, 7);
	for (i = 0; i < 16; i++) {
		hold_host(s, 60 * US);
		fence(s, 0, 2 * i);
		work(s, 0, 100 + pick(s, 1500));
		fence(s, 0, 2 * i + 1);
		expect_done(s, fence_wait(s, 2 * i + 1, WAIT_EVENT, 20 * MS));
	}
	fence_end(s, 1);
}

/*
 * Rings 0 to 4 meet a fault, one after the other; ring 5 goes on.  Its
 * interrupt comes while the handler, late, serves the fault.
 */
void test_acknowledges_what_it_read(struct scenario *s)
{
	unsigned int i;

	ignore_rule(s, RULE_MMU_FAULT);
	fence_begin(s, 6);
	for (i = 0; i < 5; i++) {
		delay_interrupts(s, 5 * US + pick(s, 6 * US));
		hold_host(s, 60 * US);
		expect_value(s, submit(s, i, segment_fault(s), 0, 5 * MS), 0,
			     "the submission should succeed");
		fence(s, 5, i);
		expect_done(s, fence_wait(s, i, WAIT_EVENT, 20 * MS));
		let_pass(s, 100 * US);
	}
}

/* … and after a while in which nobody waited at all. */
void test_unwaited_interrupts_do_no_harm(struct scenario *s)
{
	unsigned int n;

	fence_begin(s, 1);
	for (n = 0; n < 10; n++) {
		work(s, 0, 4);
		fence(s, 0, n);
		let_pass(s, 30 * US);
	}
	sleep_for_each(s, 3);
	fence_end(s, 1);
}

void test_copy_interrupt_is_served(struct scenario *s)
{
	unsigned int i;

	fence_begin(s, 1);
	expect_value(s, submit(s, 0, segment_bind_copy(s), 0, 5 * MS), 0,
		     "the submission should succeed");
	for (i = 0; i < 3; i++) {
		expect_value(s, submit(s, 0, segment_copy_interrupt(s, 0), 0,
				       5 * MS), 0,
			     "the submission should succeed");
		let_pass(s, 50 * US);
	}
	expect_true(s, irq_stats(s).copy >= 3,
		    "the copy engine's interrupts should be counted",
		    "3 or more", irq_stats(s).copy);
	sleep_for_each(s, 2);
	fence_end(s, 1);
}

/* A fault ends its own channel, tells so, and no other. */
void test_fault_ends_its_channel(struct scenario *s)
{
	ignore_rule(s, RULE_MMU_FAULT);
	fence_begin(s, 2);
	fence(s, 1, 0);
	expect_value(s, channel_error(s, 0), 0, "the channel should be well");
	expect_value(s, submit(s, 0, segment_fault(s), 0, 5 * MS), 0,
		     "the submission should succeed");
	let_pass(s, 2 * MS);
	expect_value(s, channel_error(s, 0), -EIO,
		     "the channel that met a fault should be dead");
	expect_value(s, channel_error(s, 1), 0,
		     "the other channel should be well");
	expect_true(s, irq_stats(s).faults >= 1,
		    "the fault should be counted", "1 or more",
		    irq_stats(s).faults);
	work(s, 1, 5);
	fence(s, 1, 1);
	expect_done(s, fence_wait(s, 1, any_way(s), 20 * MS));
	expect_calm(s);
}

/* A method that no Host knows stops the PBDMA. */
void test_pbdma_error_ends_its_channel(struct scenario *s)
{
	ignore_rule(s, RULE_METHOD_HOST);
	fence_begin(s, 2);
	expect_value(s, submit(s, 0, segment_bad_method(s), 0, 5 * MS), 0,
		     "the submission should succeed");
	fence(s, 0, 0);
	expect_value(s, fence_wait(s, 0, any_way(s), 20 * MS), -EIO,
		     "a fence of a channel that died should say so");
	expect_value(s, channel_error(s, 0), -EIO,
		     "the channel that met an error should be dead");
	work(s, 1, 5);
	fence(s, 1, 1);
	expect_done(s, fence_wait(s, 1, any_way(s), 50 * MS));
	expect_calm(s);
}

/* Many who wait are no reason for a long handler. */
void test_handler_is_short(struct scenario *s)
{
	unsigned int t, i;

	fence_begin(s, 1);
	hold_host(s, 300 * US);
	for (i = 0; i < 12; i++)
		fence(s, 0, i);
	for (t = 0; t < 8; t++)
		thread_wait_all(s, t, t, 5, 20 * MS);
	threads_run(s);
	fence_end(s, 1);
}

/* The handler stands still at one step of its way while interrupts go off. */
static void off_meanwhile(struct scenario *s, unsigned int n, unsigned int step)
{
	at_once(s, HOST_FREEZE);
	fence(s, 0, n);
	later(s, 5 * US, HOST_THAW);
	stand_still(s, step, 60 * US);
	thread_sleep(s, 0, 20 * US);
	irq_off(s);
	expect_masked(s);
	irq_on(s);
}

void test_interrupts_go_off_and_on(struct scenario *s)
{
	struct irq_stats stats;
	unsigned int i;

	fence_begin(s, 1);
	sleep_for_each(s, 1);
	for (i = 0; i < 3; i++) {
		irq_off(s);
		expect_masked(s);
		work(s, 0, 4);
		fence(s, 0, 10 + i);
		let_pass(s, 50 * US);
		irq_on(s);
		sleep_for_each(s, 2);
		stats = irq_stats(s);
		expect_true(s, stats.interrupts >= 2,
			    "the handler should have run", "2 or more",
			    stats.interrupts);
	}
	for (i = 0; i < OFF_STEPS; i++)
		off_meanwhile(s, 20 + i, 1 + OFF_STEPS * (seed(s) % 6) + i);
	sleep_for_each(s, 1);
	fence_end(s, 1);
}

void test_handler_counts_what_it_does(struct scenario *s)
{
	struct irq_stats stats;

	fence_begin(s, 1);
	sleep_for_each(s, 6);
	let_pass(s, 50 * US);
	stats = irq_stats(s);
	expect_true(s, stats.interrupts >= 6 &&
		    stats.interrupts <= messages(s),
		    "the handler should run once a message",
		    "6 or more, and not more than messages",
		    stats.interrupts);
	expect_true(s, stats.nonstall >= 6,
		    "non-stalling interrupts should be counted",
		    "6 or more", stats.nonstall);
	expect_true(s, stats.spurious <= 2 && stats.faults == 0 &&
		    stats.pbdma == 0,
		    "nothing else should be counted",
		    "2 spurious at most, no fault", stats.spurious);
	expect_true(s, stats.longest > 0 && stats.longest < 1 * MS,
		    "the longest run should be measured", "some us",
		    stats.longest);
	fence_end(s, 1);
}
