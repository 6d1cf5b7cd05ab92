/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GR_CTX_SWITCH, a course addition [§12.3]: a unit whose context the driver
 * switches by hand.
 *
 * On the documented card Host does that, from a channel's instance block.
 * Here it is in the open, with what makes it dear: an engine that may still
 * be at work, pages that are written and not yet in memory, and a TLB that
 * remembers another context's translations.  None of it is taken care of
 * unless the command says so; whoever forgets one finds the other context's
 * pages changed, and a monitor tells.
 *
 * Commands and work form one short queue and are done in order.  A command
 * without WAIT_IDLE does not queue: it acts at once, in the middle of
 * whatever goes on.
 */
#include "vm/model/ctx.h"

static uint64_t wide(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static struct ctx_item *first(struct ctx *ctx)
{
	return &ctx->queue[ctx->head % CTX_QUEUE];
}

/* Faults and resets: nothing is left to do. */
void ctx_drop(struct card *card)
{
	struct ctx *ctx = card->ctx;

	ctx->count = 0;
	ctx->left = 0;
	ctx->done = 0;
	ctx->blocks = 0;
	ctx->switching = false;
	card_timer_cancel(card, &ctx->timer);
}

const struct mem_space *ctx_space_at_work(const struct card *card)
{
	const struct ctx *ctx = card->ctx;

	if (!ctx || !ctx->space.valid || !(ctx->count || ctx->blocks))
		return NULL;
	return &ctx->space;
}

static void fault(struct card *card, const struct mem_fault *fault)
{
	*card_reg(card, GR_CTX_SWITCH_FAULT) |=
		REG_VAL(GR_CTX_SWITCH_FAULT_PENDING, 1);
	*card_reg(card, GR_CTX_SWITCH_FAULT_INFO) = fault->type;
	*card_reg(card, GR_CTX_SWITCH_FAULT_LO) = fault->va;
	*card_reg(card, GR_CTX_SWITCH_FAULT_HI) = fault->va >> 32;
	card_trace(card, EV_FAULT, CARD_NO_CHANNEL, fault->va, fault->type,
		   fault->write, ~0u);
	card_report(card, fault->type == FAULT_READ_ONLY ?
		    RULE_MMU_READ_ONLY : RULE_MMU_FAULT, CARD_NO_CHANNEL,
		    "an address that the current context may write|"
		    "0x%llx, fault type %u",
		    (unsigned long long)fault->va, fault->type);
	ctx_drop(card);
}

static void load(struct card *card, const struct ctx_item *item)
{
	struct ctx *ctx = card->ctx;
	const uint32_t *word = item->word;
	uint64_t root = ctx->space.root;
	uint32_t left = ctx->space.valid ? ctx_dirty_of(ctx, root) : 0;

	card_space_decode(card, word, &ctx->space);
	ctx->tag = REG_GET(GR_CTX_SWITCH_TAG_ID, word[CTX_TAG]);
	if (left && ctx->space.root != root)
		card_report(card, RULE_CTX_DIRTY, CARD_NO_CHANNEL,
			    "page directory 0x%llx cleaned before 0x%llx "
			    "is loaded|%u dirty pages",
			    (unsigned long long)root,
			    (unsigned long long)ctx->space.root, left);
}

/* What a command does when its time has come. */
void ctx_command(struct card *card, const struct ctx_item *item)
{
	struct ctx *ctx = card->ctx;
	uint32_t what = item->word[CTX_COMMAND];

	card_trace(card, EV_CTX_SWITCH, CARD_NO_CHANNEL,
		   wide(item->word[CTX_PDB_LO], item->word[CTX_PDB_HI]),
		   item->word[CTX_TAG], what, 0);
	if (REG_GET(GR_CTX_SWITCH_CLEAN, what) && ctx->space.valid)
		ctx_clean(card, ctx->space.root);
	if (REG_GET(GR_CTX_SWITCH_FLUSH, what))
		ctx_tlb_flush(ctx);
	if (REG_GET(GR_CTX_SWITCH_FLUSH_TAG, what))
		ctx_tlb_flush_tag(ctx, item->word[CTX_TAG]);
	if (REG_GET(GR_CTX_SWITCH_LOAD, what))
		load(card, item);
}

static uint64_t command_cost(const struct card *card,
			     const struct ctx_item *item)
{
	const struct ctx *ctx = card->ctx;
	const struct card_costs *costs = &card->costs;
	uint32_t what = item->word[CTX_COMMAND];
	uint64_t cost = costs->ctx_switch;

	if (REG_GET(GR_CTX_SWITCH_FLUSH, what) ||
	    REG_GET(GR_CTX_SWITCH_FLUSH_TAG, what))
		cost += costs->flush;
	if (REG_GET(GR_CTX_SWITCH_CLEAN, what) && ctx->space.valid)
		cost += (uint64_t)costs->ctx_page *
			ctx_dirty_of(ctx, ctx->space.root);
	return cost;
}

static void work_begin(struct card *card, const struct ctx_item *item)
{
	struct ctx *ctx = card->ctx;

	ctx->va = wide(item->word[CTX_WORK_LO], item->word[CTX_WORK_HI]);
	ctx->data = item->word[CTX_WORK_DATA];
	ctx->left = REG_GET(GR_CTX_SWITCH_WORK_PAGES,
			    item->word[CTX_WORK_PAGES]);
	ctx->done = 0;
	ctx->walks = 0;
	card_trace(card, EV_CTX_WORK, CARD_NO_CHANNEL, ctx->va, ctx->left,
		   ctx->data, 0);
}

/* One page; false: the unit has stopped. */
static bool work_page(struct card *card, uint64_t *cost)
{
	struct ctx *ctx = card->ctx;
	struct mem_place place;
	struct mem_fault why;
	uint64_t walk = 0;

	if (ctx_translate(card, ctx->va, &place, &walk, &why)) {
		fault(card, &why);
		return false;
	}
	ctx_dirty_add(card, ctx->va, &place, ctx->data);
	ctx->walks += walk != 0;
	ctx->done++;
	ctx->va += CARD_PAGE;
	ctx->left--;
	*cost = card->costs.ctx_page + walk;
	return true;
}

/* The block after next, as a command and as work. */
static void take_block(struct ctx *ctx)
{
	struct ctx_item item = { .is_work = false };
	bool work;

	memcpy(item.word, &ctx->block[ctx->next++ * CTX_BLOCK_WORDS],
	       sizeof(item.word));
	work = REG_GET(GR_CTX_SWITCH_WORK_PAGES, item.word[CTX_WORK_PAGES]);
	if (item.word[CTX_COMMAND])
		ctx->queue[(ctx->head + ctx->count++) % CTX_QUEUE] = item;
	item.is_work = true;
	if (work)
		ctx->queue[(ctx->head + ctx->count++) % CTX_QUEUE] = item;
	if (ctx->next == ctx->blocks)
		ctx->blocks = 0;
}

static void done(struct ctx *ctx)
{
	ctx->head++;
	ctx->count--;
	ctx->switching = false;
}

/* Finish what the timer was set for; begin what is next. */
void ctx_step(struct card *card, void *arg)
{
	struct ctx *ctx = card->ctx;
	uint64_t cost = 0;

	(void)arg;
	if (ctx->count && ctx->switching) {
		struct ctx_item item = *first(ctx);

		done(ctx);
		ctx_command(card, &item);
	} else if (ctx->count && first(ctx)->is_work && ctx->done &&
		   !ctx->left) {
		card_trace(card, EV_CTX_DONE, CARD_NO_CHANNEL, 0, ctx->done,
			   ctx->walks, 0);
		ctx->done = 0;
		done(ctx);
	}
	while (!ctx->count && ctx->blocks)
		take_block(ctx);
	if (!ctx->count)
		return;

	if (first(ctx)->is_work) {
		if (!ctx->left)
			work_begin(card, first(ctx));
		if (!work_page(card, &cost))
			return;
	} else {
		ctx->switching = true;
		cost = command_cost(card, first(ctx));
	}
	card_timer_set(card, &ctx->timer, card->now + cost);
}
