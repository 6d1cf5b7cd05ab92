/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the unit of [§12.3] remembers: translations, and pages that are not in
 * memory yet.
 *
 * With tags an entry belongs to a tag, without to nobody: whichever context
 * is current gets it.  The card cannot know whose it was, as real hardware
 * cannot; the monitors here can, since they keep the page directory beside
 * each entry.
 */
#include "vm/model/ctx.h"

static const struct mem_who unit = { CARD_DMA_COPY, CARD_NO_CHANNEL };

void ctx_tlb_flush(struct ctx *ctx)
{
	for (size_t i = 0; i < CTX_TLB; i++)
		ctx->tlb[i].valid = false;
}

void ctx_tlb_flush_tag(struct ctx *ctx, uint16_t tag)
{
	for (size_t i = 0; i < CTX_TLB; i++) {
		if (ctx->tlb[i].tag == tag)
			ctx->tlb[i].valid = false;
	}
}

static bool tags(const struct card *card)
{
	return REG_GET(FB_TLB_CTRL_TAGS,
		       *card_reg((struct card *)card, FB_TLB_CTRL));
}

/* The ways that a page may lie in. */
static struct ctx_entry *set_of(const struct card *card, uint64_t page)
{
	struct ctx *ctx = card->ctx;
	uint64_t key = page << 10 | (tags(card) ? ctx->tag : 0);

	key = (key ^ key >> 29) * 0x9e3779b97f4a7c15ull;
	return &ctx->tlb[(key >> 40) % (CTX_TLB / CTX_WAYS) * CTX_WAYS];
}

static struct ctx_entry *find(const struct card *card, uint64_t page)
{
	struct ctx_entry *entry = set_of(card, page);

	for (size_t i = 0; i < CTX_WAYS; i++, entry++) {
		if (entry->valid && entry->page == page &&
		    (!tags(card) || entry->tag == card->ctx->tag))
			return entry;
	}
	return NULL;
}

/* An empty way, or one in turn. */
static struct ctx_entry *victim(struct card *card, uint64_t page)
{
	struct ctx_entry *set = set_of(card, page);

	for (size_t i = 0; i < CTX_WAYS; i++) {
		if (!set[i].valid)
			return &set[i];
	}
	return &set[card->ctx->victim++ % CTX_WAYS];
}

/* A hit that is another context's: what the driver left undone. */
static void report_foreign(struct card *card, const struct ctx_entry *entry)
{
	const struct ctx *ctx = card->ctx;

	card_report(card, tags(card) ? RULE_CTX_TAG_REUSED : RULE_CTX_FOREIGN,
		    CARD_NO_CHANNEL,
		    "a translation of page directory 0x%llx for 0x%llx|"
		    "one of page directory 0x%llx (tag %u)",
		    (unsigned long long)ctx->space.root,
		    (unsigned long long)(entry->page * CARD_PAGE),
		    (unsigned long long)entry->root, entry->tag);
}

/* Where the tables lead now; 0, or -EFAULT and the fault. */
static int walk(struct card *card, uint64_t va, struct mem_place *place,
		struct mem_fault *fault)
{
	struct ctx *ctx = card->ctx;
	enum mem_fault_type type = FAULT_PDE;
	struct walk steps;
	int err = -EFAULT;

	if (!ctx->space.valid)
		type = FAULT_UNBOUND_INST;
	else if (ctx->ats_state != FB_TLB_CTRL_ATS_STATE_NO_TABLES)
		err = mmu_look(card, &ctx->space, va, &steps, place, &type);
	if (!err && place->read_only)
		type = FAULT_READ_ONLY;
	else if (!err && place->privileged)
		type = FAULT_PRIVILEGE;
	else if (!err)
		return 0;
	*fault = (struct mem_fault){ .va = va, .type = type, .write = true };
	return -EFAULT;
}

