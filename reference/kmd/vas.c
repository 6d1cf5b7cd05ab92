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
	static const u8 shifts[] = PAGE_SHIFTS;
	u64 page = 0;

	for (u32 i = 0; i < ARRAY_SIZE(shifts); i++) {
		if (shifts[i] == VAS_PAGE_2M && !vas->format->huge)
			continue;
		run->shift = shifts[i];
		page = 1ULL << run->shift;
		if (IS_ALIGNED(run->va | run->addr, page) && left >= page)
			break;
		if (IS_ALIGNED(run->va ^ run->addr, page))
			left = min(left, ALIGN(run->va + 1, page) - run->va);
	}
	run->end = run->va + ALIGN_DOWN(left, page);
}

/*
 * LAB 02: the next run of a mapping; false after the last.  A run that is all
 * zero comes before the first.  The offset is into the first piece only.
 */
static bool run_next(const struct vas *vas, const struct vas_mapping *mapping,
		     struct run *run)
{
	u64 left;

	if (!run->piece) {
		run->end = mapping->va;
		run->piece = mapping->piece;
		run->at = mapping->offset;
	}
	left = mapping->va + mapping->size - run->end;
	if (!left)
		return false;
	for (; run->at >= run->piece->size; run->piece++)
		run->at -= run->piece->size;
	left = min(left, run->piece->size - run->at);
	run->va = run->end;
	run->addr = run->piece->addr + run->at;
	run->shift = mapping->page_shift;
	run->end = run->va + left;
	if (!run->shift)
		run_measure(vas, run, left);
	run->at += run->end - run->va;
	return true;
}

/*
 * LAB 02: the first step of a change from va to end; no mapping: to nothing.
 * Larger pages across the ends stay in part.
 */
static int prepare(struct vas *vas, u64 va, u64 end,
		   const struct vas_mapping *mapping)
{
	struct run run = { 0 };
	int err;

	err = tree_cut(vas->tree, va, true);
	if (!err)
		err = tree_cut(vas->tree, end, false);
	while (!err && mapping && run_next(vas, mapping, &run))
		err = tree_need(vas->tree, run.va, run.end, run.shift);
	if (err)
		tree_cancel(vas->tree);
	return err;
}

/*
 * LAB 02: the entries of all pages of a mapping; then clear what these have
 * taken the place of.  (Cleared sooner, a table might go that is written yet.)
 */
static void write_pages(struct vas *vas, const struct vas_mapping *mapping)
{
	struct run run = { 0 };

	while (run_next(vas, mapping, &run))
		tree_write(vas->tree, run.va, run.end, run.shift,
			   vas->format->page(run.piece->aperture, run.addr,
					     mapping->flags & VAS_ACCESS));
	run = (struct run){ 0 };
	while (mapping->flags & VAS_REPLACE && run_next(vas, mapping, &run))
		tree_clear(vas->tree, run.va, run.end, run.shift);
}

/*
 * LAB 02: the other steps of a change that was prepared.  There is no way
 * back from a card that does not answer: then nothing is mapped there.
 */
static int change(struct vas *vas, u64 va, u64 end,
		  const struct vas_mapping *mapping)
{
	int err;

	if (mapping)
		write_pages(vas, mapping);
	else
		tree_clear(vas->tree, va, end, 0);
	err = tree_commit(vas->tree);
	if (err && mapping) {
		tree_clear(vas->tree, va, end, 0);
		tree_commit(vas->tree);
	}
	return err;
}

