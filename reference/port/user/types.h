/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Integers as the kernel names them. */
#ifndef PORT_TYPES_H
#define PORT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

typedef u64 dma_addr_t;
typedef u64 phys_addr_t;

/* Marks a pointer into a BAR.  Such a pointer is a name for a place on the
 * bus, for readl() and friends; to dereference it is a fault. */
#define __iomem

#endif
