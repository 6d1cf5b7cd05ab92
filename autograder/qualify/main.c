/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * qualify: run the campaign and say what came of it.
 *
 * Exit status 0: every command was executed, once, in order, and its CRC was
 * right; 1: not so; 2: usage; 3: the campaign could not be run.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "autograder/qualify/qualify.h"

#define FULL	8640000000ull	/* 24 h at 100 kHz */

static const char usage[] =
	"usage: qualify [--commands N] [--jobs N] [--seed N] [--hz N]\n"
	"               [--break N] [--quiet]\n"
	"  --break N    damage one command in N, to see that it is found\n";

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/*
 * The rate of failures is below this, with 95 % confidence: 3 / n when there
 * were none, else the upper limit of a Poisson count (Wilson and Hilferty).
 */
static double upper_bound(uint64_t failures, uint64_t n)
{
	double k = failures + 1.0;
	double limit = failures ? k * pow(1 - 1 / (9 * k) +
					  1.645 / (3 * sqrt(k)), 3) : 3;

	return n && limit < n ? limit / n : 1;
}

static uint64_t failures(const struct tally *t)
{
	return t->crc_failures + t->lost + t->reordered + t->stray;
}

static void print(const struct qualify *q, const struct tally *t, double took)
{
	double rate = t->executed / took;

	printf("%" PRIu64 " commands executed, %" PRIu64 " checked by CRC, "
	       "%" PRIu64 " CRC failures, %" PRIu64 " lost, %" PRIu64
	       " reordered or repeated, %" PRIu64 " never sent, %" PRIu64
	       " rules broken, %" PRIu64 " calls failed\n",
	       t->executed, t->checked, t->crc_failures, t->lost,
	       t->reordered, t->stray, t->violations, t->errors);
	printf("failure rate %.3g, below %.3g with 95 %% confidence\n",
	       t->executed ? (double)failures(t) / t->executed : 0,
	       upper_bound(failures(t), t->executed));
	printf("%u cards at once, %" PRIu64 " in all; %.3f h of card time, "
	       "%.1f kHz; %.1f s, %.2f M commands/s\n", q->jobs, t->legs,
	       t->card_ns / 3.6e12,
	       t->card_ns ? t->executed * 1e6 / t->card_ns : 0, took,
	       rate / 1e6);
	if (t->executed < FULL && rate > 0)
		printf("24 h at 100 kHz, 8.64e9 commands, would take %.1f min "
		       "at this rate\n", FULL / rate / 60);
	if (t->crashes)
		printf("the driver crashed %" PRIu64 " of %u workers\n",
		       t->crashes, q->jobs);
	if (q->damage)
		printf("%" PRIu64 " commands damaged, %" PRIu64 " found\n",
		       t->injected, t->crc_failures);
}

static int parse(struct qualify *q, int argc, char **argv)
{
	static const struct option option[] = {
		{ "commands", 1, NULL, 'c' }, { "jobs", 1, NULL, 'j' },
		{ "seed", 1, NULL, 's' }, { "hz", 1, NULL, 'h' },
		{ "break", 1, NULL, 'b' }, { "quiet", 0, NULL, 'q' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", option, NULL)) != -1) {
		switch (c) {
		case 'c':
			q->commands = strtoull(optarg, NULL, 0);
			break;
		case 'j':
			q->jobs = strtoul(optarg, NULL, 0);
			break;
		case 's':
			q->seed = strtoull(optarg, NULL, 0);
			break;
		case 'h':
			q->hz = strtoull(optarg, NULL, 0);
			break;
		case 'b':
			q->damage = strtoull(optarg, NULL, 0);
			break;
		case 'q':
			q->progress = false;
			break;
		default:
			return -1;
		}
	}
	return optind == argc && q->commands && q->jobs && q->jobs <= 256 &&
		q->hz && q->hz <= 1000000000 ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct qualify q = {
		.commands = 200000000, .jobs = 2, .seed = 1, .hz = 100000,
		.progress = true,
	};
	struct tally tally;
	double began = seconds();

	if (parse(&q, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	if (qualify_run(&q, &tally) || tally.failed) {
		fputs("qualify: the campaign could not be run\n", stderr);
		return 3;
	}
	print(&q, &tally, seconds() - began);
	return !qualify_clean(&tally);
}
