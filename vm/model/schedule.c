/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which channel runs where [§7.2].
 *
 * host_schedule() is called whenever anything may have changed; it gives free
 * PBDMAs to channels that wait, in the order of the list, and asks a PBDMA to
 * let go of a channel that has nothing to do or whose time slice is over.  A
 * channel without work stays where it is as long as nobody else waits.
 */
#include "vm/model/host.h"

static bool eligible(const struct card *card, const struct channel *c)
{
	uint32_t *disable = card_reg((struct card *)card,
				     NV_PFIFO_SCHED_DISABLE);

	return c->bound && c->enabled && c->listed && c->pending &&
	       !c->pbdma && !c->acquiring && !c->pbdma_faulted &&
	       !c->eng_faulted && !(*disable >> c->runlist & 1);
}

/* The next channel of a list that wants a PBDMA, from where it left off. */
static struct channel *next_channel(const struct card *card,
				    const struct runlist *r, uint32_t *where)
{
	uint32_t i;

	for (i = 0; i < r->channels; i++) {
		uint32_t at = (r->next + i) % r->channels;
		struct channel *c = host_channel_get(card, r->channel[at]);

		if (c && eligible(card, c)) {
			*where = at;
			return c;
		}
	}
	return NULL;
}

bool host_waiting(const struct card *card, const struct pbdma *p)
{
	uint32_t id, where;

	for (id = 0; id < HOST_RUNLISTS; id++)
		if (p->runlists >> id & 1 &&
		    next_channel(card, &card->host->runlist[id], &where))
			return true;
	return false;
}

/* Give a free PBDMA a channel of one of its lists, taking lists in turn. */
static void fill(struct card *card, struct pbdma *p)
{
	uint32_t i;

	for (i = 1; i <= HOST_RUNLISTS; i++) {
		uint32_t id = (p->last_runlist + i) % HOST_RUNLISTS;
		struct runlist *r = &card->host->runlist[id];
		struct channel *c;
		uint32_t where;

		if (!(p->runlists >> id & 1))
			continue;
		c = next_channel(card, r, &where);
		if (!c)
			continue;
		r->next = (where + 1) % r->channels;
		pbdma_start(card, p, c);
		return;
	}
}

/* Somebody waits for what this PBDMA has. */
static void make_room(struct card *card, struct pbdma *p)
{
	if (p->leave || !host_waiting(card, p))
		return;
	if (p->idle && p->gp_get == p->gp_put &&
	    !card_timer_armed(&p->notice)) {
		pbdma_ask_leave(card, p);
		return;
	}
	if (p->slice_end <= card->now)
		pbdma_ask_leave(card, p);
	else if (!card_timer_armed(&p->slice))
		card_timer_set(card, &p->slice, p->slice_end);
}

static bool may_run(const struct card *card, const struct pbdma *p)
{
	uint32_t *enable = card_reg((struct card *)card, NV_PMC_ENABLE_PB);

	return p->runlists && !card->unplugged &&
	       (!enable || *enable >> p->id & 1);
}

void host_schedule(struct card *card)
{
	struct host *host = card->host;
	unsigned int i;

	for (i = 0; i < card->chip->pbdmas; i++)
		if (host->pbdma[i].phase == PBDMA_EMPTY &&
		    may_run(card, &host->pbdma[i]))
			fill(card, &host->pbdma[i]);
	for (i = 0; i < card->chip->pbdmas; i++)
		if (host->pbdma[i].phase == PBDMA_RUN)
			make_room(card, &host->pbdma[i]);
}

/* Semaphores ------------------------------------------------------------ */

/* Channels that were switched out with a failed acquire: look again. */
void runlist_retry_acquires(struct card *card, void *arg)
{
	struct runlist *r = arg;
	uint64_t next = CARD_NEVER;
	uint32_t i;

	for (i = 0; i < r->channels; i++) {
		struct channel *c = host_channel_get(card, r->channel[i]);

		if (!c || !c->acquiring || c->pbdma)
			continue;
		if (c->acquire_at <= card->now) {
			c->acquiring = false;
			c->pending = true;
		} else if (c->acquire_at < next) {
			next = c->acquire_at;
		}
	}
	if (next != CARD_NEVER)
		card_timer_set(card, &r->retry, next);
	host_schedule(card);
}

/* A channel was saved while it waits; see to its next try. */
void runlist_acquire_parked(struct card *card, const struct channel *c)
{
	struct runlist *r = &card->host->runlist[c->runlist];

	if (!card_timer_armed(&r->retry) || r->retry.when > c->acquire_at)
		card_timer_set(card, &r->retry, c->acquire_at);
}

void host_semaphore_moved(struct card *card)
{
	struct host *host = card->host;
	unsigned int i;

	for (i = 0; i < card->chip->pbdmas; i++) {
		struct pbdma *p = &host->pbdma[i];

		if (p->phase == PBDMA_RUN && p->acquiring &&
		    card_timer_armed(&p->timer) && p->timer.when > card->now)
			card_timer_set(card, &p->timer, card->now);
	}
	for (i = 0; i < card->chip->runlists; i++) {
		struct runlist *r = &host->runlist[i];
		uint32_t k;

		if (!card_timer_armed(&r->retry))
			continue;
		for (k = 0; k < r->channels; k++)
			host_channel_get(card, r->channel[k])->acquire_at = 0;
		card_timer_set(card, &r->retry, card->now);
	}
}
