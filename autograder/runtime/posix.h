/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The functions that stand in for POSIX's, for those who call them by name:
 * c11.c and the tests.  The driver's calls are redirected by objcopy.
 */
#ifndef RUNTIME_POSIX_H
#define RUNTIME_POSIX_H

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

int rt_pthread_create(pthread_t *handle, const pthread_attr_t *attr,
		      void *(*start)(void *arg), void *arg);
/* The same for a function of C11's kind; attr is none. */
int rt_thread_create_int(pthread_t *handle, int (*start)(void *arg),
			 void *arg);
int rt_pthread_join(pthread_t handle, void **result);
int rt_pthread_detach(pthread_t handle);
pthread_t rt_pthread_self(void);
void rt_pthread_exit(void *result) __attribute__((noreturn));
int rt_pthread_once(pthread_once_t *once, void (*routine)(void));

int rt_pthread_mutex_init(pthread_mutex_t *at,
			  const pthread_mutexattr_t *attr);
int rt_pthread_mutex_destroy(pthread_mutex_t *at);
int rt_pthread_mutex_lock(pthread_mutex_t *at);
int rt_pthread_mutex_trylock(pthread_mutex_t *at);
int rt_pthread_mutex_timedlock(pthread_mutex_t *at,
			       const struct timespec *until);
int rt_pthread_mutex_unlock(pthread_mutex_t *at);

int rt_pthread_cond_init(pthread_cond_t *at, const pthread_condattr_t *attr);
int rt_pthread_cond_destroy(pthread_cond_t *at);
int rt_pthread_cond_wait(pthread_cond_t *at, pthread_mutex_t *lock);
int rt_pthread_cond_timedwait(pthread_cond_t *at, pthread_mutex_t *lock,
			      const struct timespec *until);
int rt_pthread_cond_signal(pthread_cond_t *at);
int rt_pthread_cond_broadcast(pthread_cond_t *at);

int rt_pthread_rwlock_rdlock(pthread_rwlock_t *at);
int rt_pthread_rwlock_wrlock(pthread_rwlock_t *at);
int rt_pthread_rwlock_unlock(pthread_rwlock_t *at);
int rt_pthread_barrier_init(pthread_barrier_t *at,
			    const pthread_barrierattr_t *attr,
			    unsigned int count);
int rt_pthread_barrier_wait(pthread_barrier_t *at);
int rt_sem_init(sem_t *at, int shared, unsigned int value);
int rt_sem_wait(sem_t *at);
int rt_sem_post(sem_t *at);

int rt_nanosleep(const struct timespec *time, struct timespec *left);

#endif
