/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Translations: address spaces, the TLB, and memory by virtual address
 * [§6.4], [§6.5].
 *
 * The TLB keeps what a walk found until it is told to forget it.  A driver
 * that changes an entry and does not say so goes on using the old page, which
 * is what the card does here too; and since that often looks like success, a
 * monitor reports it.  To know, it would have to walk on every hit; instead
 * card->tables counts writes into page tables, and an entry is compared anew
 * only when that count has moved.
 *
 * Entries that are not valid are not kept: making one valid needs no
 * invalidation.
 */
#include <stdlib.h>

#include "vm/model/mmu.h"

int mmu_init(struct card *card)
{
	card->tlb = calloc(CARD_TLB, sizeof(*card->tlb));
	return card->tlb ? 0 : -ENOMEM;
}

void mmu_fini(struct card *card)
{
	free(card->tlb);
}

void mmu_reset(struct card *card)
{
	card_tlb_invalidate(card, ~0ULL);
}

void card_tlb_invalidate(struct card *card, uint64_t root)
{
	for (size_t i = 0; i < CARD_TLB; i++) {
		if (root == ~0ULL || card->tlb[i].root == root)
			card->tlb[i].tag = ~0ULL;
	}
	card->tables++;
}

static struct tlb_entry *tlb_slot(struct card *card,
				  const struct mem_space *space, uint64_t va)
{
	uint64_t hash = (va >> 12 ^ space->root >> 8) * 0x9e3779b97f4a7c15ULL;

	return &card->tlb[hash >> 54 & (CARD_TLB - 1)];
}

static void tlb_fill(struct card *card, struct tlb_entry *entry,
		     const struct mem_space *space, uint64_t va,
		     const struct mem_place *place, bool in_sysmem)
{
	uint64_t at = va % CARD_PAGE;

	*entry = (struct tlb_entry){
		.tag = va >> 12,
		.root = space->root,
		.addr = place->addr - at,
		.left = place->left + at,
		.aperture = place->aperture,
		.kind = place->kind,
		.read_only = place->read_only,
		.privileged = place->privileged,
		.sparse = place->sparse,
		.checked = card->tables,
		.in_sysmem = in_sysmem,
	};
}

static void tlb_place(const struct tlb_entry *entry, uint64_t va,
		      struct mem_place *place)
{
	uint64_t at = va % CARD_PAGE;

	*place = (struct mem_place){
		.addr = entry->addr + at,
		.left = entry->left - at,
		.aperture = entry->aperture,
		.kind = entry->kind,
		.read_only = entry->read_only,
		.privileged = entry->privileged,
		.sparse = entry->sparse,
	};
}

/* Would a walk still find the same? */
static void tlb_check(struct card *card, struct mem_who who,
		      struct tlb_entry *entry, const struct mem_space *space,
		      uint64_t va)
{
	struct mem_place now;
	bool mapped = !card_va_look(card, space, va, &now);

	entry->checked = card->tables;
	if (mapped && now.addr - va % CARD_PAGE == entry->addr &&
	    now.aperture == entry->aperture && now.sparse == entry->sparse &&
	    now.read_only == entry->read_only)
		return;
	/* Once is enough for each change. */
	entry->in_sysmem = false;
	card_report(card, RULE_TLB_STALE, who.channel,
		    "an invalidation after the entry of 0x%llx changed|"
		    "its use as it was (aperture %u, 0x%llx); now it is %s, "
		    "0x%llx",
		    (unsigned long long)va, entry->aperture,
		    (unsigned long long)(entry->addr + va % CARD_PAGE),
		    mapped ? "mapped elsewhere or otherwise" : "not mapped",
		    (unsigned long long)(mapped ? now.addr : 0));
}

int card_va_translate(struct card *card, struct mem_who who,
		      const struct mem_space *space, uint64_t va, bool write,
		      struct mem_place *place, struct mem_fault *fault)
{
	struct tlb_entry *entry = tlb_slot(card, space, va);
	bool in_sysmem;
	int err;

