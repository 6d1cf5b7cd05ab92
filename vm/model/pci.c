/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Configuration space [§3.1], [§3.2] and its mirror in BAR0 [§3.3].
 *
 * Contents at reset come from vm/spec/xve.def: the capability chain that a
 * real P100 shows.  What software may change is a short list; everything else
 * ignores writes silently, as PCI demands, so that BAR sizing and blanket
 * restores by an operating system work.
 */
#include "vm/model/memory.h"
#include "vm/model/registers.h"

#define ADDITION_CAP	((uint32_t)NV_XVE_ADDITION_HDR << 20)
#define ATS_CAP		((uint32_t)NV_XVE_ATS_HDR << 20)

#define RO	REG_RO
#define RW	REG_RW
#define W1C	REG_W1C
#define ALL	REG_ALL
#define PASCAL	REG_PASCAL

static const struct reg_desc config_regs[] = {
#define REG(name, offset, access, reset, chips, doc, source) \
	{ #name, offset, 0, 1, access, reset, chips, doc, source },
#define FIELD(reg, name, range, doc)
#define VALUE(field, name, value, doc)
#include "vm/spec/xve.def"
#undef REG
#undef FIELD
#undef VALUE
};

/* Bits that software writes, and bits it clears by writing 1.  The base
 * registers are apart: their size decides. */
static const struct {
	uint16_t offset;
	uint32_t writes, clears;
} config_bits[] = {
	{ NV_XVE_DEV_CTRL, 0x00000546, 0xf9000000 },
	{ NV_XVE_MISC_1, 0x000000ff, 0 },
	{ NV_XVE_INTR_GNT, 0x000000ff, 0 },
	{ NV_XVE_PWR_MGMT_1, 0x00000003, 0 },
	{ NV_XVE_MSI_CTRL, 0x00010000, 0 },
	{ NV_XVE_MSI_LOW_ADDR, 0xfffffffc, 0 },
	{ NV_XVE_MSI_UPPER_ADDR, 0xffffffff, 0 },
	{ NV_XVE_MSI_DATA, 0x0000ffff, 0 },
	{ NV_XVE_DEVICE_CONTROL_STATUS, 0x00007fff, 0x000f0000 },
	{ NV_XVE_LINK_CONTROL_STATUS, 0x000000c3, 0 },
	{ NV_XVE_DEVICE_CONTROL_STATUS_2, 0x0000041f, 0 },
	{ NV_XVE_LINK_CONTROL_STATUS_2, 0x0000000f, 0 },
	{ NV_XVE_VCCAP_CTRL0, 0x000000fe, 0 },
	{ NV_XVE_LTR_MAX_LATENCY, 0x1fff1fff, 0 },
	{ NV_XVE_L1_PM_SUBSTATES_CTRL1, 0x0000000f, 0 },
	{ NV_XVE_AER_UNCORR_ERR, 0, 0xffffffff },
	{ NV_XVE_AER_UNCORR_MASK, 0x001ff010, 0 },
	{ NV_XVE_AER_UNCORR_SEVERITY, 0x001ff010, 0 },
	{ NV_XVE_AER_CORR_ERR, 0, 0xffffffff },
	{ NV_XVE_AER_CORR_MASK, 0x000031c1, 0 },
	{ NV_XVE_AER_ADV_ERR_CAP_CNTRL, 0x00000140, 0 },
	{ NV_XVE_CYA_2, 0xffffffff, 0 },
};

static uint32_t config_get(const struct card *card, uint32_t offset)
{
	uint32_t word;

	memcpy(&word, &card->config_space[offset & 0xffc], 4);
	return word;
}

static void config_set(struct card *card, uint32_t offset, uint32_t word)
{
	memcpy(&card->config_space[offset & 0xffc], &word, 4);
}

const char *pci_register_name(uint32_t offset)
{
	for (size_t i = 0; i < array_size(config_regs); i++) {
		if (config_regs[i].offset == (offset & ~3u))
			return config_regs[i].name;
	}
	return NULL;
}

bool pci_memory_enabled(const struct card *card)
{
	return REG_GET(NV_XVE_DEV_CTRL_CMD_MEMORY_SPACE,
		       config_get(card, NV_XVE_DEV_CTRL)) &&
		!REG_GET(NV_XVE_PWR_MGMT_1_PWR_STATE,
			 config_get(card, NV_XVE_PWR_MGMT_1));
}

bool pci_bus_master(const struct card *card)
{
	return REG_GET(NV_XVE_DEV_CTRL_CMD_BUS_MASTER,
		       config_get(card, NV_XVE_DEV_CTRL));
}

void pci_master_abort(struct card *card)
{
	uint32_t word = config_get(card, NV_XVE_DEV_CTRL);

	config_set(card, NV_XVE_DEV_CTRL, word | REG_VAL(
		NV_XVE_DEV_CTRL_STAT_RECEIVED_MASTER_ABORT, 1));
}

/* Format 1 has no room for a process's addresses [§12.4]. */
static bool has_ats(const struct card *card)
{
	return card->additions && card->chip->pascal;
}

static void config_additions(struct card *card)
{
	uint32_t last = config_get(card, NV_XVE_SECONDARY_PCIE_HDR);

	config_set(card, NV_XVE_SECONDARY_PCIE_HDR, last | ADDITION_CAP);
	config_set(card, NV_XVE_ADDITION_HDR, 0x0001000b |
		   (has_ats(card) ? ATS_CAP : 0));
	config_set(card, NV_XVE_ADDITION_HDR1,
		   REG_VAL(NV_XVE_ADDITION_HDR1_ID, 0x0d0b) |
		   REG_VAL(NV_XVE_ADDITION_HDR1_REVISION, 1) |
		   REG_VAL(NV_XVE_ADDITION_HDR1_LENGTH, 16));
	config_set(card, NV_XVE_ADDITION_BASE, NV_ADDITION_ID);
	config_set(card, NV_XVE_ADDITION_FEATURES,
		   *card_reg(card, NV_ADDITION_FEATURES));
	if (!has_ats(card))
		return;
	config_set(card, NV_XVE_ATS_HDR, 0x0001000f);
	config_set(card, NV_XVE_ATS_CTRL,
		   REG_VAL(NV_XVE_ATS_CTRL_PAGE_ALIGNED, 1));
}

int pci_init(struct card *card)
{
	(void)card;
	return 0;
}

void pci_reset(struct card *card)
{
	memset(card->config_space, 0, sizeof(card->config_space));
	for (size_t i = 0; i < array_size(config_regs); i++) {
		if (config_regs[i].chips & card->chip->chips)
			config_set(card, config_regs[i].offset,
				   config_regs[i].reset);
	}
	config_set(card, NV_XVE_ID,
		   REG_VAL(NV_XVE_ID_VENDOR, NV_XVE_ID_VENDOR_NVIDIA) |
		   REG_SET(NV_XVE_ID_DEVICE, card->chip->device_id));
	config_set(card, NV_XVE_SUBSYSTEM,
		   REG_VAL(NV_XVE_SUBSYSTEM_VENDOR_ID,
			   NV_XVE_ID_VENDOR_NVIDIA) |
		   REG_SET(NV_XVE_SUBSYSTEM_ID, card->chip->subsystem_id));
	if (card->additions)
		config_additions(card);
	pmc_msi_changed(card);
}

uint32_t pci_read(struct card *card, uint32_t offset, unsigned int size)
{
	uint32_t word = config_get(card, offset);

	if ((offset & ~3u) == NV_XVE_DEV_CTRL && card->intr_out)
		word |= REG_VAL(NV_XVE_DEV_CTRL_STAT_INTERRUPT, 1);
	word >>= 8 * (offset & 3);
	return size == 4 ? word : word & ((1u << (8 * size)) - 1);
}

/* Bits of a base register that hold an address: the size's bits do not. */
static uint32_t base_bits(const struct card *card, uint32_t offset)
{
	uint64_t bar1 = ~(card_region_size(card, CARD_BAR1) - 1);
	uint64_t bar3 = ~(card_region_size(card, CARD_BAR3) - 1);

	switch (offset) {
	case NV_XVE_BAR0:
		return ~(card_region_size(card, CARD_BAR0) - 1);
	case NV_XVE_BAR1_LO:
		return bar1;
	case NV_XVE_BAR1_HI:
		return bar1 >> 32;
	case NV_XVE_BAR2_LO:
		return bar3;
	case NV_XVE_BAR2_HI:
		return bar3 >> 32;
	}
	return 0;
}

/* `lanes` are the bytes that the access carries. */
static void config_merge(struct card *card, uint32_t offset, uint32_t value,
			 uint32_t lanes)
{
	uint32_t word = config_get(card, offset);
	uint32_t writes = base_bits(card, offset), clears = 0;

	for (size_t i = 0; i < array_size(config_bits); i++) {
		if (config_bits[i].offset == offset) {
			writes = config_bits[i].writes;
			clears = config_bits[i].clears;
		}
	}
	if (offset == NV_XVE_ATS_CTRL && has_ats(card))
		writes = REG_FIELD_MASK(NV_XVE_ATS_CTRL_STU) |
			REG_FIELD_MASK(NV_XVE_ATS_CTRL_ENABLE);
	writes &= lanes;
	clears &= lanes;
	config_set(card, offset,
		   (word & ~writes & ~(clears & value)) | (value & writes));
}

/* ENABLE stays off where the function ignores it. */
static void ats_written(struct card *card, uint32_t old)
{
	uint32_t word = config_get(card, NV_XVE_ATS_CTRL);
	bool on = ats_capability(card, REG_GET(NV_XVE_ATS_CTRL_ENABLE, old),
			     REG_GET(NV_XVE_ATS_CTRL_ENABLE, word));

	config_set(card, NV_XVE_ATS_CTRL,
		   (word & ~REG_FIELD_MASK(NV_XVE_ATS_CTRL_ENABLE)) |
		   REG_SET(NV_XVE_ATS_CTRL_ENABLE, on));
}

/* Only the mirror re-arms: the CPU's own configuration write does not. */
static bool is_rearm(const struct card *card, uint32_t offset,
		     unsigned int size, uint32_t value)
{
	if (card->chip->pascal)
		return (offset & ~3u) == NV_XVE_CYA_2;
	return offset == NV_XVE_MSI_CTRL && size == 1 && value == 0xff;
}

void pci_write(struct card *card, uint32_t offset, unsigned int size,
	       uint32_t value, bool mirror)
{
	uint32_t lanes = size == 4 ? ~0u : (1u << (8 * size)) - 1;
	unsigned int shift = 8 * (offset & 3);
	uint32_t old = config_get(card, offset);

	if (mirror && is_rearm(card, offset, size, value)) {
		pmc_msi_rearm(card);
		return;
	}
	config_merge(card, offset & 0xffc, value << shift, lanes << shift);
	if ((offset & 0xffc) == NV_XVE_DEV_CTRL ||
	    (offset & 0xffc) == NV_XVE_MSI_CTRL)
		pmc_msi_changed(card);
	if ((offset & 0xffc) == NV_XVE_ATS_CTRL && has_ats(card))
		ats_written(card, old);
}
