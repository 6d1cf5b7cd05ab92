/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GR_CTX_SWITCH: one unit, many address spaces [§12.3].
 *
 * We keep a book of what the unit believes: which page directory is current,
 * and which one each tag belongs to.  It is changed when a command is given,
 * and it is worth nothing when we cannot know whether commands were done:
 * then the unit forgets all, and the book begins anew.
 *
 * Tags are a cache of page directories, four ways of 256 sets: a hash says
 * the set, and in a set the one used least recently makes room.  So the tags
 * never run out, and a tag with a new owner is flushed in the command that
 * loads him.
 */
#include "ctx_switch.h"
#include "kmd.h"
#include "vm/spec/reg.h"

#define WAYS		4u
#define SET_BITS	8
#define TAGS		(WAYS << SET_BITS)
#define BLOCKS_MAX	1024u
#define BLOCK_WORDS	16u
#define BLOCK_BYTES	(4 * BLOCK_WORDS)
#define NOBODY		(~0ULL)

#define UNIT_BUSY \
	(REG_FIELD_MASK(GR_CTX_SWITCH_STATUS_WORK) | \
	 REG_FIELD_MASK(GR_CTX_SWITCH_STATUS_SWITCH) | \
	 REG_FIELD_MASK(GR_CTX_SWITCH_STATUS_BATCH))
/* What every command does first: with it none can come too early. */
#define CALM \
	(REG_VAL(GR_CTX_SWITCH_WAIT_IDLE, 1) | \
	 REG_VAL(GR_CTX_SWITCH_CLEAN, 1))
#define FORGET_ALL	REG_VAL(GR_CTX_SWITCH_FLUSH, 1)
#define FORGET_TAG	REG_VAL(GR_CTX_SWITCH_FLUSH_TAG, 1)

struct tag {
	u64 owner;		/* page directory, or NOBODY		*/
	u64 used;		/* when					*/
};

struct ctx_switch {
	struct gpu *gpu;
	struct mutex lock;	/* over the unit and all below		*/
	bool tagged;
	bool lost_track;	/* the unit must forget all		*/
	u64 loaded;		/* page directory, or NOBODY		*/
	u64 clock;
	struct tag tag[TAGS];
	struct gpu_mem blocks;
};

/* What makes a space current. */
struct load {
	u32 words[4];		/* as an instance block's		*/
	u32 tag;
	u32 command;		/* 0: it is current			*/
};

/* The book ------------------------------------------------------------- */

static struct tag *set_of(struct ctx_switch *unit, u64 root)
{
	u64 set = (root >> 12) * 0x9e3779b97f4a7c15ULL >> (64 - SET_BITS);

	return &unit->tag[set * WAYS];
}

static struct tag *tag_find(struct ctx_switch *unit, u64 root)
{
	struct tag *tag = set_of(unit, root);
	u32 i;

	for (i = 0; i < WAYS; i++)
		if (tag[i].owner == root)
			return &tag[i];
	return NULL;
}

static struct tag *tag_oldest(struct ctx_switch *unit, u64 root)
{
	struct tag *tag = set_of(unit, root), *oldest = tag;
	u32 i;

	for (i = 1; i < WAYS; i++)
		if (tag[i].used < oldest->used)
			oldest = &tag[i];
	return oldest;
}

/* Nobody is current and nobody has a tag: what is true after a flush. */
static void book_empty(struct ctx_switch *unit)
{
	u32 i;

	unit->loaded = NOBODY;
	for (i = 0; i < TAGS; i++)
		unit->tag[i] = (struct tag){ .owner = NOBODY };
}

/* How much the unit must forget before this space is loaded. */
static u32 forget_for(struct ctx_switch *unit, u64 root, u32 *number)
{
	struct tag *tag;
	u32 command = 0;

	*number = 0;
	if (unit->lost_track || !unit->tagged) {
		book_empty(unit);
		unit->lost_track = false;
		command = FORGET_ALL;
	}
	if (!unit->tagged)
		return command;
	tag = tag_find(unit, root);
	if (!tag) {
		tag = tag_oldest(unit, root);
		if (tag->owner != NOBODY)
			command |= FORGET_TAG;
		tag->owner = root;
	}
	tag->used = ++unit->clock;
	*number = tag - unit->tag;
	return command;
}

