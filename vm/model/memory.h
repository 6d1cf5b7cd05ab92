/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The inside of video memory, for memory.c and mmu.c. */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include "vm/model/model.h"

#define VRAM_PAGE_SHIFT	16
#define VRAM_PAGE	(1u << VRAM_PAGE_SHIFT)

struct vram_page {
	uint8_t data[VRAM_PAGE];	/* first, for its alignment */
	uint16_t tables;	/* 4 KiB parts that hold page tables */
};

/* The parts that a range inside a page touches, as bits. */
static inline uint32_t vram_parts(size_t at, size_t len)
{
	unsigned int first = at / CARD_PAGE;
	unsigned int last = (at + len - 1) / CARD_PAGE;

	return (2u << last) - (1u << first);
}

/* NULL: nothing was ever written there. */
struct vram_page *vram_find(const struct card *card, uint64_t addr);
/* From now on, writes to this 4 KiB page count in card->tables. */
void vram_mark_table(struct card *card, uint64_t addr);
/* For reports. */
const char *mem_why_name(enum card_dma_why why);
/* A DMA found no one: the status bit of configuration space. */
void pci_master_abort(struct card *card);

#endif
