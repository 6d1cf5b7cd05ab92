/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Host's start, end and errors; what the rest of the card calls [§7].
 *
 * A channel structure is made when the channel's row is first written and
 * lives as long as the card.  A fault takes the channel off its PBDMA with
 * nothing saved: after it the driver has to tear the channel down [§6.4].
 */
#include "vm/model/fault.h"
#include "vm/model/host.h"

#include <stdlib.h>

struct channel *host_channel_get(const struct card *card, uint32_t id)
{
	return id < HOST_CHANNELS ? card->host->channels[id] : NULL;
}

struct channel *host_channel_make(struct card *card, uint32_t id)
{
	struct channel *channel = host_channel_get(card, id);

	if (channel || id >= HOST_CHANNELS)
		return channel;
	channel = calloc(1, sizeof(*channel));
	if (!channel)
		return NULL;
	channel->id = id;
	channel->tsg = HOST_NO_TSG;
	channel->acquire_since = CARD_NEVER;
	card->host->channels[id] = channel;
	return channel;
}

unsigned int pbdma_mmu_engine(const struct card *card, const struct pbdma *p)
{
	return card->chip->host_fault_first + p->id;
}

static void tear_off(struct card *card, struct channel *c)
{
	if (c->pbdma) {
		c->pbdma_faulted = true;
		pbdma_drop(card, c->pbdma);
	}
	if (c->engine) {
		c->eng_faulted = true;
		ce_drop(card, c->engine, c);
	}
}

/* A TSG is one context to its engine: the others of it do not run either. */
static void tear_off_tsg(struct card *card, const struct channel *c)
{
	struct host *host = card->host;

	if (c->tsg == HOST_NO_TSG || !c->listed)
		return;
	for (uint32_t i = 0; i < host->live_count; i++) {
		struct channel *other = host->channels[host->live[i]];

		if (other == c || !other->listed || other->tsg != c->tsg ||
		    other->runlist != c->runlist)
			continue;
		tear_off(card, other);
		other->eng_faulted = true;
	}
}

void channel_fault(struct card *card, struct channel *channel,
		   unsigned int mmu_engine, const struct mem_fault *fault)
{
	struct fault_at at = {
		.inst = channel_inst(channel),
		.aperture = channel_inst_aperture(channel),
	};
	bool read_only = fault->type == FAULT_READ_ONLY;

	card_trace(card, EV_FAULT, channel->id, fault->va, fault->type,
		   fault->write, mmu_engine);
	card_report(card, read_only ? RULE_MMU_READ_ONLY : RULE_MMU_FAULT,
		    channel->id,
		    "%s|%s of 0x%llx, fault type %d, MMU engine %u",
		    read_only ? "writes go to writable pages" :
				"an address that is mapped for the channel",
		    fault->write ? "write" : "read",
		    (unsigned long long)fault->va, fault->type, mmu_engine);

	tear_off(card, channel);
	tear_off_tsg(card, channel);
	fault_raise(card, mmu_engine, &at, fault);
	pfifo_preempt_check(card);
	host_schedule(card);
}

/*
 * card_va_read() also fails where system memory refuses.  That has been
 * reported, is no MMU fault, and Host goes on with what it got [§4.1].
 */
int channel_read(struct card *card, struct channel *channel,
		 unsigned int mmu_engine, enum card_dma_why why, uint64_t va,
		 void *buf, size_t len)
{
	struct mem_who who = { why, channel->id };
	struct mem_fault fault = { .va = CARD_NEVER };

	if (!card_va_read(card, who, &channel->space, va, buf, len, &fault) ||
	    fault.va == CARD_NEVER)
		return 0;
	channel_fault(card, channel, mmu_engine, &fault);
	return -EFAULT;
}

int channel_write(struct card *card, struct channel *channel,
		  unsigned int mmu_engine, enum card_dma_why why, uint64_t va,
		  const void *buf, size_t len)
{
	struct mem_who who = { why, channel->id };
	struct mem_fault fault = { .va = CARD_NEVER };

	if (!card_va_write(card, who, &channel->space, va, buf, len, &fault) ||
	    fault.va == CARD_NEVER)
		return 0;
	channel_fault(card, channel, mmu_engine, &fault);
	return -EFAULT;
}

void host_mmu_fault(struct card *card, unsigned int mmu_engine,
		    uint64_t inst, const struct mem_fault *fault)
{
	struct fault_at at = { .inst = inst };

	fault_raise(card, mmu_engine, &at, fault);
}

