/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Bits, alignment and powers of two. */
#ifndef PORT_BITS_H
#define PORT_BITS_H

#include "types.h"

#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define GENMASK(h, l)	((~0UL << (l)) & (~0UL >> (63 - (h))))
#define GENMASK_ULL(h, l) ((~0ULL << (l)) & (~0ULL >> (63 - (h))))

#define upper_32_bits(n) ((u32)((u64)(n) >> 32))
#define lower_32_bits(n) ((u32)(n))

/* a is a power of two. */
#define ALIGN(x, a)	(((x) + ((__typeof__(x))(a) - 1)) & \
			 ~((__typeof__(x))(a) - 1))
#define ALIGN_DOWN(x, a) ((x) & ~((__typeof__(x))(a) - 1))
#define IS_ALIGNED(x, a) (((x) & ((__typeof__(x))(a) - 1)) == 0)

#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))

static inline bool is_power_of_2(u64 n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

/* The number of the highest bit set; n is not 0. */
static inline int ilog2(u64 n)
{
	return 63 - __builtin_clzll(n);
}

/* n is 1 to 2^63. */
static inline u64 roundup_pow_of_two(u64 n)
{
	return n == 1 ? 1 : 1ULL << (ilog2(n - 1) + 1);
}

#endif
