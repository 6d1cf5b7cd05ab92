/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * PFIFO's registers: interrupts, runlists, preemption [§7.1], [§7.4].
 *
 * INTR_0 latches its own bits; 28, 29 and 30 show that another register has
 * something pending, and clear there.  Every error of Host is a latch like
 * that: it stays until a driver has acknowledged it.
 */
#include "vm/model/fault.h"
#include "vm/model/host.h"

#define PFIFO_BIT	8	/* in PMC_INTR */
#define PFIFO_ENABLE	(1u << 8)

/* Interrupts ------------------------------------------------------------ */

static uint32_t pbdmas_pending(const struct card *card, bool enabled_only)
{
	const struct host *host = card->host;
	uint32_t mask = 0, i;

	for (i = 0; i < card->chip->pbdmas; i++) {
		const struct pbdma *p = &host->pbdma[i];

		if (enabled_only ? p->intr_0 & p->en_0 || p->intr_1 & p->en_1 :
				   p->intr_0 || p->intr_1)
			mask |= 1u << i;
	}
	return mask;
}

static uint32_t intr_0(const struct card *card)
{
	const struct host *host = card->host;

	return host->intr_0 |
	       REG_SET(NV_PFIFO_INTR_0_MMU_FAULT, !!host->fault_id) |
	       REG_SET(NV_PFIFO_INTR_0_PBDMA_INTR,
		       !!pbdmas_pending(card, true)) |
	       REG_SET(NV_PFIFO_INTR_0_RUNLIST_EVENT, !!host->intr_runlist);
}

void pfifo_update(struct card *card)
{
	uint32_t pending = intr_0(card);

	card_intr(card, INTR_STALL, PFIFO_BIT,
		  pending & *card_reg(card, NV_PFIFO_INTR_EN_0));
	card_intr(card, INTR_NONSTALL, PFIFO_BIT,
		  pending & *card_reg(card, NV_PFIFO_INTR_EN_1));
	card->host->nonstall_used |=
		REG_GET(NV_PFIFO_INTR_0_CHANNEL_INTR,
			*card_reg(card, NV_PFIFO_INTR_EN_0) |
			*card_reg(card, NV_PFIFO_INTR_EN_1));
}

/* Something came up. */
void pfifo_intr(struct card *card)
{
	card_trace(card, EV_INTR, CARD_NO_CHANNEL, PFIFO_BIT, intr_0(card), 0,
		   0);
	pfifo_update(card);
}

void pfifo_raise(struct card *card, unsigned int field)
{
	struct host *host = card->host;
	uint32_t bit = REG_FIELD_MASK(field);

	if (!(host->intr_0 & bit))
		host->seen_0 &= ~bit;
	host->intr_0 |= bit;
	pfifo_intr(card);
}

void pfifo_sched_error(struct card *card, uint32_t code)
{
	card->host->sched_error = code;
	pfifo_raise(card, NV_PFIFO_INTR_0_SCHED_ERROR);
}

void pfifo_bind_error(struct card *card, uint32_t code)
{
	card->host->bind_error = code;
	pfifo_raise(card, NV_PFIFO_INTR_0_BIND_ERROR);
}

/* A hung engine ---------------------------------------------------------- */

static void trigger_fault(struct card *card, uint32_t value)
{
	unsigned int engine = REG_GET(NV_PFIFO_TRIGGER_MMU_FAULT_ID, value);
	struct mem_fault fault = { .type = FAULT_PTE };
	struct fault_at nowhere = { 0 };
	struct host *host = card->host;
	unsigned int i;

	if (!REG_GET(NV_PFIFO_TRIGGER_MMU_FAULT_ENABLE, value))
		return;
	for (i = 0; i < card->chip->pbdmas; i++) {
		struct channel *c = host->pbdma[i].channel;

		if (c && pbdma_mmu_engine(card, &host->pbdma[i]) == engine) {
			channel_fault(card, c, engine, &fault);
			return;
		}
	}
	for (i = 0; i < card->chip->copy_engines; i++) {
		const struct chip_engine *e = chip_copy_engine(card->chip, i);
		struct channel *c = host->ce[i] ?
			host_channel_get(card, ce_channel(host->ce[i])) : NULL;

		if (e && e->fault == engine && c && c->launches) {
			channel_fault(card, c, engine, &fault);
			return;
		}
	}
	fault_raise(card, engine, &nowhere, &fault);
}

