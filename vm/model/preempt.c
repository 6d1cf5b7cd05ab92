/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Preemption: taking channels off their PBDMAs on request [§7.2], [§8.6].
 *
 * A request only asks; the PBDMA lets go at the next boundary, and the
 * request is done when nobody it names is on a PBDMA or an engine.
 */
#include "vm/model/host.h"

static bool preempt_targets(const struct channel *c, uint32_t preempt)
{
	uint32_t id = REG_GET(NV_PFIFO_PREEMPT_ID, preempt);

	return REG_GET(NV_PFIFO_PREEMPT_TYPE, preempt) ==
	       NV_PFIFO_PREEMPT_TYPE_TSG ? c->tsg == id : c->id == id;
}

/* Both registers: done when nobody they name is on a PBDMA or an engine. */
void pfifo_preempt_check(struct card *card)
{
	struct host *host = card->host;
	bool pending = false;
	uint32_t lists = 0, id;

	if (!REG_GET(NV_PFIFO_PREEMPT_PENDING, host->preempt) &&
	    !host->runlist_preempt)
		return;
	for (id = 0; id < HOST_CHANNELS; id++) {
		const struct channel *c = host->channels[id];

		if (!c || !channel_running(c))
			continue;
		pending |= preempt_targets(c, host->preempt);
		lists |= 1u << c->runlist;
	}
	if (!pending)
		host->preempt &= ~REG_FIELD_MASK(NV_PFIFO_PREEMPT_PENDING);
	host->runlist_preempt &= lists;
}

void pfifo_preempt(struct card *card, uint32_t value)
{
	struct host *host = card->host;
	unsigned int i;

	host->preempt = value | REG_VAL(NV_PFIFO_PREEMPT_PENDING, 1);
	for (i = 0; i < card->chip->pbdmas; i++) {
		struct pbdma *p = &host->pbdma[i];

		if (p->channel && preempt_targets(p->channel, value))
			pbdma_ask_leave(card, p);
	}
	pfifo_preempt_check(card);
}

void pfifo_preempt_runlists(struct card *card, uint32_t lists)
{
	struct host *host = card->host;
	unsigned int i;

	host->runlist_preempt |= lists;
	for (i = 0; i < card->chip->pbdmas; i++) {
		struct pbdma *p = &host->pbdma[i];

		if (p->channel && lists >> p->channel->runlist & 1)
			pbdma_ask_leave(card, p);
	}
	pfifo_preempt_check(card);
}
