/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One context's address space: who has which addresses, and the page tables.
 *
 * The two are separate books, and a call writes in both: addresses are taken
 * before tables are planned, and given back when the plan fails; from the
 * commit on nothing fails but the card.  A card that does not answer leaves
 * nothing mapped: then the same addresses are changed once more, to nothing,
 * which needs no memory.
 *
 * Every range of addresses carries the number of the call that took it, so a
 * call that fails finds what it has taken, among what was taken before.
 */
#include "kmd.h"
#include "radix.h"
#include "range.h"
#include "vas.h"
#include "vm/spec/reg.h"

#define ALL_FLAGS \
	(VAS_READ_ONLY | VAS_VOLATILE | VAS_PRIVILEGED | VAS_FIXED | \
	 VAS_REPLACE)

struct vas {
	struct gpu *gpu;
	u64 base, limit;
	struct mutex lock;	/* over all below		*/
	struct ranges *taken;
	struct radix radix;
	u64 call;		/* the number of the last one	*/
};

/* Arguments ------------------------------------------------------------ */

static bool is_inside(const struct vas *vas, u64 va, u64 size)
{
	return size && va >= vas->base && va < vas->limit &&
	       size <= vas->limit - va;
}

/* Is a piece memory that the card can reach? */
static bool piece_is_good(const struct vas *vas, const struct vas_piece *piece,
			  u64 page)
{
	u64 end;

	switch (piece->aperture) {
	case MMU_VRAM:
		end = gpu_vram_end(vas->gpu);
		break;
	case MMU_SYS_COHERENT:
	case MMU_SYS_NONCOHERENT:
		end = BIT_ULL(gpu_dma_bits(vas->gpu));
		break;
	default:
		return false;
	}
	return IS_ALIGNED(piece->addr | piece->size, page) &&
	       piece->addr <= end && piece->size <= end - piece->addr;
}

/* Do the pieces hold all of a mapping? */
static bool pieces_are_good(const struct vas *vas,
			    const struct vas_mapping *m, u64 page)
{
	u64 skip = m->offset, left = m->size;
	u32 i;

	for (i = 0; i < m->pieces; i++) {
		u64 size = m->piece[i].size, skipped = min(skip, size);

		if (!piece_is_good(vas, &m->piece[i], page))
			return false;
		skip -= skipped;
		left -= min(left, size - skipped);
	}
	return !left;
}

static bool mapping_is_good(const struct vas *vas,
			    const struct vas_mapping *m)
{
	u64 page = BIT_ULL(VAS_PAGE_4K);

	if (m->page_shift) {
		if (m->page_shift > VAS_PAGE_2M ||
		    !(vas_page_shifts(vas->gpu) & BIT(m->page_shift)))
			return false;
		page = BIT_ULL(m->page_shift);
	}
	if (m->flags & ~ALL_FLAGS)
		return false;
	if ((m->flags & VAS_REPLACE) && !(m->flags & VAS_FIXED))
		return false;
	if (!m->size || !IS_ALIGNED(m->size | m->offset, page))
		return false;
	if ((m->flags & VAS_FIXED) &&
	    (!IS_ALIGNED(m->va, page) || !is_inside(vas, m->va, m->size)))
		return false;
	return m->piece && pieces_are_good(vas, m, page);
}

/* Addresses ------------------------------------------------------------ */

/* What this call has taken of [va, end). */
static void untake(struct vas *vas, u64 va, u64 end)
{
	struct range range;

	while (va < end && ranges_find(vas->taken, va, &range) &&
	       range.at < end) {
		if (range.tag == vas->call)
			ranges_free(vas->taken, range.at, range.size);
		va = range.at + range.size;
	}
}

/* Whatever of [va, end) nobody has. */
static int take_holes(struct vas *vas, u64 va, u64 end)
{
	struct range range;
	u64 at = va, hole;
	int err;

	while (at < end) {
		if (!ranges_find(vas->taken, at, &range) || range.at >= end)
			range = (struct range){ .at = end };
		hole = range.at > at ? range.at - at : 0;
		if (hole) {
			err = ranges_reserve(vas->taken, at, hole, vas->call);
			if (err) {
				untake(vas, va, at);
				return err;
			}
		}
		at = range.at + range.size;
	}
	return 0;
}

/* The lowest that suits the largest page it can; else a smaller one. */
static int take_any(struct vas *vas, struct vas_mapping *m)
{
	u32 shifts = vas_page_shifts(vas->gpu), shift;
	int err = -ENOSPC;

	if (m->page_shift)
		return ranges_alloc(vas->taken, m->size,
				    BIT_ULL(m->page_shift), vas->call, &m->va);
	for (shift = VAS_PAGE_2M; shift >= VAS_PAGE_4K && err == -ENOSPC;
	     shift--)
		if ((shifts & BIT(shift)) && m->size >= BIT_ULL(shift))
			err = ranges_alloc(vas->taken, m->size, BIT_ULL(shift),
					   vas->call, &m->va);
	return err;
}

