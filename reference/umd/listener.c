/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The listener: condition variables for fences.  Given to the student.
 *
 * The kernel writes eventfds; it cannot signal a condition variable.  One
 * thread a timeline, started by the first who wants it, sleeps in poll() for
 * the nearest number that anybody waits for.  When it is told, it signals those
 * whose time has come, each on a variable of its own: a broadcast would wake
 * the others for nothing.
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "timeline.h"

/* With the lock: tell the listener that something has changed. */
void listener_wake(struct timeline *timeline)
{
	if (timeline->wake >= 0)
		eventfd_tell(timeline->wake);
}

/* With the lock: signal those whose fence has an answer. */
void sleepers_wake(struct timeline *timeline)
{
	struct sleeper *sleeper;

	list_for_each_entry(sleeper, &timeline->sleepers, link) {
		if (sleeper->state)
			continue;
		sleeper->state = fence_state(&sleeper->fence);
		if (sleeper->state)
			pthread_cond_signal(&sleeper->cond);
	}
}

/* With the lock: the nearest number that is waited for. */
static bool nearest(const struct timeline *timeline, u32 *value)
{
	const struct sleeper *sleeper;
	bool any = false;

	list_for_each_entry(sleeper, &timeline->sleepers, link) {
		u32 mine = sleeper->fence.value;

		if (sleeper->state || (any && (s32)(mine - *value) >= 0))
			continue;
		*value = mine;
		any = true;
	}
	return any;
}

/* With the lock: forget what is over. */
static void listener_disarm(struct timeline *timeline)
{
	if (timeline->event)
		gpu_event_remove(timeline->event);
	timeline->event = NULL;
}

/* With the lock: one event, for the nearest.  Is it in place? */
static bool listener_arm(struct timeline *timeline)
{
	struct gpu_event_config config = {
		.chan = timeline->config.chan, .word = timeline->word,
		.eventfd = timeline->wake,
	};

	if (!nearest(timeline, &config.value)) {
		listener_disarm(timeline);
		return true;
	}
	if (timeline->event && timeline->armed == config.value)
		return true;
	listener_disarm(timeline);
	timeline->armed = config.value;
	return !gpu_event_add(timeline->config.gpu, &config,
			      &timeline->event);
}

/* What it does.  Without an event it looks again, after a while. */
static void *listen(void *arg)
{
	struct timeline *timeline = arg;

	pthread_mutex_lock(&timeline->lock);
	while (!timeline->stop) {
		u64 until = slice_end(UINT64_MAX);

		sleepers_wake(timeline);
		if (!listener_arm(timeline))
			until = clock_ns() + NSEC_PER_MSEC;
		pthread_mutex_unlock(&timeline->lock);
		eventfd_wait(timeline->wake, until);
		pthread_mutex_lock(&timeline->lock);
	}
	listener_disarm(timeline);
	pthread_mutex_unlock(&timeline->lock);
	return NULL;
}

/* With the lock: the first who sleeps starts it.  0, -ENOMEM. */
int listener_start(struct timeline *timeline)
{
	if (timeline->listening)
		return 0;
	timeline->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (timeline->wake < 0)
		return -ENOMEM;
	if (pthread_create(&timeline->listener, NULL, listen, timeline)) {
		close(timeline->wake);
		timeline->wake = -1;
		return -ENOMEM;
	}
	timeline->listening = true;
	return 0;
}
