/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Set up and take down, and the few things that tests have channels do. */
#include <check.h>
#include <unistd.h>

#include "test_fence_rig.h"
#include "timeline.h"

#define PB_WORDS	8192
#define METHOD_NONE	0x044	/* Host has none there */

static int line_start(struct rig *rig, struct line *line,
		      const struct rig_setup *setup)
{
	struct queue_config queue = {
		.id = CHAN_ANY, .pb_words = PB_WORDS,
		.gp_entries = setup->gp_entries ? setup->gp_entries : 1024,
	};
	struct timeline_config timeline = {
		.gpu = rig->gpu, .mem = &line->sem, .offset = 64,
		.start = setup->start,
	};
	int err;

	err = queue_open(rig->gpu, &queue, &line->queue);
	if (err)
		return err;
	timeline.chan = line->queue.chan;
	timeline.ring = line->queue.ring;
	err = timeline_create(&timeline, &line->timeline);
	if (err)
		queue_close(&line->queue, 0);
	return err;
}

static int line_up(struct rig *rig, struct line *line,
		   const struct rig_setup *setup)
{
	int err;

	err = gpu_mem_alloc(rig->gpu, 4096, setup->kind, &line->sem);
	if (err)
		return err;
	err = gpu_mem_alloc(rig->gpu, 4096, MEM_COHERENT, &line->hold);
	if (err)
		goto free_sem;
	err = line_start(rig, line, setup);
	if (err)
		goto free_hold;
	return 0;

free_hold:
	gpu_mem_free(rig->gpu, &line->hold);
free_sem:
	gpu_mem_free(rig->gpu, &line->sem);
	return err;
}

static void line_down(struct rig *rig, struct line *line)
{
	if (line->timeline)
		timeline_destroy(line->timeline);
	queue_close(&line->queue, chan_error(line->queue.chan) ? 0 : SECOND);
	gpu_mem_free(rig->gpu, &line->hold);
	gpu_mem_free(rig->gpu, &line->sem);
}

int rig_try(struct rig *rig, const struct rig_setup *setup)
{
	int err;

	err = gpu_open(rig->bus, &rig->gpu);
	if (err)
		return err;
	err = gpu_irq_init(rig->gpu);
	if (err)
		goto close_gpu;
	for (rig->lines = 0; rig->lines < setup->lines; rig->lines++) {
		err = line_up(rig, &rig->line[rig->lines], setup);
		if (err)
			goto lines_down;
	}
	return 0;

lines_down:
	while (rig->lines--)
		line_down(rig, &rig->line[rig->lines]);
	gpu_irq_fini(rig->gpu);
close_gpu:
	gpu_close(rig->gpu);
	return err;
}

void rig_undo(struct rig *rig)
{
	while (rig->lines)
		line_down(rig, &rig->line[--rig->lines]);
	gpu_irq_fini(rig->gpu);
	gpu_close(rig->gpu);
}

void rig_up(struct rig *rig, const struct rig_setup *setup)
{
	struct card_config config = { .chip = setup->chip, .seed = 7 };

	memset(rig, 0, sizeof(*rig));
	ck_assert_int_eq(bus_direct_open(&config, &rig->bus), 0);
	ck_assert_int_eq(rig_try(rig, setup), 0);
}

void rig_down(struct rig *rig)
{
	rig_undo(rig);
	for (int i = 0; i < PORT_MISUSES; i++)
		ck_assert_uint_eq(port_reports(i), 0);
	ck_assert_int_eq(port_live_allocs(), 0);
	ck_assert_uint_eq(bus_direct_violations_all(rig->bus), 0);
	gpu_bus_close(rig->bus);
}

void rig_unplug(struct rig *rig)
{
	card_unplug(bus_direct_lock(rig->bus));
	bus_direct_unlock(rig->bus);
}

void rig_down_lost(struct rig *rig)
{
	rig_undo(rig);
	ck_assert_int_eq(port_live_allocs(), 0);
	gpu_bus_close(rig->bus);
}

int rig_submit(struct line *line, const u32 *words, u32 count)
{
	struct push push = { (u32 *)words, count, count };

	return ring_submit(line->queue.ring, &push, 0, SECOND);
}

static void semaphore(struct line *line, u64 va, u32 value, u32 operation)
{
	u32 words[8];
	struct push push;
	const u32 data[] = {
		upper_32_bits(va), lower_32_bits(va), value, operation,
	};

	push_init(&push, words, ARRAY_SIZE(words));
	ck_assert_int_eq(push_inc(&push, 0, NVC06F_SEMAPHOREA, data, 4), 0);
	ck_assert_int_eq(rig_submit(line, words, push.count), 0);
}

void rig_hold(struct line *line)
{
	iosys_map_wr(&line->hold.map, 0, u32, 0);
	semaphore(line, line->hold.va, 1,
		  REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			  NVC06F_SEMAPHORED_OPERATION_ACQUIRE) |
		  REG_VAL(NVC06F_SEMAPHORED_ACQUIRE_SWITCH, 1));
}

void rig_release(struct line *line)
{
	iosys_map_wr(&line->hold.map, 0, u32, 1);
	wmb();
}

void rig_fault(struct line *line)
{
	semaphore(line, 0x7000, 1, REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			NVC06F_SEMAPHORED_OPERATION_RELEASE));
}

void rig_bad_method(struct line *line)
{
	u32 words[2], data = 0;
	struct push push;

	push_init(&push, words, ARRAY_SIZE(words));
	ck_assert_int_eq(push_inc(&push, 0, METHOD_NONE, &data, 1), 0);
	ck_assert_int_eq(rig_submit(line, words, push.count), 0);
}

static void *wait_thread(void *arg)
{
	struct wait *wait = arg;

	wait->result = fence_wait(&wait->fence, wait->how, 100 * SECOND);
	return NULL;
}

void waits_start(struct wait *waits, unsigned int count,
		 const struct fence *fence, int how)
{
	for (unsigned int i = 0; i < count; i++) {
		waits[i].fence = *fence;
		waits[i].how = how < 0 ? (int)(i % 4) : how;
		waits[i].result = 1;
		ck_assert_int_eq(pthread_create(&waits[i].thread, NULL,
						wait_thread, &waits[i]), 0);
	}
	usleep(20000);		/* most of them sleep by now */
}

void waits_end(struct wait *waits, unsigned int count, int result)
{
	for (unsigned int i = 0; i < count; i++) {
		pthread_join(waits[i].thread, NULL);
		ck_assert_int_eq(waits[i].result, result);
	}
}

bool waits_are_inside(struct timeline *timeline, const struct wait *waits,
		      unsigned int count, unsigned int descriptors)
{
	int spinners = 0, sleepers = 0, waiters = descriptors;
	const struct sleeper *sleeper;
	const struct waiter *waiter;

	for (unsigned int i = 0; i < count; i++) {
		spinners += waits[i].how == FENCE_WAIT_SPIN ||
			waits[i].how == FENCE_WAIT_AUTO;
		sleepers += waits[i].how == FENCE_WAIT_COND;
		waiters += waits[i].how != FENCE_WAIT_SPIN;
	}
	pthread_mutex_lock(&timeline->lock);
	spinners -= timeline->spinners;
	list_for_each_entry(sleeper, &timeline->sleepers, link)
		sleepers--;
	list_for_each_entry(waiter, &timeline->waiters, link)
		waiters--;
	pthread_mutex_unlock(&timeline->lock);
	return !spinners && !sleepers && !waiters;
}
