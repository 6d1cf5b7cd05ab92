/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a cheat starts from: a driver that does nothing and claims success.
 * It goes with each cheat into its submission.  ON_CREATE and ON_SUBMIT are
 * what the cheat does there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

#ifndef ON_CREATE
#define ON_CREATE()	do { } while (0)
#endif
#ifndef ON_SUBMIT
#define ON_SUBMIT()	do { } while (0)
#endif

struct ring {
	int nothing;
};

int ring_create(const struct ring_config *config, struct ring **ring)
{
	(void)config;
	*ring = kzalloc(sizeof(**ring), GFP_KERNEL);
	ON_CREATE();
	return *ring ? 0 : -ENOMEM;
}

int ring_destroy(struct ring *ring, u64 timeout_ns)
{
	(void)timeout_ns;
	kfree(ring);
	return 0;
}

int ring_submit(struct ring *ring, const struct push *push, u32 flags,
		u64 timeout_ns)
{
	(void)ring;
	(void)push;
	(void)flags;
	(void)timeout_ns;
	ON_SUBMIT();
	return 0;
}

int ring_submit_batch(struct ring *ring, const struct push *push, u32 count,
		      u32 flags, u64 timeout_ns)
{
	(void)count;
	return ring_submit(ring, push, flags, timeout_ns);
}

int ring_kick(struct ring *ring)
{
	(void)ring;
	return 0;
}

int ring_is_idle(struct ring *ring)
{
	(void)ring;
	return 1;
}

int ring_wait_idle(struct ring *ring, u64 timeout_ns)
{
	(void)ring;
	(void)timeout_ns;
	return 0;
}

int ring_pause(struct ring *ring)
{
	(void)ring;
	return 0;
}

int ring_resume(struct ring *ring)
{
	(void)ring;
	return 0;
}
