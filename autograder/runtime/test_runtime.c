/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The runtime alone: hooks are called here as clang would call them, and a
 * small peer plays the judge.
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

/* --- stores and loads -------------------------------------------------- */

static void store_body(void *arg)
{
	char *at = rt_arena(0);

	(void)arg;
	__tsan_write4(at + 16);
	*(uint32_t *)(at + 16) = 0xabcd;
	__tsan_write8(at + 24);
	*(uint64_t *)(at + 24) = 0x1122334455667788;
	__tsan_unaligned_write4(at + 34);
	memset(at + 34, 0x77, 4);
	rt_memset(at + 64, 0x55, 20);
	__tsan_atomic32_store((void *)(at + 96), 7, 5);
	__tsan_atomic64_fetch_add((void *)(at + 104), 9, 5);
	rt_barrier(WIRE_BARRIER_WMB);
}

START_TEST(a_store_is_posted_with_its_value)
{
	const struct wire_post *post;

	peer_run(peer, store_body, NULL);
	post = peer_post(peer, WIRE_STORE, 0);
	ck_assert_uint_eq(post->addr, 16);
	ck_assert_uint_eq(post->size, 4);
	ck_assert_uint_eq(post->value, 0xabcd);
	ck_assert_uint_eq(peer_post(peer, WIRE_STORE, 1)->value,
			  0x1122334455667788);
	/* Unaligned: two pieces that are not. */
	ck_assert_uint_eq(peer_post(peer, WIRE_STORE, 2)->size, 2);
	ck_assert_uint_eq(peer_post(peer, WIRE_STORE, 3)->addr, 36);
	/* 20 bytes of memset: 8, 8, 4. */
	ck_assert_uint_eq(peer_post(peer, WIRE_STORE, 6)->size, 4);
	ck_assert_uint_eq(peer_post(peer, WIRE_STORE, 6)->value, 0x55555555);
	ck_assert_uint_eq(peer_post(peer, WIRE_STORE, 7)->value, 7);
	ck_assert_uint_eq(peer_post(peer, WIRE_STORE, 8)->value, 9);
	ck_assert_uint_eq(peer_count(peer, WIRE_STORE), 9);
	/* … and all of them before the barrier. */
	ck_assert_uint_eq(peer->post[9].kind, WIRE_BARRIER);
	ck_assert_uint_eq(peer->post[9].value, WIRE_BARRIER_WMB);
}
END_TEST

static void load_body(void *arg)
{
	uint32_t *at = rt_arena(64);

	(void)arg;
	__tsan_volatile_read4(at);
	peer_result(0, *at);
	__tsan_read4(&arg);	/* not in the arena: nobody is asked */
}

START_TEST(a_load_asks_for_what_the_card_wrote)
{
	peer_run(peer, load_body, NULL);
	ck_assert_uint_eq(peer->asked[WIRE_LOAD], 1);
	ck_assert_int_eq(peer_value(peer, 0), peer->card_word);
}
END_TEST

static void bar_body(void *arg)
{
	void *bar = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	(void)arg;
	rt_bar_range(1, bar, 65536);
	__tsan_write4((char *)bar + 256);
	*(volatile int *)((char *)bar + 256) = 1;
}

START_TEST(a_plain_access_to_a_bar_is_reported)
{
	peer_run(peer, bar_body, NULL);
	ck_assert_uint_eq(peer->asked[WIRE_REPORT], 1);
	ck_assert_uint_eq(peer->report, WIRE_REPORT_DEREF_IOMEM);
	ck_assert_uint_eq(peer->crash_signal, SIGSEGV);
	ck_assert_uint_eq(peer->crash_region, 2);
}
END_TEST

static void wire_body(void *arg)
{
	(void)arg;
	__tsan_write4(&rt_wire()->turn);
}

START_TEST(the_link_itself_is_out_of_bounds)
{
	peer_run(peer, wire_body, NULL);
	ck_assert_uint_eq(peer->asked[WIRE_CRASH], 1);
	ck_assert_ptr_nonnull(strstr(peer->text, "not its own"));
}
END_TEST

/* --- schedules ----------------------------------------------------------- */

static int shared;

static void racy(void *arg, unsigned int thread)
{
	(void)arg;
	(void)thread;
	for (int i = 0; i < 10; i++)
		peer_increment(&shared);
}

static void race_body(void *arg)
{
	const struct race *race = arg;

	peer_threads(race->policy, race->seed, 3, racy);
	peer_result(0, shared);
}

START_TEST(a_seed_replays_its_schedule)
{
	struct race race = { _i ? WIRE_SCHED_PCT : WIRE_SCHED_RANDOM, 0 };
	unsigned int different = 0;

	for (race.seed = 1; race.seed < 12; race.seed++) {
		uint64_t first, other;

		peer_run(peer, race_body, &race);
		first = peer_trace(peer);
		peer_run(peer, race_body, &race);
		ck_assert_uint_eq(peer_trace(peer), first);
		race.seed += 1000;
		peer_run(peer, race_body, &race);
		other = peer_trace(peer);
		race.seed -= 1000;
		different += other != first;
	}
	ck_assert_uint_ge(different, 8);
}
END_TEST

