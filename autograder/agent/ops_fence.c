/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 03: the operations on interrupts, timelines and fences.
 *
 * A ring's slot has a timeline, whose semaphore lies in memory of its own.
 * Fences are values and have numbers that the judge gives; nothing here
 * knows whether one is signalled.
 */
#include "ops.h"
#include "fence.h"
#include "autograder/runtime/posix.h"

#define FENCES		256u
#define TIMELINE_BYTES	4096u
#define GUARD		0x5afe5afeu
#define TURNS		2000u

static struct {
	struct timeline *timeline;
	struct gpu_mem mem;
} timelines[AGENT_SLOTS];

static struct fence fences[FENCES];

/* The fence that the first argument names. */
static struct fence *fence_at(const struct call *call)
{
	return &fences[call->op->args[0] % FENCES];
}

/* The driver is called now: from here on time counts. */
static void begins(const struct call *call)
{
	rt_post(WIRE_BEGIN, 0, call->index, 8, 0);
}

/*
 * Fences that other threads have yet to emit are waited for, within reason;
 * then the call begins.
 */
static bool emitted(const struct call *call, const struct fence *fence,
		    u32 count)
{
	for (u32 i = 0, turns = 0; i < count; turns++) {
		if (fence[i].timeline)
			i++;
		else if (turns < TURNS)
			rt_relax();
		else
			return false;
	}
	begins(call);
	return true;
}

static int64_t call_irq_init(const struct call *call)
{
	(void)call;
	return agent_gpu ? gpu_irq_init(agent_gpu) : -EBADF;
}

static int64_t call_irq_fini(const struct call *call)
{
	(void)call;
	if (!agent_gpu)
		return -EBADF;
	gpu_irq_fini(agent_gpu);
	return 0;
}

static int64_t call_timeline_create(const struct call *call)
{
	unsigned int slot = call->op->handle;
	struct gpu_mem *mem = &timelines[slot].mem;
	const u64 *args = call->op->args;
	struct timeline_config config = {
		.gpu = agent_gpu, .chan = call->slot->chan,
		.ring = call->slot->ring, .mem = mem,
		.offset = args[2], .start = args[1],
	};
	int err;

	if (timelines[slot].timeline)
		return -EBUSY;
	err = gpu_mem_alloc(agent_gpu, TIMELINE_BYTES, args[0], mem);
	if (err)
		return err;
	output(call, mem->phys + config.offset);
	output(call, mem->va + config.offset);
	err = timeline_create(&config, &timelines[slot].timeline);
	if (err) {
		timelines[slot].timeline = NULL;
		gpu_mem_free(agent_gpu, mem);
	}
	return err;
}

static int64_t call_timeline_destroy(const struct call *call)
{
	unsigned int slot = call->op->handle;
	struct timeline *timeline = timelines[slot].timeline;

	if (!timeline)
		return -EBADF;
	begins(call);
	timeline_destroy(timeline);
	timelines[slot].timeline = NULL;
	gpu_mem_free(agent_gpu, &timelines[slot].mem);
	return 0;
}

static int64_t call_fence_emit(const struct call *call)
{
	struct timeline *timeline = timelines[call->op->handle].timeline;
	struct fence fence = { NULL, GUARD };
	int err;

	if (!timeline)
		return -EBADF;
	err = fence_emit(timeline, call->op->args[1], &fence);
	if (err)
		return err;
	/* The judge knows it before others wait for it. */
	output(call, fence.value);
	output(call, fence.timeline == timeline);
	*fence_at(call) = fence;
	return 0;
}

static int64_t call_fence_acquire(const struct call *call)
{
	if (!emitted(call, fence_at(call), 1))
		return -EBADF;
	return fence_acquire(call->slot->ring, fence_at(call),
			     call->op->args[1]);
}

static int64_t call_fence_is_signaled(const struct call *call)
{
	return fence_is_signaled(fence_at(call));
}

static int64_t call_fence_time(const struct call *call)
{
	u64 ns = 0;
	int err = fence_time(fence_at(call), &ns);

	output(call, ns);
	return err;
}

