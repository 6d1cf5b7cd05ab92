/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A PBDMA's life with its channels: how it gets one, is woken, is asked to
 * give it up, loses it [§7.2], [§8.6].
 */
#include "vm/model/host.h"

/* Go on after an interrupt, unless what caused it is still there. */
void pbdma_untrap(struct card *card, struct pbdma *p)
{
	if (!p->trap || p->intr_0 || p->intr_1)
		return;
	p->trap = false;
	if (p->phase != PBDMA_RUN)
		return;
	if (p->leave) {		/* rather than fall into it again */
		channel_save(card, p);
		return;
	}
	if (p->bad_header) {
		pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_PBENTRY);
		return;
	}
	if ((p->keep[NV_RAMFC_SIGNATURE / 4] & 0xffff) !=
	    NV_RAMFC_SIGNATURE_HW_VALID) {
		pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_SIGNATURE);
		return;
	}
	if (!pbdma_check_pointers(card, p))
		return;
	pbdma_wake(card, p);
}

void pbdma_wake(struct card *card, struct pbdma *p)
{
	if (p->phase == PBDMA_EMPTY || p->trap || card->frozen)
		return;
	if (p->phase == PBDMA_RUN) {
		if (p->channel->doorbell && !card_timer_armed(&p->notice))
			pbdma_ring(card, p);
		pbdma_fetch(card, p);
	}
	if (!p->wait_engine && !card_timer_armed(&p->timer))
		card_timer_set(card, &p->timer, card->now);
}

void pbdma_start(struct card *card, struct pbdma *p, struct channel *channel)
{
	p->phase = PBDMA_LOAD;
	p->channel = channel;
	p->last_runlist = channel->runlist;
	p->leave = false;
	channel->pbdma = p;
	card_timer_set(card, &p->timer, card->now + card->costs.preempt);
}

static void forget_work(struct card *card, struct pbdma *p)
{
	card_timer_cancel(card, &p->timer);
	card_timer_cancel(card, &p->notice);
	card_timer_cancel(card, &p->fetcher);
	card_timer_cancel(card, &p->slice);
	p->word = p->word_end = p->line;
	p->idle = p->wait_engine = p->acquiring = p->charged = false;
	p->bad_header = false;
	p->page_va = CARD_NEVER;
}

/*
 * A channel is switched out between entries, or while it waits for a
 * semaphore; never while an interrupt is pending [§8.6].
 */
void pbdma_ask_leave(struct card *card, struct pbdma *p)
{
	if (p->phase != PBDMA_LOAD && p->phase != PBDMA_RUN)
		return;
	p->leave = true;	/* one that is being loaded goes right after */
	if (p->phase == PBDMA_LOAD || p->trap || card->frozen)
		return;
	if (p->acquiring || (p->idle && p->step == STEP_ENTRY))
		channel_save(card, p);
}

void pbdma_drop(struct card *card, struct pbdma *p)
{
	struct channel *c = p->channel;

	if (p->phase == PBDMA_RUN) {
		pbdma_write_userd(card, p);
		c->gp_get = p->gp_get;
		c->gp_put = p->gp_put;
		c->get = pbdma_position(p);
	}
	forget_work(card, p);
	c->end = c->get;	/* nobody will go on there */
	c->pbdma = NULL;
	c->pending = c->acquiring = false;
	p->channel = NULL;
	p->phase = PBDMA_EMPTY;
	p->method0 = 0;
	p->leave = false;
	watch_recount(card);
}

void pbdma_continue(struct card *card, struct pbdma *p)
{
	forget_work(card, p);
	p->trap = p->intr_0 || p->intr_1;
	p->phase = PBDMA_RUN;
	p->gp_fetch = p->gp_get;
	p->hand_va = p->get;
	p->hand_bytes = p->end - p->get;
	watch_recount(card);
	if (REG_GET(NV_PPBDMA_METHOD0_VALID, p->method0))
		p->step = STEP_METHOD;
	else
		p->step = p->get < p->end ? STEP_LINE : STEP_ENTRY;
	if ((p->keep[NV_RAMFC_SIGNATURE / 4] & 0xffff) !=
	    NV_RAMFC_SIGNATURE_HW_VALID)
		pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_SIGNATURE);
	else if (p->gp_base + 8ull * p->entries > 1ull << 40)
		pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_GPFIFO);
	else if (pbdma_check_pointers(card, p))
		pbdma_wake(card, p);
}

static void slice_over(struct card *card, void *arg)
{
	struct pbdma *p = arg;

	if (p->phase == PBDMA_RUN && host_waiting(card, p))
		pbdma_ask_leave(card, p);
}

void pbdma_reset(struct card *card, struct pbdma *p)
{
	uint32_t id = p->id, runlists = p->runlists;
	struct card_timer timer, waiting, fetcher, slice;

	forget_work(card, p);
	if (p->channel)
		p->channel->pbdma = NULL;
	timer = p->timer;
	waiting = p->notice;
	fetcher = p->fetcher;
	slice = p->slice;
	memset(p, 0, sizeof(*p));
	p->id = id;
	p->runlists = runlists;
	p->timer = timer;
	p->notice = waiting;
	p->fetcher = fetcher;
	p->slice = slice;
	p->word = p->word_end = p->line;
	p->acquire_since = CARD_NEVER;
	p->page_va = CARD_NEVER;
}

int pbdma_init(struct card *card)
{
	uint32_t i;

	for (i = 0; i < HOST_PBDMAS; i++) {
		struct pbdma *p = &card->host->pbdma[i];

		p->id = i;
		if (i < card->chip->pbdmas)
			p->runlists = card->chip->pbdma_runlists[i];
		card_timer_init(&p->timer, pbdma_run, p);
		card_timer_init(&p->notice, pbdma_notice, p);
		card_timer_init(&p->fetcher, pbdma_entries_arrive, p);
		card_timer_init(&p->slice, slice_over, p);
		pbdma_reset(card, p);
	}
	return 0;
}