/* LAB 02: do the pieces hold all of a mapping, and are they memory? */
static bool pieces_are_good(const struct vas *vas,
			    const struct vas_mapping *mapping, u64 page)
{
	u64 skip = mapping->offset, left = mapping->size;

	for (u32 i = 0; i < mapping->pieces; i++) {
		const struct vas_piece *piece = &mapping->piece[i];
		u64 limit = 1ULL << gpu_dma_bits(vas->gpu), part;

		if (piece->aperture == MMU_VRAM)
			limit = gpu_vram_end(vas->gpu);
		if ((u32)piece->aperture > MMU_SYS_NONCOHERENT ||
		    !IS_ALIGNED(piece->addr | piece->size, page) ||
		    piece->size > limit || piece->addr > limit - piece->size)
			return false;
		part = min(skip, piece->size);
		skip -= part;
		left -= min(left, piece->size - part);
	}
	return left == 0;
}

/* LAB 02: size is not 0, and all of it is pages of the space. */
static bool is_inside(const struct vas *vas, u64 va, u64 size, u64 page)
{
	return size && IS_ALIGNED(va | size, page) && va >= vas->base &&
		va <= vas->limit && size <= vas->limit - va;
}

/* LAB 02: what vas.h asks of the arguments. */
static bool mapping_is_good(const struct vas *vas,
			    const struct vas_mapping *mapping)
{
	u32 shift = mapping->page_shift ? mapping->page_shift : VAS_PAGE_4K;
	u64 page, size = mapping->size;
	u32 flags = mapping->flags;

	if (flags & ~(VAS_ACCESS | VAS_FIXED | VAS_REPLACE) ||
	    (flags & (VAS_FIXED | VAS_REPLACE)) == VAS_REPLACE ||
	    shift > VAS_PAGE_2M || !(vas_page_shifts(vas->gpu) & BIT(shift)))
		return false;
	page = 1ULL << shift;
	if (!size || !IS_ALIGNED(size | mapping->offset, page))
		return false;
	if (flags & VAS_FIXED && !is_inside(vas, mapping->va, size, page))
		return false;
	return pieces_are_good(vas, mapping, page);
}

/* LAB 02: give back the addresses from va to end that this call has taken. */
static void addresses_untake(struct vas *vas, u64 va, u64 end)
{
	struct range range;

	for (; ranges_find(vas->taken, va, &range) && range.at < end;
	     va = range.at + range.size) {
		if (range.tag == vas->calls)
			ranges_free(vas->taken, range.at, range.size);
	}
}

/* LAB 02: take what is free from va to end; all else is taken already. */
static int addresses_fill(struct vas *vas, u64 va, u64 end)
{
	struct range next;
	int err;

	for (u64 at = va; at < end; at = next.at + next.size) {
		if (!ranges_find(vas->taken, at, &next))
			next = (struct range){ .at = end };
		if (next.at > at) {
			err = ranges_reserve(vas->taken, at, min(next.at, end) -
					     at, vas->calls);
			if (err) {
				addresses_untake(vas, va, at);
				return err;
			}
		}
	}
	return 0;
}

/* LAB 02: an address that suits the largest pages that there may be. */
static int addresses_alloc(struct vas *vas, struct vas_mapping *mapping)
{
	static const u8 shifts[] = PAGE_SHIFTS;
	int err = -ENOSPC;

	for (u32 i = 0; i < ARRAY_SIZE(shifts) && err == -ENOSPC; i++) {
		u64 page = 1ULL << shifts[i];

		if (mapping->page_shift ? mapping->page_shift == shifts[i]
					: mapping->size >= page)
			err = ranges_alloc(vas->taken, mapping->size, page,
					   vas->calls, &mapping->va);
	}
	return err;
}

/* LAB 02: addresses for a mapping; what this call takes has its number. */
static int addresses_take(struct vas *vas, struct vas_mapping *mapping)
{
	u64 va = mapping->va, size = mapping->size;

	vas->calls++;
	if (!(mapping->flags & VAS_FIXED))
		return addresses_alloc(vas, mapping);
	if (mapping->flags & VAS_REPLACE)
		return addresses_fill(vas, va, va + size);
	return ranges_reserve(vas->taken, va, size, vas->calls);
}

