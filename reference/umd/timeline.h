/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The inside of a timeline, between fence.c and wait.c.  Given to the
 * student: what each wait needs of the others is decided here.
 */
#ifndef UMD_TIMELINE_H
#define UMD_TIMELINE_H

#include <pthread.h>

#include "fence.h"

struct timeline {
	struct timeline_config config;
	struct iosys_map word;		/* the semaphore		*/

	pthread_mutex_t emit_lock;	/* the order of numbers in the ring */
	u32 emitted;			/* the last of them		*/

	pthread_mutex_t lock;		/* over what follows		*/
	bool canceled;			/* timeline_destroy() has begun	*/
	struct list_head waiters;	/* struct waiter, by link	*/
	struct list_head sleepers;	/* struct sleeper, by link	*/
	int spinners;			/* who are in no list		*/
	pthread_cond_t left;		/* one of all these has left	*/

	/* those who sleep on a condition variable: listener.c */
	int wake;			/* their eventfd, or -1		*/
	bool listening;			/* one is in poll() for all	*/
};

/* Waits by poll(): an event that writes an eventfd. */
struct waiter {
	struct list_head link;
	struct fence fence;
	struct gpu_event *event;	/* NULL: told already		*/
	int eventfd;
	bool lent;			/* by fence_fd(): nobody waits in it */
};

/* Waits on a condition variable of its own: nobody returns for another. */
struct sleeper {
	struct list_head link;
	struct waiter waiter;		/* on the listener's eventfd	*/
	pthread_cond_t cond;
	int state;			/* fence_state(), when woken	*/
};

/*
 * 1: signalled, 0: not yet, -EIO: its channel died before, -ECANCELED.
 * Memory alone is looked at.
 */
int fence_state(const struct fence *fence);

/* sleep.c: the clock that sleeping runs on; a time-out as a time, saturated;
 * where a sleep that may last until deadline ends, to look at the card. */
u64 clock_ns(void);
u64 deadline_after(u64 timeout_ns);
u64 slice_end(u64 deadline);
/* A slice; a campaign that looks for lost wake-ups makes it long. */
extern u64 sleep_slice_ns;
/* A condition variable whose time-outs are on that clock. */
void sleep_cond_init(pthread_cond_t *cond);
/* Sleep until it is readable or that time has come; empty it.  Make it
 * readable. */
void eventfd_wait(int eventfd, u64 until);
void eventfd_tell(int eventfd);

/* listener.c.  The eventfd for the events of those who sleep on a condition,
 * or -ENOMEM; without the lock. */
int listener_eventfd(struct timeline *timeline);
/*
 * With the lock, in the list.  Sleep until there may be an answer, which is
 * then in state, or that time has come; the lock is let go meanwhile.  Leave
 * the list; another one listens, if this one did.
 */
void sleeper_sleep(struct sleeper *sleeper, u64 until);
void sleeper_leave(struct sleeper *sleeper);

/* wait.c: every wait ends with -ECANCELED, or has ended, at return. */
void timeline_cancel(struct timeline *timeline);

#endif
