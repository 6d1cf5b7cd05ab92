/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Fences: numbers that a channel writes when it gets there [§9.5].
 *
 * A timeline is a word in memory and the last number that was put into the
 * ring for it.  The word alone says what is done; nothing here remembers an
 * answer.  Numbers go into the ring in order, so the word only grows, modulo
 * 2^32, and what is asked is how far it is ahead, as a signed number.
 *
 * Memory may be video memory, and a card that is lost answers for that with
 * ones [§2.5], which look like a number.  The word beside the number tells
 * them apart: whoever writes a semaphore of 16 bytes writes 0 there.
 *
 * An error is the second answer, never the first.  Whoever finds the channel
 * dead, or the card gone, looks at the word again: what was released before
 * that is signalled, and stays so.
 */
#include "cond.h"
#include "vm/spec/reg.h"

/* A semaphore of 16 bytes: number, 0, time [§9.5]. */
#define SEMAPHORE_SIZE	16
#define SEMAPHORE_NUMBER 0
#define SEMAPHORE_ZERO	4
#define SEMAPHORE_TIME	8

/* Four methods with their header, and the interrupt. */
#define FENCE_WORDS	6

/* The number there; false: it is the answer of a lost card. */
static bool word_read(const struct timeline *timeline, u32 *word)
{
	*word = iosys_map_rd(&timeline->word, SEMAPHORE_NUMBER, u32);
	dma_rmb();
	return *word != 0xffffffff || !timeline->word.is_iomem ||
		!iosys_map_rd(&timeline->word, SEMAPHORE_ZERO, u32);
}

/* Has the word reached this number?  Data behind it may be read. */
static bool reached(const struct fence *fence)
{
	u32 word;

	return word_read(fence->timeline, &word) &&
		(s32)(word - fence->value) >= 0;
}

/* See timeline.h. */
int fence_state(const struct fence *fence)
{
	const struct timeline *timeline = fence->timeline;
	int err = 0;

	if (reached(fence))
		return 1;
	if (smp_load_acquire(&timeline->canceled))
		err = -ECANCELED;
	else if (chan_is_dead(timeline->config.chan))
		err = -EIO;
	return err && reached(fence) ? 1 : err;
}

/* See fence.h. */
int fence_is_signaled(const struct fence *fence)
{
	int state = fence_state(fence);

	if (state)
		return state;
	state = chan_error(fence->timeline->config.chan);
	return state && reached(fence) ? 1 : state;
}

/* See fence.h.  Exactly this number, before and after the time was read. */
int fence_time(const struct fence *fence, u64 *ns)
{
	const struct timeline *timeline = fence->timeline;
	u32 word;
	u64 time;

	if (!word_read(timeline, &word) || word != fence->value)
		return -EAGAIN;
	time = iosys_map_rd(&timeline->word, SEMAPHORE_TIME, u64);
	dma_rmb();
	if (!word_read(timeline, &word) || word != fence->value)
		return -EAGAIN;
	*ns = time;
	return 0;
}

/* Putting it into a ring -------------------------------------------------- */

#define SEMAPHORE_OPERATION(name) \
	REG_VAL(NVC06F_SEMAPHORED_OPERATION, \
		NVC06F_SEMAPHORED_OPERATION_##name)

/* After the work before it (WFI), with the time. */
#define RELEASE ((u32)(SEMAPHORE_OPERATION(RELEASE) | \
	REG_VAL(NVC06F_SEMAPHORED_RELEASE_WFI, \
		NVC06F_SEMAPHORED_RELEASE_WFI_EN) | \
	REG_VAL(NVC06F_SEMAPHORED_RELEASE_SIZE, \
		NVC06F_SEMAPHORED_RELEASE_SIZE_16BYTE)))

/* Others may use the PBDMA meanwhile: the one that is waited for, say. */
#define ACQUIRE ((u32)(SEMAPHORE_OPERATION(ACQ_GEQ) | \
	REG_VAL(NVC06F_SEMAPHORED_ACQUIRE_SWITCH, \
		NVC06F_SEMAPHORED_ACQUIRE_SWITCH_ENABLED)))

/* The words of one semaphore operation. */
static int push_semaphore(struct push *push, const struct fence *fence,
			  u32 operation)
{
	const struct timeline_config *config = &fence->timeline->config;
	u64 va = config->mem->va + config->offset;
	u32 data[] = {
		(u32)(va >> 32), (u32)va, fence->value, operation,
	};

	return push_inc(push, 0, NVC06F_SEMAPHOREA, data, ARRAY_SIZE(data));
}

/*
 * With the lock: number and place in the ring are taken together, or neither
 * is.  -EAGAIN: there is no room now.
 */
