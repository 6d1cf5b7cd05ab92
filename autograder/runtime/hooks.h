/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The hooks' bodies, for library functions that access the driver's memory. */
#ifndef RUNTIME_HOOKS_H
#define RUNTIME_HOOKS_H

#include <stddef.h>

/* size bytes are about to be read, or written, by the caller. */
void rt_range_read(const volatile void *at, size_t size);
void rt_range_write(const volatile void *at, size_t size);

#endif
