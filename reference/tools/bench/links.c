/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a register access costs through the judge: host ns of a read, which
 * hands the turn over and back, and of a posted write, many of which travel
 * with one hand-over.
 *
 * The judge is the real one with its card.  The agent is a forked child that
 * plays the agent's side without driver and instrumentation, so that the
 * link is measured and nothing else.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "autograder/judge/fake_agent.h"
#include "autograder/judge/judge.h"
#include "autograder/judge/scenario.h"
#include "bench.h"
#include "vm/spec/reg.h"

#define READS	20000
#define WRITES	200000
#define ROUNDS	5
#define PRAMIN	0x700000	/* video memory 0, through BAR0 [§6.1] */

static struct shared {
	double read, write;	/* ns, the best round	*/
} *shared;

static double reads(struct fake *fake)
{
	uint64_t start = bench_now();

	for (int i = 0; i < READS; i++)
		fake_ask(fake, WIRE_READ, CARD_BAR0, NV_PMC_BOOT_0, 4);
	return (double)(bench_now() - start) / READS;
}

static double writes(struct fake *fake)
{
	uint64_t start = bench_now();

	for (int i = 0; i < WRITES; i++) {
		fake_post(fake, (struct wire_post){
			.kind = WIRE_WRITE, .region = CARD_BAR0, .size = 4,
			.addr = PRAMIN, .value = i,
		});
		if (fake->posts == WIRE_POSTS)
			fake_ask(fake, WIRE_FULL, 0, 0, 0);
	}
	fake_ask(fake, WIRE_FULL, 0, 0, 0);
	return (double)(bench_now() - start) / WRITES;
}

static int64_t answer(struct fake *fake, const struct wire_op *op)
{
	if (op->call != CALL_gpu_open)
		return 0;
	for (int round = 0; round < ROUNDS; round++) {
		double took = reads(fake);

		if (!shared->read || took < shared->read)
			shared->read = took;
		took = writes(fake);
		if (!shared->write || took < shared->write)
			shared->write = took;
	}
	return 0;
}

static void run(struct scenario *s)
{
	driver_open(s);
}

int main(void)
{
	struct fake_plan plan = { .op = answer };
	const struct judge_test test = {
		.lab = "01", .name = "links", .title = "the links' cost",
		.step = "bench", .section = "§2.3", .run = run,
	};
	struct judge_options options = {
		.spawn = fake_spawn, .context = &plan, .seed = 1,
		.chip = CARD_P40,
		.wall_limit = 60000000000ull, .cpu_limit = 60000000000ull,
	};
	struct judge_verdict verdict;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	judge_run(&test, &options, &verdict);
	if (verdict.outcome != JUDGE_PASS || !shared->write) {
		fprintf(stderr, "bench-links: %s: %s\n", verdict.rule,
			verdict.actual);
		return 1;
	}
	/* peer: the prototype from which this link was chosen */
	bench_print("judge_read", shared->read, "ns", "prototype", 4206,
		    BENCH_LESS);
	bench_print("judge_write", shared->write, "ns", "prototype", 330,
		    BENCH_LESS);
	return 0;
}
