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
	ranges->random ^= ranges->random << 13;
	ranges->random ^= ranges->random >> 7;
	ranges->random ^= ranges->random << 17;
	return ranges->random;
}

/* LAB 02: what a node knows of its subtree, from its children. */
static void node_update(struct node *node)
{
	const struct node *left = node->left, *right = node->right;

	node->first = node->range.at;
	node->end = range_end(&node->range);
	node->hole = 0;
	if (left) {
		node->hole = max(left->hole, node->first - left->end);
		node->first = left->first;
	}
	if (right) {
		node->hole = max(node->hole, right->hole);
		node->hole = max(node->hole, right->first - node->end);
		node->end = right->end;
	}
}

/* LAB 02: cut a tree in two: ranges that begin before at, and the others. */
static void tree_split(struct node *tree, u64 at, struct node **before,
		       struct node **after)
{
	if (!tree) {
		*before = NULL;
		*after = NULL;
		return;
	}
	if (tree->range.at < at) {
		*before = tree;
		tree_split(tree->right, at, &tree->right, after);
	} else {
		*after = tree;
		tree_split(tree->left, at, before, &tree->left);
	}
	node_update(tree);
}

/* LAB 02: one tree of two; every range of left is before those of right. */
static struct node *tree_merge(struct node *left, struct node *right)
{
	if (!left)
		return right;
	if (!right)
		return left;
	if (left->weight >= right->weight) {
		left->right = tree_merge(left->right, right);
		node_update(left);
		return left;
	}
	right->left = tree_merge(left, right->left);
	node_update(right);
	return right;
}

/* LAB 02: put a node into a tree: above all that weigh less. */
static struct node *tree_insert(struct node *tree, struct node *node)
{
	if (!tree || tree->weight < node->weight) {
		tree_split(tree, node->range.at, &node->left, &node->right);
		tree = node;
	} else if (node->range.at < tree->range.at) {
		tree->left = tree_insert(tree->left, node);
	} else {
		tree->right = tree_insert(tree->right, node);
	}
	node_update(tree);
	return tree;
}

/* LAB 02: take a node out of the tree that it is in. */
static struct node *tree_remove(struct node *tree, const struct node *node)
{
	if (tree == node)
		return tree_merge(node->left, node->right);
	if (node->range.at < tree->range.at)
		tree->left = tree_remove(tree->left, node);
	else
		tree->right = tree_remove(tree->right, node);
	node_update(tree);
	return tree;
}

/* LAB 02: a node becomes part of the set. */
static void ranges_insert(struct ranges *ranges, struct node *node)
{
	ranges->root = tree_insert(ranges->root, node);
	ranges->taken += node->range.size;
}

/* LAB 02: a node is no more part of the set. */
static void ranges_remove(struct ranges *ranges, struct node *node)
{
	ranges->root = tree_remove(ranges->root, node);
	ranges->taken -= node->range.size;
}

/* LAB 02: the first range that ends after at, or NULL. */
static struct node *ranges_look(const struct ranges *ranges, u64 at)
{
	struct node *node = ranges->root, *best = NULL;

	while (node) {
		if (range_end(&node->range) > at) {
			best = node;
			node = node->left;
		} else {
			node = node->right;
		}
	}
	return best;
}

/* LAB 02: a node for [at, at + size), in no tree yet; NULL. */
static struct node *node_make(struct ranges *ranges, u64 at, u64 size,
			      u64 tag)
{
	struct node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	node->range = (struct range){ at, size, tag };
	node->weight = weight_draw(ranges);
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
	if (tree->hole < size && tree->first - from < size &&
	    to - tree->end < size)
		return false;
	return tree_seek(tree->left, from, tree->range.at, size, align, at) ||
	       tree_seek(tree->right, range_end(&tree->range), to, size,
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
	ranges->random = 0x9e3779b97f4a7c15ULL;
	*out = ranges;
	return 0;
}

/* LAB 02: free a tree; no deeper than it is. */
static void tree_free(struct node *tree)
{
	if (!tree)
		return;
	tree_free(tree->left);
	tree_free(tree->right);
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
	struct node *node;
	u64 place;

	if (size == 0 || !is_power_of_2(align))
		return -EINVAL;
	if (!tree_seek(ranges->root, ranges->base, ranges->limit, size, align,
		       &place))
		return -ENOSPC;
	node = node_make(ranges, place, size, tag);
	if (!node)
		return -ENOMEM;
	ranges_insert(ranges, node);
	*at = place;
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
	struct node *node;

	if (!ranges_contain(ranges, at, size))
		return -EINVAL;
	next = ranges_look(ranges, at);
	if (next && next->range.at < at + size)
		return -EEXIST;
	node = node_make(ranges, at, size, tag);
	if (!node)
		return -ENOMEM;
	ranges_insert(ranges, node);
	return 0;
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

	ranges_remove(ranges, node);
	if (old.at < at) {
		node->range.size = at - old.at;
		ranges_insert(ranges, node);
		node = spare;
	}
	if (range_end(&old) > end) {
		node->range = (struct range){
			.at = end, .size = range_end(&old) - end,
			.tag = old.tag,
		};
		ranges_insert(ranges, node);
	} else if (old.at >= at) {
		kfree(node);
	}
}

/*
 * LAB 02: see range.h.  A range that sticks out on both sides is the only one
 * that needs memory, and then the only one: ask before anything changes.
 */
int ranges_free(struct ranges *ranges, u64 at, u64 size)
{
	struct node *node, *spare = NULL;
	u64 end = at + size;

	if (!ranges_contain(ranges, at, size))
		return -EINVAL;
	node = ranges_look(ranges, at);
	if (node && node->range.at < at && range_end(&node->range) > end) {
		spare = node_make(ranges, 0, 0, 0);
		if (!spare)
			return -ENOMEM;
	}
	while (node && node->range.at < end) {
		node_cut(ranges, node, at, end, spare);
		node = ranges_look(ranges, at);
	}
	return 0;
}

/* LAB 02: see range.h. */
bool ranges_find(const struct ranges *ranges, u64 at, struct range *range)
{
	const struct node *node = ranges_look(ranges, at);

	if (node)
		*range = node->range;
	return node;
}

/* LAB 02: see range.h. */
u64 ranges_taken(const struct ranges *ranges)
{
	return ranges->taken;
}
