/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Segments through driver and card, on the direct link, one thread.
 *
 * The driver submits 64-byte segments (a method header and 15 words for the
 * copy class) and offers them in batches; the card fetches, decodes and
 * executes each method, and checks the CRC of each segment where that is on.
 * A run counts only if the card was idle at its end and broke no rule.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "bus/direct/direct.h"
#include "gpu.h"
#include "queue.h"
#include "vm/spec/reg.h"

#define GP_ENTRIES	4096u
#define PB_WORDS	(GP_ENTRIES * BENCH_WORDS)
#define SEGMENTS	400000ul
#define OFFER_EVERY	64
#define ROUNDS		5
#define COPY_SUBCHANNEL	4
#define SECOND		1000000000ull

struct machine {
	struct gpu_bus *bus;
	struct gpu *gpu;
	struct queue queue;
};

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "bench-card: %s: error %d\n", what, -err);
	exit(1);
}

static void machine_open(struct machine *m, bool crc)
{
	struct card_config card = { .chip = CARD_P40, .seed = 1 };
	struct queue_config queue = {
		.id = CHAN_ANY, .gp_entries = GP_ENTRIES, .pb_words = PB_WORDS,
		.crc = crc,
	};

	check(bus_direct_open(&card, &m->bus), "bus_direct_open");
	check(gpu_open(m->bus, &m->gpu), "gpu_open");
	check(queue_open(m->gpu, &queue, &m->queue), "queue_open");
}

static void machine_close(struct machine *m)
{
	check(queue_close(&m->queue, SECOND), "queue_close");
	gpu_close(m->gpu);
	if (bus_direct_violations_all(m->bus)) {
		fprintf(stderr, "bench-card: rules were broken\n");
		exit(1);
	}
	gpu_bus_close(m->bus);
}

static void bind_copy(struct machine *m)
{
	u32 words[2], class = gpu_copy_class(m->gpu);
	struct push push;

	push_init(&push, words, 2);
	check(push_inc(&push, COPY_SUBCHANNEL, NVC06F_SET_OBJECT, &class, 1),
	      "push_inc");
	check(ring_submit(m->queue.ring, &push, 0, SECOND), "ring_submit");
}

/* Segments a second. */
static double run(bool crc)
{
	u32 words[BENCH_WORDS], data[BENCH_WORDS - 1] = { 0 };
	struct machine m;
	struct push push;
	uint64_t start;

	machine_open(&m, crc);
	bind_copy(&m);
	push_init(&push, words, BENCH_WORDS);
	/* NOP of the copy class: its data is carried and has no effect */
	check(push_non_inc(&push, COPY_SUBCHANNEL, NVC0B5_NOP, data,
			   BENCH_WORDS - 1), "push_non_inc");
	start = bench_now();
	for (unsigned long i = 1; i <= SEGMENTS; i++) {
		bench_fill(words, 0, i);
		check(ring_submit(m.queue.ring, &push,
				  i % OFFER_EVERY && i < SEGMENTS ?
				  RING_DEFER : 0, SECOND), "ring_submit");
	}
	check(ring_wait_idle(m.queue.ring, SECOND), "ring_wait_idle");
	start = bench_now() - start;
	machine_close(&m);
	return SEGMENTS * 1e9 / start;
}

static void figure(const char *name, bool crc, double aim)
{
	double best = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double rate = run(crc);

		best = rate > best ? rate : best;
	}
	bench_print(name, best / 1e6, "Msegments/s", "aim", aim, BENCH_MORE);
}

/* One access of the direct link, ns of the host. */
static void access_costs(void)
{
	enum { ACCESSES = 1000000 };
	struct machine m;
	double best_read = 1e9, best_write = 1e9;
	void __iomem *boot, *unused;

	machine_open(&m, false);
	boot = (char *)m.bus->bar[GPU_BAR0] + NV_PMC_BOOT_0;
	unused = (char *)chan_userd(m.queue.chan).vaddr_iomem + NV_RAMUSERD_PUT;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = bench_now(), middle;
		double took;

		for (int i = 0; i < ACCESSES; i++)
			(void)readl(boot);
		middle = bench_now();
		/* a word of USERD that Host does not use */
		for (int i = 0; i < ACCESSES; i++)
			writel_relaxed(i, unused);
		took = (double)(middle - start) / ACCESSES;
		best_read = took < best_read ? took : best_read;
		took = (double)(bench_now() - middle) / ACCESSES;
		best_write = took < best_write ? took : best_write;
	}
	machine_close(&m);
	/* peer: a bare function call that stood in for a card */
	bench_print("direct_read", best_read, "ns", "prototype", 1.4,
		    BENCH_LESS);
	bench_print("direct_write", best_write, "ns", "prototype", 1.7,
		    BENCH_LESS);
}

int main(void)
{
	bench_pin(0);
	figure("direct_segments_crc", true, 5);
	figure("direct_segments", false, 10);
	access_costs();
	return 0;
}
