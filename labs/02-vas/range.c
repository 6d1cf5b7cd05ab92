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
	return 0;
}

/* LAB 02: work out what a node knows of one side; is anything new? */
static bool node_update(struct node *node, u32 side)
{
	return false;
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
}

/* LAB 02: a node and its parent change places; the order stays. */
static void node_rise(struct ranges *ranges, struct node *node)
{
}

/*
 * LAB 02: balance a node whose sides are; the one that is now in its place.
 * If the higher one is high in the middle, that part has to rise twice.
 */
static struct node *node_balance(struct ranges *ranges, struct node *node)
{
	return NULL;
}

/* LAB 02: something is new at a node: mend it, and those above it. */
static void ranges_mend(struct ranges *ranges, struct node *node)
{
}

/*
 * LAB 02: the first range that ends after at, or NULL; and where one would
 * hang that begins there, if there is no other.
 */
static struct node *ranges_look(const struct ranges *ranges, u64 at,
				struct place *place)
{
	return NULL;
}

/* LAB 02: a node becomes part of the set. */
static void ranges_insert(struct ranges *ranges, struct node *node,
			  struct place place)
{
}

/*
 * LAB 02: a range goes.  A node with two children gets the range that comes
 * next, and that one's node goes, which has one child at most.
 */
static void ranges_remove(struct ranges *ranges, struct node *node)
{
}

/* LAB 02: a node for [at, at + size), in no tree yet; NULL. */
static struct node *node_make(u64 at, u64 size, u64 tag)
{
	return NULL;
}

/*
 * LAB 02: the lowest place for size bytes between from and to, where of all
 * ranges only those of this tree lie.
 */
static bool tree_seek(const struct node *tree, u64 from, u64 to, u64 size,
		      u64 align, u64 *at)
{
	return false;
}

/* LAB 02: see range.h. */
int ranges_create(u64 base, u64 limit, struct ranges **out)
{
	return -ENOSYS;
}

/* LAB 02: free a tree; no deeper than it is. */
static void tree_free(struct node *tree)
{
}

/* LAB 02: see range.h. */
void ranges_destroy(struct ranges *ranges)
{
}

/* LAB 02: see range.h. */
int ranges_alloc(struct ranges *ranges, u64 size, u64 align, u64 tag, u64 *at)
{
	return -ENOSYS;
}

/* LAB 02: [at, at + size) is not empty and lies inside the space. */
static bool ranges_contain(const struct ranges *ranges, u64 at, u64 size)
{
	return false;
}

/* LAB 02: see range.h. */
int ranges_reserve(struct ranges *ranges, u64 at, u64 size, u64 tag)
{
	return -ENOSYS;
}

/* LAB 02: what stays of a range, in its node. */
static void node_resize(struct ranges *ranges, struct node *node, u64 at,
			u64 end)
{
}

/*
 * LAB 02: give back what of a range lies in [at, end).  What sticks out on
 * the left stays in the node, else what sticks out on the right; the spare
 * node is for a range that sticks out on both sides.
 */
static void node_cut(struct ranges *ranges, struct node *node, u64 at,
		     u64 end, struct node *spare)
{
}

/*
 * LAB 02: see range.h.  A range that sticks out on both sides is the only one
 * that needs memory, and then the only one: ask before anything changes.
 */
int ranges_free(struct ranges *ranges, u64 at, u64 size)
{
	return -ENOSYS;
}

/* LAB 02: see range.h. */
bool ranges_find(const struct ranges *ranges, u64 at, struct range *range)
{
	return false;
}

/* LAB 02: see range.h. */
u64 ranges_taken(const struct ranges *ranges)
{
	return 0;
}
