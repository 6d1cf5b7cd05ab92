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

static void invalidate_next(struct card *card)
{
	card_timer_set(card, &card->invalidate,
		       card->now + card->costs.flush);
}

static void invalidate_done(struct card *card, void *arg)
{
	uint64_t root = card->invalidate_root[card->invalidate_head];

	(void)arg;
	card_tlb_invalidate(card, root);
	card_trace(card, EV_TLB_INVALIDATE, CARD_NO_CHANNEL, root, 0, 0, 0);
	card->invalidate_head = (card->invalidate_head + 1) % CARD_SLOTS;
	if (--card->invalidates)
		invalidate_next(card);
}

static uint64_t invalidate_target(struct card *card, uint32_t request)
{
	uint32_t low = *card_reg(card, NV_PFB_PRI_MMU_INVALIDATE_PDB);
	uint32_t *upper = card_reg(card, NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB);
	uint64_t pdb = low;

	if (REG_GET(NV_PFB_PRI_MMU_INVALIDATE_ALL_PDB, request))
		return ~0ULL;
	if (upper)
		pdb |= (uint64_t)*upper << 32;
	return REG_GET(NV_PFB_PRI_MMU_INVALIDATE_PDB_ADDR, pdb) << 12 |
		pdb >> 32 << 40;
}

static void invalidate_write(struct card *card, uint32_t request)
{
	uint32_t at = (card->invalidate_head + card->invalidates) %
		CARD_SLOTS;

	*card_reg(card, NV_PFB_PRI_MMU_INVALIDATE) &=
		~REG_FIELD_MASK(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER);
	if (!REG_GET(NV_PFB_PRI_MMU_INVALIDATE_TRIGGER, request) ||
	    card->invalidates == CARD_SLOTS)
		return;
	card->invalidate_root[at] = invalidate_target(card, request);
	if (!card->invalidates++)
		invalidate_next(card);
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
	(void)old;
	if (reg->offset == NV_PFB_PRI_MMU_INVALIDATE)
		invalidate_write(card, value);
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
}
