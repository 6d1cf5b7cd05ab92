/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The listener: condition variables for fences.  Given to the student.
 *
 * The kernel writes eventfds; it cannot signal a condition variable.  So one of
 * those who sleep does so in poll() and listens for all: their events are on
 * one eventfd, the timeline's.  When it is told, it signals those whose time
 * has come, each on a variable of its own: a broadcast would wake the others
 * for nothing.
 *
 * Who finds no listener becomes it; who leaves, and there is none, wakes one
 * who does.  What comes in between stays in the eventfd.  So there is no thread
 * besides, and who sleeps alone is woken once, as in poll().
 */
#include <sys/eventfd.h>

#include "timeline.h"

/* The eventfd, made by the first who wants it.  -ENOMEM. */
int listener_eventfd(struct timeline *timeline)
{
	int fd;

	pthread_mutex_lock(&timeline->lock);
	if (timeline->wake < 0)
		timeline->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fd = timeline->wake;
	pthread_mutex_unlock(&timeline->lock);
	return fd < 0 ? -ENOMEM : fd;
}

/* With the lock: signal those whose fence has an answer. */
static void sleepers_wake(struct timeline *timeline)
{
	struct sleeper *sleeper;

	list_for_each_entry(sleeper, &timeline->sleepers, link) {
		if (sleeper->state)
			continue;
		sleeper->state = fence_state(&sleeper->waiter.fence);
		if (sleeper->state)
			pthread_cond_signal(&sleeper->cond);
	}
}

/* With the lock, and without it while it sleeps. */
static void listener_sleep(struct timeline *timeline, u64 until)
{
	timeline->listening = true;
	pthread_mutex_unlock(&timeline->lock);
	eventfd_wait(timeline->wake, until);
	pthread_mutex_lock(&timeline->lock);
	timeline->listening = false;
	sleepers_wake(timeline);
}

/* With the lock, and without it while it sleeps. */
void sleeper_sleep(struct sleeper *sleeper, u64 until)
{
	struct timeline *timeline = sleeper->waiter.fence.timeline;
	struct timespec time = {
		until / NSEC_PER_SEC, until % NSEC_PER_SEC,
	};

	if (timeline->listening)
		pthread_cond_timedwait(&sleeper->cond, &timeline->lock, &time);
	else
		listener_sleep(timeline, until);
}

/* With the lock: out of the list; somebody else listens now. */
void sleeper_leave(struct sleeper *sleeper)
{
	struct timeline *timeline = sleeper->waiter.fence.timeline;
	struct sleeper *next;

	list_del(&sleeper->link);
	if (timeline->listening)
		return;
	list_for_each_entry(next, &timeline->sleepers, link) {
		if (!next->state) {
			pthread_cond_signal(&next->cond);
			return;
		}
	}
}
