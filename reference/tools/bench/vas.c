/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Address spaces: pages mapped and unmapped a second, and whether that stays
 * the same with 16 GiB mapped; translations in the card; a thousand contexts.
 *
 * The peer of mapping is the bare thing: the same number of entries, written
 * through BAR1 in bursts, one flush and one invalidation for each call, and
 * no books kept.  All on the direct link, one thread; a run counts only if
 * the card broke no rule.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "bus/direct/direct.h"
#include "kmd.h"
#include "tlb.h"
#include "translate.h"
#include "vas.h"

#define K	1024ull
#define M	(K * K)
#define G	(K * M)
#define BASE	(4 * G)
#define LIMIT	(1ull << 38)
#define BACK	(64 * G)	/* what is mapped besides, from here on	*/
#define CALLS	200
#define CONTEXTS 1000

static struct machine {
	struct gpu_bus *bus;
	struct gpu *gpu;
	struct vas *vas;
} m;

static const struct vas_piece memory = { MMU_SYS_COHERENT, 64 * G, 64 * G };

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "bench-vas: %s: error %d\n", what, -err);
	exit(1);
}

static void machine_open(void)
{
	struct card_config card = { .chip = CARD_P40, .seed = 1 };

	check(bus_direct_open(&card, &m.bus), "bus_direct_open");
	check(gpu_open(m.bus, &m.gpu), "gpu_open");
	check(vas_create(m.gpu, 0, LIMIT, &m.vas), "vas_create");
}

static void machine_close(void)
{
	vas_destroy(m.vas);
	gpu_close(m.gpu);
	if (bus_direct_violations_all(m.bus)) {
		fprintf(stderr, "bench-vas: rules were broken\n");
		exit(1);
	}
	gpu_bus_close(m.bus);
}

static void map(u64 va, u64 size, u32 shift)
{
	struct vas_mapping mapping = {
		.va = va, .size = size, .piece = &memory, .pieces = 1,
		.flags = VAS_FIXED, .page_shift = shift,
	};

	check(vas_map(m.vas, &mapping), "vas_map");
}

static void unmap(u64 va, u64 size)
{
	check(vas_unmap(m.vas, va, size), "vas_unmap");
}

static void bare_call(struct table_mem *mem, u64 bytes)
{
	static const u64 burst[64] = { 1 };

	for (u64 at = 0; at < bytes; at += sizeof(burst))
		iosys_map_memcpy_to(&mem->map, at, burst, sizeof(burst));
	check(gpu_flush(m.gpu), "gpu_flush");
	check(tlb_invalidate(m.gpu, vas_root(m.vas)), "tlb_invalidate");
}

/* Entries a second of the bare thing: the best call. */
static double bare(u32 size, u32 entries)
{
	struct table_mem mem;
	double best = 0;
	uint64_t start;

	check(gpu_table_alloc(m.gpu, 2 * M, &mem), "gpu_table_alloc");
	for (u32 call = 0; call < CALLS; call++) {
		start = bench_now();
		bare_call(&mem, (u64)size * entries);
		best = max(best, entries * 1e9 / (bench_now() - start));
	}
	gpu_table_free(m.gpu, &mem);
	return best;
}

/* Map and unmap entries pages a call: the best call. */
static void speed(u32 shift, u32 entries, double rate[2])
{
	u64 size = (u64)entries << shift;
	uint64_t t[3], best[2] = { ~0ull, ~0ull };

	for (u32 call = 0; call < CALLS; call++) {
		t[0] = bench_now();
		map(BASE, size, shift);
		t[1] = bench_now();
		unmap(BASE, size);
		t[2] = bench_now();
		for (u32 i = 0; i < 2; i++)
			best[i] = min(best[i], t[i + 1] - t[i]);
	}
	for (u32 i = 0; i < 2; i++)
		rate[i] = entries * 1e9 / best[i];
}

static void figure_speed(const char *page, u32 shift, u32 entries, u32 size)
{
	double rate[2], peer = bare(size, entries);
	char name[32];

	speed(shift, entries, rate);
	snprintf(name, sizeof(name), "vas_map_%s", page);
	bench_print(name, rate[0] / 1e6, "Mentries/s", "bare_writes",
		    peer / 1e6, BENCH_MORE);
	snprintf(name, sizeof(name), "vas_unmap_%s", page);
	bench_print(name, rate[1] / 1e6, "Mentries/s", "bare_writes",
		    peer / 1e6, BENCH_MORE);
}

/* ns of a map and an unmap of this size, while so much is mapped besides. */
static double cost(u32 shift, u64 size, u64 mapped)
{
	double best = 1e18;

	for (u64 at = 0; at < mapped; at += size)
		map(BACK + at, size, shift);
	for (u32 call = 0; call < CALLS; call++) {
		uint64_t start = bench_now();

		map(BASE, size, shift);
		unmap(BASE, size);
		best = min(best, (double)(bench_now() - start));
	}
	unmap(BACK, mapped);
	return best;
}

static void figure_flat(const char *page, u32 shift, u64 size, u64 least)
{
	double few = cost(shift, size, least), many = cost(shift, size, 16 * G);
	char name[32];

	snprintf(name, sizeof(name), "vas_at_16GiB_%s", page);
	bench_print(name, many / 1e3, "us/map+unmap",
		    least == M ? "at_1MiB" : "at_2MiB", few / 1e3, BENCH_LESS);
}

