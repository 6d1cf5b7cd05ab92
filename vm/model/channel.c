/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Channels: their way onto a PBDMA and off it [§8.1].
 *
 * RAMFC, the first half of an instance block, has the PBDMA's registers at
 * the PBDMA's offsets.  A load reads all of it, so that words this model does
 * not use travel through unchanged; a save writes it back with what has
 * moved.  Loads and saves take time, in which the channel is nowhere.
 */
#include "vm/model/host.h"

#include <stdlib.h>

uint64_t channel_inst(const struct channel *c)
{
	return (uint64_t)REG_GET(NV_PCCSR_CHANNEL_INST_PTR, c->inst) << 12;
}

enum mem_aperture channel_inst_aperture(const struct channel *c)
{
	return REG_GET(NV_PCCSR_CHANNEL_INST_TARGET, c->inst);
}

struct mem_who channel_who(const struct channel *c)
{
	return (struct mem_who){ CARD_DMA_INSTANCE, c->id };
}

/* USERD ----------------------------------------------------------------- */

static void userd_write(struct card *card, const struct channel *c,
			uint32_t offset, const uint32_t *words,
			unsigned int n)
{
	if (c->userd_aperture == MEM_VRAM)
		vram_write(card, c->userd + offset, words, 4 * n);
	else
		card_mem_write(card, channel_who(c), c->userd_aperture,
			       c->userd + offset, words, 4 * n);
}

/* Everything but GP_PUT and PUT, which are the CPU's. */
void pbdma_write_userd(struct card *card, struct pbdma *p)
{
	uint64_t get = pbdma_position(p);
	uint32_t get_ref[2] = { get, p->ref };
	uint32_t level[3];

	if (!p->subroutine)
		p->top_level_get = get;
	level[0] = p->top_level_get;
	level[1] = p->top_level_get >> 32 |
		   REG_VAL(NV_RAMUSERD_TOP_LEVEL_GET_HI_VALID, 1);
	level[2] = get >> 32;

	userd_write(card, p->channel, NV_RAMUSERD_GET, get_ref, 2);
	userd_write(card, p->channel, NV_RAMUSERD_TOP_LEVEL_GET, level, 3);
	userd_write(card, p->channel, NV_RAMUSERD_GP_GET, &p->gp_get, 1);
}

/* Load ------------------------------------------------------------------ */

/* What a driver must have written before it binds [§8.1]. */
static const char *incomplete(const uint32_t *ramfc,
			      const struct mem_space *space)
{
	uint64_t ring = (uint64_t)REG_GET(NV_RAMFC_GP_BASE_HI_OFFSET,
				ramfc[NV_RAMFC_GP_BASE_HI / 4]) << 32 |
			ramfc[NV_RAMFC_GP_BASE / 4];
	uint32_t limit2 = REG_GET(NV_RAMFC_GP_BASE_HI_LIMIT2,
				  ramfc[NV_RAMFC_GP_BASE_HI / 4]);

	if (REG_GET(NV_RAMFC_SIGNATURE_HW, ramfc[NV_RAMFC_SIGNATURE / 4]) !=
	    NV_RAMFC_SIGNATURE_HW_VALID)
		return "SIGNATURE is not 0xface";
	if (!REG_GET(NV_RAMFC_USERD_ADDR, ramfc[NV_RAMFC_USERD / 4]) &&
	    !ramfc[NV_RAMFC_USERD_HI / 4])
		return "USERD is 0";
	if (REG_GET(NV_RAMFC_USERD_TARGET, ramfc[NV_RAMFC_USERD / 4]) == 1)
		return "USERD's target is invalid";
	if (!ring)
		return "GP_BASE is 0";
	if (!limit2)
		return "GP_BASE_HI says that the ring has one entry";
	if (ring + (8ull << limit2) > 1ull << 40)
		return "the ring ends beyond 2^40";
	if (ramfc[NV_RAMFC_GP_GET / 4] >> limit2 ||
	    ramfc[NV_RAMFC_GP_PUT / 4] >> limit2)
		return "GP_GET or GP_PUT lies outside the ring";
	if (!space->valid || !space->root || space->aperture == MEM_PEER)
		return "there is no page directory";
	return NULL;
}

