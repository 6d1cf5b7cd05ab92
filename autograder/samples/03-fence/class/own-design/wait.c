/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Waiting, another way: nobody has an eventfd of his own.
 *
 * One thread for the whole process sleeps in epoll_wait() on one eventfd a
 * timeline.  All who wait sleep on one condition variable; when anything has
 * happened the poller wakes them all, and each looks at his own fences.  Who
 * comes to wait writes the poller's own eventfd, so that it sees which number
 * is the nearest now.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "timeline.h"

#define LOOK_NS		(50 * NSEC_PER_MSEC)	/* is the card there? */
#define SPIN_NS		(5 * NSEC_PER_USEC)

/* Somebody who waits: for one of these fences, or for all. */
struct want {
	struct want *next;
	const struct fence *fence;
	u32 count;
};

/* A timeline that somebody waits or waited for; its eventfd is "wake". */
struct member {
	struct member *next;
	struct timeline *timeline;
	struct gpu_event *event;	/* … is told when the word …	*/
	u32 armed;			/* … reaches this		*/
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct member *members;
	struct want *wants;
	pthread_t thread;
	int epfd, kick;
	bool running, stop;
} poller = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static void tell(int fd)
{
	u64 one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		pr_err("write: %d\n", errno);
}

/* --- the poller, with its lock ------------------------------------------ */

static bool nearest(const struct timeline *timeline, u32 *value)
{
	bool found = false;

	for (struct want *want = poller.wants; want; want = want->next) {
		for (u32 i = 0; i < want->count; i++) {
			const struct fence *fence = &want->fence[i];

			if (fence->timeline != timeline ||
			    fence_state(fence))
				continue;
			if (!found || (s32)(fence->value - *value) < 0)
				*value = fence->value;
			found = true;
		}
	}
	return found;
}

static void disarm(struct member *member)
{
	if (member->event)
		gpu_event_remove(member->event);
	member->event = NULL;
}

/* False: the poller must look again soon. */
static bool arm(struct member *member)
{
	struct timeline *timeline = member->timeline;
	struct gpu_event_config config = {
		.chan = timeline->config.chan, .word = timeline->word,
		.eventfd = timeline->wake,
	};
	int err;

	if (!nearest(timeline, &config.value)) {
		disarm(member);
		return true;
	}
	if (member->event && member->armed == config.value)
		return true;
	disarm(member);
	member->armed = config.value;
	err = gpu_event_add(timeline->config.gpu, &config, &member->event);
	if (err)
		member->event = NULL;
	return !err;
}

static bool arm_all(void)
{
	bool calm = true;

	for (struct member *m = poller.members; m; m = m->next)
		calm &= arm(m);
	return calm;
}

static void drain(const struct epoll_event *event, int count)
{
	u64 value;

	for (int i = 0; i < count; i++) {
		if (read(event[i].data.fd, &value, sizeof(value)) < 0)
			pr_debug("read: %d\n", errno);
	}
}

static void *poller_main(void *arg)
{
	struct epoll_event event[8];

	pthread_mutex_lock(&poller.lock);
	while (!poller.stop) {
		int timeout = arm_all() ? -1 : 1, count;

		/* Something may have come while it was armed. */
		pthread_cond_broadcast(&poller.changed);
		pthread_mutex_unlock(&poller.lock);
		count = epoll_wait(poller.epfd, event, 8, timeout);
		pthread_mutex_lock(&poller.lock);
		drain(event, count);
	}
	pthread_mutex_unlock(&poller.lock);
	return arg;
}

static int watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(poller.epfd, EPOLL_CTL_ADD, fd, &event);
}

static int poller_start(void)
{
	poller.epfd = epoll_create1(EPOLL_CLOEXEC);
	if (poller.epfd < 0)
		return -ENOMEM;
	poller.kick = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (poller.kick < 0)
		goto close_epoll;
	if (watch(poller.kick) ||
	    pthread_create(&poller.thread, NULL, poller_main, NULL))
		goto close_kick;
	poller.running = true;
	return 0;

close_kick:
	close(poller.kick);
close_epoll:
	close(poller.epfd);
	return -ENOMEM;
}

