/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The link between a student's process (the agent) and the judge.
 *
 * One sealed memfd, mapped by both, holds a struct wire and the DMA arena.
 * Exactly one side runs at a time: whoever holds the turn.  The agent posts
 * what needs no answer (stores, posted writes, barriers) into a list; when it
 * needs an answer it fills in the request and hands the turn to the judge,
 * which first works through the posts in order, then answers and hands the
 * turn back.  So the outcome depends on the order of the agent's actions and
 * never on the host's speed.
 *
 * A hand-over costs two context switches.  Every answer therefore tells until
 * when nothing can happen but by the agent's own doing.  Up to then the agent
 * knows by itself what time it is and what a polled register says: it goes
 * on, and posts what it did.  The judge does the same once more and compares.
 *
 * The judge trusts nothing in here: it copies each word once, checks every
 * range, and stamps time itself.
 */
#ifndef JUDGE_WIRE_H
#define JUDGE_WIRE_H

#include <stdatomic.h>
#include <stdint.h>

#define WIRE_MAGIC	0x64626c31u	/* "dbl1" */
#define WIRE_VERSION	3u
#define WIRE_FD		3		/* the memfd in the agent	*/
#define WIRE_POSTS	4096u
#define WIRE_PAYLOAD	(256u << 10)
#define WIRE_FILL_MAX	4096u
#define WIRE_REGISTERS	1u		/* the region that holds them */
#define WIRE_REGISTERS_SIZE (16u << 20)
/* What the driver allocates for itself; in the agent, not in the link. */
#define WIRE_HEAP_SIZE	(512ul << 20)
/* DMA memory: the CPU's view of it; the judge keeps the card's view. */
#define WIRE_ARENA_SIZE	(16u << 20)
#define WIRE_ARENA_OFFSET (1u << 20)
#define WIRE_SIZE	(WIRE_ARENA_OFFSET + WIRE_ARENA_SIZE)

enum wire_turn { WIRE_AGENT, WIRE_JUDGE };

/* Barriers, weakest first [§4.3]. */
enum wire_barrier {
	WIRE_BARRIER_DMA_RMB,
	WIRE_BARRIER_DMA_WMB,	/* coherent stores before later ones	*/
	WIRE_BARRIER_RMB,
	WIRE_BARRIER_WMB,	/* … and write-combining ones, and I/O	*/
	WIRE_BARRIER_MB,
};

/* What is posted. */
enum wire_post_kind {
	WIRE_STORE,	/* addr = arena offset, value, size: a CPU store */
	WIRE_WRITE,	/* region, addr = offset, value, size: posted write */
	WIRE_BARRIER,	/* value = enum wire_barrier */
	WIRE_RESULT,	/* addr = operation's index, value = its return */
	WIRE_OUTPUT,	/* addr = operation's index, value = an output word */
	WIRE_SWITCH,	/* the scheduler now runs this thread */
	WIRE_STEPS,	/* value = hooks passed so far: the step budget */
	WIRE_BURST,	/* as WIRE_WRITE, a piece of a burst (memcpy_toio):
			 * pieces are adjacent and in order; pad = bytes of
			 * the same burst still to come, 0 in its last piece */
	WIRE_FILL,	/* pad bytes of a burst at once, WIRE_FILL_MAX at most:
			 * value, 8 bytes, over and over	*/
	WIRE_BEGIN,	/* addr = operation's index: it begins in earnest */
	/* Requests that the agent answered itself; pad = the time after,
	 * its low 32 bits. */
	WIRE_OWN_READ,	/* region, addr = offset, size, value = value	*/
	WIRE_OWN_LOAD,	/* addr = arena offset, value = size		*/
	WIRE_OWN_NOW,
	WIRE_OWN_RELAX,	/* value = 1: other threads have something to do */
	WIRE_TABLE_FREED, /* addr in video memory, value = size: it held a page
			 * table, and is about to be given back */
};

struct wire_post {
	uint8_t kind, size, region, thread;
	uint32_t pad;
	uint64_t addr, value;
};

/* What is asked, with the turn. */
enum wire_request_kind {
	WIRE_HELLO = 1,	/* a = magic, b = version; reply: a = seed */
	WIRE_NEXT,	/* give me the next command: reply.command, payload */
	WIRE_READ,	/* a = region, b = offset, c = size; reply a = value */
	WIRE_LOAD,	/* a = arena offset, b = size: bring the CPU's view of
			 * it up to date; the load itself follows */
	WIRE_NOW,	/* reply a = ns					*/
	WIRE_RELAX,	/* one turn of a polling loop; a = 1: other threads
			 * can run, and have something to do */
	WIRE_SLEEP,	/* a = deadline, ns: nobody can run before it.  Jump to
			 * the next event or the deadline, or to an interrupt;
			 * a = ~0: there is none, and only an interrupt can
			 * help: -EDEADLK if the card is at rest.
			 * reply a = now */
	WIRE_DEADLOCK,	/* all threads blocked, no deadline; payload: text */
	WIRE_DMA_ALLOC,	/* a = size, b = kind; reply a = arena offset or ~0,
			 * b = DMA address */
	WIRE_DMA_FREE,	/* a = size, b = arena offset */
	WIRE_CRASH,	/* a = signal, b = address, c = pc, d = region+1 if the
			 * address lies in a BAR range, payload: text */
	WIRE_REPORT,	/* a = enum wire_report, payload: text */
	WIRE_FULL,	/* the list of posts is full */
	WIRE_REGION_SIZE, /* a = region; reply a = its size in bytes */
};

