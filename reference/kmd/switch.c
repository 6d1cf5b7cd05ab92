/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GR_CTX_SWITCH: one unit, many address spaces [§12.3].
 *
 * A switch costs what it makes the unit forget.  Without tags every switch
 * flushes the TLB, and the next work walks its page tables all over again.
 * With tags nothing is forgotten as long as a tag stays with its space.  A
 * space's tag is a hash of its page directory's address, so finding it needs
 * no list; two spaces that meet in one tag push each other out, which costs
 * a flush of that tag and is never wrong.
 *
 * Whoever changes a space's mappings says so by ctx_switch_forget(): the TLB
 * of this unit does not hear of the invalidations in [§6.5].
 */
#include "ctx_switch.h"
#include "kmd.h"
#include "vm/spec/reg.h"

#define TAG_BITS	10
#define TAGS		(1u << TAG_BITS)
#define BLOCKS_MAX	1024u
#define BLOCK_WORDS	16u
#define BLOCK_BYTES	(BLOCK_WORDS * 4)
#define NO_SPACE	0ULL	/* no page directory lies there */

#define BUSY \
	(REG_FIELD_MASK(GR_CTX_SWITCH_STATUS_WORK) | \
	 REG_FIELD_MASK(GR_CTX_SWITCH_STATUS_SWITCH) | \
	 REG_FIELD_MASK(GR_CTX_SWITCH_STATUS_BATCH))

struct ctx_switch {
	struct gpu *gpu;
	struct mutex lock;		/* over the unit and all below	*/
	bool tags;
	u64 current_root;		/* NO_SPACE: load before work	*/
	u64 owner[TAGS];		/* page directory of each tag	*/
	struct gpu_mem blocks;
};

static u32 tag_of(u64 root)
{
	return (root >> 12) * 0x9e3779b97f4a7c15ULL >> (64 - TAG_BITS);
}

/*
 * LAB 02: the command that makes this page directory current, and remember
 * that it is: 0 if it is so already; wait, clean and load; flush everything
 * without tags, or the tag alone if it was another's.
 */
static u32 make_current(struct ctx_switch *unit, u64 root)
{
	u32 tag = tag_of(root);
	u32 command = REG_VAL(GR_CTX_SWITCH_LOAD, 1) |
		REG_VAL(GR_CTX_SWITCH_WAIT_IDLE, 1) |
		REG_VAL(GR_CTX_SWITCH_CLEAN, 1);

	if (unit->current_root == root)
		return 0;
	unit->current_root = root;
	if (!unit->tags)
		return command | REG_VAL(GR_CTX_SWITCH_FLUSH, 1);
	if (unit->owner[tag] == root)
		return command;
	unit->owner[tag] = root;
	return command | REG_VAL(GR_CTX_SWITCH_FLUSH_TAG, 1);
}

/*
 * LAB 02: wait until the unit has nothing left to do.  A fault has dropped
 * its work: let it go on, and say -EFAULT.
 */
static int settle(struct ctx_switch *unit)
{
	struct gpu *gpu = unit->gpu;
	int err;

	err = gpu_poll_clear(gpu, GR_CTX_SWITCH_STATUS, BUSY,
			     "GR_CTX_SWITCH");
	if (err)
		return err;
	if (!gpu_rd32(gpu, GR_CTX_SWITCH_FAULT))
		return 0;
	gpu_wr32(gpu, GR_CTX_SWITCH_FAULT,
		 REG_VAL(GR_CTX_SWITCH_FAULT_PENDING, 1));
	/* Which commands were done, nobody knows, nor whose a tag is. */
	unit->current_root = NO_SPACE;
	memset(unit->owner, 0, sizeof(unit->owner));
	return -EFAULT;
}

/* LAB 02: is there such work? */
static bool work_is_valid(const struct ctx_work *work)
{
	return work->vas && work->va % 4096 == 0 && work->pages > 0 &&
		work->pages <= CTX_SWITCH_PAGES_MAX;
}

