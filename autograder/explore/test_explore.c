/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The explorer finds a race in the reference without its lock, finds it
 * again, and finds nothing in the reference as it is.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograder/explore/explore.h"

static char base[] = "/tmp/test-explore-XXXXXX";
static char agent[64];
static struct explore e;
static struct explored result;

static const char *lab;

/* The reference's files, one of them edited by a line of sed. */
static void build_lab(const char *number, const char *others,
		      const char *file, const char *edit)
{
	char command[512], source[64];

	lab = number;
	ck_assert_ptr_nonnull(mkdtemp(base));
	snprintf(agent, sizeof(agent), "%s/agent", base);
	snprintf(source, sizeof(source), "%s/source", base);
	snprintf(command, sizeof(command),
		 "mkdir %s && cp %s %s/ && sed '%s' %s > %s/$(basename %s)",
		 source, others, source, edit, file, source, file);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(explore_build(lab, source, agent), 0);
}

static void build(const char *edit)
{
	build_lab("01", "reference/umd/push.c", "reference/umd/ring.c", edit);
}

static void explore(const char *name, uint64_t seeds)
{
	const struct judge_test *test = judge_tests(lab);

	while (strcmp(test->name, name))
		test++;
	e = (struct explore){
		.agent = agent, .test = { test }, .tests = 1, .seed = 1,
		.seeds = seeds, .jobs = 2,
	};
	ck_assert_int_eq(explore_run(&e, &result), 0);
	ck_assert_uint_eq(result.errors, 0);
}

static void remove_all(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", base);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(nothing_is_found_in_the_reference)
{
	build("");
	explore("threads_share_a_ring", 3);
	ck_assert_uint_eq(result.failed, 0);
	/* random and four depths of PCT, each with each seed */
	ck_assert_uint_eq(result.runs, 15);
	ck_assert_uint_eq(result.seeds, 3);
	explore("combined_is_published", 4);
	ck_assert_uint_eq(result.failed, 0);
	ck_assert_uint_eq(result.runs, 4);
}
END_TEST

START_TEST(a_ring_without_its_lock_is_found_and_replayed)
{
	struct finding first;

	build("s/pthread_mutex_\\(un\\)\\{0,1\\}lock(&ring->lock);/;/");
	explore("threads_share_a_ring", 20);
	ck_assert_uint_eq(result.failed, 1);
	first = result.finding[0];
	e.seed = first.verdict.seed;
	e.seeds = 1;
	e.schedule = first.schedule;
	e.pct_depth = first.pct_depth;
	ck_assert_int_eq(explore_run(&e, &result), 0);
	ck_assert_uint_eq(result.runs, 1);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_str_eq(result.finding[0].verdict.rule, first.verdict.rule);
	ck_assert_str_eq(result.finding[0].verdict.actual,
			 first.verdict.actual);
	ck_assert_uint_eq(result.finding[0].verdict.time, first.verdict.time);
}
END_TEST

START_TEST(a_missing_barrier_is_found)
{
	build("s/[a-z_]*wmb();/(void)0;/");
	explore("combined_is_published", 10);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_str_eq(result.finding[0].verdict.rule,
			 "RULE_FETCH_NOT_VISIBLE");
}
END_TEST

/* Looked at before it is put into the list: lab 03, by a pause at each step. */
START_TEST(another_labs_race_is_found)
{
	build_lab("03", "reference/umd/fence.c reference/umd/wait.c",
		  "reference/kmd/irq.c",
		  "/^int gpu_event_add/,/^}/{"
		  "s/^\tspin_lock_irqsave/bool was = event_reached(event); &/;"
		  "s/if (event_reached(event))/if (was)/}");
	explore("close_call_at_each_step", 16);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_str_eq(result.finding[0].verdict.rule, "ANSWER");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("explore");
	TCase *t = tcase_create("explore");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, NULL, remove_all);
	tcase_add_test(t, nothing_is_found_in_the_reference);
	tcase_add_test(t, a_ring_without_its_lock_is_found_and_replayed);
	tcase_add_test(t, a_missing_barrier_is_found);
	tcase_add_test(t, another_labs_race_is_found);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
