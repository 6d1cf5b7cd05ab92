/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Batches of operations: told to the agent, run by it, their results taken.
 *
 * The agent waits in WIRE_NEXT between batches; meanwhile the turn is the
 * judge's, and a test may let time pass or pull the card out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "autograder/judge/session.h"

/*
 * A call that accesses memory so often does not end.  The second is for a
 * great many calls at once, each of which just ends: it is spent before a
 * machine that is slow would run out of time instead.
 */
#define CALL_BUDGET	20000000ull
#define STEP_BUDGET	(20 * CALL_BUDGET)
/* Beyond its time-outs no batch takes longer than this, in virtual ns. */
#define BATCH_LIMIT	(1000 * MS)
#define PCT_DEPTH	3

struct session_op *batch_add(struct scenario *s, const struct wire_op *op)
{
	struct session_op *new;

	if (s->ran)
		s->ops = 0;
	s->ran = false;
	if (s->ops == SESSION_OPS || op->thread >= SCENARIO_THREADS ||
	    op->handle >= SESSION_RINGS || op->repeat > TAG_REPEATS) {
		session_error(s, "the test asks for too much");
		session_check(s);
	}
	new = &s->op[s->ops++];
	memset(new, 0, sizeof(*new));
	new->op = *op;
	if (!new->op.repeat)
		new->op.repeat = 1;
	return new;
}

static size_t put_words(uint8_t *payload, size_t at, const void *words,
			size_t count)
{
	if (at + 4 * count <= WIRE_PAYLOAD)
		memcpy(payload + at, words, 4 * count);
	return at + 4 * count;
}

/* The segments of an operation go behind the operations. */
static size_t put_segments(struct session_op *op, uint8_t *payload, size_t at)
{
	unsigned int i;

	if (!op->segments)
		return at;
	op->op.data = at;
	for (i = 0; i < op->segments; i++) {
		const struct segment *segment = op->segment[i];

		at = put_words(payload, at, &segment->groups, 1);
		at = put_words(payload, at, segment->wire, segment->wires);
	}
	op->op.data_len = at - op->op.data;
	return at;
}

static void write_payload(struct scenario *s, unsigned int schedule)
{
	struct wire *wire = s->link.wire;
	struct wire_ops *ops = (struct wire_ops *)wire->payload;
	size_t at = sizeof(*ops) + s->ops * sizeof(struct wire_op);
	unsigned int i;

	*ops = (struct wire_ops){
		.count = s->ops,
		.threads = s->threads,
		.schedule = schedule,
		.pct_depth = s->options->schedule == JUDGE_PCT ?
			s->options->pct_depth : PCT_DEPTH,
		/* Handlers and threads meet otherwise in each batch. */
		.seed = s->options->seed ^ (s->handles ? s->batches << 32 : 0),
		.call_budget = CALL_BUDGET, .step_budget = STEP_BUDGET,
		.still_at = s->still_at, .still_ns = s->still_ns,
	};
	s->still_at = 0;
	for (i = 0; i < s->ops; i++) {
		struct session_op *op = &s->op[i];

		if (op->raw) {
			op->op.data = at;
			op->op.data_len = 4 * op->raw_words;
			at = put_words(wire->payload, at, op->raw,
				       op->raw_words);
		}
		at = put_segments(op, wire->payload, at);
		memcpy(wire->payload + sizeof(*ops) + i * sizeof(op->op),
		       &op->op, sizeof(op->op));
	}
	if (at > WIRE_PAYLOAD)
		session_error(s, "the test's data is too long");
	wire->reply = (struct wire_reply){
		.command = WIRE_DO_OPS,
		.payload = at,
	};
	session_stamp(s, &wire->reply);
}

static uint64_t timeouts(const struct scenario *s)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < s->ops; i++)
		sum += s->op[i].timeout * s->op[i].op.repeat;
	return sum;
}

/* Every operation answered as often as it was told to run. */
static void check_complete(struct scenario *s)
{
	unsigned int i;

	for (i = 0; i < s->ops && !s->failed; i++) {
		if (s->op[i].results < s->op[i].op.repeat)
			session_fail(s, "LINK", s->test->section,
				     "every call returns", "a result",
				     "none from call %u of thread %u", i,
				     s->op[i].op.thread);
	}
}

