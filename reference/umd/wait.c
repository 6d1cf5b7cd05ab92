/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Ways to wait for a fence, without asking the card.
 *
 *   spin    look at the word.  Nothing is faster, for a wait that is short.
 *   event   an eventfd that the interrupt handler writes, and poll().  Any
 *           number of fences of any timelines is one eventfd.
 *   cond    a condition variable of one's own; one of those who sleep so
 *           listens to an eventfd, and signals the others (listener.c).
 *
 * No wake-up is lost: who waits is in the list first and looks then; who wakes
 * changes the state first and looks at the list then.  None is spurious: nobody
 * returns for a number not his.  All who wait for one fence are woken by it.
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "timeline.h"

/* A spin pays while sleeping and waking would take longer. */
#define AUTO_SPIN_NS	(10 * NSEC_PER_USEC)
/* Turns of a spin between two looks at the card. */
#define SPIN_TURNS	256

/* Spinning ----------------------------------------------------------------- */

/* LAB 03: be known to timeline_destroy(). */
static void spinners_add(struct timeline *timeline, int change)
{
	pthread_mutex_lock(&timeline->lock);
	timeline->spinners += change;
	pthread_cond_broadcast(&timeline->left);
	pthread_mutex_unlock(&timeline->lock);
}

/* LAB 03: 0: signalled, -ETIMEDOUT, or an error. */
static int spin(const struct fence *fence, u64 timeout_ns)
{
	u64 start = ktime_get_ns();

	for (unsigned int turn = 1;; turn++) {
		bool late = ktime_get_ns() - start >= timeout_ns;
		int state = fence_state(fence);

		if (!state && (late || turn % SPIN_TURNS == 0))
			state = fence_is_signaled(fence);
		if (state)
			return state < 0 ? state : 0;
		if (late)
			return -ETIMEDOUT;
		cpu_relax();
	}
}

/* One eventfd, any number of fences ---------------------------------------- */

/*
 * LAB 03: into the timeline's list, so that timeline_destroy() knows us, and
 * the event, which looks at the word itself.  0, -EIO, -ECANCELED, -ENOMEM.
 */
static int waiter_add(struct waiter *waiter, const struct fence *fence,
		      int eventfd)
{
	struct timeline *timeline = fence->timeline;
	struct gpu_event_config config = {
		.chan = timeline->config.chan, .word = timeline->word,
		.value = fence->value, .eventfd = eventfd,
	};
	int err;

	waiter->fence = *fence;
	waiter->eventfd = eventfd;
	waiter->event = NULL;
	pthread_mutex_lock(&timeline->lock);
	if (timeline->canceled)
		err = -ECANCELED;
	else
		err = gpu_event_add(timeline->config.gpu, &config,
				    &waiter->event);
	if (!err)
		list_add_tail(&waiter->link, &timeline->waiters);
	pthread_mutex_unlock(&timeline->lock);
	return err;
}

/* LAB 03: afterwards nobody writes the eventfd for this fence. */
static void waiter_remove(struct waiter *waiter)
{
	struct timeline *timeline = waiter->fence.timeline;

	if (waiter->event)
		gpu_event_remove(waiter->event);
	pthread_mutex_lock(&timeline->lock);
	list_del(&waiter->link);
	pthread_cond_broadcast(&timeline->left);
	pthread_mutex_unlock(&timeline->lock);
}

/*
 * LAB 03: of all or of any, what is there to say?  1: done, *index is the
 * one; 0: not yet; or an error, of *index.
 */
static int fences_state(const struct fence *fence, u32 count, bool all,
			int (*look)(const struct fence *fence), u32 *index)
{
	u32 signaled = 0;

	for (u32 i = 0; i < count; i++) {
		int state = look(&fence[i]);

		if (state < 0 || (state > 0 && !all)) {
			*index = i;
			return state;
		}
		signaled += state;
	}
	return signaled == count;
}

/* LAB 03: sleep and look, until there is an answer or time is up. */
static int fences_sleep(const struct fence *fence, u32 count, bool all,
			int eventfd, u64 deadline, u32 *index)
{
	for (;;) {
		u64 until = slice_end(deadline);
		int (*look)(const struct fence *fence);
		int state;

		eventfd_wait(eventfd, until);
		look = clock_ns() < until ? fence_state : fence_is_signaled;
		state = fences_state(fence, count, all, look, index);
		if (state)
			return state < 0 ? state : 0;
		if (clock_ns() >= deadline)
			return -ETIMEDOUT;
	}
}

