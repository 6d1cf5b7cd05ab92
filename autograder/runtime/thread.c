/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Threads: the driver's own, and those that operations run on.
 *
 * Each is a real pthread with a stack at a fixed address, which first waits
 * for the baton.  Operations' threads have the numbers that the judge gave
 * them, 0 to 63; threads that the driver creates are numbered from 64.  A
 * number is used again when its thread has ended and was joined or detached.
 *
 * What the driver holds as a pthread_t is the number plus one: the same in
 * every run, and no pointer into the C library.
 */
#include <errno.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"
#include "link.h"
#include "posix.h"
#include "sched.h"

#define STACK_SLOT	(1ul << 20)
#define STACK_GUARD	(64ul << 10)
#define KEYS		64

static __thread jmp_buf thread_exit;

static struct {
	bool used;
	void (*destroy)(void *value);
} keys[KEYS];

static struct {
	void (*body)(void *arg, unsigned int thread);
	void *arg;
} batch;

int rt_start(int fd)
{
	int err;

	rt_self = &rt_threads[0];
	rt_adopt(rt_self, 0);
	err = rt_link_open(fd);
	if (err)
		return err;
	return rt_crash_init();
}

static void keys_destroy(struct rt_thread *self)
{
	for (int i = 0; i < KEYS; i++) {
		void *value = self->values[i];

		self->values[i] = NULL;
		if (value && keys[i].used && keys[i].destroy)
			keys[i].destroy(value);
	}
}

static void *thread_main(void *arg)
{
	struct rt_thread *self = arg;

	rt_self = self;
	rt_crash_thread();
	rt_wait_baton(self);
	if (!setjmp(thread_exit))
		self->result = self->start_int ?
			(void *)(intptr_t)self->start_int(self->arg) :
			self->start(self->arg);
	keys_destroy(self);
	rt_retire();
	return NULL;
}

/* The slot's stack; mapped once, then kept. */
static int thread_stack(unsigned int number, pthread_attr_t *attr)
{
	char *base = (char *)RT_STACK_BASE + number * STACK_SLOT;
	size_t size = STACK_SLOT - STACK_GUARD;
	void *stack;

	stack = mmap(base + STACK_GUARD, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		     -1, 0);
	if (stack == MAP_FAILED)
		return -errno;
	return -pthread_attr_setstack(attr, stack, size);
}

int rt_thread_start(struct rt_thread *thread, unsigned int number)
{
	pthread_attr_t attr;
	int err;

	if (thread->real) {
		pthread_join(thread->handle, NULL);
		thread->real = false;
	}
	thread->result = NULL;
	memset(thread->values, 0, sizeof(thread->values));
	atomic_store(&thread->go, 0);

	pthread_attr_init(&attr);
	err = thread_stack(number, &attr);
	if (!err)
		err = -pthread_create(&thread->handle, &attr, thread_main,
				      thread);
	pthread_attr_destroy(&attr);
	if (err)
		return err;
	thread->real = true;
	rt_adopt(thread, number);
	return 0;
}

static void *batch_main(void *arg)
{
	struct rt_thread *self = arg;

	batch.body(batch.arg, self->number);
	return NULL;
}

int rt_run(const struct wire_ops *ops,
	   void (*body)(void *arg, unsigned int thread), void *arg)
{
	unsigned int started;
	int err = 0;

	batch.body = body;
	batch.arg = arg;
	rt_sched_begin(ops);
	for (started = 1; started < ops->threads; started++) {
		struct rt_thread *thread = &rt_threads[started];

		thread->start = batch_main;
		thread->start_int = NULL;
		thread->arg = thread;
		thread->detached = true;
		err = rt_thread_start(thread, started);
		if (err)
			break;
	}
	if (!err)
		body(arg, 0);
	for (unsigned int i = 1; i < started; i++) {
		while (rt_threads[i].state != RT_DONE)
			rt_block("the end of thread", &rt_threads[i],
				 RT_FOREVER);
	}
	rt_irq_settle();
	rt_sched_end();
	return err;
}

/* pthread_create() and its kin. */

static struct rt_thread *thread_at(pthread_t handle)
{
	unsigned int number = handle - 1;

	if (number >= RT_THREADS || rt_threads[number].state == RT_UNUSED)
		return NULL;
	return &rt_threads[number];
}

