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
}

/* LAB 03: 0: signalled, -ETIMEDOUT, or an error. */
static int spin(const struct fence *fence, u64 timeout_ns)
{
	return -ENOSYS;
}

/* One eventfd, any number of fences ---------------------------------------- */

/*
 * LAB 03: into the timeline's list, so that timeline_destroy() knows us, and
 * the event, which looks at the word itself.  0, -EIO, -ECANCELED, -ENOMEM.
 */
static int waiter_add(struct waiter *waiter, const struct fence *fence,
		      int eventfd)
{
	return -ENOSYS;
}

/* LAB 03: afterwards nobody writes the eventfd for this fence. */
static void waiter_remove(struct waiter *waiter)
{
}

/*
 * LAB 03: of all or of any, what is there to say?  1: done, *index is the
 * one; 0: not yet; or an error, of *index.
 */
static int fences_state(const struct fence *fence, u32 count, bool all,
			int (*look)(const struct fence *fence), u32 *index)
{
	return -ENOSYS;
}

/* LAB 03: sleep and look, until there is an answer or time is up. */
static int fences_sleep(const struct fence *fence, u32 count, bool all,
			int eventfd, u64 deadline, u32 *index)
{
	return -ENOSYS;
}

/*
 * LAB 03: one event for each fence.  A fence that cannot be waited for says so
 * now: that is an answer like any.
 */
static int fences_listen(const struct fence *fence, u32 count, bool all,
			 u64 deadline, u32 *index)
{
	return -ENOSYS;
}

/* LAB 03: 0, -ETIMEDOUT, or the error of fence *index. */
static int fences_wait(const struct fence *fence, u32 count, bool all,
		       u64 timeout_ns, u32 *index)
{
	return -ENOSYS;
}

/* LAB 03: see fence.h. */
int fence_wait_all(const struct fence *fence, u32 count, u64 timeout_ns)
{
	return -ENOSYS;
}

/* LAB 03: see fence.h. */
int fence_wait_any(const struct fence *fence, u32 count, u64 timeout_ns,
		   u32 *index)
{
	return -ENOSYS;
}

/* A condition variable ----------------------------------------------------- */

/* LAB 03: with the lock: until the fence has an answer, or time is up. */
static int sleeper_wait(struct sleeper *sleeper, u64 deadline)
{
	return -ENOSYS;
}

/* LAB 03: an event, a place in the list, and then the look. */
static int sleeper_run(struct sleeper *sleeper, const struct fence *fence,
		       u64 deadline)
{
	return -ENOSYS;
}

/* LAB 03: 0: signalled, -ETIMEDOUT, or an error. */
static int wait_cond(const struct fence *fence, u64 timeout_ns)
{
	return -ENOSYS;
}

/*
 * LAB 03: spin for a while, then sleep for the rest.  What is over is not
 * counted; and between the two nobody may believe that we have left.
 */
static int wait_spin(const struct fence *fence, u64 first, u64 timeout_ns)
{
	return -ENOSYS;
}

/* LAB 03: see fence.h. */
int fence_wait(const struct fence *fence, enum fence_wait how,
	       u64 timeout_ns)
{
	return -ENOSYS;
}

/* A descriptor of one's own ------------------------------------------------ */

/*
 * LAB 03: with no event, for a channel that is dead: readable from the start.
 */
static int waiter_add_dead(struct waiter *waiter)
{
	return -ENOSYS;
}

/* LAB 03: see fence.h. */
int fence_fd(const struct fence *fence)
{
	return -ENOSYS;
}

/* LAB 03: the waiter that fence_fd() made. */
static struct waiter *waiter_find(struct timeline *timeline, int fd)
{
	return NULL;
}

/* LAB 03: see fence.h. */
void fence_close_fd(const struct fence *fence, int fd)
{
}

/* The end ------------------------------------------------------------------ */

/*
 * LAB 03: with the lock: those who wait hear of it; what fence_fd() lent is
 * readable, and only the descriptor is left of it.
 */
static void waiters_cancel(struct timeline *timeline)
{
}

/*
 * LAB 03: see timeline.h.  Say so, wake everybody, and wait until the last
 * has taken his hands off.
 */
void timeline_cancel(struct timeline *timeline)
{
}
