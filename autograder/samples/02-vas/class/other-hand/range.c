/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who has what of a space of addresses: an AVL tree, sorted by address.
 *
 * The heights of a node's two children never differ by more than one, so no
 * order of calls makes the tree deeper than 1.45 times the logarithm of the
 * number of ranges.  Each node also sums up its subtree: from where to where
 * it reaches, and the longest hole in between.  A search for a place so goes
 * past a subtree that has none without looking into it.
 *
 * Insertion and removal go down by recursion and repair on the way up: every
 * node on the path is balanced and summed up anew.  Neither can fail.  The
 * only operation that needs memory for something that is there already is to
 * give back the middle of a range; it is allocated before anything changes.
 */
#include "range.h"

struct extent {
	struct range range;
	struct extent *child[2];	/* lower addresses, higher ones	*/
	u32 height;
	u64 low, high;			/* of the subtree		*/
	u64 gap;			/* longest hole between those	*/
};

struct ranges {
	u64 base, limit;
	u64 taken;
	struct extent *top;
};

static u64 past(const struct extent *e)
{
	return e->range.at + e->range.size;
}

static u32 height(const struct extent *e)
{
	return e ? e->height : 0;
}

/* Sum up a subtree of which the children are summed up. */
static void sum_up(struct extent *e)
{
	const struct extent *l = e->child[0], *r = e->child[1];

	e->height = max(height(l), height(r)) + 1;
	e->low = l ? l->low : e->range.at;
	e->high = r ? r->high : past(e);
	e->gap = 0;
	if (l)
		e->gap = max(l->gap, e->range.at - l->high);
	if (r)
		e->gap = max(e->gap, max(r->gap, r->low - past(e)));
}

/* The child on one side comes up, its parent goes down on the other. */
static struct extent *rotate(struct extent *e, int side)
{
	struct extent *up = e->child[side];

	e->child[side] = up->child[!side];
	up->child[!side] = e;
	sum_up(e);
	sum_up(up);
	return up;
}

/* One child may be too high by one: the new top of this subtree. */
static struct extent *balance(struct extent *e)
{
	u32 l = height(e->child[0]), r = height(e->child[1]);
	int side = r > l;
	struct extent *deep = e->child[side];

	if (max(l, r) - min(l, r) < 2) {
		sum_up(e);
		return e;
	}
	if (height(deep->child[!side]) > height(deep->child[side]))
		e->child[side] = rotate(deep, !side);
	return rotate(e, side);
}

static struct extent *insert(struct extent *top, struct extent *e)
{
	int side;

	if (!top) {
		sum_up(e);
		return e;
	}
	side = e->range.at > top->range.at;
	top->child[side] = insert(top->child[side], e);
	return balance(top);
}

/* Take out the lowest; it is not summed up any more. */
static struct extent *take_lowest(struct extent *top, struct extent **lowest)
{
	if (!top->child[0]) {
		*lowest = top;
		return top->child[1];
	}
	top->child[0] = take_lowest(top->child[0], lowest);
	return balance(top);
}

/* Take out the range that begins at an address; there is one. */
static struct extent *take_out(struct extent *top, u64 at)
{
	struct extent *heir, *rest;

	if (at != top->range.at) {
		int side = at > top->range.at;

		top->child[side] = take_out(top->child[side], at);
		return balance(top);
	}
	if (!top->child[0] || !top->child[1])
		return top->child[!top->child[0]];
	rest = take_lowest(top->child[1], &heir);
	heir->child[0] = top->child[0];
	heir->child[1] = rest;
	return balance(heir);
}

/* The size of the range that begins at an address has changed. */
static void sum_up_to(struct extent *top, u64 at)
{
	if (at != top->range.at)
		sum_up_to(top->child[at > top->range.at], at);
	sum_up(top);
}

/* The first that ends after at, or NULL. */
static struct extent *first_after(const struct ranges *ranges, u64 at)
{
	struct extent *e = ranges->top, *found = NULL;

	while (e) {
		bool lower = past(e) > at;

		if (lower)
			found = e;
		e = e->child[!lower];
	}
	return found;
}

/* Is there room from low to high, after rounding up? */
static bool fits(u64 low, u64 high, u64 size, u64 align, u64 *at)
{
	u64 start = ALIGN(low, align);

	if (start < low || start > high || high - start < size)
		return false;
	*at = start;
	return true;
}

