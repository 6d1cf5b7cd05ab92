/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The list of channels that Host schedules on our copy engine [§7.2]. */
#ifndef KMD_RUNLIST_H
#define KMD_RUNLIST_H

#include "instmem.h"

struct gpu;

struct runlist {
	struct instmem list[2];
	unsigned int next;		/* which of them to write	*/
};

int gpu_runlist_init(struct gpu *gpu);
void gpu_runlist_fini(struct gpu *gpu);

/*
 * Make Host's list say what gpu->chans says: every channel that is started,
 * in the order of their ids.  0, -ETIMEDOUT, -ENODEV.
 */
int gpu_runlist_update(struct gpu *gpu);

#endif
