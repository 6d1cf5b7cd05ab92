/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The card in this process, with both halves of the driver: the guest's tests
 * are tried where no guest is.  The device is a card's name.
 */
#include "guest.h"
#include "reference/bus/direct/direct.h"

const bool guest_has_kernel;

static const char *const names[] = {
	[CARD_P100] = "p100", [CARD_P40] = "p40", [CARD_M40] = "m40",
};

int guest_open(struct gpu_bus **bus)
{
	struct card_config config = { .seed = guest.seed };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], guest.device))
			continue;
		config.chip = i;
		return bus_direct_open(&config, bus);
	}
	return -ENODEV;
}

void guest_closed(struct gpu_bus *bus)
{
	for (int i = 0; i < PORT_MISUSES; i++)
		CHECK_EQ(port_reports(i), 0);
	CHECK_EQ(port_live_allocs(), 0);
	CHECK_EQ(bus_direct_violations_all(bus), guest_breaks);
	guest_breaks = 0;
	gpu_bus_close(bus);
}