/* A driver that clears what it never read loses an event [§5.2]. */
void host_acknowledge(struct card *card, const char *name, uint32_t pending,
		      uint32_t *seen, uint32_t value)
{
	uint32_t blind = pending & value & ~*seen;

	if (blind)
		card_report(card, RULE_ACK_UNREAD, CARD_NO_CHANNEL,
			    "%s is read before its bits are cleared|"
			    "0x%08x was cleared, and bits 0x%08x of it had "
			    "not been read since they came up",
			    name, value, blind);
	*seen &= ~value;
}

int host_init(struct card *card)
{
	struct host *host = calloc(1, sizeof(*host));
	int err;

	if (!host)
		return -ENOMEM;
	card->host = host;
	host->card = card;
	host->channels = calloc(HOST_CHANNELS, sizeof(*host->channels));
	if (!host->channels)
		return -ENOMEM;
	card_crc_init(&host->crc);

	err = ce_init(card);
	if (err)
		return err;
	runlist_init(card);
	err = pbdma_init(card);
	if (err)
		return err;
	err = pfifo_init(card);
	if (err)
		return err;
	err = ccsr_init(card);
	if (err)
		return err;
	err = doorbell_init(card);
	if (err)
		return err;
	return pbdma_regs_init(card);
}

/* Also after a host_init() that failed half-way. */
void host_fini(struct card *card)
{
	struct host *host = card->host;
	uint32_t id;

	if (!host)
		return;
	for (id = 0; host->channels && id < HOST_CHANNELS; id++) {
		if (!host->channels[id])
			continue;
		free(host->channels[id]->watch.piece);
		free(host->channels[id]->fifo);
		free(host->channels[id]);
	}
	free(host->channels);
	free(host->lines);
	runlist_fini(card);
	ce_fini(card);
	free(host);
	card->host = NULL;
}

void host_reset(struct card *card)
{
	struct host *host = card->host;
	uint32_t id;

	for (id = 0; id < HOST_PBDMAS; id++)
		pbdma_reset(card, &host->pbdma[id]);
	for (id = 0; id < HOST_CHANNELS; id++) {
		if (!host->channels[id])
			continue;
		channel_forget(card, host->channels[id]);
		host->channels[id]->runlist = 0;
	}
	runlist_reset(card);
	pfifo_reset(card);
	for (id = 0; id < HOST_ENGINES; id++)
		if (host->ce[id])
			ce_reset(card, id);
}

void host_freeze(struct card *card, bool frozen)
{
	unsigned int i;

	card->frozen = frozen;
	if (frozen)
		return;
	for (i = 0; i < HOST_PBDMAS; i++)
		pbdma_wake(card, &card->host->pbdma[i]);
	host_schedule(card);
}

/* Nothing moves on a card that has left the bus. */
void host_unplug(struct card *card)
{
	unsigned int i;

	for (i = 0; i < HOST_PBDMAS; i++)
		pbdma_reset(card, &card->host->pbdma[i]);
	runlist_reset(card);
	for (i = 0; i < HOST_ENGINES; i++)
		if (card->host->ce[i])
			ce_reset(card, i);
}

bool host_channel(const struct card *card, uint32_t id,
		  struct card_channel_state *state)
{
	const struct channel *c = host_channel_get(card, id);
	const struct pbdma *p;

	memset(state, 0, sizeof(*state));
	if (!c || !c->bound)
		return false;

	p = c->pbdma && c->pbdma->phase == PBDMA_RUN ? c->pbdma : NULL;
	state->bound = true;
	state->enabled = c->enabled;
	state->gp_get = p ? p->gp_get : c->gp_get;
	state->gp_put = p ? p->gp_put : c->gp_put;
	state->gp_entries = c->entries;
	state->pb_get = p ? pbdma_position(p) : c->get;
	state->idle = p ? p->idle && !card_timer_armed(&p->notice) &&
			  p->gp_get == p->gp_put && !c->launches :
			  !c->pbdma && !c->pending && !c->acquiring &&
			  !c->launches;
	return true;
}

const struct mem_space *host_space_of(const struct card *card, uint64_t root,
				      enum mem_aperture aperture)
{
	const struct bar_window *window[] = { &card->bar1, &card->bar2 };
	const struct host *host = card->host;

	for (size_t i = 0; i < array_size(window); i++)
		if (window[i]->virtual && window[i]->space.root == root &&
		    watch_same_memory(window[i]->space.aperture, aperture))
			return &window[i]->space;
	for (uint32_t i = 0; i < host->live_count; i++) {
		const struct mem_space *s =
			&host->channels[host->live[i]]->space;

		if (s->valid && s->root == root &&
		    watch_same_memory(s->aperture, aperture))
			return s;
	}
	return NULL;
}

bool host_channel_space(const struct card *card, uint32_t id,
			struct mem_space *space)
{
	const struct channel *c = host_channel_get(card, id);

	if (!c || !c->loaded_once)
		return false;
	*space = c->space;
	return true;
}