/* The lock is let go for it. */
static void poller_stop(void)
{
	poller.stop = true;
	tell(poller.kick);
	pthread_mutex_unlock(&poller.lock);
	pthread_join(poller.thread, NULL);
	pthread_mutex_lock(&poller.lock);
	close(poller.kick);
	close(poller.epfd);
	poller.running = poller.stop = false;
	pthread_cond_broadcast(&poller.changed);
}

/* With the lock: the poller looks after it from now on. */
static int join(struct timeline *timeline)
{
	struct member *member;
	int fd;

	while (poller.stop)
		pthread_cond_wait(&poller.changed, &poller.lock);
	if (timeline->wake >= 0)
		return 0;
	member = kzalloc(sizeof(*member), GFP_KERNEL);
	fd = member ? eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) : -1;
	if (fd < 0)
		goto free_member;
	if (!poller.running && poller_start())
		goto close_fd;
	if (watch(fd))
		goto stop_poller;
	timeline->wake = fd;
	member->timeline = timeline;
	member->next = poller.members;
	poller.members = member;
	return 0;

stop_poller:
	if (!poller.members)
		poller_stop();
close_fd:
	close(fd);
free_member:
	kfree(member);
	return -ENOMEM;
}

/* With the lock. */
static void leave(struct timeline *timeline)
{
	struct member **link = &poller.members, *member;

	if (timeline->wake < 0)
		return;
	while ((*link)->timeline != timeline)
		link = &(*link)->next;
	member = *link;
	*link = member->next;
	disarm(member);
	kfree(member);
	epoll_ctl(poller.epfd, EPOLL_CTL_DEL, timeline->wake, NULL);
	close(timeline->wake);
	if (!poller.members)
		poller_stop();
}

/* What was given away is readable from now on, and nobody writes it. */
static void gifts_end(struct timeline *timeline)
{
	struct waiter *gift, *next;

	list_for_each_entry_safe(gift, next, &timeline->waiters, link) {
		if (gift->event)
			gpu_event_remove(gift->event);
		tell(gift->eventfd);
		list_del(&gift->link);
		kfree(gift);
	}
}

void timeline_cancel(struct timeline *timeline)
{
	pthread_mutex_lock(&poller.lock);
	__atomic_store_n(&timeline->canceled, true, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&poller.changed);
	while (timeline->spinners)
		pthread_cond_wait(&poller.changed, &poller.lock);
	leave(timeline);
	gifts_end(timeline);
	pthread_mutex_unlock(&poller.lock);
}

/* --- who waits ----------------------------------------------------------- */

/* With the lock: they are in use, so that none goes away. */
static void use(const struct fence *fence, u32 count, int more)
{
	for (u32 i = 0; i < count; i++)
		fence[i].timeline->spinners += more;
	pthread_cond_broadcast(&poller.changed);
}

/* 1: there is an answer, 0: not yet; an error.  *index: whose it is. */
static int look(const struct fence *fence, u32 count, bool all, u32 *index)
{
	u32 done = 0;

	for (u32 i = 0; i < count; i++) {
		int state = fence_state(&fence[i]);

		if (state < 0 || (state && !all)) {
			*index = i;
			return state;
		}
		done += state != 0;
	}
	return done == count;
}

static int lost(const struct fence *fence, u32 count)
{
	for (u32 i = 0; i < count; i++) {
		if (fence_is_signaled(&fence[i]) == -ENODEV)
			return -ENODEV;
	}
	return 0;
}

static struct timespec time_of(u64 ns)
{
	return (struct timespec){
		ns / NSEC_PER_SEC, ns % NSEC_PER_SEC,
	};
}

/* With the lock. */
static int sleep_for(const struct fence *fence, u32 count, bool all,
		     u64 until, u32 *index)
{
	for (;;) {
		int state = look(fence, count, all, index);
		u64 now = ktime_get_ns();
		struct timespec time;

		if (state)
			return state < 0 ? state : 0;
		if (now >= until)
			return lost(fence, count) ?: -ETIMEDOUT;
		time = time_of(min(until, now + LOOK_NS));
		if (pthread_cond_timedwait(&poller.changed, &poller.lock,
					   &time) && lost(fence, count))
			return -ENODEV;
	}
}

static void want_remove(struct want *want)
{
	struct want **link = &poller.wants;

	while (*link != want)
		link = &(*link)->next;
	*link = want->next;
}

