/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * PBUS and UFLUSH: what BAR1 and BAR2 show [§6.2], flushes [§6.6], and what
 * is remembered of a register access that failed [§2.2].
 *
 * A bind takes time: the window goes on showing the old thing until the
 * instance block has been read, and a driver that does not poll BIND_STATUS
 * works through the wrong page tables.
 */
#include "vm/model/model.h"


static void bind_done(struct card *card, struct bar_window *window)
{
	struct mem_who who = { CARD_DMA_INSTANCE, CARD_NO_CHANNEL };
	uint32_t block = window->next;

	window->block = block;
	window->virtual = REG_GET(NV_PBUS_BAR1_BLOCK_MODE, block);
	window->inst = REG_GET(NV_PBUS_BAR1_BLOCK_PTR, block) << 12;
	window->space = (struct mem_space){ 0 };
	if (window->virtual)
		card_space_load(card, who, (enum mem_aperture)
				REG_GET(NV_PBUS_BAR1_BLOCK_TARGET, block),
				window->inst, &window->space);
	window->space.privileged = true;	/* the kernel's [§6.4] */
}

static void window_bound(struct card *card, void *arg)
{
	bind_done(card, arg);
}

static void window_bind(struct card *card, struct bar_window *window,
			uint32_t block)
{
	window->next = block;
	card_timer_set(card, &window->bind, card->now + card->costs.flush);
}

static void flush_done(struct card *card, void *arg)
{
	struct card_timer *timer = arg;

	if (timer == &card->flush[0]) {
		path_drain(card);
		card_trace(card, EV_FLUSH, CARD_NO_CHANNEL, 0, 0, 0, 0);
	}
}

static void pbus_level(struct card *card)
{
	uint32_t pending = *card_reg(card, NV_PBUS_INTR_0) &
		*card_reg(card, NV_PBUS_INTR_EN_0);

	card_intr(card, INTR_STALL, REG_FIELD_LO(NV_PMC_INTR_PBUS), pending);
}

void pbus_error(struct card *card, uint32_t offset, bool write,
		uint32_t value, uint32_t code, unsigned int field)
{
	uint32_t *save = card_reg(card, NV_PTIMER_PRI_TIMEOUT_SAVE_0);

	/* The first error stays until it is cleared. */
	if (!REG_GET(NV_PTIMER_PRI_TIMEOUT_SAVE_0_TO, *save)) {
		*save = REG_VAL(NV_PTIMER_PRI_TIMEOUT_SAVE_0_TO, 1) |
			REG_SET(NV_PTIMER_PRI_TIMEOUT_SAVE_0_WRITE, write) |
			REG_SET(NV_PTIMER_PRI_TIMEOUT_SAVE_0_ADDR,
				offset >> 2) |
			REG_VAL(NV_PTIMER_PRI_TIMEOUT_SAVE_0_FECS_TGT, 1);
		*card_reg(card, NV_PTIMER_PRI_TIMEOUT_SAVE_1) =
			write ? value : 0;
		*card_reg(card, NV_PTIMER_PRI_TIMEOUT_FECS_ERRCODE) = code;
	}
	*card_reg(card, NV_PBUS_INTR_0) |= REG_FIELD_MASK(field);
	pbus_level(card);
}

static uint32_t bind_status(const struct card *card)
{
	uint32_t status = 0;

	/* First it waits, then it is worked on; here both end together. */
	if (card_timer_armed(&card->bar1.bind))
		status |= REG_VAL(NV_PBUS_BIND_STATUS_BAR1_PENDING, 1) |
			REG_VAL(NV_PBUS_BIND_STATUS_BAR1_OUTSTANDING, 1);
	if (card_timer_armed(&card->bar2.bind))
		status |= REG_VAL(NV_PBUS_BIND_STATUS_BAR2_PENDING, 1) |
			REG_VAL(NV_PBUS_BIND_STATUS_BAR2_OUTSTANDING, 1);
	return status;
}

static uint32_t pbus_read(struct card *card, const struct reg_desc *reg,
			  unsigned int index, uint32_t stored)
{
	(void)index;
	return reg->offset == NV_PBUS_BIND_STATUS ? bind_status(card) : stored;
}

static void pbus_write(struct card *card, const struct reg_desc *reg,
		       unsigned int index, uint32_t value, uint32_t old)
{
	(void)index;
	(void)old;
	switch (reg->offset) {
	case NV_PBUS_INTR_0:
	case NV_PBUS_INTR_EN_0:
		pbus_level(card);
		break;
	case NV_PBUS_BAR1_BLOCK:
		window_bind(card, &card->bar1, value);
		break;
	case NV_PBUS_BAR2_BLOCK:
		window_bind(card, &card->bar2, value);
		break;
	}
}

static unsigned int flush_of(const struct reg_desc *reg)
{
	return (reg->offset - NV_UFLUSH_FB_FLUSH) / 4;
}

static uint32_t uflush_read(struct card *card, const struct reg_desc *reg,
			    unsigned int index, uint32_t stored)
{
	(void)index;
	(void)stored;
	if (!card_timer_armed(&card->flush[flush_of(reg)]))
		return 0;
	return REG_VAL(NV_UFLUSH_FB_FLUSH_PENDING, 1) |
		REG_VAL(NV_UFLUSH_FB_FLUSH_OUTSTANDING, 1);
}

static void uflush_write(struct card *card, const struct reg_desc *reg,
			 unsigned int index, uint32_t value, uint32_t old)
{
	(void)index;
	(void)old;
	if (REG_GET(NV_UFLUSH_FB_FLUSH_PENDING, value))
		card_timer_set(card, &card->flush[flush_of(reg)],
			       card->now + card->costs.flush);
}

static const struct card_block pbus_block = {
	.name = "PBUS", .first = 0x001000, .last = 0x001fff,
	.read = pbus_read, .write = pbus_write,
};

static const struct card_block uflush_block = {
	.name = "UFLUSH", .first = 0x070000, .last = 0x070fff,
	.enable = REG_FIELD_MASK(NV_PMC_ENABLE_HUB),
	.read = uflush_read, .write = uflush_write,
};

int pbus_init(struct card *card)
{
	card_timer_init(&card->bar1.bind, window_bound, &card->bar1);
	card_timer_init(&card->bar2.bind, window_bound, &card->bar2);
	for (unsigned int i = 0; i < CARD_FLUSHES; i++)
		card_timer_init(&card->flush[i], flush_done, &card->flush[i]);
	return card_block_add(card, &pbus_block) ?:
		card_block_add(card, &uflush_block);
}

void pbus_reset(struct card *card)
{
	card_timer_cancel(card, &card->bar1.bind);
	card_timer_cancel(card, &card->bar2.bind);
	card->bar1.next = 0;
	card->bar2.next = 0;
	bind_done(card, &card->bar1);
	bind_done(card, &card->bar2);
	for (unsigned int i = 0; i < CARD_FLUSHES; i++)
		card_timer_cancel(card, &card->flush[i]);
	card->snoop_size = 0;
}
