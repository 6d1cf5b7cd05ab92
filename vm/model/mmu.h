/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Between the walker (mmu.c) and what remembers its results (tlb.c). */
#ifndef MODEL_MMU_H
#define MODEL_MMU_H

#include "vm/model/model.h"

/*
 * Walk the tables.  0, or -EFAULT with *fault filled in.  *in_sysmem: a table
 * lies where the card does not see who changes it.
 */
int mmu_walk(struct card *card, struct mem_who who,
	     const struct mem_space *space, uint64_t va, bool write,
	     struct mem_place *place, struct mem_fault *fault,
	     bool *in_sysmem);

#endif
