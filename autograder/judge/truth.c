/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Answers, held against what the card knows.
 *
 * A driver's word is never taken for anything.  "No room" must agree with the
 * ring that the card sees, "idle" with what the card has executed, a time-out
 * with virtual time.  The tolerances below leave room for every sane design:
 * padding entries, a fence after each segment, a last segment that counts as
 * in use until the next one begins, a poll that looks every few microseconds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "autograder/judge/session.h"

/* GP entries of a segment, at most: one more than is needed. */
#define ENTRIES(ring)	((ring)->shape.crc ? 3u : 2u)
#define SLACK_ENTRIES	2u
#define SLACK_WORDS	64u
#define SLACK_TIME	(100 * US)
/* How long after Host came to rest a driver may still think it busy. */
#define SLACK_IDLE	(20 * US)

static void untrue(struct scenario *s, const char *section, const char *text,
		   const char *expected, const char *actual)
{
	session_fail(s, "ANSWER", section, text, expected, "%s", actual);
}

static bool is_submit(const struct session_op *op)
{
	return op->op.call == CALL_ring_submit ||
		op->op.call == CALL_ring_submit_batch;
}

/* Which errors a call may give at all. */
static bool allowed(const struct scenario *s, const struct session_op *op,
		    int64_t result)
{
	switch (result) {
	case -ENODEV:
		return s->unplugged;
	case -EAGAIN:
		return is_submit(op) && !op->timeout;
	case -ETIMEDOUT:
		return !is_submit(op) || op->timeout;
	case -ENOMEM:
		return s->failing;
	case -EINVAL:
	case -EBUSY:
	case -ENOSPC:
		return true;
	default:
		return result == 0 ||
			(result == 1 && op->op.call == CALL_ring_is_idle);
	}
}

/* By GP_PUT as it was written, which a frozen Host has not seen. */
static uint32_t free_entries(const struct session_ring *ring,
			     const struct record_channel *seen,
			     const struct card_channel_state *state)
{
	uint32_t n = ring->shape.entries;

	return n - 1 - (seen->put_written + n - state->gp_get) % n;
}

/*
 * Entries that GP_PUT says nothing of: those that are held back, and those
 * that a paused ring keeps.
 */
static uint32_t entries_kept(const struct session_ring *ring)
{
	uint32_t kept = 0;
	unsigned int t;
	size_t i;

	for (t = 0; t < SCENARIO_THREADS; t++) {
		const struct expected_queue *queue = &ring->queue[t];

		for (i = queue->head; i < queue->count; i++)
			kept += ring->paused || !queue->list[i].offered;
	}
	return kept * ENTRIES(ring);
}

/*
 * Words of all segments that Host has not consumed for certain, and those
 * that one of them may have skipped at the end of the push buffer.
 */
static uint64_t words_in_use(const struct session_ring *ring)
{
	uint64_t words = 0, last = 0, skipped = 0;
	unsigned int t;
	size_t i;

	for (t = 0; t < SCENARIO_THREADS; t++) {
		const struct expected_queue *queue = &ring->queue[t];

		for (i = queue->head; i < queue->count; i++) {
			uint32_t more = queue->list[i].segment->words;

			words += more;
			skipped = more > skipped ? more : skipped;
		}
		if ((int)t == ring->last && queue->head)
			last = queue->list[queue->head - 1].segment->words;
	}
	return words + last + skipped;
}

/* What Host frees while a call runs, the call need not see. */
void session_remember(struct scenario *s, struct session_ring *ring)
{
	const struct record_channel *seen =
		record_channel(&s->record, ring->channel);
	struct card_channel_state state;
	uint32_t kept = entries_kept(ring);

	if (!seen || !card_channel(s->card, ring->channel, &state))
		return;
	ring->free_then = free_entries(ring, seen, &state);
	ring->free_then -= kept < ring->free_then ? kept : ring->free_then;
	ring->used_then = words_in_use(ring);
}

bool session_had_room(const struct scenario *s, const struct session_op *op)
{
	const struct session_ring *ring = &s->ring[op->op.handle];
	uint32_t entries = op->segments * ENTRIES(ring) + SLACK_ENTRIES;
	uint64_t words = SLACK_WORDS;
	unsigned int i;

	for (i = 0; i < op->segments; i++)
		words += 2 * op->segment[i]->words;
	return ring->free_then >= entries &&
		ring->used_then + words <= ring->shape.words;
}

