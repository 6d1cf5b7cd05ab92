/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A GPU virtual address space: addresses, page tables, mappings [§6.4].  One
 * per context.  Lab 02.
 *
 * struct vas is the implementation's own.  Functions may be called from any
 * number of threads at once, may sleep, and change nothing when they fail.
 * When one returns, the card's TLB has been told what it must know [§6.5].
 * After -ETIMEDOUT and -ENODEV the card may not know; then nothing is mapped
 * where something was to be mapped, replaced or unmapped.  Addresses that were
 * free before are free, those to be unmapped too; what VAS_REPLACE found taken
 * may stay so until vas_unmap().  A later call tells the card what this one
 * could not, vas_destroy() at the latest: until then the tables that it may
 * remember are nobody else's.
 */
#ifndef VAS_H
#define VAS_H

#include "gpu.h"

struct vas;

/* Memory to map, in pieces that each are contiguous for the card. */
struct vas_piece {
	enum mmu_aperture aperture;
	u64 addr;		/* DMA address, or offset in video memory */
	u64 size;		/* bytes				*/
};

/* What a mapping allows, and how it is made. */
#define VAS_READ_ONLY	1u	/* the GPU may not write		*/
#define VAS_VOLATILE	2u	/* not to be cached by the GPU		*/
#define VAS_PRIVILEGED	4u	/* for privileged channels alone	*/
#define VAS_FIXED	8u	/* at va, or not at all			*/
#define VAS_REPLACE	16u	/* with VAS_FIXED: in place of whatever is
				 * mapped there, without a moment between */

/* Page sizes, as shifts; which a chip has: vas_page_shifts(). */
#define VAS_PAGE_4K	12u
#define VAS_PAGE_64K	16u
#define VAS_PAGE_128K	17u
#define VAS_PAGE_2M	21u

/* What to map, where, and how. */
struct vas_mapping {
	u64 va;			/* in with VAS_FIXED, else out		*/
	u64 size;		/* bytes				*/
	u64 offset;		/* where in the pieces it begins	*/
	const struct vas_piece *piece;
	u32 pieces;
	u32 flags;
	u32 page_shift;		/* or 0: the largest that fits, page by page */
};

/*
 * An empty address space of base to below limit, both multiples of 4 KiB, base
 * below limit, limit at most 2^40 with format 1 and 2^49 with format 2.
 * 0; -EINVAL: it is not so; -ENOMEM, -ETIMEDOUT, -ENODEV.
 */
int vas_create(struct gpu *gpu, u64 base, u64 limit, struct vas **vas);
/* With all its mappings and tables.  No channel may use it any more. */
void vas_destroy(struct vas *vas);

/*
 * Map size bytes of the pieces from offset.  va, size, offset and each
 * piece's address and size are multiples of the page size (of 4 KiB when
 * page_shift is 0).  Without VAS_FIXED an address is chosen that suits the
 * page size.  No piece, used or not, may end beyond gpu_vram_end(), or in
 * system memory beyond gpu_dma_bits(); it may be empty.  Of the mapping va
 * alone is written, and only when the call succeeds.
 *
 * 0; -EINVAL: sizes, alignment, flags, overflow, a piece that may not be,
 * beyond the pieces, or with VAS_FIXED beyond the space; -EEXIST: VAS_FIXED
 * without VAS_REPLACE, and something is there; -ENOSPC: no hole is long enough,
 * however large size may be; -ENOMEM; -ETIMEDOUT; -ENODEV.
 */
int vas_map(struct vas *vas, struct vas_mapping *mapping);

/*
 * Unmap what is mapped in [va, va + size), be it part of a mapping, several,
 * or holes.  A page larger than the part is split, or -EINVAL where it cannot
 * be.  Page tables that become empty are freed.  0, -EINVAL, -ENOMEM,
 * -ETIMEDOUT, -ENODEV.
 */
int vas_unmap(struct vas *vas, u64 va, u64 size);

/* The page directory's address in video memory. */
u64 vas_root(const struct vas *vas);
/* Bytes of video memory in page tables, the root included. */
u64 vas_table_bytes(struct vas *vas);
/* Bit n is set when pages of 2^n bytes exist; any context. */
u32 vas_page_shifts(struct gpu *gpu);
/* Words 128 to 131 of an instance block that uses it [§8.1]. */
void vas_instance(const struct vas *vas, u32 words[4]);

#endif
