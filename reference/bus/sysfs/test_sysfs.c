/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A card by the files of sysfs: what can be read, written, and had at all. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>

#include "sysfs.h"
#include "reference/tools/tesla-info/test_tree.h"
#include "vm/spec/reg.h"

#define G	(1ULL << 30)

static struct tree tree;
static struct gpu_bus *bus;

static void setup(void)
{
	setenv("PORT_LOG", "quiet", 1);
	tree_make(&tree, CARD_P100);
}

static void teardown(void)
{
	tree_remove(&tree);
	ck_assert_int_eq(port_live_allocs(), 0);
}

static u64 windows = ~0ULL;

static int try(bool write)
{
	struct sysfs_config config = {
		.address = CARD, .sysfs = tree.root, .write = write,
		.windows = windows,
	};

	return bus_sysfs_open(&config, &bus);
}

static void up(bool write)
{
	ck_assert_int_eq(try(write), 0);
}

START_TEST(registers_and_memory_are_read)
{
	up(false);
	ck_assert_str_eq(bus->name, "sysfs:" CARD);
	ck_assert_uint_eq(REG_GET(NV_PMC_BOOT_0_CHIPSET,
				  readl(bus->bar[GPU_BAR0])), 0x130);
	ck_assert_uint_eq(readl(bus->bar[GPU_CONFIG]), 0x15f810de);
	ck_assert_uint_eq(bus->bar_size[GPU_BAR1], 16 * G);
	ck_assert_uint_eq(readq((char *)bus->bar[GPU_BAR1] + 16 * G - 8), 0);
	ck_assert_uint_eq(bus->ops->read(bus, GPU_BAR1, 16 * G, 4),
			  0xffffffff);
	ck_assert_uint_eq(bus->ops->read(bus, GPU_CONFIG, 4096, 2), 0xffff);
	gpu_bus_close(bus);
}
END_TEST

START_TEST(windows_are_as_large_as_wanted)
{
	windows = 64 << 20;
	up(false);
	ck_assert_uint_eq(bus->bar_size[GPU_BAR1], 64 << 20);
	ck_assert_uint_eq(bus->bar_size[GPU_BAR3], 32 << 20);
	ck_assert_uint_eq(readl((char *)bus->bar[GPU_BAR1] + (64 << 20) - 4),
			  0);
	gpu_bus_close(bus);
	windows = 0;
	up(false);
	ck_assert_ptr_null(bus->bar[GPU_BAR1]);
	ck_assert_uint_eq(bus->ops->read(bus, GPU_BAR1, 0, 4), 0xffffffff);
	ck_assert_uint_ne(readl(bus->bar[GPU_BAR0]), 0xffffffff);
	gpu_bus_close(bus);
}
END_TEST

START_TEST(what_is_only_read_is_not_written)
{
	static const u8 line[64] = { 1 };
	u64 config = tree_sum(&tree, DEVICE "/config");
	u64 registers = tree_sum(&tree, DEVICE "/resource0");

	up(false);
	bus->ops->write(bus, GPU_BAR0, 0x200, 4, 0x12345678);
	bus->ops->write(bus, GPU_CONFIG, 4, 2, 0);
	bus->ops->write_burst(bus, GPU_BAR0, 0x1000, line, sizeof(line));
	gpu_bus_close(bus);
	ck_assert_uint_eq(tree_sum(&tree, DEVICE "/config"), config);
	ck_assert_uint_eq(tree_sum(&tree, DEVICE "/resource0"), registers);
}
END_TEST

START_TEST(a_store_to_what_is_only_read_is_a_crash)
{
	up(false);
	tree_remove(&tree);	/* nobody will do it later */
	signal(SIGSEGV, SIG_DFL);
	writel(0, (char *)bus->bar[GPU_BAR0] + 0x200);
}
END_TEST

