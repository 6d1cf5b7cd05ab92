/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Locks and what else threads meet at, by address.
 *
 * The state is not in the driver's pthread_mutex_t but in a table of the
 * runtime's, so that the C library's static initialisers work, and a driver
 * that writes over its lock does not take the runtime along.
 */
#ifndef RUNTIME_TABLE_H
#define RUNTIME_TABLE_H

#include "internal.h"

enum rt_kind {
	RT_MUTEX, RT_SPINLOCK, RT_RWLOCK, RT_CONDITION, RT_SEMAPHORE,
	RT_BARRIER,
};

struct rt_object {
	const void *addr;
	enum rt_kind kind;
	struct rt_object *next;		/* in its hash chain		*/
	const struct rt_thread *owner;	/* of a mutex; the writer	*/
	unsigned int count;		/* depth, readers, value, …	*/
	unsigned int limit;		/* of a barrier			*/
	int type;			/* of a mutex: PTHREAD_MUTEX_*	*/
	int clock;			/* of a condition		*/
};

/* The object at an address, or NULL. */
struct rt_object *rt_find(const void *addr);
/* The same, made when it is new. */
struct rt_object *rt_get(const void *addr, enum rt_kind kind);
void rt_forget(struct rt_object *object);

/* Misuse of a lock, reported with its name and where. */
void rt_misuse(const void *object, const char *what);

/* A struct timespec as virtual ns, which both clocks show. */
struct timespec;
uint64_t rt_deadline(const struct timespec *at);

/* Take and give back a mutex for pthread_cond_wait(). */
int rt_mutex_take(struct rt_object *mutex, uint64_t deadline);
void rt_mutex_give(struct rt_object *mutex);

#endif
