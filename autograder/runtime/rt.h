/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The runtime under a student's instrumented code: what the agent and
 * bus/judge use of it.
 *
 * The student's objects call it too, without knowing: the compiler's
 * __tsan_* hooks (hooks.c) and the C library's names that intercept.def
 * redirects to rt_*.
 */
#ifndef RUNTIME_RT_H
#define RUNTIME_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../judge/wire.h"

#define RT_OP_THREADS	64	/* threads that operations may name	*/

/* Map the link and make the calling thread thread 0.  0 or -errno. */
int rt_start(int fd);
/* End the process, at once and in silence. */
void rt_stop(void) __attribute__((noreturn));

/* The shared memory, and the arena inside it, at fixed addresses. */
struct wire *rt_wire(void);
void *rt_arena(uint64_t offset);
/* Offset of an address in the arena, or ~0. */
uint64_t rt_arena_offset(const void *addr);

/* A post: in the list, in order, answered by nobody. */
void rt_post(enum wire_post_kind kind, unsigned int region, uint64_t addr,
	     unsigned int size, uint64_t value);
void rt_post_burst(unsigned int region, uint64_t addr, const void *data,
		   size_t len);
/* A request: hands the turn to the judge and waits for its answer. */
struct wire_reply rt_ask(enum wire_request_kind kind, uint64_t a, uint64_t b,
			 uint64_t c);
/* The same with text as its payload. */
struct wire_reply rt_ask_text(enum wire_request_kind kind, uint64_t a,
			      uint64_t b, uint64_t c, uint64_t d,
			      const char *text);
/* Misuse, seen here: the judge may end the run, else it goes on. */
void rt_report(enum wire_report kind, uint64_t a, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The driver cannot go on: signal is 0 where there was none. */
void rt_crash(int signal, const void *addr, const void *pc,
	      const char *format, ...)
	__attribute__((noreturn, format(printf, 4, 5)));

/* Address ranges that stand for BARs: an access to one is reported. */
void rt_bar_range(unsigned int region, const void *base, uint64_t size);

/* One of the barriers of port.h. */
void rt_barrier(int kind);
/* A scheduling point that accesses no memory. */
void rt_point(void);
/* A turn of a polling loop: lets virtual time pass and others run.  The
 * time it took. */
uint64_t rt_relax(void);
void rt_sleep(uint64_t ns);
uint64_t rt_now(void);

/*
 * Wait for the card's next interrupt message, or take the one that came
 * since: true.  False: rt_irq_stop() was called, before or meanwhile.  One
 * thread at a time waits.
 */
bool rt_irq_wait(void);
void rt_irq_stop(void);

/*
 * One batch of operations: body(arg, thread) runs on threads 0 to
 * threads - 1 under the schedule, thread 0 being the caller.  Returns when
 * all have returned.  0 or -errno.
 */
int rt_run(const struct wire_ops *ops, void (*body)(void *arg,
						    unsigned int thread),
	   void *arg);
uint64_t rt_steps(void);
/* A call of the driver begins on this thread: its budget counts from here. */
void rt_call(void);

/* Allocation: the n-th from now fails, 0 ends that; how many are live. */
void rt_fail_alloc(uint64_t n);
bool rt_alloc_fails(void);	/* counts one that is not malloc's	*/
size_t rt_live(void);		/* blocks and open descriptors		*/
void rt_heap_check(void);	/* crashes on a write after free	*/
/* Where the oldest live allocation was made, for a leak's report. */
const char *rt_live_text(char *buf, size_t len);

#endif
