/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The scheduler: real threads, one baton.
 *
 * Whoever holds the baton runs; all others sleep on a futex of their own.
 * At each scheduling point, which is every hook and every call into the
 * runtime, the holder may pass it on.  What it decides depends only on the
 * seed and on what the driver did so far, so a seed replays a schedule.
 *
 *   none    switch only where a thread blocks or polls
 *   random  at each point, with a probability that the seed picks once
 *   PCT     (Burckhardt et al., ASPLOS 2010) random priorities, the highest
 *           runs; at depth - 1 random steps the running one drops below all
 *
 * Besides, a test may name one step at which whoever is there stands still for
 * a while, with all others at work: swept over a call it finds each window.
 *
 * A thread that polls gives way: under PCT it would starve the one it waits
 * for.  One that spins without saying so is moved on after a while.
 *
 * When all are blocked, virtual time jumps to the earliest deadline, or to an
 * interrupt that comes before it.  When neither will come, that is a
 * deadlock, and its text says who waits for what.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"
#include "sched.h"

#define MAX_DEPTH	16
#define SPIN_STEPS	4096	/* points without a switch, then move on */
#define POLL_STEPS	32	/* points of a turn of a polling loop	*/

__thread struct rt_thread *rt_self;
struct rt_thread rt_threads[RT_THREADS];

static struct {
	enum wire_schedule policy;
	uint64_t random;
	uint64_t steps;
	uint64_t last_switch;		/* step			*/
	unsigned int runnable;
	uint64_t next_deadline;
	uint32_t rate;			/* random: one in rate	*/
	unsigned int changes;		/* PCT: change points	*/
	uint64_t change[MAX_DEPTH];
	uint32_t lowest;		/* PCT: below all others */
	uint64_t still_at, still_ns;	/* step, and how long	*/
} sched = { .next_deadline = RT_FOREVER };

