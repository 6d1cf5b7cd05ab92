/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The language in which tests are written.
 *
 * A test is a function that gets a scenario: a card, a driver that it tells
 * what to do, and what both should come to.  It reads top to bottom.  The
 * first thing that goes wrong ends it: no function here returns then.
 *
 * Always on, so that no test has to ask for it: the card's rules; that what
 * was submitted is executed once, whole, in the order of each thread, and
 * that nothing else is; that answers agree with the card (-EAGAIN only when
 * there is no room, idle only when it is, time-outs neither early nor late).
 */
#ifndef JUDGE_SCENARIO_H
#define JUDGE_SCENARIO_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "autograder/judge/judge.h"
#include "autograder/judge/wire.h"

#define SCENARIO_THREADS	8u	/* threads of operations	*/
#define SCENARIO_BATCH		16u	/* segments of a batch		*/
#define SCENARIO_OUTPUTS	64u	/* output words kept of a call	*/

#define US	((uint64_t)1000)	/* in ns			*/
#define MS	((uint64_t)1000000)

/* As in ring.h, gpu.h and push.h of the driver. */
#define RING_DEFER	1u
enum scenario_memory { MEMORY_COHERENT, MEMORY_COMBINED, MEMORY_VRAM };
#define ANY_CHANNEL	0xffffffffu

/* Methods that tests use: they have data and no effect. */
#define METHOD_NOP	0x008u
#define METHOD_SET_OBJECT 0x000u
#define METHOD_SET_REFERENCE 0x050u
#define COPY_NOP	0x100u
#define COPY_OFFSET_IN	0x400u	/* eight registers from here	*/
#define COPY_SUBCHANNEL	4u

/* --- the card and the driver ----------------------------------------- */

/* Before driver_open(); else the seed chooses. */
void use_chip(struct scenario *s, enum card_chip chip);
/* Before driver_open(): memory as it is [§4.2], where barriers matter.
 * Without this every store is visible at once. */
void use_real_memory(struct scenario *s);
/* Before driver_open(): a CPU so slow at writing to the card that Host has
 * acted on each GP_PUT before the next: then none makes up for another. */
void use_slow_cpu(struct scenario *s);
/* Before driver_open(): a Host so slow at each method that rings stay full. */
void use_slow_host(struct scenario *s);
uint32_t copy_class(const struct scenario *s);

void driver_open(struct scenario *s);
int64_t driver_try_open(struct scenario *s);
void driver_close(struct scenario *s);
/* Close it all and find no allocation left. */
void driver_leaves_nothing(struct scenario *s);

struct ring_shape {
	uint32_t channel;	/* or ANY_CHANNEL		*/
	uint32_t entries, words;
	enum scenario_memory gp, pb;
	uint32_t first;		/* GP entry to start at		*/
	bool crc;
};

/* Rings have numbers, 0 to 7.  ring_open() insists on success. */
void ring_open(struct scenario *s, unsigned int ring,
	       const struct ring_shape *shape);
int64_t ring_try_open(struct scenario *s, unsigned int ring,
		      const struct ring_shape *shape);
int64_t ring_close(struct scenario *s, unsigned int ring, uint64_t timeout);
/* The same, of a space that is closed next: its memory is not unmapped, so
 * that the GPU's last access comes after the last change of the space. */
int64_t ring_close_mapped(struct scenario *s, unsigned int ring,
			  uint64_t timeout);

/* --- segments -------------------------------------------------------- */

struct segment;

/* A segment begins with a NOP whose data says who submitted it. */
struct segment *segment_new(struct scenario *s);
void segment_add(struct segment *segment, enum wire_method kind,
		 unsigned int subchannel, unsigned int method,
		 const uint32_t *data, unsigned int count);
/* A segment of exactly so many words, 2 or more: NOPs with data. */
struct segment *segment_words(struct scenario *s, unsigned int words);
/* Bind the copy class to its subchannel. */
struct segment *segment_bind_copy(struct scenario *s);

/* --- calls, one at a time -------------------------------------------- */

int64_t submit(struct scenario *s, unsigned int ring,
	       const struct segment *segment, uint32_t flags,
	       uint64_t timeout);
/* The same one, count times; the number of successes. */
uint32_t submit_many(struct scenario *s, unsigned int ring, uint32_t count,
		     const struct segment *segment, uint32_t flags,
		     uint64_t timeout);
