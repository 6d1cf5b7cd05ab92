/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Locks, conditions and threads of the runtime, under schedules of all kinds.
 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "autograder/runtime/test_peer.h"
#include "autograder/runtime/test_names.h"

static struct peer *peer;

static void setup(void)
{
	peer = calloc(1, sizeof(*peer));
	ck_assert_ptr_nonnull(peer);
}

static void teardown(void)
{
	free(peer);
}

static int shared;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void locked(void *arg, unsigned int thread)
{
	(void)arg;
	(void)thread;
	for (int i = 0; i < 10; i++) {
		rt_pthread_mutex_lock(&lock);
		peer_increment(&shared);
		rt_pthread_mutex_unlock(&lock);
	}
}

static void locked_body(void *arg)
{
	const struct race *race = arg;

	peer_threads(race->policy, race->seed, 4, locked);
	peer_result(0, shared);
}

START_TEST(a_mutex_excludes)
{
	struct race race = { _i ? WIRE_SCHED_PCT : WIRE_SCHED_RANDOM, 0 };

	for (race.seed = 1; race.seed <= 40; race.seed++) {
		peer_run(peer, locked_body, &race);
		ck_assert_int_eq(peer_value(peer, 0), 40);
	}
}
END_TEST

/* --- locks ---------------------------------------------------------- */

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

static void crossed(void *arg, unsigned int thread)
{
	(void)arg;
	rt_pthread_mutex_lock(thread ? &first : &second);
	peer_increment(&shared);
	rt_pthread_mutex_lock(thread ? &second : &first);
	rt_pthread_mutex_unlock(thread ? &second : &first);
	rt_pthread_mutex_unlock(thread ? &first : &second);
}

static void crossed_body(void *arg)
{
	const struct race *race = arg;

	peer_threads(race->policy, race->seed, 2, crossed);
}

START_TEST(a_deadlock_says_who_waits_for_whom)
{
	struct race race = { _i ? WIRE_SCHED_PCT : WIRE_SCHED_RANDOM, 0 };
	unsigned int found = 0;

	for (race.seed = 1; race.seed <= 200; race.seed++) {
		peer_run(peer, crossed_body, &race);
		if (!peer->asked[WIRE_DEADLOCK])
			continue;
		found++;
		ck_assert_ptr_nonnull(strstr(peer->text,
					     "thread 0 waits for mutex"));
		ck_assert_ptr_nonnull(strstr(peer->text,
					     "held by thread 0"));
		ck_assert_ptr_nonnull(strstr(peer->text,
					     "thread 1 waits for mutex"));
	}
	ck_assert_uint_ge(found, 2);
}
END_TEST

static void misuse_body(void *arg)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	pthread_mutexattr_t attr;
	sem_t sem;

	switch (*(int *)arg) {
	case 0:
		peer_result(0, rt_pthread_mutex_unlock(&mutex));
		break;
	case 1:
		rt_pthread_mutex_lock(&mutex);
		peer_result(0, rt_pthread_mutex_destroy(&mutex));
		break;
	case 2:
		rt_pthread_mutex_init(&mutex, NULL);
		rt_pthread_mutex_destroy(&mutex);
		peer_result(0, rt_pthread_mutex_lock(&mutex));
		break;
	case 3:
		peer_result(0, rt_pthread_cond_wait(&condition, &mutex));
		break;
	case 4:
		peer_result(0, rt_sem_wait(&sem));
		break;
	case 5:
		memset(&mutex, 0xcd, sizeof(mutex));
		peer_result(0, rt_pthread_mutex_lock(&mutex));
		break;
	case 6:
		/* No misuse: both may be locked again by their owner. */
		pthread_mutexattr_init(&attr);
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
		rt_pthread_mutex_init(&mutex, &attr);
		rt_pthread_mutex_lock(&mutex);
		peer_result(0, rt_pthread_mutex_lock(&mutex));
		rt_pthread_mutex_unlock(&mutex);
		rt_pthread_mutex_unlock(&mutex);
		rt_pthread_mutex_destroy(&mutex);
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
		rt_pthread_mutex_init(&mutex, &attr);
		rt_pthread_mutex_lock(&mutex);
		peer_result(1, rt_pthread_mutex_lock(&mutex));
		rt_pthread_mutex_unlock(&mutex);
		break;
	}
}

START_TEST(misuse_of_a_lock_is_reported)
{
	peer_run(peer, misuse_body, &_i);
	ck_assert_uint_eq(peer->asked[WIRE_REPORT], 1);
	ck_assert_uint_eq(peer->report, WIRE_REPORT_LOCK);
	ck_assert_int_ne(peer_value(peer, 0), 0);
}
END_TEST

START_TEST(an_owner_locks_again_as_the_type_says)
{
	int what = 6;

	peer_run(peer, misuse_body, &what);
	ck_assert_uint_eq(peer->asked[WIRE_REPORT], 0);
	ck_assert_int_eq(peer_value(peer, 0), 0);
	ck_assert_int_eq(peer_value(peer, 1), EDEADLK);
}
END_TEST

