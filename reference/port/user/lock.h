/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Locks and ordered accesses between threads.
 *
 * A spinlock is taken for a few instructions and never while sleeping; a
 * mutex may be held over a sleep [§4.6].  In a process both are a pthread
 * mutex: a spinning thread would only keep the owner from running.
 */
#ifndef PORT_LOCK_H
#define PORT_LOCK_H

#include <pthread.h>

#include "compiler.h"

/* All accesses after the load, and before the store, stay there. */
#define smp_load_acquire(ptr)	__atomic_load_n(ptr, __ATOMIC_ACQUIRE)
#define smp_store_release(ptr, value) \
	__atomic_store_n(ptr, value, __ATOMIC_RELEASE)

struct mutex {
	pthread_mutex_t lock;
};

static inline void mutex_init(struct mutex *mutex)
{
	pthread_mutex_init(&mutex->lock, NULL);
}

static inline void mutex_destroy(struct mutex *mutex)
{
	pthread_mutex_destroy(&mutex->lock);
}

static inline void mutex_lock(struct mutex *mutex)
{
	pthread_mutex_lock(&mutex->lock);
}

static inline void mutex_unlock(struct mutex *mutex)
{
	pthread_mutex_unlock(&mutex->lock);
}

typedef struct {
	pthread_mutex_t lock;
} spinlock_t;

static inline void spin_lock_init(spinlock_t *spinlock)
{
	pthread_mutex_init(&spinlock->lock, NULL);
}

static inline void spin_lock(spinlock_t *spinlock)
{
	pthread_mutex_lock(&spinlock->lock);
}

static inline void spin_unlock(spinlock_t *spinlock)
{
	pthread_mutex_unlock(&spinlock->lock);
}

#endif
