/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Ways to wait for a fence, without asking the card.
 *
 *   spin    look at the word.  Nothing is faster, for a wait that is short.
 *   event   an eventfd that the interrupt handler writes, and poll().  Any
 *           number of fences of any timelines is one eventfd.
 *   cond    a condition variable of one's own, signalled by whichever of those
 *           who wait so is the leader (cond.c).
 *
 * Everyone who is inside a wait, in whatever way, is counted in his timeline
 * ("spinners"); timeline_cancel() wakes all and waits until there is none.
 *
 * No wake-up is lost: who waits is in the list first and looks then; who wakes
 * changes the state first and looks at the list then.  All who wait for one
 * fence are woken by it.
 */
#include <sys/eventfd.h>
#include <unistd.h>

#include "cond.h"

/* A spin pays while sleeping and waking would take longer. */
#define AUTO_SPIN_NS	(10 * NSEC_PER_USEC)
/* Turns of a spin between two looks at the card. */
#define SPIN_TURNS	256
/* So many fences are waited for without memory from the heap. */
#define FEW		4

/* Inside a wait ----------------------------------------------------------- */

/* From here on it is not freed.  0, -ECANCELED. */
static int enter(const struct fence *fence)
{
	struct timeline *timeline = fence->timeline;
	int err = 0;

	pthread_mutex_lock(&timeline->lock);
	if (timeline->canceled)
		err = -ECANCELED;
	else
		timeline->spinners++;
	pthread_mutex_unlock(&timeline->lock);
	return err;
}

/* The last that a wait does with a timeline. */
static void leave(const struct fence *fence)
{
	struct timeline *timeline = fence->timeline;

	pthread_mutex_lock(&timeline->lock);
	if (!--timeline->spinners && timeline->canceled)
		pthread_cond_broadcast(&timeline->left);
	pthread_mutex_unlock(&timeline->lock);
}

static void leave_all(const struct fence *fence, u32 count)
{
	while (count--)
		leave(&fence[count]);
}

/* Spinning ---------------------------------------------------------------- */

/* fence_state() within this time, 0 if there is none; the last look comes
 * after it. */
static int spin(const struct fence *fence, u64 ns)
{
	u64 begin = ktime_get_ns();
	int state;
	bool late;

	for (u32 turn = 1;; turn++) {
		late = ktime_get_ns() - begin >= ns;
		state = turn % SPIN_TURNS && !late ? fence_state(fence) :
			fence_is_signaled(fence);
		if (state || late)
			return state;
		cpu_relax();
	}
}

/* One eventfd, any number of fences --------------------------------------- */

/*
 * The list is how timeline_cancel() finds us; the event looks at the word
 * itself.  0, or -errno: it is nowhere.
 */
static int waiter_add(struct waiter *waiter, const struct fence *fence,
		      int eventfd, bool lent)
{
	struct timeline *timeline = fence->timeline;
	struct gpu_event_config config = {
		.chan = timeline->config.chan, .word = timeline->word,
		.value = fence->value, .eventfd = eventfd,
	};
	int err;

	*waiter = (struct waiter){
		.fence = *fence, .eventfd = eventfd, .lent = lent,
	};
	pthread_mutex_lock(&timeline->lock);
	err = timeline->canceled ? -ECANCELED :
		gpu_event_add(timeline->config.gpu, &config, &waiter->event);
	if (!err)
		list_add_tail(&waiter->link, &timeline->waiters);
	pthread_mutex_unlock(&timeline->lock);
	return err;
}

/* With the lock: nobody writes the eventfd for this fence any more. */
static void waiter_unlink(struct waiter *waiter)
{
	list_del_init(&waiter->link);
	if (waiter->event)
		gpu_event_remove(waiter->event);
	waiter->event = NULL;
}

static void waiters_remove(struct waiter *waiters, u32 count)
{
	while (count--) {
		struct timeline *timeline = waiters[count].fence.timeline;

		pthread_mutex_lock(&timeline->lock);
		waiter_unlink(&waiters[count]);
		pthread_mutex_unlock(&timeline->lock);
	}
}

