/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Errors as pointers: only for functions of the kernel's that return them. */
#ifndef PORT_ERR_H
#define PORT_ERR_H

#include "compiler.h"
#include "types.h"

#define MAX_ERRNO	4095

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return unlikely((uintptr_t)ptr >= (uintptr_t)-MAX_ERRNO);
}

#endif
