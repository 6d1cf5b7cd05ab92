/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * PTIMER [§5.3]: the card's time, which is virtual time plus whatever the
 * driver wrote into TIME; an alarm on its low word; a countdown.
 */
#include "vm/model/model.h"

#define TIME_0_BITS	0xffffffe0u	/* steps of 32 ns */

uint64_t ptimer_now(const struct card *card)
{
	return card->now + card->ptimer_offset;
}

static void ptimer_level(struct card *card)
{
	uint32_t pending = *card_reg(card, NV_PTIMER_INTR_0) &
		*card_reg(card, NV_PTIMER_INTR_EN_0);

	card_intr(card, INTR_STALL, REG_FIELD_LO(NV_PMC_INTR_PTIMER),
		  pending);
}

static void alarm_rings(struct card *card, void *arg)
{
	(void)arg;
	*card_reg(card, NV_PTIMER_INTR_0) |=
		REG_VAL(NV_PTIMER_INTR_0_ALARM, 1);
	ptimer_level(card);
}

static void countdown_ends(struct card *card, void *arg)
{
	(void)arg;
	*card_reg(card, NV_PTIMER_INTR_0) |=
		REG_VAL(NV_PTIMER_INTR_0_TIMER, 1);
	ptimer_level(card);
}

/* The next time that the low word of time is the alarm's. */
static void alarm_set(struct card *card)
{
	uint32_t alarm = *card_reg(card, NV_PTIMER_ALARM_0) & TIME_0_BITS;
	uint32_t ahead = alarm - (uint32_t)ptimer_now(card);

	card_timer_set(card, &card->alarm, card->now + ahead);
}

static uint32_t ptimer_read(struct card *card, const struct reg_desc *reg,
			    unsigned int index, uint32_t stored)
{
	uint64_t now = ptimer_now(card);

	(void)index;
	switch (reg->offset) {
	case NV_PTIMER_TIME_0:
		return now & TIME_0_BITS;
	case NV_PTIMER_TIME_1:
		return REG_SET(NV_PTIMER_TIME_1_NSEC, now >> 32);
	case NV_PTIMER_TIMER_0:
		if (!card_timer_armed(&card->countdown))
			return 0;
		return card->countdown.when - card->now;
	}
	return stored;
}

static void ptimer_write(struct card *card, const struct reg_desc *reg,
			 unsigned int index, uint32_t value, uint32_t old)
{
	uint64_t now = ptimer_now(card);

	(void)index;
	(void)old;
	switch (reg->offset) {
	case NV_PTIMER_TIME_0:
		card->ptimer_offset += (value & TIME_0_BITS) - (uint32_t)now;
		if (card_timer_armed(&card->alarm))
			alarm_set(card);
		break;
	case NV_PTIMER_TIME_1:
		card->ptimer_offset +=
			((uint64_t)value << 32) - (now & ~0xffffffffULL);
		break;
	case NV_PTIMER_ALARM_0:
		alarm_set(card);
		break;
	case NV_PTIMER_TIMER_0:
		card_timer_set(card, &card->countdown, card->now + value);
		break;
	case NV_PTIMER_INTR_0:
	case NV_PTIMER_INTR_EN_0:
		ptimer_level(card);
		break;
	}
}

static const struct card_block ptimer_block = {
	.name = "PTIMER", .first = 0x009000, .last = 0x009fff,
	.read = ptimer_read, .write = ptimer_write,
};

int ptimer_init(struct card *card)
{
	card_timer_init(&card->alarm, alarm_rings, NULL);
	card_timer_init(&card->countdown, countdown_ends, NULL);
	return card_block_add(card, &ptimer_block);
}

void ptimer_reset(struct card *card)
{
	card->ptimer_offset = 0;
	card_timer_cancel(card, &card->alarm);
	card_timer_cancel(card, &card->countdown);
}
