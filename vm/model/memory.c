/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory as the card reaches it [§4.1], [§4.4].
 *
 * Video memory is sparse: a table of tables of 64 KiB pages that exist once
 * something was written there, and read as zero before.  Nothing is linear in
 * its 24 GiB.  A page remembers which of its sixteen parts hold page tables:
 * a write there may change a translation, which the TLB's monitor wants to
 * know.
 *
 * System memory belongs to the machine.  The card asks it, if bus mastering
 * is on and the address fits the chip's mask.
 */
#include <stdlib.h>

#include "vm/model/memory.h"

#define DIR_SHIFT	24
#define DIR_ENTRIES	(1u << (DIR_SHIFT - VRAM_PAGE_SHIFT))

static const uint8_t zeroes[VRAM_PAGE];

static size_t directories(const struct card *card)
{
	return (card->chip->vram_size + (1ULL << DIR_SHIFT) - 1) >> DIR_SHIFT;
}

int memory_init(struct card *card)
{
	card->vram = calloc(directories(card), sizeof(*card->vram));
	return card->vram ? 0 : -ENOMEM;
}

void memory_reset(struct card *card)
{
	for (size_t i = 0; i < directories(card); i++) {
		if (!card->vram[i])
			continue;
		for (size_t j = 0; j < DIR_ENTRIES; j++)
			free(card->vram[i][j]);
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
	if (!*page)
		*page = calloc(1, sizeof(**page));
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

void vram_mark_table(struct card *card, uint64_t addr)
{
	struct vram_page *page = vram_make(card, addr);

	if (page)
		page->tables |= 1u << (addr / CARD_PAGE % 16);
}

void vram_read(const struct card *card, uint64_t addr, void *buf, size_t len)
{
	uint8_t *to = buf;

	while (len) {
		const struct vram_page *page = vram_find(card, addr);
		size_t at = addr % VRAM_PAGE;
		size_t part = VRAM_PAGE - at < len ? VRAM_PAGE - at : len;

		memcpy(to, page ? page->data + at : zeroes, part);
		addr += part;
		to += part;
		len -= part;
	}
}

void vram_write(struct card *card, uint64_t addr, const void *buf, size_t len)
{
	const uint8_t *from = buf;

	while (len) {
		struct vram_page *page = vram_make(card, addr);
		size_t at = addr % VRAM_PAGE;
		size_t part = VRAM_PAGE - at < len ? VRAM_PAGE - at : len;

		if (page) {
			memcpy(page->data + at, from, part);
			if (page->tables & vram_parts(at, part))
				card->tables++;
		}
		addr += part;
		from += part;
		len -= part;
	}
}

/* Is this range of video memory there, and is what lies in it settled? */
static int vram_check(struct card *card, struct mem_who who, uint64_t addr,
		      size_t len, bool write)
{
	uint64_t size = card->chip->vram_size;

	if (len > size || addr > size - len) {
		card_report(card, RULE_DMA_FAULT, who.channel,
			    "a video-memory address below 0x%llx|"
			    "0x%llx, %zu bytes",
			    (unsigned long long)size,
			    (unsigned long long)addr, len);
		return -EFAULT;
	}
	if (!card->vram_usable) {
		card_report(card, RULE_PRIV_DISABLED, who.channel,
			    "the way to video memory is enabled|"
			    "NV_PMC_ENABLE 0x%08x",
			    *card_reg(card, NV_PMC_ENABLE));
		return -EFAULT;
	}
	/* A semaphore that the CPU releases comes late, which is all right. */
	if (card->lines && !write && who.why != CARD_DMA_SEMAPHORE &&
	    path_holds(card, addr, len))
		card_report(card, RULE_BAR1_NOT_FLUSHED, who.channel,
			    "a flush or a read back through BAR1 before use|"
			    "%s at 0x%llx, whose write is still under way",
			    mem_why_name(who.why), (unsigned long long)addr);
	return 0;
}

bool card_may_dma(const struct card *card)
{
	return !card->unplugged && pci_bus_master(card);
}

static int dma_check(struct card *card, struct mem_who who, uint64_t addr,
		     size_t len)
{
	unsigned int bits = card->chip->dma_bits;

	if (card->unplugged)
		return -EFAULT;
	if ((addr + len - 1) >> bits || addr + len < addr) {
		card_report(card, RULE_DMA_MASK, who.channel,
			    "an address of %u bits|0x%llx", bits,
			    (unsigned long long)addr);
		return -EFAULT;
	}
	if (!pci_bus_master(card)) {
		card_report(card, RULE_DMA_FAULT, who.channel,
			    "bus mastering is on|off, %s at 0x%llx",
			    mem_why_name(who.why), (unsigned long long)addr);
		return -EFAULT;
	}
	return 0;
}

static int dma_refused(struct card *card, struct mem_who who, uint64_t addr,
		       size_t len)
{
	pci_master_abort(card);
	card_report(card, RULE_DMA_FAULT, who.channel,
		    "an address that the machine gave out|"
		    "0x%llx, %zu bytes, %s",
		    (unsigned long long)addr, len, mem_why_name(who.why));
	return -EFAULT;
}

static int no_peer(struct card *card, struct mem_who who, uint64_t addr)
{
	card_report(card, RULE_DMA_FAULT, who.channel,
		    "video or system memory|another card's memory, 0x%llx",
		    (unsigned long long)addr);
	return -EFAULT;
}

int card_mem_read(struct card *card, struct mem_who who,
		  enum mem_aperture aperture, uint64_t addr, void *buf,
		  size_t len)
{
	int err;

	if (aperture == MEM_VRAM) {
		err = vram_check(card, who, addr, len, false);
		if (!err)
			vram_read(card, addr, buf, len);
	} else if (aperture == MEM_PEER) {
		err = no_peer(card, who, addr);
	} else {
		err = dma_check(card, who, addr, len);
		if (!err) {
			card_trace(card, EV_DMA_READ, who.channel, addr, len,
				   who.why, 0);
			if (card->ops.dma_read(card->host_machine, who.why,
					       addr, buf, len))
				err = dma_refused(card, who, addr, len);
		}
	}
	if (err)
		memset(buf, 0, len);
	return err;
}

int card_mem_write(struct card *card, struct mem_who who,
		   enum mem_aperture aperture, uint64_t addr,
		   const void *buf, size_t len)
{
	int err;

	if (aperture == MEM_VRAM) {
		err = vram_check(card, who, addr, len, true);
		if (!err)
			vram_write(card, addr, buf, len);
		return err;
	}
	if (aperture == MEM_PEER)
		return no_peer(card, who, addr);
	err = dma_check(card, who, addr, len);
	if (err)
		return err;
	card_trace(card, EV_DMA_WRITE, who.channel, addr, len, who.why, 0);
	if (card->ops.dma_write(card->host_machine, who.why, addr, buf, len))
		return dma_refused(card, who, addr, len);
	return 0;
}

const void *card_mem_peek(struct card *card, struct mem_who who,
			  enum mem_aperture aperture, uint64_t addr,
			  size_t len)
{
	const struct vram_page *page;
	const void *place;

	if (aperture == MEM_VRAM) {
		if (addr % VRAM_PAGE + len > VRAM_PAGE ||
		    vram_check(card, who, addr, len, false))
			return NULL;
		page = vram_find(card, addr);
		return page ? page->data + addr % VRAM_PAGE : zeroes;
	}
	if (aperture == MEM_PEER || !card->ops.dma_peek ||
	    dma_check(card, who, addr, len))
		return NULL;
	place = card->ops.dma_peek(card->host_machine, who.why, addr, len);
	if (place)
		card_trace(card, EV_DMA_READ, who.channel, addr, len, who.why,
			   0);
	return place;
}

int card_mem_look(const struct card *card, enum mem_aperture aperture,
		  uint64_t addr, void *buf, size_t len)
{
	if (aperture == MEM_VRAM) {
		vram_read(card, addr, buf, len);
		return 0;
	}
	if (aperture == MEM_PEER || card->unplugged)
		return -EFAULT;
	return card->ops.dma_read(card->host_machine, CARD_DMA_COPY, addr,
				  buf, len) ? -EFAULT : 0;
}

uint32_t card_mem_rd32(struct card *card, struct mem_who who,
		       enum mem_aperture aperture, uint64_t addr)
{
	uint32_t value;

	card_mem_read(card, who, aperture, addr, &value, sizeof(value));
	return value;
}

uint64_t card_mem_rd64(struct card *card, struct mem_who who,
		       enum mem_aperture aperture, uint64_t addr)
{
	uint64_t value;

	card_mem_read(card, who, aperture, addr, &value, sizeof(value));
	return value;
}

int card_mem_wr32(struct card *card, struct mem_who who,
		  enum mem_aperture aperture, uint64_t addr, uint32_t value)
{
	return card_mem_write(card, who, aperture, addr, &value,
			      sizeof(value));
}
