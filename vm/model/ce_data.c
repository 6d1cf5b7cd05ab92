/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Moving the bytes of a copy: ends that are virtual or physical, elements
 * that are copied, filled or mixed by SET_REMAP_COMPONENTS [§10.1].
 */
#include "vm/model/ce.h"

/* 0; -EFAULT: the channel was torn off. */
static int end_read(struct card *card, struct ce *ce, struct channel *c,
		    const struct ce_end *end, uint64_t addr, void *buf,
		    size_t len)
{
	struct mem_who who = { CARD_DMA_COPY, c->id };

	if (!end->physical)
		return channel_read(card, c, ce->engine->fault, CARD_DMA_COPY,
				    addr, buf, len);
	card_mem_read(card, who, end->aperture, addr, buf, len);
	return 0;
}

static int end_write(struct card *card, struct ce *ce, struct channel *c,
		     const struct ce_end *end, uint64_t addr, const void *buf,
		     size_t len)
{
	struct mem_who who = { CARD_DMA_COPY, c->id };

	if (!end->physical)
		return channel_write(card, c, ce->engine->fault,
				     CARD_DMA_COPY, addr, buf, len);
	card_mem_write(card, who, end->aperture, addr, buf, len);
	return 0;
}

/* One element through SET_REMAP_COMPONENTS. */
static void remap(const struct ce_launch *l, const uint8_t *src, uint8_t *dst)
{
	uint32_t c = l->components;
	uint32_t size = REG_GET(NVC0B5_SET_REMAP_COMPONENTS_COMPONENT_SIZE, c)
			+ 1;
	uint32_t n = l->dst_size / size, i;

	for (i = 0; i < n; i++, dst += size) {
		uint32_t s = c >> 4 * i & 7;

		if (s <= 3)
			memcpy(dst, src + s * size, size);
		else if (s != NVC0B5_SET_REMAP_COMPONENTS_DST_X_NO_WRITE)
			memcpy(dst, &l->consts[s - 4], size);
	}
}

/* n elements of the current line, from ce->element. */
int ce_move(struct card *card, struct ce *ce, uint32_t n)
{
	const struct ce_launch *l = &ce->queue[ce->head];
	uint64_t src = l->src.addr + l->src.pitch * ce->line +
		       (uint64_t)ce->element * l->src_size;
	uint64_t dst = l->dst.addr + l->dst.pitch * ce->line +
		       (uint64_t)ce->element * l->dst_size;
	uint8_t from[CE_CHUNK * 4], to[CE_CHUNK * 4];
	bool remapped = REG_GET(NVC0B5_LAUNCH_DMA_REMAP_ENABLE, l->word);
	uint32_t i;

	if (l->reads && end_read(card, ce, l->channel, &l->src, src, from,
				 n * l->src_size))
		return -EFAULT;
	if (!remapped)
		return end_write(card, ce, l->channel, &l->dst, dst, from, n);

	if (l->keeps && end_read(card, ce, l->channel, &l->dst, dst, to,
				 n * l->dst_size))
		return -EFAULT;
	for (i = 0; i < n; i++)
		remap(l, from + i * l->src_size, to + i * l->dst_size);
	return end_write(card, ce, l->channel, &l->dst, dst, to,
			 n * l->dst_size);
}
