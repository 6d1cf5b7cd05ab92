/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A copy engine carries out launches, one after the other [§10.2].
 *
 * A copy has a fixed cost and then moves chunk by chunk, at the link's speed:
 * each chunk is read and written at the time it is due, so a CPU that looks
 * in the middle sees the destination half filled, and a source that changes
 * under the copy shows.  Semaphore and interrupt come after the last byte.
 */
#include "vm/model/ce.h"

#include <stdlib.h>

static struct ce_launch *head(struct ce *ce)
{
	return &ce->queue[ce->head];
}

bool ce_busy(const struct ce *ce)
{
	return ce->count;
}

uint32_t ce_channel(const struct ce *ce)
{
	return ce->last_channel;
}

uint32_t ce_instance(const struct ce *ce)
{
	return ce->engine->instance;
}

/* Interrupts ------------------------------------------------------------ */

void ce_update(struct card *card, struct ce *ce)
{
	uint32_t pending = ce->intr & ce->en;

	card_intr(card, INTR_STALL, ce->engine->intr, pending);
	card_intr(card, INTR_NONSTALL, ce->engine->intr,
		  pending & REG_FIELD_MASK(NV_PCE_INTR_NONBLOCKPIPE));
}

static void raise(struct card *card, struct ce *ce, unsigned int field)
{
	ce->seen &= ~REG_FIELD_MASK(field);
	ce->intr |= REG_FIELD_MASK(field);
	card_trace(card, EV_INTR, ce->last_channel, ce->engine->intr, ce->intr,
		   0, 0);
	ce_update(card, ce);
}

void ce_launch_error(struct card *card, struct ce *ce,
		     struct channel *channel, uint32_t code, const char *why)
{
	card_report(card, RULE_COPY_ARGUMENT, channel->id,
		    "a copy that is described completely|%s", why);
	ce->last_channel = channel->id;
	ce->error = code;
	ce->stopped = true;
	raise(card, ce, NV_PCE_INTR_LAUNCHERR);
}

static uint32_t chunk(const struct ce *ce)
{
	const struct ce_launch *l = &ce->queue[ce->head];
	uint32_t size = l->src_size > l->dst_size ? l->src_size : l->dst_size;
	uint32_t n = CE_CHUNK / size, left = l->length - ce->element;

	return n < left ? n : left;
}

/* When this many bytes have been moved. */
static uint64_t time_of(const struct card *card, const struct ce *ce,
			uint64_t bytes)
{
	uint64_t rate = card->costs.copy_bytes_per_us;

	return ce->started + (rate ? bytes * 1000 / rate : 0);
}

/* Launches -------------------------------------------------------------- */

static uint64_t launch_bytes(const struct ce_launch *l)
{
	return (uint64_t)l->length * l->lines * l->dst_size;
}

static void begin(struct card *card, struct ce *ce)
{
	const struct ce_launch *l = head(ce);

	ce->running = true;
	ce->last_channel = l->channel->id;
	ce->started = card->now + (l->moves ? card->costs.copy_start : 0);
	ce->moved = 0;
	ce->line = ce->element = 0;
	if (l->moves)
		card_trace(card, EV_COPY_BEGIN, l->channel->id, l->src.addr,
			   l->dst.addr, launch_bytes(l),
			   ce->engine->instance);
}

static int release(struct card *card, struct ce *ce, const struct ce_launch *l)
{
	uint32_t type = REG_GET(NVC0B5_LAUNCH_DMA_SEMAPHORE_TYPE, l->word);
	uint32_t payload = l->payload, memory;

	if (!type)
		return 0;
	if (REG_GET(NVC0B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_ENABLE, l->word)) {
		if (channel_read(card, l->channel, ce->engine->fault,
				 CARD_DMA_SEMAPHORE, l->semaphore, &memory, 4))
			return -EFAULT;
		payload = semaphore_reduce(
			REG_GET(NVC0B5_LAUNCH_DMA_SEMAPHORE_REDUCTION,
				l->word),
			REG_GET(NVC0B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_SIGN,
				l->word), memory, payload);
	}
	return semaphore_write(card, l->channel, ce->engine->fault,
			       l->semaphore, payload, type == 2 ? 16 : 4);
}

static void interrupt(struct card *card, struct ce *ce,
		      const struct ce_launch *l)
{
	switch (REG_GET(NVC0B5_LAUNCH_DMA_INTERRUPT_TYPE, l->word)) {
	case NVC0B5_LAUNCH_DMA_INTERRUPT_TYPE_BLOCKING:
		ce->stopped = true;
		raise(card, ce, NV_PCE_INTR_BLOCKPIPE);
		break;
	case NVC0B5_LAUNCH_DMA_INTERRUPT_TYPE_NON_BLOCKING:
		raise(card, ce, NV_PCE_INTR_NONBLOCKPIPE);
		break;
	}
}

/* Those who wait for the engine look again. */
static void wake_waiting(struct card *card, struct ce *ce)
{
	unsigned int i;

	for (i = 0; i < card->chip->pbdmas; i++) {
		struct pbdma *p = &card->host->pbdma[i];

		if (p->phase == PBDMA_RUN && p->wait_engine &&
		    runlist_engine(card, p->channel->runlist) == ce) {
			p->wait_engine = false;
			pbdma_wake(card, p);
		}
	}
}

