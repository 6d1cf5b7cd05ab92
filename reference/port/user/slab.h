/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Memory of the driver's own, and the faults a test injects into it. */
#ifndef PORT_SLAB_H
#define PORT_SLAB_H

#include <stdbool.h>
#include <stddef.h>

#include "context.h"

#define GFP_KERNEL	0u
#define GFP_ATOMIC	1u

/* Zeroed; NULL when there is none.  kfree(NULL) does nothing. */
void *kzalloc(size_t size, unsigned int gfp);
void *kcalloc(size_t count, size_t size, unsigned int gfp);
void kfree(const void *memory);

/* GFP_KERNEL may sleep, and is told by name where it must not [§4.6]. */
#define port_gfp(gfp, what) \
	((gfp) == GFP_KERNEL ? port_might_sleep(what, __func__) : (void)0)
#define kzalloc(size, gfp) \
	(port_gfp(gfp, "kzalloc(GFP_KERNEL)"), (kzalloc)(size, gfp))
#define kcalloc(count, size, gfp) \
	(port_gfp(gfp, "kcalloc(GFP_KERNEL)"), (kcalloc)(count, size, gfp))

/* Large ones, which the kernel may put together from pages. */
#define kvcalloc(count, size, gfp) kcalloc(count, size, gfp)
#define kvfree(memory)	kfree(memory)

/* For tests: the n-th allocation from now on fails, once; 0 ends that. */
void port_fail_alloc(unsigned int n);
/* True when that allocation was reached. */
bool port_fail_alloc_hit(void);
/* Allocations not freed, DMA memory included. */
long port_live_allocs(void);

/* For bus implementations, whose DMA memory counts too. */
bool port_alloc_begin(void);	/* false: this one must fail		*/
void port_alloc_end(void);	/* freed, or there was none to be had	*/

#endif
