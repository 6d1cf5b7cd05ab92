/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The functions that stand in for POSIX's and Linux's, for those who call them
 * by name: c11.c, the agent and the tests.  The driver's calls are redirected
 * by objcopy.
 */
#ifndef RUNTIME_POSIX_H
#define RUNTIME_POSIX_H

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/types.h>
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

int rt_eventfd(unsigned int count, int flags);
ssize_t rt_read(int fd, void *buffer, size_t size);
ssize_t rt_write(int fd, const void *buffer, size_t size);
int rt_close(int fd);
int rt_dup(int fd);
int rt_fcntl(int fd, int command, ...);
int rt_fstat(int fd, struct stat *st);
int rt_poll(struct pollfd *fds, nfds_t count, int timeout);
int rt_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
	     const sigset_t *mask);
int rt_epoll_create1(int flags);
int rt_epoll_ctl(int epfd, int operation, int fd, struct epoll_event *event);
int rt_epoll_wait(int epfd, struct epoll_event *events, int max, int timeout);

int rt_nanosleep(const struct timespec *time, struct timespec *left);

#endif