/* Status ---------------------------------------------------------------- */

static uint32_t who_is(const struct channel *c)
{
	if (c->tsg == HOST_NO_TSG)
		return REG_SET(NV_PFIFO_PBDMA_STATUS_ID, c->id);
	return REG_SET(NV_PFIFO_PBDMA_STATUS_ID, c->tsg) |
	       REG_VAL(NV_PFIFO_PBDMA_STATUS_ID_TYPE, 1);
}

static uint32_t pbdma_status(const struct pbdma *p)
{
	static const uint8_t status[] = {
		[PBDMA_EMPTY] = 0, [PBDMA_LOAD] = 5, [PBDMA_RUN] = 1,
		[PBDMA_SAVE] = 6,
	};

	if (!p->channel)
		return 0;
	return who_is(p->channel) |
	       REG_SET(NV_PFIFO_PBDMA_STATUS_CHAN_STATUS, status[p->phase]);
}

/* i counts engines as PTOP does. */
static uint32_t engine_status(const struct card *card, unsigned int engine)
{
	const struct host *host = card->host;
	unsigned int i;

	for (i = 0; i < card->chip->engines; i++) {
		const struct chip_engine *e = &card->chip->engine[i];
		const struct ce *ce = runlist_engine(card, e->runlist);
		const struct channel *c;

		if (e->engine != engine || !ce || ce_instance(ce) !=
						  e->instance)
			continue;
		c = host_channel_get(card, ce_channel(ce));
		if (!c)
			return 0;
		return who_is(c) |
		       REG_VAL(NV_PFIFO_ENGINE_STATUS_CTX_STATUS, 1) |
		       REG_SET(NV_PFIFO_ENGINE_STATUS_FAULTED,
			       c->eng_faulted) |
		       REG_SET(NV_PFIFO_ENGINE_STATUS_ENGINE, ce_busy(ce));
	}
	(void)host;
	return 0;
}

/* Registers ------------------------------------------------------------- */

static uint32_t see(uint32_t *seen, uint32_t pending)
{
	*seen |= pending;
	return pending;
}

static uint32_t read_runlist(const struct card *card, unsigned int id)
{
	const struct runlist *r = &card->host->runlist[id];

	return REG_SET(NV_PFIFO_ENG_RUNLIST_LENGTH, r->length) |
	       REG_SET(NV_PFIFO_ENG_RUNLIST_PENDING, r->loading);
}

static uint32_t pfifo_read(struct card *card, const struct reg_desc *reg,
			   unsigned int index, uint32_t stored)
{
	struct host *host = card->host;

	switch (reg->offset) {
	case NV_PFIFO_CFG0:
		return card->chip->pbdmas;
	case NV_PFIFO_INTR_0:
		return see(&host->seen_0, intr_0(card));
	case NV_PFIFO_ENG_RUNLIST_BASE:
		return host->runlist[index].base;
	case NV_PFIFO_ENG_RUNLIST:
		return read_runlist(card, index);
	case NV_PFIFO_PBDMA_MAP:
		return host->pbdma[index].runlists;
	case NV_PFIFO_INTR_BIND_ERROR:
		return host->bind_error;
	case NV_PFIFO_INTR_SCHED_ERROR:
		return host->sched_error;
	case NV_PFIFO_INTR_CHSW_ERROR:
		return host->chsw_error;
	case NV_PFIFO_INTR_MMU_FAULT_ID:
		return see(&host->seen_fault, host->fault_id);
	case NV_PFIFO_INTR_PBDMA_ID:
		return pbdmas_pending(card, false);
	case NV_PFIFO_PREEMPT:
		return host->preempt;
	case NV_PFIFO_RUNLIST_PREEMPT:
		return host->runlist_preempt;
	case NV_PFIFO_ENGINE_STATUS:
		return engine_status(card, index);
	case NV_PFIFO_INTR_RUNLIST:
		return see(&host->seen_runlist, host->intr_runlist);
	case NV_PFIFO_PBDMA_STATUS:
		return pbdma_status(&host->pbdma[index]);
	}
	return stored;
}

