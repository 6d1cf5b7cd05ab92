/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A judge of the smallest kind, for the runtime's tests: it answers the link
 * with a clock and one word of card memory, and keeps what it was told.
 */
#ifndef RUNTIME_TEST_PEER_H
#define RUNTIME_TEST_PEER_H

#include "autograder/runtime/rt.h"

#define PEER_POSTS	65536u
#define PEER_INTERRUPTS	8u

struct peer {
	uint64_t now;
	/* What happened, in order. */
	struct wire_post post[PEER_POSTS];
	unsigned int posts;
	unsigned int asked[32];		/* requests of each kind	*/
	/* Interrupts leave at these times, in order; 0: no more.  The test
	 * sets them before peer_run(). */
	uint64_t interrupt_at[PEER_INTERRUPTS];
	uint64_t interrupts;		/* that have left		*/
	/* Told with every answer, and kept by peer_run(). */
	struct peer_tells {
		uint64_t quiet;
		uint32_t steady, write_cost;
	} tells;
	uint64_t report;		/* the last report's kind	*/
	uint64_t crash_signal, crash_addr;
	uint64_t crash_region;
	char text[4096];		/* of report, crash or deadlock	*/
	/* Before a load the card writes this to arena offset 64. */
	uint32_t card_word;
	int status;			/* of the agent, as by waitpid	*/
};

/* Run body() in a process with the runtime started, and judge it. */
void peer_run(struct peer *peer, void (*body)(void *arg), void *arg);
/* The value that the body gave by peer_result(). */
int64_t peer_value(const struct peer *peer, unsigned int index);
/* In the body: report a value. */
void peer_result(unsigned int index, int64_t value);
/* A hash of all thread switches and stores. */
uint64_t peer_trace(const struct peer *peer);
/* How many posts of this kind; the n-th of them. */
unsigned int peer_count(const struct peer *peer, enum wire_post_kind kind);
const struct wire_post *peer_post(const struct peer *peer,
				  enum wire_post_kind kind, unsigned int n);

/* In the body: threads under a schedule; x = x + 1 as clang would have it. */
void peer_threads(enum wire_schedule policy, uint64_t seed,
		  unsigned int threads,
		  void (*body)(void *arg, unsigned int thread));
void peer_increment(int *x);

/* What a body is given that runs threads. */
struct race {
	enum wire_schedule policy;
	uint64_t seed;
};

#endif