static uint64_t random_next(void)
{
	uint64_t z = sched.random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t rt_random(uint32_t limit)
{
	if (sched.policy == WIRE_SCHED_NONE || limit < 2)
		return 0;
	return (random_next() >> 32) * limit >> 32;
}

bool rt_perturbing(void)
{
	return sched.policy != WIRE_SCHED_NONE;
}

uint64_t rt_steps(void)
{
	return sched.steps;
}

static uint32_t fresh_priority(void)
{
	return (1u << 30) + rt_random(1u << 30);
}

void rt_sched_begin(const struct wire_ops *ops)
{
	sched.policy = ops->schedule;
	sched.random = ops->seed;
	sched.steps = sched.last_switch = 0;
	rt_budget_begin(ops);
	sched.still_at = ops->still_at;
	sched.still_ns = ops->still_ns;
	sched.rate = 2u << rt_random(5);
	sched.lowest = 1u << 29;
	sched.changes = 0;
	if (ops->schedule != WIRE_SCHED_PCT)
		return;

	/* How long a run will be is not known: the seed guesses. */
	while (sched.changes + 1 < ops->pct_depth && sched.changes < MAX_DEPTH)
		sched.change[sched.changes++] =
			1 + rt_random(8u << rt_random(10));
	for (int i = 0; i < RT_THREADS; i++)
		rt_threads[i].priority = fresh_priority();
}

void rt_sched_end(void)
{
	sched.policy = WIRE_SCHED_NONE;
	rt_budget_end();
	sched.still_at = 0;
}

/* The n-th runnable thread, counted from 0. */
static struct rt_thread *runnable_at(unsigned int n)
{
	for (int i = 0; i < RT_THREADS; i++) {
		if (rt_threads[i].state == RT_RUNNABLE && n-- == 0)
			return &rt_threads[i];
	}
	return NULL;
}

static struct rt_thread *runnable_after(const struct rt_thread *self)
{
	for (unsigned int i = 1; i <= RT_THREADS; i++) {
		unsigned int n = (self->number + i) % RT_THREADS;

		if (rt_threads[n].state == RT_RUNNABLE)
			return &rt_threads[n];
	}
	return NULL;
}

static struct rt_thread *runnable_highest(void)
{
	struct rt_thread *best = NULL;

	for (int i = 0; i < RT_THREADS; i++) {
		struct rt_thread *thread = &rt_threads[i];

		if (thread->state == RT_RUNNABLE &&
		    (!best || thread->priority > best->priority))
			best = thread;
	}
	return best;
}

/* Who runs when the holder gives way; there is a runnable thread. */
static struct rt_thread *pick(void)
{
	switch (sched.policy) {
	case WIRE_SCHED_RANDOM:
		return runnable_at(rt_random(sched.runnable));
	case WIRE_SCHED_PCT:
		return runnable_highest();
	default:
		return runnable_after(rt_self);
	}
}

static void hand_baton(struct rt_thread *next)
{
	sched.last_switch = sched.steps;
	rt_post_switch(next->number);
	atomic_store(&next->go, 1);
	syscall(SYS_futex, &next->go, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void rt_wait_baton(struct rt_thread *thread)
{
	while (!atomic_load(&thread->go))
		syscall(SYS_futex, &thread->go, FUTEX_WAIT_PRIVATE, 0, NULL,
			NULL, 0);
	atomic_store(&thread->go, 0);
}

static void switch_to(struct rt_thread *next)
{
	struct rt_thread *self = rt_self;

	if (next == self)
		return;
	hand_baton(next);
	rt_wait_baton(self);
}

void rt_wake(struct rt_thread *thread)
{
	if (thread->state != RT_BLOCKED)
		return;
	thread->state = RT_RUNNABLE;
	thread->wait_for = NULL;
	thread->deadline = RT_FOREVER;
	thread->busy = POLL_STEPS;
	sched.runnable++;
}

void rt_wake_all(const void *object)
{
	for (int i = 0; i < RT_THREADS; i++) {
		if (rt_threads[i].wait_for == object)
			rt_wake(&rt_threads[i]);
	}
}

struct rt_thread *rt_wake_one(const void *object)
{
	struct rt_thread *waiter[RT_THREADS];
	unsigned int count = 0;

	for (int i = 0; i < RT_THREADS; i++) {
		if (rt_threads[i].state == RT_BLOCKED &&
		    rt_threads[i].wait_for == object)
			waiter[count++] = &rt_threads[i];
	}
	if (!count)
		return NULL;
	count = rt_random(count);
	rt_wake(waiter[count]);
	return waiter[count];
}

/* Wake whose deadline has come, and find the next one. */
static void expire(void)
{
	uint64_t now = rt_time();

	sched.next_deadline = RT_FOREVER;
	for (int i = 0; i < RT_THREADS; i++) {
		struct rt_thread *thread = &rt_threads[i];

		if (thread->state != RT_BLOCKED)
			continue;
		if (thread->deadline <= now) {
			thread->timed_out = true;
			rt_wake(thread);
		} else if (thread->deadline < sched.next_deadline) {
			sched.next_deadline = thread->deadline;
		}
	}
}

/* Somebody who can run; time jumps if it must. */
static struct rt_thread *pick_or_sleep(void)
{
	while (!sched.runnable) {
		expire();
		if (sched.runnable)
			break;
		if (sched.next_deadline == RT_FOREVER && !rt_irq_waits(NULL))
			rt_deadlock();
		if (rt_ask(WIRE_SLEEP, sched.next_deadline, 0, 0).result)
			rt_deadlock();
		expire();
	}
	return pick();
}

int rt_block(const char *kind, const void *object, uint64_t deadline)
{
	struct rt_thread *self = rt_self;

	rt_flush();
	self->state = RT_BLOCKED;
	self->wait_kind = kind;
	self->wait_for = object;
	self->deadline = deadline;
	self->timed_out = false;
	sched.runnable--;
	if (deadline < sched.next_deadline)
		sched.next_deadline = deadline;

	switch_to(pick_or_sleep());
	return self->timed_out ? -ETIMEDOUT : 0;
}

void rt_adopt(struct rt_thread *thread, unsigned int number)
{
	thread->number = number;
	thread->state = RT_RUNNABLE;
	thread->deadline = RT_FOREVER;
	thread->wait_for = NULL;
	thread->depth = 0;
	thread->store_size = 0;
	thread->priority = fresh_priority();
	thread->busy = POLL_STEPS;
	thread->steps = 0;
	sched.runnable++;
}

void rt_retire(void)
{
	rt_flush();
	rt_self->state = RT_DONE;
	sched.runnable--;
	rt_wake_all(rt_self);
	hand_baton(pick_or_sleep());
}

static void drop_priority(void)
{
	rt_self->priority = --sched.lowest;
}

/* There are others who could run: shall one? */
static void maybe_switch(void)
{
	bool spins = sched.steps - sched.last_switch > SPIN_STEPS;

	switch (sched.policy) {
	case WIRE_SCHED_RANDOM:
		if (rt_random(sched.rate) == 0)
			switch_to(pick());
		return;
	case WIRE_SCHED_PCT:
		for (unsigned int i = 0; i < sched.changes; i++) {
			if (sched.change[i] == sched.steps)
				drop_priority();
		}
		if (spins)
			drop_priority();
		switch_to(pick());
		return;
	default:
		if (spins)
			switch_to(pick());
	}
}

static void stand_still(void)
{
	uint64_t until = rt_time() + sched.still_ns;

	while (rt_block("the processor", NULL, until) == 0)
		;
}

void rt_point(void)
{
	rt_flush();
	rt_self->busy++;
	rt_budget_spend(++sched.steps);
	if (sched.steps == sched.still_at)
		stand_still();
	if (sched.next_deadline <= rt_time())
		expire();
	if (sched.runnable > 1)
		maybe_switch();
}

bool rt_others_work(void)
{
	for (int i = 0; i < RT_THREADS; i++) {
		if (rt_threads[i].state == RT_RUNNABLE &&
		    rt_threads[i].busy >= POLL_STEPS &&
		    &rt_threads[i] != rt_self)
			return true;
	}
	return false;
}

void rt_yield(void)
{
	rt_point();
	if (sched.runnable < 2)
		return;
	if (sched.policy == WIRE_SCHED_PCT)
		drop_priority();
	switch_to(pick());
}
