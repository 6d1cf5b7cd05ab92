/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the kernel keeps in compiler.h and container_of.h. */
#ifndef PORT_COMPILER_H
#define PORT_COMPILER_H

#include <stddef.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* libc has one of its own, without the inline. */
#undef __always_inline
#define __always_inline	inline __attribute__((always_inline))
#define noinline	__attribute__((noinline))
#define __maybe_unused	__attribute__((unused))
#define __printf(a, b)	__attribute__((format(printf, a, b)))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/* One access, of the size of the object, that the compiler neither splits,
 * repeats nor leaves out.  No order [§4.3]. */
#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) \
	do { *(volatile __typeof__(x) *)&(x) = (value); } while (0)

/* Keeps the compiler, and only the compiler, from moving accesses. */
#define barrier()	__asm__ __volatile__("" : : : "memory")

#endif
