/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory as the card reaches it [§4.1], [§4.4].
 *
 * Video memory is the card's own (vram.c): it answers when it has been
 * trained and the address is one of its.  What the CPU wrote through BAR1 may
 * not be there yet, which is the driver's business and is told.
 *
 * System memory belongs to the machine.  The card asks it, if bus mastering
 * is on and the address fits the chip's mask.
 */
#include "vm/model/memory.h"

static const uint8_t zeroes[VRAM_PAGE];

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
		if (page)
			return page->data + addr % VRAM_PAGE;
		return card->vram_fill ? NULL : zeroes;
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
