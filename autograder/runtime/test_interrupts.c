/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The thread that waits for the card's interrupts. */
#include <check.h>
#include <sys/eventfd.h>

#include "autograder/runtime/test_names.h"
#include "autograder/runtime/test_peer.h"

static struct peer *peer;
static int event;

static void setup(void)
{
	peer = calloc(1, sizeof(*peer));
}

static void teardown(void)
{
	free(peer);
}

static void put_one(void)
{
	uint64_t one = 1;

	rt_write(event, &one, sizeof(one));
}

static int64_t take_one(void)
{
	uint64_t value = 0;

	return rt_read(event, &value, sizeof(value)) == sizeof(value) ?
		(int64_t)value : -1;
}

static int handled, ended;

static void *interrupt_thread(void *arg)
{
	while (rt_irq_wait()) {
		peer_increment(&handled);
		rt_point();
		peer_result(100 + handled, rt_now());
		put_one();
		peer_increment(&ended);
	}
	return arg;
}

static void no_operation(void *arg, unsigned int thread)
{
	(void)arg;
	(void)thread;
	rt_now();
}

static void wait_twice(void *arg, unsigned int thread)
{
	(void)arg;
	if (!thread) {
		peer_result(0, take_one());
		peer_result(1, take_one());
	} else {
		rt_now();
	}
}

static void interrupt_body(void *arg)
{
	const struct race *race = arg;
	pthread_t thread;

	event = rt_eventfd(0, EFD_SEMAPHORE);
	rt_pthread_create(&thread, NULL, interrupt_thread, NULL);
	peer_threads(race->policy, race->seed, 2, wait_twice);
	/* A batch ends with the handler at rest. */
	peer_result(2, handled == ended);
	peer_threads(race->policy, race->seed, 1, no_operation);
	rt_irq_stop();
	rt_pthread_join(thread, NULL);
	peer_result(3, handled);
}

START_TEST(an_interrupt_wakes_its_thread)
{
	struct race race = { _i, 0 };

	peer->interrupt_at[0] = 5000;
	peer->interrupt_at[1] = 90000;
	for (race.seed = 1; race.seed <= 30; race.seed++) {
		peer_run(peer, interrupt_body, &race);
		ck_assert_msg(peer_value(peer, 0) == 1, "%s", peer->text);
		ck_assert_int_eq(peer_value(peer, 1), 1);
		ck_assert_int_eq(peer_value(peer, 2), 1);
		ck_assert_int_eq(peer_value(peer, 3), 2);
		ck_assert_int_ge(peer_value(peer, 101), 5000);
		ck_assert_int_lt(peer_value(peer, 101), 6000);
		ck_assert_int_ge(peer_value(peer, 102), 90000);
		ck_assert_int_lt(peer_value(peer, 102), 91000);
	}
}
END_TEST

START_TEST(interrupts_are_replayed_by_their_seed)
{
	struct race race = { WIRE_SCHED_RANDOM, 7 };
	uint64_t trace;

	peer->interrupt_at[0] = 5000;
	peer->interrupt_at[1] = 5100;
	peer_run(peer, interrupt_body, &race);
	trace = peer_trace(peer);
	for (int i = 0; i < 10; i++) {
		peer_run(peer, interrupt_body, &race);
		ck_assert_uint_eq(peer_trace(peer), trace);
	}
	race.seed = 8;
	peer_run(peer, interrupt_body, &race);
	ck_assert_uint_ne(peer_trace(peer), trace);
}
END_TEST

START_TEST(an_interrupt_that_never_comes_is_a_deadlock)
{
	struct race race = { WIRE_SCHED_RANDOM, 1 };

	peer->interrupt_at[0] = 5000;
	peer_run(peer, interrupt_body, &race);
	ck_assert_uint_eq(peer->asked[WIRE_DEADLOCK], 1);
	ck_assert_msg(strstr(peer->text,
			     "thread 0 waits for a write to eventfd"), "%s",
		      peer->text);
	ck_assert_msg(!strstr(peer->text, "interrupt"), "%s", peer->text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("interrupts");
	TCase *tcase = tcase_create("interrupts");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, an_interrupt_wakes_its_thread, 0, 3);
	tcase_add_test(tcase, interrupts_are_replayed_by_their_seed);
	tcase_add_test(tcase, an_interrupt_that_never_comes_is_a_deadlock);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
