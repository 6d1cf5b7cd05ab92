/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The monitors of rings [§11]: who overwrites, or gives away, what Host still
 * needs.
 *
 * They compare the CPU's stores with what the card knows.  A store to system
 * memory is told by card_cpu_store() when it is issued, on links that can see
 * it; one through BAR1 is seen when it arrives.  The ring is known by where
 * its pages lay when the channel was loaded; the segments by the entries that
 * Host has fetched.
 *
 * A store must not cost a walk over all outstanding segments.  So each
 * outstanding segment counts, by a hash of their physical addresses, the
 * lines it covers, and only a store to a line that is counted is looked at
 * closely.
 */
#include "vm/model/host.h"

#include <stdlib.h>

enum {
	LINE_SHIFT = 6,
	LINES = 1 << 14,	/* counters */
};

static uint32_t hash(uint64_t addr)
{
	uint64_t line = addr >> LINE_SHIFT;

	return (line ^ line >> 14 ^ line >> 28) & (LINES - 1);
}

static bool is_system(enum mem_aperture aperture)
{
	return aperture == MEM_SYS_COHERENT || aperture == MEM_SYS_NONCOHERENT;
}

bool watch_same_memory(enum mem_aperture a, enum mem_aperture b)
{
	return a == b || (is_system(a) && is_system(b));
}

/* The ring -------------------------------------------------------------- */

static bool add_piece(struct watch *w, const struct ring_piece *piece)
{
	struct ring_piece *last = w->pieces ? &w->piece[w->pieces - 1] : NULL;
	struct ring_piece *more;

	if (last && last->aperture == piece->aperture &&
	    last->addr + 8ull * last->count == piece->addr) {
		last->count += piece->count;
		return true;
	}
	more = realloc(w->piece, (w->pieces + 1) * sizeof(*more));
	if (!more)
		return false;
	w->piece = more;
	w->piece[w->pieces++] = *piece;
	return true;
}

void watch_attach(struct card *card, struct channel *c)
{
	struct watch *w = &c->watch;
	uint32_t entry = 0;

	w->pieces = 0;
	while (entry < c->entries) {
		uint64_t va = c->gp_base + 8ull * entry;
		struct ring_piece piece = { .first = entry };
		struct mem_place place;

		piece.count = (CARD_PAGE - (va & (CARD_PAGE - 1))) / 8;
		if (piece.count > c->entries - entry)
			piece.count = c->entries - entry;
		if (!card_va_look(card, &c->space, va, &place) &&
		    !place.sparse) {
			piece.addr = place.addr;
			piece.aperture = place.aperture;
			if (!add_piece(w, &piece))
				return;
		}
		entry += piece.count;
	}
}

void watch_detach(struct card *card, struct channel *c)
{
	(void)card;
	c->watch.pieces = 0;
	c->watch.has_written = false;
}

/* GP_PUT as the CPU last wrote it, on its way or in USERD. */
uint32_t watch_put_issued(const struct card *card, const struct channel *c)
{
	uint64_t offset = card->snoop_base +
			  (uint64_t)c->id * NV_RAMUSERD_CHAN_SIZE +
			  NV_RAMUSERD_GP_PUT;
	uint32_t at, put = 0;

	if (c->userd_aperture == MEM_VRAM)
		vram_read(card, c->userd + NV_RAMUSERD_GP_PUT, &put, 4);
	else
		put = c->pbdma ? c->pbdma->gp_put : c->gp_put;
	for (at = card->posted_head; at != card->posted_tail; at++) {
		const struct posted *w = &card->posted[at & (CARD_POSTED - 1)];

		if (w->region == CARD_BAR1 && w->offset == offset && !w->burst)
			put = w->value;
	}
	return put;
}

uint32_t watch_gp_get(const struct channel *c)
{
	return c->pbdma && c->pbdma->phase == PBDMA_RUN ? c->pbdma->gp_get :
							  c->gp_get;
}

static void store_to_slot(struct card *card, struct channel *c, uint32_t slot)
{
	uint32_t put = watch_put_issued(card, c), get = watch_gp_get(c);
	uint32_t mask = c->entries - 1;

	if (put < c->entries && ((slot - get) & mask) < ((put - get) & mask)) {
		card_report(card, RULE_GP_OVERWRITE, c->id,
			    "a store to a slot outside GP_GET %u up to GP_PUT "
			    "%u|store to slot %u of %u",
			    get, put, slot, c->entries);
		return;
	}
	c->watch.has_written = true;
	c->watch.written = slot;
}

