/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The explorer: a driver under many seeds and schedules, until one fails.
 *
 * It runs the judge's own tests, as grading does, but tries of each seed the
 * random schedule and PCT of depths 1 to 4 where a test has several threads.
 * What it finds is replayed by test, seed and schedule.
 */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "autograder/judge/judge.h"

#define EXPLORE_TESTS	64u
#define EXPLORE_DEPTHS	4u

struct explore {
	const char *agent;	/* path of an agent binary		*/
	const struct judge_test *test[EXPLORE_TESTS];
	unsigned int tests;
	uint64_t seed, seeds;	/* the first, and how many		*/
	unsigned int jobs;
	double seconds;		/* stop then; 0: no limit		*/
	/* one schedule only, unless JUDGE_BY_SEED */
	enum judge_schedule schedule;
	unsigned int pct_depth;
	bool progress;		/* on stderr				*/
};

/* What came of one test. */
struct finding {
	uint64_t runs;
	bool found;		/* a failure, or an error of the grader	*/
	uint64_t order;		/* which run of all, from 0		*/
	enum judge_schedule schedule;
	unsigned int pct_depth;
	struct judge_verdict verdict;
};

struct explored {
	uint64_t runs, seeds;	/* tried; the last one maybe in part	*/
	unsigned int failed, errors;	/* tests			*/
	struct finding finding[EXPLORE_TESTS];
};

/* 0 or -errno: it could not be done. */
int explore_run(const struct explore *explore, struct explored *result);
/* Has the test threads to schedule, or a handler? */
bool explore_threaded(const struct judge_test *test);

/* build.c: an agent from a folder, with what the compiler said on stderr.
 * 0; 1: it does not build; 3: the tools failed. */
int explore_build(const char *lab, const char *folder, const char *output);

#endif
