/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * judge-run: tests against an agent, without the box and without a grade.
 *
 * For one's own code only: nothing confines the agent.  `make trace` and
 * development use it; grading is build/bin/grade.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/chrome.h"

struct run {
	const char *lab, *trace;
	uint64_t seed, seeds;	/* seeds 0: the test's own number	*/
	enum card_chip chip;
	struct judge_exec exec;
	bool quiet;
	unsigned int passed, failed, errors;
};

static const char usage[] =
	"usage: judge-run [--lab NN] [--seed N] [--seeds N]\n"
	"                 [--chip p100|p40|m40] [--trace text|json] [--quiet]\n"
	"                 [--list] AGENT [TEST...]\n";

static void print_line(void *arg, const struct card_event *event,
		       const char *line)
{
	(void)arg;
	(void)event;
	puts(line);
}

static void print_verdict(const struct judge_verdict *verdict)
{
	unsigned int i;

	printf("    %s [%s] %s\n", verdict->rule, verdict->section,
	       verdict->text);
	printf("    expected: %s\n    actual:   %s\n", verdict->expected,
	       verdict->actual);
	printf("    at %" PRIu64 ".%03u us, seed %" PRIu64 "\n",
	       verdict->time / 1000, (unsigned int)(verdict->time % 1000),
	       verdict->seed);
	for (i = 0; i < verdict->others; i++)
		printf("    also: %s\n", verdict->other[i]);
	for (i = 0; i < verdict->events; i++)
		printf("    | %s\n", verdict->last[i]);
}

static enum judge_outcome run_once(struct run *run,
				   const struct judge_test *test,
				   uint64_t seed)
{
	struct judge_options options = {
		.spawn = judge_spawn_exec, .context = &run->exec,
		.seed = seed, .chip = run->chip,
	};
	struct judge_verdict verdict;
	struct chrome chrome;
	bool json = run->trace && strcmp(run->trace, "json") == 0;

	if (json) {
		chrome_begin(&chrome, stdout, test->name);
		options.trace = chrome_line;
		options.trace_arg = &chrome;
	} else if (run->trace) {
		options.trace = print_line;
	}
	judge_run(test, &options, &verdict);
	if (json)
		chrome_end(&chrome);
	else if (verdict.outcome != JUDGE_PASS && !run->quiet)
		print_verdict(&verdict);
	return verdict.outcome;
}

/* Every seed until one fails. */
static void run_test(struct run *run, const struct judge_test *test)
{
	static const char *const word[] = { "pass", "FAIL", "ERROR" };
	enum judge_outcome outcome = JUDGE_PASS;
	uint64_t seeds = run->seeds ?: run->trace ? 1 : test->seeds, i;
	FILE *to = run->trace ? stderr : stdout;

	for (i = 0; i < seeds && outcome == JUDGE_PASS; i++)
		outcome = run_once(run, test, run->seed + i);
	run->passed += outcome == JUDGE_PASS;
	run->failed += outcome == JUDGE_FAIL;
	run->errors += outcome == JUDGE_ERROR;
	fprintf(to, "%-5s %-36s %2u points, %" PRIu64 " seeds\n",
		word[outcome], test->name, test->points, i);
}

static bool wanted(const struct judge_test *test, char **name, int names)
{
	int i;

	for (i = 0; i < names; i++) {
		if (strcmp(name[i], test->name) == 0)
			return true;
	}
	return names == 0;
}

static int list(const struct judge_test *test)
{
	for (; test->name; test++)
		printf("%-36s %2u  %-22s %s\n", test->name, test->points,
		       test->step, test->title);
	return 0;
}

static int chip_of(const char *name, enum card_chip *chip)
{
	static const char *const names[CARD_CHIPS] = {
		[CARD_P100] = "p100", [CARD_P40] = "p40", [CARD_M40] = "m40",
	};
	unsigned int i;

	for (i = 0; i < CARD_CHIPS; i++) {
		if (strcmp(name, names[i]) == 0) {
			*chip = i;
			return 0;
		}
	}
	return -EINVAL;
}

/* 1 to go on, else -1 for usage; --list sets *listing. */
static int parse(struct run *run, int argc, char **argv, bool *listing)
{
	static const struct option option[] = {
		{ "lab", 1, NULL, 'l' }, { "seed", 1, NULL, 's' },
		{ "seeds", 1, NULL, 'n' }, { "chip", 1, NULL, 'c' },
		{ "trace", 1, NULL, 't' }, { "quiet", 0, NULL, 'q' },
		{ "list", 0, NULL, 'L' }, { NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", option, NULL)) != -1) {
		switch (c) {
		case 'l':
			run->lab = optarg;
			break;
		case 's':
			run->seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			run->seeds = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			if (chip_of(optarg, &run->chip))
				return -1;
			break;
		case 't':
			run->trace = optarg;
			break;
		case 'q':
			run->quiet = true;
			break;
		case 'L':
			*listing = true;
			break;
		default:
			return -1;
		}
	}
	if (run->trace && strcmp(run->trace, "text") &&
	    strcmp(run->trace, "json"))
		return -1;
	return 1;
}

int main(int argc, char **argv)
{
	struct run run = { .lab = "01", .seed = 1, .chip = CARD_CHIPS };
	const struct judge_test *test;
	bool listing = false, any = false;

	if (parse(&run, argc, argv, &listing) < 0 ||
	    (optind == argc && !listing)) {
		fputs(usage, stderr);
		return 2;
	}
	test = judge_tests(run.lab);
	if (!test) {
		fprintf(stderr, "judge-run: no lab %s\n", run.lab);
		return 2;
	}
	if (listing)
		return list(test);
	run.exec.path = argv[optind];
	for (; test->name; test++) {
		if (!wanted(test, argv + optind + 1, argc - optind - 1))
			continue;
		any = true;
		run_test(&run, test);
		fflush(stdout);
	}
	if (!any) {
		fprintf(stderr, "judge-run: no such test\n");
		return 2;
	}
	return run.errors ? 3 : run.failed != 0;
}
