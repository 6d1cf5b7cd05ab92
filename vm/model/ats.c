/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Address translation services, a course addition [§12.4].
 *
 * With ATS the addresses in system-memory entries are the process's own; the
 * card asks the IOMMU where they are before it uses one.  No card of this
 * series has it.  The order in which it is switched on is the seed's, in
 * PCI's terms, and each wrong one ends differently:
 *
 *   tables, FB_TLB_CTRL, the capability, bus mastering.
 */
#include "vm/model/ctx.h"

static void wrong_order(struct card *card, const char *should,
			const char *was)
{
	card_report(card, RULE_ATS_ORDER, CARD_NO_CHANNEL, "%s|%s", should,
		    was);
}

void ats_ask(struct card *card, bool on)
{
	struct ctx *ctx = card->ctx;

	if (!on) {
		ctx->ats_state = FB_TLB_CTRL_ATS_STATE_OFF;
		return;
	}
	if (!ctx->space.valid) {
		wrong_order(card, "a context with page tables first",
			    "FB_TLB_CTRL asks for ATS, no context is loaded");
		ctx->ats_state = FB_TLB_CTRL_ATS_STATE_NO_TABLES;
		return;
	}
	ctx->ats_state = FB_TLB_CTRL_ATS_STATE_WAITING;
}

/*
 * ENABLE of the capability is written.  Returns what it is from then on: a
 * function that may already master the bus ignores it.  The unit hears of it
 * by the change alone.
 */
bool ats_capability(struct card *card, bool was, bool on)
{
	struct ctx *ctx = card->ctx;

	if (!on) {
		if (ctx->ats_state == FB_TLB_CTRL_ATS_STATE_ACTIVE)
			ctx->ats_state = FB_TLB_CTRL_ATS_STATE_WAITING;
		return false;
	}
	if (was)
		return true;
	if (pci_bus_master(card)) {
		wrong_order(card, "the capability before bus mastering",
			    "it is enabled on a function that masters the "
			    "bus; that is ignored");
		return false;
	}
	if (ctx->ats_state == FB_TLB_CTRL_ATS_STATE_WAITING)
		ctx->ats_state = FB_TLB_CTRL_ATS_STATE_ACTIVE;
	else
		wrong_order(card, "FB_TLB_CTRL before the capability",
			    "it is enabled and no unit has asked for it");
	return true;
}

int ats_translate(struct card *card, uint64_t addr, uint64_t *translated,
		  uint64_t *cost)
{
	uint64_t page = addr & ~(uint64_t)(CARD_PAGE - 1), to = page;

	/* Not active: the address goes out as it is. */
	if (card->ctx->ats_state != FB_TLB_CTRL_ATS_STATE_ACTIVE) {
		*translated = addr;
		return 0;
	}
	*cost += card->costs.ats;
	if (!card->ops.ats || !card_may_dma(card) ||
	    card->ops.ats(card->host_machine, page, &to))
		return -EFAULT;
	card_trace(card, EV_ATS, CARD_NO_CHANNEL, page, to, 0, 0);
	*translated = to | (addr - page);
	return 0;
}
