/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Windows into memory: BAR1, BAR2 (the bus's BAR3), PRAMIN [§6.1], [§6.3].
 *
 * BAR1 and BAR2 show video memory one to one until they are bound to an
 * instance block; then every access walks its page tables.  Writes through
 * BAR1 to video memory go into the write path [§4.4], with one exception:
 * Host snoops writes to the USERD window and takes GP_PUT as it arrives
 * [§8.3], so those are in memory at once.
 */
#include "vm/model/model.h"

#define MMU_ENGINE_BAR1	4
#define MMU_ENGINE_BAR2	5
#define NO_MEMORY	0xbad0fb00bad0fb00ULL

static const struct mem_who cpu = { CARD_DMA_INSTANCE, CARD_NO_CHANNEL };

static uint64_t cut(uint64_t value, unsigned int size)
{
	return size == 8 ? value : value & ((1ULL << (8 * size)) - 1);
}

static void fault(struct card *card, enum card_region region, uint64_t offset,
		  const struct mem_fault *what)
{
	const struct bar_window *window =
		region == CARD_BAR1 ? &card->bar1 : &card->bar2;

	card_report(card, RULE_BAR_FAULT, CARD_NO_CHANNEL,
		    "an offset that is mapped|"
		    "%s at 0x%llx of BAR%u, which is not (fault type %u)",
		    what->write ? "a write" : "a read",
		    (unsigned long long)offset, region == CARD_BAR1 ? 1 : 2,
		    what->type);
	if (window->virtual)
		host_mmu_fault(card, region == CARD_BAR1 ? MMU_ENGINE_BAR1 :
			       MMU_ENGINE_BAR2, window->inst, what);
}

/* Where an offset of a BAR leads; false: nowhere, and reported. */
static bool find(struct card *card, enum card_region region, uint64_t offset,
		 bool write, struct mem_place *place)
{
	struct bar_window *window =
		region == CARD_BAR1 ? &card->bar1 : &card->bar2;
	struct mem_fault what = {
		.va = offset, .type = FAULT_VA_LIMIT, .write = write,
	};

	if (!window->virtual) {
		*place = (struct mem_place){
			.addr = offset, .aperture = MEM_VRAM,
			.left = card->chip->vram_size - offset,
		};
		if (offset < card->chip->vram_size)
			return true;
	} else if (!card_va_translate(card, cpu, &window->space, offset,
				      write, place, &what)) {
		return true;
	}
	fault(card, region, offset, &what);
	return false;
}

/* A read finds everything that was written before it. */
static uint64_t memory_read(struct card *card, enum mem_aperture aperture,
			    uint64_t addr, unsigned int size)
{
	uint64_t value = 0;

	path_drain(card);
	if (aperture == MEM_VRAM && !card->vram_usable)
		return cut(NO_MEMORY, size);
	if (card_mem_read(card, cpu, aperture, addr, &value, size))
		return cut(~0ULL, size);
	return value;
}

uint64_t window_read(struct card *card, enum card_region region,
		     uint64_t offset, unsigned int size)
{
	struct mem_place place;

	if (!find(card, region, offset, false, &place))
		return cut(~0ULL, size);
	if (place.sparse)
		return 0;
	return memory_read(card, place.aperture, place.addr, size);
}

static void snooped_write(struct card *card, uint64_t offset,
			  const struct mem_place *place, const uint8_t *from,
			  size_t len)
{
	if (card_mem_write(card, cpu, place->aperture, place->addr, from,
			   len))
		return;
	for (size_t i = 0; i + 4 <= len; i += 4) {
		uint32_t word;

		memcpy(&word, from + i, 4);
		host_userd_write(card, offset - card->snoop_base + i,
				 place->aperture, place->addr + i, word);
	}
}

static void memory_write(struct card *card, enum card_region region,
			 const struct mem_place *place, const void *from,
			 size_t len)
{
	if (place->aperture != MEM_VRAM || !card->vram_usable) {
		if (place->aperture != MEM_VRAM)
			card_mem_write(card, cpu, place->aperture,
				       place->addr, from, len);
		return;
	}
	if (place->addr + len > card->chip->vram_size) {
		card_mem_write(card, cpu, MEM_VRAM, place->addr, from, len);
		return;
	}
	if (vram_is_instance(card, place->addr))
		host_instance_write(card, place->addr, len);
	if (region == CARD_BAR1) {
		path_write(card, place->addr, from, len);
		host_vram_write(card, place->addr, len);
		return;
	}
	/* What the CPU wrote before by the other way must not come after. */
	if (card->lines && path_holds(card, place->addr, len))
		path_drain(card);
	vram_write(card, place->addr, from, len);
}

void window_write(struct card *card, enum card_region region,
		  uint64_t offset, const void *buf, size_t len)
{
	const uint8_t *from = buf;

	while (len) {
		struct mem_place place;
		size_t part = len;

		if (!find(card, region, offset, true, &place))
			return;
		if (part > place.left)
			part = place.left;
		if (region == CARD_BAR1 &&
		    offset - card->snoop_base < card->snoop_size)
			snooped_write(card, offset, &place, from, part);
		else if (!place.sparse)
			memory_write(card, region, &place, from, part);
		offset += part;
		from += part;
		len -= part;
	}
}

static struct mem_place pramin_place(struct card *card, uint32_t offset)
{
	uint32_t window = *card_reg(card, NV_PBUS_BAR0_WINDOW);

	return (struct mem_place){
		.addr = (REG_GET(NV_PBUS_BAR0_WINDOW_BASE, window) << 16) +
			offset,
		.aperture = (enum mem_aperture)
			REG_GET(NV_PBUS_BAR0_WINDOW_TARGET, window),
	};
}

uint64_t pramin_read(struct card *card, uint32_t offset, unsigned int size)
{
	struct mem_place place = pramin_place(card, offset);

	return memory_read(card, place.aperture, place.addr, size);
}

void pramin_write(struct card *card, uint32_t offset, unsigned int size,
		  uint64_t value)
{
	struct mem_place place = pramin_place(card, offset);

	memory_write(card, CARD_BAR0, &place, &value, size);
}
