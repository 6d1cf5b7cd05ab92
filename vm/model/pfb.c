/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * PFB: the size of video memory [§5.6] and the invalidation of translations
 * [§6.5].
 *
 * Invalidations wait in a queue of CARD_SLOTS places and are worked off one
 * after the other.  A request that comes when no place is free is lost, which
 * is why drivers look at PRI_FIFO_SPACE first and at PRI_FIFO_EMPTY last.
 */
#include "vm/model/model.h"

/* How long the one takes that is next. */
static void invalidate_next(struct card *card)
{
	uint64_t time = card->costs.tlb_flush;

	if (card->invalidate_frozen)
		return;
	/* Its own dice: a driver that invalidates more or less does not
	 * shift every other delay of the run. */
	if (card->costs.tlb_jitter)
		time += card_random_of(card, card->mmu_dice++,
				       card->costs.tlb_jitter);
	card_timer_set(card, &card->invalidate, card->now + time);
}

static void invalidate_done(struct card *card, void *arg)
{
	const struct tlb_forget *what =
		&card->invalidate_what[card->invalidate_head];

	(void)arg;
	card_tlb_forget(card, what);
	card_trace(card, EV_TLB_INVALIDATE, CARD_NO_CHANNEL, what->root,
		   what->level, what->va, 0);
	card->invalidate_head = (card->invalidate_head + 1) % CARD_SLOTS;
	if (--card->invalidates)
		invalidate_next(card);
}

void card_freeze_tlb(struct card *card, bool frozen)
{
	card->invalidate_frozen = frozen;
	card_timer_cancel(card, &card->invalidate);
	if (card->invalidates)
		invalidate_next(card);
}

/* The page directory that the two registers name. */
static uint64_t named_root(struct card *card)
{
	uint32_t low = *card_reg(card, NV_PFB_PRI_MMU_INVALIDATE_PDB);
	uint32_t *upper = card_reg(card, NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB);
	uint64_t root = REG_GET(NV_PFB_PRI_MMU_INVALIDATE_PDB_ADDR, low) << 12;

	return upper ? root | (uint64_t)*upper << 40 : root;
}

static void busy(struct card *card, const char *format, uint64_t a)
{
	card_report(card, RULE_TLB_INVALIDATE_BUSY, CARD_NO_CHANNEL,
		    "a free place in the queue, and one page directory from "
		    "its naming to the trigger|%s (0x%llx)",
		    format, (unsigned long long)a);
}

/* What a request names; false: nothing that could be forgotten. */
static bool invalidate_what(struct card *card, uint32_t request,
			    struct tlb_forget *what)
{
	uint32_t low = *card_reg(card, NV_PFB_PRI_MMU_INVALIDATE_PDB);

	*what = (struct tlb_forget){ .root = ~0ULL };
	if (card->chip->pascal)
		what->level = REG_GET(NV_PFB_PRI_MMU_INVALIDATE_CACHE_LEVEL,
				      request);
	/* There is no register for one address [§6.5]. */
	if (!REG_GET(NV_PFB_PRI_MMU_INVALIDATE_ALL_VA, request)) {
		busy(card, "a trigger without ALL_VA, which forgets nothing",
		     request);
		return false;
	}
	if (REG_GET(NV_PFB_PRI_MMU_INVALIDATE_ALL_PDB, request))
		return true;
	what->root = named_root(card);
	what->in_sysmem =
		REG_GET(NV_PFB_PRI_MMU_INVALIDATE_PDB_APERTURE, low);
	if (!what->in_sysmem && what->root >= card->chip->vram_size)
		busy(card, "a page directory beyond video memory", what->root);
	return true;
}

static void invalidate_write(struct card *card, uint32_t request)
{
	uint32_t at = (card->invalidate_head + card->invalidates) %
		CARD_SLOTS;
	struct tlb_forget what;

	*card_reg(card, NV_PFB_PRI_MMU_INVALIDATE) &=
		~REG_FIELD_MASK(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER);
	if (!REG_GET(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER, request))
		return;
	card->pdb_named = false;
	if (!invalidate_what(card, request, &what))
		return;
	if (card->invalidates == CARD_SLOTS) {
		busy(card, "a trigger when no place was free: it is lost",
		     what.root);
		return;
	}
	card->invalidate_what[at] = what;
	if (!card->invalidates++)
		invalidate_next(card);
}

