/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02, a second design: ranges in an AVL tree.
 *
 * Each subtree also knows where its first range begins, where its last one
 * ends, and how long the longest hole between two of its ranges is.
 */
#include "range.h"

struct avl {
	struct avl *kid[2];
	struct range r;
	u64 lo, hi, gap;
	int height;
};

struct ranges {
	struct avl *top;
	u64 base, limit, sum;
};

static int height(struct avl *t)
{
	return t ? t->height : 0;
}

static u64 end_of(const struct range *r)
{
	return r->at + r->size;
}

static void pull(struct avl *t)
{
	struct avl *a = t->kid[0], *b = t->kid[1];

	t->height = 1 + max(height(a), height(b));
	t->lo = a ? a->lo : t->r.at;
	t->hi = b ? b->hi : end_of(&t->r);
	t->gap = 0;
	if (a)
		t->gap = max(a->gap, t->r.at - a->hi);
	if (b)
		t->gap = max(t->gap, max(b->gap, b->lo - end_of(&t->r)));
}

/* The kid of that side comes up. */
static struct avl *rotate(struct avl *t, int side)
{
	struct avl *up = t->kid[side];

	t->kid[side] = up->kid[!side];
	up->kid[!side] = t;
	pull(t);
	pull(up);
	return up;
}

static struct avl *fix(struct avl *t)
{
	int side;

	pull(t);
	for (side = 0; side < 2; side++) {
		struct avl *kid = t->kid[side];

		if (height(kid) < height(t->kid[!side]) + 2)
			continue;
		if (height(kid->kid[!side]) > height(kid->kid[side]))
			t->kid[side] = rotate(kid, !side);
		return rotate(t, side);
	}
	return t;
}

static struct avl *put(struct avl *t, struct avl *new)
{
	int side;

	if (!t) {
		new->kid[0] = new->kid[1] = NULL;
		pull(new);
		return new;
	}
	side = new->r.at > t->r.at;
	t->kid[side] = put(t->kid[side], new);
	return fix(t);
}

static struct avl *take_first(struct avl *t, struct avl **first)
{
	if (!t->kid[0]) {
		*first = t;
		return t->kid[1];
	}
	t->kid[0] = take_first(t->kid[0], first);
	return fix(t);
}

/* The range that begins at this place goes out of the tree. */
static struct avl *take(struct avl *t, u64 at)
{
	struct avl *first;

	if (at != t->r.at) {
		int side = at > t->r.at;

		t->kid[side] = take(t->kid[side], at);
		return fix(t);
	}
	if (!t->kid[1])
		return t->kid[0];
	t->kid[1] = take_first(t->kid[1], &first);
	first->kid[0] = t->kid[0];
	first->kid[1] = t->kid[1];
	return fix(first);
}

static struct avl *ending_after(const struct ranges *ranges, u64 at)
{
	struct avl *t = ranges->top, *found = NULL;

	while (t) {
		bool after = end_of(&t->r) > at;

		if (after)
			found = t;
		t = t->kid[!after];
	}
	return found;
}

static bool outside(const struct ranges *ranges, u64 at, u64 size)
{
	return !size || at < ranges->base || at >= ranges->limit ||
		size > ranges->limit - at;
}

int ranges_create(u64 base, u64 limit, struct ranges **ranges)
{
	if (limit <= base)
		return -EINVAL;
	*ranges = kzalloc(sizeof(**ranges), GFP_KERNEL);
	if (!*ranges)
		return -ENOMEM;
	(*ranges)->base = base;
	(*ranges)->limit = limit;
	return 0;
}

static void burn(struct avl *t)
{
	if (!t)
		return;
	burn(t->kid[0]);
	burn(t->kid[1]);
	kfree(t);
}

void ranges_destroy(struct ranges *ranges)
{
	burn(ranges->top);
	kfree(ranges);
}

static int add(struct ranges *ranges, u64 at, u64 size, u64 tag)
{
	struct avl *new = kzalloc(sizeof(*new), GFP_KERNEL);

	if (!new)
		return -ENOMEM;
	new->r = (struct range){ at, size, tag };
	ranges->top = put(ranges->top, new);
	ranges->sum += size;
	return 0;
}

static bool fits(u64 from, u64 to, u64 size, u64 align, u64 *at)
{
	*at = ALIGN(from, align);
	return *at >= from && *at <= to && size <= to - *at;
}

/* The lowest place between from and to, where this subtree's ranges are. */
static bool seek(struct avl *t, u64 from, u64 to, u64 size, u64 align, u64 *at)
{
	if (!t)
		return fits(from, to, size, align, at);
	if (max(t->gap, max(t->lo - from, to - t->hi)) < size)
		return false;
	return seek(t->kid[0], from, t->r.at, size, align, at) ||
		seek(t->kid[1], end_of(&t->r), to, size, align, at);
}

int ranges_alloc(struct ranges *ranges, u64 size, u64 align, u64 tag, u64 *at)
{
	u64 place;
	int err;

	if (!size || !align || align & (align - 1))
		return -EINVAL;
	if (!seek(ranges->top, ranges->base, ranges->limit, size, align,
		  &place))
		return -ENOSPC;
	err = add(ranges, place, size, tag);
	if (!err)
		*at = place;
	return err;
}

int ranges_reserve(struct ranges *ranges, u64 at, u64 size, u64 tag)
{
	struct avl *next;

	if (outside(ranges, at, size))
		return -EINVAL;
	next = ending_after(ranges, at);
	if (next && next->r.at < at + size)
		return -EEXIST;
	return add(ranges, at, size, tag);
}

int ranges_free(struct ranges *ranges, u64 at, u64 size)
{
	u64 end = at + size;
	struct avl *t;

	if (outside(ranges, at, size))
		return -EINVAL;
	while ((t = ending_after(ranges, at)) && t->r.at < end) {
		struct range old = t->r;

		/* What stays on the right first: it alone needs memory. */
		if (end_of(&old) > end && old.at < at) {
			t->r.size = at - old.at;
			ranges->top = take(ranges->top, old.at);
			ranges->top = put(ranges->top, t);
			ranges->sum -= old.size - t->r.size;
			if (!add(ranges, end, end_of(&old) - end, old.tag))
				return 0;
			ranges->top = take(ranges->top, old.at);
			ranges->sum += old.size - t->r.size;
			t->r = old;
			ranges->top = put(ranges->top, t);
			return -ENOMEM;
		}
		ranges->top = take(ranges->top, old.at);
		ranges->sum -= old.size;
		if (old.at < at)
			t->r.size = at - old.at;
		else if (end_of(&old) > end)
			t->r = (struct range){ end, end_of(&old) - end,
				old.tag };
		else
			t->r.size = 0;
		if (!t->r.size) {
			kfree(t);
			continue;
		}
		ranges->sum += t->r.size;
		ranges->top = put(ranges->top, t);
	}
	return 0;
}

bool ranges_find(const struct ranges *ranges, u64 at, struct range *range)
{
	struct avl *t = ending_after(ranges, at);

	if (t)
		*range = t->r;
	return t != NULL;
}

u64 ranges_taken(const struct ranges *ranges)
{
	return ranges->sum;
}
