/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SERVER_GUARD_H
#define SERVER_GUARD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Take SIGBUS for the process, so that guard_copy_*() survive a file that
 * its owner cut short.  0 or -errno.
 */
int guard_install(void);

/*
 * Copy from and to shared memory, which its owner may cut short at any time:
 * 0, or -EFAULT where nothing is left behind the addresses.  Words are not
 * torn, and the first word is written last: it is what others wait for.
 */
int guard_copy_from(void *to, const uint8_t *from, size_t size);
int guard_copy_to(uint8_t *to, const void *from, size_t size);

#endif
