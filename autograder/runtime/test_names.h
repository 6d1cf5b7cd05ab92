/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The runtime's entry points as tests call them.  No header of the runtime
 * declares them: the compiler and objcopy make the real calls.
 */
#ifndef RUNTIME_TEST_NAMES_H
#define RUNTIME_TEST_NAMES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/runtime/posix.h"

void __tsan_read4(void *addr);
void __tsan_write4(void *addr);
void __tsan_write8(void *addr);
void __tsan_volatile_read4(void *addr);
void __tsan_unaligned_write4(void *addr);
void __tsan_atomic32_store(volatile uint32_t *addr, uint32_t value, int order);
uint64_t __tsan_atomic64_fetch_add(volatile uint64_t *addr, uint64_t value,
				   int order);

extern __typeof__(memset) rt_memset;
extern __typeof__(malloc) rt_malloc;
extern __typeof__(calloc) rt_calloc;
extern __typeof__(realloc) rt_realloc;
extern __typeof__(free) rt_free;
extern __typeof__(posix_memalign) rt_posix_memalign;
void rt_exit(int status);
void rt_abort(void);

#endif
