/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The card's time, as the driver's.
 *
 * Each open bus has a clock of its own.  The time is the latest of them, and
 * a turn of a polling loop moves them all, so neither a wait nor a time-out
 * depends on which card it is for.
 */
#include <sched.h>
#include <time.h>

#include "gpu_bus.h"

static u64 host_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

u64 ktime_get_ns(void)
{
	unsigned int cursor = 0;
	struct gpu_bus *bus;
	u64 now = 0;
	bool any = false;

	while ((bus = gpu_bus_next(&cursor))) {
		now = max(now, bus->ops->now(bus));
		any = true;
	}
	return any ? now : host_ns();
}

void cpu_relax(void)
{
	unsigned int cursor = 0;
	struct gpu_bus *bus;
	bool any = false;

	while ((bus = gpu_bus_next(&cursor))) {
		bus->ops->relax(bus);
		any = true;
	}
	if (!any)
		sched_yield();
}

static void sleep_ns(u64 ns)
{
	struct timespec host = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
	unsigned int cursor = 0;
	struct gpu_bus *bus;
	bool any = false;

	while ((bus = gpu_bus_next(&cursor))) {
		bus->ops->sleep(bus, ns);
		any = true;
	}
	if (!any)
		nanosleep(&host, NULL);
}

void ndelay(unsigned long ns)
{
	sleep_ns(ns);
}

void udelay(unsigned long us)
{
	sleep_ns(us * NSEC_PER_USEC);
}

void port_usleep_range(unsigned long min_us, unsigned long max_us)
{
	(void)max_us;
	sleep_ns(min_us * NSEC_PER_USEC);
}
