/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * From push-buffer words to methods [§9.3].
 *
 * A word is a header, unless an earlier header still waits for data.  The
 * header being worked on (form, method, subchannel, count) belongs to the
 * channel, not to the segment: a sequence may go on in the next segment, and
 * a channel may be switched out in the middle of one.
 *
 * A method that Host cannot finish (an error, a semaphore, a busy engine)
 * stays in METHOD0 and DATA0, and its word counts as taken.  Whoever removes
 * the obstacle wakes the PBDMA, which tries METHOD0 again; so a driver may
 * correct METHOD0 before it clears an interrupt, or clear its VALID bit to
 * drop it.
 */
#include "vm/model/host.h"

enum {
	FORM_SSDM = 0, FORM_INC = 1, FORM_STORE_SDM = 2, FORM_NON_INC = 3,
	FORM_IMMD = 4, FORM_INC_ONCE = 5, FORM_USE_SDM = 6, FORM_END_SEG = 7,
};

static bool active(const struct pbdma *p)
{
	return REG_GET(NV_RAMFC_SUBDEVICE_STATUS, p->subdevice);
}

static enum method_result malformed(struct card *card, struct pbdma *p,
				    uint32_t word, const char *why)
{
	card_report(card, RULE_METHOD_HEADER, p->channel->id,
		    "a header of a documented form|0x%08x at 0x%llx: %s", word,
		    (unsigned long long)pbdma_position(p), why);
	p->bad_header = true;
	pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_PBENTRY);
	return METHOD_TRAP;
}

/* Sub-device masks are for boards with several chips; here a mask that
 * leaves this card out makes Host skip methods. */
static enum method_result use_mask(struct card *card, struct pbdma *p,
				   uint32_t word, uint32_t mask)
{
	uint32_t id = REG_GET(NV_RAMFC_SUBDEVICE_ID, p->subdevice);

	if (!REG_GET(NV_RAMFC_SUBDEVICE_CHANNEL_DMA, p->subdevice))
		return malformed(card, p, word, "sub-device masks are off");

	p->subdevice &= ~REG_FIELD_MASK(NV_RAMFC_SUBDEVICE_STATUS);
	p->subdevice |= REG_SET(NV_RAMFC_SUBDEVICE_STATUS, !!(id & mask));
	return METHOD_DONE;
}

static enum method_result old_form(struct card *card, struct pbdma *p,
				   uint32_t word)
{
	uint32_t mask = REG_GET(NVC06F_DMA_SUBDEVICE_MASK, word);

	switch (REG_GET(NVC06F_DMA_TERT_OP, word)) {
	case NVC06F_DMA_TERT_OP_GRP0_SET_SUB_DEV_MASK:
		return use_mask(card, p, word, mask);
	case NVC06F_DMA_TERT_OP_GRP0_STORE_SUB_DEV_MASK:
		p->subdevice &=
			~REG_FIELD_MASK(NV_RAMFC_SUBDEVICE_STORED_MASK);
		p->subdevice |= REG_SET(NV_RAMFC_SUBDEVICE_STORED_MASK, mask);
		return METHOD_DONE;
	case NVC06F_DMA_TERT_OP_GRP0_USE_SUB_DEV_MASK:
		return use_mask(card, p, word,
				REG_GET(NV_RAMFC_SUBDEVICE_STORED_MASK,
					p->subdevice));
	}
	p->form = FORM_INC;
	p->method = REG_GET(NVC06F_DMA_METHOD_ADDRESS_OLD, word) << 2;
	p->count = REG_GET(NVC06F_DMA_METHOD_COUNT_OLD, word);
	return METHOD_DONE;
}

