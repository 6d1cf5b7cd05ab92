/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Numbers handed out by ranges: video memory, GPU addresses. */
#ifndef KMD_EXTENTS_H
#define KMD_EXTENTS_H

#include "port.h"

struct extent;

struct extents {
	u64 base, limit;	/* what there is to hand out	*/
	struct extent *first;	/* what is taken, by address	*/
};

void extents_init(struct extents *extents, u64 base, u64 limit);
/* First fit; align is a power of two.  0, -ENOMEM. */
int extents_alloc(struct extents *extents, u64 size, u64 align, u64 *at);
void extents_free(struct extents *extents, u64 at);
/* Give back whatever is still taken. */
void extents_fini(struct extents *extents);

#endif
