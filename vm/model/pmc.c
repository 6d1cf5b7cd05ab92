/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * PMC: unit enables [§5.1], the interrupt tree [§5.2], and how an interrupt
 * leaves the card [§3.3].
 *
 * A unit raises a level in one of two trees.  Maxwell has one switch a tree
 * and a mask beside it; Pascal has a set and a clear register over one mask.
 * What passes makes one wire.  With MSI on, a rising edge of the wire sends
 * one message and disarms; until the driver re-arms, nothing more is sent,
 * however often the wire rises.  Without MSI the wire is INTx, a level.
 */
#include "vm/model/host.h"

#define PATIENCE	1000000		/* ns that a driver may take */

/* Units that are there besides the engines that PTOP lists. */
#define UNITS	(REG_FIELD_MASK(NV_PMC_ENABLE_XBAR) | \
		 REG_FIELD_MASK(NV_PMC_ENABLE_L2) | \
		 REG_FIELD_MASK(NV_PMC_ENABLE_PRIV_RING) | \
		 REG_FIELD_MASK(NV_PMC_ENABLE_PFIFO) | \
		 REG_FIELD_MASK(NV_PMC_ENABLE_PWR) | \
		 REG_FIELD_MASK(NV_PMC_ENABLE_PFB) | \
		 REG_FIELD_MASK(NV_PMC_ENABLE_BLG) | \
		 REG_FIELD_MASK(NV_PMC_ENABLE_PERFMON) | \
		 REG_FIELD_MASK(NV_PMC_ENABLE_HUB))

static uint32_t unit_bits(const struct card *card)
{
	uint32_t bits = UNITS;

	for (unsigned int i = 0; i < card->chip->engines; i++)
		bits |= 1u << card->chip->engine[i].reset;
	return bits;
}

bool pmc_enabled(const struct card *card, uint32_t bits)
{
	uint32_t on = *card_reg((struct card *)card, NV_PMC_ENABLE);

	return (on & bits) == bits;
}

/* Asked at every access to memory, so it is kept. */
static void vram_update(struct card *card)
{
	card->vram_usable = !card->config.unposted &&
		pmc_enabled(card, REG_FIELD_MASK(NV_PMC_ENABLE_XBAR) |
				  REG_FIELD_MASK(NV_PMC_ENABLE_L2) |
				  REG_FIELD_MASK(NV_PMC_ENABLE_PFB) |
				  REG_FIELD_MASK(NV_PMC_ENABLE_HUB));
}

static bool msi_is_on(struct card *card)
{
	return REG_GET(NV_XVE_MSI_CTRL_MSI,
		       pci_read(card, NV_XVE_MSI_CTRL, 4));
}

static bool intx_is_on(struct card *card)
{
	return !msi_is_on(card) &&
		!REG_GET(NV_XVE_DEV_CTRL_CMD_INTERRUPT_DISABLE,
			 pci_read(card, NV_XVE_DEV_CTRL, 4));
}

static void send_msi(struct card *card)
{
	if (!card->msi_armed || !msi_is_on(card) || !pci_bus_master(card))
		return;
	card->msi_armed = false;
	card->msi_since = card->now;
	card_trace(card, EV_MSI, CARD_NO_CHANNEL, 0, 0, 0, 0);
	card_timer_set(card, &card->msi, card->now + card->costs.interrupt);
}

/* An interrupt has reached the CPU: a message, or the level of INTx. */
static void interrupt_arrives(struct card *card, void *arg)
{
	bool level = card->intr_out && intx_is_on(card);

	(void)arg;
	if (!card->ops.interrupt)
		return;
	if (msi_is_on(card)) {
		card->ops.interrupt(card->host_machine, true);
		return;
	}
	if (level != card->intx_level) {
		card->intx_level = level;
		card->ops.interrupt(card->host_machine, level);
	}
}

static void intx_changed(struct card *card)
{
	bool level = card->intr_out && intx_is_on(card);

	if (level != card->intx_level && !card_timer_armed(&card->msi))
		card_timer_set(card, &card->msi,
			       card->now + card->costs.interrupt);
}

static uint32_t tree_mask(struct card *card, unsigned int tree)
{
	if (card->chip->pascal)
		return *card_reg(card, NV_PMC_GP100_INTR_EN + 4 * tree);
	if (!REG_GET(NV_PMC_INTR_EN_INTA,
		     *card_reg(card, NV_PMC_INTR_EN + 4 * tree)))
		return 0;
	return *card_reg(card, NV_PMC_INTR_MSK + 4 * tree);
}

/* Something about the wire may have changed. */
static void wire_update(struct card *card)
{
	bool out = false;

	for (unsigned int tree = 0; tree < INTR_TREES; tree++)
		out |= card->intr[tree] & tree_mask(card, tree);
	if (out != card->intr_out) {
		card->intr_out = out;
		card->intr_since = card->now;
		if (out)
			send_msi(card);
	}
	intx_changed(card);
}

void card_intr(struct card *card, unsigned int tree, unsigned int bit,
	       bool level)
{
	uint32_t old = card->intr[tree];

	if (level)
		card->intr[tree] |= 1u << bit;
	else
		card->intr[tree] &= ~(1u << bit);
	if (card->intr[tree] == old)
		return;
	if (level)
		card_trace(card, EV_INTR, CARD_NO_CHANNEL, bit,
			   card->intr[tree], tree, 0);
	wire_update(card);
}

void pmc_msi_rearm(struct card *card)
{
	card->msi_armed = true;
	if (card->intr_out)
		send_msi(card);
}

void pmc_msi_changed(struct card *card)
{
	if (card->intr_out)
		send_msi(card);
	intx_changed(card);
}

/* The monitors of interrupts [§5.2]: what was left, when all is quiet. */