static int take(struct vas *vas, struct vas_mapping *m)
{
	vas->call++;
	if (m->flags & VAS_REPLACE)
		return take_holes(vas, m->va, m->va + m->size);
	if (m->flags & VAS_FIXED)
		return ranges_reserve(vas->taken, m->va, m->size, vas->call);
	return take_any(vas, m);
}

/* Changes -------------------------------------------------------------- */

/* The card did not answer: nothing is mapped there, nor taken. */
static void make_empty(struct vas *vas, u64 va, u64 end)
{
	struct change change;

	if (!radix_plan(&vas->radix, &change, va, end, NULL, 0))
		radix_commit(&change);
	ranges_free(vas->taken, va, end - va);
}

static int map_locked(struct vas *vas, struct vas_mapping *m)
{
	struct change change;
	u64 end;
	int err = take(vas, m);

	if (err)
		return err;
	end = m->va + m->size;
	err = radix_plan(&vas->radix, &change, m->va, end, m,
			 vas_page_shifts(vas->gpu));
	if (err) {
		untake(vas, m->va, end);
		return err;
	}
	err = radix_commit(&change);
	if (err)
		make_empty(vas, m->va, end);
	return err;
}

int vas_map(struct vas *vas, struct vas_mapping *mapping)
{
	struct vas_mapping m = *mapping;
	int err;

	if (!mapping_is_good(vas, &m))
		return -EINVAL;
	mutex_lock(&vas->lock);
	err = map_locked(vas, &m);
	mutex_unlock(&vas->lock);
	if (!err)
		mapping->va = m.va;
	return err;
}

static int unmap_locked(struct vas *vas, u64 va, u64 size)
{
	struct change change;
	int err;

	err = radix_plan(&vas->radix, &change, va, va + size, NULL, 0);
	if (err)
		return err;
	err = ranges_free(vas->taken, va, size);
	if (err) {
		radix_drop(&vas->radix);
		return err;
	}
	return radix_commit(&change);
}

int vas_unmap(struct vas *vas, u64 va, u64 size)
{
	int err;

	if (!IS_ALIGNED(va | size, BIT_ULL(VAS_PAGE_4K)) ||
	    !is_inside(vas, va, size))
		return -EINVAL;
	mutex_lock(&vas->lock);
	err = unmap_locked(vas, va, size);
	mutex_unlock(&vas->lock);
	return err;
}

/* Begin and end -------------------------------------------------------- */

int vas_create(struct gpu *gpu, u64 base, u64 limit, struct vas **out)
{
	const struct pte_format *format = pte_format(gpu_mmu_format(gpu));
	struct vas *vas;
	int err;

	if (!IS_ALIGNED(base | limit, BIT_ULL(VAS_PAGE_4K)) || base >= limit ||
	    limit > BIT_ULL(format->va_bits))
		return -EINVAL;
	vas = kzalloc(sizeof(*vas), GFP_KERNEL);
	if (!vas)
		return -ENOMEM;
	vas->gpu = gpu;
	vas->base = base;
	vas->limit = limit;
	err = ranges_create(base, limit, &vas->taken);
	if (err)
		goto free_vas;
	err = radix_init(&vas->radix, gpu, limit);
	if (err)
		goto free_ranges;
	mutex_init(&vas->lock);
	*out = vas;
	return 0;

free_ranges:
	ranges_destroy(vas->taken);
free_vas:
	kfree(vas);
	return err;
}

void vas_destroy(struct vas *vas)
{
	if (!vas)
		return;
	radix_fini(&vas->radix);
	ranges_destroy(vas->taken);
	mutex_destroy(&vas->lock);
	kfree(vas);
}

u64 vas_root(const struct vas *vas)
{
	return vas->radix.root->mem.addr;
}

u64 vas_table_bytes(struct vas *vas)
{
	u64 bytes;

	mutex_lock(&vas->lock);
	bytes = vas->radix.bytes;
	mutex_unlock(&vas->lock);
	return bytes;
}

u32 vas_page_shifts(struct gpu *gpu)
{
	bool huge = pte_format(gpu_mmu_format(gpu))->huge;

	return BIT(VAS_PAGE_4K) | BIT(VAS_PAGE_64K) |
	       (huge ? BIT(VAS_PAGE_2M) : 0);
}

void vas_instance(const struct vas *vas, u32 words[4])
{
	u64 root = vas_root(vas), last = vas->limit - BIT_ULL(VAS_PAGE_4K);

	words[0] = lower_32_bits(root) | vas->radix.format->instance;
	words[1] = upper_32_bits(root);
	words[2] = lower_32_bits(last);
	words[3] = upper_32_bits(last);
}
