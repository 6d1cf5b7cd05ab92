/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 2: ranges, against a plain list of what is taken.
 *
 * Ranges may be merged or not, as the driver likes, as long as each byte has
 * its owner's tag: what ranges_find() says is compared byte by byte.
 */
#include <string.h>

#include "autograder/hidden/02-vas/common.h"

#define UNIT	PAGE
#define UNITS	256u	/* of the space: who has each	*/
#define START	(16 * MIB)

struct plain {
	uint64_t tag[UNITS];	/* 0: nobody */
};

static int64_t op(struct scenario *s, enum wire_call what, uint64_t a,
		  uint64_t b, uint64_t c)
{
	const uint64_t args[] = { a, b, c };

	return call(s, what, args, 3, NULL, 0);
}

static uint64_t word(struct scenario *s, unsigned int i)
{
	unsigned int count;
	const uint64_t *word = outputs(s, &count);

	return i < count ? word[i] : 0;
}

static void make(struct scenario *s, uint64_t base, uint64_t limit)
{
	expect_value(s, op(s, CALL_ranges_create, base, limit, 0), 0,
		     "ranges_create() should succeed");
}

/* Take units at the lowest place; the place in units, or UNITS: none. */
static unsigned int plain_alloc(struct plain *plain, unsigned int units,
				unsigned int align, uint64_t tag)
{
	unsigned int at, n;

	for (at = 0; at + units <= UNITS; at++) {
		if ((START / UNIT + at) % align)
			continue;
		for (n = 0; n < units && !plain->tag[at + n]; n++)
			;
		if (n < units)
			continue;
		for (n = 0; n < units; n++)
			plain->tag[at + n] = tag;
		return at;
	}
	return UNITS;
}

static bool plain_is_free(const struct plain *plain, unsigned int at,
			  unsigned int units)
{
	while (units--) {
		if (plain->tag[at + units])
			return false;
	}
	return true;
}

static void plain_set(struct plain *plain, unsigned int at,
		      unsigned int units, uint64_t tag)
{
	while (units--)
		plain->tag[at + units] = tag;
}

static uint64_t plain_taken(const struct plain *plain)
{
	uint64_t taken = 0;
	unsigned int i;

	for (i = 0; i < UNITS; i++)
		taken += plain->tag[i] ? UNIT : 0;
	return taken;
}

/* Walk over all ranges by ranges_find(); every unit has its tag. */
static void compare(struct scenario *s, const struct plain *plain)
{
	uint64_t seen[UNITS] = { 0 }, at = START, first, size;

	while (at < START + UNITS * UNIT) {
		op(s, CALL_ranges_find, at, 0, 0);
		if (!word(s, 0))
			break;
		first = word(s, 1);
		size = word(s, 2);
		expect_true(s, first >= START && first % UNIT == 0 &&
			    size && size % UNIT == 0 &&
			    size <= UNITS * UNIT && first + size > at &&
			    first + size > first &&
			    first + size <= START + UNITS * UNIT,
			    "ranges_find() should give a range that ends "
			    "after the address", "such a range", first);
		for (; size; size -= UNIT)
			seen[(first + size - START) / UNIT - 1] = word(s, 3);
		at = first + word(s, 2);
	}
	for (at = 0; at < UNITS; at++)
		expect_value(s, seen[at], plain->tag[at],
			     "each part should belong to who took it");
	op(s, CALL_ranges_taken, 0, 0, 0);
	expect_value(s, word(s, 0), plain_taken(plain),
		     "ranges_taken() should be the bytes taken");
}

static void take(struct scenario *s, struct plain *plain, unsigned int units,
		 unsigned int align, uint64_t tag)
{
	unsigned int at = plain_alloc(plain, units, align, tag);
	int64_t result = op(s, CALL_ranges_alloc, units * UNIT, align * UNIT,
			    tag);

	expect_value(s, result, at == UNITS ? -ENOSPC : 0,
		     "a place should be found exactly when there is one");
	if (!result)
		expect_value(s, word(s, 0), START + at * UNIT,
			     "the lowest place should be taken");
}

static void reserve(struct scenario *s, struct plain *plain, unsigned int at,
		    unsigned int units, uint64_t tag)
{
	bool is_free = plain_is_free(plain, at, units);

	expect_value(s, op(s, CALL_ranges_reserve, START + at * UNIT,
			   units * UNIT, tag), is_free ? 0 : -EEXIST,
		     "a place should be had exactly when it is free");
	if (is_free)
		plain_set(plain, at, units, tag);
}

