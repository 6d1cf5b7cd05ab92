/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The inside of a channel. */
#ifndef KMD_CHAN_H
#define KMD_CHAN_H

#include "device.h"

struct chan {
	struct gpu *gpu;
	u32 id;				/* of its TSG too		*/
	u64 gp_va;
	u32 gp_entries;
	u32 space[4];			/* words 128 to 131		*/
	bool privileged;
	struct instmem inst;
	bool bound;			/* the channel table names inst	*/
	bool scheduled;			/* belongs in the runlist	*/
	bool started;
	bool stopped_once;		/* RAMFC holds where it stopped	*/
	bool dead;			/* has met a fault; any context	*/
	bool retired;			/* … and was taken off Host	*/
};

/* Fill a fresh instance block. */
void chan_write_ramfc(struct chan *chan);

/* Take a dead channel off Host; once.  0, -ETIMEDOUT, -ENODEV. */
int chan_retire_locked(struct chan *chan);
/* Has Host or an engine met a fault of it [§7.3]? */
bool chan_has_faulted(struct chan *chan);

#endif