static int wait_for(const struct fence *fence, u32 count, bool all,
		    u64 timeout_ns, u32 *index)
{
	struct want want = { .fence = fence, .count = count };
	u64 now = ktime_get_ns(), until = now + timeout_ns;
	int err;

	if (!count)
		return -EINVAL;
	err = look(fence, count, all, index);
	if (err)
		return err < 0 ? err : 0;
	if (!timeout_ns)
		return lost(fence, count) ?: -ETIMEDOUT;
	if (until < now)
		until = UINT64_MAX;
	pthread_mutex_lock(&poller.lock);
	for (u32 i = 0; i < count && !err; i++)
		err = join(fence[i].timeline);
	if (!err) {
		use(fence, count, 1);
		want.next = poller.wants;
		poller.wants = &want;
		tell(poller.kick);
		err = sleep_for(fence, count, all, until, index);
		want_remove(&want);
		use(fence, count, -1);
	}
	pthread_mutex_unlock(&poller.lock);
	return err;
}

static int spin_for(const struct fence *fence, u64 timeout_ns)
{
	u64 start = ktime_get_ns();

	for (;;) {
		bool late = ktime_get_ns() - start >= timeout_ns;
		int state = fence_is_signaled(fence);

		if (state)
			return state < 0 ? state : 0;
		if (late)
			return -ETIMEDOUT;
		cpu_relax();
	}
}

static int spin(const struct fence *fence, u64 timeout_ns)
{
	int err;

	pthread_mutex_lock(&poller.lock);
	use(fence, 1, 1);
	pthread_mutex_unlock(&poller.lock);
	err = spin_for(fence, timeout_ns);
	pthread_mutex_lock(&poller.lock);
	use(fence, 1, -1);
	pthread_mutex_unlock(&poller.lock);
	return err;
}

int fence_wait(const struct fence *fence, enum fence_wait how, u64 timeout_ns)
{
	u32 index;
	int err;

	if (how == FENCE_WAIT_SPIN)
		return spin(fence, timeout_ns);
	if (how == FENCE_WAIT_AUTO && timeout_ns > SPIN_NS) {
		err = spin(fence, SPIN_NS);
		if (err != -ETIMEDOUT)
			return err;
		timeout_ns -= SPIN_NS;
	}
	return wait_for(fence, 1, true, timeout_ns, &index);
}

int fence_wait_all(const struct fence *fence, u32 count, u64 timeout_ns)
{
	u32 index;

	return wait_for(fence, count, true, timeout_ns, &index);
}

int fence_wait_any(const struct fence *fence, u32 count, u64 timeout_ns,
		   u32 *index)
{
	return wait_for(fence, count, false, timeout_ns, index);
}

/* --- descriptors ---------------------------------------------------------- */

int fence_fd(const struct fence *fence)
{
	struct timeline *timeline = fence->timeline;
	struct waiter *gift = kzalloc(sizeof(*gift), GFP_KERNEL);
	struct gpu_event_config config = {
		.chan = timeline->config.chan, .word = timeline->word,
		.value = fence->value,
	};
	int err = -ENOMEM, fd;

	if (!gift)
		return -ENOMEM;
	fd = gift->eventfd = config.eventfd =
		eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (fd < 0)
		goto free_gift;
	err = gpu_event_add(timeline->config.gpu, &config, &gift->event);
	if (err == -EIO) {
		gift->event = NULL;
		tell(fd);
	} else if (err) {
		goto close_fd;
	}
	pthread_mutex_lock(&poller.lock);
	list_add_tail(&gift->link, &timeline->waiters);
	pthread_mutex_unlock(&poller.lock);
	return fd;

close_fd:
	close(fd);
free_gift:
	kfree(gift);
	return err;
}

void fence_close_fd(const struct fence *fence, int fd)
{
	struct waiter *gift, *found = NULL;

	pthread_mutex_lock(&poller.lock);
	list_for_each_entry(gift, &fence->timeline->waiters, link) {
		if (gift->eventfd == fd)
			found = gift;
	}
	if (found)
		list_del(&found->link);
	pthread_mutex_unlock(&poller.lock);
	if (!found)
		return;
	if (found->event)
		gpu_event_remove(found->event);
	kfree(found);
	close(fd);
}
