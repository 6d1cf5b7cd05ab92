/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Counters that many threads change.  Those that return a value order
 * everything; set, read, inc and dec order nothing. */
#ifndef PORT_ATOMIC_H
#define PORT_ATOMIC_H

#include "types.h"

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

#define ATOMIC_INIT(value)	{ (value) }

#define PORT_ATOMIC(prefix, type)					\
static inline type prefix##_read(const prefix##_t *v)			\
{									\
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);		\
}									\
									\
static inline void prefix##_set(prefix##_t *v, type value)		\
{									\
	__atomic_store_n(&v->counter, value, __ATOMIC_RELAXED);		\
}									\
									\
static inline void prefix##_inc(prefix##_t *v)				\
{									\
	__atomic_fetch_add(&v->counter, 1, __ATOMIC_RELAXED);		\
}									\
									\
static inline void prefix##_dec(prefix##_t *v)				\
{									\
	__atomic_fetch_sub(&v->counter, 1, __ATOMIC_RELAXED);		\
}									\
									\
static inline type prefix##_inc_return(prefix##_t *v)			\
{									\
	return __atomic_add_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);	\
}									\
									\
static inline bool prefix##_dec_and_test(prefix##_t *v)			\
{									\
	return !__atomic_sub_fetch(&v->counter, 1, __ATOMIC_SEQ_CST);	\
}									\
									\
static inline type prefix##_xchg(prefix##_t *v, type value)		\
{									\
	return __atomic_exchange_n(&v->counter, value,			\
				   __ATOMIC_SEQ_CST);			\
}

PORT_ATOMIC(atomic, int)
PORT_ATOMIC(atomic64, s64)
#undef PORT_ATOMIC

#endif
