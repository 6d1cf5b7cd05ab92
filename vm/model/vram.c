/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Video memory itself [§4.4].
 *
 * It is sparse: a table of tables of 64 KiB pages that exist once something
 * was written there.  Nothing is linear in its 24 GiB.  Before that they read
 * as zero, or, where a judge wants it, as what another user may have left:
 * page-table entries that look valid.
 *
 * A page remembers which of its sixteen parts hold page tables, since a write
 * there may change a translation, and which of its words were ever written:
 * tables.c wants to know.
 */
#include <stdlib.h>

#include "vm/model/memory.h"

#define DIR_SHIFT	24
#define DIR_ENTRIES	(1u << (DIR_SHIFT - VRAM_PAGE_SHIFT))

static size_t directories(const struct card *card)
{
	return (card->chip->vram_size + (1ULL << DIR_SHIFT) - 1) >> DIR_SHIFT;
}

int memory_init(struct card *card)
{
	card->vram = calloc(directories(card), sizeof(*card->vram));
	return card->vram ? 0 : -ENOMEM;
}

static void page_free(struct vram_page *page)
{
	if (page)
		free(page->part);
	free(page);
}

void memory_reset(struct card *card)
{
	for (size_t i = 0; i < directories(card); i++) {
		if (!card->vram[i])
			continue;
		for (size_t j = 0; j < DIR_ENTRIES; j++)
			page_free(card->vram[i][j]);
		free(card->vram[i]);
		card->vram[i] = NULL;
	}
	card->vram_last = NULL;
	card->tables++;
}

void memory_fini(struct card *card)
{
	memory_reset(card);
	free(card->vram);
}

struct vram_page *vram_find(const struct card *card, uint64_t addr)
{
	struct vram_page **dir;

	if (addr >= card->chip->vram_size)
		return NULL;
	dir = card->vram[addr >> DIR_SHIFT];
	return dir ? dir[addr >> VRAM_PAGE_SHIFT & (DIR_ENTRIES - 1)] : NULL;
}

/*
 * An entry that maps some page of video memory: format 2 has the frame from
 * bit 8, format 1 from bit 4, and in both bit 0 alone says that it is valid.
 */
static uint64_t leftover(const struct card *card, uint64_t addr)
{
	uint64_t x = (addr >> 3) * 0x9e3779b97f4a7c15ULL ^ card->vram_fill;

	x = (x ^ x >> 31) * 0x94d049bb133111ebULL;
	x = (x >> 16) % (card->chip->vram_size / CARD_PAGE);
	return x << (card->chip->pascal ? 8 : 4) | 1;
}

static void leftovers(const struct card *card, uint64_t addr, void *buf,
		      size_t len)
{
	uint8_t *to = buf;

	while (len) {
		size_t n = 8 - addr % 8 < len ? 8 - addr % 8 : len;
		uint64_t word = leftover(card, addr);

		memcpy(to, (uint8_t *)&word + addr % 8, n);
		addr += n;
		to += n;
		len -= n;
	}
}

void card_vram_fill(struct card *card, uint64_t seed)
{
	card->vram_fill = seed;
}

/* NULL: no such address, or the machine we run on is out of memory. */
static struct vram_page *page_make(struct card *card, uint64_t addr)
{
	struct vram_page ***dir, **page;

	if (addr >= card->chip->vram_size)
		return NULL;
	dir = &card->vram[addr >> DIR_SHIFT];
	if (!*dir)
		*dir = calloc(DIR_ENTRIES, sizeof(**dir));
	if (!*dir)
		return NULL;
	page = &(*dir)[addr >> VRAM_PAGE_SHIFT & (DIR_ENTRIES - 1)];
	if (!*page) {
		*page = calloc(1, sizeof(**page));
		if (*page && card->vram_fill)
			leftovers(card, addr & ~(uint64_t)(VRAM_PAGE - 1),
				  (*page)->data, VRAM_PAGE);
	}
	return *page;
}

/* The same; the last one is at hand, since Host writes USERD all the time. */
static inline struct vram_page *vram_make(struct card *card, uint64_t addr)
{
	uint64_t number = addr >> VRAM_PAGE_SHIFT;

	if (!card->vram_last || card->vram_last_number != number) {
		card->vram_last = page_make(card, addr);
		card->vram_last_number = number;
	}
	return card->vram_last;
}

void vram_touch(struct card *card, uint64_t addr)
{
	vram_make(card, addr);
}

void vram_read(const struct card *card, uint64_t addr, void *buf, size_t len)
{
	uint8_t *to = buf;

	while (len) {
		const struct vram_page *page = vram_find(card, addr);
		size_t at = addr % VRAM_PAGE;
		size_t part = VRAM_PAGE - at < len ? VRAM_PAGE - at : len;

		if (page)
			memcpy(to, page->data + at, part);
		else if (card->vram_fill)
			leftovers(card, addr, to, part);
		else
			memset(to, 0, part);
		addr += part;
		to += part;
		len -= part;
	}
}

/* Words of a page that were written, a bit each; part of one counts. */
static void note_written(struct vram_page *page, size_t at, size_t len)
{
	size_t first = at / 4, last = (at + len - 1) / 4;

	if (first / 64 == last / 64) {
		page->written[first / 64] |= ~0ULL >> (63 - last % 64) &
			~0ULL << first % 64;
		return;
	}
	page->written[first / 64] |= ~0ULL << first % 64;
	for (size_t i = first / 64 + 1; i < last / 64; i++)
		page->written[i] = ~0ULL;
	page->written[last / 64] |= ~0ULL >> (63 - last % 64);
}

void vram_write(struct card *card, uint64_t addr, const void *buf, size_t len)
{
	const uint8_t *from = buf;

	while (len) {
		struct vram_page *page = vram_make(card, addr);
		size_t at = addr % VRAM_PAGE;
		size_t part = VRAM_PAGE - at < len ? VRAM_PAGE - at : len;

		if (page) {
			if (page->tables & vram_parts(at, part))
				tables_written(card, addr, from, part);
			memcpy(page->data + at, from, part);
			note_written(page, at, part);
		}
		addr += part;
		from += part;
		len -= part;
	}
}

bool vram_is_written(const struct card *card, uint64_t addr, uint64_t len,
		     uint64_t *where)
{
	for (uint64_t at = addr; at < addr + len; at += 4) {
		const struct vram_page *page = vram_find(card, at);
		unsigned int word = at % VRAM_PAGE / 4;

		if (page && page->written[word / 64] >> word % 64 & 1)
			continue;
		*where = at;
		return false;
	}
	return true;
}

void vram_forget_written(struct card *card, uint64_t addr, uint64_t len)
{
	for (uint64_t at = addr; at < addr + len; at += 4) {
		struct vram_page *page = vram_find(card, at);
		unsigned int word = at % VRAM_PAGE / 4;

		if (page)
			page->written[word / 64] &= ~(1ULL << word % 64);
	}
}

void vram_mark_instance(struct card *card, uint64_t addr)
{
	struct vram_page *page = vram_make(card, addr);

	if (page)
		page->instances |= 1u << vram_part(addr);
}

bool vram_is_instance(const struct card *card, uint64_t addr)
{
	const struct vram_page *page = vram_find(card, addr);

	return page && page->instances >> vram_part(addr) & 1;
}
