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

/* A queue of 64-byte elements, for many producers. */
#define BENCH_WORDS	16u
#define BENCH_ELEMENTS	1024u

struct contestant {
	const char *name;
	void *(*open)(void);	/* NULL: not possible here		*/
	/* Enqueue n elements; several threads at once. */
	void (*work)(void *queue, uint32_t producer, unsigned long n);
	/* How many are in, or came in, of all that were enqueued. */
	uint64_t (*count)(void *queue);
	void (*close)(void *queue);
};

extern const struct contestant contest_ring;
extern const struct contestant contest_rte_mt, contest_rte_rts,
	contest_rte_hts;
extern const struct contestant contest_ck;

/* An element: something that differs from the one before. */
static inline void bench_fill(uint32_t *words, uint32_t producer,
			      unsigned long i)
{
	words[1] = producer << 24 | (i & 0xffffff);
}

#endif
