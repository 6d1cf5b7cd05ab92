/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the runtime's files share. */
#ifndef RUNTIME_INTERNAL_H
#define RUNTIME_INTERNAL_H

#include <pthread.h>

#include "rt.h"

#define RT_THREADS	192	/* 0 to 63 operations', the rest created */
#define RT_STACK_DEPTH	64	/* of the shadow stack			*/
#define RT_FOREVER	UINT64_MAX

/* Fixed addresses, so that no outcome depends on where things lie. */
#define RT_WIRE_BASE	0x200000000000ull
#define RT_HEAP_BASE	0x210000000000ull
#define RT_STACK_BASE	0x220000000000ull
#define RT_BAR_BASE	0x300000000000ull

enum rt_state { RT_UNUSED, RT_RUNNABLE, RT_BLOCKED, RT_DONE };

struct rt_thread {
	unsigned int number;
	enum rt_state state;
	_Atomic uint32_t go;	/* futex: 1 hands over the baton	*/
	uint32_t priority;	/* PCT: the largest runs		*/
	unsigned int busy;	/* points since it polled		*/
	uint64_t steps;		/* points since its call began		*/
	uint64_t call;		/* a driver's own: since which call	*/

	/* While blocked. */
	const char *wait_kind;	/* "mutex", "condition", …		*/
	const void *wait_for;
	uint64_t deadline;
	bool timed_out;

	/* The last write hook's store, not yet read back. */
	uintptr_t store;
	uint32_t store_size;

	/* Where it called the runtime last, in the driver. */
	uintptr_t pc;
	/* Return addresses, innermost last. */
	unsigned int depth;
	uintptr_t stack[RT_STACK_DEPTH];

	/* Of pthread_create(). */
	pthread_t handle;
	bool real;		/* there is a pthread to be joined	*/
	bool detached;
	void *(*start)(void *arg);
	int (*start_int)(void *arg);	/* of thrd_create()	*/
	void *arg, *result;
	void *values[64];	/* of pthread_key_create()		*/
};

extern __thread struct rt_thread *rt_self;

/* First in a function that the driver calls: from where. */
#define rt_here() \
	(rt_self->pc = (uintptr_t)__builtin_return_address(0) - 1)
#define rt_enter() \
	do { rt_here(); rt_point(); } while (0)

extern struct rt_thread rt_threads[RT_THREADS];

/* own.c */
uint64_t rt_time(void);		/* as far as is known here		*/

/* link.c */
void rt_flush(void);		/* read the pending store back, post it	*/
void rt_load(uintptr_t addr, size_t size);	/* before loading it	*/
void rt_stored(uintptr_t addr, size_t size);	/* after storing it	*/
bool rt_in_wire(uintptr_t addr, size_t size);
/* Range checks of one access; reports what must not be touched. */
void rt_check(uintptr_t addr, size_t size, bool write);

/* sched.c */
/*
 * Give the baton away until rt_wake() or the deadline.  0 or -ETIMEDOUT.
 * kind and object are for the text of a deadlock.
 */
int rt_block(const char *kind, const void *object, uint64_t deadline);
void rt_wake(struct rt_thread *thread);
void rt_wake_all(const void *object);
/* Wake one waiter, chosen by the schedule; NULL if there is none. */
struct rt_thread *rt_wake_one(const void *object);
/* Make a thread known; it runs when the schedule says. */
void rt_adopt(struct rt_thread *thread, unsigned int number);
/* The caller is done: hand the baton on and return without it. */
void rt_retire(void);
void rt_wait_baton(struct rt_thread *thread);
/* 0 to limit - 1, from the schedule's seed. */
uint32_t rt_random(uint32_t limit);
bool rt_perturbing(void);	/* a schedule that looks for bugs is on	*/
void rt_yield(void);
/* Somebody else can run, and does something else than polling. */
bool rt_others_work(void);

/* deadlock.c: tell it, and end the run. */
void rt_deadlock(void) __attribute__((noreturn));

/* thread.c */
int rt_thread_start(struct rt_thread *thread, unsigned int number);

/* lock.c: who holds this, for the text of a deadlock; NULL: not a lock. */
const struct rt_thread *rt_lock_owner(const void *object);
void rt_locks_forget(const void *memory, size_t size);

/* irq.c: the judge's count of messages, told with each answer. */
void rt_irq_sent(uint64_t count);
bool rt_irq_is_taken(void);	/* somebody waits or serves	*/
/* Does this thread, or any if NULL, wait for an interrupt? */
bool rt_irq_waits(const struct rt_thread *thread);
/* At the end of a batch: let the handler come to its end. */
void rt_irq_settle(void);

/* files.c: descriptors that the driver has open; what it waits at. */
size_t rt_files_open(void);
/* NULL: no file. */
const char *rt_file_name(const void *object, char *buf, size_t len);

/* stdio.c: to the log, if there is room left. */
void rt_output(const char *text, size_t len);

/* heap.c: an address in a live block, by who allocated it. */
bool rt_heap_name(uintptr_t addr, char *buf, size_t len);

/* crash.c */
int rt_crash_init(void);
void rt_crash_thread(void);	/* an alternate stack for the caller	*/
/* "ring_submit" or "0x401234": the function at pc. */
const char *rt_name(uintptr_t pc, char *buf, size_t len);
/* "ring_submit (ring.c:12)": the same with its line, if that is known. */
const char *rt_place(uintptr_t pc, char *buf, size_t len);
/* "ring_submit (ring.c:12) <- ring_kick": where a thread is. */
const char *rt_where(const struct rt_thread *thread, char *buf, size_t len);

#endif
