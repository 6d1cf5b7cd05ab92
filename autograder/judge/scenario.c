/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The calls of the scenario language: card, driver, rings, submissions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "autograder/judge/session.h"

/* --- the card and the driver ----------------------------------------- */

uint32_t copy_class(const struct scenario *s)
{
	static const uint32_t class[CARD_CHIPS] = {
		[CARD_P100] = 0xc0b5, [CARD_P40] = 0xc1b5,
		[CARD_M40] = 0xb0b5,
	};

	return class[s->chip];
}

static int64_t run_one(struct scenario *s, struct session_op *op)
{
	batch_run(s, 1);
	return op->last;
}

static int64_t simple(struct scenario *s, enum wire_call what,
		      unsigned int ring, uint64_t arg, uint64_t timeout)
{
	struct wire_op op = { .call = what, .handle = ring, .args = { arg } };
	struct session_op *added = batch_add(s, &op);

	added->timeout = timeout;
	return run_one(s, added);
}

static void start_agent(struct scenario *s)
{
	int err = link_open(&s->link, s->options);

	if (err)
		session_error(s, "the agent could not be started: %s",
			      strerror(-err));
	session_check(s);
	session_machine(s);
	session_check(s);
	session_serve(s);
	session_check(s);
}

int64_t driver_try_open(struct scenario *s)
{
	if (!s->card)
		start_agent(s);
	return simple(s, CALL_gpu_open, 0, 0, 0);
}

void driver_open(struct scenario *s)
{
	expect_value(s, driver_try_open(s), 0,
		     "gpu_open() should bring the card up");
}

void driver_close(struct scenario *s)
{
	simple(s, CALL_gpu_close, 0, 0, 0);
}

void driver_leaves_nothing(struct scenario *s)
{
	driver_close(s);
	s->leaks_matter = true;
	s->exiting = true;
	s->link.wire->reply = (struct wire_reply){ .command = WIRE_DO_EXIT };
	session_stamp(s, &s->link.wire->reply);
	link_give(&s->link);
	session_serve(s);
	if (s->failed || s->error)
		session_check(s);
	if (s->arena.allocated)
		session_fail(s, "LEAK", "§8.5", "what was allocated is freed",
			     "no DMA memory left", "%" PRIu64 " bytes of DMA "
			     "memory left", s->arena.allocated);
	if (!s->unplugged)
		card_audit(s->card);
	session_check(s);
}

/* --- rings ----------------------------------------------------------- */

/* Until it is written, GP_PUT is where the channel was started. */
static void put_starts_at(struct scenario *s, unsigned int ring,
			  uint32_t first)
{
	struct record_channel *channel =
		record_channel(&s->record, s->ring[ring].channel);

	if (!channel)
		return;
	channel->put_written = channel->put = first;
	/* What was dropped in the middle before does not count. */
	channel->ended = channel->begun;
}

int64_t session_ring_open(struct scenario *s, unsigned int ring,
			  const struct ring_shape *shape,
			  const struct wire_op *op)
{
	struct session_ring *r = &s->ring[ring];
	struct session_op *added = batch_add(s, op);
	int64_t result;

	session_forget(r);
	r->matched = s->record.methods;
	result = run_one(s, added);
	if (result)
		return result;
	r->open = true;
	r->shape = *shape;
	/* With ANY_CHANNEL the driver says which one it took. */
	r->channel = shape->channel == ANY_CHANNEL ?
		(uint32_t)added->output[0] : shape->channel;
	r->crc_before = crc_checks(s, ring);
	put_writes(s, ring);
	put_starts_at(s, ring, shape->first);
	return 0;
}

int64_t ring_try_open(struct scenario *s, unsigned int ring,
		      const struct ring_shape *shape)
{
	struct wire_op op = {
		.call = CALL_ring_create, .handle = ring,
		.args = { shape->channel, shape->entries, shape->words,
			  shape->gp, shape->pb, shape->first, shape->crc },
	};

	return session_ring_open(s, ring, shape, &op);
}

void ring_open(struct scenario *s, unsigned int ring,
	       const struct ring_shape *shape)
{
	expect_value(s, ring_try_open(s, ring, shape), 0,
		     "ring_create() should succeed");
}

static int64_t ring_end(struct scenario *s, unsigned int ring,
			uint64_t timeout, bool stays_mapped)
{
	const struct wire_op op = {
		.call = CALL_ring_destroy, .handle = ring,
		.args = { timeout, stays_mapped },
	};
	struct session_ring *r = &s->ring[ring];
	struct session_op *added = batch_add(s, &op);
	int64_t result;

	added->timeout = timeout;
	result = run_one(s, added);
	session_match(s, r);
	session_check(s);
	if (result == 0 && !s->unplugged && !r->lost &&
	    session_outstanding(r))
		session_fail(s, "ANSWER", "§8.5",
			     "what ring_destroy() drops, it says",
			     "-ETIMEDOUT, or all executed",
			     "0, with %zu segments not executed",
			     session_outstanding(r));
	r->open = false;
	session_check(s);
	return result;
}

int64_t ring_close(struct scenario *s, unsigned int ring, uint64_t timeout)
{
	return ring_end(s, ring, timeout, false);
}

int64_t ring_close_mapped(struct scenario *s, unsigned int ring,
			  uint64_t timeout)
{
	return ring_end(s, ring, timeout, true);
}

