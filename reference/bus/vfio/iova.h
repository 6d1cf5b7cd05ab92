/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Addresses that the card uses for our memory, as an IOMMU allows them.
 *
 * Not thread safe: the owner locks.
 */
#ifndef VFIO_IOVA_H
#define VFIO_IOVA_H

#include "port.h"

/* Addresses first to last, both of them in. */
struct iova_range {
	u64 first, last;
};

#define IOVA_RANGES	32

struct iova_block;

struct iova_space {
	struct iova_range range[IOVA_RANGES];	/* by address, apart	*/
	unsigned int ranges;
	u64 page;
	struct iova_block *blocks;		/* taken, by address	*/
};

/*
 * Hand out what lies in the ranges and at or below last, in units of page, a
 * power of two.  0; -EINVAL: page; -ENOSPC: nothing is left of the ranges,
 * or there are more than we keep.
 */
int iova_init(struct iova_space *space, const struct iova_range *range,
	      unsigned int ranges, u64 last, u64 page);
/* Whatever is still taken is given back. */
void iova_fini(struct iova_space *space);

/* size is rounded up to pages.  0, -EINVAL, -ENOSPC, -ENOMEM. */
int iova_alloc(struct iova_space *space, u64 size, u64 *iova);
/* 0; -ENOENT: no block begins there. */
int iova_free(struct iova_space *space, u64 iova);
/* The block that begins lowest, and its size; false: none is taken. */
bool iova_first(const struct iova_space *space, u64 *iova, u64 *size);

#endif
