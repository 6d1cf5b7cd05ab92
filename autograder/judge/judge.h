/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Running one hidden or public test, once, with one seed.
 *
 * The judge holds the card and the test; the student's driver runs in the
 * agent, another process.  A verdict comes from what the card saw and from
 * return values held against what the card knows; nothing that the agent
 * prints, returns from main or exits with can score.
 */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../vm/model/card.h"

struct scenario;

/* Does a failure mean wrong work, or a bad way with trouble? */
enum test_kind { TEST_CORRECTNESS, TEST_ROBUSTNESS };
/* Who sees it before the deadline. */
enum test_visibility { TEST_PUBLIC, TEST_HIDDEN };

/* One row of autograder/hidden/NN-name/tests.def. */
struct judge_test {
	const char *lab;	/* "01"					*/
	const char *name;	/* "full_ring_waits"			*/
	const char *title;	/* one sentence				*/
	const char *step;	/* "2 wrap-around": the rubric's line	*/
	const char *section;	/* "§8.3"				*/
	enum test_kind kind;
	enum test_visibility visibility;
	unsigned int points;
	unsigned int seeds;	/* runs by default			*/
	void (*run)(struct scenario *scenario);
};

/* All tests of a lab, ended by name == NULL; NULL if there is no such lab. */
const struct judge_test *judge_tests(const char *lab);

/* How a run ended. */
enum judge_outcome {
	JUDGE_PASS,
	JUDGE_FAIL,	/* the driver broke a rule or an expectation	*/
	JUDGE_ERROR,	/* the grader failed: never a score		*/
};

/* Lines of the trace that a verdict carries. */
#define JUDGE_LAST_EVENTS	24

/* What a run came to; strings are cut to fit. */
struct judge_verdict {
	enum judge_outcome outcome;
	uint64_t seed;
	char rule[64];		/* "RULE_GP_OVERWRITE", "EXPECT", "CRASH", … */
	char section[16];
	char text[256];		/* the rule as a sentence		*/
	char expected[256], actual[256];
	uint64_t time;		/* virtual ns				*/
	unsigned int events;	/* lines in last[]			*/
	char last[JUDGE_LAST_EVENTS][192];	/* the last bus events	*/
	/* further rules broken in the same run, by name		*/
	unsigned int others;
	char other[8][64];
};

/*
 * Start the agent: fd becomes descriptor WIRE_FD there, everything else is
 * closed.  Returns its pid or -errno.  box/ supplies one that confines it.
 */
typedef pid_t (*judge_spawn)(void *context, int fd);

/* How threads are scheduled. */
enum judge_schedule { JUDGE_BY_SEED, JUDGE_RANDOM, JUDGE_PCT };

/* How to run a test. */
struct judge_options {
	judge_spawn spawn;
	void *context;
	uint64_t seed;
	enum card_chip chip;	/* CARD_CHIPS: the test's own choice	*/
	enum judge_schedule schedule;
	unsigned int pct_depth;	/* of JUDGE_PCT, 1 or more		*/
	/* Optional: every trace line as it happens (make trace). */
	void (*trace)(void *arg, const struct card_event *event,
		      const char *line);
	void *trace_arg;
	/* Backstop, host ns: past it the outcome is JUDGE_ERROR, unless the
	 * agent spent cpu_limit of processor time without asking for
	 * anything, which is an endless loop in the driver. */
	uint64_t wall_limit, cpu_limit;
};

/* Run it; the verdict is always filled in. */
void judge_run(const struct judge_test *test,
	       const struct judge_options *options,
	       struct judge_verdict *verdict);

/* The simplest spawn: fork and exec of a path, for one's own code. */
struct judge_exec { const char *path; };
/* judge_spawn with a struct judge_exec as context. */
pid_t judge_spawn_exec(void *context, int fd);

#endif
