/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A channel with its ring, and the memory of both: what a program sets up
 * first.  Given code, of no lab.
 *
 *   queue_alloc()	memory, at its addresses
 *   queue_start()	the channel, the ring
 *   queue_stop()	the ring is gone; the channel is still there for what
 *			refers to it, such as a timeline
 *   queue_free()	the channel, the memory
 *
 * One thread sets up and takes down; the ring is ring.h's.  All may sleep.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include "ring.h"

/* What a queue is made from: see chan_config and ring_config. */
struct queue_config {
	u32 id;			/* of the channel, or CHAN_ANY		*/
	u32 gp_entries;
	u32 pb_words;
	u32 gp_first;
	bool crc;
	enum mem_kind gp_kind, pb_kind;
	struct vas *vas;	/* NULL, or where gp and pb were mapped, at
				 * their addresses, before queue_start()  */
	bool privileged;
};

/* All zero: nothing is there, and queue_free() does nothing. */
struct queue {
	struct gpu *gpu;
	struct gpu_mem gp, pb;
	struct chan *chan;
	struct ring *ring;
};

/* 0, or what gpu_mem_alloc() says; then nothing is left. */
int queue_alloc(struct gpu *gpu, const struct queue_config *config,
		struct queue *queue);
/* The same config.  0, or what chan_create() or ring_create() says; then
 * there is the memory, as before. */
int queue_start(struct queue *queue, const struct queue_config *config);
/* What ring_destroy() says; there is no ring in every case. */
int queue_stop(struct queue *queue, u64 timeout_ns);
void queue_free(struct queue *queue);

/* Alloc and start: nothing is left after an error. */
int queue_open(struct gpu *gpu, const struct queue_config *config,
	       struct queue *queue);
/* Stop and free.  What ring_destroy() says. */
int queue_close(struct queue *queue, u64 timeout_ns);

#endif