static int emit_locked(struct timeline *timeline, struct fence *fence)
{
	struct fence next = {
		.timeline = timeline, .value = timeline->emitted + 1,
	};
	u32 words[FENCE_WORDS];
	struct push push;
	int err;

	if (chan_is_dead(timeline->config.chan))
		return -EIO;
	push_init(&push, words, ARRAY_SIZE(words));
	err = push_semaphore(&push, &next, RELEASE);
	if (!err)
		err = push_immediate(&push, 0, NVC06F_NON_STALL_INTERRUPT, 0);
	if (!err)
		err = ring_submit(timeline->config.ring, &push, 0, 0);
	if (err)
		return err;
	timeline->emitted = next.value;
	*fence = next;
	return 0;
}

static int try_emit(struct timeline *timeline, struct fence *fence)
{
	int err;

	pthread_mutex_lock(&timeline->emit_lock);
	err = emit_locked(timeline, fence);
	pthread_mutex_unlock(&timeline->emit_lock);
	return err;
}

/*
 * See fence.h.  Who waits for room holds no lock: others have time-outs too,
 * and a channel that dies makes none.  What is held back has to be offered,
 * or it makes none either.
 */
int fence_emit(struct timeline *timeline, u64 timeout_ns,
	       struct fence *fence)
{
	u64 begin = ktime_get_ns();
	bool late;
	int err;

	for (;;) {
		late = ktime_get_ns() - begin >= timeout_ns;
		err = try_emit(timeline, fence);
		if (err != -EAGAIN || !timeout_ns)
			return err;
		if (late)
			return -ETIMEDOUT;
		err = ring_kick(timeline->config.ring);
		if (err)
			return err;
		cpu_relax();
	}
}

/* See fence.h.  What is over needs no waiting for. */
int fence_acquire(struct ring *ring, const struct fence *fence,
		  u64 timeout_ns)
{
	int state = fence_is_signaled(fence);
	u32 words[FENCE_WORDS];
	struct push push;
	int err;

	if (state)
		return min(state, 0);
	push_init(&push, words, ARRAY_SIZE(words));
	err = push_semaphore(&push, fence, ACQUIRE);
	return err ? err : ring_submit(ring, &push, 0, timeout_ns);
}

/* Timelines --------------------------------------------------------------- */

/* What fence.h says about the memory, and what it does not need to say. */
static int config_check(const struct timeline_config *config)
{
	if (!config->gpu || !config->chan || !config->ring || !config->mem)
		return -EINVAL;
	if (config->offset % SEMAPHORE_SIZE ||
	    config->mem->size < SEMAPHORE_SIZE ||
	    config->offset > config->mem->size - SEMAPHORE_SIZE)
		return -EINVAL;
	return 0;
}

/*
 * Before anything is released there, and not after: a store of ours that
 * drains late would put the number back.  So it is published, and behind a
 * BAR read back [§4.4].
 */
static void word_start(struct timeline *timeline)
{
	iosys_map_wr(&timeline->word, SEMAPHORE_TIME, u64, 0);
	iosys_map_wr(&timeline->word, SEMAPHORE_ZERO, u32, 0);
	iosys_map_wr(&timeline->word, SEMAPHORE_NUMBER, u32,
		     timeline->config.start);
	wmb();
	if (timeline->word.is_iomem)
		iosys_map_rd(&timeline->word, SEMAPHORE_NUMBER, u32);
}

/* See fence.h. */
int timeline_create(const struct timeline_config *config,
		    struct timeline **out)
{
	struct timeline *timeline;
	struct line *line;
	int err = config_check(config);

	if (err)
		return err;
	line = kzalloc(sizeof(*line), GFP_KERNEL);
	if (!line)
		return -ENOMEM;
	timeline = &line->timeline;
	timeline->config = *config;
	timeline->word = config->mem->map;
	iosys_map_incr(&timeline->word, config->offset);
	timeline->emitted = config->start;
	timeline->wake = -1;
	pthread_mutex_init(&timeline->emit_lock, NULL);
	pthread_mutex_init(&timeline->lock, NULL);
	pthread_cond_init(&timeline->left, NULL);
	INIT_LIST_HEAD(&timeline->waiters);
	INIT_LIST_HEAD(&timeline->sleepers);
	word_start(timeline);
	*out = timeline;
	return 0;
}

/* See fence.h. */
void timeline_destroy(struct timeline *timeline)
{
	if (!timeline)
		return;
	timeline_cancel(timeline);
	pthread_cond_destroy(&timeline->left);
	pthread_mutex_destroy(&timeline->lock);
	pthread_mutex_destroy(&timeline->emit_lock);
	kfree(line_of(timeline));
}
