/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The driver's own GPU address spaces: BAR1, BAR2, and the one where gpu_mem
 * lies [§6.4].  4 KiB pages and whole mappings, made at bring-up, when no lab
 * has been done yet.  struct vas is for contexts.
 */
#ifndef KMD_KSPACE_H
#define KMD_KSPACE_H

#include "extents.h"
#include "reference/hal/mmu.h"

struct gpu;
struct table;

struct kspace {
	struct gpu *gpu;
	const struct mmu_format *format;
	u64 limit;			/* addresses end here		*/
	struct extents taken;
	struct table *root;
};

/* Addresses from base to below limit.  0, -ENOMEM. */
int kspace_init(struct kspace *space, struct gpu *gpu, u64 base, u64 limit);
/* Nothing may use it any more. */
void kspace_fini(struct kspace *space);

/*
 * Map size bytes of contiguous memory at an address of our choice, in pages
 * of 4 KiB.  0, -ENOMEM, -ETIMEDOUT, -ENODEV.
 */
int kspace_map(struct kspace *space, enum mmu_aperture aperture, u64 phys,
	       u64 size, u64 *va);
void kspace_unmap(struct kspace *space, u64 va, u64 size);

/* Words 128 to 131 of an instance block that uses it [§8.1]. */
void kspace_instance(const struct kspace *space, u32 words[4]);
/* Write them into the block at inst. */
void kspace_write_instance(const struct kspace *space, u64 inst);

#endif