/* The same again and again until there is room; no time-out is needed. */
int64_t submit_patiently(struct scenario *s, unsigned int ring,
			 const struct segment *segment);
int64_t submit_batch(struct scenario *s, unsigned int ring,
		     const struct segment *const *segment, unsigned int count,
		     uint32_t flags, uint64_t timeout);
int64_t kick(struct scenario *s, unsigned int ring);
int64_t is_idle(struct scenario *s, unsigned int ring);
int64_t wait_idle(struct scenario *s, unsigned int ring, uint64_t timeout);
int64_t ring_pause(struct scenario *s, unsigned int ring);
int64_t ring_resume(struct scenario *s, unsigned int ring);
void fail_alloc(struct scenario *s, unsigned int n);
/* Virtual ns that the last call took. */
uint64_t elapsed(const struct scenario *s);

/* Any call, with what it put out. */
int64_t call(struct scenario *s, enum wire_call what,
	     const uint64_t *args, unsigned int count, const uint32_t *data,
	     unsigned int words);
const uint64_t *outputs(const struct scenario *s, unsigned int *count);

/* --- threads --------------------------------------------------------- */

/* Add to what a thread will do … */
void thread_submit(struct scenario *s, unsigned int thread,
		   unsigned int ring, uint32_t repeat,
		   const struct segment *segment, uint32_t flags,
		   uint64_t timeout);
void thread_submit_batch(struct scenario *s, unsigned int thread,
			 unsigned int ring, uint32_t repeat,
			 const struct segment *const *segment,
			 unsigned int count, uint32_t flags,
			 uint64_t timeout);
void thread_kick(struct scenario *s, unsigned int thread, unsigned int ring);
void thread_sleep(struct scenario *s, unsigned int thread, uint64_t ns);
/* … and let all run, under a random or a PCT schedule as the seed says.
 * All results must be 0, unless failures are allowed; their number. */
void threads_run(struct scenario *s);
uint32_t threads_run_any(struct scenario *s);

/* --- what happens to the card ---------------------------------------- */

enum scenario_action {
	HOST_FREEZE, HOST_THAW, CARD_UNPLUG,
	TLB_FREEZE, TLB_THAW,	/* invalidations by register	*/
	LATE_INTERRUPT,		/* the judge's own	*/
};

void at_once(struct scenario *s, enum scenario_action what);
/* ns from now, even in the middle of a call; or at the n-th bus access. */
void later(struct scenario *s, uint64_t ns, enum scenario_action what);
void at_access(struct scenario *s, uint64_t n, enum scenario_action what);
/* In the next batch, who comes to the n-th scheduling point loses the
 * processor there, for so long. */
void stand_still(struct scenario *s, uint64_t n, uint64_t ns);
/* Bus accesses so far. */
uint64_t accesses(const struct scenario *s);
/* Let time pass while the driver does nothing but serve interrupts. */
void let_pass(struct scenario *s, uint64_t ns);

/* --- what must be true ----------------------------------------------- */

/* The value is as it should be; text is a sentence with a should in it. */
void expect_value(struct scenario *s, int64_t value, int64_t wanted,
		  const char *text);
void expect_true(struct scenario *s, bool condition, const char *text,
		 const char *wanted, uint64_t actual);
/* Time passes, the driver does nothing; then all that was offered has been
 * executed.  limit: ns. */
void expect_executed(struct scenario *s, unsigned int ring, uint64_t limit);
/* … and this many segments in all since the ring was opened. */
uint64_t executed(const struct scenario *s, unsigned int ring);
/* Writes of GP_PUT by the driver since the last time this was asked. */
uint32_t put_writes(struct scenario *s, unsigned int ring);
/* The value it wrote last. */
uint32_t put_value(const struct scenario *s, unsigned int ring);
/* CRCs of segments that Host checked since the ring was opened. */
uint32_t crc_checks(const struct scenario *s, unsigned int ring);
struct card_channel_state channel_state(const struct scenario *s,
					unsigned int ring);
/* A channel that is not on the card any more. */
void expect_unbound(struct scenario *s, uint32_t channel);
/* A rule that this test provokes. */
void ignore_rule(struct scenario *s, enum card_rule rule);

/* --- variety --------------------------------------------------------- */

uint64_t seed(const struct scenario *s);
/* 0 to limit - 1. */
uint32_t pick(struct scenario *s, uint32_t limit);

#endif
