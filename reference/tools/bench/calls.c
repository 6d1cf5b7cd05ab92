/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What it costs to ask the kernel half, in a process [§4.7].
 *
 * The same question, what driver and card are, put to the function behind the
 * table, and put through the table: looked up, its argument copied in and
 * out.  The copies are system calls, which find out whether the caller's
 * address is memory; so the peer is one ioctl() of Linux's own.  The ring is
 * driven without any call, so this is the price of making things, not of
 * using them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include "bench.h"
#include "bus/direct/direct.h"
#include "kmd/file.h"

#define CALLS	200000ul
#define ROUNDS	5

static struct tesla_file *file;
static int fd;

static void check(long err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "bench-calls: %s: error %ld\n", what, -err);
	exit(1);
}

static void bare(void)
{
	struct tesla_get_info info;

	check(call_get_info(file, &info), "call_get_info");
}

static void table(void)
{
	struct tesla_get_info info;

	check(tesla_call(file, TESLA_CALL_get_info, &info, sizeof(info)),
	      "tesla_call");
}

/* An eventfd knows no ioctl(): in, and out again. */
static void linux_ioctl(void)
{
	struct tesla_get_info info;

	check(ioctl(fd, TESLA_IOCTL_get_info, &info) != -1, "ioctl");
}

/* The best of some rounds, ns a call. */
static double best(void (*call)(void))
{
	double ns = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = bench_now();
		double each;

		for (unsigned long i = 0; i < CALLS; i++)
			call();
		each = (double)(bench_now() - start) / CALLS;
		ns = each < ns ? each : ns;
	}
	return ns;
}

int main(void)
{
	struct card_config config = { .chip = CARD_P40, .seed = 1 };
	struct gpu_bus *bus;
	struct tesla *tesla;
	double through;

	bench_pin(0);
	fd = eventfd(0, 0);
	check(bus_direct_open(&config, &bus), "bus_direct_open");
	check(tesla_probe(bus, &tesla), "tesla_probe");
	check(tesla_open(tesla, &file), "tesla_open");
	through = best(table);
	bench_print("call_get_info", through, "ns", "function",
		    best(bare), BENCH_LESS);
	bench_print("call_get_info", through, "ns", "ioctl",
		    best(linux_ioctl), BENCH_LESS);
	tesla_close(file);
	tesla_remove(tesla);
	gpu_bus_close(bus);
	return 0;
}
