/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02, a second design: a space is a list of areas.
 *
 * Areas are kept in the order of their addresses, and say who has what; the
 * page tables (tree.c) are told after the list has been found to agree.  A
 * call first does all that can fail, on the side.
 */
#include "kmd.h"
#include "vas.h"
#include "range.h"

struct pages;

int pages_new(struct gpu *gpu, struct pages **out);
void pages_delete(struct pages *pages);
int pages_room(struct pages *pages, u64 va, u64 end, u32 shift);
int pages_break(struct pages *pages, u64 va);
void pages_put(struct pages *pages, u64 va, u64 end, u32 shift, u64 entry);
void pages_drop(struct pages *pages, u64 va, u64 end, u32 keep);
void pages_tidy(struct pages *pages, u64 va, u64 end);
int pages_sync(struct pages *pages);
u64 pages_root(const struct pages *pages);
u64 pages_bytes(const struct pages *pages);
u64 entry_of_page(u32 format, enum mmu_aperture aperture, u64 addr,
		  u32 flags);

struct area {
	struct area *next;
	u64 va, end;
};

struct vas {
	struct gpu *gpu;
	struct mutex lock;
	u64 base, limit;
	struct area *areas;
	struct pages *pages;
};

static u32 big_shift(struct gpu *gpu)
{
	return gpu_mmu_format(gpu) == 1 ? VAS_PAGE_128K : VAS_PAGE_64K;
}

u32 vas_page_shifts(struct gpu *gpu)
{
	return 1u << VAS_PAGE_4K | 1u << big_shift(gpu) |
		(gpu_mmu_format(gpu) == 2 ? 1u << VAS_PAGE_2M : 0);
}

/* --- areas ----------------------------------------------------------- */

/* Where the first area that ends after va hangs. */
static struct area **first_after(struct vas *vas, u64 va)
{
	struct area **at = &vas->areas;

	while (*at && (*at)->end <= va)
		at = &(*at)->next;
	return at;
}

static bool is_free(struct vas *vas, u64 va, u64 end)
{
	struct area *area = *first_after(vas, va);

	return !area || area->va >= end;
}

/* Cut [va, end) out.  spare is used where an area lies on both sides. */
static void cut_out(struct vas *vas, u64 va, u64 end, struct area **spare)
{
	struct area **at = first_after(vas, va), *area;

	while ((area = *at) && area->va < end) {
		if (area->va < va && area->end > end) {
			**spare = (struct area){ area->next, end, area->end };
			area->next = *spare;
			area->end = va;
			*spare = NULL;
			return;
		}
		if (area->va < va) {
			area->end = va;
			at = &area->next;
		} else if (area->end > end) {
			area->va = end;
			return;
		} else {
			*at = area->next;
			kfree(area);
		}
	}
}

static bool choose(struct vas *vas, u64 size, u64 align, u64 *va)
{
	u64 from = vas->base;
	struct area *area;

	for (area = vas->areas;; area = area->next) {
		u64 to = area ? area->va : vas->limit;

		from = ALIGN(from, align);
		if (from < to && to - from >= size) {
			*va = from;
			return true;
		}
		if (!area)
			return false;
		from = area->end;
	}
}

/* --- what is asked --------------------------------------------------- */

static bool inside(const struct vas *vas, u64 va, u64 size, u64 page)
{
	return size && !(va % page) && !(size % page) && va >= vas->base &&
		va < vas->limit && size <= vas->limit - va;
}

static bool pieces_hold(const struct vas *vas, const struct vas_mapping *m,
			u64 page)
{
	u64 have = 0;
	u32 i;

	for (i = 0; i < m->pieces; i++) {
		const struct vas_piece *p = &m->piece[i];
		u64 top = p->aperture == MMU_VRAM ? gpu_vram_end(vas->gpu) :
			1ULL << gpu_dma_bits(vas->gpu);

		if (p->addr % page || p->size % page || p->size > top ||
		    p->addr > top - p->size ||
		    (u32)p->aperture > MMU_SYS_NONCOHERENT ||
		    have + p->size < have)
			return false;
		have += p->size;
	}
	return m->offset <= have && m->size <= have - m->offset;
}

