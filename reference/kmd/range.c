/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who has what of a space of addresses: a balanced tree of the ranges that
 * are taken, sorted by address.
 *
 * It is balanced as Adelson-Velsky and Landis did it: of the two sides of a
 * node none is more than one higher than the other.  Where one has grown too
 * high, a node rises from there into its parent's place, which keeps the
 * order.
 *
 * To find a place in the logarithm of the number of ranges, each node knows
 * of each of its sides how far the ranges there go, and the longest hole.  A
 * side whose holes are all too short is not entered.  (Holes that are long
 * enough, and then too short for the alignment, are entered in vain.)
 *
 * What a node knows follows from its children.  After a change it is worked
 * out again from there upwards, as far as there is anything new: that is
 * mostly a few levels.
 */
#include "range.h"

/*
 * A range, and what is known of its sides: 0 is before it, 1 behind it.  What
 * is read on the way down lies together.
 */
struct node {
	u64 edge[2];		/* how far the ranges there go		*/
	struct node *child[2];
	struct range range;
	struct node *parent;
	u64 hole[2];		/* the longest, up to this range	*/
	u32 height[2];		/* 0: nothing there			*/
};

struct ranges {
	u64 base, limit;
	u64 taken;
	struct node *root;
};

/* Where in the tree something hangs, or may be hung. */
struct place {
	struct node *parent;	/* NULL: it is the root			*/
	u32 side;
};

static u64 range_end(const struct range *range)
{
	return range->at + range->size;
}

/* LAB 02: of a tree, in nodes. */
static u32 node_height(const struct node *node)
{
	return node ? 1 + max(node->height[0], node->height[1]) : 0;
}

/* LAB 02: work out what a node knows of one side; is anything new? */
static bool node_update(struct node *node, u32 side)
{
	const struct node *child = node->child[side];
	u64 begin = node->range.at, end = range_end(&node->range);
	u64 edge = side ? end : begin, hole = 0;
	u32 height = node_height(child);
	bool same;

	if (child) {
		hole = side ? child->edge[0] - end : begin - child->edge[1];
		hole = max(hole, max(child->hole[0], child->hole[1]));
		edge = child->edge[side];
	}
	same = edge == node->edge[side] && hole == node->hole[side] &&
		height == node->height[side];
	node->edge[side] = edge;
	node->hole[side] = hole;
	node->height[side] = height;
	return !same;
}

/* Where a node hangs. */
static struct place node_place(const struct node *node)
{
	struct node *parent = node->parent;

	return (struct place){ parent, parent && parent->child[1] == node };
}

/* LAB 02: hang a node, or nothing, in a place. */
static void place_set(struct ranges *ranges, struct place place,
		      struct node *node)
{
	if (place.parent)
		place.parent->child[place.side] = node;
	else
		ranges->root = node;
	if (node)
		node->parent = place.parent;
}

/* LAB 02: a node and its parent change places; the order stays. */
static void node_rise(struct ranges *ranges, struct node *node)
{
	struct place place = node_place(node);
	struct node *parent = place.parent;

	place_set(ranges, node_place(parent), node);
	place_set(ranges, place, node->child[!place.side]);
	place_set(ranges, (struct place){ node, !place.side }, parent);
	node_update(parent, place.side);
	node_update(node, !place.side);
}

/*
 * LAB 02: balance a node whose sides are; the one that is now in its place.
 * If the higher one is high in the middle, that part has to rise twice.
 */
static struct node *node_balance(struct ranges *ranges, struct node *node)
{
	u32 side = node->height[1] > node->height[0];
	struct node *child = node->child[side];

	if (node->height[side] <= node->height[!side] + 1)
		return node;
	if (child->height[!side] > child->height[side]) {
		child = child->child[!side];
		node_rise(ranges, child);
	}
	node_rise(ranges, child);
	return child;
}

/* LAB 02: something is new at a node: mend it, and those above it. */
static void ranges_mend(struct ranges *ranges, struct node *node)
{
	struct place place;

	node_update(node, 0);
	node_update(node, 1);
	do {
		place = node_place(node_balance(ranges, node));
		node = place.parent;
	} while (node && node_update(node, place.side));
}

/*
 * LAB 02: the first range that ends after at, or NULL; and where one would
 * hang that begins there, if there is no other.
 */
static struct node *ranges_look(const struct ranges *ranges, u64 at,
				struct place *place)
{
	struct node *node = ranges->root, *best = NULL;

	*place = (struct place){ NULL, 0 };
	while (node) {
		u32 side = range_end(&node->range) <= at;

		best = side ? best : node;
		*place = (struct place){ node, side };
		node = node->child[side];
	}
	return best;
}

/* LAB 02: a node becomes part of the set. */
static void ranges_insert(struct ranges *ranges, struct node *node,
			  struct place place)
{
	place_set(ranges, place, node);
	ranges_mend(ranges, node);
	ranges->taken += node->range.size;
}

/*
 * LAB 02: a range goes.  A node with two children gets the range that comes
 * next, and that one's node goes, which has one child at most.
 */
static void ranges_remove(struct ranges *ranges, struct node *node)
{
	struct node *gone = node;

	ranges->taken -= node->range.size;
	if (node->child[0] && node->child[1]) {
		gone = node->child[1];
		while (gone->child[0])
			gone = gone->child[0];
		node->range = gone->range;
	}
	place_set(ranges, node_place(gone),
		  gone->child[0] ? gone->child[0] : gone->child[1]);
	if (gone->parent)
		ranges_mend(ranges, gone->parent);
	if (gone != node)
		ranges_mend(ranges, node);
	kfree(gone);
}

