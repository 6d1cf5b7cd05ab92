/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What threads wait at: conditions, reader-writer locks, semaphores,
 * barriers.
 *
 * POSIX lets pthread_cond_wait() return without a signal, and few drivers
 * are ever tested against it; a schedule that looks for bugs does it now and
 * then.  A signal with nobody waiting is lost, as it must be.
 */
#include <errno.h>
#include <semaphore.h>
#include <time.h>

#include "posix.h"
#include "table.h"

#define SPURIOUS	32	/* one wait in so many returns by itself */

int rt_pthread_cond_init(pthread_cond_t *at, const pthread_condattr_t *attr)
{
	(void)attr;	/* both clocks show virtual time */
	rt_enter();
	*at = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	rt_get(at, RT_CONDITION)->count = 0;
	return 0;
}

int rt_pthread_cond_destroy(pthread_cond_t *at)
{
	struct rt_object *condition;

	rt_enter();
	condition = rt_get(at, RT_CONDITION);
	if (condition->count) {
		rt_misuse(at, "destroys a condition that a thread waits for");
		return EBUSY;
	}
	rt_forget(condition);
	return 0;
}

static int cond_wait(pthread_cond_t *at, pthread_mutex_t *lock,
		     uint64_t deadline)
{
	struct rt_object *condition, *mutex;
	int err = 0;

	rt_point();
	condition = rt_get(at, RT_CONDITION);
	mutex = rt_find(lock);
	if (!mutex || mutex->owner != rt_self) {
		rt_misuse(at, "waits for a condition without holding its "
			      "mutex");
		return EPERM;
	}
	condition->count++;
	rt_mutex_give(mutex);
	if (rt_perturbing() && rt_random(SPURIOUS) == 0)
		rt_yield();
	else
		err = rt_block("condition", at, deadline);
	condition->count--;

	rt_mutex_take(mutex, RT_FOREVER);
	return err ? ETIMEDOUT : 0;
}

int rt_pthread_cond_wait(pthread_cond_t *at, pthread_mutex_t *lock)
{
	rt_here();
	return cond_wait(at, lock, RT_FOREVER);
}

int rt_pthread_cond_timedwait(pthread_cond_t *at, pthread_mutex_t *lock,
			      const struct timespec *until)
{
	rt_here();
	return cond_wait(at, lock, rt_deadline(until));
}

int rt_pthread_cond_signal(pthread_cond_t *at)
{
	rt_enter();
	rt_get(at, RT_CONDITION);
	rt_wake_one(at);
	rt_point();
	return 0;
}

int rt_pthread_cond_broadcast(pthread_cond_t *at)
{
	rt_enter();
	rt_get(at, RT_CONDITION);
	rt_wake_all(at);
	rt_point();
	return 0;
}

int rt_pthread_rwlock_init(pthread_rwlock_t *at,
			   const pthread_rwlockattr_t *attr)
{
	(void)attr;
	rt_enter();
	*at = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
	rt_get(at, RT_RWLOCK)->count = 0;
	return 0;
}

int rt_pthread_rwlock_destroy(pthread_rwlock_t *at)
{
	struct rt_object *lock;

	rt_enter();
	lock = rt_get(at, RT_RWLOCK);
	if (lock->owner || lock->count) {
		rt_misuse(at, "destroys a reader-writer lock that is locked");
		return EBUSY;
	}
	rt_forget(lock);
	return 0;
}

static int rwlock_lock(pthread_rwlock_t *at, bool write, bool wait)
{
	struct rt_object *lock;

	rt_point();
	lock = rt_get(at, RT_RWLOCK);
	while (lock->owner || (write && lock->count)) {
		if (!wait)
			return EBUSY;
		rt_block("reader-writer lock", at, RT_FOREVER);
	}
	if (write)
		lock->owner = rt_self;
	else
		lock->count++;
	return 0;
}

int rt_pthread_rwlock_rdlock(pthread_rwlock_t *at)
{
	rt_here();
	return rwlock_lock(at, false, true);
}