static void give(struct scenario *s, struct plain *plain, unsigned int at,
		 unsigned int units)
{
	expect_value(s, op(s, CALL_ranges_free, START + at * UNIT,
			   units * UNIT, 0), 0,
		     "what is taken, and what is not, should be given back");
	plain_set(plain, at, units, 0);
}

void test_public_ranges(struct scenario *s)
{
	struct plain plain = { { 0 } };

	driver_open(s);
	make(s, START, START + UNITS * UNIT);
	take(s, &plain, 4, 1, 1);
	take(s, &plain, 4, 1, 2);
	reserve(s, &plain, 100, 10, 3);
	reserve(s, &plain, 105, 1, 4);
	give(s, &plain, 0, 4);
	take(s, &plain, 2, 1, 5);
	compare(s, &plain);
	op(s, CALL_ranges_destroy, 0, 0, 0);
	driver_leaves_nothing(s);
}

void test_ranges_take_the_lowest(struct scenario *s)
{
	struct plain plain = { { 0 } };
	unsigned int i;

	driver_open(s);
	make(s, START, START + UNITS * UNIT);
	reserve(s, &plain, 0, 1, 90);
	take(s, &plain, 3, 16, 1);
	take(s, &plain, 15, 1, 2);
	take(s, &plain, 13, 1, 3);
	take(s, &plain, 1, 64, 4);
	for (i = 0; i < 40; i++)
		take(s, &plain, 1 + pick(s, 9), 1u << pick(s, 4), 10 + i);
	compare(s, &plain);
	take(s, &plain, UNITS, 1, 5);
	compare(s, &plain);
}

void test_ranges_refuse_nonsense(struct scenario *s)
{
	const uint64_t end = START + UNITS * UNIT;
	static const char text[] = "what cannot be should be refused";
	struct plain plain = { { 0 } };

	driver_open(s);
	expect_value(s, op(s, CALL_ranges_create, 8192, 8192, 0), -EINVAL,
		     text);
	expect_value(s, op(s, CALL_ranges_create, 8192, 4096, 0), -EINVAL,
		     text);
	make(s, START, end);
	reserve(s, &plain, 3, 2, 7);
	expect_value(s, op(s, CALL_ranges_alloc, 0, UNIT, 1), -EINVAL, text);
	expect_value(s, op(s, CALL_ranges_alloc, UNIT, 3, 1), -EINVAL, text);
	expect_value(s, op(s, CALL_ranges_alloc, UNIT, 0, 1), -EINVAL, text);
	expect_value(s, op(s, CALL_ranges_alloc, UINT64_MAX - 4095, UNIT, 1),
		     -ENOSPC, text);
	expect_value(s, op(s, CALL_ranges_alloc, UNIT, 1ull << 63, 1),
		     -ENOSPC, text);
	expect_value(s, op(s, CALL_ranges_reserve, START - UNIT, 2 * UNIT, 1),
		     -EINVAL, text);
	expect_value(s, op(s, CALL_ranges_reserve, end - UNIT, 2 * UNIT, 1),
		     -EINVAL, text);
	expect_value(s, op(s, CALL_ranges_reserve, START, 0, 1), -EINVAL,
		     text);
	expect_value(s, op(s, CALL_ranges_reserve, end - UNIT,
			   UINT64_MAX - end + 2 * UNIT, 1), -EINVAL, text);
	expect_value(s, op(s, CALL_ranges_free, end - UNIT, 2 * UNIT, 0),
		     -EINVAL, text);
	expect_value(s, op(s, CALL_ranges_free, START + UNIT,
			   UINT64_MAX - UNIT, 0), -EINVAL, text);
	compare(s, &plain);
	/* To the last byte, though. */
	reserve(s, &plain, UNITS - 1, 1, 8);
	reserve(s, &plain, 0, 3, 9);
	compare(s, &plain);
}

void test_ranges_are_freed_in_parts(struct scenario *s)
{
	struct plain plain = { { 0 } };

	driver_open(s);
	make(s, START, START + UNITS * UNIT);
	reserve(s, &plain, 10, 20, 1);
	reserve(s, &plain, 30, 20, 2);
	reserve(s, &plain, 60, 20, 3);
	give(s, &plain, 15, 5);		/* the middle	*/
	compare(s, &plain);
	give(s, &plain, 10, 2);		/* the start	*/
	give(s, &plain, 45, 5);		/* the end	*/
	compare(s, &plain);
	give(s, &plain, 28, 35);	/* over several	*/
	compare(s, &plain);
	give(s, &plain, 100, 50);	/* nothing there */
	take(s, &plain, 3, 1, 4);
	take(s, &plain, 5, 1, 5);
	reserve(s, &plain, 12, 1, 6);
	compare(s, &plain);
	give(s, &plain, 0, UNITS);
	compare(s, &plain);
	op(s, CALL_ranges_destroy, 0, 0, 0);
	driver_leaves_nothing(s);
}

