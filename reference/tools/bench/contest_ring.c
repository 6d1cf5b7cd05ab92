/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The ring in the contest: each element is a push-buffer segment of 64 bytes
 * (a method header and 15 words) and its GP entry; a producer offers its
 * entries once in BENCH_BATCH submissions, or submits that many as one batch.
 */
#include <stdlib.h>

#include "bench.h"
#include "null_host.h"
#include "ring.h"

struct queue {
	struct gpu *gpu;
	struct chan *chan;
	struct gpu_mem gp, pb;
	struct ring *ring;
};

static int queue_start(struct queue *queue)
{
	struct ring_config config = {
		.gp_entries = BENCH_ELEMENTS,
		.pb_words = BENCH_ELEMENTS * BENCH_WORDS,
	};
	struct chan_config chan = { .id = CHAN_ANY };
	int err;

	err = null_gpu_open(&queue->gpu);
	if (err)
		return err;
	err = gpu_mem_alloc(queue->gpu, config.gp_entries * 8, MEM_COHERENT,
			    &queue->gp);
	if (!err)
		err = gpu_mem_alloc(queue->gpu, config.pb_words * 4,
				    MEM_COHERENT, &queue->pb);
	if (err)
		return err;
	null_gpu_entries(queue->gpu, &queue->gp);
	chan.gp_va = queue->gp.va;
	chan.gp_entries = config.gp_entries;
	err = chan_create(queue->gpu, &chan, &queue->chan);
	if (err)
		return err;
	config.gpu = queue->gpu;
	config.chan = queue->chan;
	config.gp = &queue->gp;
	config.pb = &queue->pb;
	return ring_create(&config, &queue->ring);
}

static void *ring_open(void)
{
	struct queue *queue = calloc(1, sizeof(*queue));

	if (queue && queue_start(queue)) {
		free(queue);
		return NULL;
	}
	return queue;
}

static void ring_work(void *arg, uint32_t producer, unsigned long n)
{
	struct queue *queue = arg;
	u32 words[BENCH_WORDS] = { 0x200f8040 };
	struct push push = { words, BENCH_WORDS, BENCH_WORDS };

	for (unsigned long done = 0; done < n; done += BENCH_BATCH) {
		for (u32 i = 0; i < BENCH_BATCH; i++) {
			bench_fill(words, producer, done + i);
			if (ring_submit(queue->ring, &push, RING_DEFER,
					1000000000))
				return;
		}
		ring_kick(queue->ring);
	}
}

static void ring_work_batch(void *arg, uint32_t producer, unsigned long n)
{
	struct queue *queue = arg;
	u32 words[BENCH_BATCH][BENCH_WORDS] = { 0 };
	struct push push[BENCH_BATCH];

	for (u32 i = 0; i < BENCH_BATCH; i++) {
		words[i][0] = 0x200f8040;
		push[i] = (struct push){ words[i], BENCH_WORDS, BENCH_WORDS };
	}
	for (unsigned long done = 0; done < n; done += BENCH_BATCH) {
		for (u32 i = 0; i < BENCH_BATCH; i++)
			bench_fill(words[i], producer, done + i);
		if (ring_submit_batch(queue->ring, push, BENCH_BATCH, 0,
				      1000000000))
			break;
	}
}

static uint64_t ring_count(void *arg)
{
	struct queue *queue = arg;

	return null_gpu_offered(queue->gpu);
}

static void ring_close(void *arg)
{
	struct queue *queue = arg;

	ring_destroy(queue->ring, 0);
	chan_destroy(queue->chan);
	gpu_mem_free(queue->gpu, &queue->pb);
	gpu_mem_free(queue->gpu, &queue->gp);
	null_gpu_close(queue->gpu);
	free(queue);
}

const struct contestant contest_ring = {
	"ring", ring_open, ring_work, ring_count, ring_close,
};
const struct contestant contest_ring_batch = {
	"ring/batch", ring_open, ring_work_batch, ring_count, ring_close,
};