/* --- waits ---------------------------------------------------------- */

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void timed_body(void *arg)
{
	struct timespec until = { .tv_nsec = 50000 };

	(void)arg;
	rt_pthread_mutex_lock(&lock);
	peer_result(0, rt_pthread_cond_timedwait(&condition, &lock, &until));
	peer_result(1, rt_now());
	peer_result(2, rt_pthread_mutex_unlock(&lock));
}

START_TEST(a_timed_wait_ends_at_its_time)
{
	peer_run(peer, timed_body, NULL);
	ck_assert_int_eq(peer_value(peer, 0), ETIMEDOUT);
	ck_assert_int_ge(peer_value(peer, 1), 50000);
	ck_assert_int_lt(peer_value(peer, 1), 51000);
	ck_assert_int_eq(peer_value(peer, 2), 0);
}
END_TEST

static int queue;

static void handover(void *arg, unsigned int thread)
{
	(void)arg;
	for (int i = 0; i < 8; i++) {
		rt_pthread_mutex_lock(&lock);
		while (thread ? !queue : queue)
			rt_pthread_cond_wait(&condition, &lock);
		queue = !thread;
		rt_pthread_cond_broadcast(&condition);
		rt_pthread_mutex_unlock(&lock);
	}
}

static void handover_body(void *arg)
{
	const struct race *race = arg;

	peer_threads(race->policy, race->seed, 2, handover);
	peer_result(0, queue);
}

START_TEST(a_condition_hands_over)
{
	struct race race = { _i, 0 };

	for (race.seed = 1; race.seed <= 20; race.seed++) {
		peer_run(peer, handover_body, &race);
		ck_assert_msg(peer_value(peer, 0) == 0, "%s", peer->text);
	}
}
END_TEST

static sem_t sem;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int onces;

static void count_once(void)
{
	rt_point();
	onces++;
}

static void meeting(void *arg, unsigned int thread)
{
	(void)arg;
	rt_pthread_once(&once, count_once);
	rt_pthread_barrier_wait(&barrier);
	rt_sem_wait(&sem);
	peer_increment(&shared);
	rt_sem_post(&sem);
	rt_pthread_rwlock_wrlock(&rwlock);
	peer_increment(&queue);
	rt_pthread_rwlock_unlock(&rwlock);
	rt_pthread_barrier_wait(&barrier);
	rt_pthread_rwlock_rdlock(&rwlock);
	peer_result(10 + thread, shared + queue);
	rt_pthread_rwlock_unlock(&rwlock);
}

static void meeting_body(void *arg)
{
	const struct race *race = arg;

	rt_sem_init(&sem, 0, 1);
	rt_pthread_barrier_init(&barrier, NULL, 3);
	peer_threads(race->policy, race->seed, 3, meeting);
	peer_result(0, onces);
}

START_TEST(threads_meet)
{
	struct race race = { _i, 0 };

	for (race.seed = 1; race.seed <= 20; race.seed++) {
		peer_run(peer, meeting_body, &race);
		ck_assert_msg(peer_value(peer, 0) == 1, "%s", peer->text);
		for (int i = 0; i < 3; i++)
			ck_assert_int_eq(peer_value(peer, 10 + i), 6);
	}
}
END_TEST

static char slots[20];

static void *worker(void *arg)
{
	rt_sleep(5000);
	peer_increment(&shared);
	return arg;
}

static void create_body(void *arg)
{
	pthread_t thread[20];
	void *result;

	(void)arg;
	for (int i = 0; i < 20; i++) {
		if (rt_pthread_create(&thread[i], NULL, worker, &slots[i]))
			abort();
	}
	for (int i = 0; i < 20; i++) {
		rt_pthread_join(thread[i], &result);
		peer_result(i, result == &slots[i]);
	}
	peer_result(100, shared);
	peer_result(101, rt_pthread_self() == rt_pthread_self());
}

START_TEST(a_driver_may_have_threads_of_its_own)
{
	peer_run(peer, create_body, NULL);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(peer_value(peer, i), 1);
	ck_assert_int_eq(peer_value(peer, 100), 20);
	ck_assert_uint_ge(peer->now, 5000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("locks");
	TCase *tcase = tcase_create("locks");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_mutex_excludes, 0, 2);
	tcase_add_loop_test(tcase, a_deadlock_says_who_waits_for_whom, 0, 2);
	tcase_add_loop_test(tcase, misuse_of_a_lock_is_reported, 0, 6);
	tcase_add_test(tcase, an_owner_locks_again_as_the_type_says);
	tcase_add_test(tcase, a_timed_wait_ends_at_its_time);
	tcase_add_loop_test(tcase, a_condition_hands_over, 0, 3);
	tcase_add_loop_test(tcase, threads_meet, 0, 3);
	tcase_add_test(tcase, a_driver_may_have_threads_of_its_own);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
