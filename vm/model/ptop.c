/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * PTOP and fuses: what the chip tells of itself [§5.1], [§5.5], [§5.6].
 *
 * Each engine takes three words here: where it is, its numbers, its type; the
 * first two say that another follows.  On Maxwell a copy engine's number is
 * in its type, on Pascal in the first word.
 */
#include "vm/model/model.h"

static uint32_t data_word(const struct chip *chip,
			  const struct chip_engine *engine)
{
	return REG_VAL(NV_PTOP_DEVICE_INFO_ENTRY,
		       NV_PTOP_DEVICE_INFO_ENTRY_DATA) |
		REG_VAL(NV_PTOP_DEVICE_INFO_CHAIN, 1) |
		REG_VAL(NV_PTOP_DEVICE_INFO_DATA_FAULT_ID, 1) |
		REG_SET(NV_PTOP_DEVICE_INFO_DATA_FAULT_ID_ENUM,
			engine->fault) |
		REG_SET(NV_PTOP_DEVICE_INFO_DATA_PRI_BASE, engine->base) |
		REG_SET(NV_PTOP_DEVICE_INFO_DATA_INST_ID,
			chip->pascal ? engine->instance : 0);
}

static uint32_t enum_word(const struct chip_engine *engine)
{
	return REG_VAL(NV_PTOP_DEVICE_INFO_ENTRY,
		       NV_PTOP_DEVICE_INFO_ENTRY_ENUM) |
		REG_VAL(NV_PTOP_DEVICE_INFO_CHAIN, 1) |
		REG_VAL(NV_PTOP_DEVICE_INFO_RESET, 1) |
		REG_VAL(NV_PTOP_DEVICE_INFO_INTR, 1) |
		REG_VAL(NV_PTOP_DEVICE_INFO_RUNLIST, 1) |
		REG_VAL(NV_PTOP_DEVICE_INFO_ENGINE, 1) |
		REG_SET(NV_PTOP_DEVICE_INFO_RESET_ENUM, engine->reset) |
		REG_SET(NV_PTOP_DEVICE_INFO_INTR_ENUM, engine->intr) |
		REG_SET(NV_PTOP_DEVICE_INFO_RUNLIST_ENUM, engine->runlist) |
		REG_SET(NV_PTOP_DEVICE_INFO_ENGINE_ENUM, engine->engine);
}

static uint32_t type_word(const struct chip_engine *engine)
{
	return REG_VAL(NV_PTOP_DEVICE_INFO_ENTRY,
		       NV_PTOP_DEVICE_INFO_ENTRY_ENGINE_TYPE) |
		REG_SET(NV_PTOP_DEVICE_INFO_TYPE_ENUM, engine->type);
}

static void set(struct card *card, uint32_t offset, uint32_t value)
{
	uint32_t *word = card_reg(card, offset);

	if (word)
		*word = value;
}

static void engines_reset(struct card *card)
{
	uint32_t at = NV_PTOP_DEVICE_INFO;

	for (unsigned int i = 0; i < card->chip->engines; i++) {
		const struct chip_engine *engine = &card->chip->engine[i];

		set(card, at, data_word(card->chip, engine));
		set(card, at + 4, enum_word(engine));
		set(card, at + 8, type_word(engine));
		at += 12;
	}
}

void ptop_reset(struct card *card)
{
	const struct chip *chip = card->chip;
	unsigned int fbpas = chip->fbps * chip->fbpas_per_fbp;

	set(card, NV_PTOP_SCRATCH1,
	    REG_SET(NV_PTOP_SCRATCH1_DEVINIT_COMPLETED,
		    !card->config.unposted));
	set(card, NV_PTOP_SCAL_NUM_GPCS, chip->gpcs);
	set(card, NV_PTOP_SCAL_NUM_TPC_PER_GPC, chip->tpcs_per_gpc);
	set(card, NV_PTOP_SCAL_NUM_FBPS, chip->fbps);
	set(card, NV_PTOP_SCAL_NUM_FBPAS, fbpas);
	set(card, NV_PTOP_SCAL_NUM_FBPA_PER_FBP, chip->fbpas_per_fbp);
	set(card, NV_PTOP_SCAL_NUM_LTC_PER_FBP, chip->ltcs_per_fbp);
	set(card, NV_PTOP_SCAL_NUM_LTCS, chip->fbps * chip->ltcs_per_fbp);
	set(card, NV_PTOP_SCAL_NUM_SLICES_PER_LTC, chip->slices_per_ltc);
	engines_reset(card);
}