static bool long_ago(const struct card *card, uint64_t since)
{
	return card->now - since > PATIENCE;
}

/* Host's non-stalling interrupt is pending; does anybody hear of it? */
static bool nonstall_heard(struct card *card)
{
	static const uint32_t enable[INTR_TREES] = {
		NV_PFIFO_INTR_EN_0, NV_PFIFO_INTR_EN_1,
	};

	for (unsigned int tree = 0; tree < INTR_TREES; tree++) {
		if (REG_GET(NV_PFIFO_INTR_0_CHANNEL_INTR,
			    *card_reg(card, enable[tree])) &&
		    REG_GET(NV_PMC_INTR_PFIFO, tree_mask(card, tree)))
			return true;
	}
	return false;
}

void pmc_audit(struct card *card)
{
	const struct host *host = card->host;

	if (card->unplugged || !msi_is_on(card))
		return;
	if (card->intr_out && long_ago(card, card->intr_since) &&
	    long_ago(card, card->intr_read))
		card_report(card, RULE_INTR_UNACKNOWLEDGED, CARD_NO_CHANNEL,
			    "an interrupt that is served, or masked|"
			    "NV_PMC_INTR is 0x%08x, 0x%08x, enabled, and "
			    "nobody looks", card->intr[0], card->intr[1]);
	else if (!card->msi_armed && !card_timer_armed(&card->msi) &&
		 long_ago(card, card->msi_since))
		card_report(card, RULE_MSI_NOT_REARMED, CARD_NO_CHANNEL,
			    "a re-arm after each message|the last message "
			    "left at %llu ns, and no other can",
			    (unsigned long long)card->msi_since);
	if (host->nonstall_used &&
	    REG_GET(NV_PFIFO_INTR_0_CHANNEL_INTR, host->intr_0) &&
	    long_ago(card, host->nonstall_since) && !nonstall_heard(card))
		card_report(card, RULE_INTR_MASKED_WAITER, CARD_NO_CHANNEL,
			    "CHANNEL_INTR enabled while channels raise it|"
			    "one raised it at %llu ns, and it is masked",
			    (unsigned long long)host->nonstall_since);
}

static uint32_t pmc_read(struct card *card, const struct reg_desc *reg,
			 unsigned int index, uint32_t stored)
{
	if (reg->offset == NV_PMC_INTR) {
		card->intr_read = card->now;
		return card->intr[index];
	}
	return stored;
}

/* A unit that goes off loses its work; one that comes on starts at reset. */
static void enable_write(struct card *card, uint32_t old)
{
	uint32_t *stored = card_reg(card, NV_PMC_ENABLE);
	uint32_t changed, rising;

	*stored &= unit_bits(card);
	vram_update(card);
	changed = *stored ^ old;
	rising = changed & *stored;
	for (uint32_t i = 0; i < card->block_count; i++) {
		const struct card_block *block = card->blocks[i];

		if (block->enable & rising)
			card_regs_reset(card, block->first, block->last);
		if (!block->reset)
			continue;
		if (block->enable & changed & old)
			block->reset(card, block->enable & changed & old,
				     false);
		if (block->enable & rising)
			block->reset(card, block->enable & rising, true);
	}
	for (unsigned int i = 0; i < card->chip->engines; i++) {
		const struct chip_engine *engine = &card->chip->engine[i];

		if (changed & old & 1u << engine->reset &&
		    engine->type != NV_PTOP_DEVICE_INFO_TYPE_ENUM_GRAPHICS)
			ce_reset(card, engine->instance);
	}
}

static void pmc_write(struct card *card, const struct reg_desc *reg,
		      unsigned int index, uint32_t value, uint32_t old)
{
	uint32_t *mask;

	switch (reg->offset) {
	case NV_PMC_ENABLE:
		enable_write(card, old);
		break;
	case NV_PMC_ENABLE_PB:
		*card_reg(card, NV_PMC_ENABLE_PB) &=
			(1u << card->chip->pbdmas) - 1;
		break;
	case NV_PMC_INTR_EN_SET:
	case NV_PMC_INTR_EN_CLEAR:
		mask = card_reg(card, NV_PMC_GP100_INTR_EN + 4 * index);
		if (reg->offset == NV_PMC_INTR_EN_SET)
			*mask |= value;
		else
			*mask &= ~value;
		wire_update(card);
		break;
	case NV_PMC_INTR_SW:
		card_intr(card, index, REG_FIELD_LO(NV_PMC_INTR_SW_ANY),
			  value);
		break;
	case NV_PMC_INTR_EN:
	case NV_PMC_INTR_MSK:
		wire_update(card);
		break;
	}
}

static const struct card_block pmc_block = {
	.name = "PMC", .first = 0x000000, .last = 0x000fff,
	.read = pmc_read, .write = pmc_write,
};

int pmc_init(struct card *card)
{
	card_timer_init(&card->msi, interrupt_arrives, NULL);
	return card_block_add(card, &pmc_block);
}

void pmc_reset(struct card *card)
{
	uint32_t boot = card->chip->boot_0;

	*card_reg(card, NV_PMC_BOOT_0) = boot;
	*card_reg(card, NV_PMC_BOOT_42) =
		(boot & 0x1ff00000) |
		REG_SET(NV_PMC_BOOT_42_MAJOR_REVISION,
			REG_GET(NV_PMC_BOOT_0_MAJOR_REVISION, boot)) |
		REG_SET(NV_PMC_BOOT_42_MINOR_REVISION,
			REG_GET(NV_PMC_BOOT_0_MINOR_REVISION, boot));
	vram_update(card);
	memset(card->intr, 0, sizeof(card->intr));
	card->intr_out = false;
	card->intx_level = false;
	card->msi_armed = true;
}
