/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * explore: many seeds, many schedules, the first failure of each test.
 *
 * For one's own code: nothing confines the agent.  Exit status 0: nothing
 * found; 1: found, or it does not build; 2: usage; 3: the grader failed.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/explore/explore.h"

static const char usage[] =
	"usage: explore [--lab NN] [--seeds N] [--seed FIRST] [--tests A,B]\n"
	"               [--jobs N] [--time SECONDS]\n"
	"               [--schedule random|pct:DEPTH] [--quiet] AGENT|FOLDER\n"
	"Without --lab: lab 01.  Without --tests: those of barriers, threads,\n"
	"interrupts and waiting.\n";

static const char *lab = "01";

static int pick_test(struct explore *e, const char *name)
{
	const struct judge_test *test = judge_tests(lab);

	if (!test)
		return -1;
	for (; test->name; test++) {
		bool wanted = name ? !strcmp(test->name, name) :
			explore_threaded(test) ||
			strstr(test->step, "barriers");

		if (!wanted)
			continue;
		if (e->tests == EXPLORE_TESTS)
			return -1;
		e->test[e->tests++] = test;
		if (name)
			return 0;
	}
	if (name)
		fprintf(stderr, "explore: no test %s\n", name);
	return name ? -1 : 0;
}

static int pick_tests(struct explore *e, char *names)
{
	char *name, *rest;

	if (!names)
		return pick_test(e, NULL);
	for (name = strtok_r(names, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest)) {
		if (pick_test(e, name))
			return -1;
	}
	return e->tests ? 0 : -1;
}

static int pick_schedule(struct explore *e, const char *name)
{
	char end;

	if (!strcmp(name, "random")) {
		e->schedule = JUDGE_RANDOM;
		return 0;
	}
	e->schedule = JUDGE_PCT;
	return sscanf(name, "pct:%u%c", &e->pct_depth, &end) == 1 &&
		e->pct_depth >= 1 && e->pct_depth <= 16 ? 0 : -1;
}

static int parse(struct explore *e, int argc, char **argv)
{
	static const struct option option[] = {
		{ "lab", 1, NULL, 'l' },
		{ "seeds", 1, NULL, 'n' }, { "seed", 1, NULL, 's' },
		{ "tests", 1, NULL, 't' }, { "jobs", 1, NULL, 'j' },
		{ "time", 1, NULL, 'T' }, { "schedule", 1, NULL, 'S' },
		{ "quiet", 0, NULL, 'q' }, { NULL, 0, NULL, 0 },
	};
	char *tests = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "", option, NULL)) != -1) {
		switch (c) {
		case 'l':
			lab = optarg;
			break;
		case 'n':
			e->seeds = strtoull(optarg, NULL, 0);
			break;
		case 's':
			e->seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			tests = optarg;
			break;
		case 'j':
			e->jobs = strtoul(optarg, NULL, 0);
			break;
		case 'T':
			e->seconds = strtod(optarg, NULL);
			break;
		case 'S':
			if (pick_schedule(e, optarg))
				return -1;
			break;
		case 'q':
			e->progress = false;
			break;
		default:
			return -1;
		}
	}
	if (optind + 1 != argc || !e->seeds || !e->jobs || e->jobs > 256)
		return -1;
	return pick_tests(e, tests);
}

/* What to type to see it again. */
static void print_replay(const struct finding *finding,
			 const struct judge_test *test, const char *program,
			 const char *path)
{
	char schedule[48] = "";

	if (finding->schedule == JUDGE_RANDOM)
		snprintf(schedule, sizeof(schedule), " --schedule random");
	else if (finding->schedule == JUDGE_PCT)
		snprintf(schedule, sizeof(schedule), " --schedule pct:%u",
			 finding->pct_depth);
	printf("      replay:   %s --lab %s --tests %s --seed %" PRIu64
	       " --seeds 1%s %s\n", program, lab, test->name,
	       finding->verdict.seed, schedule, path);
}

static void print_finding(const struct finding *finding, bool events)
{
	const struct judge_verdict *v = &finding->verdict;
	unsigned int i;

	printf("      %s [%s] %s\n", v->rule, v->section, v->text);
	printf("      expected: %s\n      actual:   %s\n", v->expected,
	       v->actual);
	for (i = 0; events && i < v->events; i++)
		printf("      | %s\n", v->last[i]);
}

static void print(const struct explore *e, const struct explored *result,
		  const char *program, const char *path)
{
	unsigned int i;

	for (i = 0; i < e->tests; i++) {
		const struct finding *f = &result->finding[i];
		bool error = f->found && f->verdict.outcome == JUDGE_ERROR;

		printf("%-5s %-32s %" PRIu64 " runs",
		       error ? "ERROR" : f->found ? "FAIL" : "ok",
		       e->test[i]->name, f->runs);
		if (!f->found) {
			putchar('\n');
			continue;
		}
		printf(", first at seed %" PRIu64 "\n", f->verdict.seed);
		print_finding(f, e->seeds == 1);
		print_replay(f, e->test[i], program, path);
	}
	printf("explore: %" PRIu64 " runs of %u tests, %" PRIu64 " seeds from "
	       "%" PRIu64 " on: ", result->runs, e->tests, result->seeds,
	       e->seed);
	if (result->errors)
		printf("the grader failed in %u tests, ", result->errors);
	if (result->failed)
		printf("%u tests fail\n", result->failed);
	else
		puts("nothing found");
}

static int explore(struct explore *e, const char *program, const char *path)
{
	struct explored *result = calloc(1, sizeof(*result));
	int status = 3;

	if (!result || explore_run(e, result)) {
		fputs("explore: the workers failed\n", stderr);
	} else {
		print(e, result, program, path);
		status = result->errors ? 3 : result->failed != 0;
	}
	free(result);
	return status;
}

int main(int argc, char **argv)
{
	struct explore e = {
		.seed = 1, .seeds = 100, .jobs = 2, .progress = true,
	};
	char built[] = "/tmp/explore-agent-XXXXXX";
	struct stat info;
	const char *path;
	int status, fd;

	if (parse(&e, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	path = e.agent = argv[optind];
	if (stat(path, &info)) {
		perror(path);
		return 2;
	}
	if (!S_ISDIR(info.st_mode))
		return explore(&e, argv[0], path);
	fd = mkstemp(built);
	if (fd < 0) {
		perror(built);
		return 3;
	}
	close(fd);
	e.agent = built;
	status = explore_build(lab, path, built) ?: explore(&e, argv[0], path);
	unlink(built);
	return status;
}
