/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A GPU virtual address space: addresses, page tables, mappings [§6.4]. */
#ifndef KMD_VAS_H
#define KMD_VAS_H

#include "extents.h"
#include "reference/hal/mmu.h"

struct gpu;
struct table;

struct vas {
	struct gpu *gpu;
	const struct mmu_format *format;
	u64 limit;			/* addresses end here		*/
	struct extents taken;
	struct table *root;
};

/* Addresses from base to below limit.  0, -ENOMEM. */
int vas_init(struct vas *vas, struct gpu *gpu, u64 base, u64 limit);
/* Nothing may use it any more. */
void vas_fini(struct vas *vas);

/*
 * Map size bytes of contiguous memory at an address of our choice, in pages
 * of 4 KiB.  0, -ENOMEM, -ETIMEDOUT, -ENODEV.
 */
int vas_map(struct vas *vas, enum mmu_aperture aperture, u64 phys, u64 size,
	    u64 *va);
void vas_unmap(struct vas *vas, u64 va, u64 size);

/* Write what an instance block at inst says about the address space. */
void vas_write_instance(struct vas *vas, u64 inst);

#endif
