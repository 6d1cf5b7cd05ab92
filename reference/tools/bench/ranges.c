/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The set of ranges against libjudy, and against the red-black tree that comes
 * with BSD (libbsd's <bsd/sys/tree.h>).
 *
 * range_fixed: what any map from addresses to ranges can do: take a range at
 * a given place, look one up, give one back.  JudyL holds the sizes by their
 * starts.  The red-black tree has what ours has, a node in memory of its own
 * for each range, and knows nothing of holes.
 *
 * range_lowest: take the lowest place that fits.  A map without knowledge of
 * its holes has to walk them, and that is what the peer does.
 *
 * All get the same calls in the same order, and run in turn, heat after heat,
 * so that whatever else the machine does meets each of them.  A heat is as
 * fast as its best round, when the caches were warm and nobody disturbed.
 * Values are those of the best heats; the ratio is the median of the heats'.
 */
#include <Judy.h>
#include <bsd/sys/tree.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "range.h"

#define RANGES	20000u		/* alive				*/
#define PAGE	4096ull
#define SPACE	(RANGES * 64 * PAGE)
#define CALLS	2000u		/* a round				*/
#define LOWEST	20u		/* … of the peer's walks		*/
#define ROUNDS	50u		/* a heat; the best one counts		*/
#define HEATS	9u
#define SETS	3u		/* in a contest				*/

/* One implementation; there is one set of each at a time. */
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
	struct range range = { 0 };
	bool found = ranges_find(ranges, at, &range);

	*start = range.at;
	*size = range.size;
	return found;
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

static const struct set judyl = {
	"judyl", judy_open, judy_take, judy_lowest, judy_look, judy_give,
	judy_close,
};

struct red {
	u64 at, size;
	RB_ENTRY(red) entry;
};

/* Ranges that overlap are equal: then taking needs one way down. */
static int red_compare(const struct red *a, const struct red *b)
{
	return a->at >= b->at + b->size ? 1 : a->at + a->size <= b->at ? -1 : 0;
}

static RB_HEAD(red_tree, red) reds;
static struct red *red_spare;	/* of a range that was not to be had	*/
RB_PROTOTYPE(red_tree, red, entry, red_compare)
RB_GENERATE(red_tree, red, entry, red_compare)

static void red_open(void)
{
	RB_INIT(&reds);
}

/* The first range that ends after at. */
static bool red_look(u64 at, u64 *start, u64 *size)
{
	struct red *red = RB_ROOT(&reds), *best = NULL;

	while (red) {
		bool before = red->at + red->size <= at;

		best = before ? best : red;
		red = before ? RB_RIGHT(red, entry) : RB_LEFT(red, entry);
	}
	*start = best ? best->at : 0;
	*size = best ? best->size : 0;
	return best;
}

static int red_take(u64 at, u64 size)
{
	struct red *red = red_spare ? red_spare : malloc(sizeof(*red));

	if (!red)
		return -ENOMEM;
	*red = (struct red){ .at = at, .size = size };
	red_spare = RB_INSERT(red_tree, &reds, red) ? red : NULL;
	return red_spare ? -EEXIST : 0;
}

static void red_give(u64 at, u64 size)
{
	struct red key = { .at = at, .size = size };
	struct red *red = RB_FIND(red_tree, &reds, &key);

	RB_REMOVE(red_tree, &reds, red);
	free(red);
}

static void red_close(void)
{
	struct red *red;

	while ((red = RB_ROOT(&reds))) {
		RB_REMOVE(red_tree, &reds, red);
		free(red);
	}
	free(red_spare);
	red_spare = NULL;
}

static const struct set rbtree = {
	.name = "rbtree", .open = red_open, .take = red_take,
	.look = red_look, .give = red_give, .close = red_close,
};

/* A set in use: what is in it, and how fast each round was. */
struct run {
	const struct set *set;
	uint64_t seed;
	u64 at[RANGES], size[RANGES];
	double rate[HEATS];	/* M calls a second			*/
};

static uint32_t draw(struct run *run, uint32_t n)
{
	run->seed = run->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (run->seed >> 33) % n;
}

static u64 draw_size(struct run *run)
{
	return (1 + draw(run, 16)) * PAGE;
}

/* Range i to somewhere new. */
static void take_fixed(struct run *run, u32 i)
{
	do {
		run->size[i] = draw_size(run);
		run->at[i] = draw(run, (SPACE - run->size[i]) / PAGE) * PAGE;
	} while (run->set->take(run->at[i], run->size[i]));
}

static void fixed_fill(struct run *run)
{
	for (u32 i = 0; i < RANGES; i++)
		take_fixed(run, i);
}

/* A range given back, one taken, two looked up. */
static u32 fixed_round(struct run *run)
{
	u64 start, length;

	for (u32 call = 0; call < CALLS; call += 4) {
		u32 i = draw(run, RANGES);

		run->set->give(run->at[i], run->size[i]);
		take_fixed(run, i);
		for (u32 n = 0; n < 2; n++)
			run->set->look(draw(run, SPACE / PAGE) * PAGE, &start,
				       &length);
	}
	return CALLS;
}

static void lowest_fill(struct run *run)
{
	u64 next = 0;

	for (u32 i = 0; i < RANGES; i++) {
		run->size[i] = draw_size(run);
		run->at[i] = next;
		next += run->size[i];
		if (run->set->take(run->at[i], run->size[i]))
			exit(1);
	}
}

/* A range given back, the lowest place taken. */
static u32 lowest_round(struct run *run)
{
	u32 calls = run->set == &ours ? CALLS : LOWEST;

	for (u32 call = 0; call < calls; call += 2) {
		u32 i = draw(run, RANGES);

		run->set->give(run->at[i], run->size[i]);
		run->size[i] = draw_size(run);
		if (run->set->lowest(run->size[i], &run->at[i]))
			exit(1);
	}
	return calls;
}

struct contest {
	const char *name;
	void (*fill)(struct run *run);
	u32 (*round)(struct run *run);
	const struct set *sets[SETS];
};

static const struct contest contests[] = {
	{ "range_fixed", fixed_fill, fixed_round, { &ours, &judyl, &rbtree } },
	{ "range_lowest", lowest_fill, lowest_round, { &ours, &judyl } },
};

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double best(const double *rates, u32 n)
{
	double rate = 0;

	for (u32 i = 0; i < n; i++)
		rate = rates[i] > rate ? rates[i] : rate;
	return rate;
}

static double heat(const struct contest *contest, struct run *run)
{
	double rates[ROUNDS];

	for (u32 round = 0; round < ROUNDS; round++) {
		uint64_t begin = bench_now();
		u32 calls = contest->round(run);

		rates[round] = calls * 1e3 / (bench_now() - begin);
	}
	return best(rates, ROUNDS);
}

static void report(const char *name, const struct run *our,
		   const struct run *peer)
{
	double ratios[HEATS];
	char label[64];

	for (u32 i = 0; i < HEATS; i++)
		ratios[i] = our->rate[i] / peer->rate[i];
	qsort(ratios, HEATS, sizeof(*ratios), compare);
	snprintf(label, sizeof(label), "%s_%s", name, peer->set->name);
	bench_print_ratio(label, best(our->rate, HEATS), "Mcalls/s",
			  peer->set->name, best(peer->rate, HEATS),
			  ratios[HEATS / 2]);
}

static void contest(const struct contest *contest)
{
	static struct run runs[SETS];
	u32 sets = 0;

	for (; sets < SETS && contest->sets[sets]; sets++) {
		runs[sets].set = contest->sets[sets];
		runs[sets].seed = 1;
		runs[sets].set->open();
		contest->fill(&runs[sets]);
	}
	for (u32 n = 0; n < HEATS; n++) {
		for (u32 i = 0; i < sets; i++)
			runs[i].rate[n] = heat(contest, &runs[i]);
	}
	for (u32 i = 0; i < sets; i++) {
		runs[i].set->close();
		if (i)
			report(contest->name, &runs[0], &runs[i]);
	}
}

int main(void)
{
	bench_pin(0);
	for (u32 i = 0; i < sizeof(contests) / sizeof(*contests); i++)
		contest(&contests[i]);
	return 0;
}
