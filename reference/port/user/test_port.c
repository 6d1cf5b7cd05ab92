/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Linux's names in a process: do they mean what they mean there? */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "gpu_bus.h"
#include "reference/bus/direct/dma.h"

/* A bus with memory behind it that remembers what was asked of it. */
#define MEMORY	4096

struct test_bus {
	struct gpu_bus bus;
	u8 memory[GPU_REGIONS][MEMORY];
	unsigned int reads, writes, bursts, last_size;
	u64 now;
};

static struct test_bus *to_test(struct gpu_bus *bus)
{
	return container_of(bus, struct test_bus, bus);
}

static u64 test_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		     unsigned int size)
{
	u64 value = 0;

	to_test(bus)->reads++;
	to_test(bus)->last_size = size;
	ck_assert_uint_eq(offset % size, 0);
	memcpy(&value, to_test(bus)->memory[region] + offset % MEMORY, size);
	return value;
}

static void test_write(struct gpu_bus *bus, enum gpu_region region,
		       u64 offset, unsigned int size, u64 value)
{
	to_test(bus)->writes++;
	to_test(bus)->last_size = size;
	ck_assert_uint_eq(offset % size, 0);
	memcpy(to_test(bus)->memory[region] + offset % MEMORY, &value, size);
}

static void test_burst(struct gpu_bus *bus, enum gpu_region region,
		       u64 offset, const void *data, size_t len)
{
	to_test(bus)->bursts++;
	ck_assert_uint_eq(offset % 4, 0);
	ck_assert_uint_eq(len % 4, 0);
	memcpy(to_test(bus)->memory[region] + offset % MEMORY, data, len);
}

static u64 test_now(struct gpu_bus *bus)
{
	return to_test(bus)->now;
}

static void test_relax(struct gpu_bus *bus)
{
	to_test(bus)->now += 10;
}

static void test_sleep(struct gpu_bus *bus, u64 ns)
{
	to_test(bus)->now += ns;
}

static const struct gpu_bus_ops test_ops = {
	.read = test_read,
	.write = test_write,
	.write_burst = test_burst,
	.now = test_now,
	.relax = test_relax,
	.sleep = test_sleep,
};

/* As large as the real ones: 16 MiB, 32 GiB, 32 MiB. */
static const u64 bar_sizes[GPU_REGIONS] = {
	4096, 16ULL << 20, 32ULL << 30, 32ULL << 20,
};

static struct test_bus *a, *b;

static struct test_bus *bus_new(void)
{
	struct test_bus *bus = calloc(1, sizeof(*bus));

	bus->bus.ops = &test_ops;
	bus->bus.name = "test";
	memcpy(bus->bus.bar_size, bar_sizes, sizeof(bar_sizes));
	ck_assert_int_eq(gpu_bus_register(&bus->bus), 0);
	return bus;
}

static void setup(void)
{
	setenv("PORT_LOG", "quiet", 1);
	a = bus_new();
	b = bus_new();
}

static void teardown(void)
{
	gpu_bus_unregister(&a->bus);
	gpu_bus_unregister(&b->bus);
	free(a);
	free(b);
}