static bool sensible(const struct vas *vas, const struct vas_mapping *m)
{
	const u32 all = VAS_READ_ONLY | VAS_VOLATILE | VAS_PRIVILEGED |
		VAS_FIXED | VAS_REPLACE;
	u64 page = 4096;

	if (m->flags & ~all)
		return false;
	if (m->flags & VAS_REPLACE && !(m->flags & VAS_FIXED))
		return false;
	if (m->page_shift > 31)
		return false;
	if (m->page_shift) {
		if (!(vas_page_shifts(vas->gpu) >> m->page_shift & 1))
			return false;
		page = 1ULL << m->page_shift;
	}
	if (!m->size || m->size % page || m->offset % page)
		return false;
	if (m->flags & VAS_FIXED && !inside(vas, m->va, m->size, page))
		return false;
	return pieces_hold(vas, m, page);
}

/* --- runs of pages --------------------------------------------------- */

struct stretch {
	u64 va, end, addr;
	u32 shift;
	enum mmu_aperture aperture;
};

/* The stretch that begins at va: pages of one size in one piece. */
static void stretch_at(struct vas *vas, const struct vas_mapping *m, u64 va,
		       struct stretch *s)
{
	const u32 shifts[] = { VAS_PAGE_2M, big_shift(vas->gpu) };
	const struct vas_piece *p = m->piece;
	u64 offset = m->offset + (va - m->va), left;
	u32 i;

	for (; offset >= p->size; p++)
		offset -= p->size;
	left = min(p->size - offset, m->va + m->size - va);
	*s = (struct stretch){
		.va = va, .end = va + left, .addr = p->addr + offset,
		.shift = m->page_shift, .aperture = p->aperture,
	};
	if (s->shift)
		return;
	/* A page at a time is good enough where sizes may mix. */
	s->shift = VAS_PAGE_4K;
	for (i = 0; i < 2; i++) {
		u64 page = 1ULL << shifts[i];

		if (!(vas_page_shifts(vas->gpu) >> shifts[i] & 1) ||
		    left < page || (s->va | s->addr) & (page - 1))
			continue;
		s->shift = shifts[i];
		break;
	}
	if (s->shift != VAS_PAGE_4K)
		s->end = s->va + (1ULL << s->shift);
	else
		s->end = min(s->end, (s->va | 0xffff) + 1);
}

static int room_for(struct vas *vas, const struct vas_mapping *m)
{
	struct stretch s = { .end = m->va };
	int err = 0;

	while (!err && s.end < m->va + m->size) {
		stretch_at(vas, m, s.end, &s);
		err = pages_room(vas->pages, s.va, s.end, s.shift);
	}
	return err;
}

static void put_all(struct vas *vas, const struct vas_mapping *m)
{
	struct stretch s = { .end = m->va };

	while (s.end < m->va + m->size) {
		stretch_at(vas, m, s.end, &s);
		pages_put(vas->pages, s.va, s.end, s.shift,
			  entry_of_page(gpu_mmu_format(vas->gpu), s.aperture,
					s.addr, m->flags));
	}
}

static void drop_others(struct vas *vas, const struct vas_mapping *m)
{
	struct stretch s = { .end = m->va };

	while (s.end < m->va + m->size) {
		stretch_at(vas, m, s.end, &s);
		pages_drop(vas->pages, s.va, s.end, s.shift);
	}
}

/* --- the calls ------------------------------------------------------- */

static int place(struct vas *vas, struct vas_mapping *m)
{
	u32 shift = m->page_shift ? m->page_shift : VAS_PAGE_4K;

	if (m->flags & VAS_FIXED)
		return m->flags & VAS_REPLACE ||
			is_free(vas, m->va, m->va + m->size) ? 0 : -EEXIST;
	if (!m->page_shift && m->size >= 1 << VAS_PAGE_2M &&
	    choose(vas, m->size, 1 << VAS_PAGE_2M, &m->va))
		return 0;
	return choose(vas, m->size, 1ULL << shift, &m->va) ? 0 : -ENOSPC;
}