/* LAB 02: map, with the lock held; an address is chosen here. */
static int map_locked(struct vas *vas, struct vas_mapping *mapping)
{
	u64 end;
	int err;

	err = addresses_take(vas, mapping);
	if (err)
		return err;
	end = mapping->va + mapping->size;
	err = prepare(vas, mapping->va, end, mapping);
	if (!err)
		err = change(vas, mapping->va, end, mapping);
	if (err)
		addresses_untake(vas, mapping->va, end);
	return err;
}

/* LAB 02: see vas.h.  The caller's mapping changes when all went well. */
int vas_map(struct vas *vas, struct vas_mapping *mapping)
{
	struct vas_mapping copy = *mapping;
	int err;

	if (!mapping_is_good(vas, &copy))
		return -EINVAL;
	mutex_lock(&vas->lock);
	err = map_locked(vas, &copy);
	mutex_unlock(&vas->lock);
	if (!err)
		mapping->va = copy.va;
	return err;
}

/* LAB 02: see vas.h. */
int vas_unmap(struct vas *vas, u64 va, u64 size)
{
	int err;

	if (!is_inside(vas, va, size, PAGE))
		return -EINVAL;
	mutex_lock(&vas->lock);
	err = prepare(vas, va, va + size, NULL);
	if (err)
		goto unlock;
	err = ranges_free(vas->taken, va, size);
	if (err)
		tree_cancel(vas->tree);
	else
		err = change(vas, va, va + size, NULL);
unlock:
	mutex_unlock(&vas->lock);
	return err;
}

/* LAB 02: see vas.h. */
int vas_create(struct gpu *gpu, u64 base, u64 limit, struct vas **out)
{
	const struct pte_format *format = pte_format(gpu_mmu_format(gpu));
	struct vas *vas;
	int err;

	if (!IS_ALIGNED(base | limit, PAGE) || base >= limit ||
	    limit > 1ULL << format->va_bits)
		return -EINVAL;
	vas = kzalloc(sizeof(*vas), GFP_KERNEL);
	if (!vas)
		return -ENOMEM;
	*vas = (struct vas){ .gpu = gpu, .format = format, .base = base,
			     .limit = limit };
	err = ranges_create(base, limit, &vas->taken);
	if (err)
		goto free_vas;
	err = tree_create(gpu, limit, &vas->tree);
	if (err)
		goto destroy_taken;
	mutex_init(&vas->lock);
	*out = vas;
	return 0;

destroy_taken:
	ranges_destroy(vas->taken);
free_vas:
	kfree(vas);
	return err;
}

/* LAB 02: see vas.h. */
void vas_destroy(struct vas *vas)
{
	mutex_destroy(&vas->lock);
	tree_destroy(vas->tree);
	ranges_destroy(vas->taken);
	kfree(vas);
}

/* LAB 02: see vas.h. */
u64 vas_root(const struct vas *vas)
{
	return tree_root(vas->tree);
}

/* LAB 02: see vas.h. */
u64 vas_table_bytes(struct vas *vas)
{
	u64 bytes;

	mutex_lock(&vas->lock);
	bytes = tree_bytes(vas->tree);
	mutex_unlock(&vas->lock);
	return bytes;
}

/* LAB 02: see vas.h. */
u32 vas_page_shifts(struct gpu *gpu)
{
	const struct pte_format *format = pte_format(gpu_mmu_format(gpu));

	return BIT(VAS_PAGE_4K) | BIT(VAS_PAGE_64K) |
		(format->huge ? BIT(VAS_PAGE_2M) : 0);
}

/* LAB 02: see vas.h. */
void vas_instance(const struct vas *vas, u32 words[4])
{
	u64 root = vas_root(vas), last = vas->limit - PAGE;

	words[0] = lower_32_bits(root) | vas->format->instance;
	words[1] = upper_32_bits(root);
	words[2] = lower_32_bits(last);
	words[3] = upper_32_bits(last);
}
