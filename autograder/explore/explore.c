/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who tries what: workers, which are processes, take runs from one counter.
 *
 * Runs are numbered: seed by seed, and for each seed all tests under all
 * schedules.  They are taken in order and a worker finishes what it took, so
 * the failure with the lowest number is the same whatever the workers do.  A
 * test that failed is not tried further.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "autograder/explore/explore.h"

#define REPORT_SECONDS	5
#define PROBES	(EXPLORE_TESTS * (EXPLORE_DEPTHS + 1))

struct probe {
	unsigned int test;
	enum judge_schedule schedule;
	unsigned int depth;
};

/* Of all workers, in memory they share. */
struct shared {
	_Atomic uint64_t next;
	_Atomic uint64_t best[EXPLORE_TESTS];	/* lowest that failed	*/
	_Atomic uint64_t runs[EXPLORE_TESTS];
	struct finding finding[];		/* jobs * tests		*/
};

struct work {
	const struct explore *e;
	struct probe probe[PROBES];
	unsigned int probes;
	struct shared *shared;
	double end;		/* host seconds, or 0	*/
};

/* By step; in lab 02, whose steps have tests of both kinds, by name. */
bool explore_threaded(const struct judge_test *test)
{
	static const char *const steps[] = {
		"threads", "interrupt", "waiting", "races",
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (strstr(test->step, steps[i]))
			return true;
	}
	return !strncmp(test->name, "threads_", 8);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void add_probe(struct work *work, unsigned int test,
		      enum judge_schedule schedule, unsigned int depth)
{
	work->probe[work->probes++] = (struct probe){ test, schedule, depth };
}

static void plan(struct work *work)
{
	const struct explore *e = work->e;
	unsigned int i, depth;

	for (i = 0; i < e->tests; i++) {
		if (e->schedule != JUDGE_BY_SEED ||
		    !explore_threaded(e->test[i])) {
			add_probe(work, i, e->schedule, e->pct_depth);
			continue;
		}
		add_probe(work, i, JUDGE_RANDOM, 0);
		for (depth = 1; depth <= EXPLORE_DEPTHS; depth++)
			add_probe(work, i, JUDGE_PCT, depth);
	}
}

static void lower(_Atomic uint64_t *best, uint64_t order)
{
	uint64_t old = atomic_load(best);

	while (order < old &&
	       !atomic_compare_exchange_weak(best, &old, order))
		;
}

static void try(struct work *work, uint64_t order, struct finding *finding)
{
	const struct explore *e = work->e;
	const struct probe *probe = &work->probe[order % work->probes];
	struct judge_exec exec = { .path = e->agent };
	struct judge_options options = {
		.spawn = judge_spawn_exec, .context = &exec,
		.seed = e->seed + order / work->probes,
		.chip = CARD_CHIPS, .schedule = probe->schedule,
		.pct_depth = probe->depth,
	};
	struct judge_verdict verdict;

	judge_run(e->test[probe->test], &options, &verdict);
	atomic_fetch_add(&work->shared->runs[probe->test], 1);
	if (verdict.outcome == JUDGE_PASS)
		return;
	lower(&work->shared->best[probe->test], order);
	finding += probe->test;
	if (finding->found)
		return;
	*finding = (struct finding){
		.found = true, .order = order, .verdict = verdict,
		.schedule = probe->schedule, .pct_depth = probe->depth,
	};
}

static void worker(struct work *work, unsigned int job)
{
	struct shared *shared = work->shared;
	struct finding *own = &shared->finding[job * work->e->tests];
	uint64_t total = work->e->seeds * work->probes, order;

	while (!work->end || seconds() < work->end) {
		order = atomic_fetch_add(&shared->next, 1);
		if (order >= total)
			return;
		if (shared->best[work->probe[order % work->probes].test] <
		    order)
			continue;
		try(work, order, own);
	}
}

static void report(const struct work *work)
{
	const struct shared *shared = work->shared;
	unsigned int i, failed = 0;
	uint64_t runs = 0, next = shared->next;

	for (i = 0; i < work->e->tests; i++) {
		runs += shared->runs[i];
		failed += shared->best[i] != UINT64_MAX;
	}
	fprintf(stderr, "# %llu runs, seed %llu of %llu, %u of %u tests "
		"failed\n", (unsigned long long)runs,
		(unsigned long long)(next / work->probes + 1),
		(unsigned long long)work->e->seeds, failed, work->e->tests);
}

/* A worker that dies is the grader's fault. */
static int wait_for(const struct work *work, pid_t *pid)
{
	double next = seconds() + REPORT_SECONDS;
	unsigned int left = 0, i;
	int status, err = 0;

	for (i = 0; i < work->e->jobs; i++)
		left += pid[i] != 0;
	while (left) {
		for (i = 0; i < work->e->jobs; i++) {
			if (!pid[i] || !waitpid(pid[i], &status, WNOHANG))
				continue;
			pid[i] = 0;
			left--;
			if (status)
				err = -EIO;
		}
		if (left)
			usleep(10000);
		if (work->e->progress && seconds() > next) {
			report(work);
			next += REPORT_SECONDS;
		}
	}
	return err;
}

static void collect(const struct work *work, struct explored *result)
{
	const struct explore *e = work->e;
	uint64_t taken = work->shared->next;
	unsigned int i, job;

	memset(result, 0, sizeof(*result));
	for (i = 0; i < e->tests; i++) {
		struct finding *best = &result->finding[i];

		for (job = 0; job < e->jobs; job++) {
			const struct finding *finding =
				&work->shared->finding[job * e->tests + i];

			if (finding->found &&
			    (!best->found || finding->order < best->order))
				*best = *finding;
		}
		best->runs = work->shared->runs[i];
		result->runs += best->runs;
		if (best->found && best->verdict.outcome == JUDGE_ERROR)
			result->errors++;
		else
			result->failed += best->found;
	}
	result->seeds = (taken + work->probes - 1) / work->probes;
	if (result->seeds > e->seeds)
		result->seeds = e->seeds;
}

static int run_workers(struct work *work)
{
	pid_t *pid = calloc(work->e->jobs, sizeof(*pid));
	unsigned int i;
	int err = 0;

	if (!pid)
		return -ENOMEM;
	fflush(NULL);
	for (i = 0; i < work->e->jobs; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			worker(work, i);
			_exit(0);
		}
		if (pid[i] < 0) {
			pid[i] = 0;
			err = -errno;
		}
	}
	err = wait_for(work, pid) ?: err;
	free(pid);
	return err;
}

int explore_run(const struct explore *e, struct explored *result)
{
	size_t size = sizeof(struct shared) +
		(size_t)e->jobs * e->tests * sizeof(struct finding);
	struct work *work = calloc(1, sizeof(*work));
	unsigned int i;
	int err;

	if (!work)
		return -ENOMEM;
	work->e = e;
	work->end = e->seconds > 0 ? seconds() + e->seconds : 0;
	work->shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (work->shared == MAP_FAILED) {
		free(work);
		return -ENOMEM;
	}
	for (i = 0; i < e->tests; i++)
		work->shared->best[i] = UINT64_MAX;
	plan(work);
	err = work->probes ? run_workers(work) : -EINVAL;
	if (work->probes)
		collect(work, result);
	munmap(work->shared, size);
	free(work);
	return err;
}
