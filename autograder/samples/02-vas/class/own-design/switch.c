/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02, a second design: nothing is assumed of the unit.
 *
 * Every piece of work loads its space, current or not.  Tags are places in a
 * list in the order of their use: a space that has none takes the one that
 * was not used for longest.  Each step is waited for by itself.
 */
#include "ctx_switch.h"
#include "kmd.h"
#include "vm/spec/reg.h"

enum { TAG_COUNT = 1024, BATCH = 1024, BLOCK = 64 };

struct holder {
	struct holder *newer, *older;
	u64 space;			/* its page directory, or 0 */
};

struct ctx_switch {
	struct gpu *card;
	struct mutex only;
	u32 with_tags;
	struct holder tag[TAG_COUNT], ends;
	struct gpu_mem list;
};

static void take_out(struct holder *h)
{
	h->newer->older = h->older;
	h->older->newer = h->newer;
}

static void put_between(struct holder *h, struct holder *older,
			struct holder *newer)
{
	h->older = older;
	h->newer = newer;
	older->newer = newer->older = h;
}

/* Its tag, moved to the newest; *fresh: it was another's before. */
static u32 tag_for(struct ctx_switch *u, u64 space, bool *fresh)
{
	struct holder *h;

	for (h = u->ends.older; h != &u->ends; h = h->older) {
		if (h->space == space)
			break;
	}
	*fresh = h == &u->ends;
	if (*fresh)
		h = u->ends.newer;
	h->space = space;
	take_out(h);
	put_between(h, u->ends.older, &u->ends);
	return h - u->tag;
}

static bool is_busy(u32 status)
{
	return REG_GET(GR_CTX_SWITCH_STATUS_WORK, status) ||
		REG_GET(GR_CTX_SWITCH_STATUS_SWITCH, status) ||
		REG_GET(GR_CTX_SWITCH_STATUS_BATCH, status);
}

static int wait_for_it(struct ctx_switch *u)
{
	u64 end = ktime_get_ns() + NSEC_PER_SEC;
	u32 status;

	do {
		status = gpu_rd32(u->card, GR_CTX_SWITCH_STATUS);
		if (status == ~0u)
			return -ENODEV;
		if (!is_busy(status))
			break;
		cpu_relax();
	} while (ktime_get_ns() < end);
	if (is_busy(status))
		return -ETIMEDOUT;
	if (!gpu_rd32(u->card, GR_CTX_SWITCH_FAULT))
		return 0;
	gpu_wr32(u->card, GR_CTX_SWITCH_FAULT, 1);
	/* Which flushes of tags it dropped, nobody knows. */
	for (u32 i = 0; i < TAG_COUNT; i++)
		u->tag[i].space = 0;
	return -EFAULT;
}

/* How to load a space: the words of the registers from PDB_LO on. */
static void words_to_load(struct ctx_switch *u, struct vas *vas, u32 word[6])
{
	bool fresh = false;

	vas_instance(vas, word);
	word[4] = u->with_tags ? tag_for(u, vas_root(vas), &fresh) : 0;
	word[5] = REG_VAL(GR_CTX_SWITCH_LOAD, 1) |
		REG_VAL(GR_CTX_SWITCH_CLEAN, 1) |
		REG_VAL(GR_CTX_SWITCH_WAIT_IDLE, 1) |
		REG_SET(GR_CTX_SWITCH_FLUSH, !u->with_tags) |
		REG_SET(GR_CTX_SWITCH_FLUSH_TAG, fresh);
}

static int load(struct ctx_switch *u, struct vas *vas)
{
	u32 word[6];

	words_to_load(u, vas, word);
	for (int i = 0; i < 6; i++)
		gpu_wr32(u->card, GR_CTX_SWITCH_PDB_LO + 4 * i, word[i]);
	return wait_for_it(u);
}

int ctx_switch_load(struct ctx_switch *u, struct vas *vas)
{
	int err;

	mutex_lock(&u->only);
	err = load(u, vas);
	mutex_unlock(&u->only);
	return err;
}

static bool makes_sense(const struct ctx_work *w)
{
	return w->vas && !(w->va & 4095) && w->pages &&
		w->pages <= CTX_SWITCH_PAGES_MAX;
}

int ctx_switch_work(struct ctx_switch *u, const struct ctx_work *w)
{
	int err;

	if (!makes_sense(w))
		return -EINVAL;
	mutex_lock(&u->only);
	err = load(u, w->vas);
	if (!err) {
		gpu_wr32(u->card, GR_CTX_SWITCH_WORK_DATA, w->data);
		gpu_wr32(u->card, GR_CTX_SWITCH_WORK_HI, w->va >> 32);
		gpu_wr32(u->card, GR_CTX_SWITCH_WORK_LO, (u32)w->va);
		gpu_wr32(u->card, GR_CTX_SWITCH_WORK, w->pages);
		err = wait_for_it(u);
	}
	mutex_unlock(&u->only);
	return err;
}

