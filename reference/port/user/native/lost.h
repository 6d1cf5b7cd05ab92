/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Memory of a card that may go away while it is mapped: lost.c. */
#ifndef PORT_LOST_H
#define PORT_LOST_H

#include <stddef.h>

/*
 * From here to lost_release() an access to this memory that is answered by
 * SIGBUS finds all ones instead.  addr is where a mapping begins.  0, -ENOMEM.
 * May sleep.
 */
int lost_guard(void *addr, size_t size);
void lost_release(void *addr);

#endif
