/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Handed in at 23:59. */
#include "ring.h"

struct ring {
	struct ring_config config;
	u32 put
};

int ring_create(const struct ring_config *config, struct ring **ring)
{
	*ring = kzalloc(sizeof(struct ring), GFP_KERNEL);
	(*ring)->config = config;
	return 0;
}