/* Misuse that the runtime sees in the student's process. */
enum wire_report {
	WIRE_REPORT_DEREF_IOMEM,	/* plain access to a BAR pointer */
	WIRE_REPORT_LEAK,		/* a = allocations left */
	WIRE_REPORT_LOCK,		/* unlock of a lock not held, … */
	WIRE_REPORT_STEPS,		/* step budget spent: endless loop */
	WIRE_REPORT_DMA_FREE_BUSY,
	WIRE_REPORT_SLEEP_IN_IRQ,	/* … or under a spinlock */
	WIRE_REPORT_IRQ_LOCK,		/* a handler's, with interrupts on */
	WIRE_REPORT_IRQ_BUDGET,		/* a handler ran too long */
	WIRE_REPORT_HEAP_FULL,		/* an allocation failed for want of
					 * room; no verdict	*/
};

struct wire_request {
	uint32_t kind, thread;
	uint64_t a, b, c, d;
	uint32_t payload;	/* bytes of payload that go with it */
};

/* What the judge tells the agent to do next. */
enum wire_command {
	WIRE_DO_EXIT,		/* clean up and _exit(0) */
	WIRE_DO_OPS,		/* run the operations in the payload */
};

struct wire_reply {
	int64_t result;		/* 0 or -errno */
	uint64_t a, b;
	uint64_t now;		/* virtual ns, in every reply: timed waits end
				 * by it */
	uint64_t interrupts;	/* in every reply: messages sent so far */
	uint64_t cost;		/* ns that the request itself took */
	/* In every reply: what the agent needs to answer for itself. */
	uint64_t quiet;		/* nothing happens before, if it posts no
				 * write */
	uint64_t polls_since;	/* start of the polling, or 0	*/
	uint32_t handles;	/* turns of others start it anew */
	uint32_t write_cost;	/* CPU time of a write of a register */
	uint32_t steady;	/* WIRE_READ: while it is quiet a further read
				 * of this finds the same and takes this long,
				 * ns; 0: it may not	*/
	uint32_t command, payload;
};

/*
 * The payload of WIRE_DO_OPS: a struct wire_ops, then count struct wire_op,
 * then data.  Operations of one thread run in order; threads run under the
 * scheduler; thread 0 alone runs in the agent's main thread.
 */
enum wire_schedule { WIRE_SCHED_NONE, WIRE_SCHED_RANDOM, WIRE_SCHED_PCT };

struct wire_ops {
	uint32_t count, threads;
	uint32_t schedule;	/* enum wire_schedule */
	uint32_t pct_depth;
	uint64_t seed;
	uint64_t call_budget;	/* hooks in one call; 0: any number	*/
	uint64_t step_budget;	/* … of all threads in all calls	*/
	uint64_t still_at;	/* whoever passes this hook, or 0 … */
	uint64_t still_ns;	/* … loses the processor for so long */
};

/* The functions an operation can call: autograder/agent/calls.def. */
enum wire_call {
#define CALL(name, text)	CALL_##name,
#include "../agent/calls.def"
#undef CALL
	WIRE_CALLS
};

struct wire_op {
	uint16_t call;		/* enum wire_call */
	uint8_t thread;
	uint8_t handle;		/* slot of the object it works on, 0 to 7 */
	uint32_t repeat;	/* 1 or more: run it so often */
	uint64_t args[8];
	uint32_t data, data_len;	/* in the payload, from its start */
};

/*
 * Data of ring_submit and ring_submit_batch: segments, each a u32 count of
 * method groups, then the groups: one u32 with kind in 3:0 (enum
 * wire_method), subchannel in 7:4, method address in 23:8; one u32 count;
 * count data words.  The agent encodes them with the student's push_*().
 * The words WIRE_TAG are replaced by tag | repetition number (from 0).
 * WIRE_METHOD_IMMEDIATE has count 1; its data word is the 13-bit datum.
 */
#define WIRE_TAG	0x7a67a67au

enum wire_method {
	WIRE_METHOD_INC, WIRE_METHOD_NON_INC, WIRE_METHOD_ONE_INC,
	WIRE_METHOD_IMMEDIATE,
};

struct wire {
	uint32_t magic, version;
	_Atomic uint32_t turn;		/* enum wire_turn; the futex */
	_Atomic uint32_t posted;	/* posts in the list */
	/* By enum wire_turn: it sleeps on the futex, and wants to be woken.
	 * Whoever is woken often runs at once, and has given the turn back
	 * before the other came to sleep. */
	_Atomic uint32_t asleep[2];
	struct wire_request request;
	struct wire_reply reply;
	struct wire_post post[WIRE_POSTS];
	uint8_t payload[WIRE_PAYLOAD];
};

_Static_assert(sizeof(struct wire) <= WIRE_ARENA_OFFSET, "arena overlaps");

/*
 * What things cost in virtual time [§2.3], which both sides must know: the
 * card charges its own accesses, here are a look at the clock, a load from
 * DMA memory and a turn of a polling loop.  The turns of a long poll grow
 * with it, by one part in sixteen: endless polling meets its limit after a
 * few hundred.
 */
#define WIRE_COST_LOAD	2u
#define WIRE_COST_NOW	20u
#define WIRE_COST_RELAX	50u

static inline uint64_t wire_turn_cost(uint64_t polled)
{
	return polled / 16 > WIRE_COST_RELAX ? polled / 16 : WIRE_COST_RELAX;
}

#endif
