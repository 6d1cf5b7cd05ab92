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

	/* the listener, for those who sleep on a condition variable */
	pthread_t listener;
	bool listening, stop;
	int wake;			/* its eventfd, or -1		*/
	struct gpu_event *event;	/* … is told when the word …	*/
	u32 armed;			/* … reaches this		*/
};

/* Waits by poll(): an event that writes an eventfd. */
struct waiter {
	struct list_head link;
	struct fence fence;
	struct gpu_event *event;	/* NULL: told already		*/
	int eventfd;
	bool lent;			/* by fence_fd(): nobody waits in it */
};

/* Waits on a condition variable of its own: nobody is woken for another. */
struct sleeper {
	struct list_head link;
	struct fence fence;
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

/*
 * listener.c, with the lock held.  Start it, if it is not: 0, -ENOMEM.  Have
 * it look at the list of sleepers.  Signal those whose fence has an answer,
 * which is then in their state.
 */
int listener_start(struct timeline *timeline);
void listener_wake(struct timeline *timeline);
void sleepers_wake(struct timeline *timeline);

/* wait.c: every wait ends with -ECANCELED, or has ended, at return; nor is
 * there a listener any more. */
void timeline_cancel(struct timeline *timeline);

#endif
