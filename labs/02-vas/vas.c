/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One context's address space: its addresses, and what is mapped there.
 *
 * Addresses are handed out from a set of ranges; the page tables are a tree
 * (tree.c).  A mapping is cut into runs: pages of one size that follow each
 * other in memory.  To map, unmap or replace is the same change, in steps:
 * make the tables for all runs, write the entries, clear what is gone,
 * commit.  Only the first can fail for want of memory, and then nothing has
 * happened yet; and only the last lets the card see that anything changed, so
 * an address that is mapped before and after is mapped all the time.
 */
#include "kmd.h"
#include "pte.h"
#include "range.h"
#include "tree.h"
#include "vas.h"
#include "vm/spec/reg.h"

#define PAGE		(1ULL << VAS_PAGE_4K)
#define VAS_ACCESS	(VAS_READ_ONLY | VAS_VOLATILE | VAS_PRIVILEGED)

/* From the largest. */
#define PAGE_SHIFTS	{ VAS_PAGE_2M, VAS_PAGE_64K, VAS_PAGE_4K }

struct vas {
	struct gpu *gpu;
	const struct pte_format *format;
	u64 base, limit;
	struct mutex lock;	/* over all below			*/
	struct ranges *taken;	/* addresses; tag: by which call	*/
	struct tree *tree;
	u64 calls;
};

/* Pages of one size, one behind the other for the card and in memory. */
struct run {
	u64 va, end;
	u32 shift;
	u64 addr;
	const struct vas_piece *piece;
	u64 at;			/* where in it the next run begins	*/
};

/*
 * LAB 02: the size of the pages at the beginning of a run of at most left
 * bytes: the largest for which addresses and memory are aligned.  Stop where
 * a larger one may begin.
 */
static void run_measure(const struct vas *vas, struct run *run, u64 left)
{
}

/*
 * LAB 02: the next run of a mapping; false after the last.  A run that is all
 * zero comes before the first.  The offset is into the first piece only.
 */
static bool run_next(const struct vas *vas, const struct vas_mapping *mapping,
		     struct run *run)
{
	return false;
}

/*
 * LAB 02: the first step of a change from va to end; no mapping: to nothing.
 * Larger pages across the ends stay in part.
 */
static int prepare(struct vas *vas, u64 va, u64 end,
		   const struct vas_mapping *mapping)
{
	return -ENOSYS;
}

/*
 * LAB 02: the entries of all pages of a mapping; then clear what these have
 * taken the place of.  (Cleared sooner, a table might go that is written yet.)
 */
static void write_pages(struct vas *vas, const struct vas_mapping *mapping)
{
}

/*
 * LAB 02: the other steps of a change that was prepared.  There is no way
 * back from a card that does not answer: then nothing is mapped there.
 */
static int change(struct vas *vas, u64 va, u64 end,
		  const struct vas_mapping *mapping)
{
	return -ENOSYS;
}

/* LAB 02: do the pieces hold all of a mapping, and are they memory? */
static bool pieces_are_good(const struct vas *vas,
			    const struct vas_mapping *mapping, u64 page)
{
	return false;
}

/* LAB 02: size is not 0, and all of it is pages of the space. */
static bool is_inside(const struct vas *vas, u64 va, u64 size, u64 page)
{
	return false;
}

/* LAB 02: what vas.h asks of the arguments. */
static bool mapping_is_good(const struct vas *vas,
			    const struct vas_mapping *mapping)
{
	return false;
}

/* LAB 02: give back the addresses from va to end that this call has taken. */
static void addresses_untake(struct vas *vas, u64 va, u64 end)
{
}

/* LAB 02: take what is free from va to end; all else is taken already. */
static int addresses_fill(struct vas *vas, u64 va, u64 end)
{
	return -ENOSYS;
}

/* LAB 02: an address that suits the largest pages that there may be. */
static int addresses_alloc(struct vas *vas, struct vas_mapping *mapping)
{
	return -ENOSYS;
}

/* LAB 02: addresses for a mapping; what this call takes has its number. */
static int addresses_take(struct vas *vas, struct vas_mapping *mapping)
{
	return -ENOSYS;
}

/* LAB 02: map, with the lock held; an address is chosen here. */
static int map_locked(struct vas *vas, struct vas_mapping *mapping)
{
	return -ENOSYS;
}

/* LAB 02: see vas.h.  The caller's mapping changes when all went well. */
int vas_map(struct vas *vas, struct vas_mapping *mapping)
{
	return -ENOSYS;
}

/* LAB 02: see vas.h. */
int vas_unmap(struct vas *vas, u64 va, u64 size)
{
	return -ENOSYS;
}

/* LAB 02: see vas.h. */
int vas_create(struct gpu *gpu, u64 base, u64 limit, struct vas **out)
{
	return -ENOSYS;
}

/* LAB 02: see vas.h. */
void vas_destroy(struct vas *vas)
{
}

/* LAB 02: see vas.h. */
u64 vas_root(const struct vas *vas)
{
	return 0;
}

/* LAB 02: see vas.h. */
u64 vas_table_bytes(struct vas *vas)
{
	return 0;
}

/* LAB 02: see vas.h. */
u32 vas_page_shifts(struct gpu *gpu)
{
	return 0;
}

/* LAB 02: see vas.h. */
void vas_instance(const struct vas *vas, u32 words[4])
{
}