int rt_pthread_rwlock_wrlock(pthread_rwlock_t *at)
{
	rt_here();
	return rwlock_lock(at, true, true);
}

int rt_pthread_rwlock_tryrdlock(pthread_rwlock_t *at)
{
	rt_here();
	return rwlock_lock(at, false, false);
}

int rt_pthread_rwlock_trywrlock(pthread_rwlock_t *at)
{
	rt_here();
	return rwlock_lock(at, true, false);
}

int rt_pthread_rwlock_unlock(pthread_rwlock_t *at)
{
	struct rt_object *lock;

	rt_enter();
	lock = rt_get(at, RT_RWLOCK);
	if (lock->owner == rt_self) {
		lock->owner = NULL;
	} else if (!lock->owner && lock->count) {
		lock->count--;
	} else {
		rt_misuse(at, "unlocks a reader-writer lock it does not hold");
		return EPERM;
	}
	rt_wake_all(at);
	rt_point();
	return 0;
}

int rt_sem_init(sem_t *at, int shared, unsigned int value)
{
	(void)shared;
	rt_enter();
	rt_get(at, RT_SEMAPHORE)->count = value;
	return 0;
}

int rt_sem_destroy(sem_t *at)
{
	rt_enter();
	rt_forget(rt_get(at, RT_SEMAPHORE));
	return 0;
}

/* NULL, reported, where sem_init() was not called. */
static struct rt_object *sem_at(sem_t *at)
{
	struct rt_object *sem;

	rt_point();
	sem = rt_find(at);
	if (!sem || sem->kind != RT_SEMAPHORE) {
		rt_misuse(at, "uses a semaphore that was not initialised");
		errno = EINVAL;
		return NULL;
	}
	return sem;
}

static int sem_take(sem_t *at, uint64_t deadline, int error)
{
	struct rt_object *sem = sem_at(at);

	if (!sem)
		return -1;
	while (!sem->count) {
		if (!error && !rt_block("semaphore", at, deadline))
			continue;
		errno = error ? error : ETIMEDOUT;
		return -1;
	}
	sem->count--;
	return 0;
}

int rt_sem_wait(sem_t *at)
{
	rt_here();
	return sem_take(at, RT_FOREVER, 0);
}

int rt_sem_trywait(sem_t *at)
{
	rt_here();
	return sem_take(at, RT_FOREVER, EAGAIN);
}

int rt_sem_timedwait(sem_t *at, const struct timespec *until)
{
	rt_here();
	return sem_take(at, rt_deadline(until), 0);
}

int rt_sem_post(sem_t *at)
{
	struct rt_object *sem;

	rt_here();
	sem = sem_at(at);
	if (!sem)
		return -1;
	sem->count++;
	rt_wake_all(at);
	rt_point();
	return 0;
}

int rt_sem_getvalue(sem_t *at, int *value)
{
	struct rt_object *sem = sem_at(at);

	if (!sem)
		return -1;
	*value = (int)sem->count;
	return 0;
}

int rt_pthread_barrier_init(pthread_barrier_t *at,
			    const pthread_barrierattr_t *attr,
			    unsigned int count)
{
	struct rt_object *barrier;

	(void)attr;
	rt_enter();
	if (!count)
		return EINVAL;
	barrier = rt_get(at, RT_BARRIER);
	barrier->limit = count;
	barrier->count = 0;
	return 0;
}

int rt_pthread_barrier_destroy(pthread_barrier_t *at)
{
	rt_enter();
	rt_forget(rt_get(at, RT_BARRIER));
	return 0;
}

int rt_pthread_barrier_wait(pthread_barrier_t *at)
{
	struct rt_object *barrier;

	rt_enter();
	barrier = rt_get(at, RT_BARRIER);
	if (++barrier->count < barrier->limit) {
		rt_block("barrier", at, RT_FOREVER);
		return 0;
	}
	barrier->count = 0;
	rt_wake_all(at);
	return PTHREAD_BARRIER_SERIAL_THREAD;
}
