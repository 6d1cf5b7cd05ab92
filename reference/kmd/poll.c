/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Bounded waits for a register.
 *
 * A register that never gets ready must not hang the driver, and one that
 * reads as all ones usually means that no card is there to read: then
 * BOOT_0 does not answer either, and there is no point in waiting [§2.5].
 */
#include "device.h"

/* Longer than any unit takes, save a preemption behind a long copy. */
#define POLL_NS		(100 * NSEC_PER_MSEC)

bool gpu_is_lost(struct gpu *gpu)
{
	return gpu_rd32(gpu, NV_PMC_BOOT_0) == 0xffffffff;
}

static int gpu_poll(struct gpu *gpu, u32 offset, u32 bits, bool set,
		    const char *what)
{
	u64 start = ktime_get_ns();
	bool late;

	/* The time first: we may sleep between the two, and not look again. */
	do {
		u32 value;

		late = ktime_get_ns() - start >= POLL_NS;
		value = gpu_rd32(gpu, offset);
		if (value == 0xffffffff && gpu_is_lost(gpu))
			return -ENODEV;
		if (set == !!(value & bits))
			return 0;
		cpu_relax();
	} while (!late);

	pr_err("%s: %s: register %06x did not get ready\n", gpu->bus->name,
	       what, offset);
	return -ETIMEDOUT;
}

int gpu_poll_clear(struct gpu *gpu, u32 offset, u32 bits, const char *what)
{
	return gpu_poll(gpu, offset, bits, false, what);
}

int gpu_poll_set(struct gpu *gpu, u32 offset, u32 bits, const char *what)
{
	return gpu_poll(gpu, offset, bits, true, what);
}
