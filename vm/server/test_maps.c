/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Maps, the files behind them, and files that are cut short. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/server/guard.h"
#include "vm/server/maps.h"

#define PAGE	4096ull

static struct maps maps;

static void setup(void)
{
	maps_init(&maps);
	ck_assert_int_eq(guard_install(), 0);
}

static void teardown(void)
{
	maps_fini(&maps);
}

static int memory(size_t size)
{
	int fd = memfd_create("memory", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, size), 0);
	return fd;
}

static int add(uint64_t address, uint64_t size, int fd, uint64_t offset)
{
	struct map range = {
		.address = address, .size = size,
		.readable = true, .writable = true,
	};

	return maps_add(&maps, &range, fd, offset);
}

static int add_plain(uint64_t address, uint64_t size)
{
	return add(address, size, -1, 0);
}

START_TEST(an_address_is_found_in_its_map)
{
	const struct map *map;
	uint64_t left;

	ck_assert_int_eq(add_plain(0x3000, 0x1000), 0);
	ck_assert_int_eq(add_plain(0x1000, 0x1000), 0);
	ck_assert_int_eq(add_plain(0x2000, 0x800), 0);
	for (uint64_t at = 0; at < 0x5000; at += 0x10) {
		bool there = (at >= 0x1000 && at < 0x2800) ||
			(at >= 0x3000 && at < 0x4000);

		map = maps_find(&maps, at, &left);
		ck_assert((map != NULL) == there);
		if (!map)
			continue;
		ck_assert_uint_le(map->address, at);
		ck_assert_uint_eq(left, map->address + map->size - at);
	}
}
END_TEST

START_TEST(a_range_that_is_empty_or_wraps_is_refused)
{
	ck_assert_int_eq(add_plain(0, 0), -EINVAL);
	ck_assert_int_eq(add_plain(0x1000, ~0ull), -EINVAL);
	ck_assert_int_eq(add_plain(~0ull, 2), -EINVAL);
	ck_assert_int_eq(maps.count, 0);
	/* up to the very last byte is fine */
	ck_assert_int_eq(add_plain(~0ull - 0xfff, 0x1000), 0);
	ck_assert_int_eq(add_plain(0, ~0ull - 0xfff), 0);
}
END_TEST

START_TEST(maps_do_not_overlap)
{
	static const struct {
		uint64_t address, size;
		int err;
	} rows[] = {
		{ 0x1000, 0x1000, -EEXIST }, { 0xfff, 2, -EEXIST },
		{ 0x1fff, 1, -EEXIST }, { 0, ~0ull, -EEXIST },
		{ 0x1800, 0x10, -EEXIST }, { 0xfff, 1, 0 },
		{ 0x2000, 1, 0 },
	};

	ck_assert_int_eq(add_plain(0x1000, 0x1000), 0);
	ck_assert_int_eq(add_plain(rows[_i].address, rows[_i].size),
			 rows[_i].err);
	ck_assert_int_eq(maps.count, rows[_i].err ? 1 : 2);
}
END_TEST

START_TEST(an_unmap_takes_whole_maps_only)
{
	uint64_t left;

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(add_plain(i * PAGE, PAGE), 0);
	ck_assert_int_eq(maps_remove(&maps, 0, PAGE + 1), -EINVAL);
	ck_assert_int_eq(maps_remove(&maps, 1, PAGE), -EINVAL);
	ck_assert_int_eq(maps_remove(&maps, 0, 0), -EINVAL);
	ck_assert_int_eq(maps_remove(&maps, 2, ~0ull), -EINVAL);
	ck_assert_int_eq(maps.count, 4);
	ck_assert_int_eq(maps_remove(&maps, PAGE, 2 * PAGE), 2);
	ck_assert_ptr_nonnull(maps_find(&maps, 0, &left));
	ck_assert_ptr_null(maps_find(&maps, PAGE, &left));
	ck_assert_ptr_null(maps_find(&maps, 2 * PAGE, &left));
	ck_assert_ptr_nonnull(maps_find(&maps, 3 * PAGE, &left));
	ck_assert_int_eq(maps_remove(&maps, PAGE, 2 * PAGE), 0);
	ck_assert_int_eq(maps_remove(&maps, 0, ~0ull), 2);
}
END_TEST

