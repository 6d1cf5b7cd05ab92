/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 3: what is offered must be visible [§4.2], [§4.3], [§4.4].
 *
 * Each path that ends in a write of GP_PUT is tried alone, on an idle Host
 * that fetches at once, with each kind of memory: a driver that publishes on
 * one path and not on the other fails one test and passes the other.  The
 * card's rules do the checking; so a test here is mostly traffic.
 */
#include "autograder/hidden/01-ring/common.h"

static void open_with(struct scenario *s, enum scenario_memory gp,
		      enum scenario_memory pb)
{
	struct ring_shape shape = roomy;

	shape.gp = gp;
	shape.pb = pb;
	shape.entries = 16;
	shape.first = pick(s, 16);
	use_real_memory(s);
	driver_open(s);
	ring_open(s, 0, &shape);
}

/* One at a time, past the wrap of the ring. */
static void singles(struct scenario *s)
{
	unsigned int i;

	for (i = 0; i < 18; i++) {
		expect_value(s, submit(s, 0, segment_words(s, 2 + pick(s, 40)),
				       0, 5 * MS), 0, ALL_RIGHT);
		expect_executed(s, 0, 5 * MS);
	}
}

static void batches(struct scenario *s)
{
	const struct segment *batch[4];
	unsigned int i, n;

	for (i = 0; i < 6; i++) {
		for (n = 0; n < 4; n++)
			batch[n] = segment_words(s, 2 + pick(s, 30));
		expect_value(s, submit_batch(s, 0, batch, 4, 0, 5 * MS), 0,
			     ALL_RIGHT);
		expect_executed(s, 0, 5 * MS);
	}
}

static void deferrals(struct scenario *s)
{
	unsigned int i, n, count;

	for (i = 0; i < 8; i++) {
		/* Every count comes: a ring's end, a group's end, one. */
		count = 1 + i % 5;
		for (n = 0; n < count; n++)
			expect_value(s, submit(s, 0, segment_words(s, 5),
					       RING_DEFER, 5 * MS), 0,
				     ALL_RIGHT);
		let_pass(s, 5 * US);
		expect_value(s, kick(s, 0), 0, "ring_kick() should succeed");
		expect_executed(s, 0, 5 * MS);
		expect_value(s, kick(s, 0), 0,
			     "ring_kick() with nothing to offer should too");
	}
	expect_value(s, submit(s, 0, segment_words(s, 3), RING_DEFER, 5 * MS),
		     0, ALL_RIGHT);
	expect_value(s, submit(s, 0, segment_words(s, 4), 0, 5 * MS), 0,
		     ALL_RIGHT);
	expect_executed(s, 0, 5 * MS);
	expect_value(s, executed(s, 0), 21 + 2,
		     "a later submission should offer what was held back");
}

static enum scenario_memory by_seed(const struct scenario *s)
{
	static const enum scenario_memory kind[] = {
		MEMORY_COHERENT, MEMORY_COMBINED, MEMORY_VRAM
	};

	return kind[seed(s) % 3];
}

void test_public_barrier(struct scenario *s)
{
	enum scenario_memory kind = seed(s) % 2 ? MEMORY_COHERENT :
		MEMORY_COMBINED;

	open_with(s, kind, kind);
	singles(s);
}

void test_coherent_is_published(struct scenario *s)
{
	open_with(s, MEMORY_COHERENT, MEMORY_COHERENT);
	singles(s);
}

void test_combined_is_published(struct scenario *s)
{
	open_with(s, MEMORY_COMBINED, MEMORY_COMBINED);
	singles(s);
}

void test_vram_is_flushed(struct scenario *s)
{
	open_with(s, MEMORY_VRAM, MEMORY_VRAM);
	singles(s);
}

void test_mixed_memory_is_published(struct scenario *s)
{
	static const enum scenario_memory mix[][2] = {
		{ MEMORY_COHERENT, MEMORY_COMBINED },
		{ MEMORY_COMBINED, MEMORY_COHERENT },
		{ MEMORY_VRAM, MEMORY_COHERENT },
		{ MEMORY_COHERENT, MEMORY_VRAM },
		{ MEMORY_VRAM, MEMORY_COMBINED },
		{ MEMORY_COMBINED, MEMORY_VRAM },
	};
	const enum scenario_memory *kind = mix[seed(s) % 6];

	open_with(s, kind[0], kind[1]);
	singles(s);
}

void test_batches_are_published(struct scenario *s)
{
	open_with(s, by_seed(s), by_seed(s));
	batches(s);
}

/* Filled by one thread, offered by another: who filled must have drained its
 * write-combining buffers, since nobody else can. */
static void offer_for_another(struct scenario *s)
{
	thread_submit(s, 1, 0, 1, segment_words(s, 6), RING_DEFER, 5 * MS);
	threads_run(s);
	let_pass(s, 5 * US);
	expect_value(s, kick(s, 0), 0, "ring_kick() should succeed");
	expect_executed(s, 0, 5 * MS);
}

void test_deferred_is_published(struct scenario *s)
{
	open_with(s, by_seed(s), by_seed(s));
	deferrals(s);
	offer_for_another(s);
}