/* The lowest room in the holes inside a subtree. */
static bool seek(const struct extent *e, u64 size, u64 align, u64 *at)
{
	const struct extent *l, *r;

	if (!e || e->gap < size)
		return false;
	l = e->child[0];
	r = e->child[1];
	return seek(l, size, align, at) ||
	       (l && fits(l->high, e->range.at, size, align, at)) ||
	       (r && fits(past(e), r->low, size, align, at)) ||
	       seek(r, size, align, at);
}

static struct extent *extent_new(u64 at, u64 size, u64 tag)
{
	struct extent *e = kzalloc(sizeof(*e), GFP_KERNEL);

	if (e)
		e->range = (struct range){ at, size, tag };
	return e;
}

static int take(struct ranges *ranges, u64 at, u64 size, u64 tag)
{
	struct extent *e = extent_new(at, size, tag);

	if (!e)
		return -ENOMEM;
	ranges->top = insert(ranges->top, e);
	ranges->taken += size;
	return 0;
}

static bool is_inside(const struct ranges *ranges, u64 at, u64 size)
{
	return size && at >= ranges->base && at < ranges->limit &&
	       size <= ranges->limit - at;
}

int ranges_create(u64 base, u64 limit, struct ranges **out)
{
	struct ranges *ranges;

	if (base >= limit)
		return -EINVAL;
	ranges = kzalloc(sizeof(*ranges), GFP_KERNEL);
	if (!ranges)
		return -ENOMEM;
	ranges->base = base;
	ranges->limit = limit;
	*out = ranges;
	return 0;
}

static void free_all(struct extent *e)
{
	if (!e)
		return;
	free_all(e->child[0]);
	free_all(e->child[1]);
	kfree(e);
}

void ranges_destroy(struct ranges *ranges)
{
	if (!ranges)
		return;
	free_all(ranges->top);
	kfree(ranges);
}

int ranges_alloc(struct ranges *ranges, u64 size, u64 align, u64 tag, u64 *at)
{
	const struct extent *top = ranges->top;
	u64 start;
	bool found;
	int err;

	if (!size || !is_power_of_2(align))
		return -EINVAL;
	if (!top)
		found = fits(ranges->base, ranges->limit, size, align, &start);
	else
		found = fits(ranges->base, top->low, size, align, &start) ||
			seek(top, size, align, &start) ||
			fits(top->high, ranges->limit, size, align, &start);
	if (!found)
		return -ENOSPC;
	err = take(ranges, start, size, tag);
	if (!err)
		*at = start;
	return err;
}

int ranges_reserve(struct ranges *ranges, u64 at, u64 size, u64 tag)
{
	const struct extent *next;

	if (!is_inside(ranges, at, size))
		return -EINVAL;
	next = first_after(ranges, at);
	if (next && (next->range.at < at || next->range.at - at < size))
		return -EEXIST;
	return take(ranges, at, size, tag);
}

/* Give back the middle of one; the rest behind it is another from then on. */
static int punch(struct ranges *ranges, struct extent *e, u64 at, u64 end)
{
	struct extent *behind = extent_new(end, past(e) - end, e->range.tag);

	if (!behind)
		return -ENOMEM;
	e->range.size = at - e->range.at;
	sum_up_to(ranges->top, e->range.at);
	ranges->top = insert(ranges->top, behind);
	ranges->taken -= end - at;
	return 0;
}

/* Give back what of one lies in [at, end), which is not its middle. */
static void trim(struct ranges *ranges, struct extent *e, u64 at, u64 end)
{
	u64 low = max(e->range.at, at), high = min(past(e), end);

	ranges->taken -= high - low;
	if (e->range.at < at) {
		e->range.size = at - e->range.at;
		sum_up_to(ranges->top, e->range.at);
	} else if (past(e) > end) {
		e->range.size = past(e) - end;
		e->range.at = end;	/* still behind the one before */
		sum_up_to(ranges->top, end);
	} else {
		ranges->top = take_out(ranges->top, e->range.at);
		kfree(e);
	}
}

int ranges_free(struct ranges *ranges, u64 at, u64 size)
{
	struct extent *e;
	u64 end = at + size;

	if (!is_inside(ranges, at, size))
		return -EINVAL;
	e = first_after(ranges, at);
	if (e && e->range.at < at && past(e) > end)
		return punch(ranges, e, at, end);
	while (e && e->range.at < end) {
		trim(ranges, e, at, end);
		e = first_after(ranges, at);
	}
	return 0;
}

bool ranges_find(const struct ranges *ranges, u64 at, struct range *range)
{
	const struct extent *e = first_after(ranges, at);

	if (e)
		*range = e->range;
	return e;
}

u64 ranges_taken(const struct ranges *ranges)
{
	return ranges->taken;
}
