/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A card with its interrupt on, and channels with a ring and a timeline. */
#ifndef UMD_TEST_FENCE_RIG_H
#define UMD_TEST_FENCE_RIG_H

#include <pthread.h>

#include "fence.h"
#include "queue.h"
#include "reference/bus/direct/direct.h"
#include "vm/spec/reg.h"

#define MS	1000000ULL
#define SECOND	(1000 * MS)
#define LINES	4	/* channels, at most */

struct line {
	struct queue queue;
	struct timeline *timeline;
	struct gpu_mem sem;
	struct gpu_mem hold;		/* a word that a test releases	*/
};

struct rig {
	struct gpu_bus *bus;
	struct gpu *gpu;
	unsigned int lines;
	struct line line[LINES];
};

struct rig_setup {
	enum card_chip chip;
	unsigned int lines;
	enum mem_kind kind;		/* of the semaphores		*/
	u32 start;
	u32 gp_entries;			/* 0: 1024			*/
};

/* In steps that can each fail; nothing is left behind then. */
int rig_try(struct rig *rig, const struct rig_setup *setup);
void rig_undo(struct rig *rig);
/* The same, asserted; and at the end that nothing is left or broken. */
void rig_up(struct rig *rig, const struct rig_setup *setup);
void rig_down(struct rig *rig);
/* The card leaves the bus; and the end after that. */
void rig_unplug(struct rig *rig);
void rig_down_lost(struct rig *rig);

/* Make the channel's work wait until rig_release(). */
void rig_hold(struct line *line);
void rig_release(struct line *line);
/* A copy to an address without a page, or a method that does not exist. */
void rig_fault(struct line *line);
void rig_bad_method(struct line *line);
/* Release the hold word by value: any semaphore operation of the channel. */
int rig_submit(struct line *line, const u32 *words, u32 count);

/* Threads that wait for one fence, in one way; how = -1: in all of them. */
struct wait {
	pthread_t thread;
	struct fence fence;
	enum fence_wait how;
	int result;
};

void waits_start(struct wait *waits, unsigned int count,
		 const struct fence *fence, int how);
void waits_end(struct wait *waits, unsigned int count, int result);
/* All of them are in their waits, beside descriptors from fence_fd(): a fence
 * must not be used after the end. */
bool waits_are_inside(struct timeline *timeline, const struct wait *waits,
		      unsigned int count, unsigned int descriptors);

#endif
