/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Clocks, processors and the line that a figure is printed as. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"

uint64_t bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t used(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
		1000000000 +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) *
		1000;
}

uint64_t bench_cpu(void)
{
	return used(RUSAGE_SELF) + used(RUSAGE_CHILDREN);
}

void bench_pin(unsigned int i)
{
	static cpu_set_t allowed;
	static int known;
	cpu_set_t one;

	if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
		if (sched_getaffinity(0, sizeof(allowed), &allowed))
			return;
		__atomic_store_n(&known, 1, __ATOMIC_RELEASE);
	}
	i %= CPU_COUNT(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || i--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

void bench_print_ratio(const char *name, double value, const char *unit,
		       const char *peer, double peer_value, double ratio)
{
	printf("%s %.4g %s %s %.4g %.3f\n", name, value, unit, peer,
	       peer_value, ratio);
	fflush(stdout);
}

void bench_print(const char *name, double value, const char *unit,
		 const char *peer, double peer_value,
		 enum bench_better better)
{
	double ratio = better == BENCH_MORE ? value / peer_value :
					      peer_value / value;

	bench_print_ratio(name, value, unit, peer, peer_value, ratio);
}