	if (space->valid && entry->tag == va >> 12 &&
	    entry->root == space->root && va <= space->limit) {
		if (entry->checked != card->tables || entry->in_sysmem)
			tlb_check(card, who, entry, space, va);
		if (write && entry->read_only) {
			*fault = (struct mem_fault){
				.va = va, .type = FAULT_READ_ONLY,
				.write = true,
			};
			return -EFAULT;
		}
		tlb_place(entry, va, place);
		return 0;
	}
	err = mmu_walk(card, who, space, va, write, place, fault, &in_sysmem);
	if (!err)
		tlb_fill(card, entry, space, va, place, in_sysmem);
	return err;
}

int card_va_read(struct card *card, struct mem_who who,
		 const struct mem_space *space, uint64_t va, void *buf,
		 size_t len, struct mem_fault *fault)
{
	uint8_t *to = buf;

	while (len) {
		struct mem_place place;
		size_t part;
		int err = card_va_translate(card, who, space, va, false,
					    &place, fault);

		if (err)
			return err;
		part = place.left < len ? place.left : len;
		if (place.sparse)
			memset(to, 0, part);
		else if (card_mem_read(card, who, place.aperture, place.addr,
				       to, part))
			goto no_answer;
		va += part;
		to += part;
		len -= part;
	}
	return 0;

no_answer:
	*fault = (struct mem_fault){ .va = va, .type = FAULT_APERTURE };
	return -EFAULT;
}

int card_va_write(struct card *card, struct mem_who who,
		  const struct mem_space *space, uint64_t va,
		  const void *buf, size_t len, struct mem_fault *fault)
{
	const uint8_t *from = buf;

	while (len) {
		struct mem_place place;
		size_t part;
		int err = card_va_translate(card, who, space, va, true,
					    &place, fault);

		if (err)
			return err;
		part = place.left < len ? place.left : len;
		if (!place.sparse &&
		    card_mem_write(card, who, place.aperture, place.addr,
				   from, part))
			goto no_answer;
		va += part;
		from += part;
		len -= part;
	}
	return 0;

no_answer:
	*fault = (struct mem_fault){
		.va = va, .type = FAULT_APERTURE, .write = true,
	};
	return -EFAULT;
}

const void *card_va_peek(struct card *card, struct mem_who who,
			 const struct mem_space *space, uint64_t va,
			 size_t len)
{
	struct mem_place place;
	struct mem_fault fault;

	if (card_va_translate(card, who, space, va, false, &place, &fault) ||
	    place.left < len || place.sparse)
		return NULL;
	return card_mem_peek(card, who, place.aperture, place.addr, len);
}

/* On Maxwell the memory interface may overrule the instance block. */
static uint8_t big_shift(const struct card *card, uint32_t word)
{
	uint32_t ctrl = *card_reg((struct card *)card, NV_PFB_PRI_MMU_CTRL);
	bool is_64k = REG_GET(NV_RAMIN_BIG_PAGE_SIZE, word);

	if (!card->chip->pascal &&
	    REG_GET(NV_PFB_PRI_MMU_CTRL_USE_PDB_BIG_PAGE_SIZE, ctrl) != 3)
		is_64k = REG_GET(NV_PFB_PRI_MMU_CTRL_VM_PG_SIZE, ctrl);
	return is_64k ? 16 : 17;
}

int card_space_load(struct card *card, struct mem_who who,
		    enum mem_aperture aperture, uint64_t inst,
		    struct mem_space *space)
{
	uint32_t word[4];

	*space = (struct mem_space){ 0 };
	if (card_mem_read(card, who, aperture,
			  inst + NV_RAMIN_PAGE_DIR_BASE_LO, word, sizeof(word)))
		return -EFAULT;
	if (!card->chip->pascal)
		word[1] &= 0xff;
	space->root = (uint64_t)word[1] << 32 | (word[0] & ~0xfffu);
	space->aperture = (enum mem_aperture)
		REG_GET(NV_RAMIN_PAGE_DIR_BASE_TARGET, word[0]);
	space->format2 = card->chip->pascal &&
		REG_GET(NV_RAMIN_USE_VER2_PT_FORMAT, word[0]);
	space->big_shift = big_shift(card, word[0]);
	space->limit = (uint64_t)word[3] << 32 | word[2] | 0xfff;
	space->valid = true;
	return 0;
}