static void check_ring(struct card *card, struct channel *c,
		       enum mem_aperture aperture, uint64_t addr, size_t len)
{
	unsigned int i;

	for (i = 0; i < c->watch.pieces; i++) {
		const struct ring_piece *piece = &c->watch.piece[i];
		uint64_t end = piece->addr + 8ull * piece->count;
		uint64_t first, last;

		if (!watch_same_memory(piece->aperture, aperture) ||
		    addr >= end || addr + len <= piece->addr)
			continue;
		first = addr > piece->addr ? addr : piece->addr;
		last = addr + len < end ? addr + len : end;
		for (first &= ~7ull; first < last; first += 8)
			store_to_slot(card, c, piece->first +
				      (first - piece->addr) / 8);
	}
}

/* GP_PUT arrived: slots below it are offered now. */
void watch_put(struct card *card, struct channel *c, uint32_t put)
{
	(void)card;
	if (c->watch.has_written && put != c->watch.written)
		c->watch.has_written = false;
}

/* Segments -------------------------------------------------------------- */

static void count_lines(struct card *card, uint64_t addr, uint64_t bytes,
			int change)
{
	uint64_t end = addr + bytes;
	uint16_t *lines = card->host->lines;

	for (addr &= ~((1ull << LINE_SHIFT) - 1); addr < end;
	     addr += 1 << LINE_SHIFT)
		lines[hash(addr)] += change;
}

void watch_segment(struct card *card, const struct channel *c, uint64_t va,
		   uint64_t left, int change)
{
	while (left) {
		uint64_t n = CARD_PAGE - (va & (CARD_PAGE - 1));
		struct mem_place place;

		if (n > left)
			n = left;
		if (!card_va_look(card, &c->space, va, &place) &&
		    !place.sparse)
			count_lines(card, place.addr, n, change);
		va += n;
		left -= n;
	}
}

static void count_channel(struct card *card, const struct channel *c)
{
	const struct pbdma *p = c->pbdma;
	uint32_t i;

	if (!p || p->phase != PBDMA_RUN) {
		if (c->loaded_once && c->get < c->end)
			watch_segment(card, c, c->get, c->end - c->get, 1);
		return;
	}
	watch_segment(card, c, p->hand_va, p->hand_bytes, 1);
	for (i = p->gp_get; i != p->gp_fetch; i = (i + 1) & (p->entries - 1)) {
		uint64_t entry = c->fifo[i & (c->fifo_size - 1)];

		watch_segment(card, c, entry_va(entry), entry_bytes(entry), 1);
	}
}

void watch_recount(struct card *card)
{
	struct host *host = card->host;
	uint32_t i;

	if (!host->watching)
		return;
	memset(host->lines, 0, LINES * sizeof(*host->lines));
	for (i = 0; i < host->live_count; i++)
		count_channel(card, host->channels[host->live[i]]);
}

void watch_live(struct card *card, const struct channel *c, bool live)
{
	struct host *host = card->host;
	uint32_t i;

	for (i = 0; i < host->live_count; i++)
		if (host->live[i] == c->id)
			break;
	if (live && i == host->live_count)
		host->live[host->live_count++] = c->id;
	if (!live && i < host->live_count)
		host->live[i] = host->live[--host->live_count];
}

/* Does [va, va + left) of the channel lie in the range? */
static bool touches(struct card *card, const struct channel *c, uint64_t va,
		    uint64_t left, const struct watch_range *range)
{
	while (left) {
		uint64_t n = CARD_PAGE - (va & (CARD_PAGE - 1));
		struct mem_place place;

		if (n > left)
			n = left;
		if (!card_va_look(card, &c->space, va, &place) &&
		    !place.sparse &&
		    watch_same_memory(place.aperture, range->aperture) &&
		    place.addr < range->addr + range->len &&
		    range->addr < place.addr + n)
			return true;
		va += n;
		left -= n;
	}
	return false;
}

/*
 * The ring index of an outstanding segment in the range, or -1.  First what
 * is left of the segment in hand, then the entries that wait.
 */
