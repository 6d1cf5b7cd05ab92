/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Wait queues and completions: sleep until a condition holds.
 *
 * The condition is looked at under the queue's lock, and a wake-up takes that
 * lock: one that comes between the look and the sleep is not lost.  Mind what
 * the forms with a time-out return: 0 when time is up, and what is left of
 * it, at least 1, when the condition holds.
 */
#ifndef PORT_WAIT_H
#define PORT_WAIT_H

#include <pthread.h>

#include "context.h"
#include "types.h"

#define HZ	1000u		/* ticks of jiffies in a second */

static inline unsigned long msecs_to_jiffies(unsigned int ms)
{
	return ms;
}

typedef struct wait_queue_head {
	pthread_mutex_t lock;
	pthread_cond_t cond;
} wait_queue_head_t;

void init_waitqueue_head(wait_queue_head_t *queue);
/* Any context.  In a process both wake everybody, who look again. */
void wake_up_all(wait_queue_head_t *queue);
#define wake_up(queue)	wake_up_all(queue)

/* For the macros below.  port_wait() returns what is left, in jiffies. */
void port_wait_begin(wait_queue_head_t *queue, const char *where);
long port_wait(wait_queue_head_t *queue, long timeout);
void port_wait_end(wait_queue_head_t *queue);

#define PORT_WAIT(queue, condition, timeout) ({				\
	long left_ = (timeout);						\
	port_wait_begin(queue, __func__);				\
	while (!(condition) && left_)					\
		left_ = port_wait(queue, left_);			\
	port_wait_end(queue);						\
	left_; })

#define MAX_SCHEDULE_TIMEOUT	__LONG_MAX__

#define wait_event(queue, condition) \
	((void)PORT_WAIT(&(queue), condition, MAX_SCHEDULE_TIMEOUT))
#define wait_event_timeout(queue, condition, timeout) ({		\
	bool met_ = false;						\
	long rest_ = PORT_WAIT(&(queue), (met_ = (condition)), timeout); \
	met_ && !rest_ ? 1 : rest_; })

struct completion {
	unsigned int done;
	wait_queue_head_t wait;
};

void init_completion(struct completion *done);
static inline void reinit_completion(struct completion *done)
{
	done->done = 0;
}
/* Any context. */
void complete(struct completion *done);
void complete_all(struct completion *done);
void port_wait_for(struct completion *done, const char *where);
unsigned long port_wait_for_timeout(struct completion *done,
				    unsigned long timeout, const char *where);
#define wait_for_completion(done)	port_wait_for(done, __func__)
#define wait_for_completion_timeout(done, timeout) \
	port_wait_for_timeout(done, timeout, __func__)

#endif