START_TEST(what_may_be_written_is)
{
	static const u32 line[] = { 1, 2, 3, 4 };

	up(true);
	writel(0x12345678, (char *)bus->bar[GPU_BAR0] + 0x1700);
	bus->ops->write(bus, GPU_BAR1, 8 * G, 8, 0x1122334455667788);
	bus->ops->write_burst(bus, GPU_BAR3, 4096, line, sizeof(line));
	bus->ops->write(bus, GPU_CONFIG, 0x3c, 1, 7);
	gpu_bus_close(bus);
	up(false);
	ck_assert_uint_eq(readl((char *)bus->bar[GPU_BAR0] + 0x1700),
			  0x12345678);
	ck_assert_uint_eq(readb((char *)bus->bar[GPU_BAR1] + 8 * G + 7),
			  0x11);
	ck_assert_uint_eq(readl((char *)bus->bar[GPU_BAR3] + 4096 + 12), 4);
	ck_assert_uint_eq(readb((char *)bus->bar[GPU_CONFIG] + 0x3c), 7);
	gpu_bus_close(bus);
}
END_TEST

START_TEST(there_is_no_dma_and_no_interrupt)
{
	void *cpu;
	u64 dma;

	up(false);
	ck_assert_int_eq(bus->ops->dma_alloc(bus, 4096, DMA_COHERENT, &cpu,
					     &dma), -EOPNOTSUPP);
	ck_assert_int_eq(bus->ops->irq_wait(bus), -EOPNOTSUPP);
	gpu_bus_close(bus);
}
END_TEST

static void decode_off(void)
{
	const u16 off = 0;

	tree_patch(&tree, DEVICE "/config", 4, &off, 2);
}

static void asleep(void)
{
	tree_file(&tree, DEVICE "/power_state", "D3cold\n");
}

static void lost(void)
{
	const u64 ones = ~0ULL;

	tree_patch(&tree, DEVICE "/config", 0, &ones, 8);
}

static void no_resource(void)
{
	tree_delete(&tree, DEVICE "/resource");
}

static void bad_resource(void)
{
	tree_file(&tree, DEVICE "/resource", "0x1 0x2\n");
}

static void no_bars(void)
{
	tree_file(&tree, DEVICE "/resource", "0 0 0\n0 0 0\n0 0 0\n"
		  "0 0 0\n0 0 0\n0 0 0\n");
}

static void no_config(void)
{
	tree_delete(&tree, DEVICE "/config");
}

static void no_bar1(void)
{
	tree_delete(&tree, DEVICE "/resource1");
}

static void no_device(void)
{
	tree_delete(&tree, DEVICE);
}

static const struct {
	void (*make)(void);
	int error;
} refusals[] = {
	{ decode_off, -ENXIO }, { asleep, -ENXIO }, { lost, -ENODEV },
	{ no_resource, -ENOENT }, { bad_resource, -EINVAL },
	{ no_bars, -ENXIO }, { no_config, -ENOENT }, { no_bar1, -ENOENT },
	{ no_device, -ENODEV },
};

START_TEST(what_cannot_be_read_is_refused)
{
	refusals[_i].make();
	ck_assert_int_eq(try(false), refusals[_i].error);
}
END_TEST

START_TEST(any_failed_allocation_leaves_nothing)
{
	for (unsigned int i = 1;; i++) {
		int err;

		port_fail_alloc(i);
		err = try(false);
		if (!err)
			gpu_bus_close(bus);
		ck_assert_int_eq(port_live_allocs(), 0);
		if (!port_fail_alloc_hit())
			break;
		ck_assert_int_eq(err, -ENOMEM);
	}
	port_fail_alloc(0);
}
END_TEST

/* A card that is lost while it is mapped: its file gets shorter. */
START_TEST(a_card_that_goes_reads_all_ones)
{
	up(false);
	tree_cut(&tree, DEVICE "/resource0", 0);
	ck_assert_uint_eq(readl(bus->bar[GPU_BAR0]), 0xffffffff);
	gpu_bus_close(bus);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sysfs");
	TCase *tcase = tcase_create("sysfs");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, registers_and_memory_are_read);
	tcase_add_test(tcase, windows_are_as_large_as_wanted);
	tcase_add_test(tcase, what_is_only_read_is_not_written);
	tcase_add_test_raise_signal(tcase,
				    a_store_to_what_is_only_read_is_a_crash,
				    SIGSEGV);
	tcase_add_test(tcase, what_may_be_written_is);
	tcase_add_test(tcase, there_is_no_dma_and_no_interrupt);
	tcase_add_loop_test(tcase, what_cannot_be_read_is_refused, 0,
			    ARRAY_SIZE(refusals));
	tcase_add_test(tcase, any_failed_allocation_leaves_nothing);
	tcase_add_test(tcase, a_card_that_goes_reads_all_ones);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
