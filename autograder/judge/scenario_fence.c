/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The calls of the language for fences, and what tests then find out.
 */
#include <inttypes.h>
#include <stdio.h>

#include "autograder/judge/scenario_fence.h"
#include "autograder/judge/session.h"

#define EMIT_TIMEOUT	(20 * MS)
#define UNMAPPED	0xffdead0000ull		/* below 2^40	*/

static int64_t run_one(struct scenario *s, struct session_op *op)
{
	batch_run(s, 1);
	return op->last;
}

static struct session_op *add(struct scenario *s, enum wire_call call,
			      unsigned int thread, unsigned int ring,
			      uint64_t timeout, const uint64_t args[3])
{
	struct wire_op op = {
		.call = call, .thread = thread, .handle = ring,
		.args = { args[0], args[1], args[2] },
	};
	struct session_op *added = batch_add(s, &op);

	added->timeout = timeout;
	return added;
}

#define ARGS(...)	(const uint64_t[3]){ __VA_ARGS__ }

int64_t irq_try_on(struct scenario *s)
{
	return run_one(s, add(s, CALL_irq_init, 0, 0, 0, ARGS(0)));
}

void irq_on(struct scenario *s)
{
	expect_value(s, irq_try_on(s), 0,
		     "gpu_irq_init() should take the interrupt");
}

void irq_off(struct scenario *s)
{
	run_one(s, add(s, CALL_irq_fini, 0, 0, 0, ARGS(0)));
}

int64_t timeline_try_open(struct scenario *s, unsigned int ring,
			  enum scenario_memory memory, uint32_t start)
{
	struct fence_timeline *timeline = &s->fences.timeline[ring];
	uint64_t offset = 16 * pick(s, 200);
	struct session_op *op = add(s, CALL_timeline_create, 0, ring, 0,
				    ARGS(memory, start, offset));
	int64_t result = run_one(s, op);

	session_fence_forget(timeline);
	if (result)
		return result;
	timeline->open = true;
	timeline->channel = s->ring[ring].channel;
	timeline->va = op->output[1];
	timeline->start = start;
	return 0;
}

void timeline_open(struct scenario *s, unsigned int ring,
		   enum scenario_memory memory, uint32_t start)
{
	expect_value(s, timeline_try_open(s, ring, memory, start), 0,
		     "timeline_create() should succeed");
}

void timeline_close(struct scenario *s, unsigned int ring)
{
	run_one(s, add(s, CALL_timeline_destroy, 0, ring, 0, ARGS(0)));
	session_fence_forget(&s->fences.timeline[ring]);
}

void fenced_ring(struct scenario *s, unsigned int ring,
		 const struct ring_shape *shape, uint32_t start)
{
	ring_open(s, ring, shape);
	timeline_open(s, ring, MEMORY_COHERENT, start);
}

void fenced_ring_close(struct scenario *s, unsigned int ring)
{
	wait_idle(s, ring, 20 * MS);
	timeline_close(s, ring);
	ring_close(s, ring, 20 * MS);
}

int64_t fence_try(struct scenario *s, unsigned int ring, unsigned int n,
		  uint64_t timeout)
{
	return run_one(s, add(s, CALL_fence_emit, 0, ring, timeout,
			      ARGS(n, timeout)));
}

void fence(struct scenario *s, unsigned int ring, unsigned int n)
{
	expect_value(s, fence_try(s, ring, n, EMIT_TIMEOUT), 0,
		     "fence_emit() should succeed");
}

int64_t fence_behind(struct scenario *s, unsigned int ring, unsigned int n,
		     uint64_t timeout)
{
	return run_one(s, add(s, CALL_fence_acquire, 0, ring, timeout,
			      ARGS(n, timeout)));
}

int64_t fence_ask(struct scenario *s, unsigned int n)
{
	return run_one(s, add(s, CALL_fence_is_signaled, 0, 0, 0, ARGS(n)));
}

int64_t fence_stamp(struct scenario *s, unsigned int n, uint64_t *ns)
{
	struct session_op *op = add(s, CALL_fence_time, 0, 0, 0, ARGS(n));
	int64_t result = run_one(s, op);

	*ns = op->output[0];
	return result;
}