int ctx_switch_batch(struct ctx_switch *u, const struct ctx_work *w, u32 n)
{
	int err;

	for (u32 i = 0; i < n; i++) {
		if (!makes_sense(&w[i]))
			return -EINVAL;
	}
	if (n - 1 >= BATCH)
		return -EINVAL;
	mutex_lock(&u->only);
	for (u32 i = 0; i < n; i++) {
		u32 word[BLOCK / 4] = { 0 };

		words_to_load(u, w[i].vas, word);
		word[6] = (u32)w[i].va;
		word[7] = w[i].va >> 32;
		word[8] = w[i].data;
		word[9] = w[i].pages;
		for (int k = 0; k < BLOCK / 4; k++)
			iosys_map_wr(&u->list.map, i * BLOCK + 4 * k, u32,
				     word[k]);
	}
	wmb();
	gpu_wr32(u->card, GR_CTX_SWITCH_BATCH_HI, u->list.phys >> 32);
	gpu_wr32(u->card, GR_CTX_SWITCH_BATCH_LO, (u32)u->list.phys);
	gpu_wr32(u->card, GR_CTX_SWITCH_BATCH, n);
	err = wait_for_it(u);
	mutex_unlock(&u->only);
	return err;
}

static int command(struct ctx_switch *u, u32 what)
{
	gpu_wr32(u->card, GR_CTX_SWITCH,
		 what | REG_VAL(GR_CTX_SWITCH_WAIT_IDLE, 1));
	return wait_for_it(u);
}

int ctx_switch_clean(struct ctx_switch *u)
{
	int err;

	mutex_lock(&u->only);
	err = command(u, REG_VAL(GR_CTX_SWITCH_CLEAN, 1));
	mutex_unlock(&u->only);
	return err;
}

/* The tag becomes the oldest, and nobody's. */
static void give_up_tag(struct ctx_switch *u, u64 space)
{
	for (u32 i = 0; i < TAG_COUNT; i++) {
		if (u->tag[i].space != space)
			continue;
		u->tag[i].space = 0;
		take_out(&u->tag[i]);
		put_between(&u->tag[i], &u->ends, u->ends.newer);
	}
}

/* Forgetting everything is never wrong, and it is rare. */
int ctx_switch_forget(struct ctx_switch *u, struct vas *vas)
{
	int err;

	mutex_lock(&u->only);
	give_up_tag(u, vas_root(vas));
	err = command(u, REG_VAL(GR_CTX_SWITCH_CLEAN, 1) |
		      REG_VAL(GR_CTX_SWITCH_FLUSH, 1));
	mutex_unlock(&u->only);
	return err;
}

int ctx_switch_create(struct gpu *card, u32 flags, struct ctx_switch **out)
{
	struct ctx_switch *u;
	int err;

	if (flags > CTX_SWITCH_TAGS)
		return -EINVAL;
	if (!(gpu_additions(card) &
	      REG_FIELD_MASK(NV_ADDITION_FEATURES_CTX_SWITCH)))
		return -ENODEV;
	u = kzalloc(sizeof(*u), GFP_KERNEL);
	if (!u)
		return -ENOMEM;
	u->card = card;
	u->with_tags = flags;
	u->ends.newer = u->ends.older = &u->ends;
	for (u32 i = 0; i < TAG_COUNT; i++)
		put_between(&u->tag[i], u->ends.older, &u->ends);
	err = gpu_mem_alloc(card, BATCH * BLOCK, MEM_COHERENT, &u->list);
	if (err) {
		kfree(u);
		return err;
	}
	mutex_init(&u->only);
	gpu_wr32(card, FB_TLB_CTRL, REG_SET(FB_TLB_CTRL_TAGS, flags));
	err = command(u, REG_VAL(GR_CTX_SWITCH_FLUSH, 1));
	if (err == -EFAULT)
		err = command(u, REG_VAL(GR_CTX_SWITCH_FLUSH, 1));
	if (err) {
		mutex_destroy(&u->only);
		gpu_mem_free(card, &u->list);
		kfree(u);
		return err;
	}
	*out = u;
	return 0;
}

void ctx_switch_destroy(struct ctx_switch *u)
{
	ctx_switch_clean(u);
	mutex_destroy(&u->only);
	gpu_mem_free(u->card, &u->list);
	kfree(u);
}