START_TEST(a_race_is_found)
{
	struct race race = { _i ? WIRE_SCHED_PCT : WIRE_SCHED_RANDOM, 0 };
	unsigned int lost = 0;

	for (race.seed = 1; race.seed <= 30; race.seed++) {
		peer_run(peer, race_body, &race);
		lost += peer_value(peer, 0) != 30;
	}
	ck_assert_uint_ge(lost, 5);
}
END_TEST

START_TEST(without_a_schedule_threads_run_to_their_end)
{
	struct race race = { WIRE_SCHED_NONE, 1 };

	peer_run(peer, race_body, &race);
	ck_assert_int_eq(peer_value(peer, 0), 30);
}
END_TEST

static void spinner(void *arg, unsigned int thread)
{
	(void)arg;
	if (thread == 0) {
		rt_sleep(10);
		__tsan_write4(&shared);
		shared = 1;
		return;
	}
	for (int seen = 0; !seen; ) {
		__tsan_volatile_read4(&shared);
		seen = *(volatile int *)&shared;
		if (!seen && thread == 1)
			rt_relax();
	}
}

static void spinner_body(void *arg)
{
	const struct race *race = arg;

	peer_threads(race->policy, race->seed, 3, spinner);
	peer_result(0, shared);
}

START_TEST(a_polling_thread_starves_nobody)
{
	struct race race = { _i, 0 };

	for (race.seed = 1; race.seed <= 10; race.seed++) {
		peer_run(peer, spinner_body, &race);
		ck_assert_msg(peer_value(peer, 0) == 1, "%s", peer->text);
	}
}
END_TEST

static void endless(void *arg, unsigned int thread)
{
	(void)arg;
	(void)thread;
	for (;;)
		peer_increment(&shared);
}

static void endless_body(void *arg)
{
	(void)arg;
	peer_threads(WIRE_SCHED_NONE, 1, 1, endless);
}

START_TEST(an_endless_loop_spends_its_budget)
{
	peer_run(peer, endless_body, NULL);
	ck_assert_uint_eq(peer->asked[WIRE_REPORT], 1);
	ck_assert_uint_eq(peer->report, WIRE_REPORT_STEPS);
}
END_TEST

/* Calls of 2000 hooks; a budget is 100 000 for one, 400 000 for all. */
static void call_often(int calls)
{
	while (calls--) {
		rt_call();
		for (int i = 0; i < 1000; i++)
			peer_increment(&shared);
	}
}

static void many_calls(void *arg, unsigned int thread)
{
	(void)arg;
	(void)thread;
	call_often(150);
}

static void one_never_ends(void *arg, unsigned int thread)
{
	if (thread)
		call_often(1000);
	else
		endless(arg, thread);
}

static void *spin(void *arg)
{
	endless(arg, 0);
	return NULL;
}

static void own_thread_never_ends(void *arg, unsigned int thread)
{
	pthread_t own;

	(void)arg;
	(void)thread;
	rt_pthread_create(&own, NULL, spin, NULL);
	call_often(2);
	rt_pthread_join(own, NULL);
}

static void far_too_many_calls(void *arg, unsigned int thread)
{
	(void)arg;
	(void)thread;
	call_often(1000);
}

/* What is told of a loop; NULL: nothing, since there is none. */
static const struct {
	void (*thread)(void *arg, unsigned int thread);
	unsigned int threads;
	const char *text[2];
} budgets[] = {
	{ many_calls, 1, { NULL } },
	{ endless, 1, { "100001 accesses since this call began, and it has "
			"not come to its end: thread 0 is in" } },
	{ one_never_ends, 2, { "100001 accesses since this call",
			       "thread 0" } },
	{ own_thread_never_ends, 1, { "100001 accesses since the last call "
				      "began", "thread 64" } },
	{ far_too_many_calls, 1, { "400001 accesses since the first",
				   "too many" } },
};

static void budget_body(void *arg)
{
	int i = *(int *)arg;

	peer_threads(WIRE_SCHED_NONE, 1, budgets[i].threads,
		     budgets[i].thread);
}

START_TEST(each_call_has_a_budget_of_its_own)
{
	peer_run(peer, budget_body, &_i);
	ck_assert_uint_eq(peer->asked[WIRE_REPORT], budgets[_i].text[0] != 0);
	for (int i = 0; i < 2 && budgets[_i].text[i]; i++)
		ck_assert_msg(strstr(peer->text, budgets[_i].text[i]) != NULL,
			      "%s", peer->text);
}
END_TEST

/* --- heap and endings ------------------------------------------------ */

