/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Waiting on a condition variable, without a thread that signals it.
 *
 * The kernel writes eventfds and no condition variables.  So of those who
 * wait in this way one is the leader: he sleeps on the timeline's eventfd, and
 * the others follow.  When he is told he signals those whose time has come,
 * each on a variable of his own; and who leaves the lead signals one who
 * stays.
 *
 * There is one event, however many wait: it stands at the nearest number.  A
 * newcomer with a nearer one moves it himself, and so disturbs nobody; an
 * event looks at the word when it is added, so nothing is lost on its way.
 *
 * "With the lock" is the timeline's.  It is let go while somebody sleeps, and
 * only then: in the list, and looked, is one step for all others.
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "cond.h"

/* Who could not have an event looks again so soon. */
#define RETRY_NS	(NSEC_PER_MSEC / 2)

/* One of those in timeline->sleepers. */
struct follower {
	struct list_head link;
	struct fence fence;
	pthread_cond_t cond;
	int state;			/* fence_state(), when signalled */
};

/* With the lock: signal those whose fence has an answer. */
static void followers_wake(struct timeline *timeline)
{
	struct follower *follower;

	list_for_each_entry(follower, &timeline->sleepers, link) {
		if (follower->state)
			continue;
		follower->state = fence_state(&follower->fence);
		if (follower->state)
			pthread_cond_signal(&follower->cond);
	}
}

/* With the lock: the nearest number that somebody still waits for. */
static bool nearest(const struct timeline *timeline, u32 *value)
{
	const struct follower *follower, *best = NULL;

	list_for_each_entry(follower, &timeline->sleepers, link) {
		if (!follower->state && (!best ||
		    (s32)(follower->fence.value - best->fence.value) < 0))
			best = follower;
	}
	if (best)
		*value = best->fence.value;
	return best;
}

/* With the lock: the event stands there, or nobody needs one. */
static void event_move(struct timeline *timeline)
{
	struct line *line = line_of(timeline);
	struct gpu_event_config config = {
		.chan = timeline->config.chan, .word = timeline->word,
		.eventfd = timeline->wake,
	};
	bool wanted = nearest(timeline, &config.value);

	if (line->event && wanted && line->armed == config.value)
		return;
	if (line->event)
		gpu_event_remove(line->event);
	line->event = NULL;
	line->armed = config.value;
	if (wanted && gpu_event_add(timeline->config.gpu, &config,
				    &line->event))
		line->event = NULL;
}

/* With the lock, which is let go: sleep for all.  Whose event failed (no
 * memory, a channel that just died) does not sleep for long. */
static void lead(struct timeline *timeline, u64 until)
{
	timeline->listening = true;
	if (!line_of(timeline)->event)
		until = min(until, clock_ns() + RETRY_NS);
	pthread_mutex_unlock(&timeline->lock);
	eventfd_wait(timeline->wake, until);
	pthread_mutex_lock(&timeline->lock);
	timeline->listening = false;
	followers_wake(timeline);
	event_move(timeline);
}

/* With the lock, which is let go: until the leader says so. */
static void follow(struct follower *follower, u64 until)
{
	struct timespec time = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};

	pthread_cond_timedwait(&follower->cond,
			       &follower->fence.timeline->lock, &time);
}

/* With the lock: somebody has to lead those who are left. */
static void lead_on(struct timeline *timeline)
{
	struct follower *follower;

	if (timeline->listening)
		return;
	list_for_each_entry(follower, &timeline->sleepers, link) {
		if (follower->state)
			continue;
		pthread_cond_signal(&follower->cond);
		return;
	}
}

/* With the lock, in the list: look and sleep. */
static int follower_wait(struct follower *follower, u64 deadline)
{
	struct timeline *timeline = follower->fence.timeline;
	int state;
	u64 until;

	for (;;) {
		state = fence_state(&follower->fence);
		if (state)
			return state;
		until = slice_end(deadline);
		if (timeline->listening)
			follow(follower, until);
		else
			lead(timeline, until);
		if (follower->state)
			return follower->state;
		if (clock_ns() < until)
			continue;
		state = fence_is_signaled(&follower->fence);
		if (state || clock_ns() >= deadline)
			return state;
	}
}

/* See cond.h. */
int wait_cond(const struct fence *fence, u64 timeout_ns)
{
	struct timeline *timeline = fence->timeline;
	struct follower follower = { .fence = *fence };
	u64 deadline = deadline_after(timeout_ns);
	int state = -ENOMEM;

	sleep_cond_init(&follower.cond);
	pthread_mutex_lock(&timeline->lock);
	if (timeline->wake < 0)
		timeline->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (timeline->wake >= 0) {
		list_add_tail(&follower.link, &timeline->sleepers);
		event_move(timeline);
		state = follower_wait(&follower, deadline);
		list_del(&follower.link);
		event_move(timeline);
		lead_on(timeline);
	}
	pthread_mutex_unlock(&timeline->lock);
	pthread_cond_destroy(&follower.cond);
	return state;
}

/* See cond.h. */
void cond_cancel(struct timeline *timeline)
{
	followers_wake(timeline);
	if (timeline->wake >= 0)
		eventfd_tell(timeline->wake);
}

/* See cond.h. */
void cond_fini(struct timeline *timeline)
{
	if (timeline->wake >= 0)
		close(timeline->wake);
	timeline->wake = -1;
}
