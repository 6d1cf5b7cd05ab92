/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The set of ranges against libjudy.
 *
 * range_fixed: what any map from addresses to ranges can do: take a range at
 * a given place, look one up, give one back.  JudyL holds the sizes by their
 * starts.  range_lowest: take the lowest place that fits.  A map without
 * knowledge of its holes has to walk them, and that is what the peer does.
 */
#include <Judy.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "range.h"

#define RANGES	20000u		/* alive				*/
#define PAGE	4096ull
#define SPACE	(RANGES * 64 * PAGE)
#define CALLS	2000u		/* a round				*/
#define LOWEST	20u		/* … of the peer's walks		*/
#define ROUNDS	200u		/* the best counts			*/

static uint64_t seed;

static uint32_t draw(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % n;
}

/* One implementation. */
struct set {
	const char *name;
	void (*open)(void);
	int (*take)(u64 at, u64 size);
	int (*lowest)(u64 size, u64 *at);
	bool (*look)(u64 at, u64 *start, u64 *size);
	void (*give)(u64 at, u64 size);
	void (*close)(void);
};

static struct ranges *ranges;

static void ours_open(void)
{
	if (ranges_create(0, SPACE, &ranges))
		exit(1);
}

static int ours_take(u64 at, u64 size)
{
	return ranges_reserve(ranges, at, size, 0);
}

static int ours_lowest(u64 size, u64 *at)
{
	return ranges_alloc(ranges, size, PAGE, 0, at);
}

static bool ours_look(u64 at, u64 *start, u64 *size)
{
	struct range range;

	if (!ranges_find(ranges, at, &range))
		return false;
	*start = range.at;
	*size = range.size;
	return true;
}

static void ours_give(u64 at, u64 size)
{
	ranges_free(ranges, at, size);
}

static void ours_close(void)
{
	ranges_destroy(ranges);
}

static const struct set ours = {
	"ours", ours_open, ours_take, ours_lowest, ours_look, ours_give,
	ours_close,
};

static Pvoid_t judy;

static void judy_open(void)
{
	judy = NULL;
}

/* The first range that ends after at. */
static bool judy_look(u64 at, u64 *start, u64 *size)
{
	Word_t index = at;
	PWord_t value;

	JLL(value, judy, index);
	if (!value || index + *value <= at) {
		index = at;
		JLF(value, judy, index);
	}
	if (!value)
		return false;
	*start = index;
	*size = *value;
	return true;
}

static int judy_take(u64 at, u64 size)
{
	u64 next, next_size;
	PWord_t value;

	if (judy_look(at, &next, &next_size) && next < at + size)
		return -EEXIST;
	JLI(value, judy, at);
	*value = size;
	return 0;
}

static int judy_lowest(u64 size, u64 *at)
{
	Word_t index = 0;
	PWord_t value;
	u64 end = 0;

	JLF(value, judy, index);
	while (value && index - end < size) {
		end = index + *value;
		JLN(value, judy, index);
	}
	if (!value && SPACE - end < size)
		return -ENOSPC;
	*at = end;
	JLI(value, judy, end);
	*value = size;
	return 0;
}

static void judy_give(u64 at, u64 size)
{
	(void)size;
	JudyLDel(&judy, at, PJE0);
}

static void judy_close(void)
{
	JudyLFreeArray(&judy, PJE0);
}

static const struct set peer = {
	"judyl", judy_open, judy_take, judy_lowest, judy_look, judy_give,
	judy_close,
};

static u64 at[RANGES], size[RANGES];

static u64 draw_size(void)
{
	return (1 + draw(16)) * PAGE;
}

/* Range i to somewhere new. */
static void take_fixed(const struct set *set, u32 i)
{
	do {
		size[i] = draw_size();
		at[i] = draw((SPACE - size[i]) / PAGE) * PAGE;
	} while (set->take(at[i], size[i]));
}

static double best(double a, double b)
{
	return a > b ? a : b;
}

/* M calls a second: a range given back, one taken, two looked up. */
static double fixed(const struct set *set)
{
	u64 start, length;
	double rate = 0;

	seed = 1;
	set->open();
	for (u32 i = 0; i < RANGES; i++)
		take_fixed(set, i);
	for (u32 round = 0; round < ROUNDS; round++) {
		uint64_t begin = bench_now();

		for (u32 call = 0; call < CALLS; call += 4) {
			u32 i = draw(RANGES);

			set->give(at[i], size[i]);
			take_fixed(set, i);
			for (u32 n = 0; n < 2; n++)
				set->look(draw(SPACE / PAGE) * PAGE, &start,
					  &length);
		}
		rate = best(rate, CALLS * 1e3 / (bench_now() - begin));
	}
	set->close();
	return rate;
}

/* M calls a second: a range given back, the lowest place taken. */
static double lowest(const struct set *set, u32 calls)
{
	double rate = 0;
	u64 next = 0;

	seed = 1;
	set->open();
	for (u32 i = 0; i < RANGES; i++) {
		size[i] = draw_size();
		at[i] = next;
		next += size[i];
		if (set->take(at[i], size[i]))
			exit(1);
	}
	for (u32 round = 0; round < ROUNDS; round++) {
		uint64_t begin = bench_now();

		for (u32 call = 0; call < calls; call += 2) {
			u32 i = draw(RANGES);

			set->give(at[i], size[i]);
			size[i] = draw_size();
			if (set->lowest(size[i], &at[i]))
				exit(1);
		}
		rate = best(rate, calls * 1e3 / (bench_now() - begin));
	}
	set->close();
	return rate;
}

int main(void)
{
	bench_pin(0);
	bench_print("range_fixed", fixed(&ours), "Mcalls/s", peer.name,
		    fixed(&peer), BENCH_MORE);
	bench_print("range_lowest", lowest(&ours, CALLS), "Mcalls/s",
		    peer.name, lowest(&peer, LOWEST), BENCH_MORE);
	return 0;
}
