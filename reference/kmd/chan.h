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
	struct instmem inst;
	bool bound;			/* the channel table names inst	*/
	bool scheduled;			/* belongs in the runlist	*/
	bool started;
	bool stopped_once;		/* RAMFC holds where it stopped	*/
};

/* Fill a fresh instance block. */
void chan_write_ramfc(struct chan *chan);

#endif
