/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Copies from and to user memory, under Linux's names.
 *
 * In a process user memory is the process's own.  It is copied by a system
 * call that knows what is mapped, and how: an address where nothing is, or
 * nothing may be written, is an error to the caller and no signal.
 */
#ifndef PORT_UACCESS_H
#define PORT_UACCESS_H

#include "types.h"

/* Marks a pointer into user memory, which only these functions follow. */
#define __user

/* Both return how many bytes were not copied: 0 when all went well.  May
 * sleep. */
unsigned long port_copy_from_user(void *to, const void __user *from,
				  unsigned long n, const char *where);
unsigned long port_copy_to_user(void __user *to, const void *from,
				unsigned long n, const char *where);
#define copy_from_user(to, from, n) \
	port_copy_from_user(to, from, n, __func__)
#define copy_to_user(to, from, n) port_copy_to_user(to, from, n, __func__)

/*
 * A structure of ours, ksize bytes, from one of theirs, usize bytes: what is
 * missing is 0, and what is beyond ours must be 0.  0, -EFAULT, -E2BIG.
 */
int copy_struct_from_user(void *to, size_t ksize, const void __user *from,
			  size_t usize);

/* For tests: the n-th copy from now on fails, once; 0 ends that. */
void port_fail_uaccess(unsigned int n);

#endif
