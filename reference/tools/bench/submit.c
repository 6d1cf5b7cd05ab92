/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Submitting 64 bytes: our ring against rte_ring and ck_ring.
 *
 * All contestants run in turn, round after round, so that whatever else the
 * machine does meets each of them; what counts is each one's best round.  A
 * contestant that lost an element is disqualified.
 *
 * With more producers than processors, a queue whose producers wait for each
 * other in turn (rte_ring's MT mode, ck_ring) stands still whenever the one
 * whose turn it is has lost its processor; such a round ends at its limit.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define ROUNDS		9
#define ELEMENTS	200000ul	/* of all producers, a round */
#define CHUNK		64ul
#define LIMIT_NS	40000000ul	/* … or as many as fit in this */
#define PRODUCERS	4

static const struct contestant *const contestants[] = {
	&contest_ring,
#ifdef BENCH_DPDK
	&contest_rte_mt, &contest_rte_rts, &contest_rte_hts,
#endif
#ifdef BENCH_CK
	&contest_ck,
#endif
};
#define CONTESTANTS (sizeof(contestants) / sizeof(contestants[0]))

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

static void contest(unsigned int producers, const char *label)
{
	double best[CONTESTANTS];
	unsigned int peer = 0;
	char name[64];

	for (unsigned int i = 0; i < CONTESTANTS; i++)
		best[i] = INFINITY;
	for (int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < CONTESTANTS; i++) {
			double took = run(contestants[i], producers);

			if (took > 0 && took < best[i])
				best[i] = took;
		}
	}
	for (unsigned int i = 1; i < CONTESTANTS; i++) {
		fprintf(stderr, "# %u producers: %-13s %6.1f ns\n", producers,
			contestants[i]->name, best[i]);
		if (!peer || best[i] < best[peer])
			peer = i;
	}
	snprintf(name, sizeof(name), "submit_%s_%u", label, producers);
	if (peer)
		bench_print(name, best[0], "ns",
			    contestants[peer]->name, best[peer],
			    BENCH_LESS);
}

int main(int argc, char **argv)
{
	const char *label;

	if (CONTESTANTS == 1) {
		puts("# submit: no peer here; make doctor names libdpdk-dev "
		     "and libck-dev");
		return 0;
	}
	label = argc > 1 ? argv[1] : "ring";
	contest(1, label);
	contest(2, label);
	contest(4, label);
	return 0;
}
