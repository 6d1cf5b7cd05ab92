/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * C11's threads, by way of POSIX's: in this C library a mtx_t is laid out as
 * a pthread_mutex_t is, a cnd_t as a pthread_cond_t.
 */
#include <errno.h>
#include <threads.h>
#include <time.h>

#include "internal.h"
#include "posix.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "another libc");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "another libc");

static int result_of(int err)
{
	switch (err) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ETIMEDOUT:
		return thrd_timedout;
	case ENOMEM:
		return thrd_nomem;
	default:
		return thrd_error;
	}
}

int rt_mtx_init(mtx_t *at, int type)
{
	pthread_mutexattr_t attr;
	int err;

	pthread_mutexattr_init(&attr);
	if (type & mtx_recursive)
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	err = rt_pthread_mutex_init((pthread_mutex_t *)at, &attr);
	pthread_mutexattr_destroy(&attr);
	return result_of(err);
}

void rt_mtx_destroy(mtx_t *at)
{
	rt_pthread_mutex_destroy((pthread_mutex_t *)at);
}

int rt_mtx_lock(mtx_t *at)
{
	return result_of(rt_pthread_mutex_lock((pthread_mutex_t *)at));
}

int rt_mtx_trylock(mtx_t *at)
{
	return result_of(rt_pthread_mutex_trylock((pthread_mutex_t *)at));
}

int rt_mtx_timedlock(mtx_t *at, const struct timespec *until)
{
	return result_of(rt_pthread_mutex_timedlock((pthread_mutex_t *)at,
						    until));
}

int rt_mtx_unlock(mtx_t *at)
{
	return result_of(rt_pthread_mutex_unlock((pthread_mutex_t *)at));
}

int rt_cnd_init(cnd_t *at)
{
	return result_of(rt_pthread_cond_init((pthread_cond_t *)at, NULL));
}

void rt_cnd_destroy(cnd_t *at)
{
	rt_pthread_cond_destroy((pthread_cond_t *)at);
}

int rt_cnd_wait(cnd_t *at, mtx_t *lock)
{
	return result_of(rt_pthread_cond_wait((pthread_cond_t *)at,
					      (pthread_mutex_t *)lock));
}

int rt_cnd_timedwait(cnd_t *at, mtx_t *lock, const struct timespec *until)
{
	return result_of(rt_pthread_cond_timedwait((pthread_cond_t *)at,
						   (pthread_mutex_t *)lock,
						   until));
}

int rt_cnd_signal(cnd_t *at)
{
	return result_of(rt_pthread_cond_signal((pthread_cond_t *)at));
}

int rt_cnd_broadcast(cnd_t *at)
{
	return result_of(rt_pthread_cond_broadcast((pthread_cond_t *)at));
}

int rt_thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	return result_of(rt_thread_create_int(thread, start, arg));
}

int rt_thrd_join(thrd_t thread, int *result)
{
	void *value = NULL;
	int err = rt_pthread_join(thread, &value);

	if (!err && result)
		*result = (int)(intptr_t)value;
	return result_of(err);
}

int rt_thrd_detach(thrd_t thread)
{
	return result_of(rt_pthread_detach(thread));
}

thrd_t rt_thrd_current(void)
{
	return rt_pthread_self();
}

int rt_thrd_equal(thrd_t a, thrd_t b)
{
	return a == b;
}

void rt_thrd_yield(void)
{
	rt_yield();
}

int rt_thrd_sleep(const struct timespec *time, struct timespec *left)
{
	return rt_nanosleep(time, left);
}

void rt_thrd_exit(int result)
{
	rt_pthread_exit((void *)(intptr_t)result);
}

void rt_call_once(once_flag *flag, void (*routine)(void))
{
	rt_pthread_once((pthread_once_t *)flag, routine);
}