/* LAB 02: if the space is not current, stage its registers and say so. */
static void switch_to(struct ctx_switch *unit, struct vas *vas)
{
	struct gpu *gpu = unit->gpu;
	u64 root = vas_root(vas);
	u32 command = make_current(unit, root);
	u32 words[4];

	if (!command)
		return;
	vas_instance(vas, words);
	gpu_wr32(gpu, GR_CTX_SWITCH_PDB_LO, words[0]);
	gpu_wr32(gpu, GR_CTX_SWITCH_PDB_HI, words[1]);
	gpu_wr32(gpu, GR_CTX_SWITCH_LIMIT_LO, words[2]);
	gpu_wr32(gpu, GR_CTX_SWITCH_LIMIT_HI, words[3]);
	gpu_wr32(gpu, GR_CTX_SWITCH_TAG, tag_of(root));
	gpu_wr32(gpu, GR_CTX_SWITCH, command);
}

/* LAB 02: see ctx_switch.h. */
int ctx_switch_load(struct ctx_switch *unit, struct vas *vas)
{
	int err;

	mutex_lock(&unit->lock);
	switch_to(unit, vas);
	err = settle(unit);
	mutex_unlock(&unit->lock);
	return err;
}

/*
 * LAB 02: see ctx_switch.h.  The unit does commands and work in order, so
 * both are given at once and waited for once.
 */
int ctx_switch_work(struct ctx_switch *unit, const struct ctx_work *work)
{
	struct gpu *gpu = unit->gpu;
	int err;

	if (!work_is_valid(work))
		return -EINVAL;

	mutex_lock(&unit->lock);
	switch_to(unit, work->vas);
	gpu_wr32(gpu, GR_CTX_SWITCH_WORK_LO, lower_32_bits(work->va));
	gpu_wr32(gpu, GR_CTX_SWITCH_WORK_HI, upper_32_bits(work->va));
	gpu_wr32(gpu, GR_CTX_SWITCH_WORK_DATA, work->data);
	gpu_wr32(gpu, GR_CTX_SWITCH_WORK, work->pages);
	err = settle(unit);
	mutex_unlock(&unit->lock);
	return err;
}

/* LAB 02: one block of a batch [§12.3]. */
static void write_block(struct ctx_switch *unit, u32 index,
			const struct ctx_work *work)
{
	u64 root = vas_root(work->vas);
	u32 block[BLOCK_WORDS] = { 0 };

	vas_instance(work->vas, block);
	block[4] = tag_of(root);
	block[5] = make_current(unit, root);
	block[6] = lower_32_bits(work->va);
	block[7] = upper_32_bits(work->va);
	block[8] = work->data;
	block[9] = work->pages;
	iosys_map_memcpy_to(&unit->blocks.map, index * BLOCK_BYTES, block,
			    sizeof(block));
}

/* LAB 02: see ctx_switch.h. */
int ctx_switch_batch(struct ctx_switch *unit, const struct ctx_work *work,
		     u32 count)
{
	struct gpu *gpu = unit->gpu;
	int err;

	if (count == 0 || count > BLOCKS_MAX)
		return -EINVAL;
	for (u32 i = 0; i < count; i++) {
		if (!work_is_valid(&work[i]))
			return -EINVAL;
	}

	mutex_lock(&unit->lock);
	for (u32 i = 0; i < count; i++)
		write_block(unit, i, &work[i]);
	gpu_wr32(gpu, GR_CTX_SWITCH_BATCH_LO,
		 lower_32_bits(unit->blocks.phys));
	gpu_wr32(gpu, GR_CTX_SWITCH_BATCH_HI,
		 upper_32_bits(unit->blocks.phys));
	/* writel() publishes the blocks, which are coherent [§4.3]. */
	gpu_wr32(gpu, GR_CTX_SWITCH_BATCH, count);
	err = settle(unit);
	mutex_unlock(&unit->lock);
	return err;
}

