/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * User mode's way to a kernel, without that kernel: what can be said of it by
 * files that are no cards.
 */
#define _GNU_SOURCE		/* memfd_create() */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu.h"
#include "node.h"
#include "uapi/tesla.h"

#define PAGE	4096u

static struct gpu_bus *bus;

static int open_path(const char *path)
{
	ck_assert_int_eq(bus_node_open(path, &bus), 0);
	return node_open(bus);
}

START_TEST(a_file_that_is_no_card_is_refused)
{
	struct gpu *gpu;

	ck_assert_int_eq(open_path("/nowhere/tesla0"), -ENOENT);
	ck_assert_int_eq(gpu_open(bus, &gpu), -ENOENT);
	gpu_bus_close(bus);
	ck_assert_int_eq(bus_node_open("/dev/null", &bus), 0);
	ck_assert_int_eq(gpu_open(bus, &gpu), -ENOTTY);
	ck_assert_int_eq(port_live_allocs(), 0);
	gpu_bus_close(bus);
}
END_TEST

START_TEST(a_call_says_why_it_failed)
{
	struct tesla_get_info info = { 0 };
	int fd = open_path("/dev/null");

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(node_call(fd, TESLA_CALL_get_info, &info,
				   sizeof(info)), -ENOTTY);
	ck_assert_int_eq(node_call(fd, 256, &info, sizeof(info)), -ENOTTY);
	ck_assert_int_eq(node_call(fd, TESLA_CALL_get_info, &info,
				   TESLA_ARG_MAX + 1), -E2BIG);
	ck_assert_int_eq(node_close(fd), 0);
	ck_assert_int_eq(node_close(fd), -EBADF);
	ck_assert_int_eq(node_call(fd, TESLA_CALL_get_info, &info,
				   sizeof(info)), -EBADF);
	gpu_bus_close(bus);
}
END_TEST

/* A file of so many pages, as a node's. */
static int memory(unsigned int pages)
{
	int fd = memfd_create("node", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, pages * PAGE), 0);
	return fd;
}

START_TEST(a_view_is_what_the_caller_believes)
{
	struct iosys_map map = { .is_iomem = _i };
	int fd = memory(4);
	u32 word;

	ck_assert_int_eq(node_map(fd, PAGE, 2 * PAGE, &map), 0);
	ck_assert_int_eq(map.is_iomem, _i);
	iosys_map_wr(&map, PAGE + 8, u32, 0x1234);
	ck_assert_int_eq(pread(fd, &word, 4, 2 * PAGE + 8), 4);
	ck_assert_uint_eq(word, 0x1234);
	/* The descriptor may be closed before. */
	ck_assert_int_eq(node_close(fd), 0);
	ck_assert_uint_eq(iosys_map_rd(&map, PAGE + 8, u32), 0x1234);
	node_unmap(&map, PAGE, 2 * PAGE);
	ck_assert_int_eq(node_map(fd, PAGE, 2 * PAGE, &map), -EBADF);
}
END_TEST

START_TEST(offsets_beyond_a_file_are_refused)
{
	struct iosys_map map = { .is_iomem = false };
	int fd = memory(1);

	ck_assert_int_eq(node_map(fd, 1, PAGE, &map), -EINVAL);
	ck_assert_int_eq(node_map(fd, ~0ULL - PAGE + 1, PAGE, &map), -EINVAL);
	ck_assert_int_eq(node_map(fd, 0, 0, &map), -EINVAL);
	ck_assert_ptr_null(map.vaddr);
	node_unmap(&map, 0, PAGE);
	node_close(fd);
}
END_TEST

START_TEST(a_view_of_a_card_that_has_gone_is_all_ones)
{
	struct iosys_map map = { .is_iomem = true };
	int fd = memory(2);

	ck_assert_int_eq(node_map(fd, 0, 2 * PAGE, &map), 0);
	ck_assert_uint_eq(iosys_map_rd(&map, PAGE, u32), 0);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_uint_eq(iosys_map_rd(&map, PAGE, u32), 0xffffffff);
	iosys_map_wr(&map, 0, u32, 1);
	node_unmap(&map, 0, 2 * PAGE);
	node_close(fd);
}
END_TEST

START_TEST(the_bus_has_a_clock_and_no_card)
{
	u64 start, end;
	void *cpu;
	u64 dma;

	ck_assert_int_eq(bus_node_open("/dev/null", &bus), 0);
	ck_assert_str_eq(bus->name, "/dev/null");
	ck_assert(bus->ops->read(bus, GPU_BAR0, 0, 4) == ~0ULL);
	bus->ops->write(bus, GPU_BAR0, 0, 4, 1);
	ck_assert_int_eq(bus->ops->dma_alloc(bus, PAGE, DMA_COHERENT, &cpu,
					     &dma), -ENOMEM);
	start = bus->ops->now(bus);
	bus->ops->relax(bus);
	bus->ops->sleep(bus, 2 * NSEC_PER_MSEC);
	end = bus->ops->now(bus);
	ck_assert_uint_ge(end - start, 2 * NSEC_PER_MSEC);
	/* The port's is the same. */
	ck_assert_uint_ge(ktime_get_ns(), end);
	gpu_bus_close(bus);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("node");
	TCase *tests = tcase_create("node");

	tcase_add_test(tests, a_file_that_is_no_card_is_refused);
	tcase_add_test(tests, a_call_says_why_it_failed);
	tcase_add_loop_test(tests, a_view_is_what_the_caller_believes, 0, 2);
	tcase_add_test(tests, offsets_beyond_a_file_are_refused);
	tcase_add_test(tests, a_view_of_a_card_that_has_gone_is_all_ones);
	tcase_add_test(tests, the_bus_has_a_clock_and_no_card);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
