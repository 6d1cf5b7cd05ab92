/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Where gpu_table_alloc() has its memory from. */
#ifndef KMD_TABLES_H
#define KMD_TABLES_H

#include "kmd.h"

#define SLAB_SHIFT	21		/* a slab is 2 MiB		*/
#define TABLE_SHIFT	8		/* the smallest table: 256 bytes */

struct slab;

/* The slabs that have room, by the size of their tables. */
struct table_pool {
	struct slab *room[SLAB_SHIFT - TABLE_SHIFT + 1];
};

/* All tables have been given back.  Under gpu->lock, or alone. */
void gpu_tables_fini(struct gpu *gpu);

#endif