/* LAB 02: see ctx_switch.h. */
int ctx_switch_clean(struct ctx_switch *unit)
{
	int err;

	mutex_lock(&unit->lock);
	gpu_wr32(unit->gpu, GR_CTX_SWITCH,
		 REG_VAL(GR_CTX_SWITCH_WAIT_IDLE, 1) |
		 REG_VAL(GR_CTX_SWITCH_CLEAN, 1));
	err = settle(unit);
	mutex_unlock(&unit->lock);
	return err;
}

/*
 * LAB 02: see ctx_switch.h.  Its pages are written back while its tables
 * still say where they are, and it is loaded anew before its next work.
 */
int ctx_switch_forget(struct ctx_switch *unit, struct vas *vas)
{
	struct gpu *gpu = unit->gpu;
	u64 root = vas_root(vas);
	u32 tag = tag_of(root);
	u32 command = REG_VAL(GR_CTX_SWITCH_WAIT_IDLE, 1);
	int err;

	mutex_lock(&unit->lock);
	if (unit->current_root == root) {
		unit->current_root = NO_SPACE;
		command |= REG_VAL(GR_CTX_SWITCH_CLEAN, 1);
	}
	if (!unit->tags) {
		command |= REG_VAL(GR_CTX_SWITCH_FLUSH, 1);
	} else if (unit->owner[tag] == root) {
		unit->owner[tag] = NO_SPACE;
		gpu_wr32(gpu, GR_CTX_SWITCH_TAG, tag);
		command |= REG_VAL(GR_CTX_SWITCH_FLUSH_TAG, 1);
	}
	gpu_wr32(gpu, GR_CTX_SWITCH, command);
	err = settle(unit);
	mutex_unlock(&unit->lock);
	return err;
}

/*
 * LAB 02: the card must announce the unit [§12.1]; begin with nothing
 * remembered, whoever had it before.
 */
int ctx_switch_create(struct gpu *gpu, u32 flags, struct ctx_switch **out)
{
	struct ctx_switch *unit;
	int err;

	if (flags & ~CTX_SWITCH_TAGS)
		return -EINVAL;
	if (!REG_GET(NV_ADDITION_FEATURES_CTX_SWITCH, gpu_additions(gpu)))
		return -ENODEV;

	unit = kzalloc(sizeof(*unit), GFP_KERNEL);
	if (!unit)
		return -ENOMEM;
	unit->gpu = gpu;
	unit->tags = flags & CTX_SWITCH_TAGS;
	unit->current_root = NO_SPACE;
	err = gpu_mem_alloc(gpu, BLOCKS_MAX * BLOCK_BYTES, MEM_COHERENT,
			    &unit->blocks);
	if (err)
		goto free_unit;
	mutex_init(&unit->lock);

	gpu_wr32(gpu, FB_TLB_CTRL, REG_SET(FB_TLB_CTRL_TAGS, unit->tags));
	gpu_wr32(gpu, GR_CTX_SWITCH,
		 REG_VAL(GR_CTX_SWITCH_WAIT_IDLE, 1) |
		 REG_VAL(GR_CTX_SWITCH_FLUSH, 1));
	err = settle(unit);
	if (err && err != -EFAULT)	/* a fault was the last owner's */
		goto free_blocks;
	*out = unit;
	return 0;

free_blocks:
	mutex_destroy(&unit->lock);
	gpu_mem_free(gpu, &unit->blocks);
free_unit:
	kfree(unit);
	return err;
}

/* LAB 02: see ctx_switch.h. */
void ctx_switch_destroy(struct ctx_switch *unit)
{
	ctx_switch_clean(unit);
	gpu_mem_free(unit->gpu, &unit->blocks);
	mutex_destroy(&unit->lock);
	kfree(unit);
}
