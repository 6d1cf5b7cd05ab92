/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A channel with its ring, set up in steps of which each can fail. */
#include "queue.h"

int queue_alloc(struct gpu *gpu, const struct queue_config *config,
		struct queue *queue)
{
	int err;

	memset(queue, 0, sizeof(*queue));
	err = gpu_mem_alloc(gpu, config->gp_entries * 8ull, config->gp_kind,
			    &queue->gp);
	if (err)
		return err;
	err = gpu_mem_alloc(gpu, config->pb_words * 4ull, config->pb_kind,
			    &queue->pb);
	if (err) {
		gpu_mem_free(gpu, &queue->gp);
		return err;
	}
	queue->gpu = gpu;
	return 0;
}

int queue_start(struct queue *queue, const struct queue_config *config)
{
	struct chan_config chan = {
		.id = config->id, .gp_va = queue->gp.va,
		.gp_entries = config->gp_entries, .vas = config->vas,
		.privileged = config->privileged,
	};
	struct ring_config ring = {
		.gpu = queue->gpu, .gp = &queue->gp,
		.gp_entries = config->gp_entries, .pb = &queue->pb,
		.pb_words = config->pb_words, .gp_first = config->gp_first,
		.crc = config->crc,
	};
	int err;

	err = chan_create(queue->gpu, &chan, &queue->chan);
	if (err)
		return err;
	ring.chan = queue->chan;
	err = ring_create(&ring, &queue->ring);
	if (err) {
		chan_destroy(queue->chan);
		queue->chan = NULL;
	}
	return err;
}

int queue_stop(struct queue *queue, u64 timeout_ns)
{
	struct ring *ring = queue->ring;

	queue->ring = NULL;
	return ring ? ring_destroy(ring, timeout_ns) : 0;
}

void queue_free(struct queue *queue)
{
	if (!queue->gpu)
		return;
	if (queue->chan)
		chan_destroy(queue->chan);
	gpu_mem_free(queue->gpu, &queue->pb);
	gpu_mem_free(queue->gpu, &queue->gp);
	memset(queue, 0, sizeof(*queue));
}

int queue_open(struct gpu *gpu, const struct queue_config *config,
	       struct queue *queue)
{
	int err = queue_alloc(gpu, config, queue);

	if (err)
		return err;
	err = queue_start(queue, config);
	if (err)
		queue_free(queue);
	return err;
}

int queue_close(struct queue *queue, u64 timeout_ns)
{
	int err = queue_stop(queue, timeout_ns);

	queue_free(queue);
	return err;
}
