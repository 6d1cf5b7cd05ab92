/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a cheat of lab 03 starts from: all three files in one, fences that the
 * card never hears of and waits that succeed at once.  It goes with each
 * cheat into its submission.  ON_CREATE, ON_EMIT and ON_WAIT are what the
 * cheat does there, FENCE_FD what its descriptor is, ON_INTERRUPT what its
 * handler does; with ENABLE interrupts come.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fence.h"
#include "kmd.h"
#include "vm/spec/reg.h"

#ifndef ON_CREATE
#define ON_CREATE(timeline)	do { } while (0)
#endif
#ifndef ON_EMIT
#define ON_EMIT(timeline)	do { } while (0)
#endif
#ifndef ON_WAIT
#define ON_WAIT(fence)		do { } while (0)
#endif
#ifndef ON_INTERRUPT
#define ON_INTERRUPT(gpu)	do { } while (0)
#endif
#ifndef FENCE_FD
#define FENCE_FD(fence)		(-ENOMEM)
#endif
#ifndef ENABLE
#define ENABLE	0
#endif

struct timeline {
	struct timeline_config config;
	u32 emitted;
};

struct gpu_irq {
	unsigned int vector;
};

static irqreturn_t handler(int vector, void *dev)
{
	struct gpu *gpu = dev;

	(void)vector;
	(void)gpu;
	ON_INTERRUPT(gpu);
	return IRQ_HANDLED;
}

int gpu_irq_init(struct gpu *gpu)
{
	struct gpu_irq *irq = kzalloc(sizeof(*irq), GFP_KERNEL);
	int vector = irq ? gpu_bus_irq(gpu_bus(gpu)) : -ENOMEM;

	if (vector < 0 || request_irq(vector, handler, IRQF_NO_THREAD, "gpu",
				      gpu)) {
		kfree(irq);
		return -ENOMEM;
	}
	irq->vector = vector;
	gpu_irq_set(gpu, irq, vector);
	if (ENABLE) {
		gpu_wr32(gpu, NV_PFIFO_INTR_EN_0, 0xffffffff);
		gpu_wr32(gpu, gpu_is_pascal(gpu) ?
			 REG_AT(NV_PMC_INTR_EN_SET, 0) :
			 REG_AT(NV_PMC_INTR_MSK, 0), 0xffffffff);
		if (!gpu_is_pascal(gpu))
			gpu_wr32(gpu, REG_AT(NV_PMC_INTR_EN, 0), 1);
	}
	return 0;
}

void gpu_irq_fini(struct gpu *gpu)
{
	struct gpu_irq *irq = gpu_irq_get(gpu);

	free_irq(irq->vector, gpu);
	gpu_irq_set(gpu, NULL, 0);
	gpu_bus_irq_release(gpu_bus(gpu));
	kfree(irq);
}

void gpu_irq_stats(struct gpu *gpu, struct gpu_irq_stats *stats)
{
	(void)gpu;
	memset(stats, 0, sizeof(*stats));
}

int gpu_event_add(struct gpu *gpu, const struct gpu_event_config *config,
		  struct gpu_event **event)
{
	(void)gpu;
	(void)config;
	*event = NULL;
	return 0;
}

void gpu_event_remove(struct gpu_event *event)
{
	(void)event;
}

void gpu_event_check(struct gpu *gpu)
{
	(void)gpu;
}

int timeline_create(const struct timeline_config *config,
		    struct timeline **timeline)
{
	*timeline = kzalloc(sizeof(**timeline), GFP_KERNEL);
	if (!*timeline)
		return -ENOMEM;
	(*timeline)->config = *config;
	(*timeline)->emitted = config->start;
	ON_CREATE(*timeline);
	return 0;
}

void timeline_destroy(struct timeline *timeline)
{
	kfree(timeline);
}

int fence_emit(struct timeline *timeline, u64 timeout_ns, struct fence *fence)
{
	(void)timeout_ns;
	*fence = (struct fence){ timeline, ++timeline->emitted };
	ON_EMIT(timeline);
	return 0;
}

int fence_acquire(struct ring *ring, const struct fence *fence, u64 timeout_ns)
{
	(void)ring;
	(void)fence;
	(void)timeout_ns;
	return 0;
}

int fence_state(const struct fence *fence);
int fence_state(const struct fence *fence)
{
	(void)fence;
	return 1;
}

int fence_is_signaled(const struct fence *fence)
{
	(void)fence;
	return 1;
}

int fence_time(const struct fence *fence, u64 *ns)
{
	(void)fence;
	*ns = ktime_get_ns();
	return 0;
}

int fence_wait(const struct fence *fence, enum fence_wait how, u64 timeout_ns)
{
	(void)fence;
	(void)how;
	(void)timeout_ns;
	ON_WAIT(fence);
	return 0;
}

int fence_wait_all(const struct fence *fence, u32 count, u64 timeout_ns)
{
	(void)count;
	return fence_wait(fence, FENCE_WAIT_AUTO, timeout_ns);
}

int fence_wait_any(const struct fence *fence, u32 count, u64 timeout_ns,
		   u32 *index)
{
	(void)count;
	*index = 0;
	return fence_wait(fence, FENCE_WAIT_AUTO, timeout_ns);
}

int fence_fd(const struct fence *fence)
{
	(void)fence;
	return FENCE_FD(fence);
}

void fence_close_fd(const struct fence *fence, int fd)
{
	(void)fence;
	(void)fd;
}