/*
 * LAB 03: one event for each fence.  A fence that cannot be waited for says so
 * now: that is an answer like any.
 */
static int fences_listen(const struct fence *fence, u32 count, bool all,
			 u64 deadline, u32 *index)
{
	struct waiter *waiters = kcalloc(count, sizeof(*waiters), GFP_KERNEL);
	int fd, err = -ENOMEM;
	u32 added;

	if (!waiters)
		return -ENOMEM;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0)
		goto free_waiters;
	for (added = 0; added < count; added++) {
		err = waiter_add(&waiters[added], &fence[added], fd);
		if (err)
			break;
	}
	*index = added;
	if (!err)
		err = fences_sleep(fence, count, all, fd, deadline, index);
	while (added--)
		waiter_remove(&waiters[added]);
	close(fd);
free_waiters:
	kfree(waiters);
	return err;
}

/* LAB 03: 0, -ETIMEDOUT, or the error of fence *index. */
static int fences_wait(const struct fence *fence, u32 count, bool all,
		       u64 timeout_ns, u32 *index)
{
	int state;

	if (count == 0)
		return -EINVAL;
	*index = 0;
	state = fences_state(fence, count, all, timeout_ns ? fence_state :
			     fence_is_signaled, index);
	if (state)
		return state < 0 ? state : 0;
	if (timeout_ns == 0)
		return -ETIMEDOUT;
	return fences_listen(fence, count, all, deadline_after(timeout_ns),
			     index);
}

/* LAB 03: see fence.h. */
int fence_wait_all(const struct fence *fence, u32 count, u64 timeout_ns)
{
	u32 index;

	return fences_wait(fence, count, true, timeout_ns, &index);
}

/* LAB 03: see fence.h. */
int fence_wait_any(const struct fence *fence, u32 count, u64 timeout_ns,
		   u32 *index)
{
	return fences_wait(fence, count, false, timeout_ns, index);
}

/* A condition variable ----------------------------------------------------- */

/* LAB 03: with the lock: until the fence has an answer, or time is up. */
static int sleeper_wait(struct sleeper *sleeper, u64 deadline)
{
	while (!sleeper->state) {
		u64 until = slice_end(deadline);

		sleeper_sleep(sleeper, until);
		if (!sleeper->state && clock_ns() >= until)
			sleeper->state =
				fence_is_signaled(&sleeper->waiter.fence);
		if (!sleeper->state && clock_ns() >= deadline)
			return -ETIMEDOUT;
	}
	return sleeper->state < 0 ? sleeper->state : 0;
}

/* LAB 03: an event, a place in the list, and then the look. */
static int sleeper_run(struct sleeper *sleeper, const struct fence *fence,
		       u64 deadline)
{
	struct timeline *timeline = fence->timeline;
	int fd = listener_eventfd(timeline), err;

	if (fd < 0)
		return fd;
	err = waiter_add(&sleeper->waiter, fence, fd);
	if (err)
		return err;
	pthread_mutex_lock(&timeline->lock);
	list_add_tail(&sleeper->link, &timeline->sleepers);
	sleeper->state = fence_state(fence);
	err = sleeper_wait(sleeper, deadline);
	sleeper_leave(sleeper);
	pthread_mutex_unlock(&timeline->lock);
	waiter_remove(&sleeper->waiter);
	return err;
}

/* LAB 03: 0: signalled, -ETIMEDOUT, or an error. */
static int wait_cond(const struct fence *fence, u64 timeout_ns)
{
	int err = timeout_ns ? fence_state(fence) : fence_is_signaled(fence);
	struct sleeper sleeper = { .state = 0 };

	if (err)
		return err < 0 ? err : 0;
	if (timeout_ns == 0)
		return -ETIMEDOUT;
	sleep_cond_init(&sleeper.cond);
	err = sleeper_run(&sleeper, fence, deadline_after(timeout_ns));
	pthread_cond_destroy(&sleeper.cond);
	return err;
}

