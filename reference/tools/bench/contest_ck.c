/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Concurrency Kit's ck_ring in the contest: 64-byte elements, many producers.
 * Its consumer costs nothing, as contest_dpdk.c says.
 */
#include <stdlib.h>
#include <string.h>

#include <ck_ring.h>

#include "bench.h"

struct message {
	uint32_t words[BENCH_WORDS];
};

CK_RING_PROTOTYPE(message, message)

struct queue {
	struct ck_ring ring;
	struct message buffer[BENCH_ELEMENTS] __attribute__((aligned(64)));
};

static void *ck_open(void)
{
	struct queue *queue = aligned_alloc(64, sizeof(*queue));

	if (queue) {
		memset(queue, 0, sizeof(*queue));
		ck_ring_init(&queue->ring, BENCH_ELEMENTS);
	}
	return queue;
}

static void ck_work(void *arg, uint32_t producer, unsigned long n)
{
	struct queue *queue = arg;
	struct message message = { { 0x200f8040 } };

	for (unsigned long i = 1; i <= n; i++) {
		bench_fill(message.words, producer, i);
		while (!ck_ring_enqueue_mpsc_message(&queue->ring,
						     queue->buffer, &message))
			ck_pr_store_uint(&queue->ring.c_head,
				ck_pr_load_uint(&queue->ring.p_tail));
	}
}

static uint64_t ck_count(void *arg)
{
	struct queue *queue = arg;

	return queue->ring.p_tail;
}

const struct contestant contest_ck = {
	"ck_ring", ck_open, ck_work, ck_count, free,
};
