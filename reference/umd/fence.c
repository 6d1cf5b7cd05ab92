/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Fences: numbers that a channel writes when it gets there [§9.5].
 *
 * A timeline is one semaphore in memory and a counter.  To emit a fence is to
 * put "write the next number here, when all before it is done, then raise an
 * interrupt" behind the work that is in the ring.  Numbers go into the ring in
 * order, so the word only grows, and every fence up to it is signalled.
 *
 * Only grows: modulo 2^32.  What is asked is never "is it larger" but "how
 * far is it ahead", as a signed number.  That is right as long as no fence is
 * 2^31 behind.
 *
 * The release waits for the engine (WFI) and has 16 bytes: the card writes
 * the time, then the number [§4.5].  So whoever has read the number finds the
 * time, and all that the work before the fence wrote.
 *
 * A word in video memory reads as all ones when the card is lost [§2.5], which
 * is a number like any.  But no time: its upper bits are 0 [§5.3].  So memory
 * tells the two apart, and nobody has to ask the card.
 */
#include "timeline.h"
#include "vm/spec/reg.h"

#define ALL_ONES	0xffffffffu

/*
 * LAB 03: has the word reached this number?  Data behind it may be read.  All
 * ones may be a number, or a card that is lost: then its time is, too.
 */
static bool reached(const struct timeline *timeline, u32 value)
{
	u32 word = iosys_map_rd(&timeline->word, 0, u32);

	dma_rmb();
	if (word == ALL_ONES &&
	    iosys_map_rd(&timeline->word, 12, u32) == ALL_ONES)
		return false;
	return (s32)(word - value) >= 0;
}

/* LAB 03: see timeline.h.  The word decides: look at it once more after an
 * error, for it may have been reached just before. */
int fence_state(const struct fence *fence)
{
	struct timeline *timeline = fence->timeline;
	int err = 0;

	if (reached(timeline, fence->value))
		return 1;
	if (__atomic_load_n(&timeline->canceled, __ATOMIC_RELAXED))
		err = -ECANCELED;
	else if (chan_is_dead(timeline->config.chan))
		err = -EIO;
	return err && reached(timeline, fence->value) ? 1 : err;
}

/* LAB 03: see fence.h. */
int fence_is_signaled(const struct fence *fence)
{
	struct timeline *timeline = fence->timeline;
	int state = fence_state(fence);

	if (state)
		return state;
	/* What it did before it died may have come since we looked. */
	state = chan_error(timeline->config.chan);
	return state && reached(timeline, fence->value) ? 1 : state;
}

/* LAB 03: the words of one semaphore operation. */
static int push_semaphore(struct push *push, const struct timeline *timeline,
			  u32 value, u32 operation)
{
	u64 va = timeline->config.mem->va + timeline->config.offset;
	const u32 words[] = {
		upper_32_bits(va), lower_32_bits(va), value, operation,
	};

	return push_inc(push, 0, NVC06F_SEMAPHOREA, words, ARRAY_SIZE(words));
}

/* LAB 03: a release and an interrupt. */
static int push_release(struct push *push, const struct timeline *timeline,
			u32 value)
{
	u32 operation = REG_VAL(NVC06F_SEMAPHORED_OPERATION,
				NVC06F_SEMAPHORED_OPERATION_RELEASE) |
		REG_VAL(NVC06F_SEMAPHORED_RELEASE_WFI,
			NVC06F_SEMAPHORED_RELEASE_WFI_EN) |
		REG_VAL(NVC06F_SEMAPHORED_RELEASE_SIZE,
			NVC06F_SEMAPHORED_RELEASE_SIZE_16BYTE);
	int err = push_semaphore(push, timeline, value, operation);

	return err ? err : push_immediate(push, 0, NVC06F_NON_STALL_INTERRUPT,
					  0);
}

/* LAB 03: one attempt.  -EAGAIN: no room now. */
static int try_emit(struct timeline *timeline, struct fence *fence)
{
	u32 words[8], value;
	struct push push;
	int err;

	pthread_mutex_lock(&timeline->emit_lock);
	value = timeline->emitted + 1;
	push_init(&push, words, ARRAY_SIZE(words));
	err = push_release(&push, timeline, value);
	if (!err)
		err = ring_submit(timeline->config.ring, &push, 0, 0);
	if (!err)
		timeline->emitted = value;
	pthread_mutex_unlock(&timeline->emit_lock);

	if (!err)
		*fence = (struct fence){ timeline, value };
	return err;
}

