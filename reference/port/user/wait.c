/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Wait queues over a condition variable.
 *
 * Time-outs run on the host's monotonic clock, or on the judge's where it
 * stands in for it.
 */
#include <limits.h>
#include <time.h>

#include "port.h"

void init_waitqueue_head(wait_queue_head_t *queue)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&queue->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->cond, &attr);
	pthread_condattr_destroy(&attr);
}

void wake_up_all(wait_queue_head_t *queue)
{
	pthread_mutex_lock(&queue->lock);
	pthread_cond_broadcast(&queue->cond);
	pthread_mutex_unlock(&queue->lock);
}

void port_wait_begin(wait_queue_head_t *queue, const char *where)
{
	port_might_sleep("wait_event()", where);
	pthread_mutex_lock(&queue->lock);
}

void port_wait_end(wait_queue_head_t *queue)
{
	pthread_mutex_unlock(&queue->lock);
}

static u64 clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

long port_wait(wait_queue_head_t *queue, long timeout)
{
	u64 start, end, now;
	struct timespec until;

	if (timeout == MAX_SCHEDULE_TIMEOUT) {
		pthread_cond_wait(&queue->cond, &queue->lock);
		return timeout;
	}
	start = clock_ns();
	end = start + (u64)timeout * (NSEC_PER_SEC / HZ);
	until.tv_sec = end / NSEC_PER_SEC;
	until.tv_nsec = end % NSEC_PER_SEC;
	if (pthread_cond_timedwait(&queue->cond, &queue->lock, &until))
		return 0;
	now = clock_ns();
	return now < end ? (long)DIV_ROUND_UP(end - now, NSEC_PER_SEC / HZ) :
		0;
}

void init_completion(struct completion *done)
{
	done->done = 0;
	init_waitqueue_head(&done->wait);
}

static void complete_by(struct completion *done, unsigned int count)
{
	pthread_mutex_lock(&done->wait.lock);
	if (done->done != UINT_MAX)
		done->done = count == UINT_MAX ? count : done->done + count;
	pthread_cond_broadcast(&done->wait.cond);
	pthread_mutex_unlock(&done->wait.lock);
}

void complete(struct completion *done)
{
	complete_by(done, 1);
}

void complete_all(struct completion *done)
{
	complete_by(done, UINT_MAX);
}

/* Under the queue's lock: take one, if there is one. */
static bool take(struct completion *done)
{
	if (!done->done)
		return false;
	if (done->done != UINT_MAX)
		done->done--;
	return true;
}

void port_wait_for(struct completion *done, const char *where)
{
	port_wait_for_timeout(done, MAX_SCHEDULE_TIMEOUT, where);
}

unsigned long port_wait_for_timeout(struct completion *done,
				    unsigned long timeout, const char *where)
{
	long left = (long)timeout;
	bool taken;

	port_wait_begin(&done->wait, where);
	while (!(taken = take(done)) && left)
		left = port_wait(&done->wait, left);
	port_wait_end(&done->wait);
	return taken ? max(left, 1L) : 0;
}
