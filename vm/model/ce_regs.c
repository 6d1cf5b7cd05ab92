/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The copy engines' registers: interrupts and launch errors [§10.2]. */
#include "vm/model/ce.h"

static uint32_t ce_read(struct card *card, const struct reg_desc *reg,
			unsigned int index, uint32_t stored)
{
	struct ce *ce = card->host->ce[index];

	if (!ce)
		return stored;
	switch (reg->offset) {
	case NV_PCE_GM200_INTR:
	case NV_PCE_GP100_INTR:
		ce->seen |= ce->intr;
		return ce->intr;
	case NV_PCE_GM200_LAUNCH_ERROR:
	case NV_PCE_GP100_LAUNCH_ERROR:
		return ce->error;
	}
	return stored;
}

static void ce_write(struct card *card, const struct reg_desc *reg,
		     unsigned int index, uint32_t value, uint32_t old)
{
	struct ce *ce = card->host->ce[index];

	(void)old;
	if (!ce)
		return;
	switch (reg->offset) {
	case NV_PCE_GM200_INTR:
	case NV_PCE_GP100_INTR:
		host_acknowledge(card, reg->name, ce->intr, &ce->seen, value);
		ce->intr &= ~value;
		break;
	case NV_PCE_GM200_INTR_EN:
	case NV_PCE_GP100_INTR_EN:
		ce->en = value;
		break;
	}
	ce_update(card, ce);
	if (ce->stopped &&
	    !(ce->intr & (REG_FIELD_MASK(NV_PCE_INTR_BLOCKPIPE) |
			  REG_FIELD_MASK(NV_PCE_INTR_LAUNCHERR)))) {
		ce->stopped = false;
		ce->error = 0;
		ce_kick(card, ce);
	}
}

static bool ce_enabled(struct card *card, uint32_t offset)
{
	unsigned int index = card->chip->pascal ? (offset - 0x104400) / 0x80 :
						  (offset - 0x104000) / 0x1000;
	const struct chip_engine *e = chip_copy_engine(card->chip, index);

	return e && pmc_enabled(card, 1u << e->reset);
}

/*
 * Each engine has an enable bit of its own, so the block as a whole has none;
 * PMC resets the engines one by one.
 */
static const struct card_block ce_gm200 = {
	.name = "CE", .first = 0x104000, .last = 0x106fff,
	.enabled = ce_enabled, .read = ce_read, .write = ce_write,
};

static const struct card_block ce_pascal = {
	.name = "CE", .first = 0x104400, .last = 0x1046ff,
	.enabled = ce_enabled, .read = ce_read, .write = ce_write,
};

int ce_regs_init(struct card *card)
{
	return card_block_add(card, card->chip->pascal ? &ce_pascal :
							 &ce_gm200);
}