/*
 * LAB 03: see fence.h.  Who waits for room does so without the lock: others
 * have time-outs too.  ring_kick(): what is held back makes no room.
 */
int fence_emit(struct timeline *timeline, u64 timeout_ns,
	       struct fence *fence)
{
	u64 start = ktime_get_ns();
	bool late = timeout_ns == 0;

	if (chan_is_dead(timeline->config.chan))
		return -EIO;
	for (;;) {
		int err = try_emit(timeline, fence);

		if (err != -EAGAIN || timeout_ns == 0)
			return err;
		if (late)
			return -ETIMEDOUT;
		err = ring_kick(timeline->config.ring);
		if (err)
			return err;
		cpu_relax();
		late = ktime_get_ns() - start >= timeout_ns;
	}
}

/* LAB 03: see fence.h.  Let others use the PBDMA meanwhile. */
int fence_acquire(struct ring *ring, const struct fence *fence,
		  u64 timeout_ns)
{
	u32 operation = REG_VAL(NVC06F_SEMAPHORED_OPERATION,
				NVC06F_SEMAPHORED_OPERATION_ACQ_GEQ) |
		REG_VAL(NVC06F_SEMAPHORED_ACQUIRE_SWITCH,
			NVC06F_SEMAPHORED_ACQUIRE_SWITCH_ENABLED);
	int state = fence_state(fence);
	struct push push;
	u32 words[8];
	int err;

	if (state < 0)
		return state;
	push_init(&push, words, ARRAY_SIZE(words));
	err = push_semaphore(&push, fence->timeline, fence->value, operation);
	return err ? err : ring_submit(ring, &push, 0, timeout_ns);
}

/*
 * LAB 03: see fence.h.  The time belongs to the number that stands there
 * before and after it was read.
 */
int fence_time(const struct fence *fence, u64 *ns)
{
	struct iosys_map *word = &fence->timeline->word;
	u32 before, after, low, high;

	before = iosys_map_rd(word, 0, u32);
	dma_rmb();
	low = iosys_map_rd(word, 8, u32);
	high = iosys_map_rd(word, 12, u32);
	dma_rmb();
	after = iosys_map_rd(word, 0, u32);
	if (before != fence->value || after != fence->value ||
	    high == ALL_ONES)
		return -EAGAIN;
	*ns = (u64)high << 32 | low;
	return 0;
}

/* LAB 03: what fence.h says about the memory. */
static int config_check(const struct timeline_config *config)
{
	if (!config->gpu || !config->chan || !config->ring || !config->mem ||
	    config->offset & 15 || config->mem->size < 16 ||
	    config->offset > config->mem->size - 16)
		return -EINVAL;
	return 0;
}

/* LAB 03: the card must not find what was there before. */
static void word_set(struct timeline *timeline, u32 value)
{
	iosys_map_wr(&timeline->word, 0, u32, value);
	wmb();
	if (timeline->config.mem->kind == MEM_VRAM)
		iosys_map_rd(&timeline->word, 0, u32);
}

/* LAB 03: see fence.h. */
int timeline_create(const struct timeline_config *config,
		    struct timeline **out)
{
	struct timeline *timeline;
	int err = config_check(config);

	if (err)
		return err;
	timeline = kzalloc(sizeof(*timeline), GFP_KERNEL);
	if (!timeline)
		return -ENOMEM;
	timeline->config = *config;
	timeline->word = config->mem->map;
	iosys_map_incr(&timeline->word, config->offset);
	timeline->emitted = config->start;

	timeline->wake = -1;
	INIT_LIST_HEAD(&timeline->waiters);
	INIT_LIST_HEAD(&timeline->sleepers);
	pthread_mutex_init(&timeline->emit_lock, NULL);
	pthread_mutex_init(&timeline->lock, NULL);
	pthread_cond_init(&timeline->left, NULL);
	word_set(timeline, config->start);
	*out = timeline;
	return 0;
}

/* LAB 03: see fence.h. */
void timeline_destroy(struct timeline *timeline)
{
	timeline_cancel(timeline);
	pthread_cond_destroy(&timeline->left);
	pthread_mutex_destroy(&timeline->lock);
	pthread_mutex_destroy(&timeline->emit_lock);
	kfree(timeline);
}