START_TEST(maps_have_an_end)
{
	for (uint64_t i = 0; i < MAPS_MAX; i++)
		ck_assert_int_eq(add_plain(i * PAGE, PAGE), 0);
	ck_assert_int_eq(add_plain(MAPS_MAX * PAGE, PAGE), -ENOSPC);
	ck_assert_int_eq(maps_remove(&maps, 7 * PAGE, PAGE), 1);
	ck_assert_int_eq(add_plain(MAPS_MAX * PAGE, PAGE), 0);
}
END_TEST

START_TEST(a_file_is_mapped_once_for_all_its_pages)
{
	int fd = memory(64 * PAGE);
	const struct map *map;
	uint64_t left;

	/* in no order, as an IOMMU would */
	for (uint64_t i = 0; i < 64; i++)
		ck_assert_int_eq(add((i * 37 % 64) * PAGE, PAGE, fd,
				     i * PAGE), 0);
	ck_assert_uint_eq(maps.files_count, 1);
	ck_assert_int_eq(pwrite(fd, "page 5", 6, 5 * PAGE), 6);
	close(fd);
	map = maps_find(&maps, 5 * 37 % 64 * PAGE, &left);
	ck_assert_mem_eq(map->data, "page 5", 6);
	ck_assert_int_eq(maps_remove(&maps, 0, 64 * PAGE), 64);
	ck_assert_uint_eq(maps.files_count, 0);
	ck_assert_ptr_null(maps.files);
}
END_TEST

START_TEST(a_file_that_has_grown_is_mapped_anew)
{
	int fd = memory(PAGE);

	ck_assert_int_eq(add(0, PAGE, fd, 0), 0);
	ck_assert_int_eq(ftruncate(fd, 2 * PAGE), 0);
	ck_assert_int_eq(add(PAGE, PAGE, fd, PAGE), 0);
	ck_assert_uint_eq(maps.files_count, 2);
	close(fd);
}
END_TEST

START_TEST(a_range_beyond_the_file_is_refused)
{
	static const uint64_t rows[][2] = {
		{ 0, 2 * PAGE + 1 }, { 2 * PAGE, 1 }, { ~0ull, 2 },
		{ PAGE, ~0ull - PAGE }, { 3 * PAGE, 1 }, { 1, 2 * PAGE },
	};
	int fd = memory(2 * PAGE);

	ck_assert_int_eq(add(0, rows[_i][1], fd, rows[_i][0]), -EINVAL);
	ck_assert_uint_eq(maps.count, 0);
	ck_assert_uint_eq(maps.files_count, 0);
	close(fd);
}
END_TEST

START_TEST(what_is_no_memory_is_refused)
{
	int pair[2], null = open("/dev/zero", O_RDWR);
	int folder = open("/", O_RDONLY), empty = memory(0);

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ck_assert_int_eq(add(0, PAGE, pair[0], 0), -EINVAL);
	ck_assert_int_eq(add(0, PAGE, null, 0), -EINVAL);
	ck_assert_int_eq(add(0, PAGE, folder, 0), -EINVAL);
	ck_assert_int_eq(add(0, PAGE, empty, 0), -EINVAL);
	ck_assert_int_eq(add(0, PAGE, 9999, 0), -EINVAL);
	ck_assert_uint_eq(maps.count, 0);
}
END_TEST

START_TEST(a_file_larger_than_any_memory_is_refused)
{
	int fd = memfd_create("giant", MFD_CLOEXEC);

	if (ftruncate(fd, INT64_MAX & ~(off_t)4095) == 0)
		ck_assert_int_lt(add(0, PAGE, fd, 0), 0);
	ck_assert_uint_eq(maps.count, 0);
	close(fd);
}
END_TEST

