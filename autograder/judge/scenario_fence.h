/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The language of tests about interrupts and fences [§9.5], over scenario.h.
 *
 * Always on, besides what scenario.h lists: a wait succeeds only when the
 * card has released the fence, fails only when it has not, wakes within a
 * millisecond, keeps its time-out, and gives an error only for a channel that
 * died, a card that is gone or a timeline that is being destroyed.  Numbers
 * on a timeline are used once, each.
 */
#ifndef JUDGE_SCENARIO_FENCE_H
#define JUDGE_SCENARIO_FENCE_H

#include "autograder/judge/scenario.h"

/* As in fence.h of the driver. */
enum wait_how { WAIT_SPIN, WAIT_EVENT, WAIT_COND, WAIT_AUTO, WAIT_HOWS };
/* On a descriptor of the fence. */
enum poll_how { BY_POLL, BY_EPOLL, BY_EPOLL_EDGE };

#define COPY_LAUNCH	0x300u

/* Take the interrupt; irq_on() insists on success. */
void irq_on(struct scenario *s);
int64_t irq_try_on(struct scenario *s);
void irq_off(struct scenario *s);

/* A timeline for a ring, where its semaphore lies, the number before its
 * first.  timeline_open() insists on success. */
void timeline_open(struct scenario *s, unsigned int ring,
		   enum scenario_memory memory, uint32_t start);
int64_t timeline_try_open(struct scenario *s, unsigned int ring,
			  enum scenario_memory memory, uint32_t start);
void timeline_close(struct scenario *s, unsigned int ring);
/* A ring with a timeline in coherent memory, and all of it gone again. */
void fenced_ring(struct scenario *s, unsigned int ring,
		 const struct ring_shape *shape, uint32_t start);
void fenced_ring_close(struct scenario *s, unsigned int ring);

/* --- calls, one at a time --------------------------------------------- */

/* Fences have numbers, 0 to 255.  fence() insists on success. */
void fence(struct scenario *s, unsigned int ring, unsigned int n);
int64_t fence_try(struct scenario *s, unsigned int ring, unsigned int n,
		  uint64_t timeout);
/* The ring waits on the GPU for a fence. */
int64_t fence_behind(struct scenario *s, unsigned int ring, unsigned int n,
		     uint64_t timeout);
int64_t fence_ask(struct scenario *s, unsigned int n);
int64_t fence_stamp(struct scenario *s, unsigned int n, uint64_t *ns);
int64_t fence_wait(struct scenario *s, unsigned int n, enum wait_how how,
		   uint64_t timeout);
/* Fences first to first + count - 1. */
int64_t fence_wait_all(struct scenario *s, unsigned int first,
		       unsigned int count, uint64_t timeout);
int64_t fence_wait_any(struct scenario *s, unsigned int first,
		       unsigned int count, uint64_t timeout, uint32_t *index);
/* 1: readable in time; 0: not. */
int64_t fence_poll(struct scenario *s, unsigned int n, enum poll_how how,
		   uint64_t timeout);
int64_t channel_error(struct scenario *s, unsigned int ring);

struct irq_stats {
	uint64_t interrupts, spurious, nonstall, faults, pbdma, copy, longest;
};
struct irq_stats irq_stats(struct scenario *s);

/* --- threads: added to what they will do ------------------------------- */

void thread_fence(struct scenario *s, unsigned int thread, unsigned int ring,
		  unsigned int n);
void thread_wait(struct scenario *s, unsigned int thread, unsigned int n,
		 enum wait_how how, uint64_t timeout);
void thread_wait_all(struct scenario *s, unsigned int thread,
		     unsigned int first, unsigned int count,
		     uint64_t timeout);
void thread_wait_any(struct scenario *s, unsigned int thread,
		     unsigned int first, unsigned int count,
		     uint64_t timeout);
void thread_poll(struct scenario *s, unsigned int thread, unsigned int n,
		 enum poll_how how, uint64_t timeout);
void thread_ask(struct scenario *s, unsigned int thread, unsigned int n,
		uint32_t times);
void thread_timeline_close(struct scenario *s, unsigned int thread,
			   unsigned int ring);
void thread_resume(struct scenario *s, unsigned int thread, unsigned int ring);
/* Let all run; this many calls must fail with this error, the others give
 * 0, or 1 from thread_poll(). */
void threads_run_with(struct scenario *s, int64_t error, unsigned int count);

/* --- what happens to the card ------------------------------------------ */

/* Before driver_open(): a link without delays, and interrupts that are there
 * at once: then a handler fits between two steps of a thread. */
void use_fast_bus(struct scenario *s);
/* The next interrupts are lost on their way; all are late by so much. */
void lose_interrupts(struct scenario *s, unsigned int count);
void delay_interrupts(struct scenario *s, uint64_t ns);

/* --- segments ----------------------------------------------------------- */

/* Moves bytes inside the timeline's page: takes a while.  The copy class
 * must be bound. */
struct segment *segment_copy(struct scenario *s, unsigned int ring,
			     uint32_t bytes);
/* … that ends with an interrupt of the copy engine. */
struct segment *segment_copy_interrupt(struct scenario *s, unsigned int ring);
/* A Host method that does not exist. */
struct segment *segment_bad_method(struct scenario *s);
/* A semaphore release to an address that is not mapped: kills the channel. */
struct segment *segment_fault(struct scenario *s);

/* --- what must be true --------------------------------------------------- */

/* Nothing of Host's is enabled in its unit, nor anything in PMC's trees. */
void expect_masked(struct scenario *s);
/* Every fence emitted on a living channel is released before long. */
void expect_released(struct scenario *s, uint64_t limit);
/* What the n-th call of the last run gave, in the order it was added. */
int64_t result_of(const struct scenario *s, unsigned int n);
/* Copies that were done by then. */
uint32_t copies_done(const struct scenario *s, uint64_t time);
/* When the card released it, or NEVER. */
uint64_t released_at(const struct scenario *s, unsigned int n);
uint32_t fence_value(const struct scenario *s, unsigned int n);
/* What was released last on the ring's timeline. */
uint32_t word_of(const struct scenario *s, unsigned int ring);
/* Interrupt messages that the card has sent. */
uint64_t messages(const struct scenario *s);
/* Loads of DMA memory and bus accesses by the driver so far. */
uint64_t looks(const struct scenario *s);

#endif
