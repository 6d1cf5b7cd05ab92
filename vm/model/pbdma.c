/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A PBDMA: fetches GP entries, then their segments, and executes them [§9].
 *
 * It is a small state machine: at time `due` it does `step`, which says what
 * comes next and when.  As long as nothing else on the card is due before
 * that, the loop in run() goes straight on (card_go_on()); otherwise a timer
 * brings it back.  So a long batch costs no more than a loop, and a CPU that
 * reads in the middle still sees the ring half way: GP_GET in USERD is
 * brought up to date whenever the loop ends.
 *
 * GP entries are fetched on the side, as soon as Host has seen a new GP_PUT,
 * and wait in the channel's fifo.  GP_GET moves when an entry begins; its
 * words are fetched after that, a line at a time [§8.4].
 *
 * SYNC needs no code: segments are fetched and processed one after another.
 */
#include "vm/model/host.h"

static void raise_bits(struct card *card, struct pbdma *p, uint32_t *intr,
		       uint32_t *seen, unsigned int field)
{
	uint32_t bit = REG_FIELD_MASK(field);

	*seen &= ~bit;
	*intr |= bit;
	p->trap = true;
	pfifo_update(card);
}

void pbdma_raise_0(struct card *card, struct pbdma *p, unsigned int field)
{
	raise_bits(card, p, &p->intr_0, &p->seen_0, field);
}

void pbdma_raise_1(struct card *card, struct pbdma *p, unsigned int field)
{
	raise_bits(card, p, &p->intr_1, &p->seen_1, field);
}

bool pbdma_check_pointers(struct card *card, struct pbdma *p)
{
	if (p->gp_put < p->entries && p->gp_get < p->entries)
		return true;
	pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_GPPTR);
	return false;
}

uint64_t pbdma_position(const struct pbdma *p)
{
	return p->word < p->word_end ?
	       p->line_end - 4 * (uint64_t)(p->word_end - p->word) : p->get;
}

static void segment_done(struct card *card, struct pbdma *p)
{
	card_trace(card, EV_GP_END, p->channel->id, p->segment_index, 0, 0, 0);
	if (card->host->watching)
		watch_segment(card, p->channel, p->hand_va, p->hand_bytes, -1);
	p->hand_bytes = 0;
	p->step = STEP_ENTRY;
}

static bool bad_entry(struct card *card, struct pbdma *p, const char *why)
{
	card_report(card, RULE_GP_ENTRY_INVALID, p->channel->id,
		    "a GP entry that names a segment below 2^40 or a control "
		    "operation|entry %u is 0x%08x%08x: %s",
		    p->segment_index, p->gp_shadow[1], p->gp_shadow[0], why);
	if (card->host->watching)
		watch_segment(card, p->channel, p->hand_va, p->hand_bytes, -1);
	p->hand_bytes = 0;
	pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_GPENTRY);
	return false;
}

static bool check_crc(struct card *card, struct pbdma *p, uint32_t opcode,
		      uint32_t expected)
{
	bool gp = opcode == NVC06F_GP_ENTRY1_OPCODE_GP_CRC;
	uint32_t crc = gp ? p->gp_crc : p->pb_crc;

	card_trace(card, EV_CRC, p->channel->id, expected, crc, opcode, 0);
	if (gp)
		p->gp_crc = 0;
	if (expected == crc)
		return true;
	card_report(card, gp ? RULE_GP_CRC_MISMATCH : RULE_PB_CRC_MISMATCH,
		    p->channel->id,
		    "CRC 0x%08x, as entry %u says|"
		    "CRC 0x%08x over what was fetched",
		    expected, p->segment_index, crc);
	pbdma_raise_0(card, p, gp ? NV_PPBDMA_INTR_0_GPCRC :
				    NV_PPBDMA_INTR_0_PBCRC);
	return false;
}

/* Which entries count is our reading: all that are valid, except GP_CRC. */
static void add_to_gp_crc(struct card *card, struct pbdma *p)
{
	p->gp_crc = card_crc_update(&card->host->crc, p->gp_crc, p->gp_shadow,
				    8);
}

/* true: go on with the next entry. */
static bool control_entry(struct card *card, struct pbdma *p)
{
	uint32_t opcode = REG_GET(NVC06F_GP_ENTRY1_OPCODE, p->gp_shadow[1]);
	bool ok;

	switch (opcode) {
	case NVC06F_GP_ENTRY1_OPCODE_NOP:
		add_to_gp_crc(card, p);
		ok = true;
		break;
	case NVC06F_GP_ENTRY1_OPCODE_PB_CRC:
		add_to_gp_crc(card, p);
		ok = check_crc(card, p, opcode, p->gp_shadow[0]);
		break;
	case NVC06F_GP_ENTRY1_OPCODE_GP_CRC:
		ok = check_crc(card, p, opcode, p->gp_shadow[0]);
		break;
	default:
		return bad_entry(card, p,
				 opcode == NVC06F_GP_ENTRY1_OPCODE_ILLEGAL ?
				 "ILLEGAL" : "no such operation");
	}
	p->due += card->costs.method;
	segment_done(card, p);
	return ok;
}