int64_t fence_wait(struct scenario *s, unsigned int n, enum wait_how how,
		   uint64_t timeout)
{
	thread_wait(s, 0, n, how, timeout);
	return run_one(s, &s->op[0]);
}

int64_t fence_wait_all(struct scenario *s, unsigned int first,
		       unsigned int count, uint64_t timeout)
{
	thread_wait_all(s, 0, first, count, timeout);
	return run_one(s, &s->op[0]);
}

int64_t fence_wait_any(struct scenario *s, unsigned int first,
		       unsigned int count, uint64_t timeout, uint32_t *index)
{
	int64_t result;

	thread_wait_any(s, 0, first, count, timeout);
	result = run_one(s, &s->op[0]);
	*index = s->op[0].output[0];
	return result;
}

int64_t fence_poll(struct scenario *s, unsigned int n, enum poll_how how,
		   uint64_t timeout)
{
	thread_poll(s, 0, n, how, timeout);
	return run_one(s, &s->op[0]);
}

int64_t channel_error(struct scenario *s, unsigned int ring)
{
	return run_one(s, add(s, CALL_chan_error, 0, ring, 0, ARGS(0)));
}

struct irq_stats irq_stats(struct scenario *s)
{
	struct session_op *op = add(s, CALL_irq_stats, 0, 0, 0, ARGS(0));
	const uint64_t *out = op->output;

	expect_value(s, run_one(s, op), 0, "gpu_irq_stats() should answer");
	return (struct irq_stats){
		.interrupts = out[0], .spurious = out[1], .nonstall = out[2],
		.faults = out[3], .pbdma = out[4], .copy = out[5],
		.longest = out[6],
	};
}

/* --- threads ---------------------------------------------------------- */

void thread_fence(struct scenario *s, unsigned int thread, unsigned int ring,
		  unsigned int n)
{
	add(s, CALL_fence_emit, thread, ring, EMIT_TIMEOUT,
	    ARGS(n, EMIT_TIMEOUT));
}

void thread_wait(struct scenario *s, unsigned int thread, unsigned int n,
		 enum wait_how how, uint64_t timeout)
{
	add(s, CALL_fence_wait, thread, 0, timeout, ARGS(n, how, timeout));
}

void thread_wait_all(struct scenario *s, unsigned int thread,
		     unsigned int first, unsigned int count, uint64_t timeout)
{
	add(s, CALL_fence_wait_all, thread, 0, timeout,
	    ARGS(first, count, timeout));
}

void thread_wait_any(struct scenario *s, unsigned int thread,
		     unsigned int first, unsigned int count, uint64_t timeout)
{
	add(s, CALL_fence_wait_any, thread, 0, timeout,
	    ARGS(first, count, timeout));
}

void thread_poll(struct scenario *s, unsigned int thread, unsigned int n,
		 enum poll_how how, uint64_t timeout)
{
	/* poll() counts in milliseconds. */
	timeout = (timeout + MS - 1) / MS * MS;
	add(s, CALL_fence_poll, thread, 0, timeout, ARGS(n, timeout, how));
}

void thread_ask(struct scenario *s, unsigned int thread, unsigned int n,
		uint32_t times)
{
	struct wire_op op = {
		.call = CALL_fence_is_signaled, .thread = thread,
		.repeat = times, .args = { n },
	};

	batch_add(s, &op);
}

void thread_timeline_close(struct scenario *s, unsigned int thread,
			   unsigned int ring)
{
	add(s, CALL_timeline_destroy, thread, ring, 0, ARGS(0));
}

void thread_resume(struct scenario *s, unsigned int thread, unsigned int ring)
{
	add(s, CALL_ring_resume, thread, ring, 0, ARGS(0));
}

void threads_run_with(struct scenario *s, int64_t error, unsigned int count)
{
	unsigned int i, failed = 0;

	threads_run_any(s);
	for (i = 0; i < s->ops; i++) {
		const struct session_op *op = &s->op[i];

		if (op->last == error)
			failed++;
		else if (op->op.call != CALL_fence_poll || op->last != 1)
			expect_value(s, op->last, 0,
				     "the other calls should succeed");
	}
	expect_value(s, failed, count, "this many calls should give the error");
}