/* The registers hold one request: who names another directory before the
 * trigger has taken somebody's away. */
static void pdb_write(struct card *card, uint32_t value, uint32_t old)
{
	if (card->pdb_named && value != old)
		busy(card, "INVALIDATE_PDB written anew before the trigger; "
		     "lost is", (uint64_t)old);
	card->pdb_named = true;
}

bool pfb_forgets_later(const struct card *card, uint64_t root)
{
	for (uint32_t i = 0; i < card->invalidates; i++) {
		uint32_t at = (card->invalidate_head + i) % CARD_SLOTS;
		const struct tlb_forget *what = &card->invalidate_what[at];

		if (what->root == ~0ULL || what->root == root)
			return true;
	}
	return false;
}

static uint32_t pfb_read(struct card *card, const struct reg_desc *reg,
			 unsigned int index, uint32_t stored)
{
	const struct chip *chip = card->chip;

	switch (reg->offset) {
	case NV_PFB_PRI_MMU_CTRL:
		stored &= ~(REG_FIELD_MASK(
				NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY) |
			    REG_FIELD_MASK(
				NV_PFB_PRI_MMU_CTRL_PRI_FIFO_SPACE));
		return stored |
			REG_SET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_EMPTY,
				!card->invalidates) |
			REG_SET(NV_PFB_PRI_MMU_CTRL_PRI_FIFO_SPACE,
				CARD_SLOTS - card->invalidates);
	case NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE:
		return chip->local_memory_range;
	case NV_PFB_GM200_FBPA_AMOUNT:
	case NV_PFB_GP100_FBPA_AMOUNT:
		return index < chip->fbps * chip->fbpas_per_fbp ?
			chip->fbpa_mib : 0;
	case NV_PLTCG_NUM_LTCS:
		return chip->fbps * chip->ltcs_per_fbp;
	case NV_PLTCG_LTCS_PARAM:
		return REG_SET(NV_PLTCG_LTCS_PARAM_SLICES,
			       chip->slices_per_ltc);
	}
	return stored;
}

static void pfb_write(struct card *card, const struct reg_desc *reg,
		      unsigned int index, uint32_t value, uint32_t old)
{
	(void)index;
	switch (reg->offset) {
	case NV_PFB_PRI_MMU_INVALIDATE_PDB:
		pdb_write(card, value, old);
		break;
	case NV_PFB_PRI_MMU_INVALIDATE:
		invalidate_write(card, value);
		break;
	}
}

/* Parts of the memory interface lie apart in the register space. */
static const struct card_block pfb_blocks[] = {
	{
		.name = "PFB", .first = 0x100000, .last = 0x100fff,
		.enable = REG_FIELD_MASK(NV_PMC_ENABLE_PFB),
		.read = pfb_read, .write = pfb_write,
	}, {
		.name = "FBPA", .first = 0x110000, .last = 0x11ffff,
		.enable = REG_FIELD_MASK(NV_PMC_ENABLE_PFB),
		.read = pfb_read,
	}, {
		.name = "PRIV_RING", .first = 0x120000, .last = 0x12ffff,
		.read = pfb_read,
	}, {
		.name = "LTC", .first = 0x170000, .last = 0x17ffff,
		.enable = REG_FIELD_MASK(NV_PMC_ENABLE_L2),
		.read = pfb_read,
	}, {
		.name = "HSHUB", .first = 0x1fa000, .last = 0x1fafff,
		.enable = REG_FIELD_MASK(NV_PMC_ENABLE_PFB),
	}, {
		.name = "FBPA", .first = 0x900000, .last = 0x93ffff,
		.enable = REG_FIELD_MASK(NV_PMC_ENABLE_PFB),
		.read = pfb_read,
	},
};

int pfb_init(struct card *card)
{
	card_timer_init(&card->invalidate, invalidate_done, NULL);
	for (size_t i = 0; i < array_size(pfb_blocks); i++) {
		int err = card_block_add(card, &pfb_blocks[i]);

		if (err)
			return err;
	}
	return 0;
}

void pfb_reset(struct card *card)
{
	card_timer_cancel(card, &card->invalidate);
	card->invalidates = 0;
	card->invalidate_head = 0;
	card->invalidate_frozen = false;
	card->pdb_named = false;
}