static uint32_t line_bytes(const struct pbdma *p)
{
	uint64_t line_end = (p->get | (HOST_LINE - 1)) + 1;

	return (line_end < p->end ? line_end : p->end) - p->get;
}

static void request_line(struct card *card, struct pbdma *p)
{
	p->due += (uint64_t)card->costs.pb_word * line_bytes(p) / 4;
	p->step = STEP_LINE;
}

/* Will anyone ask for the CRC of the segment?  Unless the entry behind it is
 * there and is no PB_CRC, it has to be computed. */
static bool crc_wanted(const struct pbdma *p)
{
	const struct channel *c = p->channel;
	uint64_t next = c->fifo[p->gp_get & (c->fifo_size - 1)];

	return p->gp_get == p->gp_fetch ||
	       (next >> 32 & (REG_FIELD_MASK(NVC06F_GP_ENTRY1_LENGTH) |
			      REG_FIELD_MASK(NVC06F_GP_ENTRY1_OPCODE))) ==
	       NVC06F_GP_ENTRY1_OPCODE_PB_CRC;
}

static bool begin_segment(struct card *card, struct pbdma *p)
{
	uint32_t length = REG_GET(NVC06F_GP_ENTRY1_LENGTH, p->gp_shadow[1]);
	uint64_t va = p->hand_va;
	bool conditional = p->gp_shadow[0] & 1;

	/* The address behind the segment must fit 40 bits too. */
	if (va + 4ull * length > 0xffffffffffull)
		return bad_entry(card, p, "the segment ends beyond 2^40");
	add_to_gp_crc(card, p);
	if (conditional && p->count) {
		pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_PBSEG);
		return false;
	}
	if (conditional &&
	    !REG_GET(NV_RAMFC_SUBDEVICE_STATUS, p->subdevice)) {
		segment_done(card, p);
		return true;
	}
	p->get = va;
	p->end = va + 4ull * length;
	p->subroutine = REG_GET(NVC06F_GP_ENTRY1_LEVEL, p->gp_shadow[1]);
	p->pb_crc = 0;
	p->crc_wanted = crc_wanted(p);
	p->due += card->costs.pb_fetch;
	request_line(card, p);
	return true;
}

static void fall_idle(struct card *card, struct pbdma *p)
{
	p->idle = true;
	pbdma_fetch(card, p);
	if (p->gp_fetch == p->gp_put && !card_timer_armed(&p->notice)) {
		p->channel->pending = false;
		host_schedule(card);
	}
}

static bool begin_entry(struct card *card, struct pbdma *p)
{
	struct channel *c = p->channel;
	uint32_t length;
	uint64_t entry;

	if (p->leave) {
		channel_save(card, p);
		return false;
	}
	if (p->gp_get == p->gp_fetch) {
		fall_idle(card, p);
		return false;
	}
	entry = c->fifo[p->gp_get & (c->fifo_size - 1)];
	p->segment_index = p->gp_get;
	p->gp_get = (p->gp_get + 1) & (p->entries - 1);
	p->gp_shadow[0] = entry;
	p->gp_shadow[1] = entry >> 32;
	length = REG_GET(NVC06F_GP_ENTRY1_LENGTH, p->gp_shadow[1]);
	p->hand_va = entry_va(entry);
	p->hand_bytes = entry_bytes(entry);

	card_trace(card, EV_GP_BEGIN, c->id, p->segment_index, p->hand_va,
		   length, 0);
	if (p->gp_shadow[0] & 2 && length)
		return bad_entry(card, p, "bit 1 is set");
	return length ? begin_segment(card, p) : control_entry(card, p);
}

