/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The channel table: bind, enable, status [§7.3].
 *
 * A bind hands an instance block to Host; from then on it is Host's.  What a
 * driver may not do is refused as the chip refuses it, with a bind or sched
 * error, and told.
 */
#include "vm/model/host.h"

bool channel_running(const struct channel *c)
{
	return c->pbdma || c->launches;
}

static uint32_t channel_status(const struct channel *c)
{
	bool wants = c->bound && c->enabled && c->listed && c->pending;

	if (c->pbdma)
		return c->launches ?
		       NV_PCCSR_CHANNEL_STATUS_ON_PBDMA_AND_ENG :
		       NV_PCCSR_CHANNEL_STATUS_ON_PBDMA;
	if (c->launches)
		return c->acquiring ?
		       NV_PCCSR_CHANNEL_STATUS_ON_ENG_PENDING_ACQUIRE :
		       wants ? NV_PCCSR_CHANNEL_STATUS_ON_ENG_PENDING :
			       NV_PCCSR_CHANNEL_STATUS_ON_ENG;
	if (c->acquiring)
		return NV_PCCSR_CHANNEL_STATUS_PENDING_ACQUIRE;
	return wants ? NV_PCCSR_CHANNEL_STATUS_PENDING :
		       NV_PCCSR_CHANNEL_STATUS_IDLE;
}

static uint32_t ccsr_read(struct card *card, const struct reg_desc *reg,
			  unsigned int index, uint32_t stored)
{
	const struct channel *c = host_channel_get(card, index);

	if (!c)
		return reg->offset == NV_PCCSR_CHANNEL_INST ? stored : 0;
	if (reg->offset == NV_PCCSR_CHANNEL_INST)
		return c->inst;
	return REG_SET(NV_PCCSR_CHANNEL_ENABLE, c->enabled) |
	       REG_SET(NV_PCCSR_CHANNEL_NEXT, c->next) |
	       REG_SET(NV_PCCSR_CHANNEL_RUNLIST, c->runlist) |
	       REG_SET(NV_PCCSR_CHANNEL_PBDMA_FAULTED, c->pbdma_faulted) |
	       REG_SET(NV_PCCSR_CHANNEL_ENG_FAULTED, c->eng_faulted) |
	       REG_SET(NV_PCCSR_CHANNEL_STATUS, channel_status(c)) |
	       REG_SET(NV_PCCSR_CHANNEL_BUSY, channel_running(c) &&
		       !(c->pbdma && c->pbdma->idle && !c->launches));
}

static void bind(struct card *card, struct channel *c, uint32_t value)
{
	uint32_t ramfc[64];

	if (c->bound) {
		card_report(card, RULE_CHANNEL_REBIND, c->id,
			    "an unbound channel|channel %u is bound to "
			    "instance block 0x%llx",
			    c->id, (unsigned long long)channel_inst(c));
		pfifo_bind_error(card,
			NV_PFIFO_INTR_BIND_ERROR_CODE_BIND_NOT_UNBOUND);
		return;
	}
	if (!card->snoop_size) {
		card_report(card, RULE_USERD_SNOOP, c->id,
			    "NV_PFIFO_BAR1_BASE valid before channels are "
			    "bound|bind of channel %u without it",
			    c->id);
		pfifo_bind_error(card,
			NV_PFIFO_INTR_BIND_ERROR_CODE_SNOOP_WITHOUT_BAR1);
		return;
	}
	if (!card->host->runlist[c->runlist].exists) {
		pfifo_bind_error(card,
			NV_PFIFO_INTR_BIND_ERROR_CODE_INVALID_RUNLIST);
		return;
	}
	if (REG_GET(NV_PCCSR_CHANNEL_INST_TARGET, value) == 1) {
		pfifo_bind_error(card,
			NV_PFIFO_INTR_BIND_ERROR_CODE_INVALID_CTX_TGT);
		return;
	}
	channel_forget(card, c);
	c->inst = value;
	c->bound = true;
	watch_live(card, c, true);
	if (channel_inst_aperture(c) == MEM_VRAM)
		vram_mark_instance(card, channel_inst(c));
	if (!card_mem_read(card, channel_who(c), channel_inst_aperture(c),
			   channel_inst(c), ramfc, sizeof(ramfc)) &&
	    !card_space_load(card, channel_who(c), channel_inst_aperture(c),
			     channel_inst(c), &c->space)) {
		channel_check(card, c, ramfc);
		c->gp_get = ramfc[NV_RAMFC_GP_GET / 4];
		c->gp_put = ramfc[NV_RAMFC_GP_PUT / 4];
	}
}

static void unbind(struct card *card, struct channel *c)
{
	if (!c->bound) {
		c->inst = 0;
		return;
	}
	/* One that was parked when it was disabled is no longer waited for. */
	if (c->listed || c->enabled || channel_running(c))
		card_report(card, RULE_CHANNEL_BUSY, c->id,
			    "a channel that is disabled, on no runlist and "
			    "preempted|channel %u:%s%s%s",
			    c->id, c->enabled ? " enabled" : "",
			    c->listed ? " on its runlist" : "",
			    channel_running(c) ? " running" :
			    c->acquiring ? " waiting for a semaphore" : "");
	if (channel_running(c)) {
		pfifo_bind_error(card,
			NV_PFIFO_INTR_BIND_ERROR_CODE_UNBIND_WHILE_RUNNING);
		return;
	}
	if (c->acquiring && c->enabled) {
		pfifo_bind_error(card,
			NV_PFIFO_INTR_BIND_ERROR_CODE_UNBIND_WHILE_PARKED);
		return;
	}
	channel_forget(card, c);
}

static void set_state(struct card *card, struct channel *c, uint32_t value)
{
	uint32_t runlist = REG_GET(NV_PCCSR_CHANNEL_RUNLIST, value);

	if (runlist != c->runlist && (c->bound || c->listed) && runlist)
		pfifo_sched_error(card,
			NV_PFIFO_INTR_SCHED_ERROR_CODE_CONFIG_WHILE_BUSY);
	else if (!c->bound)
		c->runlist = runlist;
	c->next = REG_GET(NV_PCCSR_CHANNEL_NEXT, value);
	if (REG_GET(NV_PCCSR_CHANNEL_PBDMA_FAULTED, value))
		c->pbdma_faulted = false;
	if (REG_GET(NV_PCCSR_CHANNEL_ENG_FAULTED, value))
		c->eng_faulted = false;
	if (REG_GET(NV_PCCSR_CHANNEL_ENABLE_CLR, value))
		c->enabled = false;
	if (REG_GET(NV_PCCSR_CHANNEL_ENABLE_SET, value)) {
		c->enabled = true;
		c->pending = true;
		c->acquiring = false;	/* Host tries again at once */
	}
	if (c->next)
		c->pending = true;
	host_schedule(card);
}

static void ccsr_write(struct card *card, const struct reg_desc *reg,
		       unsigned int index, uint32_t value, uint32_t old)
{
	struct channel *c = host_channel_make(card, index);

	(void)old;
	if (!c)
		return;
	if (reg->offset == NV_PCCSR_CHANNEL)
		set_state(card, c, value);
	else if (REG_GET(NV_PCCSR_CHANNEL_INST_BIND, value))
		bind(card, c, value);
	else
		unbind(card, c);
}

static const struct card_block ccsr = {
	.name = "channel table",
	.first = 0x800000,
	.last = 0x807fff,
	.enable = 1u << 8,		/* PFIFO */
	.read = ccsr_read,
	.write = ccsr_write,
};

int ccsr_init(struct card *card)
{
	return card_block_add(card, &ccsr);
}