static void check_full(struct scenario *s, const struct session_op *op)
{
	const struct session_ring *ring = &s->ring[op->op.handle];
	char text[200];

	if (!session_had_room(s, op))
		return;
	snprintf(text, sizeof(text), "no room for %u segment(s), with %u of "
		 "%u GP entries and %" PRIu64 " of %u push-buffer words in use",
		 op->segments, ring->shape.entries - 1 - ring->free_then,
		 ring->shape.entries, ring->used_then, ring->shape.words);
	untrue(s, "§8.3", "a ring is full only when it is",
	       "success: there is room", text);
}

static void check_time(struct scenario *s, const struct session_op *op,
		       int64_t result)
{
	uint64_t took = op->ended - op->began;
	uint64_t most = op->timeout + op->timeout / 4 + SLACK_TIME;
	bool no_use = op->op.call == CALL_ring_destroy &&
		s->ring[op->op.handle].paused;
	char expected[64], actual[64];

	if (result == -ETIMEDOUT && took < op->timeout && !no_use) {
		snprintf(expected, sizeof(expected), "%" PRIu64 " ns of "
			 "waiting", op->timeout);
		snprintf(actual, sizeof(actual), "-ETIMEDOUT after %" PRIu64
			 " ns", took);
		untrue(s, "§4.6", "a time-out is waited for", expected,
		       actual);
	}
	/* Taking a channel off the card has waits of its own [§8.6]. */
	if (op->op.call == CALL_ring_destroy || !op->timeout)
		return;
	if (took > most) {
		snprintf(expected, sizeof(expected), "a return after %" PRIu64
			 " ns", op->timeout);
		snprintf(actual, sizeof(actual), "%lld after %" PRIu64 " ns",
			 (long long)result, took);
		untrue(s, "§4.6", "a time-out is kept", expected, actual);
	}
}

static void check_idle(struct scenario *s, const struct session_op *op,
		       bool idle)
{
	struct session_ring *ring = &s->ring[op->op.handle];
	const struct record_channel *seen =
		record_channel(&s->record, ring->channel);
	size_t left = session_outstanding(ring);
	bool at_work = seen && seen->begun != seen->ended;
	char actual[96];

	if (ring->paused)
		return;
	if (idle && (left || at_work)) {
		snprintf(actual, sizeof(actual), "idle, with %zu segments "
			 "offered and not executed, Host %s an entry", left,
			 at_work ? "in" : "not in");
		untrue(s, "§8.3", "a ring is idle only when it is",
		       "busy", actual);
	}
	if (!idle && !left && !at_work && !s->frozen && seen &&
	    seen->last_end + SLACK_IDLE < op->began)
		untrue(s, "§8.3", "a ring that has nothing to do is idle",
		       "idle: Host has consumed everything", "busy");
}

static void truth_of_waits(struct scenario *s, struct session_op *op,
			   int64_t result)
{
	switch (op->op.call) {
	case CALL_ring_submit:
	case CALL_ring_submit_batch:
		if (result == -EAGAIN || result == -ETIMEDOUT)
			check_full(s, op);
		check_time(s, op, result);
		break;
	case CALL_ring_is_idle:
		if (result >= 0)
			check_idle(s, op, result);
		break;
	case CALL_ring_wait_idle:
		if (result == 0 || result == -ETIMEDOUT)
			check_idle(s, op, result == 0);
		check_time(s, op, result);
		break;
	case CALL_ring_destroy:
		check_time(s, op, result);
		break;
	default:
		break;
	}
}

/* Calls that only compute, or belong to the agent, may return anything. */
static bool about_rings(const struct session_op *op)
{
	return op->op.call >= CALL_ring_create &&
		op->op.call <= CALL_ring_resume;
}

void session_truth(struct scenario *s, struct session_op *op, int64_t result)
{
	char actual[256], value[64], text[CALL_TEXT];

	if (!about_rings(op))
		return;
	if (!allowed(s, op, result)) {
		snprintf(actual, sizeof(actual), "%s = %s%s",
			 session_call_text(s, op, text, sizeof(text)),
			 session_number(result, value, sizeof(value)),
			 result == -ENODEV ? ", with the card there" : "");
		untrue(s, "§4.6", "a call returns what its contract says",
		       "0 or an error that fits", actual);
	}
	if (s->threads == 1 && !s->unplugged)
		truth_of_waits(s, op, result);
}
