/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The guest's tests over vfio: both halves of the driver in the process, the
 * card outside.  The device is its address, "vfio:0000:01:00.0".
 *
 * Each test opens the card anew, and each closing resets it, unless a keeper
 * holds it: for emulated cards, or under vfio-keep.
 */
#include <sys/resource.h>

#include "vfio.h"
#include "vm/guest/tests/guest.h"

const bool guest_has_kernel;

/* Both halves have their descriptors here: of each eventfd two. */
#define DESCRIPTORS	(1u << 18)

int guest_open(struct gpu_bus **bus)
{
	struct vfio_config config = { .reset_at_close = true };
	struct rlimit limit = { DESCRIPTORS, DESCRIPTORS };
	struct vfio_kept kept;

	/* Without the right to it, tests with so many fail and say so. */
	setrlimit(RLIMIT_NOFILE, &limit);
	config.address = guest.device;
	if (!strncmp(config.address, "vfio:", 5))
		config.address += 5;
	if (vfio_kept_find(config.address, &kept))
		config.kept = &kept;
	return bus_vfio_open(&config, bus);
}

void guest_closed(struct gpu_bus *bus)
{
	gpu_bus_close(bus);
	for (int i = 0; i < PORT_MISUSES; i++)
		CHECK_EQ(port_reports(i), 0);
	CHECK_EQ(port_live_allocs(), 0);
}
