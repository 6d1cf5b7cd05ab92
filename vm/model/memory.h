/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The inside of video memory (vram.c), for memory.c and tables.c. */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "vm/model/model.h"

#define VRAM_PAGE_SHIFT	16
#define VRAM_PAGE	(1u << VRAM_PAGE_SHIFT)

#define VRAM_PARTS	(VRAM_PAGE / CARD_PAGE)

/* What a 4 KiB part is known to hold: tables.c. */
struct table_part {
	uint64_t root, table;	/* page directory; where the table begins */
	uint64_t va;		/* its first address			*/
	uint8_t level;		/* 0 page entries, n entries of PDE n - 1 */
	bool in_sysmem;		/* the page directory			*/
	bool known;
};

struct vram_page {
	uint8_t data[VRAM_PAGE];	/* first, for its alignment */
	uint16_t tables;	/* 4 KiB parts that hold page tables */
	uint16_t instances;	/* … that were instance blocks	*/
	struct table_part *part;	/* VRAM_PARTS of them, or NULL */
	uint64_t written[VRAM_PAGE / 256];	/* words, a bit each */
};

static inline unsigned int vram_part(uint64_t addr)
{
	return addr / CARD_PAGE % VRAM_PARTS;
}

/* The parts that a range inside a page touches, as bits. */
static inline uint32_t vram_parts(size_t at, size_t len)
{
	unsigned int first = at / CARD_PAGE;
	unsigned int last = (at + len - 1) / CARD_PAGE;

	return (2u << last) - (1u << first);
}

/* NULL: nothing was ever written there. */
struct vram_page *vram_find(const struct card *card, uint64_t addr);
/* Make it exist. */
void vram_touch(struct card *card, uint64_t addr);
/* Was every word of this written?  Otherwise *where is the first that was
 * not. */
bool vram_is_written(const struct card *card, uint64_t addr, uint64_t len,
		     uint64_t *where);
/* The memory has a new purpose. */
void vram_forget_written(struct card *card, uint64_t addr, uint64_t len);
/* For reports. */
const char *mem_why_name(enum card_dma_why why);
/* A DMA found no one: the status bit of configuration space. */
void pci_master_abort(struct card *card);

#endif
