/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Work in a process: a queue, and one thread that empties it.
 *
 * The thread is made when there is work and none, and ends with the last: a
 * process that has nothing to do has no thread that waits for it.  A work
 * that is scheduled while it runs will run once more.
 *
 * In the kernel scheduling a work cannot fail.  Here a thread may be lacking
 * for a moment, so one is asked for more than once.
 */
#include "port.h"

#define THREAD_TRIES	3

static LIST_HEAD(queue);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static struct work_struct *running;
static bool worker;

static void *work_thread(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (!list_empty(&queue)) {
		running = list_first_entry(&queue, struct work_struct, entry);
		list_del_init(&running->entry);
		pthread_mutex_unlock(&lock);
		/* It may free itself: not touched afterwards. */
		running->func(running);
		pthread_mutex_lock(&lock);
		running = NULL;
		pthread_cond_broadcast(&done);
	}
	worker = false;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static bool worker_start(void)
{
	pthread_t thread;

	for (int i = 0; i < THREAD_TRIES; i++) {
		if (pthread_create(&thread, NULL, work_thread, NULL))
			continue;
		pthread_detach(thread);
		return true;
	}
	return false;
}

bool schedule_work(struct work_struct *work)
{
	bool fresh;

	pthread_mutex_lock(&lock);
	fresh = list_empty(&work->entry);
	if (fresh)
		list_add_tail(&work->entry, &queue);
	if (!worker)
		worker = worker_start();
	if (!worker)
		pr_err("no thread for work: it waits for the next\n");
	pthread_mutex_unlock(&lock);
	return fresh;
}

bool port_cancel_work(struct work_struct *work, const char *where)
{
	bool waited = false;

	port_might_sleep("cancel_work_sync()", where);
	pthread_mutex_lock(&lock);
	for (;;) {
		if (!list_empty(&work->entry)) {
			list_del_init(&work->entry);
			waited = true;
		}
		if (running != work)
			break;
		pthread_cond_wait(&done, &lock);
	}
	pthread_mutex_unlock(&lock);
	return waited;
}

bool port_flush_work(struct work_struct *work, const char *where)
{
	bool waited = false;

	port_might_sleep("flush_work()", where);
	pthread_mutex_lock(&lock);
	while (!list_empty(&work->entry) || running == work) {
		waited = true;
		pthread_cond_wait(&done, &lock);
	}
	pthread_mutex_unlock(&lock);
	return waited;
}
