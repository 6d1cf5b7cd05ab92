/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The registers of the PBDMAs [§7.1].
 *
 * They show the state of the channel that is loaded.  Writing them makes
 * sense while the PBDMA waits for an interrupt to be cleared, to correct what
 * it stumbled over: METHOD0 and DATA0, the header, a pointer; the others keep
 * what is written until the next load.
 */
#include "vm/model/host.h"

static uint32_t header(const struct pbdma *p)
{
	return REG_SET(NV_RAMFC_PB_HEADER_TYPE, p->form) |
	       REG_SET(NV_RAMFC_PB_HEADER_METHOD, p->method >> 2) |
	       REG_SET(NV_RAMFC_PB_HEADER_SUBCHANNEL, p->subchannel);
}

static uint32_t stages(const struct pbdma *p)
{
	uint32_t all = p->trap ? 1 :		/* suspended */
		       p->acquiring || p->wait_engine ? 2 :	/* blocked */
		       p->idle || !p->channel ? 0 : 8;		/* busy */

	return REG_SET(NV_PPBDMA_STATUS_GPF, all) |
	       REG_SET(NV_PPBDMA_STATUS_GPP, all) |
	       REG_SET(NV_PPBDMA_STATUS_PBP, all) |
	       REG_SET(NV_PPBDMA_STATUS_MP, all) |
	       REG_SET(NV_PPBDMA_STATUS_PBDMA, all);
}

/* Registers that show a member of struct pbdma as it is. */
static const struct {
	uint32_t offset;
	uint16_t member;
	bool high;		/* the upper half of 64 bits */
} views[] = {
#define VIEW(name, member)	{ NV_PPBDMA_##name, \
				  offsetof(struct pbdma, member), false }
#define HIGH(name, member)	{ NV_PPBDMA_##name##_HI, \
				  offsetof(struct pbdma, member), true }
	VIEW(GP_PUT, gp_put), VIEW(GP_GET, gp_get), VIEW(GP_FETCH, gp_fetch),
	VIEW(PUT, end), HIGH(PUT, end),
	VIEW(TOP_LEVEL_GET, top_level_get), HIGH(TOP_LEVEL_GET, top_level_get),
	VIEW(REF, ref), VIEW(SEMAPHOREA, sem[0]), VIEW(SEMAPHOREB, sem[1]),
	VIEW(SEMAPHOREC, sem[2]), VIEW(SEMAPHORED, sem[3]),
	VIEW(GP_CRC, gp_crc), VIEW(PB_CRC, pb_crc),
	VIEW(METHOD_CRC, method_crc), VIEW(PB_COUNT, count),
	VIEW(SUBDEVICE, subdevice), VIEW(METHOD0, method0),
	VIEW(DATA0, data0), VIEW(HCE_CTRL, hce_ctrl), VIEW(CONFIG, config),
#undef VIEW
#undef HIGH
};

/* The register's word in the state of a loaded channel; false: no such. */
static bool live(const struct pbdma *p, uint32_t offset, uint32_t *value)
{
	unsigned int i;

	for (i = 0; i < array_size(views); i++) {
		if (views[i].offset != offset)
			continue;
		/* little-endian, like the card */
		memcpy(value, (const char *)p + views[i].member +
		       (views[i].high ? 4 : 0), 4);
		return true;
	}
	switch (offset) {
	case NV_PPBDMA_GET:
		*value = pbdma_position(p);
		return true;
	case NV_PPBDMA_GET_HI:
		*value = pbdma_position(p) >> 32;
		return true;
	case NV_PPBDMA_PB_HEADER:
		*value = header(p);
		return true;
	}
	if (offset >= NV_PPBDMA_GP_PUT + sizeof(p->keep))
		return false;
	*value = p->keep[(offset - NV_PPBDMA_GP_PUT) / 4];
	return true;
}

