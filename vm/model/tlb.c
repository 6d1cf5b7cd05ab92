/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Translations, and what the TLB remembers of them [§6.4], [§6.5].
 *
 * The TLB keeps what a walk found until it is told to forget it: one entry a
 * page, of whatever size, by page directory and address.  A driver that
 * changes an entry and does not say so goes on using the old page, which is
 * what the card does here too; and since that often looks like success, a
 * monitor reports it.  To know, it would have to walk on every hit; instead
 * card->tables counts writes into page tables, and an entry is compared anew
 * only when that count has moved.
 *
 * Entries that are not valid are not kept: making one valid needs no
 * invalidation.  Rights are kept, and looked at on every access.
 */
#include <stdlib.h>

#include "vm/model/mmu.h"

int mmu_init(struct card *card)
{
	card->mmu = calloc(1, sizeof(*card->mmu));
	return card->mmu ? 0 : -ENOMEM;
}

void mmu_fini(struct card *card)
{
	free(card->mmu);
}

void mmu_reset(struct card *card)
{
	memset(card->mmu, 0, sizeof(*card->mmu));
	card->tables++;
}

/* Forgetting ------------------------------------------------------------ */

static bool is_named(const struct tlb_forget *what, const struct tlb_entry *e)
{
	if (what->root != ~0ULL && (what->root != e->root ||
				    what->in_sysmem != e->root_in_sysmem))
		return false;
	return !what->one_page || what->va >> e->shift == e->tag;
}

void card_tlb_forget(struct card *card, const struct tlb_forget *what)
{
	struct mmu *mmu = card->mmu;

	for (size_t i = 0; i < MMU_TLB; i++) {
		struct tlb_entry *e = &mmu->tlb[i];

		if (e->valid && is_named(what, e))
			e->valid = false;
	}
	if (what->root == ~0ULL && !what->one_page)
		mmu->shifts = 0;
	walked_forget(card, what);
	mmu->stats.invalidations++;
	card->tables++;
}

void card_tlb_invalidate(struct card *card, uint64_t root)
{
	struct tlb_forget what = { .root = root };

	card_tlb_forget(card, &what);
}

void card_tlb_stats(const struct card *card, struct card_tlb_stats *stats)
{
	*stats = card->mmu->stats;
}

/* Remembering ----------------------------------------------------------- */

static struct tlb_entry *slot(struct card *card, const struct mem_space *space,
			      uint64_t va, unsigned int shift)
{
	uint64_t hash = (va >> shift ^ space->root >> 8 ^ shift) *
		0x9e3779b97f4a7c15ULL;

	return &card->mmu->tlb[hash >> 54 & (MMU_TLB - 1)];
}

static bool is_of(const struct tlb_entry *e, const struct mem_space *space,
		  uint64_t va, unsigned int shift)
{
	return e->valid && e->shift == shift && e->tag == va >> shift &&
		e->root == space->root &&
		e->root_in_sysmem == mmu_in_sysmem(space);
}

/* The smallest page that is remembered for the address, or NULL. */
static struct tlb_entry *find(struct card *card, const struct mem_space *space,
			      uint64_t va)
{
	uint32_t shifts = card->mmu->shifts;

	while (shifts) {
		unsigned int shift = __builtin_ctz(shifts);
		struct tlb_entry *e = slot(card, space, va, shift);

		if (is_of(e, space, va, shift))
			return e;
		shifts &= shifts - 1;
	}
	return NULL;
}

static void fill(struct card *card, const struct mem_space *space, uint64_t va,
		 const struct mem_place *place, bool in_sysmem)
{
	struct tlb_entry *e = slot(card, space, va, place->shift);
	uint64_t size = 1ULL << place->shift;

	*e = (struct tlb_entry){
		.valid = true, .in_sysmem = in_sysmem,
		.root_in_sysmem = mmu_in_sysmem(space),
		.shift = place->shift, .root = space->root,
		.tag = va >> place->shift, .checked = card->tables,
		.page = *place,
	};
	e->page.addr -= size - place->left;
	e->page.left = size;
	card->mmu->shifts |= 1u << place->shift;
}

/* The monitor ----------------------------------------------------------- */

static bool same(const struct tlb_entry *e, uint64_t at,
		 const struct mem_place *now)
{
	return now->addr == e->page.addr + at &&
		now->aperture == e->page.aperture &&
		now->sparse == e->page.sparse &&
		now->read_only == e->page.read_only &&
		now->write_only == e->page.write_only &&
		now->privileged == e->page.privileged;
}

/* Would a walk still find the same? */
static void check(struct card *card, struct mem_who who, struct tlb_entry *e,
		  const struct mem_space *space, uint64_t va)
{
	uint64_t at = va & ((1ULL << e->shift) - 1);
	struct mem_place now;
	bool mapped = !card_va_look(card, space, va, &now);

	e->checked = card->tables;
	/* Sparse pages of two sizes have addresses of no meaning. */
	if (mapped && e->page.sparse && now.sparse)
		return;
	if (e->told || (mapped && same(e, at, &now)))
		return;
	e->told = true;		/* once is enough for each change */
	card_report(card, RULE_TLB_STALE, who.channel,
		    "an invalidation after the entry of 0x%llx changed|"
		    "its use as it was (page of 2^%u bytes, aperture %u, "
		    "0x%llx); now it is %s, 0x%llx%s",
		    (unsigned long long)va, e->shift, e->page.aperture,
		    (unsigned long long)(e->page.addr + at),
		    mapped ? "mapped elsewhere or otherwise" : "not mapped",
		    (unsigned long long)(mapped ? now.addr : 0),
		    pfb_forgets_later(card, space->root) ?
		    "; an invalidation is not done yet" : "");
}

/* Translating ----------------------------------------------------------- */

/* 0, or what forbids this access to a page that is there. */
static int forbidden(const struct mem_space *space,
		     const struct mem_place *place, bool write,
		     enum mem_fault_type *type)
{
	if (place->privileged && !space->privileged)
		*type = FAULT_PRIVILEGE;
	else if (write && place->read_only)
		*type = FAULT_READ_ONLY;
	else if (!write && place->write_only)
		*type = FAULT_WRITE_ONLY;
	else
		return 0;
	return -EFAULT;
}

static void from_entry(const struct tlb_entry *e, uint64_t va,
		       struct mem_place *place)
{
	uint64_t at = va & ((1ULL << e->shift) - 1);

	*place = e->page;
	place->addr += at;
	place->left -= at;
}

int card_va_translate(struct card *card, struct mem_who who,
		      const struct mem_space *space, uint64_t va, bool write,
		      struct mem_place *place, struct mem_fault *fault)
{
	struct tlb_entry *e = space->valid && va <= space->limit ?
		find(card, space, va) : NULL;
	enum mem_fault_type type;
	bool in_sysmem;
	int err = 0;

	if (e) {
		card->mmu->stats.hits++;
		if (e->checked != card->tables || e->in_sysmem)
			check(card, who, e, space, va);
		from_entry(e, va, place);
	} else {
		card->mmu->stats.misses++;
		err = mmu_walk(card, who, space, va, place, &type, &in_sysmem);
		if (!err)
			fill(card, space, va, place, in_sysmem);
	}
	if (!err)
		err = forbidden(space, place, write, &type);
	if (err)
		*fault = (struct mem_fault){
			.va = va, .type = type, .write = write,
		};
	return err;
}