START_TEST(an_iomem_pointer_names_bus_region_and_offset)
{
	enum gpu_region region;
	u64 offset;

	for (int i = 0; i < GPU_REGIONS; i++) {
		char *bar = b->bus.bar[i];
		u64 last = bar_sizes[i] - 1;

		ck_assert_ptr_eq(gpu_bus_find(bar, &region, &offset),
				 &b->bus);
		ck_assert_int_eq(region, i);
		ck_assert_uint_eq(offset, 0);
		ck_assert_ptr_eq(gpu_bus_find(bar + last, &region, &offset),
				 &b->bus);
		ck_assert_int_eq(region, i);
		ck_assert_uint_eq(offset, last);
		ck_assert_ptr_eq(gpu_bus_find(bar + last + 1, &region,
					      &offset), NULL);
	}
	ck_assert_ptr_eq(gpu_bus_find(&region, &region, &offset), NULL);
	ck_assert_ptr_eq(gpu_bus_find(NULL, &region, &offset), NULL);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__	/* it turns the signal into a report */
START_TEST(an_iomem_pointer_cannot_be_dereferenced)
{
	*(volatile u32 *)a->bus.bar[GPU_BAR1] = 1;
}
END_TEST
#endif

START_TEST(an_access_outside_every_bar_reads_all_ones)
{
	u32 word = 7;

	ck_assert_uint_eq(readl(&word), 0xffffffff);
	writel(1, &word);
	ck_assert_uint_eq(word, 7);
}
END_TEST

START_TEST(readl_and_writel_are_one_access_of_their_size)
{
	char *bar = a->bus.bar[GPU_BAR0];

	writel(0x11223344, bar + 8);
	ck_assert_uint_eq(a->last_size, 4);
	writeb(0xaa, bar + 9);
	ck_assert_uint_eq(a->last_size, 1);
	writew(0xbbcc, bar + 10);
	ck_assert_uint_eq(a->last_size, 2);
	ck_assert_uint_eq(readl(bar + 8), 0xbbccaa44);
	writeq(0x0102030405060708, bar + 16);
	ck_assert_uint_eq(a->last_size, 8);
	ck_assert_uint_eq(readl_relaxed(bar + 20), 0x01020304);
	ck_assert_uint_eq(a->writes, 4);
	ck_assert_uint_eq(a->reads, 2);
	ck_assert_uint_eq(b->reads + b->writes, 0);
}
END_TEST

START_TEST(memcpy_toio_is_a_burst_with_ragged_ends)
{
	char *bar = a->bus.bar[GPU_BAR1];
	u8 from[64], to[64];

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = i + 1;
	for (size_t at = 0; at < 8; at++) {
		for (size_t len = 0; len < 48; len++) {
			memset(a->memory[GPU_BAR1], 0, 128);
			memcpy_toio(bar + 32 + at, from, len);
			memcpy_fromio(to, bar + 32 + at, len);
			ck_assert_mem_eq(to, from, len);
			ck_assert_uint_eq(a->memory[GPU_BAR1][31 + at], 0);
			ck_assert_uint_eq(a->memory[GPU_BAR1][32 + at + len],
					  0);
		}
	}
	a->bursts = a->writes = 0;
	memcpy_toio(bar, from, 64);
	ck_assert_uint_eq(a->bursts, 1);
	ck_assert_uint_eq(a->writes, 0);
}
END_TEST

START_TEST(memset_io_fills_exactly)
{
	char *bar = a->bus.bar[GPU_BAR1];

	memset_io(bar + 4, 0x5a, 1500);
	ck_assert_uint_eq(a->memory[GPU_BAR1][3], 0);
	for (int i = 4; i < 1504; i++)
		ck_assert_uint_eq(a->memory[GPU_BAR1][i], 0x5a);
	ck_assert_uint_eq(a->memory[GPU_BAR1][1504], 0);
}
END_TEST

START_TEST(an_iosys_map_reaches_ram_and_io_memory_alike)
{
	u64 ram[8] = { 0 }, seen[2];
	struct iosys_map map = IOSYS_MAP_INIT_VADDR(ram);

	ck_assert(iosys_map_is_set(&map));
	if (_i) {
		iosys_map_set_vaddr_iomem(&map, a->bus.bar[GPU_BAR3]);
		ck_assert(map.is_iomem);
	}
	iosys_map_wr(&map, 8, u64, 0x1122334455667788);
	iosys_map_wr(&map, 16, u32, 0xcafef00d);
	iosys_map_wr(&map, 20, u16, 0x9abc);
	iosys_map_wr(&map, 22, u8, 0x12);
	ck_assert_uint_eq(iosys_map_rd(&map, 8, u64), 0x1122334455667788);
	ck_assert_uint_eq(iosys_map_rd(&map, 12, u32), 0x11223344);
	ck_assert_uint_eq(iosys_map_rd(&map, 20, u16), 0x9abc);
	ck_assert_uint_eq(iosys_map_rd(&map, 22, u8), 0x12);
	iosys_map_incr(&map, 8);
	iosys_map_memcpy_from(seen, &map, 0, 16);
	ck_assert_uint_eq(seen[0], 0x1122334455667788);
	ck_assert_uint_eq(seen[1], 0x129abccafef00d);
	iosys_map_memset(&map, 0, 0xff, 8);
	ck_assert_uint_eq(iosys_map_rd(&map, 0, u64), ~0ULL);
	seen[0] = 1;
	iosys_map_memcpy_to(&map, 8, seen, 8);
	ck_assert_uint_eq(iosys_map_rd(&map, 8, u64), 1);
	ck_assert_int_eq(_i ? a->writes : ram[1] == ~0ULL, _i ? 4 : 1);
	iosys_map_clear(&map);
	ck_assert(iosys_map_is_null(&map));
}
END_TEST

START_TEST(the_nth_allocation_fails_once)
{
	long live = port_live_allocs();
	void *one, *two, *three;

	port_fail_alloc(2);
	one = kzalloc(16, GFP_KERNEL);
	ck_assert_ptr_nonnull(one);
	ck_assert(!port_fail_alloc_hit());
	two = kcalloc(4, 16, GFP_KERNEL);
	ck_assert_ptr_null(two);
	ck_assert(port_fail_alloc_hit());
	three = kzalloc(16, GFP_KERNEL);
	ck_assert_ptr_nonnull(three);
	ck_assert_int_eq(port_live_allocs(), live + 2);
	kfree(one);
	kfree(two);
	kfree(three);
	ck_assert_int_eq(port_live_allocs(), live);
}
END_TEST

START_TEST(memory_from_kcalloc_is_zeroed_and_sizes_do_not_overflow)
{
	u8 *memory = kcalloc(100, 3, GFP_KERNEL);

	for (int i = 0; i < 300; i++)
		ck_assert_uint_eq(memory[i], 0);
	kfree(memory);
	ck_assert_ptr_null(kcalloc(SIZE_MAX / 2, 3, GFP_KERNEL));
	ck_assert_int_eq(port_live_allocs(), 0);
}
END_TEST

START_TEST(time_is_the_latest_bus_and_moves_with_every_turn)
{
	a->now = 100;
	b->now = 70;
	ck_assert_uint_eq(ktime_get_ns(), 100);
	cpu_relax();
	ck_assert_uint_eq(a->now, 110);
	ck_assert_uint_eq(b->now, 80);
	udelay(3);
	ck_assert_uint_eq(ktime_get_ns(), 3110);
	usleep_range(1, 5);
	ndelay(1);
	ck_assert_uint_eq(ktime_get_ns(), 4111);
}
END_TEST

START_TEST(the_arithmetic_is_the_kernels)
{
	ck_assert_int_eq(ilog2(1), 0);
	ck_assert_int_eq(ilog2(0x80000000u), 31);
	ck_assert(is_power_of_2(64) && !is_power_of_2(0));
	ck_assert(!is_power_of_2(96));
	ck_assert_uint_eq(roundup_pow_of_two(1), 1);
	ck_assert_uint_eq(roundup_pow_of_two(5), 8);
	ck_assert_uint_eq(roundup_pow_of_two(8), 8);
	ck_assert_uint_eq(ALIGN(4097ULL, 4096), 8192);
	ck_assert_uint_eq(upper_32_bits(0x123456789aULL), 0x12);
	ck_assert_uint_eq(lower_32_bits(0x123456789aULL), 0x3456789a);
	ck_assert_uint_eq(GENMASK(11, 4), 0xff0);
	ck_assert_uint_eq(min_t(u32, 7, 9), 7);
	ck_assert_uint_eq(max(7u, 9u), 9);
}
END_TEST

START_TEST(dma_addresses_are_scattered_high_and_findable)
{
	unsigned int mask = _i ? 40 : 47;
	struct dma_space *space = dma_space_new(mask, 1);
	void *cpu[32];
	u64 dma[32];

	for (size_t i = 0; i < 32; i++) {
		ck_assert_int_eq(dma_space_alloc(space, 4096 * (i + 1),
						 &cpu[i], &dma[i]), 0);
		ck_assert_uint_eq(dma[i] % 4096, 0);
		ck_assert_uint_lt(dma[i] + 4096 * (i + 1), 1ULL << mask);
		ck_assert_uint_ge(dma[i], (1ULL << mask) - (1ULL << 36));
		ck_assert_uint_ne(dma[i], (uintptr_t)cpu[i]);
	}
	for (size_t i = 0; i < 32; i++) {
		size_t size = 4096 * (i + 1);

		ck_assert_ptr_eq(dma_space_find(space, dma[i], size), cpu[i]);
		ck_assert_ptr_eq(dma_space_find(space, dma[i] + size - 1, 1),
				 (char *)cpu[i] + size - 1);
		ck_assert_ptr_null(dma_space_find(space, dma[i] + size, 1));
		ck_assert_ptr_null(dma_space_find(space, dma[i], size + 1));
		ck_assert_ptr_null(dma_space_find(space, dma[i] - 1, 1));
		dma_space_release(space, size, cpu[i], dma[i]);
		ck_assert_ptr_null(dma_space_find(space, dma[i], 1));
	}
	ck_assert_ptr_null(dma_space_find(space, 0, 1));
	ck_assert_int_eq(port_live_allocs(), 0);
	dma_space_free(space);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("port");
	TCase *tcase = tcase_create("port");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, an_iomem_pointer_names_bus_region_and_offset);
#ifndef __SANITIZE_ADDRESS__
	tcase_add_test_raise_signal(tcase,
		an_iomem_pointer_cannot_be_dereferenced, SIGSEGV);
#endif
	tcase_add_test(tcase, an_access_outside_every_bar_reads_all_ones);
	tcase_add_test(tcase, readl_and_writel_are_one_access_of_their_size);
	tcase_add_test(tcase, memcpy_toio_is_a_burst_with_ragged_ends);
	tcase_add_test(tcase, memset_io_fills_exactly);
	tcase_add_loop_test(tcase,
		an_iosys_map_reaches_ram_and_io_memory_alike, 0, 2);
	tcase_add_test(tcase, the_nth_allocation_fails_once);
	tcase_add_test(tcase,
		memory_from_kcalloc_is_zeroed_and_sizes_do_not_overflow);
	tcase_add_test(tcase,
		time_is_the_latest_bus_and_moves_with_every_turn);
	tcase_add_test(tcase, the_arithmetic_is_the_kernels);
	tcase_add_loop_test(tcase,
		dma_addresses_are_scattered_high_and_findable, 0, 2);
	suite_add_tcase(suite, tcase);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
