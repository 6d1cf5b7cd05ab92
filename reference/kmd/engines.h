/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What PTOP tells of the card's engines [§5.5]. */
#ifndef KMD_ENGINES_H
#define KMD_ENGINES_H

#include "port.h"

struct gpu;

struct engine {
	u32 type;		/* as PTOP names it			*/
	u32 instance;		/* which of several			*/
	u32 id;			/* Host's number for it			*/
	u32 runlist;
	u32 reset_bit;		/* in NV_PMC_ENABLE			*/
	u32 intr_bit;		/* in NV_PMC_INTR			*/
	bool has_reset, has_runlist;
};

/*
 * Find a copy engine on a runlist that holds nothing but copy engines: the
 * others share theirs with the graphics engine, which needs firmware that we
 * do not have.  0; -ENODEV: none.
 */
int engines_find_copy(struct gpu *gpu, struct engine *copy);

#endif
