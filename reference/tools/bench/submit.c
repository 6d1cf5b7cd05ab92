/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Submitting 64 bytes: our ring against rte_ring and ck_ring.
 *
 * Two contests.  One element a call: ring_submit(), which offers once in
 * BENCH_BATCH calls, against the peers' enqueue.  BENCH_BATCH elements a call:
 * ring_submit_batch() against rte_ring's bulk enqueue; ck_ring has none and
 * enqueues one by one there too.  Our ring is safe for many producers always,
 * so a peer runs in a mode that is, with one producer too: its mode for a
 * single producer, without an atomic operation, is another thing.
 *
 * All contestants run in turn, round after round, so that whatever else the
 * machine does meets each of them.  Value and peer's value are the best round
 * of each.  The ratio is the median of the rounds' ratios: with more producers
 * than processors a best round is luck (one producer had the queue for
 * itself), and with other work on the machine every round is some luck.  The
 * peer is the one with the best median.  A contestant that lost an element is
 * disqualified.
 *
 * With more producers than processors, a queue whose producers wait for each
 * other in turn (rte_ring's MT mode, ck_ring) stands still whenever the one
 * whose turn it is has lost its processor; such a round ends at its limit.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define ROUNDS		15
#define ELEMENTS	200000ul	/* of all producers, a round */
#define CHUNK		64ul		/* a multiple of BENCH_BATCH */
#define LIMIT_NS	40000000ul	/* … or as many as fit in this */
#define PRODUCERS	4
#define CONTESTANTS	5

struct contest {
	const char *label;
	const struct contestant *contestants[CONTESTANTS];
};

/* Ours is the first. */
static const struct contest contests[] = {
	{ "", { &contest_ring,
#ifdef BENCH_CK
		&contest_ck,
#endif
#ifdef BENCH_DPDK
		&contest_rte_mt, &contest_rte_rts, &contest_rte_hts,
#endif
	} },
	{ "batch_", { &contest_ring_batch,
#ifdef BENCH_CK
		&contest_ck,
#endif
#ifdef BENCH_DPDK
		&contest_rte_mt_bulk, &contest_rte_rts_bulk,
		&contest_rte_hts_bulk,
#endif
	} },
};

struct worker {
	pthread_t thread;
	const struct contestant *contestant;
	void *queue;
	pthread_barrier_t *start;
	uint32_t index;
	unsigned long n, done;
	uint64_t began, ended;
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	bench_pin(worker->index);
	pthread_barrier_wait(worker->start);
	worker->began = bench_now();
	do {
		worker->contestant->work(worker->queue, worker->index, CHUNK);
		worker->done += CHUNK;
		worker->ended = bench_now();
	} while (worker->done < worker->n &&
		 worker->ended - worker->began < LIMIT_NS);
	return NULL;
}

/* ns an element, from the first start to the last end; 0: some were lost. */
static double run(const struct contestant *contestant,
		  unsigned int producers)
{
	struct worker workers[PRODUCERS];
	pthread_barrier_t start;
	uint64_t began = UINT64_MAX, ended = 0, before, count, done = 0;
	void *queue = contestant->open();

	if (!queue)
		return 0;
	before = contestant->count(queue);
	pthread_barrier_init(&start, NULL, producers);
	for (unsigned int i = 0; i < producers; i++) {
		workers[i] = (struct worker){
			.contestant = contestant,
			.queue = queue,
			.start = &start,
			.index = i,
			.n = ELEMENTS / producers,
		};
		if (pthread_create(&workers[i].thread, NULL, work,
				   &workers[i]))
			exit(1);
	}
	for (unsigned int i = 0; i < producers; i++) {
		pthread_join(workers[i].thread, NULL);
		began = workers[i].began < began ? workers[i].began : began;
		ended = workers[i].ended > ended ? workers[i].ended : ended;
		done += workers[i].done;
	}
	pthread_barrier_destroy(&start);
	count = contestant->count(queue) - before;
	contestant->close(queue);
	if (count != done) {
		fprintf(stderr, "%s: %llu of %llu elements arrived\n",
			contestant->name, (unsigned long long)count,
			(unsigned long long)done);
		return 0;
	}
	return (double)(ended - began) / done;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What the rounds of one contestant come to. */
struct result {
	double took[ROUNDS];		/* ns an element; infinite: lost */
	double best, median, ratio;	/* ratio: to ours, round by round */
};

static double median(const double *values)
{
	double sorted[ROUNDS];

	memcpy(sorted, values, sizeof(sorted));
	qsort(sorted, ROUNDS, sizeof(*sorted), compare);
	return sorted[ROUNDS / 2];
}

static void evaluate(struct result *result, const struct result *ours)
{
	double ratios[ROUNDS];

	result->best = INFINITY;
	for (int i = 0; i < ROUNDS; i++) {
		if (result->took[i] < result->best)
			result->best = result->took[i];
		ratios[i] = result->took[i] / ours->took[i];
	}
	result->median = median(result->took);
	result->ratio = median(ratios);
}

static void contest(const struct contest *contest, const char *label,
		    unsigned int producers)
{
	static struct result results[CONTESTANTS];
	const struct contestant *const *contestant = contest->contestants;
	unsigned int peer = 0;
	char name[64];

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < CONTESTANTS && contestant[i]; i++) {
			double took = run(contestant[i], producers);

			results[i].took[round] = took > 0 ? took : INFINITY;
		}
	}
	for (int i = 0; i < CONTESTANTS && contestant[i]; i++) {
		evaluate(&results[i], &results[0]);
		printf("# %s%u: %-12s best %5.1f, median %5.1f ns, "
		       "ratio %.3f\n", contest->label, producers,
		       contestant[i]->name, results[i].best,
		       results[i].median, results[i].ratio);
		if (i && (!peer || results[i].median < results[peer].median))
			peer = i;
	}
	snprintf(name, sizeof(name), "submit_%s%s_%u", contest->label, label,
		 producers);
	if (peer)
		bench_print_ratio(name, results[0].best, "ns",
				  contestant[peer]->name, results[peer].best,
				  results[peer].ratio);
}

int main(int argc, char **argv)
{
	const char *label = argc > 1 ? argv[1] : "ring";

	if (!contests[0].contestants[1]) {
		puts("# submit: no peer here; make doctor names libdpdk-dev "
		     "and libck-dev");
		return 0;
	}
	for (int i = 0; i < 2; i++) {
		contest(&contests[i], label, 1);
		contest(&contests[i], label, 2);
		contest(&contests[i], label, 4);
	}
	return 0;
}