/* Decide, and write into the book as if it were done. */
static void load_decide(struct ctx_switch *unit, const struct vas *vas,
			struct load *load)
{
	u64 root = vas_root(vas);

	memset(load, 0, sizeof(*load));
	if (unit->loaded == root && !unit->lost_track)
		return;
	vas_instance(vas, load->words);
	load->command = CALM | REG_VAL(GR_CTX_SWITCH_LOAD, 1) |
			forget_for(unit, root, &load->tag);
	unit->loaded = root;
}

/* The unit ------------------------------------------------------------- */

/* Wait for the end of all; a fault has dropped what was left. */
static int settle(struct ctx_switch *unit)
{
	u32 pending = REG_VAL(GR_CTX_SWITCH_FAULT_PENDING, 1);
	int err = gpu_poll_clear(unit->gpu, GR_CTX_SWITCH_STATUS, UNIT_BUSY,
				 "GR_CTX_SWITCH");

	if (err) {
		unit->loaded = NOBODY;
		unit->lost_track = true;
		return err;
	}
	if (!(gpu_rd32(unit->gpu, GR_CTX_SWITCH_FAULT) & pending))
		return 0;
	gpu_wr32(unit->gpu, GR_CTX_SWITCH_FAULT, pending);
	unit->loaded = NOBODY;
	return -EFAULT;
}

static void give(struct ctx_switch *unit, u32 tag, u32 value)
{
	gpu_wr32(unit->gpu, GR_CTX_SWITCH_TAG,
		 REG_SET(GR_CTX_SWITCH_TAG_ID, tag));
	gpu_wr32(unit->gpu, GR_CTX_SWITCH, value);
}

static void switch_to(struct ctx_switch *unit, const struct vas *vas)
{
	struct load load;

	load_decide(unit, vas, &load);
	if (!load.command)
		return;
	gpu_wr32(unit->gpu, GR_CTX_SWITCH_PDB_LO, load.words[0]);
	gpu_wr32(unit->gpu, GR_CTX_SWITCH_PDB_HI, load.words[1]);
	gpu_wr32(unit->gpu, GR_CTX_SWITCH_LIMIT_LO, load.words[2]);
	gpu_wr32(unit->gpu, GR_CTX_SWITCH_LIMIT_HI, load.words[3]);
	give(unit, load.tag, load.command);
}

static bool work_is_good(const struct ctx_work *work)
{
	return work->vas && IS_ALIGNED(work->va, BIT_ULL(VAS_PAGE_4K)) &&
	       work->pages && work->pages <= CTX_SWITCH_PAGES_MAX;
}

/* The contract --------------------------------------------------------- */

int ctx_switch_load(struct ctx_switch *unit, struct vas *vas)
{
	int err;

	mutex_lock(&unit->lock);
	switch_to(unit, vas);
	err = settle(unit);
	mutex_unlock(&unit->lock);
	return err;
}

/* Load and work wait in one queue: both are given, then waited for. */
int ctx_switch_work(struct ctx_switch *unit, const struct ctx_work *work)
{
	struct gpu *gpu = unit->gpu;
	int err;

	if (!work_is_good(work))
		return -EINVAL;
	mutex_lock(&unit->lock);
	switch_to(unit, work->vas);
	gpu_wr32(gpu, GR_CTX_SWITCH_WORK_LO, lower_32_bits(work->va));
	gpu_wr32(gpu, GR_CTX_SWITCH_WORK_HI, upper_32_bits(work->va));
	gpu_wr32(gpu, GR_CTX_SWITCH_WORK_DATA, work->data);
	gpu_wr32(gpu, GR_CTX_SWITCH_WORK,
		 REG_SET(GR_CTX_SWITCH_WORK_PAGES, work->pages));
	err = settle(unit);
	mutex_unlock(&unit->lock);
	return err;
}

static void write_block(struct ctx_switch *unit, u32 index,
			const struct ctx_work *work)
{
	u32 block[BLOCK_WORDS] = { 0 };
	struct load load;

	load_decide(unit, work->vas, &load);
	memcpy(block, load.words, sizeof(load.words));
	block[4] = load.tag;
	block[5] = load.command;
	block[6] = lower_32_bits(work->va);
	block[7] = upper_32_bits(work->va);
	block[8] = work->data;
	block[9] = work->pages;
	iosys_map_memcpy_to(&unit->blocks.map, (u64)index * BLOCK_BYTES, block,
			    sizeof(block));
}