static void heap_body(void *arg)
{
	char *block, *aligned;

	(void)arg;
	block = rt_malloc(100);
	peer_result(0, (uintptr_t)block);
	block = rt_realloc(block, 1000);
	block[999] = 1;
	peer_result(1, rt_live());
	rt_posix_memalign((void **)&aligned, 4096, 50);
	peer_result(2, (uintptr_t)aligned % 4096);
	rt_free(aligned);
	rt_free(block);
	peer_result(3, rt_live());
	rt_fail_alloc(2);
	block = rt_calloc(3, 5);
	peer_result(4, block && !block[14]);
	peer_result(5, rt_malloc(1) == NULL);
	peer_result(6, rt_malloc(1) != NULL);
}

START_TEST(the_heap_counts_and_fails_on_demand)
{
	int64_t first;

	peer_run(peer, heap_body, NULL);
	first = peer_value(peer, 0);
	ck_assert_int_ne(first, 0);
	ck_assert_int_eq(peer_value(peer, 1), 1);
	ck_assert_int_eq(peer_value(peer, 2), 0);
	ck_assert_int_eq(peer_value(peer, 3), 0);
	for (int i = 4; i < 7; i++)
		ck_assert_int_eq(peer_value(peer, i), 1);
	peer_run(peer, heap_body, NULL);
	ck_assert_int_eq(peer_value(peer, 0), first);
}
END_TEST

/* A copy of a table, 16 384 entries of 8 bytes, for each of 1100 spaces. */
static void tables_body(void *arg)
{
	int made = 0;

	(void)arg;
	while (made < 1100 && rt_malloc(16384 * 8))
		made++;
	peer_result(0, made);
}

START_TEST(the_heap_has_room_for_a_thousand_copies_of_tables)
{
	peer_run(peer, tables_body, NULL);
	ck_assert_int_eq(peer_value(peer, 0), 1100);
	ck_assert_uint_eq(peer->asked[WIRE_REPORT], 0);
}
END_TEST

static void full_body(void *arg)
{
	(void)arg;
	rt_fail_alloc(1);
	peer_result(0, rt_malloc(16) == NULL);
	peer_result(1, rt_malloc(WIRE_HEAP_SIZE) == NULL);
	peer_result(2, rt_malloc(WIRE_HEAP_SIZE) == NULL);
	peer_result(3, rt_malloc(16) != NULL);
}

START_TEST(a_full_heap_is_told_once)
{
	peer_run(peer, full_body, NULL);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(peer_value(peer, i), 1);
	ck_assert_uint_eq(peer->asked[WIRE_REPORT], 1);
	ck_assert_uint_eq(peer->report, WIRE_REPORT_HEAP_FULL);
	ck_assert_str_eq(peer->text, "no room for 536870912 bytes in the "
			 "driver's heap of 512 MiB");
}
END_TEST

static void ending_body(void *arg)
{
	char *volatile block = rt_malloc(16);
	int *volatile none = NULL;

	switch (*(int *)arg) {
	case 0:
		rt_free(block);
		rt_free(block);
		break;
	case 1:
		block[16] = 1;
		rt_free(block);
		break;
	case 2:
		rt_free((void *)&block);
		break;
	case 3:
		rt_exit(0);
		break;
	case 4:
		rt_abort();
		break;
	case 5:
		*(volatile int *)none = 1;
		break;
	case 6:
		rt_free(block);
		block[3] = 1;
		rt_heap_check();
		break;
	case 7:
		rt_free(block);
		block[3] = 1;
		block = rt_malloc(16);
		break;
	}
}

START_TEST(a_crash_is_told)
{
	static const char *const words[] = {
		"free already", "past the end", "not allocated", "exit(0)",
		"abort()", "NULL pointer", "after it was freed",
		"after it was freed",
	};

	peer_run(peer, ending_body, &_i);
	ck_assert_uint_eq(peer->asked[WIRE_CRASH], 1);
	ck_assert_uint_eq(peer->asked[WIRE_NEXT], 0);
	ck_assert_msg(strstr(peer->text, words[_i]), "%s", peer->text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime");
	TCase *tcase = tcase_create("runtime");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_store_is_posted_with_its_value);
	tcase_add_test(tcase, a_load_asks_for_what_the_card_wrote);
	tcase_add_test(tcase, a_plain_access_to_a_bar_is_reported);
	tcase_add_test(tcase, the_link_itself_is_out_of_bounds);
	tcase_add_loop_test(tcase, a_seed_replays_its_schedule, 0, 2);
	tcase_add_loop_test(tcase, a_race_is_found, 0, 2);
	tcase_add_test(tcase, without_a_schedule_threads_run_to_their_end);
	tcase_add_loop_test(tcase, a_polling_thread_starves_nobody, 0, 3);
	tcase_add_test(tcase, an_endless_loop_spends_its_budget);
	tcase_add_loop_test(tcase, each_call_has_a_budget_of_its_own, 0,
			    sizeof(budgets) / sizeof(budgets[0]));
	tcase_add_test(tcase, the_heap_counts_and_fails_on_demand);
	tcase_add_test(tcase,
		       the_heap_has_room_for_a_thousand_copies_of_tables);
	tcase_add_test(tcase, a_full_heap_is_told_once);
	tcase_add_loop_test(tcase, a_crash_is_told, 0, 8);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