void channel_check(struct card *card, struct channel *c,
			   const uint32_t *ramfc)
{
	const char *why = incomplete(ramfc, &c->space);

	if (!why || c->instance_reported)
		return;
	c->instance_reported = true;
	card_report(card, RULE_INSTANCE, c->id,
		    "signature, USERD, ring and page directory in the "
		    "instance block|instance block 0x%llx: %s",
		    (unsigned long long)channel_inst(c), why);
}

static void decode_position(struct pbdma *p, const uint32_t *r)
{
	uint32_t hi = r[NV_RAMFC_PB_FETCH_HI / 4];

	p->gp_put = r[NV_RAMFC_GP_PUT / 4];
	p->gp_get = r[NV_RAMFC_GP_GET / 4];
	p->get = r[NV_RAMFC_PB_GET / 4] |
		 (uint64_t)(r[NV_RAMFC_PB_GET_HI / 4] & 0xff) << 32;
	p->end = p->get + 4ull * REG_GET(NV_RAMFC_PB_FETCH_HI_LENGTH, hi);
	p->subroutine = REG_GET(NV_RAMFC_PB_FETCH_HI_LEVEL, hi);
	p->top_level_get = r[NV_RAMFC_PB_TOP_LEVEL_GET / 4] |
		(uint64_t)(r[NV_RAMFC_PB_TOP_LEVEL_GET_HI / 4] & 0xff) << 32;
	p->gp_base = (r[NV_RAMFC_GP_BASE / 4] & ~7u) |
		     (uint64_t)REG_GET(NV_RAMFC_GP_BASE_HI_OFFSET,
				       r[NV_RAMFC_GP_BASE_HI / 4]) << 32;
	p->limit2 = REG_GET(NV_RAMFC_GP_BASE_HI_LIMIT2,
			    r[NV_RAMFC_GP_BASE_HI / 4]);
	p->entries = 1u << p->limit2;
}

static void decode(struct pbdma *p, const uint32_t *r)
{
	unsigned int i;

	memcpy(p->keep, r, sizeof(p->keep));
	decode_position(p, r);
	p->ref = r[NV_RAMFC_REF / 4];
	p->acquire = r[NV_RAMFC_ACQUIRE / 4];
	for (i = 0; i < 4; i++)
		p->sem[i] = r[NV_RAMFC_SEMAPHOREA / 4 + i];
	p->gp_crc = r[NV_RAMFC_GP_CRC / 4];
	p->pb_crc = r[NV_RAMFC_PB_CRC / 4];
	p->method_crc = r[NV_RAMFC_METHOD_CRC / 4];
	p->subdevice = r[NV_RAMFC_SUBDEVICE / 4];
	p->hce_ctrl = r[NV_RAMFC_HCE_CTRL / 4];
	p->config = r[NV_RAMFC_CONFIG / 4];
	p->form = REG_GET(NV_RAMFC_PB_HEADER_TYPE, r[NV_RAMFC_PB_HEADER / 4]);
	p->method = REG_GET(NV_RAMFC_PB_HEADER_METHOD,
			    r[NV_RAMFC_PB_HEADER / 4]) << 2;
	p->subchannel = REG_GET(NV_RAMFC_PB_HEADER_SUBCHANNEL,
				r[NV_RAMFC_PB_HEADER / 4]);
	p->count = REG_GET(NV_RAMFC_PB_COUNT_VALUE, r[NV_RAMFC_PB_COUNT / 4]);
	p->method0 = r[NV_RAMFC_METHOD0 / 4];
	p->data0 = r[NV_RAMFC_DATA0 / 4];
}

/* What others ask while the channel is off. */
static void remember(struct channel *c, const struct pbdma *p)
{
	const uint32_t *r = p->keep;

	c->loaded_once = true;
	c->entries = p->entries;
	c->gp_base = p->gp_base;
	c->gp_get = p->gp_get;
	c->gp_put = p->gp_put;
	c->get = p->get;
	c->end = p->end;
	c->method0 = p->method0;
	c->userd = (r[NV_RAMFC_USERD / 4] & ~511u) |
		   (uint64_t)REG_GET(NV_RAMFC_USERD_HI_ADDR,
				     r[NV_RAMFC_USERD_HI / 4]) << 32;
	c->userd_aperture = REG_GET(NV_RAMFC_USERD_TARGET,
				    r[NV_RAMFC_USERD / 4]);
	c->slice = 0;
	if (REG_GET(NV_RAMFC_RUNLIST_TIMESLICE_ENABLE,
		    r[NV_RAMFC_RUNLIST_TIMESLICE / 4]))
		c->slice = 1024 *
			REG_GET(NV_RAMFC_RUNLIST_TIMESLICE_TIMEOUT,
				r[NV_RAMFC_RUNLIST_TIMESLICE / 4]) <<
			REG_GET(NV_RAMFC_RUNLIST_TIMESLICE_SCALE,
				r[NV_RAMFC_RUNLIST_TIMESLICE / 4]);
}