/* LAB 02: a node for [at, at + size), in no tree yet; NULL. */
static struct node *node_make(u64 at, u64 size, u64 tag)
{
	struct node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (node)
		node->range = (struct range){ at, size, tag };
	return node;
}

/*
 * LAB 02: the lowest place for size bytes between from and to, where of all
 * ranges only those of this tree lie.
 */
static bool tree_seek(const struct node *tree, u64 from, u64 to, u64 size,
		      u64 align, u64 *at)
{
	if (!tree) {
		*at = ALIGN(from, align);
		return *at >= from && *at <= to && to - *at >= size;
	}
	if (max(tree->edge[0] - from, tree->hole[0]) >= size &&
	    tree_seek(tree->child[0], from, tree->range.at, size, align, at))
		return true;
	return max(to - tree->edge[1], tree->hole[1]) >= size &&
		tree_seek(tree->child[1], range_end(&tree->range), to, size,
			  align, at);
}

/* LAB 02: see range.h. */
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

/* LAB 02: free a tree; no deeper than it is. */
static void tree_free(struct node *tree)
{
	if (!tree)
		return;
	tree_free(tree->child[0]);
	tree_free(tree->child[1]);
	kfree(tree);
}

/* LAB 02: see range.h. */
void ranges_destroy(struct ranges *ranges)
{
	tree_free(ranges->root);
	kfree(ranges);
}

/* LAB 02: see range.h. */
int ranges_alloc(struct ranges *ranges, u64 size, u64 align, u64 tag, u64 *at)
{
	struct place place;
	struct node *node;
	u64 lowest;

	if (size == 0 || !is_power_of_2(align))
		return -EINVAL;
	if (!tree_seek(ranges->root, ranges->base, ranges->limit, size, align,
		       &lowest))
		return -ENOSPC;
	node = node_make(lowest, size, tag);
	if (!node)
		return -ENOMEM;
	ranges_look(ranges, lowest, &place);
	ranges_insert(ranges, node, place);
	*at = lowest;
	return 0;
}

/* LAB 02: [at, at + size) is not empty and lies inside the space. */
static bool ranges_contain(const struct ranges *ranges, u64 at, u64 size)
{
	return size != 0 && at >= ranges->base && at <= ranges->limit &&
		ranges->limit - at >= size;
}

/* LAB 02: see range.h. */
int ranges_reserve(struct ranges *ranges, u64 at, u64 size, u64 tag)
{
	const struct node *next;
	struct place place;
	struct node *node;

	if (!ranges_contain(ranges, at, size))
		return -EINVAL;
	next = ranges_look(ranges, at, &place);
	if (next && next->range.at < at + size)
		return -EEXIST;
	node = node_make(at, size, tag);
	if (!node)
		return -ENOMEM;
	ranges_insert(ranges, node, place);
	return 0;
}

/* LAB 02: what stays of a range, in its node. */
static void node_resize(struct ranges *ranges, struct node *node, u64 at,
			u64 end)
{
	ranges->taken -= node->range.size - (end - at);
	node->range.at = at;
	node->range.size = end - at;
	ranges_mend(ranges, node);
}

/*
 * LAB 02: give back what of a range lies in [at, end).  What sticks out on
 * the left stays in the node, else what sticks out on the right; the spare
 * node is for a range that sticks out on both sides.
 */
static void node_cut(struct ranges *ranges, struct node *node, u64 at,
		     u64 end, struct node *spare)
{
	struct range old = node->range;
	struct place place;

	if (old.at < at)
		node_resize(ranges, node, old.at, at);
	else if (range_end(&old) > end)
		node_resize(ranges, node, end, range_end(&old));
	else
		ranges_remove(ranges, node);
	if (spare) {
		spare->range = (struct range){
			.at = end, .size = range_end(&old) - end,
			.tag = old.tag,
		};
		ranges_look(ranges, end, &place);
		ranges_insert(ranges, spare, place);
	}
}

/*
 * LAB 02: see range.h.  A range that sticks out on both sides is the only one
 * that needs memory, and then the only one: ask before anything changes.
 */
int ranges_free(struct ranges *ranges, u64 at, u64 size)
{
	struct node *node, *spare = NULL;
	u64 end = at + size, next;
	struct place place;

	if (!ranges_contain(ranges, at, size))
		return -EINVAL;
	node = ranges_look(ranges, at, &place);
	if (node && node->range.at < at && range_end(&node->range) > end) {
		spare = node_make(0, 0, 0);
		if (!spare)
			return -ENOMEM;
	}
	while (node && node->range.at < end) {
		next = range_end(&node->range);
		node_cut(ranges, node, at, end, spare);
		node = next < end ? ranges_look(ranges, next, &place) : NULL;
	}
	return 0;
}

/* LAB 02: see range.h. */
bool ranges_find(const struct ranges *ranges, u64 at, struct range *range)
{
	struct place place;
	const struct node *node = ranges_look(ranges, at, &place);

	if (node)
		*range = node->range;
	return node;
}

/* LAB 02: see range.h. */
u64 ranges_taken(const struct ranges *ranges)
{
	return ranges->taken;
}