static void do_something(struct scenario *s, struct plain *plain,
			 uint64_t tag)
{
	unsigned int at = pick(s, UNITS), units = 1 + pick(s, 24);

	if (units > UNITS - at)
		units = UNITS - at;
	switch (pick(s, 4)) {
	case 0:
		take(s, plain, units, 1u << pick(s, 5), tag);
		break;
	case 1:
		reserve(s, plain, at, units, tag);
		break;
	default:
		give(s, plain, at, units);
		break;
	}
}

void test_ranges_agree_with_a_list(struct scenario *s)
{
	struct plain plain = { { 0 } };
	unsigned int i;

	driver_open(s);
	make(s, START, START + UNITS * UNIT);
	for (i = 1; i <= 400; i++) {
		do_something(s, &plain, i);
		if (i % 40 == 0)
			compare(s, &plain);
	}
	op(s, CALL_ranges_destroy, 0, 0, 0);
	driver_leaves_nothing(s);
}

/* What one operation costs: steps of the driver. */
static uint64_t cost_of(struct scenario *s, enum wire_call what, uint64_t a,
			uint64_t b)
{
	op(s, what, a, b, 5);
	return steps(s);
}

/* One round of every operation: the lowest hole for two is at at. */
static uint64_t cost(struct scenario *s, uint64_t at)
{
	uint64_t sum = cost_of(s, CALL_ranges_find, at, 0), two;

	sum += cost_of(s, CALL_ranges_free, at, UNIT);
	sum += cost_of(s, CALL_ranges_alloc, UNIT, UNIT);
	sum += cost_of(s, CALL_ranges_alloc, 2 * UNIT, UNIT);
	two = word(s, 0);
	sum += cost_of(s, CALL_ranges_free, two, 2 * UNIT);
	return sum + cost_of(s, CALL_ranges_reserve, at, UNIT);
}

/* Every other unit, so that no two ranges can be one; in many batches. */
static void fill(struct scenario *s, unsigned int from, unsigned int to)
{
	unsigned int i;

	for (i = from; i < to; i++) {
		thread_call(s, 0, CALL_ranges_reserve, 2 * (i + 1) * UNIT,
			    UNIT, i);
		if (i % 256 == 255 || i + 1 == to)
			threads_run(s);
	}
}

void test_ranges_stay_fast(struct scenario *s)
{
	uint64_t few, many;

	driver_open(s);
	make(s, UNIT, 16 * GIB);
	fill(s, 0, 32);
	few = cost(s, 20 * UNIT);
	fill(s, 32, 4096);
	many = cost(s, 4000 * UNIT);
	expect_true(s, many < 6 * few + 1000,
		    "with 128 times the ranges an operation should cost a few "
		    "times as much", "the growth of a logarithm",
		    many / (few ? few : 1));
}

void test_ranges_survive_no_memory(struct scenario *s)
{
	struct plain plain = { { 0 } };
	unsigned int n;
	int64_t result;

	driver_open(s);
	make(s, START, START + UNITS * UNIT);
	reserve(s, &plain, 10, 20, 1);
	reserve(s, &plain, 40, 20, 2);
	for (n = 1; n <= 3; n++) {
		fail_alloc(s, n);
		result = op(s, CALL_ranges_free, START + 15 * UNIT, 5 * UNIT,
			    0);
		fail_alloc(s, 0);
		expect_true(s, result == 0 || result == -ENOMEM,
			    "ranges_free() should succeed or lack memory",
			    "0 or -ENOMEM", result);
		if (!result)
			plain_set(&plain, 15, 5, 0);
		compare(s, &plain);
		fail_alloc(s, n);
		result = op(s, CALL_ranges_reserve,
			    START + (100 + n) * UNIT, UNIT, n);
		fail_alloc(s, 0);
		if (!result)
			plain_set(&plain, 100 + n, 1, n);
		compare(s, &plain);
		fail_alloc(s, n);
		result = op(s, CALL_ranges_alloc, UNIT, UNIT, 9);
		fail_alloc(s, 0);
		if (!result)
			plain_alloc(&plain, 1, 1, 9);
		compare(s, &plain);
	}
	op(s, CALL_ranges_destroy, 0, 0, 0);
	driver_leaves_nothing(s);
}
