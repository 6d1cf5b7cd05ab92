/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the tests of lab 02 share. */
#ifndef HIDDEN_LAB02_H
#define HIDDEN_LAB02_H

#include "autograder/judge/scenario_ctx.h"

#define TEST(name, points, step, section, kind, visibility, seeds, title) \
	void test_##name(struct scenario *scenario);
#include "autograder/hidden/02-vas/tests.def"
#undef TEST

/* Both formats have at least these addresses; rings lie near the end. */
#define BASE	(2 * MIB)
#define LIMIT	(1024 * GIB)
#define RINGS	(960 * GIB)

/* A card, and one address space. */
static inline void begin(struct scenario *s)
{
	driver_open(s);
	space_open(s, 0, BASE, LIMIT);
}

/* … whose tables lie above so much video memory, of memory 23. */
static inline void begin_above(struct scenario *s, uint64_t size)
{
	driver_open(s);
	if (size)
		memory_fill(s, MEMORIES - 1, size);
	space_open(s, 0, BASE, LIMIT);
}

/* … with a ring to use it. */
static inline void begin_with_ring(struct scenario *s)
{
	begin(s);
	ring_open_in(s, 0, 0, RINGS, false);
}

/* Any of the three. */
static inline enum scenario_aperture any_memory(struct scenario *s)
{
	return (enum scenario_aperture)pick(s, 3);
}

/* An address below 800 GiB that is a multiple of align, a power of two. */
static inline uint64_t any_address(struct scenario *s, uint64_t align)
{
	uint64_t va = BASE + ((uint64_t)pick(s, 0x7fffffff) << 12) %
		(799 * GIB);

	return (va + align - 1) & ~(align - 1);
}

/* The sizes of page that the chip has, smallest first. */
static inline unsigned int page_shifts(const struct scenario *s,
				       unsigned int shift[3])
{
	shift[0] = PAGES_4K;
	shift[1] = big_shift(s);
	shift[2] = PAGES_2M;
	return has_huge_pages(s) ? 3 : 2;
}

#endif
