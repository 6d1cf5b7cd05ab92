/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * BARs that are mapped memory: a file stands for the card's, and is made
 * shorter when the card is lost.
 */
#define _GNU_SOURCE		/* memfd_create() */
#include <check.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu_bus.h"
#include "lost.h"

#define PAGE	4096u
#define PAGES	4u

struct mapped_bus {
	struct gpu_bus bus;
	u8 config[PAGE];
	unsigned int reads, writes;
	int fd;
};

static struct mapped_bus rig;

static u64 config_read(struct gpu_bus *bus, enum gpu_region region,
		       u64 offset, unsigned int size)
{
	u64 value = 0;

	(void)bus;
	ck_assert_int_eq(region, GPU_CONFIG);
	rig.reads++;
	memcpy(&value, rig.config + offset, size);
	return value;
}

static void config_write(struct gpu_bus *bus, enum gpu_region region,
			 u64 offset, unsigned int size, u64 value)
{
	(void)bus;
	ck_assert_int_eq(region, GPU_CONFIG);
	rig.writes++;
	memcpy(rig.config + offset, &value, size);
}

static const struct gpu_bus_ops ops = {
	.read = config_read, .write = config_write,
};

static void up(void)
{
	memset(&rig, 0, sizeof(rig));
	rig.bus.ops = &ops;
	rig.bus.bar_size[GPU_CONFIG] = PAGE;
	rig.bus.bar_size[GPU_BAR0] = PAGES * PAGE;
	ck_assert_int_eq(gpu_bus_register(&rig.bus), 0);
	rig.fd = memfd_create("bar", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(rig.fd, PAGES * PAGE), 0);
	ck_assert_ptr_eq(mmap(rig.bus.bar[GPU_BAR0], PAGES * PAGE,
			      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			      rig.fd, 0), rig.bus.bar[GPU_BAR0]);
}

static void down(void)
{
	gpu_bus_unregister(&rig.bus);
	close(rig.fd);
}

static char *bar0(void)
{
	return rig.bus.bar[GPU_BAR0];
}

/* What the other side finds. */
static void device_read(void *to, size_t len, off_t at)
{
	ck_assert_int_eq(pread(rig.fd, to, len, at), (ssize_t)len);
}

START_TEST(accesses_have_the_size_that_was_asked_for)
{
	static const u8 want[] = {
		0, 0x11, 0x22, 0x22, 0x33, 0x33, 0x33, 0x33,
		0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44, 0x44,
	};
	u8 got[16];

	writeb(0x11, bar0() + 1);
	writew(0x2222, bar0() + 2);
	writel(0x33333333, bar0() + 4);
	writeq(0x4444444444444444, bar0() + 8);
	device_read(got, sizeof(got), 0);
	ck_assert_mem_eq(got, want, sizeof(want));
	ck_assert_uint_eq(readb(bar0() + 1), 0x11);
	ck_assert_uint_eq(readw(bar0() + 2), 0x2222);
	ck_assert_uint_eq(readl(bar0() + 4), 0x33333333);
	ck_assert_uint_eq(readq(bar0() + 8), 0x4444444444444444);
	ck_assert_uint_eq(rig.reads + rig.writes, 0);
}
END_TEST

START_TEST(configuration_space_is_reached_by_calls)
{
	writel(0x12345678, (char *)rig.bus.bar[GPU_CONFIG] + 16);
	ck_assert_uint_eq(readw((char *)rig.bus.bar[GPU_CONFIG] + 18),
			  0x1234);
	ck_assert_uint_eq(rig.reads, 1);
	ck_assert_uint_eq(rig.writes, 1);
}
END_TEST