static void pop(struct card *card, struct ce *ce)
{
	struct channel *c = head(ce)->channel;

	ce->running = false;
	ce->head = (ce->head + 1) % CE_LAUNCHES;
	ce->count--;
	if (!--c->launches)
		c->engine = NULL;
	wake_waiting(card, ce);
	pfifo_preempt_check(card);
}

static void finish(struct card *card, struct ce *ce)
{
	struct ce_launch l = *head(ce);

	if (release(card, ce, &l))
		return;
	if (l.moves)
		card_trace(card, EV_COPY_END, l.channel->id, l.src.addr,
			   l.dst.addr, launch_bytes(&l),
			   ce->engine->instance);
	interrupt(card, ce, &l);
	pop(card, ce);
}

/* The time of the next thing to do with the launch in hand. */
static uint64_t next_time(const struct card *card, const struct ce *ce)
{
	const struct ce_launch *l = &ce->queue[ce->head];
	uint64_t due;

	if (l->moves && ce->line < l->lines)
		return time_of(card, ce, ce->moved +
			       (uint64_t)chunk(ce) * l->dst_size);
	due = time_of(card, ce, ce->moved);
	if (REG_GET(NVC0B5_LAUNCH_DMA_FLUSH_ENABLE, l->word))
		due += card->costs.flush;
	if (REG_GET(NVC0B5_LAUNCH_DMA_SEMAPHORE_TYPE, l->word))
		due += card->costs.semaphore;
	return due;
}

static void step(struct card *card, struct ce *ce)
{
	const struct ce_launch *l = head(ce);
	uint32_t n;

	if (!l->moves || ce->line >= l->lines) {
		finish(card, ce);
		return;
	}
	n = chunk(ce);
	if (ce_move(card, ce, n))
		return;		/* dropped */
	ce->started += card_walk_time(card);
	ce->moved += (uint64_t)n * l->dst_size;
	ce->element += n;
	if (ce->element == l->length) {
		ce->element = 0;
		ce->line++;
	}
}

static void run(struct card *card, void *arg)
{
	struct ce *ce = arg;

	if (ce->running)
		step(card, ce);
	while (ce->count && !ce->stopped) {
		uint64_t due;

		if (!ce->running)
			begin(card, ce);
		due = next_time(card, ce);
		if (!card_go_on(card, due)) {
			card_timer_set(card, &ce->timer, due);
			return;
		}
		step(card, ce);
	}
}

void ce_kick(struct card *card, struct ce *ce)
{
	if (!ce->running && !ce->stopped && ce->count &&
	    !card_timer_armed(&ce->timer))
		card_timer_set(card, &ce->timer, card->now);
}

void ce_drop(struct card *card, struct ce *ce, struct channel *channel)
{
	unsigned int n = ce->count, i, kept = 0;

	if (ce->count && head(ce)->channel == channel) {
		card_timer_cancel(card, &ce->timer);
		ce->running = false;
	}
	for (i = 0; i < n; i++) {
		struct ce_launch *l = &ce->queue[(ce->head + i) % CE_LAUNCHES];

		if (l->channel != channel)
			ce->queue[(ce->head + kept++) % CE_LAUNCHES] = *l;
	}
	ce->count = kept;
	channel->launches = 0;
	channel->engine = NULL;
	wake_waiting(card, ce);
	ce_kick(card, ce);
}

void ce_reset(struct card *card, unsigned int instance)
{
	struct ce *ce = card->host->ce[instance];

	if (!ce)
		return;
	while (ce->count)
		ce_drop(card, ce, head(ce)->channel);
	card_timer_cancel(card, &ce->timer);
	ce->running = ce->stopped = false;
	ce->intr = ce->seen = ce->en = ce->error = 0;
	ce->last_channel = CARD_NO_CHANNEL;
	*card_reg(card, card->chip->pascal ?
		  REG_AT(NV_PCE_GP100_INTR_EN, instance) :
		  REG_AT(NV_PCE_GM200_INTR_EN, instance)) = 0;
	ce_update(card, ce);
}

/* Start and end --------------------------------------------------------- */

/*
 * Engines that share graphics' runlist need graphics' context, which nobody
 * can set up without signed firmware: for them there is no engine [§5.5].
 */
struct ce *ce_of_runlist(const struct card *card, uint32_t runlist)
{
	unsigned int i;

	for (i = 0; i < card->chip->engines; i++)
		if (card->chip->engine[i].runlist == runlist &&
		    card->chip->engine[i].type ==
		    NV_PTOP_DEVICE_INFO_TYPE_ENUM_GRAPHICS)
			return NULL;
	for (i = 0; i < HOST_ENGINES; i++)
		if (card->host->ce[i] &&
		    card->host->ce[i]->engine->runlist == runlist)
			return card->host->ce[i];
	return NULL;
}

int ce_init(struct card *card)
{
	unsigned int i;

	for (i = 0; i < card->chip->copy_engines && i < HOST_ENGINES; i++) {
		const struct chip_engine *e = chip_copy_engine(card->chip, i);
		struct ce *ce;

		if (!e)
			continue;
		ce = calloc(1, sizeof(*ce));
		if (!ce)
			return -ENOMEM;
		ce->card = card;
		ce->engine = e;
		ce->last_channel = CARD_NO_CHANNEL;
		card_timer_init(&ce->timer, run, ce);
		card->host->ce[i] = ce;
	}
	return ce_regs_init(card);
}

void ce_fini(struct card *card)
{
	unsigned int i;

	for (i = 0; i < HOST_ENGINES; i++)
		free(card->host->ce[i]);
}