static int64_t call_fence_wait(const struct call *call)
{
	const u64 *args = call->op->args;

	if (!emitted(call, fence_at(call), 1))
		return -EBADF;
	return fence_wait(fence_at(call), args[1], args[2]);
}

/* Where fences are from args[0], args[1] of them: one array. */
static const struct fence *several(const struct call *call, u32 *count)
{
	u32 first = call->op->args[0] % FENCES;

	*count = call->op->args[1];
	if (*count > FENCES - first)
		*count = FENCES - first;
	return &fences[first];
}

static int64_t call_fence_wait_all(const struct call *call)
{
	u32 count;
	const struct fence *first = several(call, &count);

	if (!emitted(call, first, count))
		return -EBADF;
	return fence_wait_all(first, count, call->op->args[2]);
}

static int64_t call_fence_wait_any(const struct call *call)
{
	u32 count, index = GUARD;
	const struct fence *first = several(call, &count);
	int err;

	if (!emitted(call, first, count))
		return -EBADF;
	err = fence_wait_any(first, count, call->op->args[2], &index);
	output(call, index);
	return err;
}

static int to_ms(u64 ns)
{
	return (int)DIV_ROUND_UP(ns, 1000000u);
}

static int64_t wait_poll(int fd, int timeout)
{
	struct pollfd at = { .fd = fd, .events = POLLIN };
	int found = rt_poll(&at, 1, timeout);

	return found > 0 ? at.revents == POLLIN ? 1 : -EPROTO : found;
}

/* Edge triggered, if asked: what is ready when it is added is an edge. */
static int64_t wait_epoll(int fd, int timeout, bool edge)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epfd = rt_epoll_create1(0), found;

	if (epfd < 0)
		return -errno;
	if (edge)
		event.events |= EPOLLET;
	found = rt_epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event);
	if (!found)
		found = rt_epoll_wait(epfd, &event, 1, timeout);
	rt_close(epfd);
	return found;
}

static int64_t call_fence_poll(const struct call *call)
{
	const struct fence *fence = fence_at(call);
	int timeout = to_ms(call->op->args[1]), fd;
	int64_t found;

	if (!emitted(call, fence, 1))
		return -EBADF;
	fd = fence_fd(fence);
	if (fd < 0)
		return fd;
	found = call->op->args[2] ?
		wait_epoll(fd, timeout, call->op->args[2] > 1) :
		wait_poll(fd, timeout);
	/* What is readable stays so. */
	output(call, found > 0 ? wait_poll(fd, 0) : 1);
	fence_close_fd(fence, fd);
	return found;
}

static int64_t call_chan_error(const struct call *call)
{
	return chan_error(call->slot->chan);
}

static int64_t call_irq_stats(const struct call *call)
{
	struct gpu_irq_stats stats;

	if (!agent_gpu)
		return -EBADF;
	gpu_irq_stats(agent_gpu, &stats);
	output(call, stats.interrupts);
	output(call, stats.spurious);
	output(call, stats.nonstall);
	output(call, stats.faults);
	output(call, stats.pbdma);
	output(call, stats.copy);
	output(call, stats.longest_ns);
	return 0;
}

const struct agent_operation agent_fence_calls[WIRE_CALLS] = {
	[CALL_irq_init] = { call_irq_init, false },
	[CALL_irq_fini] = { call_irq_fini, false },
	[CALL_timeline_create] = { call_timeline_create, true },
	[CALL_timeline_destroy] = { call_timeline_destroy, false },
	[CALL_fence_emit] = { call_fence_emit, false },
	[CALL_fence_acquire] = { call_fence_acquire, true },
	[CALL_fence_is_signaled] = { call_fence_is_signaled, false },
	[CALL_fence_time] = { call_fence_time, false },
	[CALL_fence_wait] = { call_fence_wait, false },
	[CALL_fence_wait_all] = { call_fence_wait_all, false },
	[CALL_fence_wait_any] = { call_fence_wait_any, false },
	[CALL_fence_poll] = { call_fence_poll, false },
	[CALL_chan_error] = { call_chan_error, true },
	[CALL_irq_stats] = { call_irq_stats, false },
};