/* What several fences are waited for together. */
struct group {
	const struct fence *fence;
	u32 count;
	bool all;			/* or: until any		*/
	u32 index;			/* whose the answer is		*/
};

/* 1: done; 0: not yet; or an error: of fence index. */
static int group_state(struct group *group,
		       int (*look)(const struct fence *fence))
{
	bool pending = false;

	for (u32 i = 0; i < group->count; i++) {
		int state = look(&group->fence[i]);

		if (!state) {
			pending = true;
		} else if (state < 0 || !group->all) {
			group->index = i;
			return state;
		}
	}
	return group->all && !pending;
}

/* Sleep and look, until there is an answer or time is up. */
static int group_sleep(struct group *group, int eventfd, u64 deadline)
{
	int state;
	u64 until;

	for (;;) {
		state = group_state(group, fence_state);
		if (state)
			return state;
		until = slice_end(deadline);
		eventfd_wait(eventfd, until);
		if (clock_ns() < until)
			continue;
		state = group_state(group, fence_is_signaled);
		if (state || clock_ns() >= deadline)
			return state;
	}
}

/* Each fence gets an event.  One that cannot have any is an answer. */
static int group_listen(struct group *group, struct waiter *waiters,
			int eventfd, u64 deadline)
{
	int state = 0;
	u32 added;

	for (added = 0; added < group->count; added++) {
		state = waiter_add(&waiters[added], &group->fence[added],
				   eventfd, false);
		if (state) {
			group->index = added;
			break;
		}
	}
	if (!state)
		state = group_sleep(group, eventfd, deadline);
	waiters_remove(waiters, added);
	return state;
}

/* With all their timelines entered. */
static int group_poll(struct group *group, u64 deadline)
{
	struct waiter few[FEW], *waiters = few;
	int fd, state = -ENOMEM;

	if (group->count > FEW)
		waiters = kcalloc(group->count, sizeof(*waiters), GFP_KERNEL);
	if (!waiters)
		return -ENOMEM;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd >= 0) {
		state = group_listen(group, waiters, fd, deadline);
		close(fd);
	}
	if (waiters != few)
		kfree(waiters);
	return state;
}

/* 1, 0: time is up, or the error of fence index. */
static int group_wait(struct group *group, u64 timeout_ns)
{
	u64 deadline = deadline_after(timeout_ns);
	int state = group_state(group, timeout_ns ? fence_state :
				fence_is_signaled);
	u32 entered;

	if (state || !timeout_ns)
		return state;
	for (entered = 0; entered < group->count; entered++) {
		state = enter(&group->fence[entered]);
		if (state) {
			group->index = entered;
			break;
		}
	}
	if (entered == group->count)
		state = group_poll(group, deadline);
	leave_all(group->fence, entered);
	return state;
}

/* What the functions of fence.h return for a state. */
static int answer(int state)
{
	return state > 0 ? 0 : state ? state : -ETIMEDOUT;
}

/* See fence.h. */
int fence_wait_all(const struct fence *fence, u32 count, u64 timeout_ns)
{
	struct group group = { .fence = fence, .count = count, .all = true };

	return answer(group_wait(&group, timeout_ns));
}

/* See fence.h. */
int fence_wait_any(const struct fence *fence, u32 count, u64 timeout_ns,
		   u32 *index)
{
	struct group group = { .fence = fence, .count = count };
	int state;

	if (!count)
		return -EINVAL;
	state = group_wait(&group, timeout_ns);
	if (state && index)
		*index = group.index;
	return answer(state);
}

/* One fence --------------------------------------------------------------- */

/* fence_state(), or an error of the waiting itself. */
static int wait_poll(const struct fence *fence, u64 timeout_ns)
{
	struct group group = { .fence = fence, .count = 1 };

	return group_poll(&group, deadline_after(timeout_ns));
}

/* A short spin, then sleep for the rest; what is over is not counted. */
static int wait_auto(const struct fence *fence, u64 timeout_ns)
{
	u64 first = min(timeout_ns, AUTO_SPIN_NS), begin = ktime_get_ns(), over;
	int state = spin(fence, first);

	if (state)
		return state;
	over = ktime_get_ns() - begin;
	return over < timeout_ns ? wait_poll(fence, timeout_ns - over) : 0;
}

