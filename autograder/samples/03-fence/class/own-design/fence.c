/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Fences of another design: the numbers, the ring and the word. */
#include "timeline.h"
#include "vm/spec/reg.h"

static u32 word_of(const struct timeline *timeline)
{
	u32 word = iosys_map_rd(&timeline->word, 0, u32);

	rmb();
	return word;
}

/* Beside a number the card writes 0; gone, it reads as all ones there, too. */
static bool is_lost(const struct timeline *timeline)
{
	return iosys_map_rd(&timeline->word, 4, u32) == 0xffffffff;
}

static bool passed(const struct fence *fence)
{
	u32 word = word_of(fence->timeline);

	return word - fence->value < 0x80000000u &&
		(word != 0xffffffff || !is_lost(fence->timeline));
}

int fence_state(const struct fence *fence)
{
	struct timeline *timeline = fence->timeline;
	bool gone = __atomic_load_n(&timeline->canceled, __ATOMIC_ACQUIRE);
	int error = chan_error(timeline->config.chan);

	/* What is asked last is the word: it may have come meanwhile. */
	if (passed(fence))
		return 1;
	if (gone)
		return -ECANCELED;
	return error == -EIO ? error : 0;
}

int fence_is_signaled(const struct fence *fence)
{
	int state = fence_state(fence);

	if (state == 0 && chan_error(fence->timeline->config.chan) == -ENODEV)
		return passed(fence) ? 1 : -ENODEV;
	return state;
}

static void semaphore(u32 *data, const struct fence *fence, u32 operation)
{
	u64 va = fence->timeline->config.mem->va +
		fence->timeline->config.offset;

	data[0] = va >> 32;
	data[1] = (u32)va;
	data[2] = fence->value;
	data[3] = operation;
}

static int emit_now(struct timeline *timeline, struct fence *fence)
{
	u32 buffer[12], data[4], zero = 0;
	struct push push;
	int err;

	pthread_mutex_lock(&timeline->emit_lock);
	*fence = (struct fence){ timeline, timeline->emitted + 1 };
	push_init(&push, buffer, 12);
	semaphore(data, fence, NVC06F_SEMAPHORED_OPERATION_RELEASE);
	err = push_inc(&push, 0, NVC06F_SEMAPHOREA, data, 4);
	if (!err)
		err = push_non_inc(&push, 0, NVC06F_NON_STALL_INTERRUPT,
				   &zero, 1);
	if (!err)
		err = ring_submit(timeline->config.ring, &push, 0, 0);
	if (!err)
		timeline->emitted++;
	pthread_mutex_unlock(&timeline->emit_lock);
	return err;
}

int fence_emit(struct timeline *timeline, u64 timeout_ns, struct fence *fence)
{
	u64 until = ktime_get_ns() + timeout_ns;
	struct fence new;
	int err;

	for (;;) {
		err = emit_now(timeline, &new);
		if (err != -EAGAIN || !timeout_ns)
			break;
		if (ktime_get_ns() >= until)
			return -ETIMEDOUT;
		ring_kick(timeline->config.ring);
		cpu_relax();
	}
	if (!err)
		*fence = new;
	return err;
}

int fence_acquire(struct ring *ring, const struct fence *fence, u64 timeout_ns)
{
	u32 buffer[6], data[4];
	struct push push;
	int err;

	push_init(&push, buffer, 6);
	semaphore(data, fence,
		  REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			  NVC06F_SEMAPHORED_OPERATION_ACQ_GEQ) |
		  REG_VAL(NVC06F_SEMAPHORED_ACQUIRE_SWITCH,
			  NVC06F_SEMAPHORED_ACQUIRE_SWITCH_ENABLED));
	err = push_inc(&push, 0, NVC06F_SEMAPHOREA, data, 4);
	return err ? err : ring_submit(ring, &push, 0, timeout_ns);
}

int fence_time(const struct fence *fence, u64 *ns)
{
	const struct timeline *timeline = fence->timeline;
	u64 time;

	if (word_of(timeline) != fence->value)
		return -EAGAIN;
	time = iosys_map_rd(&timeline->word, 8, u32);
	time |= (u64)iosys_map_rd(&timeline->word, 12, u32) << 32;
	rmb();
	if (word_of(timeline) != fence->value || is_lost(timeline))
		return -EAGAIN;
	*ns = time;
	return 0;
}

int timeline_create(const struct timeline_config *config,
		    struct timeline **timeline)
{
	struct timeline *new;

	if (!config->chan || !config->ring || !config->mem ||
	    config->offset % 16 || config->offset + 16 > config->mem->size)
		return -EINVAL;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	new->config = *config;
	new->word = config->mem->map;
	iosys_map_incr(&new->word, config->offset);
	new->emitted = config->start;
	new->wake = -1;
	INIT_LIST_HEAD(&new->waiters);
	pthread_mutex_init(&new->emit_lock, NULL);
	iosys_map_wr(&new->word, 0, u32, config->start);
	wmb();
	if (config->mem->kind == MEM_VRAM)
		iosys_map_rd(&new->word, 0, u32);
	*timeline = new;
	return 0;
}

void timeline_destroy(struct timeline *timeline)
{
	timeline_cancel(timeline);
	pthread_mutex_destroy(&timeline->emit_lock);
	kfree(timeline);
}
