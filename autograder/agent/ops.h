/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Between the operations of the labs: what one is called with, and the
 * tables in which calls.c finds it.
 */
#ifndef AGENT_OPS_H
#define AGENT_OPS_H

#include <errno.h>
#include <string.h>

#include "agent.h"
#include "gpu.h"
#include "push.h"
#include "ring.h"
#include "vas.h"

/* A ring, its channel and its memory. */
struct slot {
	struct ring *ring;
	struct chan *chan;
	struct gpu_mem gp, pb;
	/* Lab 02: where they are mapped instead, or NULL; and where they
	 * were before. */
	struct vas *vas;
	u64 gp_va, pb_va;
};

/* What one operation is about. */
struct call {
	const struct batch *batch;
	const struct wire_op *op;
	unsigned int index, repetition;
	struct slot *slot;
};

/* The card; NULL: not open. */
extern struct gpu *agent_gpu;

/* A row of a lab's table, in which calls of other labs are empty. */
struct agent_operation {
	int64_t (*run)(const struct call *call);
	bool on_ring;	/* there must be one in the slot */
};
extern const struct agent_operation agent_ring_calls[WIRE_CALLS];
extern const struct agent_operation agent_vas_calls[WIRE_CALLS];
extern const struct agent_operation agent_ctx_calls[WIRE_CALLS];
extern const struct agent_operation agent_fence_calls[WIRE_CALLS];

static inline void output(const struct call *call, u64 word)
{
	rt_post(WIRE_OUTPUT, 0, call->index, 8, word);
}

/* Data words of the operation, from the payload; bounded by it. */
struct reader {
	const u32 *word;
	u32 left;
};

static inline struct reader reader_of(const struct call *call)
{
	const struct wire_op *op = call->op;
	u32 len = call->batch->len;

	if (op->data > len || op->data_len > len - op->data || op->data % 4)
		return (struct reader){ NULL, 0 };
	return (struct reader){
		(const u32 *)(call->batch->payload + op->data),
		op->data_len / 4
	};
}

static inline u32 read_word(struct reader *reader)
{
	if (!reader->left)
		return 0;
	reader->left--;
	return *reader->word++;
}

/* ops_vas.c: the space of this number, or NULL. */
struct vas *agent_space(u64 n);

/*
 * ops.c: make the slot's channel and ring.  With a space they lie there, at
 * va; channels are privileged if asked.
 */
int64_t agent_ring_make(const struct call *call, struct vas *vas, u64 va,
			bool privileged);

#endif
