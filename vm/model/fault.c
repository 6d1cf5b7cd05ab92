/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * MMU faults: the fault registers of each MMU engine, and Pascal's fault
 * buffer [§7.4].
 *
 * The registers hold one fault an engine, until it is acknowledged; what
 * comes meanwhile only leaves a mark.  The buffer holds more, in memory: the
 * card writes entries at PUT, the driver takes them from GET.  It lies at an
 * address of BAR2, so the card writes it through BAR2's page tables; when
 * these do not lead there, or when there is no room, the entry is lost and
 * OVERFLOW says so.
 */
#include "vm/model/fault.h"
#include "vm/model/host.h"

#define REPLAYABLE_BIT	9	/* in PMC_INTR */

enum { ENTRY_SIZE = 32 };

/* A field of an entry, which is wider than a word. */
static void entry_set(uint64_t entry[4], unsigned int field, uint64_t value)
{
	unsigned int lo = REG_FIELD_LO(field);

	entry[lo / 64] |= (value & REG_FIELD_MAX(field)) << lo % 64;
}

static unsigned int client(const struct card *card, unsigned int engine)
{
	static const uint8_t ce[] = {
		NV_PFAULT_CLIENT_HUB_CE0, NV_PFAULT_CLIENT_HUB_CE1,
	};
	unsigned int i;

	if (engine == FAULT_ENGINE_BAR1 || engine == FAULT_ENGINE_BAR2)
		return NV_PFAULT_CLIENT_HUB_HOST_CPU;
	for (i = 0; i < card->chip->copy_engines; i++) {
		const struct chip_engine *e = chip_copy_engine(card->chip, i);

		if (e && e->fault == engine)
			return i < array_size(ce) ? ce[i] :
				NV_PFAULT_CLIENT_HUB_CE2;
	}
	return NV_PFAULT_CLIENT_HUB_HOST;
}

static uint32_t info(const struct card *card, unsigned int engine,
		     const struct mem_fault *fault)
{
	unsigned int who = client(card, engine);

	if (!card->chip->pascal)
		return REG_SET(NV_PFIFO_FAULT_INFO_GM200_TYPE, fault->type) |
		       REG_VAL(NV_PFIFO_FAULT_INFO_GM200_HUB, 1) |
		       REG_SET(NV_PFIFO_FAULT_INFO_GM200_WRITE,
			       fault->write) |
		       REG_SET(NV_PFIFO_FAULT_INFO_GM200_CLIENT, who);
	return REG_SET(NV_PFIFO_FAULT_INFO_GP100_TYPE, fault->type) |
	       REG_SET(NV_PFIFO_FAULT_INFO_GP100_CLIENT, who) |
	       REG_SET(NV_PFIFO_FAULT_INFO_GP100_ACCESS, fault->write) |
	       REG_VAL(NV_PFIFO_FAULT_INFO_GP100_HUB, 1);
}

/* The buffer ------------------------------------------------------------ */

static uint32_t *reg(struct card *card, uint32_t offset)
{
	return card_reg(card, offset);
}

static bool buffer_is_on(struct card *card)
{
	uint32_t *lo = reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_LO);

	return lo && REG_GET(NV_PFIFO_REPLAYABLE_FAULT_BUFFER_LO_EN, *lo);
}

void fault_buffer_update(struct card *card)
{
	card_intr(card, INTR_STALL, REPLAYABLE_BIT, buffer_is_on(card) &&
		  *reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_GET) !=
		  *reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_PUT));
}

static void overflow(struct card *card)
{
	*reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_INFO) |=
		REG_VAL(NV_PFIFO_REPLAYABLE_FAULT_BUFFER_INFO_OVERFLOW, 1);
	pfifo_raise(card, NV_PFIFO_INTR_0_REPLAYABLE_FAULT_ERROR);
}

static int entry_write(struct card *card, uint32_t put,
		       const uint64_t entry[4])
{
	const struct mem_who who = { CARD_DMA_INSTANCE, CARD_NO_CHANNEL };
	uint64_t lo = *reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_LO);
	uint64_t hi = *reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_HI);
	uint64_t va = hi << 32 | (lo & ~0xfffull);
	struct mem_fault fault;

	va += (uint64_t)put * ENTRY_SIZE;
	if (!card->bar2.virtual)
		return card_mem_write(card, who, MEM_VRAM, va, entry,
				      ENTRY_SIZE);
	return card_va_write(card, who, &card->bar2.space, va, entry,
			     ENTRY_SIZE, &fault);
}

static void buffer_add(struct card *card, unsigned int engine,
		       const struct fault_at *at,
		       const struct mem_fault *fault)
{
	uint32_t *put = reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_PUT);
	uint32_t size = *reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_SIZE);
	uint32_t next = (*put + 1) % size;
	uint64_t entry[4] = { 0 };

	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_INST_APERTURE, at->aperture);
	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_INST, at->inst >> 12);
	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_ADDR, fault->va >> 12);
	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_TIMESTAMP, ptimer_now(card));
	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_ENGINE_ID, engine);
	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_FAULT_TYPE, fault->type);
	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_CLIENT, client(card, engine));
	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_ACCESS_TYPE, fault->write);
	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_MMU_CLIENT_TYPE, 1);
	entry_set(entry, NV_MMU_FAULT_BUF_ENTRY_VALID, 1);

	if (next == *reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_GET) ||
	    entry_write(card, *put, entry)) {
		overflow(card);
		return;
	}
	*put = next;
	fault_buffer_update(card);
}

void fault_buffer_written(struct card *card, uint32_t offset, uint32_t value,
			  uint32_t old)
{
	switch (offset) {
	case NV_PFIFO_REPLAYABLE_FAULT_BUFFER_GET:
		*reg(card, offset) = value %
			*reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_SIZE);
		break;
	case NV_PFIFO_REPLAYABLE_FAULT_BUFFER_INFO:
		*reg(card, offset) = old & ~value;
		break;
	case NV_PFIFO_REPLAYABLE_FAULT_BUFFER_LO:
		if (value & ~old & 1) {		/* turned on: empty */
			*reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_PUT) = 0;
			*reg(card, NV_PFIFO_REPLAYABLE_FAULT_BUFFER_GET) = 0;
		}
		break;
	default:
		return;
	}
	fault_buffer_update(card);
}

/* The registers --------------------------------------------------------- */

static void latch(struct card *card, unsigned int engine,
		  const struct fault_at *at, const struct mem_fault *fault)
{
	struct host *host = card->host;

	if (host->fault_id >> engine & 1) {
		pfifo_raise(card, NV_PFIFO_INTR_0_DROPPED_MMU_FAULT);
		return;
	}
	*card_reg(card, REG_AT(NV_PFIFO_FAULT_INST, engine)) = at->inst >> 12;
	*card_reg(card, REG_AT(NV_PFIFO_FAULT_VALO, engine)) = fault->va;
	*card_reg(card, REG_AT(NV_PFIFO_FAULT_VAHI, engine)) =
		fault->va >> 32;
	*card_reg(card, REG_AT(NV_PFIFO_FAULT_INFO, engine)) =
		info(card, engine, fault);
	host->fault_id |= 1u << engine;
	host->seen_fault &= ~(1u << engine);
	pfifo_intr(card);
}

void fault_raise(struct card *card, unsigned int engine,
		 const struct fault_at *at, const struct mem_fault *fault)
{
	if (engine > 31)
		return;
	latch(card, engine, at, fault);
	/* A fault of BAR2 may be one of the buffer's own. */
	if (buffer_is_on(card) && engine != FAULT_ENGINE_BAR2)
		buffer_add(card, engine, at, fault);
}