START_TEST(memory_that_may_only_be_read_is_taken_so)
{
	struct map range = { .size = PAGE, .readable = true };
	char path[64];
	int fd = memory(PAGE), read_only;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_only = open(path, O_RDONLY);
	ck_assert_int_ge(read_only, 0);
	ck_assert_int_eq(add(0, PAGE, read_only, 0), -EINVAL);
	ck_assert_int_eq(maps_add(&maps, &range, read_only, 0), 0);
	/* and a map that is to be written is one of its own */
	ck_assert_int_eq(add(PAGE, PAGE, fd, 0), 0);
	ck_assert_uint_eq(maps.files_count, 2);
}
END_TEST

START_TEST(files_have_an_end)
{
	int fd;

	for (uint64_t i = 0; i < MAPS_FILES; i++) {
		fd = memory(PAGE);
		ck_assert_int_eq(add(i * PAGE, PAGE, fd, 0), 0);
		close(fd);
	}
	fd = memory(PAGE);
	ck_assert_int_eq(add(MAPS_FILES * PAGE, PAGE, fd, 0), -ENOSPC);
	ck_assert_uint_eq(maps.count, MAPS_FILES);
	close(fd);
}
END_TEST

START_TEST(a_copy_survives_memory_that_is_cut_off)
{
	uint8_t buf[64] = { 1 };
	const struct map *map;
	uint64_t left;
	int fd = memory(2 * PAGE);

	ck_assert_int_eq(add(0, 2 * PAGE, fd, 0), 0);
	map = maps_find(&maps, 0, &left);
	ck_assert_int_eq(guard_copy_to(map->data + PAGE, buf, 64), 0);
	ck_assert_int_eq(ftruncate(fd, PAGE), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(guard_copy_to(map->data + PAGE, buf, _i),
				 -EFAULT);
		ck_assert_int_eq(guard_copy_from(buf, map->data + PAGE, _i),
				 -EFAULT);
	}
	ck_assert_int_eq(guard_copy_to(map->data, buf, _i), 0);
	ck_assert_int_eq(guard_copy_from(buf, map->data, _i), 0);
	close(fd);
}
END_TEST

START_TEST(copies_of_every_size_and_place_are_right)
{
	uint8_t from[96], to[128], back[96];

	for (unsigned int i = 0; i < sizeof(from); i++)
		from[i] = 3 * i + 1;
	for (unsigned int at = 0; at < 9; at++) {
		memset(to, 0xee, sizeof(to));
		ck_assert_int_eq(guard_copy_to(to + at, from, _i), 0);
		ck_assert_mem_eq(to + at, from, _i);
		ck_assert_uint_eq(to[at + _i], 0xee);
		ck_assert_int_eq(guard_copy_from(back, to + at, _i), 0);
		ck_assert_mem_eq(back, from, _i);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("maps");
	TCase *t = tcase_create("maps");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, an_address_is_found_in_its_map);
	tcase_add_test(t, a_range_that_is_empty_or_wraps_is_refused);
	tcase_add_loop_test(t, maps_do_not_overlap, 0, 7);
	tcase_add_test(t, an_unmap_takes_whole_maps_only);
	tcase_add_test(t, maps_have_an_end);
	tcase_add_test(t, a_file_is_mapped_once_for_all_its_pages);
	tcase_add_test(t, a_file_that_has_grown_is_mapped_anew);
	tcase_add_loop_test(t, a_range_beyond_the_file_is_refused, 0, 6);
	tcase_add_test(t, what_is_no_memory_is_refused);
	tcase_add_test(t, a_file_larger_than_any_memory_is_refused);
	tcase_add_test(t, memory_that_may_only_be_read_is_taken_so);
	tcase_add_test(t, files_have_an_end);
	tcase_add_loop_test(t, a_copy_survives_memory_that_is_cut_off, 1, 65);
	tcase_add_loop_test(t, copies_of_every_size_and_place_are_right, 1,
			    90);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
