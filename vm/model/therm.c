/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The temperature sensor [§5.4].
 *
 * GM200 has whole degrees, once the driver has switched the sensor on and
 * waited for it to settle.  Pascal has 1/32 degrees and a bit that says
 * whether there is a reading at all.
 */
#include "vm/model/model.h"

#define SENSOR_SETTLES	20000000ULL	/* ns */
#define AT_REST		35000		/* 1/1000 degree Celsius */

void therm_set(struct card *card, int32_t millidegrees)
{
	card->millidegrees = millidegrees;
}

/* How far the driver has come with switching the sensor on. */
static bool sensor_is_set_up(struct card *card)
{
	uint32_t ctrl = *card_reg(card, NV_THERM_GM200_SENSOR_CTRL);
	uint32_t cal = *card_reg(card, NV_THERM_GM200_SENSOR_CAL);

	return REG_GET(NV_THERM_GM200_SENSOR_CTRL_ON, ctrl) &&
		!REG_GET(NV_THERM_GM200_SENSOR_CTRL_OFF, ctrl) &&
		!REG_GET(NV_THERM_GM200_SENSOR_CAL_HIGH, cal) &&
		!REG_GET(NV_THERM_GM200_SENSOR_CAL_LOW, cal);
}

static uint32_t therm_read(struct card *card, const struct reg_desc *reg,
			   unsigned int index, uint32_t stored)
{
	int32_t above_zero = card->millidegrees > 0 ? card->millidegrees : 0;

	(void)index;
	switch (reg->offset) {
	case NV_THERM_GM200_TEMP:
		if (!sensor_is_set_up(card) || card->now <
		    card->sensor_since + SENSOR_SETTLES)
			return 0;
		return above_zero / 1000;
	case NV_THERM_GP100_TEMP:
		return REG_VAL(NV_THERM_GP100_TEMP_VALID, 1) |
			REG_SET(NV_THERM_GP100_TEMP_VALUE,
				above_zero * 32 / 1000);
	}
	return stored;
}

static void therm_write(struct card *card, const struct reg_desc *reg,
			unsigned int index, uint32_t value, uint32_t old)
{
	(void)reg;
	(void)index;
	if (value != old)
		card->sensor_since = card->now;
}

static const struct card_block therm_block = {
	.name = "THERM", .first = 0x020000, .last = 0x020fff,
	.read = therm_read, .write = therm_write,
};

int therm_init(struct card *card)
{
	card->millidegrees = AT_REST;
	return card_block_add(card, &therm_block);
}
