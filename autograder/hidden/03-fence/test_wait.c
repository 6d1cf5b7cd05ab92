/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 3: waiting, in every way there is.
 *
 * What each answer must be is held against the card in every test.  Here Host
 * is held up, so that the fence is released in the middle of a wait, or not
 * at all.
 */
#include "autograder/hidden/03-fence/common.h"

static void wait_each_way(struct scenario *s, uint64_t held)
{
	unsigned int how;

	for (how = 0; how < WAIT_HOWS; how++) {
		work(s, 0, 4);
		if (held)
			hold_host(s, held + pick(s, 50 * US));
		fence(s, 0, how);
		expect_done(s, fence_wait(s, how, (enum wait_how)how,
					  20 * MS));
		/* And once more, when it is long signalled. */
		expect_done(s, fence_wait(s, how, (enum wait_how)how, 0));
	}
}

void test_public_wait_each_way(struct scenario *s)
{
	fence_begin(s, 1);
	wait_each_way(s, 200 * US);
}

void test_short_waits(struct scenario *s)
{
	fence_begin(s, 1);
	wait_each_way(s, 0);
	fence_end(s, 1);
}

/* The engine is still at work when Host has come to the fence. */
static void wait_for_copies(struct scenario *s, unsigned int n,
			    enum wait_how how)
{
	unsigned int i;

	hold_host(s, 100 * US);
	for (i = 0; i < 20; i++)
		expect_value(s, submit(s, 0, segment_copy(s, 0, 150), 0,
				       5 * MS), 0,
			     "the submission should succeed");
	fence(s, 0, n);
	expect_done(s, fence_wait(s, n, how, 20 * MS));
}

void test_long_waits(struct scenario *s)
{
	fence_begin(s, 1);
	wait_each_way(s, 400 * US);
	wait_each_way(s, 3 * MS);
	expect_value(s, submit(s, 0, segment_bind_copy(s), 0, 5 * MS), 0,
		     "the submission should succeed");
	wait_for_copies(s, 10, WAIT_EVENT);
	wait_for_copies(s, 11, WAIT_COND);
	fence_end(s, 1);
}

static void expect_late(struct scenario *s, int64_t result)
{
	expect_value(s, result, -ETIMEDOUT, "the wait should time out");
}

static void time_out_each_way(struct scenario *s, uint64_t timeout)
{
	unsigned int how;

	for (how = 0; how < WAIT_HOWS; how++)
		expect_late(s, fence_wait(s, 0, (enum wait_how)how, timeout));
}

void test_public_time_out(struct scenario *s)
{
	fence_begin(s, 1);
	at_once(s, HOST_FREEZE);
	fence(s, 0, 0);
	time_out_each_way(s, 2 * MS);
	at_once(s, HOST_THAW);
	expect_done(s, fence_wait(s, 0, WAIT_AUTO, 5 * MS));
}

void test_time_outs_are_kept(struct scenario *s)
{
	uint32_t index;

	fence_begin(s, 1);
	at_once(s, HOST_FREEZE);
	fence(s, 0, 0);
	fence(s, 0, 1);
	time_out_each_way(s, 0);
	time_out_each_way(s, 1 + pick(s, 90000));
	time_out_each_way(s, 3 * MS + pick(s, 1000000));
	expect_late(s, fence_wait_all(s, 0, 2, 2 * MS));
	expect_late(s, fence_wait_any(s, 0, 2, 2 * MS, &index));
	expect_late(s, fence_wait_all(s, 0, 2, 0));
	expect_late(s, fence_wait_any(s, 0, 2, 0, &index));
	expect_value(s, fence_poll(s, 0, BY_POLL, 2 * MS), 0,
		     "poll() should time out");
	expect_value(s, fence_poll(s, 0, BY_EPOLL, 2 * MS), 0,
		     "epoll_wait() should time out");
	at_once(s, HOST_THAW);
	expect_done(s, fence_wait_all(s, 0, 2, 5 * MS));
	fence_end(s, 1);
}

/* A second is more than any time-out a driver may use inside. */
void test_long_time_out_is_one_wait(struct scenario *s)
{
	fence_begin(s, 1);
	hold_host(s, 700 * MS);
	fence(s, 0, 0);
	expect_late(s, fence_wait(s, 0, seed(s) % 2 ? WAIT_EVENT : WAIT_COND,
				  350 * MS));
	expect_done(s, fence_wait(s, 0, seed(s) % 2 ? WAIT_COND : WAIT_EVENT,
				  900 * MS));
	fence_end(s, 1);
}

/* Who sleeps looks neither at the word nor at the card. */
void test_sleep_is_not_a_poll(struct scenario *s)
{
	static const enum wait_how how[] = { WAIT_EVENT, WAIT_COND, WAIT_AUTO };
	unsigned int i;
	uint64_t before;

	fence_begin(s, 1);
	for (i = 0; i < 3; i++) {
		hold_host(s, 20 * MS);
		fence(s, 0, i);
		before = looks(s);
		expect_done(s, fence_wait(s, i, how[i], 60 * MS));
		expect_true(s, looks(s) - before < (i == 2 ? 1500 : 150),
			    "a wait of 20 ms should sleep, not look",
			    "some dozens of looks", looks(s) - before);
	}
	fence_end(s, 1);
}

void test_public_two_waiters(struct scenario *s)
{
	fence_begin(s, 1);
	hold_host(s, 200 * US);
	fence(s, 0, 0);
	thread_wait(s, 0, 0, WAIT_EVENT, 10 * MS);
	thread_wait(s, 1, 0, WAIT_EVENT, 10 * MS);
	threads_run(s);
}

