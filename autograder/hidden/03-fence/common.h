/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the tests of lab 03 share. */
#ifndef HIDDEN_LAB03_H
#define HIDDEN_LAB03_H

#include "autograder/judge/scenario_fence.h"

#define TEST(name, points, step, section, kind, visibility, seeds, title) \
	void test_##name(struct scenario *scenario);
#include "autograder/hidden/03-fence/tests.def"
#undef TEST

/* The seed's value, once, then counted on from. */
#define FIRST_VALUE	0xcafebabeu

/* More room than a test needs; channel 3 + n for ring n. */
static inline struct ring_shape roomy_ring(unsigned int n)
{
	return (struct ring_shape){
		.channel = 3 + n, .entries = 64, .words = 2048,
		.gp = MEMORY_COHERENT, .pb = MEMORY_COHERENT,
	};
}

/* A card whose interrupts are served, and rings with timelines. */
static inline void fence_begin(struct scenario *s, unsigned int rings)
{
	unsigned int n;

	driver_open(s);
	irq_on(s);
	for (n = 0; n < rings; n++) {
		struct ring_shape shape = roomy_ring(n);

		fenced_ring(s, n, &shape, 1000 * n + pick(s, 1000));
	}
}

/* With nothing to do there are no interrupts: all were acknowledged. */
static inline void expect_calm(struct scenario *s)
{
	uint64_t before;

	let_pass(s, 200 * US);
	before = messages(s);
	let_pass(s, 100 * US);
	expect_value(s, messages(s) - before, 0,
		     "interrupts should come to rest with the card");
}

/* Everything that was emitted comes to pass; then all of it goes. */
static inline void fence_end(struct scenario *s, unsigned int rings)
{
	unsigned int n;

	expect_released(s, 20 * MS);
	expect_calm(s);
	for (n = 0; n < rings; n++)
		fenced_ring_close(s, n);
	irq_off(s);
	driver_leaves_nothing(s);
}

static inline void work(struct scenario *s, unsigned int ring,
			unsigned int words)
{
	expect_value(s, submit(s, ring, segment_words(s, words), 0, 5 * MS), 0,
		     "there is room, so the submission should succeed");
}

/* Host stands still, and goes on in the middle of what comes next. */
static inline void hold_host(struct scenario *s, uint64_t ns)
{
	at_once(s, HOST_FREEZE);
	later(s, ns, HOST_THAW);
}

static inline enum wait_how any_way(struct scenario *s)
{
	return (enum wait_how)pick(s, WAIT_HOWS);
}

static inline void expect_done(struct scenario *s, int64_t result)
{
	expect_value(s, result, 0, "the wait should succeed");
}

#endif