/* An entry whose tables have changed, and that nobody flushed. */
static void check_stale(struct card *card, struct ctx_entry *entry,
			uint64_t va)
{
	struct mem_place now;
	struct mem_fault fault;
	int err;

	if (entry->checked == card->tables)
		return;
	entry->checked = card->tables;
	err = walk(card, va, &now, &fault);
	if (!err && now.addr == entry->table_addr &&
	    now.aperture == entry->place.aperture)
		return;
	card_report(card, RULE_TLB_STALE, CARD_NO_CHANNEL,
		    "a flush of the unit's TLB after the entry of 0x%llx "
		    "changed|its use as it was, 0x%llx",
		    (unsigned long long)va,
		    (unsigned long long)entry->table_addr);
}

/* System memory, where ATS is asked for. */
static bool by_ats(const struct ctx *ctx, const struct mem_place *place)
{
	return !place->sparse && place->aperture != MEM_VRAM &&
		ctx->ats_state != FB_TLB_CTRL_ATS_STATE_OFF;
}

static int fill(struct card *card, uint64_t va, struct mem_place *found,
		uint64_t *cost, struct mem_fault *fault)
{
	struct ctx *ctx = card->ctx;
	struct mem_place place = { 0 };
	uint64_t table_addr;
	int err = walk(card, va, &place, fault);

	if (err)
		return err;
	*cost = (ctx->space.format2 ? 5ull : 2ull) * card->costs.walk_level;
	table_addr = place.addr;
	if (by_ats(ctx, &place) &&
	    ats_translate(card, place.addr, &place.addr, cost)) {
		*fault = (struct mem_fault){
			.va = va, .type = FAULT_APERTURE, .write = true,
		};
		return -EFAULT;
	}
	*victim(card, va / CARD_PAGE) = (struct ctx_entry){
		.valid = true, .tag = ctx->tag, .page = va / CARD_PAGE,
		.root = ctx->space.root, .place = place,
		.table_addr = table_addr, .checked = card->tables,
	};
	*found = place;
	return 0;
}

int ctx_translate(struct card *card, uint64_t va, struct mem_place *place,
		  uint64_t *cost, struct mem_fault *fault)
{
	struct ctx_entry *entry = find(card, va / CARD_PAGE);

	if (!entry)
		return fill(card, va, place, cost, fault);
	if (entry->root == card->ctx->space.root)
		check_stale(card, entry, va);
	else
		report_foreign(card, entry);
	*place = entry->place;
	return 0;
}

static void write_back(struct card *card, const struct ctx_dirty *dirty)
{
	card_mem_write(card, unit, dirty->aperture, dirty->addr, &dirty->data,
		       sizeof(dirty->data));
}

void ctx_dirty_add(struct card *card, uint64_t va,
		   const struct mem_place *place, uint32_t data)
{
	struct ctx *ctx = card->ctx;
	struct ctx_dirty *dirty = ctx->dirty;
	uint64_t page = va / CARD_PAGE;

	if (place->sparse)
		return;
	while (dirty < ctx->dirty + ctx->dirty_count &&
	       (dirty->page != page || dirty->root != ctx->space.root))
		dirty++;
	if (dirty == ctx->dirty + CTX_DIRTY) {
		/* Full: the oldest goes. */
		write_back(card, ctx->dirty);
		memmove(ctx->dirty, ctx->dirty + 1,
			(CTX_DIRTY - 1) * sizeof(*dirty));
		dirty--;
	} else if (dirty == ctx->dirty + ctx->dirty_count) {
		ctx->dirty_count++;
	}
	*dirty = (struct ctx_dirty){
		.page = page, .root = ctx->space.root,
		.aperture = place->aperture, .addr = place->addr,
		.data = data,
	};
}

uint32_t ctx_clean(struct card *card, uint64_t root)
{
	struct ctx *ctx = card->ctx;
	uint32_t kept = 0, cleaned = 0;

	for (uint32_t i = 0; i < ctx->dirty_count; i++) {
		if (ctx->dirty[i].root != root) {
			ctx->dirty[kept++] = ctx->dirty[i];
			continue;
		}
		write_back(card, &ctx->dirty[i]);
		cleaned++;
	}
	ctx->dirty_count = kept;
	return cleaned;
}

uint32_t ctx_dirty_of(const struct ctx *ctx, uint64_t root)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < ctx->dirty_count; i++)
		count += ctx->dirty[i].root == root;
	return count;
}