static struct rt_thread *slot_find(void)
{
	for (unsigned int i = RT_OP_THREADS; i < RT_THREADS; i++) {
		struct rt_thread *thread = &rt_threads[i];

		if (thread->state == RT_UNUSED ||
		    (thread->state == RT_DONE && thread->detached))
			return thread;
	}
	return NULL;
}

static int thread_create(pthread_t *handle, bool detached,
			 void *(*start)(void *arg),
			 int (*start_int)(void *arg), void *arg)
{
	struct rt_thread *thread;

	rt_point();
	thread = slot_find();
	if (!thread || rt_alloc_fails())
		return EAGAIN;
	thread->start = start;
	thread->start_int = start_int;
	thread->arg = arg;
	thread->detached = detached;
	if (rt_thread_start(thread, thread - rt_threads))
		return EAGAIN;
	*handle = thread->number + 1;
	rt_point();
	return 0;
}

int rt_pthread_create(pthread_t *handle, const pthread_attr_t *attr,
		      void *(*start)(void *arg), void *arg)
{
	int state = PTHREAD_CREATE_JOINABLE;

	if (attr)
		pthread_attr_getdetachstate(attr, &state);
	return thread_create(handle, state == PTHREAD_CREATE_DETACHED, start,
			     NULL, arg);
}

int rt_thread_create_int(pthread_t *handle, int (*start)(void *arg),
			 void *arg)
{
	return thread_create(handle, false, NULL, start, arg);
}

int rt_pthread_join(pthread_t handle, void **result)
{
	struct rt_thread *thread;

	rt_point();
	thread = thread_at(handle);
	if (!thread || thread->detached)
		return EINVAL;
	if (thread == rt_self)
		return EDEADLK;
	while (thread->state != RT_DONE)
		rt_block("the end of thread", thread, RT_FOREVER);
	if (result)
		*result = thread->result;
	thread->detached = true;
	return 0;
}

int rt_pthread_detach(pthread_t handle)
{
	struct rt_thread *thread = thread_at(handle);

	rt_point();
	if (!thread || thread->detached)
		return EINVAL;
	thread->detached = true;
	return 0;
}

pthread_t rt_pthread_self(void)
{
	return rt_self->number + 1;
}

int rt_pthread_equal(pthread_t a, pthread_t b)
{
	return a == b;
}

void rt_pthread_exit(void *result)
{
	rt_flush();
	if (rt_self->number < RT_OP_THREADS)
		rt_crash(0, NULL, __builtin_return_address(0),
			 "the driver called pthread_exit() on a thread that is "
			 "not its own");
	rt_self->result = result;
	longjmp(thread_exit, 1);
}

int rt_sched_yield(void)
{
	rt_yield();
	return 0;
}

/* 0 not yet, 1 running, 2 done: in the driver's own memory. */
int rt_pthread_once(pthread_once_t *once, void (*routine)(void))
{
	rt_point();
	while (*once == 1)
		rt_block("pthread_once()", once, RT_FOREVER);
	if (*once == 2)
		return 0;
	*once = 1;
	routine();
	rt_flush();
	*once = 2;
	rt_wake_all(once);
	return 0;
}

int rt_pthread_key_create(pthread_key_t *key, void (*destroy)(void *value))
{
	rt_point();
	for (unsigned int i = 0; i < KEYS; i++) {
		if (keys[i].used)
			continue;
		keys[i].used = true;
		keys[i].destroy = destroy;
		for (int n = 0; n < RT_THREADS; n++)
			rt_threads[n].values[i] = NULL;
		*key = i;
		return 0;
	}
	return EAGAIN;
}

int rt_pthread_key_delete(pthread_key_t key)
{
	rt_point();
	if (key >= KEYS || !keys[key].used)
		return EINVAL;
	keys[key].used = false;
	return 0;
}

void *rt_pthread_getspecific(pthread_key_t key)
{
	return key < KEYS && keys[key].used ? rt_self->values[key] : NULL;
}

int rt_pthread_setspecific(pthread_key_t key, const void *value)
{
	if (key >= KEYS || !keys[key].used)
		return EINVAL;
	rt_self->values[key] = (void *)value;
	return 0;
}
