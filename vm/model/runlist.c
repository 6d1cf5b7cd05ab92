/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Runlists: which channels there are [§7.2], [§8.2].
 *
 * A submitted list is read from memory after a while and then replaces the
 * one in use.  A list with a malformed entry is taken as far as it is good.
 * A channel that the new list lacks has to go; one that it has gets a look.
 */
#include "vm/model/host.h"

#include <stdlib.h>

struct ce *runlist_engine(const struct card *card, uint32_t id)
{
	return id < HOST_RUNLISTS ? card->host->runlist[id].engine : NULL;
}

struct entries {
	const uint64_t *word;
	uint32_t count, at;
};

static bool refuse(struct card *card, const struct runlist *r,
		   const struct entries *e, const char *why)
{
	card_report(card, RULE_RUNLIST_ENTRY, CARD_NO_CHANNEL,
		    "channels that are bound, on Pascal each in a TSG of 1 to "
		    "32|runlist %u, entry %u, 0x%016llx: %s",
		    r->id, e->at,
		    e->at < e->count ?
		    (unsigned long long)e->word[e->at] : 0, why);
	pfifo_sched_error(card, NV_PFIFO_INTR_SCHED_ERROR_CODE_BAD_TSG);
	return false;
}

static bool add_channel(struct card *card, struct runlist *r,
			const struct entries *e, uint32_t tsg, uint64_t slice)
{
	uint64_t word = e->word[e->at];
	uint32_t id = REG_GET(NV_RAMRL_ENTRY_ID, word);
	struct channel *c = host_channel_get(card, id);

	if (!c || !c->bound)
		return refuse(card, r, e, "the channel is not bound");
	if (REG_GET(NV_RAMRL_ENTRY_CHAN_INST_PTR, word) !=
	    REG_GET(NV_PCCSR_CHANNEL_INST_PTR, c->inst))
		return refuse(card, r, e,
			      "not the instance block it is bound to");
	if (c->runlist != r->id)
		return refuse(card, r, e, "the channel is of another runlist");
	if (c->listed)
		return refuse(card, r, e, "the channel is listed twice");
	c->listed = true;
	c->tsg = tsg;
	c->tsg_slice = slice;
	r->channel[r->channels++] = id;
	return true;
}

static bool add_tsg(struct card *card, struct runlist *r, struct entries *e)
{
	uint64_t word = e->word[e->at];
	uint32_t length = REG_GET(NV_RAMRL_ENTRY_TSG_LENGTH, word);
	uint64_t slice = 1024 *
			 REG_GET(NV_RAMRL_ENTRY_TSG_TIMESLICE_TIMEOUT, word)
			 << REG_GET(NV_RAMRL_ENTRY_TSG_TIMESLICE_SCALE, word);

	if (!length || length > 32)
		return refuse(card, r, e, "a TSG has 1 to 32 channels");
	while (length--) {
		e->at++;
		if (e->at >= e->count)
			return refuse(card, r, e, "the list ends in a TSG");
		if (REG_GET(NV_RAMRL_ENTRY_TYPE, e->word[e->at]) ==
		    NV_RAMRL_ENTRY_TYPE_TSG)
			return refuse(card, r, e, "a TSG lacks channels");
		if (!add_channel(card, r, e, REG_GET(NV_RAMRL_ENTRY_ID, word),
				 slice))
			return false;
	}
	e->at++;
	return true;
}

static void read_entries(struct card *card, struct runlist *r,
			 const uint64_t *word)
{
	struct entries e = { word, r->new_length, 0 };
	bool ok = true;

	while (ok && e.at < e.count) {
		if (REG_GET(NV_RAMRL_ENTRY_TYPE, word[e.at]) ==
		    NV_RAMRL_ENTRY_TYPE_TSG) {
			ok = add_tsg(card, r, &e);
		} else if (card->chip->pascal) {
			ok = refuse(card, r, &e, "a channel outside a TSG");
		} else {
			ok = add_channel(card, r, &e, HOST_NO_TSG, 0);
			e.at++;
		}
	}
}

/* Who was on the old list and is not on the new one has to go. */
static void drop_delisted(struct card *card, struct runlist *r)
{
	unsigned int i;

	for (i = 0; i < HOST_PBDMAS; i++) {
		struct pbdma *p = &card->host->pbdma[i];

		if (p->channel && p->channel->runlist == r->id &&
		    !p->channel->listed)
			pbdma_ask_leave(card, p);
	}
}

