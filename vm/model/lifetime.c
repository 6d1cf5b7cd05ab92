/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a driver must not do to a channel's memory while it lives, and must
 * not leave undone at the end [§8.5], [§8.3].
 */
#include "vm/model/host.h"

static const char *in_use(struct card *card, const struct channel *c,
			  const struct watch_range *range)
{
	unsigned int i;

	for (i = 0; i < c->watch.pieces; i++) {
		const struct ring_piece *piece = &c->watch.piece[i];

		if (watch_same_memory(piece->aperture, range->aperture) &&
		    piece->addr < range->addr + range->len &&
		    range->addr < piece->addr + 8ull * piece->count)
			return "its ring";
	}
	if (watch_same_memory(c->userd_aperture, range->aperture) &&
	    c->userd < range->addr + range->len &&
	    range->addr < c->userd + NV_RAMUSERD_CHAN_SIZE)
		return "its USERD";
	if (watch_outstanding(card, c, range) >= 0)
		return "a segment that is not consumed";
	return NULL;
}

static void fence_freed(struct card *card, struct channel *c,
			const struct watch_range *range)
{
	const char *what = fence_in_use(card, c, range);

	if (what)
		card_report(card, RULE_FENCE_FREED, c->id,
			    "memory that channel %u neither releases nor "
			    "waits for|0x%llx, %zu bytes, holds %s",
			    c->id, (unsigned long long)range->addr,
			    range->len, what);
}

void card_dma_freed(struct card *card, uint64_t addr, size_t len)
{
	struct watch_range range = { MEM_SYS_COHERENT, addr, len };
	struct host *host = card->host;
	uint32_t i;

	for (i = 0; !card->unplugged && i < host->live_count; i++) {
		struct channel *c = host->channels[host->live[i]];
		const char *what;

		if (!c->loaded_once)
			continue;
		fence_freed(card, c, &range);
		what = in_use(card, c, &range);
		if (what)
			card_report(card, RULE_FREED_IN_USE, c->id,
				    "memory that channel %u no longer needs|"
				    "0x%llx, %zu bytes, holds %s",
				    c->id, (unsigned long long)addr, len,
				    what);
	}
}

static bool anything_due(const struct pbdma *p)
{
	return card_timer_armed(&p->timer) || card_timer_armed(&p->notice) ||
	       card_timer_armed(&p->fetcher);
}

static void audit(struct card *card, const struct channel *c)
{
	uint32_t put = watch_put_issued(card, c);
	uint32_t seen = c->pbdma ? c->pbdma->gp_put : c->gp_put;
	uint32_t get = watch_gp_get(c);

	if (c->pbdma && anything_due(c->pbdma))
		return;		/* not at rest */
	if (put != seen)
		card_report(card, RULE_WORK_PENDING_AT_REST, c->id,
			    "GP_PUT in USERD as Host has seen it, %u|"
			    "%u: it was written in a way, or at a time, that "
			    "Host does not notice",
			    seen, put);
	else if (get != put && put < c->entries)
		card_report(card, RULE_WORK_PENDING_AT_REST, c->id,
			    "GP_GET has reached GP_PUT %u|"
			    "GP_GET %u, and nothing moves%s",
			    put, get,
			    c->pbdma && c->pbdma->trap ?
			    ": an interrupt of the PBDMA is pending" :
			    c->acquiring || (c->pbdma && c->pbdma->acquiring) ?
			    ": a semaphore is waited for" : "");
	if (c->watch.has_written && c->watch.written == put)
		card_report(card, RULE_WORK_PENDING_AT_REST, c->id,
			    "GP_PUT beyond every entry that was written|"
			    "slot %u was written, GP_PUT is %u",
			    c->watch.written, put);
}

void host_audit(struct card *card)
{
	uint32_t id;

	fence_audit(card);
	for (id = 0; id < HOST_CHANNELS; id++) {
		const struct channel *c = card->host->channels[id];

		if (c && c->bound && c->enabled && c->loaded_once)
			audit(card, c);
	}
}