/* --- what happens to the card ----------------------------------------- */

void use_fast_bus(struct scenario *s)
{
	s->fast = true;
}

void lose_interrupts(struct scenario *s, unsigned int count)
{
	s->fences.drops = count;
}

void delay_interrupts(struct scenario *s, uint64_t ns)
{
	s->fences.delay = ns;
}

/* --- segments ----------------------------------------------------------- */

static struct segment *copy(struct scenario *s, unsigned int ring,
			    uint32_t bytes, uint32_t launch)
{
	struct segment *segment = segment_new(s);
	uint64_t page = s->fences.timeline[ring].va & ~(uint64_t)4095;
	/* In the page's end, where no semaphore is. */
	const uint32_t where[8] = {
		page >> 32, (uint32_t)page + 3400, page >> 32,
		(uint32_t)page + 3600, 1, 1, 1, bytes,
	};

	segment_add(segment, WIRE_METHOD_INC, COPY_SUBCHANNEL, COPY_OFFSET_IN,
		    where, 8);
	segment_add(segment, WIRE_METHOD_INC, COPY_SUBCHANNEL, COPY_LAUNCH,
		    &launch, 1);
	return segment;
}

/* Non-pipelined, flush, pitch, pitch, several lines [§10.2]. */
#define LAUNCH		0x386u
#define LAUNCH_INTERRUPT (LAUNCH | 2u << 5)

struct segment *segment_copy(struct scenario *s, unsigned int ring,
			     uint32_t bytes)
{
	return copy(s, ring, bytes, LAUNCH);
}

struct segment *segment_copy_interrupt(struct scenario *s, unsigned int ring)
{
	return copy(s, ring, 64, LAUNCH_INTERRUPT);
}

struct segment *segment_bad_method(struct scenario *s)
{
	static const uint32_t data = 0;
	struct segment *segment = segment_new(s);

	segment_add(segment, WIRE_METHOD_INC, 0, 0x0f0, &data, 1);
	return segment;
}

struct segment *segment_fault(struct scenario *s)
{
	struct segment *segment = segment_new(s);
	/* Release, one word, without waiting [§9.5]. */
	static const uint32_t release[4] = {
		UNMAPPED >> 32, (uint32_t)UNMAPPED, 1,
		2 | 1u << 20 | 1u << 24,
	};

	segment_add(segment, WIRE_METHOD_INC, 0, 0x010, release, 4);
	return segment;
}

/* --- what must be true -------------------------------------------------- */

static unsigned int outstanding(const struct scenario *s)
{
	unsigned int n, count = 0;

	for (n = 0; n < SESSION_FENCES; n++) {
		const struct fence_point *point = &s->fences.point[n];
		struct fence_known known = session_known(s, n);

		count += point->used && s->fences.timeline[point->ring].open &&
			known.released == NEVER && known.died == NEVER;
	}
	return count;
}

void expect_released(struct scenario *s, uint64_t limit)
{
	uint64_t deadline = card_now(s->card) + limit;

	while (outstanding(s) && card_now(s->card) < deadline)
		let_pass(s, 20 * US);
	expect_value(s, outstanding(s), 0,
		     "the card should have released every fence");
}

int64_t result_of(const struct scenario *s, unsigned int n)
{
	return s->op[n].last;
}

uint32_t copies_done(const struct scenario *s, uint64_t time)
{
	uint32_t count = 0, i;

	for (i = 0; i < s->fences.copies; i++)
		count += s->fences.copied[i] <= time;
	return count;
}

uint64_t released_at(const struct scenario *s, unsigned int n)
{
	return session_known(s, n).released;
}

uint32_t fence_value(const struct scenario *s, unsigned int n)
{
	return s->fences.point[n].value;
}

uint32_t word_of(const struct scenario *s, unsigned int ring)
{
	const struct fence_timeline *timeline = &s->fences.timeline[ring];

	return timeline->releases ?
		timeline->release[timeline->releases - 1].value :
		timeline->start;
}

uint64_t messages(const struct scenario *s)
{
	return s->interrupts;
}

uint64_t looks(const struct scenario *s)
{
	return s->loads + s->accesses;
}
