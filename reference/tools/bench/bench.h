/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the parts of `make bench` share.
 *
 * A part is a program, bench-NAME.  It prints one figure a line,
 *
 *   name value unit peer peer_value ratio
 *
 * where the ratio is above 1 when we are ahead of the peer, whichever way the
 * unit runs.  The peer "aim" is a number that we set ourselves.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

/* The host's monotonic clock, ns. */
uint64_t bench_now(void);
/* Processor time of this process and of children waited for, ns. */
uint64_t bench_cpu(void);
/* Keep the calling thread on one processor, the i-th that it may use. */
void bench_pin(unsigned int i);

enum bench_better { BENCH_LESS, BENCH_MORE };

void bench_print(const char *name, double value, const char *unit,
		 const char *peer, double peer_value,
		 enum bench_better better);
/* … with a ratio that is not just the quotient of the two. */
void bench_print_ratio(const char *name, double value, const char *unit,
		       const char *peer, double peer_value, double ratio);

/* A queue of 64-byte elements, for many producers. */
#define BENCH_WORDS	16u
#define BENCH_ELEMENTS	1024u
#define BENCH_BATCH	32u

struct contestant {
	const char *name;
	void *(*open)(void);	/* NULL: not possible here		*/
	/* Enqueue n elements; several threads at once. */
	void (*work)(void *queue, uint32_t producer, unsigned long n);
	/* How many are in, or came in, of all that were enqueued. */
	uint64_t (*count)(void *queue);
	void (*close)(void *queue);
};

/* One element a call … */
extern const struct contestant contest_ring, contest_ck;
extern const struct contestant contest_rte_mt, contest_rte_rts,
	contest_rte_hts;
/* … and BENCH_BATCH of them, where there is such a call. */
extern const struct contestant contest_ring_batch;
extern const struct contestant contest_rte_mt_bulk, contest_rte_rts_bulk,
	contest_rte_hts_bulk;

/* An element: something that differs from the one before. */
static inline void bench_fill(uint32_t *words, uint32_t producer,
			      unsigned long i)
{
	words[1] = producer << 24 | (i & 0xffffff);
}

#endif