/* All places in a line of 16, all lengths: the bytes, and none beside. */
START_TEST(copies_move_their_bytes_and_no_others)
{
	u8 source[64], got[128], back[64];

	for (unsigned int i = 0; i < sizeof(source); i++)
		source[i] = i + 1;
	for (unsigned int at = 0; at < 16; at++) {
		for (unsigned int len = 0; len <= 40; len++) {
			u8 want[128] = { 0 };

			memset_io(bar0(), 0, 128);
			memcpy_toio(bar0() + at, source, len);
			memcpy(want + at, source, len);
			device_read(got, sizeof(got), 0);
			ck_assert_mem_eq(got, want, sizeof(want));
			memcpy_fromio(back, bar0() + at, len);
			ck_assert_mem_eq(back, source, len);
			memset_io(bar0() + at, 0xa5, len);
			memset(want + at, 0xa5, len);
			device_read(got, sizeof(got), 0);
			ck_assert_mem_eq(got, want, sizeof(want));
		}
	}
}
END_TEST

START_TEST(a_lost_card_reads_all_ones)
{
	u8 bytes[24];

	ck_assert_int_eq(lost_guard(bar0(), PAGES * PAGE), 0);
	writel(5, bar0() + PAGE);
	ck_assert_int_eq(ftruncate(rig.fd, 0), 0);
	ck_assert_uint_eq(readl(bar0() + PAGE), 0xffffffff);
	ck_assert_uint_eq(readq(bar0() + 3 * PAGE - 8), ~0ULL);
	writel(5, bar0());
	ck_assert_uint_eq(readl(bar0() + 8), 0xffffffff);
	memcpy_fromio(bytes, bar0() + 3 * PAGE, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		ck_assert_uint_eq(bytes[i], 0xff);
	lost_release(bar0());
}
END_TEST

/* Another's signal is another's. */
static sigjmp_buf there;
static volatile sig_atomic_t others;

static void others_handler(int signal)
{
	(void)signal;
	others++;
	siglongjmp(there, 1);
}

START_TEST(other_bus_errors_go_to_whom_they_went_before)
{
	volatile char *other;

	signal(SIGBUS, others_handler);
	ck_assert_int_eq(lost_guard(bar0(), PAGE), 0);
	other = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, rig.fd,
		     PAGES * PAGE);
	ck_assert_ptr_ne((void *)other, MAP_FAILED);
	if (!sigsetjmp(there, 1))
		ck_assert_int_eq(*other, 1);
	ck_assert_int_eq(others, 1);

	/* What is no longer guarded is another's too. */
	lost_release(bar0());
	ck_assert_int_eq(ftruncate(rig.fd, 0), 0);
	if (!sigsetjmp(there, 1))
		readl(bar0());
	ck_assert_int_eq(others, 2);
	munmap((void *)other, PAGE);
}
END_TEST

START_TEST(a_bus_error_of_nobodys_ends_the_process)
{
	signal(SIGBUS, SIG_DFL);
	ck_assert_int_eq(lost_guard(bar0() + PAGE, PAGE), 0);
	ck_assert_int_eq(ftruncate(rig.fd, 0), 0);
	readl(bar0());
}
END_TEST

START_TEST(guards_come_and_go)
{
	for (unsigned int i = 0; i < PAGES; i++)
		ck_assert_int_eq(lost_guard(bar0() + i * PAGE, PAGE), 0);
	for (unsigned int i = 0; i < PAGES; i += 2)
		lost_release(bar0() + i * PAGE);
	ck_assert_int_eq(lost_guard(bar0(), PAGE), 0);
	ck_assert_int_eq(ftruncate(rig.fd, 0), 0);
	ck_assert_uint_eq(readl(bar0()), 0xffffffff);
	ck_assert_uint_eq(readl(bar0() + PAGE), 0xffffffff);
	ck_assert_uint_eq(readl(bar0() + 3 * PAGE), 0xffffffff);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("native");
	TCase *tests = tcase_create("native");

	tcase_add_checked_fixture(tests, up, down);
	tcase_add_test(tests, accesses_have_the_size_that_was_asked_for);
	tcase_add_test(tests, configuration_space_is_reached_by_calls);
	tcase_add_test(tests, copies_move_their_bytes_and_no_others);
	tcase_add_test(tests, a_lost_card_reads_all_ones);
	tcase_add_test(tests, other_bus_errors_go_to_whom_they_went_before);
	tcase_add_test_raise_signal(tests,
				    a_bus_error_of_nobodys_ends_the_process,
				    SIGBUS);
	tcase_add_test(tests, guards_come_and_go);
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
