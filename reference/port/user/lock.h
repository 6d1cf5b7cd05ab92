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
#include "context.h"

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

static inline void port_mutex_lock(struct mutex *mutex, const char *name,
				   const char *where)
{
	port_might_sleep(name, where);
	pthread_mutex_lock(&mutex->lock);
}

#define mutex_lock(mutex) \
	port_mutex_lock(mutex, "mutex_lock(" #mutex ")", __func__)

static inline void mutex_unlock(struct mutex *mutex)
{
	pthread_mutex_unlock(&mutex->lock);
}

typedef struct {
	pthread_mutex_t lock;
	unsigned int taken;	/* in which contexts, ever		*/
	const char *in_irq, *irqs_on;	/* the functions that did	*/
} spinlock_t;

#define DEFINE_SPINLOCK(name) \
	spinlock_t name = { .lock = PTHREAD_MUTEX_INITIALIZER }

static inline void spin_lock_init(spinlock_t *spinlock)
{
	pthread_mutex_init(&spinlock->lock, NULL);
	spinlock->taken = 0;
	spinlock->in_irq = spinlock->irqs_on = NULL;
}

void port_spin_lock(spinlock_t *lock, const char *name, const char *where);
void port_spin_unlock(spinlock_t *lock);

#define spin_lock(lock)		port_spin_lock(lock, #lock, __func__)
#define spin_unlock(lock)	port_spin_unlock(lock)

#define spin_lock_irqsave(lock, flags) \
	do { local_irq_save(flags); spin_lock(lock); } while (0)
#define spin_unlock_irqrestore(lock, flags) \
	do { spin_unlock(lock); local_irq_restore(flags); } while (0)
#define spin_lock_irq(lock) \
	do { local_irq_disable(); spin_lock(lock); } while (0)
#define spin_unlock_irq(lock) \
	do { spin_unlock(lock); local_irq_enable(); } while (0)

#endif
