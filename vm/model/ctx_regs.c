/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The registers of GR_CTX_SWITCH [§12.3]: what is staged, what is asked for,
 * and what is refused because the unit is at work.
 */
#include <stdlib.h>

#include "vm/model/ctx.h"

static const struct mem_who unit = { CARD_DMA_INSTANCE, CARD_NO_CHANNEL };

static uint64_t wide(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

static bool has(const struct ctx *ctx, bool work)
{
	for (uint32_t i = 0; i < ctx->count; i++) {
		if (ctx->queue[(ctx->head + i) % CTX_QUEUE].is_work == work)
			return true;
	}
	return false;
}

static void kick(struct card *card)
{
	struct ctx *ctx = card->ctx;

	if (!card_timer_armed(&ctx->timer))
		card_timer_set(card, &ctx->timer, card->now);
}

static bool stopped(const struct card *card)
{
	return *card_reg((struct card *)card, GR_CTX_SWITCH_FAULT);
}

static void capture(struct card *card, struct ctx_item *item)
{
	static const uint32_t from[] = {
		[CTX_PDB_LO] = GR_CTX_SWITCH_PDB_LO,
		[CTX_PDB_HI] = GR_CTX_SWITCH_PDB_HI,
		[CTX_LIMIT_LO] = GR_CTX_SWITCH_LIMIT_LO,
		[CTX_LIMIT_HI] = GR_CTX_SWITCH_LIMIT_HI,
		[CTX_TAG] = GR_CTX_SWITCH_TAG,
		[CTX_WORK_LO] = GR_CTX_SWITCH_WORK_LO,
		[CTX_WORK_HI] = GR_CTX_SWITCH_WORK_HI,
		[CTX_WORK_DATA] = GR_CTX_SWITCH_WORK_DATA,
	};

	for (size_t i = 0; i < array_size(from); i++) {
		if (from[i])
			item->word[i] = *card_reg(card, from[i]);
	}
}

static void command_write(struct card *card, uint32_t value)
{
	struct ctx *ctx = card->ctx;
	struct ctx_item item = { .is_work = false };

	if (stopped(card))
		return;
	capture(card, &item);
	item.word[CTX_COMMAND] = value;
	if (ctx->count && !REG_GET(GR_CTX_SWITCH_WAIT_IDLE, value)) {
		card_report(card, RULE_CTX_BUSY, CARD_NO_CHANNEL,
			    "an idle engine, or WAIT_IDLE|command 0x%08x with "
			    "%u pages of work to do", value, ctx->left);
		ctx_command(card, &item);
		return;
	}
	if (ctx->count == CTX_QUEUE) {
		card_report(card, RULE_CTX_WORK_BUSY, CARD_NO_CHANNEL,
			    "room in the queue of %u|command 0x%08x is lost",
			    CTX_QUEUE, value);
		return;
	}
	ctx->queue[(ctx->head + ctx->count++) % CTX_QUEUE] = item;
	kick(card);
}

static void work_write(struct card *card, uint32_t value)
{
	struct ctx *ctx = card->ctx;
	struct ctx_item item = { .is_work = true };

	if (stopped(card) || !REG_GET(GR_CTX_SWITCH_WORK_PAGES, value))
		return;
	if (has(ctx, true) || ctx->blocks || ctx->count == CTX_QUEUE) {
		card_report(card, RULE_CTX_WORK_BUSY, CARD_NO_CHANNEL,
			    "no other work|%u pages to do; this is lost",
			    ctx->left);
		return;
	}
	capture(card, &item);
	item.word[CTX_WORK_PAGES] = value;
	ctx->queue[(ctx->head + ctx->count++) % CTX_QUEUE] = item;
	kick(card);
}

static void batch_write(struct card *card, uint32_t value)
{
	struct ctx *ctx = card->ctx;
	uint32_t blocks = REG_GET(GR_CTX_SWITCH_BATCH_BLOCKS, value);
	uint64_t from = wide(*card_reg(card, GR_CTX_SWITCH_BATCH_LO),
			     *card_reg(card, GR_CTX_SWITCH_BATCH_HI));

	if (stopped(card) || !blocks || blocks > CTX_BLOCKS)
		return;
	if (ctx->count || ctx->blocks) {
		card_report(card, RULE_CTX_WORK_BUSY, CARD_NO_CHANNEL,
			    "an idle unit|a batch while it works; it is lost");
		return;
	}
	if (card_mem_read(card, unit, MEM_SYS_COHERENT, from, ctx->block,
			  blocks * CTX_BLOCK_WORDS * 4))
		return;
	ctx->blocks = blocks;
	ctx->next = 0;
	card_timer_set(card, &ctx->timer, card->now + card->costs.gp_fetch);
}

static uint32_t status(const struct card *card)
{
	const struct ctx *ctx = card->ctx;
	uint32_t dirty = ctx->space.valid ?
		ctx_dirty_of(ctx, ctx->space.root) : 0;

	return REG_SET(GR_CTX_SWITCH_STATUS_WORK, has(ctx, true)) |
		REG_SET(GR_CTX_SWITCH_STATUS_SWITCH, has(ctx, false)) |
		REG_SET(GR_CTX_SWITCH_STATUS_BATCH, ctx->blocks != 0) |
		REG_SET(GR_CTX_SWITCH_STATUS_VALID, ctx->space.valid) |
		REG_SET(GR_CTX_SWITCH_STATUS_DIRTY, dirty);
}

static uint32_t ctx_read(struct card *card, const struct reg_desc *reg,
			 unsigned int index, uint32_t stored)
{
	(void)index;
	if (reg->offset == GR_CTX_SWITCH_STATUS)
		return status(card);
	if (reg->offset == FB_TLB_CTRL)
		return (stored & ~REG_FIELD_MASK(FB_TLB_CTRL_ATS_STATE)) |
			REG_SET(FB_TLB_CTRL_ATS_STATE, card->ctx->ats_state);
	return stored;
}

static void ctx_write(struct card *card, const struct reg_desc *reg,
		      unsigned int index, uint32_t value, uint32_t old)
{
	(void)index;
	switch (reg->offset) {
	case GR_CTX_SWITCH:
		command_write(card, value);
		break;
	case GR_CTX_SWITCH_WORK:
		work_write(card, value);
		break;
	case GR_CTX_SWITCH_BATCH:
		batch_write(card, value);
		break;
	case FB_TLB_CTRL:
		if (REG_GET(FB_TLB_CTRL_ATS, value ^ old))
			ats_ask(card, REG_GET(FB_TLB_CTRL_ATS, value));
		break;
	}
}

static const struct card_block ctx_block = {
	.name = "GR_CTX_SWITCH", .first = 0xf20000, .last = 0xf3ffff,
	.read = ctx_read, .write = ctx_write,
};

int ctx_init(struct card *card)
{
	if (!card->additions)
		return 0;
	card->ctx = calloc(1, sizeof(*card->ctx));
	if (!card->ctx)
		return -ENOMEM;
	card_timer_init(&card->ctx->timer, ctx_step, NULL);
	return card_block_add(card, &ctx_block);
}

void ctx_fini(struct card *card)
{
	free(card->ctx);
}

void ctx_reset(struct card *card)
{
	struct ctx *ctx = card->ctx;

	if (!ctx)
		return;
	ctx_drop(card);
	ctx_tlb_flush(ctx);
	ctx->dirty_count = 0;
	ctx->space = (struct mem_space){ 0 };
	ctx->ats_state = FB_TLB_CTRL_ATS_STATE_OFF;
	if (!card->chip->pascal)
		*card_reg(card, NV_ADDITION_FEATURES) &=
			~REG_FIELD_MASK(NV_ADDITION_FEATURES_ATS);
}

void ctx_unplug(struct card *card)
{
	if (card->ctx)
		ctx_drop(card);
}

uint32_t card_dirty_pages(const struct card *card, uint64_t root)
{
	if (!card->ctx)
		return 0;
	return root == ~0ull ? card->ctx->dirty_count :
		ctx_dirty_of(card->ctx, root);
}

bool card_current_context(const struct card *card, uint64_t *root)
{
	if (!card->ctx || !card->ctx->space.valid)
		return false;
	*root = card->ctx->space.root;
	return true;
}