/* Every channel of a new list gets one look, in case it has work. */
static void look_at_all(struct card *card, struct runlist *r)
{
	uint32_t i;

	for (i = 0; i < r->channels; i++) {
		struct channel *c = host_channel_get(card, r->channel[i]);

		if (!c->loaded_once || c->doorbell || c->acquiring)
			c->pending = true;
		c->acquiring = false;
	}
}

static bool room_for(struct runlist *r, uint32_t count)
{
	uint16_t *more;

	if (count <= r->size)
		return true;
	more = realloc(r->channel, count * sizeof(*more));
	if (!more)
		return false;
	r->channel = more;
	r->size = count;
	return true;
}

static void loaded(struct card *card, void *arg)
{
	struct runlist *r = arg;
	struct mem_who who = { CARD_DMA_INSTANCE, CARD_NO_CHANNEL };
	uint64_t *word = calloc(r->new_length + 1, 8);
	uint32_t i;
	int err = -ENOMEM;

	if (word && room_for(r, r->new_length))
		err = card_mem_read(card, who,
			REG_GET(NV_PFIFO_RUNLIST_BASE_TARGET, r->new_base),
			(uint64_t)REG_GET(NV_PFIFO_RUNLIST_BASE_PTR,
					  r->new_base) << 12,
			word, 8ull * r->new_length);
	r->loading = false;
	if (err) {
		pfifo_sched_error(card,
			NV_PFIFO_INTR_SCHED_ERROR_CODE_RL_RDAT_TIMEOUT);
		free(word);
		return;
	}
	for (i = 0; i < r->channels; i++)
		host_channel_get(card, r->channel[i])->listed = false;
	r->base = r->new_base;
	r->length = r->new_length;
	r->channels = r->next = 0;
	read_entries(card, r, word);
	free(word);

	card_trace(card, EV_RUNLIST, CARD_NO_CHANNEL, r->id, r->length, 0, 0);
	card->host->intr_runlist |= 1u << r->id;
	card->host->seen_runlist &= ~(1u << r->id);
	pfifo_update(card);
	drop_delisted(card, r);
	look_at_all(card, r);
	host_schedule(card);
}

void runlist_submit(struct card *card, uint32_t id, uint32_t base,
		    uint32_t length)
{
	struct runlist *r = &card->host->runlist[id];

	if (!r->exists) {
		card_report(card, RULE_RUNLIST_ENTRY, CARD_NO_CHANNEL,
			    "a runlist that PTOP names|runlist %u", id);
		return;
	}
	if (r->loading) {
		card_report(card, RULE_RUNLIST_PENDING, CARD_NO_CHANNEL,
			    "ENG_RUNLIST_PENDING of runlist %u is 0 before "
			    "the next submission|it is 1, the list before is "
			    "loaded in %llu ns",
			    id,
			    (unsigned long long)(r->timer.when - card->now));
		pfifo_sched_error(card,
			NV_PFIFO_INTR_SCHED_ERROR_CODE_NEW_RUNLIST);
		return;
	}
	r->loading = true;
	r->new_base = base;
	r->new_length = length;
	card_timer_set(card, &r->timer, card->now + card->costs.runlist);
}

void runlist_init(struct card *card)
{
	uint32_t i;

	for (i = 0; i < HOST_RUNLISTS; i++) {
		struct runlist *r = &card->host->runlist[i];

		r->id = i;
		r->exists = i < card->chip->runlists;
		r->engine = ce_of_runlist(card, i);
		card_timer_init(&r->timer, loaded, r);
		card_timer_init(&r->retry, runlist_retry_acquires, r);
	}
}

void runlist_fini(struct card *card)
{
	unsigned int i;

	for (i = 0; i < HOST_RUNLISTS; i++)
		free(card->host->runlist[i].channel);
}

void runlist_reset(struct card *card)
{
	uint32_t i, k;

	for (i = 0; i < HOST_RUNLISTS; i++) {
		struct runlist *r = &card->host->runlist[i];

		card_timer_cancel(card, &r->timer);
		card_timer_cancel(card, &r->retry);
		for (k = 0; k < r->channels; k++)
			host_channel_get(card, r->channel[k])->listed = false;
		r->loading = false;
		r->channels = r->next = r->base = r->length = 0;
	}
}
