/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * DPDK's rte_ring in the contest: 64-byte elements, one at a time or in bulk,
 * in each of its ways to have several producers.  Its consumer, like the
 * ring's null Host, costs nothing: whoever finds the ring full declares all of
 * it consumed by moving the consumer's head and tail, which is what a dequeue
 * comes to when nobody looks at the elements.
 */
#include <stdlib.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "bench.h"

#define ELEMENT		(BENCH_WORDS * sizeof(uint32_t))

static void *rte_open(unsigned int flags)
{
	ssize_t size = rte_ring_get_memsize_elem(ELEMENT, BENCH_ELEMENTS);
	struct rte_ring *ring;

	if (size < 0)
		return NULL;
	ring = aligned_alloc(64, (size + 63) / 64 * 64);
	if (!ring)
		return NULL;
	if (rte_ring_init(ring, "bench", BENCH_ELEMENTS,
			  flags | RING_F_SC_DEQ)) {
		free(ring);
		return NULL;
	}
	return ring;
}

static void *mt_open(void)
{
	return rte_open(0);
}

static void *rts_open(void)
{
	return rte_open(RING_F_MP_RTS_ENQ);
}

static void *hts_open(void)
{
	return rte_open(RING_F_MP_HTS_ENQ);
}

/* The producer's tail lies at the same place in all modes. */
static void rte_consume(struct rte_ring *ring)
{
	uint32_t tail = __atomic_load_n(&ring->prod.tail, __ATOMIC_ACQUIRE);

	__atomic_store_n(&ring->cons.head, tail, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->cons.tail, tail, __ATOMIC_RELEASE);
}

static void rte_work(void *arg, uint32_t producer, unsigned long n)
{
	struct rte_ring *ring = arg;
	uint32_t words[BENCH_WORDS] = { 0x200f8040 };

	for (unsigned long i = 1; i <= n; i++) {
		bench_fill(words, producer, i);
		while (rte_ring_enqueue_elem(ring, words, ELEMENT))
			rte_consume(ring);
	}
}

static void rte_work_bulk(void *arg, uint32_t producer, unsigned long n)
{
	struct rte_ring *ring = arg;
	uint32_t words[BENCH_BATCH][BENCH_WORDS] = { 0 };

	for (unsigned int i = 0; i < BENCH_BATCH; i++)
		words[i][0] = 0x200f8040;
	for (unsigned long done = 0; done < n; done += BENCH_BATCH) {
		for (unsigned int i = 0; i < BENCH_BATCH; i++)
			bench_fill(words[i], producer, done + i);
		while (!rte_ring_enqueue_bulk_elem(ring, words, ELEMENT,
						   BENCH_BATCH, NULL))
			rte_consume(ring);
	}
}

static uint64_t rte_count(void *arg)
{
	struct rte_ring *ring = arg;

	return ring->prod.tail;
}

const struct contestant contest_rte_mt = {
	"rte_ring/mt", mt_open, rte_work, rte_count, free,
};
const struct contestant contest_rte_rts = {
	"rte_ring/rts", rts_open, rte_work, rte_count, free,
};
const struct contestant contest_rte_hts = {
	"rte_ring/hts", hts_open, rte_work, rte_count, free,
};
const struct contestant contest_rte_mt_bulk = {
	"rte_ring/mt", mt_open, rte_work_bulk, rte_count, free,
};
const struct contestant contest_rte_rts_bulk = {
	"rte_ring/rts", rts_open, rte_work_bulk, rte_count, free,
};
const struct contestant contest_rte_hts_bulk = {
	"rte_ring/hts", hts_open, rte_work_bulk, rte_count, free,
};