static double translations(u64 pages, u64 n, double *misses)
{
	uint32_t words[4];
	double rate;

	vas_instance(m.vas, words);
	rate = bench_translate(bus_direct_lock(m.bus), words, BASE, pages, n,
			       misses);
	bus_direct_unlock(m.bus);
	return rate;
}

static void figure_tlb(void)
{
	double misses[2], hit, miss;

	map(BASE, G, VAS_PAGE_4K);
	translations(64, 1000, &misses[0]);
	hit = translations(64, 4000000, &misses[0]);
	miss = translations(G / 4096, 1000000, &misses[1]);
	unmap(BASE, G);
	if (misses[0] > 0.01 || misses[1] < 0.99) {
		fprintf(stderr, "bench-vas: hits miss, or misses hit\n");
		exit(1);
	}
	bench_print("tlb_hit", hit / 1e6, "M/s", "aim", 50, BENCH_MORE);
	bench_print("tlb_miss", miss / 1e6, "M/s", "aim", 5, BENCH_MORE);
}

/*
 * Host memory of the driver: what this process has allocated, less what the
 * card in it did.  The card's turn is when the bus is called.
 */
static const struct gpu_bus_ops *real;
static long card_bytes;

static long allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static u64 counted_read(struct gpu_bus *bus, enum gpu_region region,
			u64 offset, unsigned int size)
{
	long before = allocated();
	u64 value = real->read(bus, region, offset, size);

	card_bytes += allocated() - before;
	return value;
}

static void counted_write(struct gpu_bus *bus, enum gpu_region region,
			  u64 offset, unsigned int size, u64 value)
{
	long before = allocated();

	real->write(bus, region, offset, size, value);
	card_bytes += allocated() - before;
}

static void counted_burst(struct gpu_bus *bus, enum gpu_region region,
			  u64 offset, const void *data, size_t len)
{
	long before = allocated();

	real->write_burst(bus, region, offset, data, len);
	card_bytes += allocated() - before;
}

static void counted_relax(struct gpu_bus *bus)
{
	long before = allocated();

	real->relax(bus);
	card_bytes += allocated() - before;
}

/* A context: a space with some pages mapped, and its channel. */
static void context_make(struct vas **vas, struct chan **chan)
{
	struct chan_config config = {
		.id = CHAN_ANY, .gp_entries = 64, .gp_va = BASE,
	};
	struct vas_mapping mapping = {
		.va = BASE, .size = 64 * K, .piece = &memory, .pieces = 1,
		.flags = VAS_FIXED, .page_shift = VAS_PAGE_4K,
	};

	check(vas_create(m.gpu, 0, LIMIT, vas), "vas_create");
	check(vas_map(*vas, &mapping), "vas_map");
	config.vas = *vas;
	check(chan_create(m.gpu, &config, chan), "chan_create");
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double median(uint64_t *ns, size_t n)
{
	qsort(ns, n, sizeof(*ns), compare);
	return ns[n / 2];
}

static struct vas *vas[CONTEXTS];
static struct chan *chan[CONTEXTS];

static void contexts_unmake(u32 n)
{
	for (u32 i = 0; i < n; i++) {
		chan_destroy(chan[i]);
		vas_destroy(vas[i]);
	}
}

static void figure_memory(void)
{
	struct gpu_bus_ops ops = *m.bus->ops;
	const u32 n = 100;	/* counting is slow */
	long before;

	real = m.bus->ops;
	ops.read = counted_read;
	ops.write = counted_write;
	ops.write_burst = counted_burst;
	ops.relax = counted_relax;
	m.bus->ops = &ops;
	before = allocated();
	card_bytes = 0;
	for (u32 i = 0; i < n; i++)
		context_make(&vas[i], &chan[i]);
	bench_print("context_memory",
		    (allocated() - before - card_bytes) / 1024.0 / n, "KiB",
		    "aim", 64, BENCH_LESS);
	m.bus->ops = real;
	contexts_unmake(n);
}

static void figure_create(void)
{
	uint64_t ns[CONTEXTS];

	for (u32 i = 0; i < CONTEXTS; i++) {
		uint64_t start = bench_now();

		context_make(&vas[i], &chan[i]);
		ns[i] = bench_now() - start;
	}
	contexts_unmake(CONTEXTS);
	bench_print("context_create_last_100",
		    median(&ns[CONTEXTS - 100], 100) / 1e3, "us", "first_100",
		    median(ns, 100) / 1e3, BENCH_LESS);
}

int main(void)
{
	bench_pin(0);
	setenv("PORT_LOG", "err", 0);
	machine_open();
	figure_speed("4k", VAS_PAGE_4K, 4096, 8);
	figure_speed("2m", VAS_PAGE_2M, 512, 16);
	figure_flat("4k", VAS_PAGE_4K, M, M);
	figure_flat("2m", VAS_PAGE_2M, 2 * M, 2 * M);
	figure_tlb();
	figure_memory();
	figure_create();
	machine_close();
	return 0;
}
