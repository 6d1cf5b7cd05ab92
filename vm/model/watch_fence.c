/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The monitors of fences [§9.5]: numbers that only grow, in memory that stays.
 *
 * Not every semaphore is a fence.  A word becomes one when a channel releases
 * it with 16 bytes and raises a non-stall interrupt right after: that is how
 * a driver says "this number is waited for".  From then on, as long as the
 * channel is bound, releases of the word are compared with what the card last
 * wrote there: as serial numbers, for they wrap.
 *
 * Between two releases the CPU may have moved the word.  In system memory that
 * is told when it went backward.  In video memory it may have been given to
 * somebody else without a word to the card, so there it is only a new start.
 */
#include "vm/model/host.h"

static struct fence_word *find(struct channel *c, const struct mem_place *at)
{
	for (unsigned int i = 0; i < HOST_FENCES; i++) {
		struct fence_word *w = &c->fence[i];

		if (w->used && w->addr == at->addr &&
		    watch_same_memory(w->aperture, at->aperture))
			return w;
	}
	return NULL;
}

static struct fence_word *take(struct channel *c, const struct mem_place *at)
{
	struct fence_word *w = &c->fence[c->next_fence++ % HOST_FENCES];

	*w = (struct fence_word){
		.addr = at->addr, .aperture = at->aperture, .used = true,
	};
	return w;
}

/* What stands there; a word that cannot be read has not moved. */
static uint32_t current(const struct card *card, const struct fence_word *w)
{
	uint32_t value;

	if (card_mem_look(card, w->aperture, w->addr, &value, 4))
		return w->last;
	return value;
}

static bool behind(uint32_t value, uint32_t than)
{
	return (int32_t)(value - than) < 0;
}

static void check_cpu(struct card *card, const struct channel *c,
		      struct fence_word *w)
{
	uint32_t value = current(card, w);

	if (behind(value, w->last) && w->aperture != MEM_VRAM)
		card_report(card, RULE_FENCE_DECREASED, c->id,
			    "%u or more in the fence's word at 0x%llx, as the "
			    "card left it|the CPU has put %u there",
			    w->last, (unsigned long long)w->addr, value);
	w->last = value;
}

void fence_release(struct card *card, struct channel *c, uint64_t va,
		   uint32_t payload, unsigned int size)
{
	struct fence_word *w;
	struct mem_place at;

	c->last_fence = NULL;
	if (card_va_look(card, &c->space, va, &at) || at.sparse)
		return;
	w = find(c, &at);
	if (!w && size != 16)
		return;
	if (!w)
		w = take(c, &at);
	if (w->declared) {
		check_cpu(card, c, w);
		if (behind(payload, w->last))
			card_report(card, RULE_FENCE_DECREASED, c->id,
				    "more than %u in the fence's word at "
				    "0x%llx|a release of %u", w->last,
				    (unsigned long long)w->addr, payload);
	}
	w->last = payload;
	if (size == 16)
		c->last_fence = w;
}

void fence_declare(struct card *card, struct channel *c)
{
	struct host *host = card->host;

	if (!REG_GET(NV_PFIFO_INTR_0_CHANNEL_INTR, host->intr_0))
		host->nonstall_since = card->now;
	if (c->last_fence)
		c->last_fence->declared = true;
	c->last_fence = NULL;
}

void fence_forget(struct channel *c)
{
	memset(c->fence, 0, sizeof(c->fence));
	c->last_fence = NULL;
}

/* Work that was offered and may still release something. */
static bool has_work(const struct channel *c)
{
	const struct pbdma *p = c->pbdma;

	if (c->pbdma_faulted || c->eng_faulted)
		return false;
	if (c->launches)
		return true;
	if (!p)
		return c->enabled && c->listed && c->pending;
	return !p->trap && (!p->idle || p->gp_get != p->gp_put);
}

/* Does the channel wait for a semaphore in the range? */
static bool acquires(struct card *card, const struct channel *c,
		     const struct watch_range *range)
{
	const struct pbdma *p = c->pbdma;
	bool waits = p ? p->acquiring : c->acquiring;
	uint64_t va = p ? semaphore_va(p) : c->acquire_va;
	struct mem_place at;

	if (!waits || card_va_look(card, &c->space, va, &at) || at.sparse)
		return false;
	return watch_same_memory(at.aperture, range->aperture) &&
	       at.addr - range->addr < range->len;
}

const char *fence_in_use(struct card *card, struct channel *c,
			 const struct watch_range *range)
{
	if (acquires(card, c, range))
		return "a semaphore that it waits for";
	for (unsigned int i = 0; i < HOST_FENCES; i++) {
		struct fence_word *w = &c->fence[i];

		if (!w->used ||
		    !watch_same_memory(w->aperture, range->aperture) ||
		    w->addr - range->addr >= range->len)
			continue;
		if (w->declared && has_work(c))
			return "its fence, and it has work to do";
		*w = (struct fence_word){ 0 };
		c->last_fence = NULL;
	}
	return NULL;
}

void fence_audit(struct card *card)
{
	for (uint32_t i = 0; i < card->host->live_count; i++) {
		struct channel *c = card->host->channels[card->host->live[i]];

		for (unsigned int k = 0; k < HOST_FENCES; k++) {
			if (c->fence[k].declared)
				check_cpu(card, c, &c->fence[k]);
		}
	}
}