/* By seed: random finds missing locks in every run, PCT rare orders. */
static enum wire_schedule schedule_of(const struct scenario *s)
{
	/* An interrupt handler is as good as a thread. */
	if (s->threads == 1 && !s->handles)
		return WIRE_SCHED_NONE;
	switch (s->options->schedule) {
	case JUDGE_RANDOM:
		return WIRE_SCHED_RANDOM;
	case JUDGE_PCT:
		return WIRE_SCHED_PCT;
	case JUDGE_BY_SEED:
		break;
	}
	return s->options->seed % 4 ? WIRE_SCHED_RANDOM : WIRE_SCHED_PCT;
}

void batch_run(struct scenario *s, unsigned int threads)
{
	unsigned int i;

	s->threads = threads;
	s->batches++;
	s->batch_began = card_now(s->card);
	s->batch_limit = s->batch_began + BATCH_LIMIT + 2 * timeouts(s);
	for (i = 0; i < SCENARIO_THREADS; i++)
		s->thread_began[i] = s->batch_began;
	s->relax_since = 0;
	for (i = 0; i < SESSION_RINGS; i++) {
		if (s->ring[i].open) {
			session_match(s, &s->ring[i]);
			session_remember(s, &s->ring[i]);
		}
	}
	session_fences_begin(s);
	write_payload(s, schedule_of(s));
	session_check(s);
	s->at_next = false;
	link_give(&s->link);
	session_serve(s);
	s->batch_limit = 0;
	s->ran = true;
	if (!s->failed && !s->error)
		check_complete(s);
	for (i = 0; i < SESSION_RINGS; i++) {
		if (s->ring[i].open)
			session_match(s, &s->ring[i]);
	}
	session_check(s);
}

const char *session_call_name(enum wire_call call)
{
	static const char *const name[] = {
#define CALL(name, text)	#name,
#include "../agent/calls.def"
#undef CALL
	};

	return name[call];
}

static void call_line(struct scenario *s, const struct session_op *op,
		      int64_t result)
{
	char text[CALL_TEXT], value[64];

	record_text(&s->record, card_now(s->card), "thread %u: %s = %s",
		    op->op.thread,
		    session_call_text(s, op, text, sizeof(text)),
		    session_number(result, value, sizeof(value)));
}

/* What a success means for the ring. */
static void follow(struct scenario *s, struct session_op *op, int64_t result)
{
	struct session_ring *ring = &s->ring[op->op.handle];

	switch (op->op.call) {
	case CALL_ring_submit:
	case CALL_ring_submit_batch:
	case CALL_ring_kick:
	case CALL_fence_emit:
	case CALL_fence_acquire:
		session_waited(s, op, result);
		if (result == 0)
			session_expect(s, op);
		break;
	case CALL_ring_destroy:
		/* It may offer what was held back, or drop it. */
		session_expect(s, op);
		break;
	case CALL_ring_pause:
		ring->paused |= result == 0;
		break;
	case CALL_ring_resume:
		ring->paused &= result != 0;
		break;
	default:
		break;
	}
}

void session_result(struct scenario *s, unsigned int index, int64_t result)
{
	struct session_op *op = &s->op[index];
	struct session_ring *ring = &s->ring[op->op.handle];

	if (op->results == op->op.repeat) {
		session_fail(s, "LINK", s->test->section, "the driver leaves "
			     "memory alone that is not its own",
			     "an intact link", "one result too many");
		s->stop = true;
		return;
	}
	op->began = s->thread_began[op->op.thread];
	op->ended = card_now(s->card);
	s->thread_began[op->op.thread] = op->ended;
	op->results++;
	op->last = result;
	op->failures += result != 0;
	call_line(s, op, result);
	follow(s, op, result);
	session_space_result(s, op, result);
	session_unit_result(s, op, result);
	if (s->threads == 1 && ring->open)
		session_match(s, ring);
	session_truth(s, op, result);
	session_fence_result(s, op);
	if (s->threads == 1 && ring->open)
		session_remember(s, ring);
}