/* In the timeline. */
static int wait_inside(const struct fence *fence, enum fence_wait how,
		       u64 timeout_ns)
{
	switch (how) {
	case FENCE_WAIT_SPIN:
		return spin(fence, timeout_ns);
	case FENCE_WAIT_EVENT:
		return wait_poll(fence, timeout_ns);
	case FENCE_WAIT_COND:
		return wait_cond(fence, timeout_ns);
	case FENCE_WAIT_AUTO:
		return wait_auto(fence, timeout_ns);
	}
	return -EINVAL;
}

/* See fence.h. */
int fence_wait(const struct fence *fence, enum fence_wait how,
	       u64 timeout_ns)
{
	int state = timeout_ns ? fence_state(fence) : fence_is_signaled(fence);

	if (state || !timeout_ns)
		return answer(state);
	state = enter(fence);
	if (state)
		return answer(state);
	state = wait_inside(fence, how, timeout_ns);
	leave(fence);
	return answer(state);
}

/* A descriptor of one's own ----------------------------------------------- */

/*
 * An event, whose end nobody waits for inside.  A channel that is dead gives
 * none, and there is nothing to wait for: readable from the start.
 */
static int waiter_lend(struct waiter *waiter, const struct fence *fence,
		       int eventfd)
{
	struct timeline *timeline = fence->timeline;
	int err = waiter_add(waiter, fence, eventfd, true);

	if (err != -EIO)
		return err;
	eventfd_tell(eventfd);
	pthread_mutex_lock(&timeline->lock);
	list_add_tail(&waiter->link, &timeline->waiters);
	pthread_mutex_unlock(&timeline->lock);
	return 0;
}

/* See fence.h. */
int fence_fd(const struct fence *fence)
{
	struct waiter *waiter = kzalloc(sizeof(*waiter), GFP_KERNEL);
	int fd, err;

	if (!waiter)
		return -ENOMEM;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0) {
		err = -errno;
		goto free_waiter;
	}
	err = waiter_lend(waiter, fence, fd);
	if (err)
		goto close_fd;
	return fd;

close_fd:
	close(fd);
free_waiter:
	kfree(waiter);
	return err;
}

/* With the lock: the waiter that fence_fd() made. */
static struct waiter *waiter_find(struct timeline *timeline, int fd)
{
	struct waiter *waiter;

	list_for_each_entry(waiter, &timeline->waiters, link) {
		if (waiter->lent && waiter->eventfd == fd)
			return waiter;
	}
	return NULL;
}

/* See fence.h. */
void fence_close_fd(const struct fence *fence, int fd)
{
	struct timeline *timeline = fence->timeline;
	struct waiter *waiter;

	pthread_mutex_lock(&timeline->lock);
	waiter = waiter_find(timeline, fd);
	if (waiter)
		waiter_unlink(waiter);
	pthread_mutex_unlock(&timeline->lock);
	if (!waiter)
		return;
	close(fd);
	kfree(waiter);
}

/* The end ----------------------------------------------------------------- */

/*
 * With the lock: who polls hears of it; of what fence_fd() lent only the
 * descriptor is left, readable.
 */
static void waiters_cancel(struct timeline *timeline)
{
	struct waiter *waiter, *next;

	list_for_each_entry_safe(waiter, next, &timeline->waiters, link) {
		eventfd_tell(waiter->eventfd);
		if (!waiter->lent)
			continue;
		waiter_unlink(waiter);
		kfree(waiter);
	}
}

/* See timeline.h.  Say so, wake everybody, and let the last one out. */
void timeline_cancel(struct timeline *timeline)
{
	pthread_mutex_lock(&timeline->lock);
	smp_store_release(&timeline->canceled, true);
	waiters_cancel(timeline);
	cond_cancel(timeline);
	while (timeline->spinners)
		pthread_cond_wait(&timeline->left, &timeline->lock);
	cond_fini(timeline);
	pthread_mutex_unlock(&timeline->lock);
}
