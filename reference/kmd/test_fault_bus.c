/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Faults at the n-th register read: the register does not move any more, the
 * card falls off the bus, or one read goes wrong.  A test that sweeps n until
 * a run does not reach it has taken every way out of the driver.
 */
#include "test_fault_bus.h"

static struct {
	const struct gpu_bus_ops *real;
	struct gpu_bus_ops ops;
	enum fault fault;
	unsigned int countdown;
	bool hit;
	/* what is stuck, and at which value */
	enum gpu_region region;
	u64 offset, value;
} state;

/* True from the n-th read on. */
static bool is_due(void)
{
	if (state.hit)
		return true;
	if (--state.countdown)
		return false;
	state.hit = true;
	return true;
}

static u64 fault_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		      unsigned int size)
{
	bool before = state.hit;
	u64 value;

	if (!is_due())
		return state.real->read(bus, region, offset, size);
	if (state.fault == FAULT_LOST || (state.fault == FAULT_GLITCH &&
					  !before))
		return ~0ULL;

	value = state.real->read(bus, region, offset, size);
	if (state.fault != FAULT_STUCK)
		return value;
	if (!before) {
		state.region = region;
		state.offset = offset;
		/* As seen when it went wrong: all bits the other way, so
		 * that what the driver waits for does not come. */
		state.value = ~value & 0xfffffffe;
	}
	if (region == state.region && offset == state.offset)
		return state.value;
	return value;
}

void fault_bus_attach(struct gpu_bus *bus, enum fault fault, unsigned int n)
{
	state.real = bus->ops;
	state.ops = *bus->ops;
	state.ops.read = fault_read;
	state.fault = fault;
	state.countdown = n;
	state.hit = false;
	bus->ops = &state.ops;
}

bool fault_bus_detach(struct gpu_bus *bus)
{
	bus->ops = state.real;
	return state.hit;
}
