/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The card behind its driver in the kernel. */
#include "guest.h"

const bool guest_has_kernel = true;

int guest_open(struct gpu_bus **bus)
{
	return bus_node_open(guest.device, bus);
}

void guest_closed(struct gpu_bus *bus)
{
	gpu_bus_close(bus);
}