static bool make_fifo(struct channel *c)
{
	uint32_t size = c->entries < HOST_FIFO ? c->entries : HOST_FIFO;

	if (c->fifo_size == size)
		return true;
	free(c->fifo);
	c->fifo = calloc(size, sizeof(*c->fifo));
	c->fifo_size = c->fifo ? size : 0;
	return c->fifo;
}

void channel_load(struct card *card, struct pbdma *p)
{
	struct channel *c = p->channel;
	uint32_t ramfc[64];

	if (card_mem_read(card, channel_who(c), channel_inst_aperture(c),
			  channel_inst(c), ramfc, sizeof(ramfc)) ||
	    card_space_load(card, channel_who(c), channel_inst_aperture(c),
			    channel_inst(c), &c->space)) {
		card->host->chsw_error =
			NV_PFIFO_INTR_CHSW_ERROR_CODE_RDAT_TIMEOUT;
		pfifo_raise(card, NV_PFIFO_INTR_0_CHSW_ERROR);
		c->pbdma_faulted = true;
		pbdma_drop(card, p);
		return;
	}
	decode(p, ramfc);
	remember(c, p);
	c->space.privileged = card->chip->pascal ?
		REG_GET(NV_RAMFC_CONFIG_AUTH_LEVEL, p->config) :
		REG_GET(NV_RAMFC_HCE_CTRL_HCE_PRIV_MODE, p->hce_ctrl);
	channel_check(card, c, ramfc);
	if (!make_fifo(c)) {	/* the host's memory is short */
		c->pbdma_faulted = true;
		pbdma_drop(card, p);
		return;
	}
	p->acquire_since = c->acquire_since;
	p->acquire_retry = 0;
	p->slice_end = card->now +
		       (c->tsg == HOST_NO_TSG ? c->slice : c->tsg_slice);
	c->acquiring = false;
	card_trace(card, EV_CHANNEL_LOAD, c->id, p->id, p->gp_get, 0, 0);
	watch_attach(card, c);
	pbdma_continue(card, p);
}

/* Save ------------------------------------------------------------------ */

static void encode(const struct pbdma *p, uint32_t *r)
{
	unsigned int i;

	memcpy(r, p->keep, sizeof(p->keep));
	r[NV_RAMFC_GP_PUT / 4] = p->gp_put;
	r[NV_RAMFC_GP_GET / 4] = p->gp_get;
	r[NV_RAMFC_GP_FETCH / 4] = p->gp_get;	/* fetched ones are lost */
	r[NV_RAMFC_PB_GET / 4] = p->get;
	r[NV_RAMFC_PB_GET_HI / 4] = p->get >> 32;
	r[NV_RAMFC_PB_TOP_LEVEL_GET / 4] = p->top_level_get;
	r[NV_RAMFC_PB_TOP_LEVEL_GET_HI / 4] = p->top_level_get >> 32;
	r[NV_RAMFC_PB_FETCH / 4] = p->get;
	r[NV_RAMFC_PB_FETCH_HI / 4] = p->get >> 32 |
		REG_SET(NV_RAMFC_PB_FETCH_HI_LEVEL, p->subroutine) |
		REG_SET(NV_RAMFC_PB_FETCH_HI_LENGTH, (p->end - p->get) / 4);
	r[NV_RAMFC_PB_PUT / 4] = p->end;
	r[NV_RAMFC_PB_PUT_HI / 4] = p->end >> 32;
	r[NV_RAMFC_REF / 4] = p->ref;
	for (i = 0; i < 4; i++)
		r[NV_RAMFC_SEMAPHOREA / 4 + i] = p->sem[i];
	r[NV_RAMFC_GP_CRC / 4] = p->gp_crc;
	r[NV_RAMFC_PB_CRC / 4] = p->pb_crc;
	r[NV_RAMFC_METHOD_CRC / 4] = p->method_crc;
	r[NV_RAMFC_SUBDEVICE / 4] = p->subdevice;
	r[NV_RAMFC_HCE_CTRL / 4] = p->hce_ctrl;
	r[NV_RAMFC_PB_HEADER / 4] =
		REG_SET(NV_RAMFC_PB_HEADER_TYPE, p->form) |
		REG_SET(NV_RAMFC_PB_HEADER_METHOD, p->method >> 2) |
		REG_SET(NV_RAMFC_PB_HEADER_SUBCHANNEL, p->subchannel);
	r[NV_RAMFC_PB_COUNT / 4] = p->count;
	r[NV_RAMFC_METHOD0 / 4] = p->method0;
	r[NV_RAMFC_DATA0 / 4] = p->data0;
}

