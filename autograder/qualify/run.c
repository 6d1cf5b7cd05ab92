/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The workers of a campaign: processes, so that no card shares anything. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "autograder/qualify/qualify.h"

#define REPORT_SECONDS	10

bool qualify_clean(const struct tally *t)
{
	return t->executed == t->accepted && t->checked == t->executed &&
		!t->crc_failures && !t->lost && !t->reordered && !t->stray &&
		!t->violations && !t->errors && !t->crashes && !t->failed;
}

static void add(struct tally *sum, const struct tally *part)
{
	sum->executed += part->executed;
	sum->checked += part->checked;
	sum->crc_failures += part->crc_failures;
	sum->lost += part->lost;
	sum->reordered += part->reordered;
	sum->stray += part->stray;
	sum->violations += part->violations;
	sum->card_ns += part->card_ns;
	sum->accepted += part->accepted;
	sum->errors += part->errors;
	sum->injected += part->injected;
	sum->legs += part->legs;
	sum->crashes += part->crashes;
	sum->failed |= part->failed;
}

static pid_t start(const struct qualify *q, unsigned int worker,
		   struct tally *tally)
{
	uint64_t share = q->commands / q->jobs +
		(worker < q->commands % q->jobs);
	pid_t pid = fork();

	if (pid == 0) {
		qualify_work(q, worker, share, tally);
		_exit(0);
	}
	return pid;
}

static void report(const struct qualify *q, const struct tally *tally,
		   time_t began)
{
	uint64_t done = 0, wrong = 0;
	time_t took = time(NULL) - began;
	unsigned int i;

	for (i = 0; i < q->jobs; i++) {
		/* as they are just now */
		const volatile struct tally *t = &tally[i];

		done += t->checked;
		wrong += t->crc_failures + t->lost + t->reordered + t->stray;
	}
	fprintf(stderr, "# %" PRIu64 " of %" PRIu64 " commands, %" PRIu64
		" wrong, %.2f M/s, %.1f min to go\n", done, q->commands,
		wrong, done / 1e6 / took,
		done ? (double)(q->commands - done) / done * took / 60 : 0);
}

/* A worker that died of a signal did so in the driver. */
static void wait_for(const struct qualify *q, pid_t *pid, struct tally *tally)
{
	time_t began = time(NULL), next = began + REPORT_SECONDS;
	unsigned int left = q->jobs, i;
	int status;

	while (left) {
		for (i = 0; i < q->jobs; i++) {
			if (!pid[i] || !waitpid(pid[i], &status, WNOHANG))
				continue;
			pid[i] = 0;
			left--;
			if (WIFSIGNALED(status))
				tally[i].crashes++;
			else if (status)
				tally[i].failed = true;
		}
		if (left)
			usleep(20000);
		if (q->progress && time(NULL) >= next) {
			report(q, tally, began);
			next += REPORT_SECONDS;
		}
	}
}

int qualify_run(const struct qualify *q, struct tally *sum)
{
	size_t size = q->jobs * sizeof(struct tally);
	pid_t *pid = calloc(q->jobs, sizeof(*pid));
	struct tally *tally;
	unsigned int i;

	if (!pid)
		return -ENOMEM;
	tally = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED) {
		free(pid);
		return -ENOMEM;
	}
	setenv("PORT_LOG", "quiet", 0);
	fflush(NULL);
	for (i = 0; i < q->jobs; i++)
		pid[i] = start(q, i, &tally[i]);
	*sum = (struct tally){ 0 };
	for (i = 0; i < q->jobs; i++)
		sum->failed |= pid[i] < 0;
	if (!sum->failed)
		wait_for(q, pid, tally);
	for (i = 0; i < q->jobs; i++)
		add(sum, &tally[i]);
	munmap(tally, size);
	free(pid);
	return 0;
}
