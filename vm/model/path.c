/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The write path behind BAR1 [§4.4].
 *
 * A CPU write through BAR1 has arrived at the card long before it has arrived
 * in video memory.  The CPU cannot tell: its reads through BAR1 come after
 * its writes.  Host and the copy engines can: they read memory by another
 * way and find the old bytes, until a flush, a read back, or time has drained
 * the path.
 *
 * Lines of 64 bytes wait in order.  How long is decided by the seed, but
 * never less than LINE_STAY_MIN: a driver that forgets the flush is caught by
 * the fetch that follows, on every run.
 */
#include <stdlib.h>

#include "vm/model/model.h"

#define LINE_STAY_MIN	4000
#define LINE_STAY_MORE	16000

static struct line *line_at(const struct card *card, uint32_t i)
{
	return &card->line[(card->line_head + i) % CARD_LINES];
}

static void path_arm(struct card *card)
{
	if (card->lines)
		card_timer_set(card, &card->line_timer, line_at(card, 0)->due);
	else
		card_timer_cancel(card, &card->line_timer);
}

/* The oldest line reaches memory. */
static void line_drain(struct card *card)
{
	struct line *line = line_at(card, 0);
	unsigned int i, end;

	card->draining = true;
	for (i = 0; i < CARD_LINE; i = end) {
		bool new = line->mask >> i & 1;

		for (end = i + 1; end < CARD_LINE; end++) {
			if ((line->mask >> end & 1) != new)
				break;
		}
		if (new)
			vram_write(card, line->addr + i, line->data + i,
				   end - i);
	}
	card->draining = false;
	card->line_head = (card->line_head + 1) % CARD_LINES;
	card->lines--;
}

static void line_is_due(struct card *card, void *arg)
{
	(void)arg;
	while (card->lines && line_at(card, 0)->due <= card->now)
		line_drain(card);
	path_arm(card);
}

void path_drain(struct card *card)
{
	if (!card->lines)
		return;
	while (card->lines)
		line_drain(card);
	path_arm(card);
}

int path_init(struct card *card)
{
	card_timer_init(&card->line_timer, line_is_due, NULL);
	card->line = calloc(CARD_LINES, sizeof(*card->line));
	return card->line ? 0 : -ENOMEM;
}

void path_fini(struct card *card)
{
	free(card->line);
}

void path_reset(struct card *card)
{
	card->lines = 0;
	card_timer_cancel(card, &card->line_timer);
}

bool path_holds(const struct card *card, uint64_t addr, size_t len)
{
	for (uint32_t i = 0; i < card->lines; i++) {
		const struct line *line = line_at(card, i);
		uint64_t first, last, mask;

		if (line->addr >= addr + len || line->addr + CARD_LINE <= addr)
			continue;
		first = addr > line->addr ? addr - line->addr : 0;
		last = addr + len - line->addr;
		mask = ~0ULL << first;
		if (last < CARD_LINE)
			mask &= (1ULL << last) - 1;
		if (line->mask & mask)
			return true;
	}
	return false;
}

void path_look(const struct card *card, uint64_t addr, void *buf, size_t len)
{
	uint8_t *to = buf;

	vram_read(card, addr, buf, len);
	for (uint32_t i = 0; i < card->lines; i++) {
		const struct line *line = line_at(card, i);

		for (size_t n = 0; n < len; n++) {
			uint64_t at = addr + n - line->addr;

			if (at < CARD_LINE && line->mask >> at & 1)
				to[n] = line->data[at];
		}
	}
}

static struct line *line_find(struct card *card, uint64_t addr)
{
	/* The youngest first: writes come in runs. */
	for (uint32_t i = card->lines; i-- > 0;) {
		if (line_at(card, i)->addr == addr)
			return line_at(card, i);
	}
	return NULL;
}

static struct line *line_new(struct card *card, uint64_t addr)
{
	uint64_t due = card->now + LINE_STAY_MIN +
		card_random(card, LINE_STAY_MORE);
	struct line *line;

	if (card->lines == CARD_LINES)
		line_drain(card);
	if (card->lines && line_at(card, card->lines - 1)->due > due)
		due = line_at(card, card->lines - 1)->due;
	line = line_at(card, card->lines++);
	line->addr = addr;
	line->mask = 0;
	line->due = due;
	if (card->lines == 1)
		path_arm(card);
	return line;
}

void path_write(struct card *card, uint64_t addr, const void *buf, size_t len)
{
	const uint8_t *from = buf;

	tables_arriving(card, addr, buf, len);
	while (len) {
		unsigned int at = addr % CARD_LINE;
		size_t part = CARD_LINE - at < len ? CARD_LINE - at : len;
		uint64_t bits = part == 64 ? ~0ULL : (1ULL << part) - 1;
		struct line *line = line_find(card, addr - at);

		if (!line)
			line = line_new(card, addr - at);
		memcpy(line->data + at, from, part);
		line->mask |= bits << at;
		addr += part;
		from += part;
		len -= part;
	}
}
