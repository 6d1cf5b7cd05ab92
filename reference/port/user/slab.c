/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Allocation, counted, and made to fail on demand.
 *
 * A test sets a countdown; every allocation of the driver takes one from it,
 * and the one that reaches zero fails.  Sweeping the countdown from 1 until a
 * run no longer reaches it executes every error path of the driver, and the
 * count of live allocations tells whether each gave back what it had taken.
 * DMA memory passes through the same two counters.
 */
#include <stdlib.h>

#include "types.h"
#include "slab.h"

static long live;
static unsigned int countdown;
static bool hit;

void port_fail_alloc(unsigned int n)
{
	__atomic_store_n(&hit, false, __ATOMIC_SEQ_CST);
	__atomic_store_n(&countdown, n, __ATOMIC_SEQ_CST);
}

bool port_fail_alloc_hit(void)
{
	return __atomic_load_n(&hit, __ATOMIC_SEQ_CST);
}

long port_live_allocs(void)
{
	return __atomic_load_n(&live, __ATOMIC_SEQ_CST);
}

/* Take one from the countdown; true for the one that must fail. */
static bool countdown_ends(void)
{
	unsigned int left = __atomic_load_n(&countdown, __ATOMIC_SEQ_CST);

	do {
		if (left == 0)
			return false;
	} while (!__atomic_compare_exchange_n(&countdown, &left, left - 1,
					      false, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	return left == 1;
}

bool port_alloc_begin(void)
{
	if (countdown_ends()) {
		__atomic_store_n(&hit, true, __ATOMIC_SEQ_CST);
		return false;
	}
	__atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST);
	return true;
}

void port_alloc_end(void)
{
	__atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST);
}

void *(kcalloc)(size_t count, size_t size, unsigned int gfp)
{
	void *memory;
	size_t bytes;

	(void)gfp;
	if (__builtin_mul_overflow(count, size, &bytes) ||
	    bytes > PTRDIFF_MAX || !port_alloc_begin())
		return NULL;

	memory = calloc(1, bytes);
	if (!memory)
		port_alloc_end();
	return memory;
}

void *(kzalloc)(size_t size, unsigned int gfp)
{
	return (kcalloc)(1, size, gfp);
}

void kfree(const void *memory)
{
	if (!memory)
		return;
	port_alloc_end();
	free((void *)memory);
}
