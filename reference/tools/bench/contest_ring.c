/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The ring in the contest: each element is a push-buffer segment of 64 bytes
 * (a method header and 15 words) and its GP entry; a producer offers its
 * entries once in BENCH_BATCH submissions, or submits that many as one batch.
 */
#include <stdlib.h>

#include "bench.h"
#include "null_host.h"
#include "queue.h"

struct contest {
	struct gpu *gpu;
	struct queue queue;
};

static int contest_start(struct contest *contest)
{
	struct queue_config config = {
		.id = CHAN_ANY, .gp_entries = BENCH_ELEMENTS,
		.pb_words = BENCH_ELEMENTS * BENCH_WORDS,
	};
	int err;

	err = null_gpu_open(&contest->gpu);
	if (err)
		return err;
	err = queue_alloc(contest->gpu, &config, &contest->queue);
	if (err)
		return err;
	null_gpu_entries(contest->gpu, &contest->queue.gp);
	return queue_start(&contest->queue, &config);
}

static void *ring_open(void)
{
	struct contest *contest = calloc(1, sizeof(*contest));

	if (contest && contest_start(contest)) {
		free(contest);
		return NULL;
	}
	return contest;
}

static void ring_work(void *arg, uint32_t producer, unsigned long n)
{
	struct contest *contest = arg;
	u32 words[BENCH_WORDS] = { 0x200f8040 };
	struct push push = { words, BENCH_WORDS, BENCH_WORDS };

	for (unsigned long done = 0; done < n; done += BENCH_BATCH) {
		for (u32 i = 0; i < BENCH_BATCH; i++) {
			bench_fill(words, producer, done + i);
			if (ring_submit(contest->queue.ring, &push, RING_DEFER,
					1000000000))
				return;
		}
		ring_kick(contest->queue.ring);
	}
}

static void ring_work_batch(void *arg, uint32_t producer, unsigned long n)
{
	struct contest *contest = arg;
	u32 words[BENCH_BATCH][BENCH_WORDS] = { 0 };
	struct push push[BENCH_BATCH];

	for (u32 i = 0; i < BENCH_BATCH; i++) {
		words[i][0] = 0x200f8040;
		push[i] = (struct push){ words[i], BENCH_WORDS, BENCH_WORDS };
	}
	for (unsigned long done = 0; done < n; done += BENCH_BATCH) {
		for (u32 i = 0; i < BENCH_BATCH; i++)
			bench_fill(words[i], producer, done + i);
		if (ring_submit_batch(contest->queue.ring, push, BENCH_BATCH, 0,
				      1000000000))
			break;
	}
}

static uint64_t ring_count(void *arg)
{
	struct contest *contest = arg;

	return null_gpu_offered(contest->gpu);
}

static void ring_close(void *arg)
{
	struct contest *contest = arg;

	queue_close(&contest->queue, 0);
	null_gpu_close(contest->gpu);
	free(contest);
}

const struct contestant contest_ring = {
	"ring", ring_open, ring_work, ring_count, ring_close,
};
const struct contestant contest_ring_batch = {
	"ring/batch", ring_open, ring_work_batch, ring_count, ring_close,
};