static void set_snoop(struct card *card, uint32_t value)
{
	card->snoop_base = (uint64_t)REG_GET(NV_PFIFO_BAR1_BASE_PTR, value)
			   << 12;
	card->snoop_size = REG_GET(NV_PFIFO_BAR1_BASE_VALID, value) ?
			   (uint64_t)HOST_CHANNELS * NV_RAMUSERD_CHAN_SIZE : 0;
}

static void acknowledge(struct card *card, uint32_t value)
{
	struct host *host = card->host;

	host_acknowledge(card, "NV_PFIFO_INTR_0", host->intr_0, &host->seen_0,
			 value);
	host->intr_0 &= ~value;
	pfifo_update(card);
}

static void pfifo_write(struct card *card, const struct reg_desc *reg,
			unsigned int index, uint32_t value, uint32_t old)
{
	struct host *host = card->host;

	(void)index;
	switch (reg->offset) {
	case NV_PFIFO_INTR_0:
		acknowledge(card, value);
		break;
	case NV_PFIFO_INTR_EN_0:
	case NV_PFIFO_INTR_EN_1:
		pfifo_update(card);
		break;
	case NV_PFIFO_BAR1_BASE:
		set_snoop(card, value);
		break;
	case NV_PFIFO_RUNLIST:
		runlist_submit(card, REG_GET(NV_PFIFO_RUNLIST_ID, value),
			       *card_reg(card, NV_PFIFO_RUNLIST_BASE),
			       REG_GET(NV_PFIFO_RUNLIST_LENGTH, value));
		break;
	case NV_PFIFO_INTR_BIND_ERROR:
		host->bind_error = 0;
		break;
	case NV_PFIFO_INTR_SCHED_ERROR:
		host->sched_error = 0;
		break;
	case NV_PFIFO_INTR_CHSW_ERROR:
		host->chsw_error &= ~value;
		break;
	case NV_PFIFO_INTR_MMU_FAULT_ID:
		host_acknowledge(card, reg->name, host->fault_id,
				 &host->seen_fault, value);
		host->fault_id &= ~value;
		pfifo_update(card);
		break;
	case NV_PFIFO_SCHED_DISABLE:
	case NV_PFIFO_ERROR_SCHED_DISABLE:
		host_schedule(card);
		break;
	case NV_PFIFO_PREEMPT:
		pfifo_preempt(card, value);
		break;
	case NV_PFIFO_RUNLIST_PREEMPT:
		pfifo_preempt_runlists(card, value);
		break;
	case NV_PFIFO_INTR_RUNLIST:
		host_acknowledge(card, reg->name, host->intr_runlist,
				 &host->seen_runlist, value);
		host->intr_runlist &= ~value;
		pfifo_update(card);
		break;
	case NV_PFIFO_TRIGGER_MMU_FAULT:
		trigger_fault(card, value);
		break;
	default:
		fault_buffer_written(card, reg->offset, value, old);
	}
}

/* PMC_ENABLE turned Host off or on: that is its reset. */
static void pfifo_unit_reset(struct card *card, uint32_t bits, bool on)
{
	(void)bits;
	if (on)
		host_reset(card);
	else
		host_unplug(card);
}

static const struct card_block pfifo = {
	.name = "PFIFO",
	.first = 0x002000,
	.last = 0x003fff,
	.enable = PFIFO_ENABLE,
	.read = pfifo_read,
	.write = pfifo_write,
	.reset = pfifo_unit_reset,
};

void pfifo_reset(struct card *card)
{
	struct host *host = card->host;

	host->intr_0 = host->seen_0 = 0;
	host->nonstall_used = false;
	host->bind_error = host->sched_error = host->chsw_error = 0;
	host->fault_id = host->seen_fault = 0;
	host->intr_runlist = host->seen_runlist = 0;
	host->preempt = host->runlist_preempt = 0;
	set_snoop(card, 0);
	fault_buffer_update(card);
	pfifo_update(card);
}

int pfifo_init(struct card *card)
{
	return card_block_add(card, &pfifo);
}
