/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * qualify-fences: layer 3, waits under stress [§9.5].
 *
 * Exit status 0: no spurious wake-up, none lost, no wait timed out; 1: not
 * so; 2: usage; 3: it could not be run.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "autograder/qualify/fences.h"

static const char usage[] =
	"usage: qualify-fences [--threads N] [--waits N] [--channels N] "
	"[--seed N]\n";

static int parse(struct fences *f, int argc, char **argv)
{
	static const struct option option[] = {
		{ "threads", 1, NULL, 't' }, { "waits", 1, NULL, 'w' },
		{ "channels", 1, NULL, 'c' }, { "seed", 1, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	int o;

	while ((o = getopt_long(argc, argv, "", option, NULL)) != -1) {
		switch (o) {
		case 't':
			f->threads = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			f->waits = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			f->channels = strtoul(optarg, NULL, 0);
			break;
		case 's':
			f->seed = strtoull(optarg, NULL, 0);
			break;
		default:
			return -1;
		}
	}
	return optind == argc && f->threads && f->threads <= 10000 &&
		f->waits && f->channels && f->channels <= 1000 ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct fences f = {
		.threads = 100, .waits = 1000000, .channels = 8, .seed = 1,
	};
	int err;

	if (parse(&f, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	err = fences_run(&f);
	if (err) {
		fprintf(stderr, "qualify-fences: %d\n", err);
		return 3;
	}
	printf("%u threads on %u channels, %" PRIu64 " waits: %" PRIu64
	       " spurious, %" PRIu64 " timed out, %" PRIu64 " lost, %" PRIu64
	       " failed, %" PRIu64 " rules broken\n", f.threads, f.channels,
	       f.done, f.spurious, f.timed_out, f.lost, f.failed,
	       f.violations);
	printf("%.1f s, %.0f waits/s; the handler ran %" PRIu64
	       " times, %" PRIu64 " for nothing\n", f.seconds,
	       f.done / f.seconds, f.interrupts, f.empty);
	return !fences_clean(&f);
}
