/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Mutexes and spinlocks for the driver's threads.
 *
 * A lock that is given back wakes all who wait for it; the schedule decides
 * which of them, or which passer-by, has it next.  That is fairer to bugs
 * than a queue: every order that POSIX allows can come up.
 *
 * A mutex that was destroyed, or never initialised, shows by its type: free
 * memory and destroyed locks hold values that are none.
 */
#include <errno.h>
#include <string.h>

#include "posix.h"
#include "table.h"

#define DESTROYED	0x5a5a5a5a
/* Robust, priority and elision bits of the C library's __kind. */
#define TYPE_MASK	3
#define TYPE_VALID	0x3f3

int rt_mutex_take(struct rt_object *mutex, uint64_t deadline)
{
	const char *kind = mutex->kind == RT_SPINLOCK ? "spinlock" : "mutex";

	while (mutex->owner) {
		if (rt_block(kind, mutex->addr, deadline))
			return ETIMEDOUT;
	}
	mutex->owner = rt_self;
	mutex->count = 1;
	return 0;
}

void rt_mutex_give(struct rt_object *mutex)
{
	mutex->owner = NULL;
	mutex->count = 0;
	rt_wake_all(mutex->addr);
}

static struct rt_object *mutex_at(pthread_mutex_t *at)
{
	struct rt_object *mutex = rt_find(at);
	int type = at->__data.__kind;

	if (!mutex && type & ~TYPE_VALID) {
		rt_misuse(at, type == DESTROYED ?
			  "uses a mutex that was destroyed" :
			  "uses a mutex that was not initialised");
		return NULL;
	}
	mutex = rt_get(at, RT_MUTEX);
	mutex->type = type & TYPE_MASK;
	return mutex;
}

int rt_pthread_mutex_init(pthread_mutex_t *at, const pthread_mutexattr_t *attr)
{
	struct rt_object *mutex = rt_find(at);
	int type = PTHREAD_MUTEX_DEFAULT;

	rt_enter();
	if (mutex && mutex->owner)
		rt_misuse(at, "initialises a mutex that is locked");
	if (mutex)
		rt_forget(mutex);
	if (attr)
		pthread_mutexattr_gettype(attr, &type);
	memset(at, 0, sizeof(*at));
	at->__data.__kind = type;
	rt_get(at, RT_MUTEX)->type = type;
	return 0;
}

int rt_pthread_mutex_destroy(pthread_mutex_t *at)
{
	struct rt_object *mutex;

	rt_enter();
	mutex = mutex_at(at);
	if (!mutex)
		return EINVAL;
	if (mutex->owner) {
		rt_misuse(at, "destroys a mutex that is locked");
		return EBUSY;
	}
	rt_forget(mutex);
	at->__data.__kind = DESTROYED;
	return 0;
}

static int mutex_lock(pthread_mutex_t *at, uint64_t deadline)
{
	struct rt_object *mutex;

	rt_point();
	mutex = mutex_at(at);
	if (!mutex)
		return EINVAL;
	if (mutex->owner == rt_self) {
		if (mutex->type == PTHREAD_MUTEX_RECURSIVE) {
			mutex->count++;
			return 0;
		}
		if (mutex->type == PTHREAD_MUTEX_ERRORCHECK)
			return EDEADLK;
	}
	return rt_mutex_take(mutex, deadline);
}

int rt_pthread_mutex_lock(pthread_mutex_t *at)
{
	rt_here();
	return mutex_lock(at, RT_FOREVER);
}

int rt_pthread_mutex_timedlock(pthread_mutex_t *at,
			       const struct timespec *until)
{
	rt_here();
	return mutex_lock(at, rt_deadline(until));
}

int rt_pthread_mutex_trylock(pthread_mutex_t *at)
{
	struct rt_object *mutex;

	rt_enter();
	mutex = mutex_at(at);
	if (!mutex)
		return EINVAL;
	if (mutex->owner == rt_self && mutex->type == PTHREAD_MUTEX_RECURSIVE) {
		mutex->count++;
		return 0;
	}
	if (mutex->owner)
		return EBUSY;
	return rt_mutex_take(mutex, RT_FOREVER);
}

int rt_pthread_mutex_unlock(pthread_mutex_t *at)
{
	struct rt_object *mutex;

	rt_enter();
	mutex = mutex_at(at);
	if (!mutex)
		return EINVAL;
	if (mutex->owner != rt_self) {
		rt_misuse(at, mutex->owner ?
			  "unlocks a mutex that another thread holds" :
			  "unlocks a mutex that is not locked");
		return EPERM;
	}
	if (--mutex->count)
		return 0;
	rt_mutex_give(mutex);
	rt_point();
	return 0;
}

int rt_pthread_spin_init(pthread_spinlock_t *at, int shared)
{
	(void)shared;
	rt_enter();
	*at = 0;
	rt_get((void *)at, RT_SPINLOCK)->owner = NULL;
	return 0;
}

int rt_pthread_spin_destroy(pthread_spinlock_t *at)
{
	struct rt_object *lock;

	rt_enter();
	lock = rt_get((void *)at, RT_SPINLOCK);
	if (lock->owner) {
		rt_misuse((void *)at, "destroys a spinlock that is locked");
		return EBUSY;
	}
	rt_forget(lock);
	return 0;
}

int rt_pthread_spin_lock(pthread_spinlock_t *at)
{
	rt_enter();
	return rt_mutex_take(rt_get((void *)at, RT_SPINLOCK), RT_FOREVER);
}

int rt_pthread_spin_trylock(pthread_spinlock_t *at)
{
	struct rt_object *lock;

	rt_enter();
	lock = rt_get((void *)at, RT_SPINLOCK);
	if (lock->owner)
		return EBUSY;
	return rt_mutex_take(lock, RT_FOREVER);
}

int rt_pthread_spin_unlock(pthread_spinlock_t *at)
{
	struct rt_object *lock;

	rt_enter();
	lock = rt_get((void *)at, RT_SPINLOCK);
	if (lock->owner != rt_self) {
		rt_misuse((void *)at, "unlocks a spinlock that it does not "
				      "hold");
		return EPERM;
	}
	rt_mutex_give(lock);
	rt_point();
	return 0;
}