static enum method_result header(struct card *card, struct pbdma *p,
				 uint32_t word)
{
	if (!word)		/* the universal NOP */
		return METHOD_DONE;

	p->hdr_shadow = word;
	p->method = REG_GET(NVC06F_DMA_METHOD_ADDRESS, word) << 2;
	p->subchannel = REG_GET(NVC06F_DMA_METHOD_SUBCHANNEL, word);
	p->count = REG_GET(NVC06F_DMA_METHOD_COUNT, word);
	p->form = REG_GET(NVC06F_DMA_SEC_OP, word);

	if (word & 1u << 12 && p->form & 5 && p->form != FORM_END_SEG) {
		p->count = 0;
		return malformed(card, p, word, "bit 12 is set");
	}
	switch (p->form) {
	case NVC06F_DMA_SEC_OP_GRP0_USE_TERT:
		p->count = 0;
		return old_form(card, p, word);
	case NVC06F_DMA_SEC_OP_INC_METHOD:
	case NVC06F_DMA_SEC_OP_ONE_INC:
		if (p->count && p->method + 4 * (p->form == FORM_INC ?
						 p->count - 1 :
						 p->count > 1) > 0x3ffc) {
			p->count = 0;
			return malformed(card, p, word,
					 "methods run past 0x3ffc");
		}
		return METHOD_DONE;
	case NVC06F_DMA_SEC_OP_GRP2_USE_TERT:
		p->count = 0;
		if (REG_GET(NVC06F_DMA_TERT_OP, word) !=
		    NVC06F_DMA_TERT_OP_GRP2_NON_INC_METHOD)
			return malformed(card, p, word, "unknown old form");
		p->form = FORM_NON_INC;
		p->method = REG_GET(NVC06F_DMA_METHOD_ADDRESS_OLD, word) << 2;
		p->count = REG_GET(NVC06F_DMA_METHOD_COUNT_OLD, word);
		return METHOD_DONE;
	case NVC06F_DMA_SEC_OP_NON_INC_METHOD:
		return METHOD_DONE;
	case NVC06F_DMA_SEC_OP_IMMD_DATA_METHOD:
		p->count = 0;
		if (!active(p))
			return METHOD_DONE;
		return method_execute(card, p, p->subchannel, p->method,
				      REG_GET(NVC06F_DMA_IMMD_DATA, word));
	case NVC06F_DMA_SEC_OP_END_PB_SEGMENT:
		p->count = 0;
		return METHOD_END;
	}
	p->count = 0;
	return malformed(card, p, word, "reserved form");
}

static void next_method(struct pbdma *p)
{
	p->count--;
	if (p->form == FORM_INC)
		p->method += 4;
	if (p->form == FORM_INC_ONCE) {
		p->method += 4;
		p->form = FORM_NON_INC;
	}
}

/* The engine's NOP does nothing, but it is a method, and counted as one. */
static void count_nops(const struct card *card, struct pbdma *p, uint32_t n)
{
	p->method_crc = card_crc_methods(&card->host->crc, p->method_crc,
					 p->subchannel, NVC0B5_NOP, p->word,
					 n);
	p->hce_dbg[0] = NVC0B5_NOP;
	p->hce_dbg[1] = p->word[n - 1];
}

static bool is_nop(const struct card *card, const struct pbdma *p)
{
	if (p->form != FORM_NON_INC)
		return false;
	if (p->method == NVC06F_NOP)
		return true;
	return p->method == NVC0B5_NOP && p->subchannel < HOST_SW_SUBCHANNEL &&
	       p->channel->object[p->subchannel] &&
	       runlist_engine(card, p->channel->runlist);
}

/* Padding: a run of data for NOP needs no look at each word. */
static bool skip_nops(struct card *card, struct pbdma *p)
{
	uint32_t n = p->word_end - p->word;

	if (card_hears(card, EV_METHOD) || !is_nop(card, p))
		return false;
	if (n > p->count)
		n = p->count;
	if (p->method == NVC0B5_NOP)
		count_nops(card, p, n);
	p->word += n;
	p->count -= n;
	p->due += (uint64_t)n * card->costs.method;
	return true;
}

/*
 * Execute the words of the line in hand, until there are none, a method has
 * to wait for its time (METHOD_LATER: call again at p->due), or Host cannot
 * go on.
 */
enum method_result method_words(struct card *card, struct pbdma *p)
{
	enum method_result result = METHOD_DONE;

	while (p->word < p->word_end) {
		if (!p->count) {
			result = header(card, p, *p->word);
			if (result == METHOD_LATER)
				return result;
			p->word++;
		} else if (!active(p)) {
			p->word++;
			next_method(p);
		} else if (!skip_nops(card, p)) {
			result = method_execute(card, p, p->subchannel,
						p->method, *p->word);
			if (result == METHOD_LATER)
				return result;
			p->word++;
			next_method(p);
		}
		if (result != METHOD_DONE)
			return result;
	}
	return METHOD_DONE;
}
