/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who has what of a space of addresses: a balanced tree of the ranges that
 * are taken.
 *
 * It is a treap.  Read from left to right it is sorted by address; read from
 * the root down it is a heap by weights that were drawn when the nodes were
 * made.  Random weights keep it as flat as a tree into which the ranges came
 * in random order, whatever order they do come in.  A node that weighs more
 * than what is in its place splits that in two; what is below a node that
 * goes is merged again.
 *
 * To find a place in the logarithm of the number of ranges, each node knows
 * of its subtree where it begins and ends, and the longest hole inside.  A
 * subtree whose holes are all too short is not entered.  (Holes that are long
 * enough, and then too short for the alignment, are entered in vain.)
 */
#include "range.h"

struct node {
	struct range range;
	struct node *left, *right;
	u64 first, end;		/* of the subtree			*/
	u64 hole;		/* the longest inside it		*/
	u64 weight;		/* not above that of its parent		*/
};

struct ranges {
	u64 base, limit;
	u64 taken;
	u64 random;		/* the last weight drawn		*/
	struct node *root;
};

static u64 range_end(const struct range *range)
{
	return range->at + range->size;
}

/* LAB 02: a weight for a new node; xorshift, never 0. */
static u64 weight_draw(struct ranges *ranges)
{
	return 0;
}

/* LAB 02: what a node knows of its subtree, from its children. */
static void node_update(struct node *node)
{
}

/* LAB 02: cut a tree in two: ranges that begin before at, and the others. */
static void tree_split(struct node *tree, u64 at, struct node **before,
		       struct node **after)
{
}

/* LAB 02: one tree of two; every range of left is before those of right. */
static struct node *tree_merge(struct node *left, struct node *right)
{
	return NULL;
}

/* LAB 02: put a node into a tree: above all that weigh less. */
static struct node *tree_insert(struct node *tree, struct node *node)
{
	return NULL;
}

/* LAB 02: take a node out of the tree that it is in. */
static struct node *tree_remove(struct node *tree, const struct node *node)
{
	return NULL;
}

/* LAB 02: a node becomes part of the set. */
static void ranges_insert(struct ranges *ranges, struct node *node)
{
}

/* LAB 02: a node is no more part of the set. */
static void ranges_remove(struct ranges *ranges, struct node *node)
{
}

/* LAB 02: the first range that ends after at, or NULL. */
static struct node *ranges_look(const struct ranges *ranges, u64 at)
{
	return NULL;
}

/* LAB 02: a node for [at, at + size), in no tree yet; NULL. */
static struct node *node_make(struct ranges *ranges, u64 at, u64 size,
			      u64 tag)
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