/* The blocks are published by the write of their number, a writel(). */
static int batch_locked(struct ctx_switch *unit, const struct ctx_work *work,
			u32 count)
{
	struct gpu *gpu = unit->gpu;
	u32 i;
	int err;

	for (i = 0; i < count; i++)
		write_block(unit, i, &work[i]);
	gpu_wr32(gpu, GR_CTX_SWITCH_BATCH_LO,
		 lower_32_bits(unit->blocks.phys));
	gpu_wr32(gpu, GR_CTX_SWITCH_BATCH_HI,
		 upper_32_bits(unit->blocks.phys));
	gpu_wr32(gpu, GR_CTX_SWITCH_BATCH,
		 REG_SET(GR_CTX_SWITCH_BATCH_BLOCKS, count));
	err = settle(unit);
	if (err)	/* which of the tags were flushed? */
		unit->lost_track = true;
	return err;
}

int ctx_switch_batch(struct ctx_switch *unit, const struct ctx_work *work,
		     u32 count)
{
	u32 i;
	int err;

	if (!work || !count || count > BLOCKS_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++)
		if (!work_is_good(&work[i]))
			return -EINVAL;
	mutex_lock(&unit->lock);
	err = batch_locked(unit, work, count);
	mutex_unlock(&unit->lock);
	return err;
}

int ctx_switch_clean(struct ctx_switch *unit)
{
	int err;

	mutex_lock(&unit->lock);
	give(unit, 0, CALM);
	err = settle(unit);
	mutex_unlock(&unit->lock);
	return err;
}

/*
 * What is current in the unit may be this space even if our book says nobody,
 * so the unit is cleaned in any case: its tables are still there.
 */
int ctx_switch_forget(struct ctx_switch *unit, struct vas *vas)
{
	u64 root = vas_root(vas);
	struct tag *tag;
	int err;

	mutex_lock(&unit->lock);
	tag = tag_find(unit, root);
	if (!unit->tagged || unit->lost_track)
		give(unit, 0, CALM | FORGET_ALL);
	else if (tag)
		give(unit, tag - unit->tag, CALM | FORGET_TAG);
	else
		give(unit, 0, CALM);
	if (tag)
		*tag = (struct tag){ .owner = NOBODY };
	if (unit->loaded == root)
		unit->loaded = NOBODY;
	err = settle(unit);
	mutex_unlock(&unit->lock);
	return err;
}

/* Whoever had the unit before has left nothing in it. */
static int unit_begin(struct ctx_switch *unit)
{
	u32 tags = REG_VAL(FB_TLB_CTRL_TAGS, 1);

	book_empty(unit);
	gpu_mask32(unit->gpu, FB_TLB_CTRL, tags, unit->tagged ? tags : 0);
	give(unit, 0, CALM | FORGET_ALL);
	return settle(unit);
}

int ctx_switch_create(struct gpu *gpu, u32 flags, struct ctx_switch **out)
{
	struct ctx_switch *unit;
	int err;

	if (flags & ~CTX_SWITCH_TAGS)
		return -EINVAL;
	if (!(gpu_additions(gpu) &
	      REG_FIELD_MASK(NV_ADDITION_FEATURES_CTX_SWITCH)))
		return -ENODEV;
	unit = kzalloc(sizeof(*unit), GFP_KERNEL);
	if (!unit)
		return -ENOMEM;
	unit->gpu = gpu;
	unit->tagged = flags & CTX_SWITCH_TAGS;
	err = gpu_mem_alloc(gpu, BLOCKS_MAX * BLOCK_BYTES, MEM_COHERENT,
			    &unit->blocks);
	if (err)
		goto free_unit;
	err = unit_begin(unit);
	if (err)
		goto free_blocks;
	mutex_init(&unit->lock);
	*out = unit;
	return 0;

free_blocks:
	gpu_mem_free(gpu, &unit->blocks);
free_unit:
	kfree(unit);
	return err;
}

void ctx_switch_destroy(struct ctx_switch *unit)
{
	if (!unit)
		return;
	give(unit, 0, CALM | FORGET_ALL);
	settle(unit);
	gpu_mask32(unit->gpu, FB_TLB_CTRL, REG_VAL(FB_TLB_CTRL_TAGS, 1), 0);
	gpu_mem_free(unit->gpu, &unit->blocks);
	mutex_destroy(&unit->lock);
	kfree(unit);
}
