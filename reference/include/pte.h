/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Page tables as the MMU reads them: which tables there are, and how an entry
 * is encoded [§6.4].  Lab 02.
 *
 * A format has levels: directories, the root first, then tables of big pages,
 * then tables of small ones.  Below each entry of the last directory stand a
 * table of big and one of small pages, side by side, over the same addresses.
 */
#ifndef PTE_H
#define PTE_H

#include "gpu.h"

/* Levels that any format has, small and big tables counted apart. */
#define PTE_LEVELS	6

/* One level: all its tables are alike. */
struct pte_level {
	u8 shift;		/* an entry covers 2^shift bytes	*/
	u8 bits;		/* a table has 2^bits entries		*/
	u8 size;		/* bytes of an entry			*/
};

/* A format: what its levels are, and how its entries are written. */
struct pte_format {
	u8 va_bits;		/* of an address			*/
	u8 directories;		/* how many levels of them		*/
	bool huge;		/* an entry of the last one may be a page */
	u8 address_bit;		/* where a page entry has address >> 12	*/
	u32 instance;		/* what word 128 says of the format [§8.1] */
	struct pte_level level[PTE_LEVELS];

	/*
	 * The entry of a page of any size at addr; flags are VAS_READ_ONLY,
	 * VAS_VOLATILE, VAS_PRIVILEGED.  It is never 0.
	 */
	u64 (*page)(enum mmu_aperture aperture, u64 addr, u32 flags);
	/*
	 * The entry of a directory for tables in video memory.  In the last
	 * one for those of big and of small pages, either of which may be 0:
	 * none.  In the others for the directory at small; big is 0.  Second
	 * word: 0 if an entry has one.
	 */
	void (*directory)(u32 level, u64 big, u64 small, u64 entry[2]);
};

/* Format 1 or 2. */
const struct pte_format *pte_format(u32 number);

/* Levels by what they are. */
static inline u32 pte_last(const struct pte_format *format)
{
	return format->directories - 1u;
}

static inline u32 pte_big(const struct pte_format *format)
{
	return format->directories;
}

static inline u32 pte_small(const struct pte_format *format)
{
	return format->directories + 1u;
}

/* Which entry of its table an address needs. */
static inline u32 pte_index(const struct pte_level *level, u64 va)
{
	return va >> level->shift & ((1u << level->bits) - 1);
}

/* Bytes of addresses that a table covers. */
static inline u64 pte_reach(const struct pte_level *level)
{
	return 1ULL << (level->shift + level->bits);
}

#endif
