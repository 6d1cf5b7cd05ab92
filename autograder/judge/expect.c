/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What was submitted must be what was executed.
 *
 * Each successful submission joins the queue of its thread.  The methods that
 * the card executed on a channel are one stream.  A tagged NOP in it begins a
 * segment; it must be the next one of its thread's queue, and its methods
 * must follow one by one.  How threads interleave is free.  So are Host
 * methods of the driver's own (semaphores, WFI, references …) between
 * segments, how many GP entries it uses, and where it pads.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/session.h"

static const char text_executed[] =
	"what was submitted is executed once, whole and in its thread's order";

static bool push(struct expected_queue *queue, const struct expected *item)
{
	struct expected *grown;

	if (queue->count == queue->room) {
		queue->room = queue->room ? 2 * queue->room : 64;
		grown = realloc(queue->list, queue->room * sizeof(*grown));
		if (!grown)
			return false;
		queue->list = grown;
	}
	queue->list[queue->count++] = *item;
	return true;
}

/* A write of GP_PUT offers everything that comes before it. */
static void offer_all(struct session_ring *ring)
{
	unsigned int t;
	size_t i;

	for (t = 0; t < SCENARIO_THREADS; t++) {
		struct expected_queue *queue = &ring->queue[t];

		for (i = queue->count; i > queue->head; i--) {
			if (queue->list[i - 1].offered)
				break;
			queue->list[i - 1].offered = true;
		}
	}
}

/*
 * One that waits offers what was held back before it.  A time-out says that
 * it has waited; a success may say so, unless there was room for sure.
 */
void session_waited(struct scenario *s, const struct session_op *op,
		    int64_t result)
{
	struct session_ring *ring = &s->ring[op->op.handle];
	unsigned int t;
	size_t i;

	if (s->threads > 1 || !op->timeout)
		return;
	if (result == -ETIMEDOUT)
		offer_all(ring);
	if (result || session_had_room(s, op))
		return;
	for (t = 0; t < SCENARIO_THREADS; t++) {
		struct expected_queue *queue = &ring->queue[t];

		for (i = queue->head; i < queue->count; i++)
			queue->list[i].loose = true;
	}
}

void session_expect(struct scenario *s, struct session_op *op)
{
	struct session_ring *ring = &s->ring[op->op.handle];
	struct expected_queue *queue = &ring->queue[op->op.thread];
	struct expected item = {
		.repetition = op->results - 1,
		.tag = op->op.args[2] | (op->results - 1),
	};

	for (; item.position < op->segments; item.position++) {
		item.segment = op->segment[item.position];
		if (!push(queue, &item)) {
			session_error(s, "no memory for a queue");
			return;
		}
	}
	/* All but a submission that is held back itself. */
	if ((op->op.call != CALL_ring_submit &&
	     op->op.call != CALL_ring_submit_batch) ||
	    !(op->op.args[0] & RING_DEFER))
		offer_all(ring);
}

void session_forget(struct session_ring *ring)
{
	unsigned int t;

	for (t = 0; t < SCENARIO_THREADS; t++)
		free(ring->queue[t].list);
	memset(ring, 0, sizeof(*ring));
	ring->current = -1;
	ring->last = -1;
}

size_t session_outstanding(const struct session_ring *ring)
{
	size_t count = 0, i;
	unsigned int t;

	for (t = 0; t < SCENARIO_THREADS; t++) {
		const struct expected_queue *queue = &ring->queue[t];

		for (i = queue->head; i < queue->count; i++)
			count += queue->list[i].offered;
	}
	return count;
}

static void wrong(struct scenario *s, const char *expected,
		  const struct record_method *m, const char *why)
{
	session_fail(s, "ORDER", "§8.3", text_executed, expected,
		     "%s: channel %u, subchannel %u, method 0x%x, data 0x%08x,"
		     " at %" PRIu64 " ns", why, m->channel, m->subchannel,
		     m->method, m->data, m->time);
}

/* A tag that is not its thread's next: what has happened? */
static void wrong_segment(struct scenario *s, struct session_ring *ring,
			  const struct record_method *m)
{
	const struct expected_queue *queue =
		&ring->queue[TAG_THREAD(m->data) % SCENARIO_THREADS];
	const char *why = "a segment whose submission did not succeed";
	char expected[96] = "nothing more of this thread";
	size_t i;

	if (queue->head < queue->count)
		snprintf(expected, sizeof(expected),
			 "the segment tagged 0x%08x next",
			 queue->list[queue->head].tag);
	for (i = 0; i < queue->count; i++) {
		if (queue->list[i].tag == m->data)
			why = i < queue->head ?
				"a segment is executed twice" :
				"a segment overtakes another";
	}
	wrong(s, expected, m, why);
}

static bool begins(const struct record_method *m)
{
	return m->method == METHOD_NOP && TAG_IS(m->data);
}

static void begin(struct scenario *s, struct session_ring *ring,
		  const struct record_method *m)
{
	unsigned int thread = TAG_THREAD(m->data) % SCENARIO_THREADS;
	struct expected_queue *queue = &ring->queue[thread];
	const struct expected *item = &queue->list[queue->head];

	if (queue->head == queue->count || item->tag != m->data) {
		wrong_segment(s, ring, m);
		return;
	}
	if (item->position && ring->last != (int)thread)
		wrong(s, "the segments of a batch, adjacent", m,
		      "another segment came between");
	if (!item->offered && !item->loose && s->threads == 1)
		wrong(s, "nothing before ring_kick()", m,
		      "a segment that RING_DEFER held back");
	ring->current = thread;
	ring->at = 0;
}

static void next(struct scenario *s, struct session_ring *ring,
		 const struct record_method *m)
{
	struct expected_queue *queue = &ring->queue[ring->current];
	const struct expected *item = &queue->list[queue->head];
	const struct segment_method *want = &item->segment->method[ring->at];
	uint32_t data = want->data == WIRE_TAG ? item->tag : want->data;
	char expected[128];

	if (m->method != want->method || m->data != data ||
	    m->subchannel != want->subchannel) {
		snprintf(expected, sizeof(expected), "subchannel %u, method "
			 "0x%x, data 0x%08x: number %zu of segment 0x%08x",
			 want->subchannel, want->method, data, ring->at + 1,
			 item->tag);
		wrong(s, expected, m, "a segment is not what was submitted");
		return;
	}
	if (++ring->at < item->segment->methods)
		return;
	ring->last = ring->current;
	ring->current = -1;
	ring->executed++;
	queue->head++;
}

/* Between segments a driver may have business of its own. */
static bool drivers_own(const struct record_method *m)
{
	return m->method < 0x100 && !FILLER_IS(m->data);
}

void session_match(struct scenario *s, struct session_ring *ring)
{
	const struct record_method *m;

	if (s->unplugged)
		return;
	for (; ring->matched < s->record.methods && !s->failed;
	     ring->matched++) {
		m = &s->record.method[ring->matched];
		if (m->channel != ring->channel)
			continue;
		if (ring->current < 0 && begins(m))
			begin(s, ring, m);
		if (s->failed)
			return;
		if (ring->current >= 0)
			next(s, ring, m);
		else if (!drivers_own(m))
			wrong(s, "methods of segments that were submitted", m,
			      "a stray method");
	}
}
