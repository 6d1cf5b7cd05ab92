/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An event's memory and its eventfd; when it is told is irq.c's. */
#ifndef KMD_EVENT_H
#define KMD_EVENT_H

#include "irq.h"

struct gpu_event {
	struct list_head link;		/* of those not told; else alone */
	struct gpu *gpu;
	struct gpu_event_config config;
	struct eventfd_ctx *eventfd;
};

/* Not in a list, not told.  0, -EINVAL, -EBADF, -ENOMEM.  May sleep. */
int event_create(struct gpu *gpu, const struct gpu_event_config *config,
		 struct gpu_event **event);
/* It is in no list.  May sleep. */
void event_free(struct gpu_event *event);

/* Out of its list, and the eventfd is written.  Any context, under the lock
 * of the list. */
void event_tell(struct gpu_event *event);

#endif
