/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Tests that run in the guest, against a card's node.
 *
 * A program is a table of tests.  Each runs in a process of its own, which
 * opens the card for itself: one that crashes or hangs is one failure, and
 * what it leaves open is the kernel's to take back, which the next test finds
 * out.
 */
#ifndef GUEST_H
#define GUEST_H

#include "gpu_bus.h"

#define MS	NSEC_PER_MSEC
#define SECOND	NSEC_PER_SEC
#define K	1024ULL
#define M	(K * K)
#define PAGE	(4 * K)

struct guest_test {
	const char *name;
	void (*run)(void);
	bool alone;	/* wants the kernel: not in one process with the card */
};

/* From the command line: DEVICE [SEED [ROUNDS]]. */
extern struct guest {
	const char *device;
	u64 seed;
	unsigned int rounds;
} guest;

/*
 * Runs them all, or those whose names contain what TEST in the environment
 * says: a line for each, "ok NAME" or "FAIL NAME", then "N passed, N failed".
 * For main() to return: 0, or 1 when one failed, 2 for a wrong command line.
 */
int guest_main(int argc, char **argv, const struct guest_test *tests,
	       size_t count);

/* The card; in open_node.c, or for a run without a kernel open_direct.c. */
int guest_open(struct gpu_bus **bus);
/* Whether there is a kernel between us and it. */
extern const bool guest_has_kernel;
/* At a test's end, where there is no kernel: nothing is left, and no rule is
 * broken but as often as the test meant to. */
void guest_closed(struct gpu_bus *bus);
extern unsigned int guest_breaks;

/* The test fails, from any thread: says where and why, and ends the process. */
void guest_fail(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

#define CHECK(condition) \
	do { if (!(condition)) \
		guest_fail(__FILE__, __LINE__, "%s", #condition); \
	} while (0)
#define CHECK_EQ(a, b) \
	do { \
		long long a_ = (long long)(a), b_ = (long long)(b); \
		if (a_ != b_) \
			guest_fail(__FILE__, __LINE__, \
				   "%s is %lld (0x%llx), not %s, %lld", #a, \
				   a_, (unsigned long long)a_, #b, b_); \
	} while (0)

/* Numbers by the seed; who has a state of his own has a sequence of his own. */
struct guest_random {
	u64 state;
};
void guest_random_init(struct guest_random *random, unsigned int number);
u32 guest_random_next(struct guest_random *random);
/* 0 to below; below is not 0. */
static inline u32 guest_below(struct guest_random *random, u32 below)
{
	return guest_random_next(random) % below;
}

/* Threads: as many as count, each called with its number; until all ended. */
void guest_threads(unsigned int count, void (*run)(unsigned int number));

/* A process that runs this, and its end.  It does not run the tests' own. */
int guest_child(void (*run)(void *arg), void *arg);
/* It has ended by itself: its exit status; -signal if it was killed. */
int guest_child_end(int pid);

#endif