static void begin_save(struct card *card, struct pbdma *p)
{
	struct channel *c = p->channel;

	pbdma_write_userd(card, p);
	p->get = pbdma_position(p);
	p->word = p->word_end = p->line;
	remember(c, p);
	p->phase = PBDMA_SAVE;
	p->charged = false;
	card_timer_cancel(card, &p->notice);
	card_timer_cancel(card, &p->fetcher);
	card_timer_cancel(card, &p->slice);
	/* What it will have to come back for. */
	c->acquiring = p->acquiring;
	c->acquire_at = card->now + p->acquire_retry;
	c->acquire_va = semaphore_va(p);
	c->acquire_since = p->acquire_since;
	c->pending = !p->acquiring &&
		     (p->gp_get != p->gp_put || p->get < p->end ||
		      p->method0 || c->doorbell);
	p->acquiring = p->wait_engine = false;
	card_timer_set(card, &p->timer, card->now + card->costs.preempt);
}

void channel_save(struct card *card, struct pbdma *p)
{
	struct channel *c = p->channel;
	uint32_t ramfc[64];

	if (p->phase == PBDMA_RUN) {
		begin_save(card, p);
		return;
	}
	encode(p, ramfc);
	card_mem_write(card, channel_who(c), channel_inst_aperture(c),
		       channel_inst(c), ramfc, sizeof(ramfc));
	card_trace(card, EV_CHANNEL_SAVE, c->id, p->id, p->gp_get, 0, 0);
	remember(c, p);
	c->pbdma = NULL;
	watch_recount(card);
	p->channel = NULL;
	p->phase = PBDMA_EMPTY;
	p->method0 = 0;
	p->leave = false;
	/* GP_PUT may have come while it was on its way out. */
	c->doorbell &= c->enabled && c->listed;
	c->pending |= c->doorbell;
	if (c->acquiring)
		runlist_acquire_parked(card, c);
	pfifo_preempt_check(card);
	host_schedule(card);
}

/* Bus reset, or the channel is unbound. */
void channel_forget(struct card *card, struct channel *c)
{
	watch_detach(card, c);
	fence_forget(c);
	watch_live(card, c, false);
	c->bound = c->enabled = c->next = false;
	c->pending = c->acquiring = c->doorbell = false;
	c->pbdma_faulted = c->eng_faulted = c->instance_reported = false;
	c->loaded_once = false;
	c->inst = 0;
	c->acquire_since = CARD_NEVER;
	c->unbound_told = 0;
	memset(c->object, 0, sizeof(c->object));
	memset(&c->ce, 0, sizeof(c->ce));
}

/*
 * Host acts on a GP_PUT only while it has the channel in its care: loaded, or
 * enabled and on a runlist.  Otherwise the word just stays in USERD [§8.6].
 */
void channel_notify(struct card *card, struct channel *c)
{
	if (c->pbdma) {
		pbdma_ring(card, c->pbdma);
	} else if (c->bound && c->enabled && c->listed) {
		c->doorbell = c->pending = true;
		host_schedule(card);
	}
}

void host_userd_write(struct card *card, uint64_t offset,
		      enum mem_aperture aperture, uint64_t addr,
		      uint32_t value)
{
	uint32_t id = offset / NV_RAMUSERD_CHAN_SIZE;
	struct channel *c = host_channel_get(card, id);

	(void)aperture;
	(void)addr;
	if (!c || offset % NV_RAMUSERD_CHAN_SIZE != NV_RAMUSERD_GP_PUT)
		return;
	watch_put(card, c, value);
	channel_notify(card, c);
}