int64_t kick(struct scenario *s, unsigned int ring)
{
	return simple(s, CALL_ring_kick, ring, 0, 0);
}

int64_t is_idle(struct scenario *s, unsigned int ring)
{
	return simple(s, CALL_ring_is_idle, ring, 0, 0);
}

int64_t wait_idle(struct scenario *s, unsigned int ring, uint64_t timeout)
{
	return simple(s, CALL_ring_wait_idle, ring, timeout, timeout);
}

int64_t ring_pause(struct scenario *s, unsigned int ring)
{
	return simple(s, CALL_ring_pause, ring, 0, 0);
}

int64_t ring_resume(struct scenario *s, unsigned int ring)
{
	return simple(s, CALL_ring_resume, ring, 0, 0);
}

void fail_alloc(struct scenario *s, unsigned int n)
{
	s->failing = n != 0;
	simple(s, CALL_fail_alloc, 0, n, 0);
}

uint64_t elapsed(const struct scenario *s)
{
	const struct session_op *op = &s->op[0];

	return op->ended - op->began;
}

/* --- submissions ----------------------------------------------------- */

static struct session_op *add_submit(struct scenario *s, unsigned int thread,
				     unsigned int ring, uint32_t repeat,
				     const struct segment *const *segment,
				     unsigned int count, bool batch,
				     uint32_t flags, uint64_t timeout)
{
	struct wire_op op = {
		.call = batch ? CALL_ring_submit_batch : CALL_ring_submit,
		.thread = thread, .handle = ring, .repeat = repeat,
		.args = { flags, timeout, TAG(thread, s->tags), count },
	};
	struct session_op *added = batch_add(s, &op);

	s->tags++;
	if (count > SCENARIO_BATCH) {
		session_error(s, "the test's batch is too long");
		session_check(s);
	}
	memcpy(added->segment, segment, count * sizeof(*segment));
	added->segments = count;
	added->timeout = timeout;
	return added;
}

int64_t submit(struct scenario *s, unsigned int ring,
	       const struct segment *segment, uint32_t flags,
	       uint64_t timeout)
{
	return run_one(s, add_submit(s, 0, ring, 1, &segment, 1, false, flags,
				     timeout));
}

int64_t submit_patiently(struct scenario *s, unsigned int ring,
			 const struct segment *segment)
{
	int64_t result;
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		result = submit(s, ring, segment, 0, 0);
		if (result != -EAGAIN)
			break;
		let_pass(s, 2 * US);
	}
	return result;
}

uint32_t submit_many(struct scenario *s, unsigned int ring, uint32_t count,
		     const struct segment *segment, uint32_t flags,
		     uint64_t timeout)
{
	struct session_op *op = add_submit(s, 0, ring, count, &segment, 1,
					   false, flags, timeout);

	run_one(s, op);
	return op->results - op->failures;
}

int64_t submit_batch(struct scenario *s, unsigned int ring,
		     const struct segment *const *segment, unsigned int count,
		     uint32_t flags, uint64_t timeout)
{
	return run_one(s, add_submit(s, 0, ring, 1, segment, count, true,
				     flags, timeout));
}

int64_t call(struct scenario *s, enum wire_call what, const uint64_t *args,
	     unsigned int count, const uint32_t *data, unsigned int words)
{
	struct wire_op op = { .call = what };
	struct session_op *added;

	memcpy(op.args, args, count * sizeof(*args));
	added = batch_add(s, &op);
	added->raw = data;
	added->raw_words = words;
	return run_one(s, added);
}

const uint64_t *outputs(const struct scenario *s, unsigned int *count)
{
	*count = s->op[0].outputs;
	return s->op[0].output;
}

/* --- threads --------------------------------------------------------- */

void thread_submit(struct scenario *s, unsigned int thread,
		   unsigned int ring, uint32_t repeat,
		   const struct segment *segment, uint32_t flags,
		   uint64_t timeout)
{
	add_submit(s, thread, ring, repeat, &segment, 1, false, flags,
		   timeout);
}

void thread_submit_batch(struct scenario *s, unsigned int thread,
			 unsigned int ring, uint32_t repeat,
			 const struct segment *const *segment,
			 unsigned int count, uint32_t flags,
			 uint64_t timeout)
{
	add_submit(s, thread, ring, repeat, segment, count, true, flags,
		   timeout);
}

void thread_kick(struct scenario *s, unsigned int thread, unsigned int ring)
{
	struct wire_op op = {
		.call = CALL_ring_kick, .thread = thread, .handle = ring,
	};

	batch_add(s, &op);
}

void thread_sleep(struct scenario *s, unsigned int thread, uint64_t ns)
{
	struct wire_op op = {
		.call = CALL_sleep, .thread = thread, .args = { ns },
	};

	batch_add(s, &op);
}

uint32_t threads_run_any(struct scenario *s)
{
	uint32_t failures = 0;
	unsigned int i, threads = 1;

	for (i = 0; i < s->ops; i++) {
		if (s->op[i].op.thread >= threads)
			threads = s->op[i].op.thread + 1;
	}
	batch_run(s, threads);
	for (i = 0; i < s->ops; i++)
		failures += s->op[i].failures;
	return failures;
}

void threads_run(struct scenario *s)
{
	unsigned int i;

	if (!threads_run_any(s))
		return;
	for (i = 0; i < s->ops; i++)
		expect_value(s, s->op[i].failures, 0,
			     "every submission should succeed");
}
