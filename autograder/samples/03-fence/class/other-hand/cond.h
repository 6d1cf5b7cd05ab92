/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Waiting on a condition variable, and what a timeline has for it. */
#ifndef COND_H
#define COND_H

#include "timeline.h"

/* What timeline_create() makes: the timeline comes first. */
struct line {
	struct timeline timeline;
	/* under the timeline's lock */
	struct gpu_event *event;	/* tells the leader when the word … */
	u32 armed;			/* … reaches this		*/
};

static inline struct line *line_of(struct timeline *timeline)
{
	return container_of(timeline, struct line, timeline);
}

/* fence_state(), 0: time is up, or -ENOMEM.  Who calls is counted in the
 * timeline. */
int wait_cond(const struct fence *fence, u64 timeout_ns);

/* With the lock: all who wait so look again.  After the last of them has
 * left: what they shared is given back. */
void cond_cancel(struct timeline *timeline);
void cond_fini(struct timeline *timeline);

#endif
