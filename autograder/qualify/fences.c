/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The campaign of layer 3.
 *
 * A wait is lost when its fence was signalled and nothing woke the waiter.
 * The driver's own waits look at the card again after a while, in case it is
 * gone; that would hide a loss, so here they do not.  What is lost then ends
 * with the time-out, which a machine under load does not come near.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "autograder/qualify/fences.h"
#include "fence.h"
#include "queue.h"
#include "reference/bus/direct/direct.h"
#include "reference/umd/timeline.h"

#define ENTRIES		1024u
#define PB_WORDS	16384u
#define LONG		(60 * NSEC_PER_SEC)
#define TOO_LONG	(LONG / 2)
#define SEVERAL		4u

struct channel {
	struct queue queue;
	struct gpu_mem sem;
	struct timeline *timeline;
	pthread_mutex_t lock;
	struct fence last;	/* somebody's, for anybody to wait for	*/
};

struct campaign {
	struct fences *fences;
	struct gpu_bus *bus;
	struct gpu *gpu;
	struct channel *channel;
	unsigned int open;	/* channels that are			*/
};

struct worker {
	pthread_t thread;
	struct campaign *campaign;
	u64 random, waits;
	u64 spurious, timed_out, lost, failed;
};

static u32 random_below(struct worker *w, u32 limit)
{
	w->random = w->random * 6364136223846793005ULL +
		1442695040888963407ULL;
	return (w->random >> 33) % limit;
}

static u64 host_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

/* One of one's own, or the last of somebody's. */
static int choose(struct worker *w, struct fence *fence)
{
	struct campaign *c = w->campaign;
	struct channel *channel = &c->channel[random_below(w, c->open)];
	int err = 0;

	if (random_below(w, 4)) {
		err = fence_emit(channel->timeline, LONG, fence);
		pthread_mutex_lock(&channel->lock);
		if (!err)
			channel->last = *fence;
		pthread_mutex_unlock(&channel->lock);
		return err;
	}
	pthread_mutex_lock(&channel->lock);
	*fence = channel->last;
	pthread_mutex_unlock(&channel->lock);
	return 0;
}

static int wait_poll(const struct fence *fence)
{
	struct pollfd poll_fd = { .fd = fence_fd(fence), .events = POLLIN };
	int ready;

	if (poll_fd.fd < 0)
		return poll_fd.fd;
	ready = poll(&poll_fd, 1, LONG / NSEC_PER_MSEC);
	fence_close_fd(fence, poll_fd.fd);
	return ready == 1 ? 0 : -ETIMEDOUT;
}

static int wait_epoll(const struct fence *fence)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC), fd = fence_fd(fence);
	int ready = -1;

	if (fd >= 0 && !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		ready = epoll_wait(epoll, &event, 1, LONG / NSEC_PER_MSEC);
	if (fd >= 0)
		fence_close_fd(fence, fd);
	close(epoll);
	return fd < 0 ? fd : ready == 1 ? 0 : -ETIMEDOUT;
}

static void judge(struct worker *w, const struct fence *fence, int err,
		  u64 began)
{
	bool signaled = fence_is_signaled(fence) == 1;

	if (err == -ETIMEDOUT && !signaled)
		w->timed_out++;
	else if (err == -ETIMEDOUT || (!err && host_ns() - began > TOO_LONG))
		w->lost++;
	else if (err)
		w->failed++;
	else if (!signaled)
		w->spurious++;
}

/* Several at once; each of them counts. */
static void wait_several(struct worker *w, bool all)
{
	struct fence fence[SEVERAL];
	u64 began = host_ns();
	u32 index = 0;
	int err = 0;

	for (u32 i = 0; i < SEVERAL && !err; i++)
		err = choose(w, &fence[i]);
	if (!err)
		err = all ? fence_wait_all(fence, SEVERAL, LONG) :
			fence_wait_any(fence, SEVERAL, LONG, &index);
	if (err) {
		w->failed++;
		return;
	}
	for (u32 i = 0; i < SEVERAL; i++) {
		if (all || i == index)
			judge(w, &fence[i], 0, began);
	}
}

