/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Fetching GP entries [§8.3].
 *
 * A write of GP_PUT only wakes Host; what counts is what Host reads in USERD
 * a while later, so several writes in a row may look like one.  It then
 * fetches the entries from GP_FETCH up to GP_PUT in one batch, and they wait
 * in the channel's fifo until the PBDMA begins them.
 */
#include "vm/model/host.h"

void pbdma_fetch(struct card *card, struct pbdma *p)
{
	struct channel *c = p->channel;
	uint32_t ahead, ask;

	if (card_timer_armed(&p->fetcher) || p->gp_fetch == p->gp_put ||
	    p->trap || card->frozen)
		return;
	ahead = (p->gp_fetch - p->gp_get) & (p->entries - 1);
	ask = (p->gp_put - p->gp_fetch) & (p->entries - 1);
	if (ask > c->fifo_size - 1 - ahead)
		ask = c->fifo_size - 1 - ahead;
	if (!ask)
		return;
	p->fetch_to = (p->gp_fetch + ask) & (p->entries - 1);
	card_timer_set(card, &p->fetcher, card->now + card->costs.gp_fetch);
}

static void trace_fetched(struct card *card, const struct pbdma *p,
			  const uint64_t *entry, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		card_trace(card, EV_GP_FETCH, p->channel->id, p->gp_fetch + i,
			   entry[i], 0, 0);
}

void pbdma_entries_arrive(struct card *card, void *arg)
{
	struct pbdma *p = arg;
	struct channel *c = p->channel;
	uint32_t i;

	if (p->phase != PBDMA_RUN || card->frozen)
		return;
	while (p->gp_fetch != p->fetch_to) {
		uint32_t slot = p->gp_fetch & (c->fifo_size - 1);
		uint32_t n = (p->fetch_to > p->gp_fetch ? p->fetch_to :
							  p->entries) -
			     p->gp_fetch;

		if (n > c->fifo_size - slot)
			n = c->fifo_size - slot;
		if (channel_read(card, c, pbdma_mmu_engine(card, p),
				 CARD_DMA_GP_ENTRY,
				 p->gp_base + 8ull * p->gp_fetch,
				 &c->fifo[slot], 8ull * n))
			return;
		if (card_hears(card, EV_GP_FETCH))
			trace_fetched(card, p, &c->fifo[slot], n);
		for (i = 0; card->host->watching && i < n; i++)
			watch_segment(card, c, entry_va(c->fifo[slot + i]),
				      entry_bytes(c->fifo[slot + i]), 1);
		p->gp_fetch = (p->gp_fetch + n) & (p->entries - 1);
	}
	pbdma_fetch(card, p);
	pbdma_wake(card, p);
}

/* Host looks at GP_PUT in USERD. */
void pbdma_look(struct card *card, struct pbdma *p)
{
	struct mem_who who = { CARD_DMA_INSTANCE, p->channel->id };
	uint32_t put = card_mem_rd32(card, who, p->channel->userd_aperture,
				     p->channel->userd + NV_RAMUSERD_GP_PUT);

	p->channel->doorbell = false;
	card_trace(card, EV_GP_PUT, p->channel->id, put, p->gp_get, 0, 0);
	p->gp_put = put;
	if (put >= p->entries) {
		card_report(card, RULE_GP_PUT_RANGE, p->channel->id,
			    "GP_PUT below %u, the number of entries|GP_PUT %u",
			    p->entries, put);
		pbdma_check_pointers(card, p);
		return;
	}
	pbdma_fetch(card, p);
}

void pbdma_notice(struct card *card, void *arg)
{
	struct pbdma *p = arg;

	if (p->phase == PBDMA_RUN && !card->frozen)
		pbdma_look(card, p);
}

void pbdma_ring(struct card *card, struct pbdma *p)
{
	uint32_t delay;

	p->channel->doorbell = true;
	if (p->phase != PBDMA_RUN || card->frozen ||
	    card_timer_armed(&p->notice))
		return;
	delay = card->costs.host_jitter;
	if (delay)
		delay = card_random(card, delay);
	card_timer_set(card, &p->notice, card->now + delay);
}