/*
 * LAB 03: spin for a while, then sleep for the rest.  What is over is not
 * counted; and between the two nobody may believe that we have left.
 */
static int wait_spin(const struct fence *fence, u64 first, u64 timeout_ns)
{
	int err = fence_state(fence);
	u32 index;

	if (err)
		return err < 0 ? err : 0;
	spinners_add(fence->timeline, 1);
	err = spin(fence, first);
	if (err == -ETIMEDOUT && timeout_ns > first)
		err = fences_wait(fence, 1, true, timeout_ns - first, &index);
	spinners_add(fence->timeline, -1);
	return err;
}

/* LAB 03: see fence.h. */
int fence_wait(const struct fence *fence, enum fence_wait how,
	       u64 timeout_ns)
{
	u32 index;

	switch (how) {
	case FENCE_WAIT_SPIN:
		return wait_spin(fence, timeout_ns, timeout_ns);
	case FENCE_WAIT_COND:
		return wait_cond(fence, timeout_ns);
	case FENCE_WAIT_AUTO:
		return wait_spin(fence, min(timeout_ns, AUTO_SPIN_NS),
				 timeout_ns);
	case FENCE_WAIT_EVENT:
		return fences_wait(fence, 1, true, timeout_ns, &index);
	}
	return -EINVAL;
}

/* A descriptor of one's own ------------------------------------------------ */

/*
 * LAB 03: with no event, for a channel that is dead: readable from the start.
 */
static int waiter_add_dead(struct waiter *waiter)
{
	struct timeline *timeline = waiter->fence.timeline;

	pthread_mutex_lock(&timeline->lock);
	list_add_tail(&waiter->link, &timeline->waiters);
	pthread_mutex_unlock(&timeline->lock);
	eventfd_tell(waiter->eventfd);
	return 0;
}

/* LAB 03: see fence.h. */
int fence_fd(const struct fence *fence)
{
	struct waiter *waiter = kzalloc(sizeof(*waiter), GFP_KERNEL);
	int fd, err;

	if (!waiter)
		return -ENOMEM;
	waiter->lent = true;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = fd < 0 ? -ENOMEM : waiter_add(waiter, fence, fd);
	if (err == -EIO)
		err = waiter_add_dead(waiter);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	kfree(waiter);
	return err;
}

/* LAB 03: the waiter that fence_fd() made. */
static struct waiter *waiter_find(struct timeline *timeline, int fd)
{
	struct waiter *waiter, *found = NULL;

	pthread_mutex_lock(&timeline->lock);
	list_for_each_entry(waiter, &timeline->waiters, link) {
		if (waiter->lent && waiter->eventfd == fd)
			found = waiter;
	}
	pthread_mutex_unlock(&timeline->lock);
	return found;
}

/* LAB 03: see fence.h. */
void fence_close_fd(const struct fence *fence, int fd)
{
	struct waiter *waiter = waiter_find(fence->timeline, fd);

	if (!waiter)
		return;
	waiter_remove(waiter);
	kfree(waiter);
	close(fd);
}

/* The end ------------------------------------------------------------------ */

/*
 * LAB 03: with the lock: those who wait hear of it; what fence_fd() lent is
 * readable, and only the descriptor is left of it.
 */
static void waiters_cancel(struct timeline *timeline)
{
	struct waiter *waiter, *next;

	list_for_each_entry_safe(waiter, next, &timeline->waiters, link) {
		eventfd_tell(waiter->eventfd);
		if (!waiter->lent)
			continue;
		if (waiter->event)
			gpu_event_remove(waiter->event);
		list_del(&waiter->link);
		kfree(waiter);
	}
}

/*
 * LAB 03: see timeline.h.  Say so, wake everybody, and wait until the last
 * has taken his hands off.
 */
void timeline_cancel(struct timeline *timeline)
{
	pthread_mutex_lock(&timeline->lock);
	__atomic_store_n(&timeline->canceled, true, __ATOMIC_RELAXED);
	waiters_cancel(timeline);
	while (!list_empty(&timeline->waiters) || timeline->spinners)
		pthread_cond_wait(&timeline->left, &timeline->lock);
	pthread_mutex_unlock(&timeline->lock);

	if (timeline->wake >= 0)
		close(timeline->wake);
}