static void wait_one(struct worker *w, u32 way)
{
	struct fence fence;
	u64 began;
	int err = choose(w, &fence);

	if (err) {
		w->failed++;
		return;
	}
	began = host_ns();
	if (way <= FENCE_WAIT_AUTO)
		err = fence_wait(&fence, way, LONG);
	else
		err = way % 2 ? wait_poll(&fence) : wait_epoll(&fence);
	judge(w, &fence, err, began);
}

static void *wait_thread(void *arg)
{
	struct worker *w = arg;

	for (u64 i = 0; i < w->waits; i++) {
		u32 way = random_below(w, 8);

		if (way < 6)
			wait_one(w, way);
		else
			wait_several(w, way == 7);
	}
	return NULL;
}

static int channel_open(struct campaign *c, struct channel *channel,
			unsigned int number)
{
	struct queue_config queue = {
		.id = CHAN_ANY, .gp_entries = ENTRIES, .pb_words = PB_WORDS,
	};
	struct timeline_config timeline = {
		.gpu = c->gpu, .mem = &channel->sem,
		.start = -1000u * number,	/* most of them wrap	*/
	};
	int err;

	pthread_mutex_init(&channel->lock, NULL);
	err = queue_open(c->gpu, &queue, &channel->queue);
	if (!err)
		err = gpu_mem_alloc(c->gpu, 4096, MEM_COHERENT,
				    &channel->sem);
	timeline.chan = channel->queue.chan;
	timeline.ring = channel->queue.ring;
	if (!err)
		err = timeline_create(&timeline, &channel->timeline);
	if (!err)
		err = fence_emit(channel->timeline, LONG, &channel->last);
	return err;
}

static void channel_close(struct campaign *c, struct channel *channel)
{
	timeline_destroy(channel->timeline);
	gpu_mem_free(c->gpu, &channel->sem);
	queue_close(&channel->queue, LONG);
}

/* What fails here ends the program's run: nothing is undone. */
static int campaign_open(struct campaign *c)
{
	struct card_config config = {
		.chip = CARD_P40, .seed = c->fences->seed,
	};
	int err;

	sleep_slice_ns = 10 * LONG;
	c->channel = calloc(c->fences->channels, sizeof(*c->channel));
	if (!c->channel)
		return -ENOMEM;
	err = bus_direct_open(&config, &c->bus);
	if (!err)
		err = gpu_open(c->bus, &c->gpu);
	if (!err)
		err = gpu_irq_init(c->gpu);
	for (; !err && c->open < c->fences->channels; c->open++)
		err = channel_open(c, &c->channel[c->open], c->open);
	return err;
}

static void campaign_close(struct campaign *c)
{
	struct gpu_irq_stats stats;
	struct fences *f = c->fences;

	gpu_irq_stats(c->gpu, &stats);
	f->interrupts = stats.interrupts;
	f->empty = stats.spurious;
	while (c->open)
		channel_close(c, &c->channel[--c->open]);
	gpu_irq_fini(c->gpu);
	gpu_close(c->gpu);
	f->violations = bus_direct_violations_all(c->bus);
	for (int i = 0; i < PORT_MISUSES; i++)
		f->violations += port_reports(i);
	gpu_bus_close(c->bus);
	free(c->channel);
}

static void add(struct fences *f, const struct worker *w)
{
	f->done += w->waits;
	f->spurious += w->spurious;
	f->timed_out += w->timed_out;
	f->lost += w->lost;
	f->failed += w->failed;
}

int fences_run(struct fences *f)
{
	struct worker *workers = calloc(f->threads, sizeof(*workers));
	struct campaign c = { .fences = f };
	u64 began = host_ns();
	int err = workers ? campaign_open(&c) : -ENOMEM;
	unsigned int started;

	for (started = 0; !err && started < f->threads; started++) {
		struct worker *w = &workers[started];

		w->campaign = &c;
		w->random = f->seed * 7919 + started;
		w->waits = f->waits / f->threads +
			(started < f->waits % f->threads);
		err = -pthread_create(&w->thread, NULL, wait_thread, w);
	}
	if (err)
		return err;
	while (started--) {
		pthread_join(workers[started].thread, NULL);
		add(f, &workers[started]);
	}
	f->seconds = (host_ns() - began) / 1e9;
	campaign_close(&c);
	free(workers);
	return 0;
}

bool fences_clean(const struct fences *f)
{
	return f->done == f->waits && !f->spurious && !f->timed_out &&
		!f->lost && !f->failed && !f->violations && !f->empty;
}
