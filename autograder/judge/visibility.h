/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The CPU's view and the card's view of DMA memory [§4.2].
 *
 * The memory model, in full:
 *
 *  1. All threads of a process share one view of memory, the CPU's.  A store
 *     is in it at once.  The card has a view of its own.  A store reaches it
 *     later: when a barrier orders it, or by itself after a while, which may
 *     be never.  Until then the store is pending.
 *  2. Memory is mapped coherent or write-combining, per allocation.
 *  3. dma_wmb() publishes the pending stores to coherent memory.  wmb() and
 *     mb() publish those to write-combining memory too.  dma_rmb(), rmb() and
 *     the smp_ barriers publish nothing: they order threads, not the card.
 *  4. For coherent memory barriers are cumulative: they cover the stores of
 *     their own thread and those of other threads that it has seen, under a
 *     lock for instance.  So the thread that offers work may issue the barrier
 *     for all of it.  Write-combining buffers are each CPU's own, and a thread
 *     is a CPU: wmb() and mb() drain those of their thread and no other's.
 *  5. A lock, an unlock, an atomic operation or a switch of threads publishes
 *     nothing by itself.
 *  6. A posted write to the card publishes nothing by itself: after
 *     writel_relaxed() the card may look at memory that it sees stale.
 *     writel() is dma_wmb(), then writel_relaxed().  So for write-combining
 *     memory even writel() needs a wmb() before it.
 *  7. Stores to the same bytes reach the card in the order they were issued
 *     in.  Apart from that, pending stores that become visible by themselves
 *     do so in any order (weak, as on Arm and POWER).  With x86 order those
 *     of one thread to coherent memory do so in program order, and a posted
 *     write publishes them; write-combining memory stays weak there too.
 *  8. What the card writes is in its view at once, and in the CPU's, except
 *     for bytes that have a store pending: the store is the later one.
 *     Before a thread uses data because of a flag that the card wrote, it
 *     issues dma_rmb().
 *  9. A fetch by Host of GP entries or of a push buffer, with a store to
 *     those bytes pending, breaks RULE_FETCH_NOT_VISIBLE whatever the bytes
 *     say: that they were equal, or old enough, was luck.
 */
#ifndef JUDGE_VISIBILITY_H
#define JUDGE_VISIBILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "autograder/judge/wire.h"

struct visibility;

/*
 * VISIBILITY_AT_ONCE is no machine: every store is visible when it is made.
 * Tests of anything but barriers use it, so that a driver that lacks them
 * fails the tests of barriers and no others.
 */
enum visibility_order {
	VISIBILITY_WEAK, VISIBILITY_X86, VISIBILITY_AT_ONCE
};
enum visibility_kind { VISIBILITY_COHERENT, VISIBILITY_COMBINED };

struct visibility_config {
	uint8_t *cpu;		/* the CPU's view, the caller's		*/
	size_t size;
	enum visibility_order order;
	uint64_t seed;
	/* A pending store becomes visible by itself at an age, in ns, drawn
	 * from this range; max 0: never. */
	uint32_t evict_min, evict_max;
	bool cpu_is_zero;	/* to begin with		*/
};

/* A pending store. */
struct visibility_store {
	uint64_t offset, value;
	uint64_t issued, evict;		/* ns				*/
	uint64_t seq;			/* order of issue, from 1	*/
	uint8_t size, thread;
	enum visibility_kind kind;
};

/* NULL: no memory. */
struct visibility *visibility_new(const struct visibility_config *config);
void visibility_free(struct visibility *v);

/* Whole pages.  Both views are zeroed, and nothing in there is pending. */
void visibility_map(struct visibility *v, uint64_t offset, size_t len,
		    enum visibility_kind kind);

/* Offsets and lengths must lie inside the memory: the caller checks. */
void visibility_store(struct visibility *v, unsigned int thread,
		      uint64_t offset, unsigned int size, uint64_t value,
		      uint64_t now);
void visibility_barrier(struct visibility *v, unsigned int thread,
			enum wire_barrier barrier);
/* A posted write to the card by this thread. */
void visibility_mmio(struct visibility *v, unsigned int thread);
/* Time has come to now: let old stores through. */
void visibility_age(struct visibility *v, uint64_t now);

/* Is a store to these bytes pending?  Which: the first one issued. */
bool visibility_pending(const struct visibility *v, uint64_t offset,
			size_t len, struct visibility_store *store);
size_t visibility_pending_count(const struct visibility *v);

/* The card's view, and a write by the card. */
const uint8_t *visibility_card(const struct visibility *v);
void visibility_card_write(struct visibility *v, uint64_t offset,
			   const void *data, size_t len);

#endif