/* The words at p->get, in place where that is possible. */
static const uint32_t *line_words(struct card *card, struct pbdma *p,
				  uint32_t bytes)
{
	struct mem_who who = { CARD_DMA_PUSHBUFFER, p->channel->id };
	struct mem_fault fault = { .va = CARD_NEVER };
	uint64_t page_va = p->get & ~(uint64_t)(CARD_PAGE - 1);
	uint32_t in_page = p->get & (CARD_PAGE - 1);
	const uint32_t *words;

	if (p->page_va != page_va ||
	    p->page_seen != card_mmu_generation(card)) {
		p->page_va = CARD_NEVER;
		if (card_va_translate(card, who, &p->channel->space, page_va,
				      false, &p->page, &fault)) {
			fault.va = p->get;
			channel_fault(card, p->channel,
				      pbdma_mmu_engine(card, p), &fault);
			return NULL;
		}
		p->page_va = page_va;
		p->page_seen = card_mmu_generation(card);
	}
	if (p->page.sparse) {
		memset(p->line, 0, bytes);
		return p->line;
	}
	words = card_mem_peek(card, who, p->page.aperture,
			      p->page.addr + in_page, bytes);
	if (words)
		return words;
	card_mem_read(card, who, p->page.aperture, p->page.addr + in_page,
		      p->line, bytes);
	return p->line;
}

static bool take_line(struct card *card, struct pbdma *p)
{
	uint32_t bytes = line_bytes(p);
	const uint32_t *words = line_words(card, p, bytes);

	if (!words)
		return false;
	if (p->crc_wanted)
		p->pb_crc = card_crc_update(&card->host->crc, p->pb_crc,
					    words, bytes);
	p->word = words;
	p->word_end = words + bytes / 4;
	p->line_end = p->get + bytes;
	p->step = STEP_WORDS;
	return true;
}

/* METHOD0 waits for a semaphore. */
static bool acquire_later(struct card *card, struct pbdma *p, bool may_switch)
{
	p->acquiring = true;
	if (p->leave || (may_switch && host_waiting(card, p))) {
		channel_save(card, p);
		return false;
	}
	p->due = card->now + p->acquire_retry;
	return true;
}

/* Words or METHOD0 have been worked on: what now? */
static bool after(struct card *card, struct pbdma *p,
		  enum method_result result)
{
	p->get = pbdma_position(p);
	switch (result) {
	case METHOD_LATER:
		return true;
	case METHOD_FAULT:
		return false;
	case METHOD_TRAP:
		p->step = p->bad_header ? STEP_WORDS : STEP_METHOD;
		return false;
	case METHOD_WAIT_ENGINE:
		p->step = STEP_METHOD;
		p->wait_engine = true;
		return false;
	case METHOD_ACQUIRE:
	case METHOD_ACQUIRE_SWITCH:
		p->step = STEP_METHOD;
		return acquire_later(card, p,
				     result == METHOD_ACQUIRE_SWITCH);
	case METHOD_END:
		p->word = p->word_end;
		p->get = p->end;
		break;
	case METHOD_YIELD:
		if (host_waiting(card, p))
			p->leave = true;
		break;
	case METHOD_DONE:
		break;
	}
	p->acquiring = false;
	if (p->word < p->word_end)
		p->step = STEP_WORDS;
	else if (p->get < p->end)
		request_line(card, p);
	else
		segment_done(card, p);
	return true;
}

static bool step(struct card *card, struct pbdma *p)
{
	enum method_result result;

	switch (p->step) {
	case STEP_ENTRY:
		return begin_entry(card, p);
	case STEP_LINE:
		return take_line(card, p);
	case STEP_WORDS:
		result = method_words(card, p);
		p->get = p->word < p->word_end ? p->get : p->line_end;
		return after(card, p, result);
	case STEP_METHOD:
		return after(card, p, method_again(card, p));
	}
	return false;
}

/* Leave nothing behind that is only good while the card runs. */
static void settle(struct card *card, struct pbdma *p)
{
	size_t left = p->word_end - p->word;

	if (left && (p->word < p->line || p->word > p->line + HOST_LINE / 4)) {
		memcpy(p->line, p->word, left * 4);
		p->word = p->line;
		p->word_end = p->line + left;
	}
	if (p->phase == PBDMA_RUN)
		pbdma_write_userd(card, p);
}

void pbdma_run(struct card *card, void *arg)
{
	struct pbdma *p = arg;

	p->due = card->now;
	switch (p->phase) {
	case PBDMA_EMPTY:
		return;
	case PBDMA_LOAD:
	case PBDMA_SAVE:
		if (p->phase == PBDMA_LOAD)
			channel_load(card, p);
		else
			channel_save(card, p);
		return;
	case PBDMA_RUN:
		break;
	}
	if (p->trap || p->wait_engine || card->frozen)
		return;
	p->idle = false;
	while (step(card, p) && !p->trap) {
		p->due += card_walk_time(card);
		if (!card_go_on(card, p->due)) {
			card_timer_set(card, &p->timer, p->due);
			break;
		}
	}
	settle(card, p);
}