/* Everything that may fail for want of memory. */
static int prepare(struct vas *vas, struct vas_mapping *m, u64 end)
{
	int err;

	err = pages_break(vas->pages, m->va);
	if (!err)
		err = pages_break(vas->pages, end);
	if (!err)
		err = room_for(vas, m);
	if (err) {
		pages_tidy(vas->pages, m->va, end);
		pages_sync(vas->pages);
	}
	return err;
}

int vas_map(struct vas *vas, struct vas_mapping *mapping)
{
	struct area *area, *spare;
	struct vas_mapping m = *mapping;
	int err = -ENOMEM;

	if (!sensible(vas, &m))
		return -EINVAL;
	area = kzalloc(sizeof(*area), GFP_KERNEL);
	spare = kzalloc(sizeof(*spare), GFP_KERNEL);
	mutex_lock(&vas->lock);
	if (area && spare)
		err = place(vas, &m);
	if (!err)
		err = prepare(vas, &m, m.va + m.size);
	if (!err) {
		struct area **at;

		put_all(vas, &m);
		err = pages_sync(vas->pages);
		drop_others(vas, &m);
		if (!err)
			err = pages_sync(vas->pages);
		cut_out(vas, m.va, m.va + m.size, &spare);
		if (err) {
			pages_drop(vas->pages, m.va, m.va + m.size, 0);
		} else {
			at = first_after(vas, m.va);
			*area = (struct area){ *at, m.va, m.va + m.size };
			*at = area;
			area = NULL;
			mapping->va = m.va;
		}
	}
	mutex_unlock(&vas->lock);
	kfree(area);
	kfree(spare);
	return err;
}

int vas_unmap(struct vas *vas, u64 va, u64 size)
{
	struct area *spare;
	int err;

	if (!inside(vas, va, size, 4096))
		return -EINVAL;
	spare = kzalloc(sizeof(*spare), GFP_KERNEL);
	if (!spare)
		return -ENOMEM;
	mutex_lock(&vas->lock);
	err = pages_break(vas->pages, va);
	if (!err)
		err = pages_break(vas->pages, va + size);
	if (!err) {
		cut_out(vas, va, va + size, &spare);
		pages_drop(vas->pages, va, va + size, 0);
		err = pages_sync(vas->pages);
	}
	mutex_unlock(&vas->lock);
	kfree(spare);
	return err;
}

int vas_create(struct gpu *gpu, u64 base, u64 limit, struct vas **out)
{
	u64 most = gpu_mmu_format(gpu) == 1 ? 1ULL << 40 : 1ULL << 49;
	struct vas *vas;
	int err;

	if (base % 4096 || limit % 4096 || base >= limit || limit > most)
		return -EINVAL;
	vas = kzalloc(sizeof(*vas), GFP_KERNEL);
	if (!vas)
		return -ENOMEM;
	vas->gpu = gpu;
	vas->base = base;
	vas->limit = limit;
	err = pages_new(gpu, &vas->pages);
	if (err) {
		kfree(vas);
		return err;
	}
	mutex_init(&vas->lock);
	*out = vas;
	return 0;
}

void vas_destroy(struct vas *vas)
{
	struct area *area;

	pages_delete(vas->pages);
	while ((area = vas->areas)) {
		vas->areas = area->next;
		kfree(area);
	}
	mutex_destroy(&vas->lock);
	kfree(vas);
}

u64 vas_root(const struct vas *vas)
{
	return pages_root(vas->pages);
}

u64 vas_table_bytes(struct vas *vas)
{
	u64 bytes;

	mutex_lock(&vas->lock);
	bytes = pages_bytes(vas->pages);
	mutex_unlock(&vas->lock);
	return bytes;
}

/* Format 2 is bit 10, big pages of 64 KiB bit 11. */
void vas_instance(const struct vas *vas, u32 words[4])
{
	u64 root = pages_root(vas->pages), last = vas->limit - 4096;

	words[0] = (u32)root | (gpu_mmu_format(vas->gpu) == 2 ? 3 << 10 : 0);
	words[1] = root >> 32;
	words[2] = last;
	words[3] = last >> 32;
}
