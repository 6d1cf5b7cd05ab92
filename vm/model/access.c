/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * CPU accesses [§2.2], [§2.3].
 *
 * A memory write is posted: the CPU goes on after write_cpu, the write
 * arrives later, in order, after a delay that the seed decides (zero extra is
 * among the possible).  A read is not: it pushes every earlier write before
 * it, then costs a round trip, and the card looks half way.  Configuration
 * accesses are never posted.
 *
 * What a write does is decided when it arrives, not when it was issued: a
 * card that left the bus, or whose memory decoding was turned off meanwhile,
 * does not see it.
 */
#include "vm/model/model.h"

/* An idle processor has fallen asleep after this long, ns. */
#define CSTATE_IDLE	50000

static bool size_is_legal(uint64_t offset, unsigned int size)
{
	return (size == 1 || size == 2 || size == 4 || size == 8) &&
		offset % size == 0;
}

static uint64_t all_ones(unsigned int size)
{
	return size >= 8 ? ~0ULL : (1ULL << (8 * size)) - 1;
}

uint64_t card_region_size(const struct card *card, enum card_region region)
{
	switch (region) {
	case CARD_CONFIG:
		return 4096;
	case CARD_BAR0:
		return 16 << 20;
	case CARD_BAR1:
		return card->chip->bar1_size;
	case CARD_BAR3:
		return 32 << 20;
	default:
		return 0;
	}
}

static bool in_region(const struct card *card, enum card_region region,
		      uint64_t offset, size_t len)
{
	uint64_t size = card_region_size(card, region);

	return len <= size && offset <= size - len;
}

static bool check_access(struct card *card, enum card_region region,
			 uint64_t offset, unsigned int size)
{
	if (!size_is_legal(offset, size)) {
		card_report(card, RULE_ACCESS_SIZE, CARD_NO_CHANNEL,
			    "1, 2, 4 or 8 bytes, aligned|%u bytes at 0x%llx",
			    size, (unsigned long long)offset);
		return false;
	}
	if (!in_region(card, region, offset, size)) {
		card_report(card, RULE_BAR_FAULT, CARD_NO_CHANNEL,
			    "an offset below 0x%llx|0x%llx",
			    (unsigned long long)card_region_size(card, region),
			    (unsigned long long)offset);
		return false;
	}
	return true;
}

static bool decodes(const struct card *card, enum card_region region)
{
	return !card->unplugged &&
		(region == CARD_CONFIG || pci_memory_enabled(card));
}

static uint64_t read_now(struct card *card, enum card_region region,
			 uint64_t offset, unsigned int size)
{
	if (!decodes(card, region))
		return all_ones(size);
	switch (region) {
	case CARD_CONFIG:
		if (size == 8)
			return all_ones(size);
		return pci_read(card, offset, size);
	case CARD_BAR0:
		return regs_read(card, offset, size);
	default:
		return window_read(card, region, offset, size);
	}
}

uint64_t card_read(struct card *card, enum card_region region,
		   uint64_t offset, unsigned int size)
{
	uint64_t value;

	if (!check_access(card, region, offset, size))
		return all_ones(size);
	if (card->posted_head != card->posted_tail)
		queue_run(card, card->posted_last);
	queue_run(card, card->now + card->costs.read / 2);
	value = read_now(card, region, offset, size);
	card_trace(card, EV_READ, CARD_NO_CHANNEL, region, offset, value,
		   size);
	queue_run(card, card->now + card->costs.read - card->costs.read / 2 +
		  card_walk_time(card));
	card->cpu_last = card->now;
	return value;
}

/* Put a write on its way; the slot, whose data is the caller's to fill. */
static struct posted *post(struct card *card)
{
	uint64_t cost = card->costs.write_cpu;
	struct posted *write;
	uint64_t arrival;

	if (card->now - card->cpu_last > CSTATE_IDLE)
		cost += card->costs.cstate_exit;
	queue_run(card, card->now + cost);
	card->cpu_last = card->now;

	/* The link is full: the CPU waits. */
	while (card->posted_tail - card->posted_head == CARD_POSTED)
		queue_run(card, queue_next(card));

	arrival = card->now + card->costs.write_arrive +
		card_random(card, card->costs.write_jitter);
	if (arrival < card->posted_last)
		arrival = card->posted_last;
	card->posted_last = arrival;
	write = &card->posted[card->posted_tail++ & (CARD_POSTED - 1)];
	write->when = arrival;
	write->sequence = card->sequence++;
	return write;
}

static void config_write(struct card *card, uint64_t offset,
			 unsigned int size, uint64_t value)
{
	if (card->posted_head != card->posted_tail)
		queue_run(card, card->posted_last);
	queue_run(card, card->now + card->costs.read / 2);
	card_trace(card, EV_WRITE, CARD_NO_CHANNEL, CARD_CONFIG, offset,
		   value, size);
	if (!card->unplugged && size <= 4)
		pci_write(card, offset, size, value, false);
	queue_run(card, card->now + card->costs.read - card->costs.read / 2);
	card->cpu_last = card->now;
}

void card_write(struct card *card, enum card_region region, uint64_t offset,
		unsigned int size, uint64_t value)
{
	struct posted *write;

	if (!check_access(card, region, offset, size))
		return;
	value &= all_ones(size);
	if (region == CARD_CONFIG) {
		config_write(card, offset, size, value);
		return;
	}
	write = post(card);
	write->region = region;
	write->offset = offset;
	write->size = size;
	write->value = value;
	write->burst = false;
}

void card_write_burst(struct card *card, enum card_region region,
		      uint64_t offset, const void *data, size_t len)
{
	const uint8_t *from = data;

	if (offset % 4 || len % 4 || region == CARD_CONFIG ||
	    !in_region(card, region, offset, len)) {
		card_report(card, RULE_ACCESS_SIZE, CARD_NO_CHANNEL,
			    "a burst of whole words inside a BAR|"
			    "%zu bytes at 0x%llx",
			    len, (unsigned long long)offset);
		return;
	}
	while (len) {
		size_t part = CARD_LINE - offset % CARD_LINE;
		struct posted *write = post(card);

		if (part > len)
			part = len;
		write->region = region;
		write->offset = offset;
		write->size = part;
		write->value = 0;
		memcpy(&write->value, from, part < 8 ? part : 8);
		write->burst = true;
		memcpy(card->burst[write - card->posted], from, part);
		offset += part;
		from += part;
		len -= part;
	}
}

static void bar0_burst(struct card *card, uint32_t offset,
		       const uint8_t *data, unsigned int len)
{
	for (unsigned int i = 0; i < len; i += 4) {
		uint32_t word;

		memcpy(&word, data + i, 4);
		regs_write(card, offset + i, 4, word);
	}
}

void access_arrive(struct card *card, const struct posted *write,
		   const uint8_t *data)
{
	uint64_t value = write->value;

	card_trace(card, EV_WRITE, CARD_NO_CHANNEL, write->region,
		   write->offset, value, write->size);
	if (!decodes(card, write->region))
		return;
	if (write->region == CARD_BAR0) {
		if (write->burst)
			bar0_burst(card, write->offset, data, write->size);
		else
			regs_write(card, write->offset, write->size, value);
		return;
	}
	window_write(card, write->region, write->offset,
		     write->burst ? (const void *)data : &value, write->size);
	card_walk_time(card);	/* a posted write's walk delays nobody */
}
