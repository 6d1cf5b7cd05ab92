/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The judge against agents that die, loop, lie and scribble: each gets the
 * verdict that fits, and none hurts the judge.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograder/judge/fake_agent.h"
#include "autograder/judge/scenario.h"
#include "vm/spec/reg.h"

static struct judge_verdict verdict;

/* --- tests as the judge runs them ------------------------------------ */

static void only_open(struct scenario *s)
{
	driver_open(s);
}

static const struct ring_shape shape = {
	.channel = 1, .entries = 16, .words = 256,
};

static void submit_one(struct scenario *s)
{
	driver_open(s);
	ring_open(s, 0, &shape);
	expect_value(s, submit(s, 0, segment_words(s, 4), 0, 100 * US), 0,
		     "it should succeed");
	expect_executed(s, 0, 1 * MS);
}

static void run(int64_t (*op)(struct fake *, const struct wire_op *),
		void (*start)(struct fake *),
		void (*test)(struct scenario *))
{
	struct judge_test row = {
		.lab = "00", .name = "judge", .title = "t", .step = "0",
		.section = "§1.1", .run = test,
	};
	struct fake_plan plan = { op, start };
	struct judge_options options = {
		.spawn = fake_spawn, .context = &plan, .seed = 3,
		.chip = CARD_CHIPS, .cpu_limit = 100000000,
		.wall_limit = 3000000000,
	};

	judge_run(&row, &options, &verdict);
	/* Always: the agent is dead and reaped. */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

/* --- agents ---------------------------------------------------------- */

static int64_t says_yes(struct fake *fake, const struct wire_op *op)
{
	(void)fake;
	(void)op;
	return 0;
}

static int64_t exits(struct fake *fake, const struct wire_op *op)
{
	(void)fake;
	(void)op;
	_exit(0);
}

static int64_t aborts(struct fake *fake, const struct wire_op *op)
{
	(void)fake;
	(void)op;
	raise(SIGKILL);
	return 0;
}

static int64_t loops(struct fake *fake, const struct wire_op *op)
{
	volatile uint64_t n = 1;

	(void)fake;
	while (n)
		n += 2;
	return op->call;
}

static int64_t sleeps(struct fake *fake, const struct wire_op *op)
{
	(void)fake;
	for (;;)
		pause();
	return op->call;
}

static int64_t polls(struct fake *fake, const struct wire_op *op)
{
	for (;;)
		fake_ask(fake, WIRE_RELAX, 0, 0, 0);
	return op->call;
}

static int64_t posts_too_much(struct fake *fake, const struct wire_op *op)
{
	fake->posts = WIRE_POSTS + 1;
	fake_ask(fake, WIRE_NOW, 0, 0, 0);
	return op->call;
}

static int64_t asks_nonsense(struct fake *fake, const struct wire_op *op)
{
	fake_ask(fake, 77, 0, 0, 0);
	return op->call;
}

static int64_t stores_outside(struct fake *fake, const struct wire_op *op)
{
	fake_post(fake, (struct wire_post){
		.kind = WIRE_STORE, .addr = WIRE_ARENA_SIZE - 2, .size = 4,
	});
	return op->call * 0;
}

static int64_t stores_unallocated(struct fake *fake, const struct wire_op *op)
{
	fake_post(fake, (struct wire_post){
		.kind = WIRE_STORE, .addr = 64, .size = 4,
	});
	return op->call * 0;
}

static int64_t answers_twice(struct fake *fake, const struct wire_op *op)
{
	fake_post(fake, (struct wire_post){ .kind = WIRE_RESULT, .addr = 0 });
	return op->call * 0;
}

static int64_t answers_for_others(struct fake *fake, const struct wire_op *op)
{
	fake_post(fake, (struct wire_post){ .kind = WIRE_RESULT, .addr = 9 });
	return op->call * 0;
}

static int64_t deadlocks(struct fake *fake, const struct wire_op *op)
{
	strcpy((char *)fake->wire->payload, "thread 0 waits for\nmutex A");
	fake_ask(fake, WIRE_DEADLOCK, 0, 0, 0);
	return op->call;
}

static int64_t frees_twice(struct fake *fake, const struct wire_op *op)
{
	uint64_t at = fake_ask(fake, WIRE_DMA_ALLOC, 100, 1, 0).a;

	fake_ask(fake, WIRE_DMA_FREE, 100, at, 0);
	fake_ask(fake, WIRE_DMA_FREE, 100, at, 0);
	return op->call * 0;
}

static int64_t sees_no_room(struct fake *fake, const struct wire_op *op)
{
	(void)fake;
	return op->call == CALL_ring_submit ? -EAGAIN : 0;
}

static int64_t loses_the_card(struct fake *fake, const struct wire_op *op)
{
	(void)fake;
	return op->call == CALL_ring_submit ? -ENODEV : 0;
}

static int64_t gives_up_early(struct fake *fake, const struct wire_op *op)
{
	(void)fake;
	return op->call == CALL_ring_submit ? -ETIMEDOUT : 0;
}

static int64_t gives_up_late(struct fake *fake, const struct wire_op *op)
{
	if (op->call != CALL_ring_submit)
		return 0;
	fake_ask(fake, WIRE_SLEEP,
		 fake_ask(fake, WIRE_NOW, 0, 0, 0).a + 900 * US, 0, 0);
	return -ETIMEDOUT;
}

/* What it did without asking: the clock took 20 ns, or so it says. */
static void looked_at_clock(struct fake *fake, uint32_t ns)
{
	fake_post(fake, (struct wire_post){
		.kind = WIRE_OWN_NOW, .pad = fake->wire->reply.now + ns,
	});
}

static int64_t knows_the_time(struct fake *fake, const struct wire_op *op)
{
	looked_at_clock(fake, WIRE_COST_NOW);
	return op->call * 0;
}

static int64_t is_late(struct fake *fake, const struct wire_op *op)
{
	looked_at_clock(fake, WIRE_COST_NOW + 1);
	return op->call * 0;
}

static int64_t read_it_all(struct fake *fake, const struct wire_op *op)
{
	struct wire_reply reply = fake_ask(fake, WIRE_READ, CARD_BAR0, 0, 4);

	fake_post(fake, (struct wire_post){
		.kind = WIRE_OWN_READ, .region = CARD_BAR0, .size = 4,
		.value = reply.a, .pad = reply.now + reply.steady,
	});
	return op->call * 0;
}

static int64_t makes_it_up(struct fake *fake, const struct wire_op *op)
{
	struct wire_reply reply = fake_ask(fake, WIRE_READ, CARD_BAR0, 0, 4);

	fake_post(fake, (struct wire_post){
		.kind = WIRE_OWN_READ, .region = CARD_BAR0, .size = 4,
		.value = reply.a ^ 1, .pad = reply.now + reply.steady,
	});
	return op->call * 0;
}

static int64_t fills_too_much(struct fake *fake, const struct wire_op *op)
{
	fake_post(fake, (struct wire_post){
		.kind = WIRE_FILL, .region = CARD_BAR1,
		.pad = WIRE_FILL_MAX + 8,
	});
	return op->call * 0;
}

/* BAR1 shows the space of the instance block at 0, which is all zero: its page
 * directory is at 0, too. */
static int64_t frees_a_directory(struct fake *fake, const struct wire_op *op)
{
	fake_post(fake, (struct wire_post){
		.kind = WIRE_WRITE, .region = CARD_CONFIG, .size = 2,
		.addr = NV_XVE_DEV_CTRL, .value = 6,
	});
	fake_post(fake, (struct wire_post){
		.kind = WIRE_WRITE, .region = CARD_BAR0, .size = 4,
		.addr = NV_PBUS_BAR1_BLOCK, .value = 1u << 31,
	});
	fake_ask(fake, WIRE_SLEEP, 1 * MS, 0, 0);
	fake_post(fake, (struct wire_post){
		.kind = WIRE_TABLE_FREED, .addr = 0, .value = 4096,
	});
	return op->call * 0;
}

static int64_t frees_nonsense(struct fake *fake, const struct wire_op *op)
{
	static const uint64_t some[] = { 0, 4096, 1ull << 40, UINT64_MAX };

	for (int i = 0; i < 16; i++)
		fake_post(fake, (struct wire_post){
			.kind = WIRE_TABLE_FREED, .addr = some[i / 4],
			.value = some[i % 4],
		});
	return op->call * 0;
}

static void scribbles(struct fake *fake)
{
	size_t i;

	for (i = 0; i < sizeof(*fake->wire); i += 4)
		*(uint32_t *)((char *)fake->wire + i) = 0xa5a5a5a5;
	atomic_store(&fake->wire->turn, WIRE_AGENT);
}

static void shrinks(struct fake *fake)
{
	(void)fake;
	/* A mere fork inherits every descriptor: try all that are memfds. */
	for (int fd = 3; fd < 64; fd++) {
		if (fcntl(fd, F_GET_SEALS) >= 0 && ftruncate(fd, 0) == 0)
			_exit(99);
	}
}

/* No room is left in its heap; the driver takes it as it should. */
static int64_t runs_out_of_heap(struct fake *fake, const struct wire_op *op)
{
	(void)op;
	fake_ask(fake, WIRE_REPORT, WIRE_REPORT_HEAP_FULL, 0, 0);
	return -ENOMEM;
}

static int64_t has_no_memory(struct fake *fake, const struct wire_op *op)
{
	(void)fake;
	(void)op;
	return -ENOMEM;
}

/* --- verdicts -------------------------------------------------------- */

static const struct {
	int64_t (*op)(struct fake *, const struct wire_op *);
	void (*start)(struct fake *);
	void (*test)(struct scenario *);
	enum judge_outcome outcome;
	const char *rule;
} cases[] = {
	{ says_yes, NULL, only_open, JUDGE_PASS, "PASS" },
	{ says_yes, scribbles, only_open, JUDGE_PASS, "PASS" },
	{ says_yes, shrinks, only_open, JUDGE_PASS, "PASS" },
	{ says_yes, NULL, submit_one, JUDGE_FAIL, "LOST" },
	{ exits, NULL, only_open, JUDGE_FAIL, "EXIT" },
	{ aborts, NULL, only_open, JUDGE_FAIL, "CRASH" },
	{ loops, NULL, only_open, JUDGE_FAIL, "LOOP" },
	{ sleeps, NULL, only_open, JUDGE_ERROR, "GRADER" },
	{ polls, NULL, only_open, JUDGE_FAIL, "TIME" },
	{ posts_too_much, NULL, only_open, JUDGE_FAIL, "LINK" },
	{ asks_nonsense, NULL, only_open, JUDGE_FAIL, "LINK" },
	{ stores_outside, NULL, only_open, JUDGE_FAIL, "LINK" },
	{ stores_unallocated, NULL, only_open, JUDGE_FAIL, "MEMORY" },
	{ answers_twice, NULL, only_open, JUDGE_FAIL, "LINK" },
	{ answers_for_others, NULL, only_open, JUDGE_FAIL, "LINK" },
	{ deadlocks, NULL, only_open, JUDGE_FAIL, "DEADLOCK" },
	{ frees_twice, NULL, only_open, JUDGE_FAIL, "MEMORY" },
	{ loses_the_card, NULL, submit_one, JUDGE_FAIL, "ANSWER" },
	{ sees_no_room, NULL, submit_one, JUDGE_FAIL, "ANSWER" },
	{ gives_up_early, NULL, submit_one, JUDGE_FAIL, "ANSWER" },
	{ gives_up_late, NULL, submit_one, JUDGE_FAIL, "ANSWER" },
	{ knows_the_time, NULL, only_open, JUDGE_PASS, "PASS" },
	{ is_late, NULL, only_open, JUDGE_FAIL, "LINK" },
	{ read_it_all, NULL, only_open, JUDGE_PASS, "PASS" },
	{ makes_it_up, NULL, only_open, JUDGE_FAIL, "LINK" },
	{ fills_too_much, NULL, only_open, JUDGE_FAIL, "LINK" },
	{ frees_a_directory, NULL, only_open, JUDGE_FAIL,
		"RULE_TABLE_FREED" },
	{ frees_nonsense, NULL, only_open, JUDGE_PASS, "PASS" },
	{ runs_out_of_heap, NULL, only_open, JUDGE_FAIL, "EXPECT" },
};

START_TEST(every_agent_gets_the_verdict_that_fits)
{
	run(cases[_i].op, cases[_i].start, cases[_i].test);
	ck_assert_str_eq(verdict.rule, cases[_i].rule);
	ck_assert_int_eq(verdict.outcome, cases[_i].outcome);
	ck_assert_uint_eq(verdict.seed, 3);
	if (verdict.outcome == JUDGE_FAIL) {
		ck_assert_str_ne(verdict.section, "");
		ck_assert_str_ne(verdict.expected, "");
		ck_assert_str_ne(verdict.actual, "");
		ck_assert_uint_gt(verdict.events, 0);
		ck_assert_ptr_nonnull(strstr(verdict.last[verdict.events - 1],
					     verdict.rule));
	}
}
END_TEST

static pid_t no_spawn(void *context, int fd)
{
	(void)context;
	(void)fd;
	return -EPERM;
}

START_TEST(an_agent_that_cannot_start_is_the_graders_error)
{
	struct judge_exec nowhere = { "/nonexistent/agent" };
	struct judge_options options = { .spawn = no_spawn, .chip = 0 };
	struct judge_test row = { .section = "§1.1", .run = only_open };

	judge_run(&row, &options, &verdict);
	ck_assert_int_eq(verdict.outcome, JUDGE_ERROR);
	ck_assert_ptr_nonnull(strstr(verdict.actual, "not permitted"));
	options.spawn = judge_spawn_exec;
	options.context = &nowhere;
	judge_run(&row, &options, &verdict);
	ck_assert_int_eq(verdict.outcome, JUDGE_ERROR);
}
END_TEST

START_TEST(text_of_the_agent_is_made_harmless)
{
	run(deadlocks, NULL, only_open);
	ck_assert_ptr_null(strchr(verdict.actual, '\n'));
}
END_TEST

START_TEST(a_full_heap_is_told_from_an_injected_failure)
{
	run(runs_out_of_heap, NULL, only_open);
	ck_assert_str_eq(verdict.actual,
			 "-ENOMEM (the driver's heap of 512 MiB is full)");
	run(has_no_memory, NULL, only_open);
	ck_assert_str_eq(verdict.actual, "-ENOMEM");
}
END_TEST

/* --- tables ---------------------------------------------------------- */

static const struct rubric {
	const char *lab;
	unsigned int step[8];	/* points of steps 1 to 7	*/
	unsigned int public;	/* tests			*/
} rubrics[] = {
	{ "01", { 0, 20, 25, 20, 20, 15 }, 8 },
	{ "02", { 0, 14, 10, 18, 16, 12, 20, 10 }, 10 },
};

START_TEST(points_follow_the_rubric)
{
	const struct rubric *rubric = &rubrics[_i];
	unsigned int sum[8] = { 0 }, i, public = 0;
	const struct judge_test *test;

	ck_assert_ptr_null(judge_tests("99"));
	for (test = judge_tests(rubric->lab); test->name; test++) {
		unsigned int step = test->step[0] - '0';

		ck_assert_uint_ge(step, 1);
		ck_assert_uint_le(step, 7);
		ck_assert_uint_ge(test->seeds, 1);
		ck_assert_ptr_nonnull(test->run);
		ck_assert_str_eq(test->lab, rubric->lab);
		ck_assert(strncmp(test->section, "§", 2) == 0);
		sum[step] += test->points;
		public += test->visibility == TEST_PUBLIC;
		ck_assert((test->visibility == TEST_PUBLIC) == !test->points);
	}
	for (i = 0; i < 8; i++)
		ck_assert_uint_eq(sum[i], rubric->step[i]);
	ck_assert_uint_eq(public, rubric->public);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("judge");
	TCase *tests = tcase_create("agents");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, every_agent_gets_the_verdict_that_fits, 0,
			    sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tests, an_agent_that_cannot_start_is_the_graders_error);
	tcase_add_test(tests, text_of_the_agent_is_made_harmless);
	tcase_add_test(tests, a_full_heap_is_told_from_an_injected_failure);
	tcase_add_loop_test(tests, points_follow_the_rubric, 0,
			    sizeof(rubrics) / sizeof(rubrics[0]));
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
