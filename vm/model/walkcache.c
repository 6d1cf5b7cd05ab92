/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Directory entries that walks remember [§6.5].
 *
 * A walk that misses the TLB need not begin at the page directory: entries of
 * each level are kept, by page directory and address, until they are told to
 * go.  Only entries that name a table are kept.  A driver that takes a table
 * away, and invalidates no more than pages, leaves the card an entry that
 * leads into memory which is something else by then.
 *
 * That is why a walk which began at a remembered entry is held against one
 * that reads everything anew, as soon as any table has changed: if it went
 * through another table, or came out elsewhere, the entry was stale.
 */
#include "vm/model/mmu.h"

static struct walked *slot(struct walk *w, unsigned int level)
{
	uint64_t tag = w->va >> mmu_shift(w->space, level);
	uint64_t hash = (tag ^ w->space->root >> 12) * 0x9e3779b97f4a7c15ULL;

	return &w->card->mmu->walked[level][hash >> 32 & (MMU_WALKS - 1)];
}

struct walked *walked_find(struct walk *w, unsigned int level)
{
	struct walked *e = slot(w, level);

	if (e->valid && e->root == w->space->root &&
	    e->tag == w->va >> mmu_shift(w->space, level) &&
	    e->format2 == w->space->format2 &&
	    e->root_in_sysmem == mmu_in_sysmem(w->space))
		return e;
	return NULL;
}

void walked_keep(struct walk *w, unsigned int level, const uint64_t entry[2])
{
	*slot(w, level) = (struct walked){
		.valid = true, .root = w->space->root,
		.tag = w->va >> mmu_shift(w->space, level),
		.shift = mmu_shift(w->space, level),
		.format2 = w->space->format2,
		.root_in_sysmem = mmu_in_sysmem(w->space),
		.in_sysmem = w->in_sysmem,
		.entry = { entry[0], entry[1] },
		.checked = w->card->tables,
	};
}

static bool names(const struct tlb_forget *what, const struct walked *e)
{
	return what->root == ~0ULL || (what->root == e->root &&
				       what->in_sysmem == e->root_in_sysmem);
}

void walked_forget(struct card *card, const struct tlb_forget *what)
{
	unsigned int levels = what->level ? what->level - 1u : MMU_LEVELS;
	struct mem_space space = { .big_shift = 16 };

	for (unsigned int i = 0; i < levels && i < MMU_LEVELS; i++) {
		for (unsigned int k = 0; k < MMU_WALKS; k++) {
			struct walked *e = &card->mmu->walked[i][k];

			if (!e->valid || !names(what, e))
				continue;
			space.format2 = e->format2;
			/* One address is Pascal's to name; format 1's entry
			 * is the smaller of its two sizes there. */
			if (!what->one_page || !e->format2 ||
			    e->tag == what->va >> mmu_shift(&space, i))
				e->valid = false;
		}
	}
}

/* Does memory still hold this entry at the place where a fresh walk looks? */
static bool same_entry(const struct walked *e, const struct walk_step *step)
{
	return step->seen && step->entry[0] == e->entry[0] &&
		step->entry[1] == e->entry[1];
}

static bool same_end(const struct walk *w, int result, const struct walk *now,
		     int now_result)
{
	const struct mem_place *a = w->place, *b = now->place;

	if (w->leaf != now->leaf || (result == WALK_MAPPED) != !now_result)
		return false;
	return result != WALK_MAPPED ||
		(a->addr == b->addr && a->aperture == b->aperture &&
		 a->sparse == b->sparse && a->read_only == b->read_only);
}

static void report(struct walk *w, unsigned int level, const struct walk *now,
		   int now_result)
{
	bool queued = pfb_forgets_later(w->card, w->space->root);

	card_report(w->card, RULE_TLB_STALE, w->who.channel,
		    "an invalidation of directory entries after that of "
		    "0x%llx (PDE%u) changed|"
		    "a walk that still went through it, and read the entry "
		    "at 0x%llx; memory leads to 0x%llx, %s%s",
		    (unsigned long long)w->va, level,
		    (unsigned long long)w->leaf,
		    (unsigned long long)now->leaf,
		    now_result ? "where nothing is mapped" : "a page",
		    queued ? "; an invalidation is not done yet" : "");
}

void walked_check(struct walk *w, int result)
{
	struct walked *e = w->from;
	unsigned int level = (e - w->card->mmu->walked[0]) / MMU_WALKS;
	enum mem_fault_type type;
	struct mem_place place;
	struct walk now;
	int now_result;

	if (e->checked == w->card->tables && !e->in_sysmem)
		return;
	now_result = mmu_look(w->card, w->space, w->va, &now, &place, &type);
	if (same_entry(e, &now.step[level])) {
		e->checked = w->card->tables;
		return;
	}
	if (e->told || same_end(w, result, &now, now_result))
		return;
	e->told = true;		/* once is enough for each change */
	report(w, level, &now, now_result);
}
