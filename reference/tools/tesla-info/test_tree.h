/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A sysfs with one card in it, in a folder of its own. */
#ifndef INFO_TEST_TREE_H
#define INFO_TEST_TREE_H

#include "info.h"
#include "vm/model/card.h"

#define CARD	"0000:01:00.0"
#define OTHER	"0000:01:00.1"

struct tree {
	char root[64];		/* what stands for /sys		*/
};

/* A card as the model's is after a bus reset, bound to vfio-pci, in a group of
 * its own, behind a bridge: nothing against vfio. */
void tree_make(struct tree *tree, enum card_chip chip);
void tree_remove(struct tree *tree);

/* path is below the root; what was there is replaced. */
void tree_file(struct tree *tree, const char *path, const char *text);
void tree_link(struct tree *tree, const char *path, const char *target);
void tree_delete(struct tree *tree, const char *path);
void tree_move(struct tree *tree, const char *from, const char *to);
/* Bytes in the middle of a file. */
void tree_patch(struct tree *tree, const char *path, u64 offset,
		const void *bytes, size_t len);
void tree_cut(struct tree *tree, const char *path, u64 size);
/* A number that changes with any byte of a file's beginning. */
u64 tree_sum(struct tree *tree, const char *path);

#define DEVICE	"bus/pci/devices/" CARD

#endif
