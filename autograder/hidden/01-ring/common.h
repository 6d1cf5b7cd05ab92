/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the tests of lab 01 share. */
#ifndef HIDDEN_LAB01_H
#define HIDDEN_LAB01_H

#include "autograder/judge/scenario.h"

#define TEST(name, points, step, section, kind, visibility, seeds, title) \
	void test_##name(struct scenario *scenario);
#include "autograder/hidden/01-ring/tests.def"
#undef TEST

#define ALL_RIGHT "there is room, so the submission should succeed"

/* So many times, each with room before it. */
static inline void submit_steadily(struct scenario *s, unsigned int ring,
				   unsigned int count,
				   const struct segment *segment)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		expect_value(s, submit_patiently(s, ring, segment), 0,
			     ALL_RIGHT);
}

/* GP_PUT after the first submission.  Padding is free, but not a lap of it. */
static inline void expect_put_near(struct scenario *s, unsigned int ring,
				   const struct ring_shape *shape)
{
	uint32_t used = put_value(s, ring) + shape->entries - shape->first;

	used %= shape->entries;
	expect_true(s, used >= 1 && used <= 4,
		    "GP_PUT should be just behind what was submitted",
		    "1 entry after gp_first, 4 at most", used);
}

/* More room than a test needs, all of it coherent. */
static const struct ring_shape roomy = {
	.channel = 3, .entries = 64, .words = 1024,
	.gp = MEMORY_COHERENT, .pb = MEMORY_COHERENT,
};

#endif
