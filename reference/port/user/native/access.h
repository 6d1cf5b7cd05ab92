/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One load or store that a device sees.
 *
 * On arm64 the instruction is spelt out: a compiler may choose a form that
 * also moves the address register, and of such an access a hypervisor that
 * stands in for the device is not told enough.
 */
#ifndef PORT_NATIVE_ACCESS_H
#define PORT_NATIVE_ACCESS_H

#include "types.h"

#if defined(__aarch64__)
#define PORT_ACCESS(type, load, store)					\
static inline type native_load_##type(const volatile void *at)		\
{									\
	type value;							\
									\
	__asm__ __volatile__(load " %w0, [%1]"				\
			     : "=r" (value) : "r" (at) : "memory");	\
	return value;							\
}									\
									\
static inline void native_store_##type(volatile void *at, type value)	\
{									\
	__asm__ __volatile__(store " %w0, [%1]"				\
			     : : "r" (value), "r" (at) : "memory");	\
}

PORT_ACCESS(u8, "ldrb", "strb")
PORT_ACCESS(u16, "ldrh", "strh")
PORT_ACCESS(u32, "ldr", "str")

static inline u64 native_load_u64(const volatile void *at)
{
	u64 value;

	__asm__ __volatile__("ldr %0, [%1]"
			     : "=r" (value) : "r" (at) : "memory");
	return value;
}

static inline void native_store_u64(volatile void *at, u64 value)
{
	__asm__ __volatile__("str %0, [%1]"
			     : : "r" (value), "r" (at) : "memory");
}
#else
#define PORT_ACCESS(type)						\
static inline type native_load_##type(const volatile void *at)		\
{									\
	return *(const volatile type *)at;				\
}									\
									\
static inline void native_store_##type(volatile void *at, type value)	\
{									\
	*(volatile type *)at = value;					\
}

PORT_ACCESS(u8)
PORT_ACCESS(u16)
PORT_ACCESS(u32)
PORT_ACCESS(u64)
#endif
#undef PORT_ACCESS

#endif