static uint32_t pbdma_read(struct card *card, const struct reg_desc *reg,
			   unsigned int index, uint32_t stored)
{
	struct pbdma *p = &card->host->pbdma[index];
	uint32_t value;

	switch (reg->offset) {
	case NV_PPBDMA_STATUS:
		return stages(p);
	case NV_PPBDMA_INTR_0:
		p->seen_0 |= p->intr_0;
		return p->intr_0;
	case NV_PPBDMA_INTR_1:
		p->seen_1 |= p->intr_1;
		return p->intr_1;
	case NV_PPBDMA_GP_SHADOW_0:
		return p->gp_shadow[0];
	case NV_PPBDMA_GP_SHADOW_1:
		return p->gp_shadow[1];
	case NV_PPBDMA_HDR_SHADOW:
		return p->hdr_shadow;
	case NV_PPBDMA_CHANNEL:
		return p->channel ?
		       REG_SET(NV_PPBDMA_CHANNEL_CHID, p->channel->id) |
		       REG_VAL(NV_PPBDMA_CHANNEL_VALID, 1) : 0;
	case NV_PPBDMA_HCE_DBG0:
		return p->hce_dbg[0];
	case NV_PPBDMA_HCE_DBG1:
		return p->hce_dbg[1];
	}
	return p->phase == PBDMA_RUN && live(p, reg->offset, &value) ?
	       value : stored;
}

static void correct(struct pbdma *p, uint32_t offset, uint32_t value)
{
	switch (offset) {
	case NV_PPBDMA_GP_PUT:
		p->gp_put = value;
		break;
	case NV_PPBDMA_GP_GET:
		p->gp_get = p->gp_fetch = value;
		break;
	case NV_PPBDMA_METHOD0:
		p->method0 = value;
		break;
	case NV_PPBDMA_DATA0:
		p->data0 = value;
		break;
	case NV_PPBDMA_METHOD_CRC:
		p->method_crc = value;
		break;
	case NV_PPBDMA_PB_HEADER:
		p->form = REG_GET(NV_RAMFC_PB_HEADER_TYPE, value);
		p->method = REG_GET(NV_RAMFC_PB_HEADER_METHOD, value) << 2;
		p->subchannel = REG_GET(NV_RAMFC_PB_HEADER_SUBCHANNEL, value);
		p->bad_header = false;
		break;
	case NV_PPBDMA_PB_COUNT:
		p->count = REG_GET(NV_RAMFC_PB_COUNT_VALUE, value);
		break;
	case NV_PPBDMA_SUBDEVICE:
		p->subdevice = value;
		break;
	case NV_PPBDMA_HCE_CTRL:
		p->hce_ctrl = value;
		break;
	case NV_PPBDMA_SIGNATURE:
		p->keep[NV_RAMFC_SIGNATURE / 4] = value;
		break;
	}
}

/* A busy PBDMA would be torn by a write to its state. */
static void write_state(struct card *card, struct pbdma *p, uint32_t offset,
			uint32_t value)
{
	if (p->phase != PBDMA_RUN || offset >= NV_PPBDMA_STATUS)
		return;
	if (!p->trap && !p->idle) {
		pbdma_raise_0(card, p, NV_PPBDMA_INTR_0_PRI);
		return;
	}
	correct(p, offset, value);
}

static void pbdma_write(struct card *card, const struct reg_desc *reg,
			unsigned int index, uint32_t value, uint32_t old)
{
	struct pbdma *p = &card->host->pbdma[index];

	(void)old;
	switch (reg->offset) {
	case NV_PPBDMA_INTR_0:
		host_acknowledge(card, reg->name, p->intr_0, &p->seen_0,
				 value);
		p->intr_0 &= ~value;
		break;
	case NV_PPBDMA_INTR_1:
		host_acknowledge(card, reg->name, p->intr_1, &p->seen_1,
				 value);
		p->intr_1 &= ~value;
		break;
	case NV_PPBDMA_INTR_EN_0:
		p->en_0 = value;
		break;
	case NV_PPBDMA_INTR_EN_1:
		p->en_1 = value;
		break;
	default:
		write_state(card, p, reg->offset, value);
		return;
	}
	pfifo_update(card);
	pbdma_untrap(card, p);
}

static bool pbdma_enabled(struct card *card, uint32_t offset)
{
	uint32_t id = (offset - NV_PPBDMA_GP_PUT) / NV_PPBDMA_GP_PUT__STRIDE;
	uint32_t *enable = card_reg(card, NV_PMC_ENABLE_PB);

	return pmc_enabled(card, 1u << 8) && id < card->chip->pbdmas &&
	       (!enable || *enable >> id & 1);
}

static const struct card_block pbdma = {
	.name = "PBDMA",
	.first = 0x040000,
	.last = 0x05bfff,
	.enable = 1u << 8,		/* PFIFO */
	.enabled = pbdma_enabled,
	.read = pbdma_read,
	.write = pbdma_write,
};

int pbdma_regs_init(struct card *card)
{
	return card_block_add(card, &pbdma);
}