int64_t watch_outstanding(struct card *card, const struct channel *c,
			   const struct watch_range *range)
{
	const struct pbdma *p = c->pbdma;
	uint64_t get = p ? pbdma_position(p) : c->get;
	uint64_t end = p ? p->end : c->end;
	uint32_t i;

	if (get < end && touches(card, c, get, end - get, range))
		return p ? p->segment_index : (int64_t)watch_gp_get(c) - 1;
	if (!p || !c->fifo)
		return -1;
	for (i = p->gp_get; i != p->gp_fetch; i = (i + 1) & (p->entries - 1)) {
		uint64_t entry = c->fifo[i & (c->fifo_size - 1)];

		if (touches(card, c, entry_va(entry), entry_bytes(entry),
			    range))
			return i;
	}
	return -1;
}

static void check_segments(struct card *card, struct channel *c,
			   const struct watch_range *range)
{
	int64_t index = watch_outstanding(card, c, range);

	if (index >= 0)
		card_report(card, RULE_PB_OVERWRITE, c->id,
			    "a store to words that Host has consumed; it has "
			    "begun entry %u and is at 0x%llx|"
			    "store of %zu bytes at 0x%llx, which entry %lld "
			    "needs",
			    (watch_gp_get(c) - 1) & (c->entries - 1),
			    (unsigned long long)(c->pbdma ?
						 pbdma_position(c->pbdma) :
						 c->get),
			    range->len, (unsigned long long)range->addr,
			    (long long)index);
}

/* Start counting: from now on somebody tells us of stores. */
static bool start_watching(struct card *card)
{
	struct host *host = card->host;

	if (host->watching)
		return true;
	host->lines = calloc(LINES, sizeof(*host->lines));
	if (!host->lines)
		return false;
	host->watching = true;
	watch_recount(card);
	return true;
}

static void store(struct card *card, const struct watch_range *range)
{
	uint64_t line = range->addr & ~((1ull << LINE_SHIFT) - 1);
	struct host *host = card->host;
	bool counted = false;
	uint32_t i;

	if (!range->len || !host->live_count || !start_watching(card))
		return;
	for (; line < range->addr + range->len; line += 1 << LINE_SHIFT)
		counted |= host->lines[hash(line)];
	for (i = 0; i < host->live_count; i++) {
		struct channel *c = host->channels[host->live[i]];

		if (!c->loaded_once)
			continue;
		check_ring(card, c, range->aperture, range->addr, range->len);
		if (counted)
			check_segments(card, c, range);
	}
}

void host_cpu_store(struct card *card, uint64_t addr, size_t len)
{
	struct watch_range range = { MEM_SYS_COHERENT, addr, len };

	store(card, &range);
}

void host_vram_write(struct card *card, uint64_t addr, size_t len)
{
	struct watch_range range = { MEM_VRAM, addr, len };
	struct host *host = card->host;
	uint32_t i;

	for (i = 0; i < host->live_count; i++) {
		const struct channel *c = host->channels[host->live[i]];

		if (c->enabled && c->loaded_once &&
		    c->userd_aperture == MEM_VRAM &&
		    addr == c->userd + NV_RAMUSERD_GP_PUT)
			card_report(card, RULE_USERD_SNOOP, c->id,
				    "GP_PUT written inside the window that "
				    "NV_PFIFO_BAR1_BASE names|"
				    "GP_PUT of channel %u written outside it: "
				    "Host does not notice",
				    c->id);
	}
	store(card, &range);
}

/* Host, or an engine, has the channel, or may take it at any time. */
static bool is_hosts(const struct channel *c)
{
	return c->bound && (channel_running(c) || (c->enabled && c->listed));
}

void host_instance_write(struct card *card, uint64_t addr, size_t len)
{
	struct host *host = card->host;
	uint32_t i;

	for (i = 0; i < host->live_count; i++) {
		const struct channel *c = host->channels[host->live[i]];
		uint64_t base = channel_inst(c) + NV_RAMIN_PAGE_DIR_BASE_LO;

		if (!is_hosts(c) || channel_inst_aperture(c) != MEM_VRAM ||
		    addr >= base + 16 || addr + len <= base)
			continue;
		card_report(card, RULE_PDB_BUSY, c->id,
			    "the channel disabled and preempted first|"
			    "a write to its instance block at +0x%llx, while "
			    "it is %s",
			    (unsigned long long)(addr - channel_inst(c)),
			    channel_running(c) ? "running" :
			    "enabled and on its runlist");
	}
}
