/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The hooks that clang's -fsanitize=thread puts before every access.
 *
 * libtsan has functions of the same names and looks for data races; these
 * look for something else.  Each hook is a point where the scheduler may run
 * another thread, and each access to DMA memory is told to the judge: stores
 * with their value, read back later (link.c), loads before they happen.
 *
 * Only one thread runs at a time, so atomic operations are plain ones here,
 * and between threads memory is sequentially consistent.  Memory order
 * towards the card is the judge's business, and no C11 order or fence has
 * any effect on it, as on Linux [§4.3].
 */
#include <string.h>

#include "internal.h"
#include "hooks.h"
#include "link.h"

static inline bool is_special(uintptr_t addr)
{
	return addr - RT_WIRE_BASE < WIRE_SIZE ||
	       addr - rt_bar_low < rt_bar_span;
}

void rt_range_read(const volatile void *at, size_t size)
{
	uintptr_t addr = (uintptr_t)at;

	rt_point();
	if (is_special(addr)) {
		rt_check(addr, size, false);
		rt_load(addr, size);
	}
}

void rt_range_write(const volatile void *at, size_t size)
{
	struct rt_thread *self = rt_self;
	uintptr_t addr = (uintptr_t)at;

	rt_point();
	if (is_special(addr)) {
		rt_check(addr, size, true);
		self->store = addr;
		self->store_size = size;
	}
}

#define ACCESS(name, size)						\
	void __tsan_##name##read##size(void *addr)			\
	{								\
		rt_here();						\
		rt_range_read(addr, size);				\
	}								\
	void __tsan_##name##write##size(void *addr)			\
	{								\
		rt_here();						\
		rt_range_write(addr, size);				\
	}
#define ACCESSES(name)							\
	ACCESS(name, 2) ACCESS(name, 4) ACCESS(name, 8) ACCESS(name, 16)

ACCESS(, 1)
ACCESSES()
ACCESS(volatile_, 1)
ACCESSES(volatile_)
ACCESSES(unaligned_)
ACCESSES(unaligned_volatile_)

/* A read and a write of the same place, announced together. */
#define BOTH(name, size)						\
	void __tsan_##name##read_write##size(void *addr)		\
	{								\
		rt_range_read(addr, size);				\
		rt_range_write(addr, size);				\
	}
BOTH(, 1) BOTH(, 2) BOTH(, 4) BOTH(, 8) BOTH(, 16)
BOTH(unaligned_, 2) BOTH(unaligned_, 4) BOTH(unaligned_, 8)
BOTH(unaligned_, 16)

void __tsan_read_range(void *addr, size_t size)
{
	rt_range_read(addr, size);
}

void __tsan_write_range(void *addr, size_t size)
{
	rt_range_write(addr, size);
}

void __tsan_vptr_read(void **addr)
{
	rt_range_read(addr, sizeof(*addr));
}

void __tsan_vptr_update(void **addr, void *value)
{
	(void)value;
	rt_range_write(addr, sizeof(*addr));
}

void __tsan_init(void)
{
}

/* The shadow stack: an address in the function that is entered. */
void __tsan_func_entry(void *caller)
{
	struct rt_thread *self = rt_self;

	(void)caller;
	rt_flush();
	if (self->depth < RT_STACK_DEPTH)
		self->stack[self->depth] =
			(uintptr_t)__builtin_return_address(0);
	self->depth++;
}

void __tsan_func_exit(void)
{
	struct rt_thread *self = rt_self;

	rt_flush();
	if (self->depth)
		self->depth--;
}

static void atomic_load_done(const volatile void *at, size_t size)
{
	rt_range_read(at, size);
}

static void atomic_begin(const volatile void *at, size_t size)
{
	uintptr_t addr = (uintptr_t)at;

	rt_point();
	if (is_special(addr)) {
		rt_check(addr, size, true);
		rt_load(addr, size);
	}
}

/* Unlike a plain store this one is done before anything else can happen. */
static void atomic_end(const volatile void *at, size_t size)
{
	rt_stored((uintptr_t)at, size);
}

#define FETCH(bits, name, expression)					\
	uint##bits##_t __tsan_atomic##bits##_##name(			\
		volatile uint##bits##_t *at, uint##bits##_t value,	\
		int order)						\
	{								\
		uint##bits##_t old;					\
									\
		(void)order;						\
		rt_here();						\
		atomic_begin(at, sizeof(*at));				\
		old = *at;						\
		*at = (expression);					\
		atomic_end(at, sizeof(*at));				\
		return old;						\
	}

#define CAS(bits, name)							\
	int __tsan_atomic##bits##_compare_exchange_##name(		\
		volatile uint##bits##_t *at, uint##bits##_t *expected,	\
		uint##bits##_t value, int order, int fail_order)	\
	{								\
		uint##bits##_t want = *expected;			\
									\
		*expected = __tsan_atomic##bits##_compare_exchange_val(	\
			at, want, value, order, fail_order);		\
		return *expected == want;				\
	}

#define ATOMICS(bits)							\
	uint##bits##_t __tsan_atomic##bits##_load(			\
		const volatile uint##bits##_t *at, int order)		\
	{								\
		(void)order;						\
		rt_here();						\
		atomic_load_done(at, sizeof(*at));			\
		return *at;						\
	}								\
	void __tsan_atomic##bits##_store(volatile uint##bits##_t *at,	\
					 uint##bits##_t value, int order) \
	{								\
		(void)order;						\
		rt_here();						\
		rt_range_write(at, sizeof(*at));			\
		*at = value;						\
		rt_flush();						\
	}								\
	FETCH(bits, exchange, value)					\
	FETCH(bits, fetch_add, old + value)				\
	FETCH(bits, fetch_sub, old - value)				\
	FETCH(bits, fetch_and, old & value)				\
	FETCH(bits, fetch_or, old | value)				\
	FETCH(bits, fetch_xor, old ^ value)				\
	FETCH(bits, fetch_nand, ~(old & value))				\
	uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(	\
		volatile uint##bits##_t *at, uint##bits##_t expected,	\
		uint##bits##_t value, int order, int fail_order)	\
	{								\
		uint##bits##_t old;					\
									\
		(void)order;						\
		(void)fail_order;					\
		atomic_begin(at, sizeof(*at));				\
		old = *at;						\
		if (old == expected) {					\
			*at = value;					\
			atomic_end(at, sizeof(*at));			\
		}							\
		return old;						\
	}								\
	CAS(bits, strong)						\
	CAS(bits, weak)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	rt_point();
}

void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}