/* All wake for one fence, however they sleep. */
static void crowd(struct scenario *s, enum wait_how how)
{
	unsigned int t;

	fence_begin(s, 1);
	hold_host(s, 300 * US);
	fence(s, 0, 0);
	for (t = 0; t < 8; t++)
		thread_wait(s, t, 0, how < WAIT_HOWS ? how :
			    (enum wait_how)(t % WAIT_HOWS), 20 * MS);
	threads_run(s);
	fence_end(s, 1);
}

void test_crowd_waits_by_event(struct scenario *s)
{
	crowd(s, WAIT_EVENT);
}

void test_crowd_waits_by_condition(struct scenario *s)
{
	crowd(s, WAIT_COND);
}

void test_crowd_waits_each_its_way(struct scenario *s)
{
	crowd(s, WAIT_HOWS);
}

/* Each sleeps for a fence of its own: who is woken is who should be. */
void test_each_wakes_for_its_own(struct scenario *s)
{
	unsigned int t;

	fence_begin(s, 1);
	hold_host(s, 200 * US);
	for (t = 0; t < 8; t++) {
		work(s, 0, 40);
		fence(s, 0, t);
	}
	for (t = 0; t < 8; t++)
		thread_wait(s, t, 7 - t, seed(s) % 2 ? WAIT_EVENT : WAIT_COND,
			    20 * MS);
	threads_run(s);
	fence_end(s, 1);
}

/*
 * Some sleep for a fence that comes soon, one for another that comes late, some
 * give up in between: whoever of them looks out for all has to be relieved, and
 * told of a fence that comes before his own: mostly the first to lie down
 * sleeps for the late one.
 */
void test_sleepers_come_apart(struct scenario *s)
{
	unsigned int t;

	fence_begin(s, 2);
	expect_value(s, ring_pause(s, 1), 0, "ring_pause() should succeed");
	fence(s, 1, 0);
	hold_host(s, 5 * MS);
	fence(s, 0, 1);
	expect_value(s, fence_behind(s, 0, 0, 5 * MS), 0,
		     "fence_acquire() should succeed");
	fence(s, 0, 2);
	for (t = 0; t < 6; t++) {
		if (t < 2 && seed(s) % 4)
			thread_sleep(s, t, 1 * MS);
		thread_wait(s, t, t < 2 ? 1 : 2, WAIT_COND,
			    t < 3 ? 40 * MS : 8 * MS);
	}
	thread_sleep(s, 6, 14 * MS);
	thread_resume(s, 6, 1);
	threads_run_with(s, -ETIMEDOUT, 3);
	fence_end(s, 2);
}

/* Two timelines; ring 0's fence comes, ring 1's is held back. */
void test_any_is_the_first(struct scenario *s)
{
	uint32_t index;

	fence_begin(s, 2);
	expect_value(s, ring_pause(s, 1), 0, "ring_pause() should succeed");
	fence(s, 1, 0);
	fence(s, 1, 1);
	hold_host(s, 200 * US);
	fence(s, 0, 2);
	fence(s, 1, 3);
	expect_done(s, fence_wait_any(s, 0, 4, 20 * MS, &index));
	expect_value(s, index, 2, "wait-any should say which fence it was");
	expect_value(s, fence_wait_all(s, 0, 4, 500 * US), -ETIMEDOUT,
		     "wait-all should wait for the others");
	expect_value(s, ring_resume(s, 1), 0, "ring_resume() should succeed");
	expect_done(s, fence_wait_all(s, 0, 4, 20 * MS));
	expect_done(s, fence_wait_any(s, 0, 4, 0, &index));
	fence_end(s, 2);
}

void test_all_is_the_last(struct scenario *s)
{
	unsigned int i;

	fence_begin(s, 2);
	for (i = 0; i < 6; i++) {
		hold_host(s, 100 * US);
		fence(s, i % 2, 2 * i);
		work(s, (i + 1) % 2, 60);
		fence(s, (i + 1) % 2, 2 * i + 1);
		expect_done(s, fence_wait_all(s, 2 * i, 2, 20 * MS));
	}
	expect_done(s, fence_wait_all(s, 0, 12, 1 * MS));
	fence_end(s, 2);
}

void test_public_descriptor(struct scenario *s)
{
	fence_begin(s, 1);
	hold_host(s, 200 * US);
	fence(s, 0, 0);
	expect_value(s, fence_poll(s, 0, BY_POLL, 10 * MS), 1,
		     "the fence's descriptor should become readable");
}

void test_descriptors_tell(struct scenario *s)
{
	unsigned int how, n = 0;

	fence_begin(s, 1);
	for (how = BY_POLL; how <= BY_EPOLL_EDGE; how++) {
		hold_host(s, 200 * US);
		fence(s, 0, n);
		expect_value(s, fence_poll(s, n, (enum poll_how)how, 10 * MS),
			     1, "the descriptor should become readable");
		/* A new one, of a fence that is signalled: at once. */
		expect_value(s, fence_poll(s, n, (enum poll_how)how, 0), 1,
			     "the descriptor should be readable");
		n++;
	}
	fence_end(s, 1);
}

void test_descriptors_of_many(struct scenario *s)
{
	unsigned int t;

	fence_begin(s, 1);
	hold_host(s, 300 * US);
	for (t = 0; t < 4; t++)
		fence(s, 0, t);
	for (t = 0; t < 8; t++)
		thread_poll(s, t, t / 2, (enum poll_how)(t % 3), 20 * MS);
	threads_run_any(s);
	for (t = 0; t < 8; t++)
		expect_value(s, result_of(s, t), 1,
			     "the descriptor should become readable");
	fence_end(s, 1);
}
