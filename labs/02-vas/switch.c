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
	return 0;
}

/*
 * LAB 02: wait until the unit has nothing left to do.  A fault has dropped
 * its work: let it go on, and say -EFAULT.
 */
static int settle(struct ctx_switch *unit)
{
	return -ENOSYS;
}

/* LAB 02: is there such work? */
static bool work_is_valid(const struct ctx_work *work)
{
	return false;
}

/* LAB 02: if the space is not current, stage its registers and say so. */
static void switch_to(struct ctx_switch *unit, struct vas *vas)
{
}

/* LAB 02: see ctx_switch.h. */
int ctx_switch_load(struct ctx_switch *unit, struct vas *vas)
{
	return -ENOSYS;
}

/*
 * LAB 02: see ctx_switch.h.  The unit does commands and work in order, so
 * both are given at once and waited for once.
 */
int ctx_switch_work(struct ctx_switch *unit, const struct ctx_work *work)
{
	return -ENOSYS;
}

/* LAB 02: one block of a batch [§12.3]. */
static void write_block(struct ctx_switch *unit, u32 index,
			const struct ctx_work *work)
{
}

/* LAB 02: see ctx_switch.h. */
int ctx_switch_batch(struct ctx_switch *unit, const struct ctx_work *work,
		     u32 count)
{
	return -ENOSYS;
}

/* LAB 02: see ctx_switch.h. */
int ctx_switch_clean(struct ctx_switch *unit)
{
	return -ENOSYS;
}

/*
 * LAB 02: see ctx_switch.h.  Its pages are written back while its tables
 * still say where they are, and it is loaded anew before its next work.
 */
int ctx_switch_forget(struct ctx_switch *unit, struct vas *vas)
{
	return -ENOSYS;
}

/*
 * LAB 02: the card must announce the unit [§12.1]; begin with nothing
 * remembered, whoever had it before.
 */
int ctx_switch_create(struct gpu *gpu, u32 flags, struct ctx_switch **out)
{
	return -ENOSYS;
}

/* LAB 02: see ctx_switch.h. */
void ctx_switch_destroy(struct ctx_switch *unit)
{
}
