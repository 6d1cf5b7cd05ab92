/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A card with the driver on it, for tests of address spaces. */
#ifndef KMD_TEST_VAS_RIG_H
#define KMD_TEST_VAS_RIG_H

#include "kmd.h"
#include "vas.h"
#include "reference/bus/direct/direct.h"

#define K	1024ULL
#define M	(K * K)
#define PAGE	(4 * K)

struct vas_rig {
	struct gpu_bus *bus;
	struct gpu *gpu;
};

/* All asserted.  Video memory that nobody has written is full of entries that
 * look valid.  event: who hears of the card's events, or NULL. */
void vas_rig_open(struct vas_rig *rig, int chip,
		  void (*event)(void *context,
				const struct card_event *event));
/* … and nothing is left. */
void vas_rig_close(struct vas_rig *rig);

/* System memory, of which nobody looks at the contents; its first size bytes
 * mapped: what vas_map() says. */
extern const struct vas_piece some_memory;
int map_some(struct vas *vas, u64 va, u64 size, u32 flags, u32 shift);

/* What the card finds at va, by the tables as they are: 0 or -EFAULT. */
int vas_rig_walk(struct vas_rig *rig, const struct vas *vas, u64 va,
		 struct card_place *place);
/* Does it find this address? */
bool vas_rig_finds(struct vas_rig *rig, const struct vas *vas, u64 va,
		   u64 addr);

#endif
