/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The doorbell page, a course addition [§12.2]: Volta's way of telling Host.
 *
 * A write of a channel's id makes Host look at that channel's GP_PUT, however
 * it got into USERD.  The index is still in memory; the doorbell only rings.
 */
#include "vm/model/host.h"

static uint32_t doorbell_read(struct card *card, const struct reg_desc *reg,
			      unsigned int index, uint32_t stored)
{
	uint64_t time = ptimer_now(card);

	(void)index;
	if (reg->offset == NV_USERMODE_TIME_0)
		return time & ~31u;
	if (reg->offset == NV_USERMODE_TIME_1)
		return time >> 32 & 0x1fffffff;
	return stored;
}

static void doorbell_write(struct card *card, const struct reg_desc *reg,
			   unsigned int index, uint32_t value, uint32_t old)
{
	struct channel *c = host_channel_get(card, value);

	(void)index;
	(void)old;
	if (reg->offset == NV_USERMODE_NOTIFY_CHANNEL_PENDING && c)
		channel_notify(card, c);
}

static const struct card_block additions = {
	.name = "additions",
	.first = 0xf00000,
	.last = 0xf1ffff,
	.read = doorbell_read,
	.write = doorbell_write,
};

int doorbell_init(struct card *card)
{
	return card->additions ? card_block_add(card, &additions) : 0;
}
