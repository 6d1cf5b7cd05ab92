/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * tesla-info: what it finds in a sysfs, and what it concludes; one fixture for
 * each reason.
 */
#include <check.h>
#include <stdlib.h>

#include "test_tree.h"
#include "vm/spec/reg.h"
#include "reference/bus/direct/direct.h"

static struct tree tree;
static struct info info;

static const char *const chips[] = {
	[CARD_P100] = "GP100", [CARD_P40] = "GP102", [CARD_M40] = "GM200",
};

static u32 gather(void)
{
	ck_assert_int_eq(info_gather(tree.root, CARD, &info), 0);
	return info_reasons(&info);
}

static void setup(void)
{
	tree_make(&tree, CARD_P100);
}

static void teardown(void)
{
	tree_remove(&tree);
	ck_assert_int_eq(port_live_allocs(), 0);
}

START_TEST(a_card_that_vfio_has_is_ready)
{
	u32 reasons;

	tree_remove(&tree);
	tree_make(&tree, _i);
	reasons = gather();
	ck_assert_uint_eq(reasons, BIT(VFIO_HAS_IT) | BIT(RESET_AT_CLOSE));
	ck_assert_uint_eq(info_against(reasons, WAY_VFIO), 0);
	ck_assert_uint_eq(info_against(reasons, WAY_SYSFS), 0);
	ck_assert_uint_eq(info_against(reasons, WAY_MODULE),
			  BIT(VFIO_HAS_IT));
	ck_assert_str_eq(info.kind->chip, chips[_i]);
	ck_assert_uint_eq(info.bars[1].size, info.kind->bar1);
	ck_assert_str_eq(info.group, "7");
	ck_assert(info.registers.read && info.registers.posted);
	ck_assert_uint_gt(info.registers.engines, 2);
}
END_TEST

/* Registers by way of the model: the file has them from there. */
static u64 (*model_read)(struct gpu_bus *bus, enum gpu_region region,
			 u64 offset, unsigned int size);

static u64 only_read(struct gpu_bus *bus, enum gpu_region region, u64 offset,
		     unsigned int size)
{
	ck_assert_int_eq(region, GPU_BAR0);
	return model_read(bus, region, offset, size);
}

/* Whatever else is called is a crash. */
static const struct gpu_bus_ops reader = { .read = only_read };

START_TEST(registers_are_read_and_nothing_else)
{
	struct card_config config = { .chip = _i, .seed = 1 };
	const struct gpu_bus_ops *ops;
	struct info_registers found;
	struct gpu_bus *bus;

	tree_remove(&tree);
	tree_make(&tree, _i);
	gather();
	ck_assert_int_eq(bus_direct_open(&config, &bus), 0);
	bus->ops->write(bus, GPU_CONFIG, NV_XVE_DEV_CTRL, 4, 2);
	ops = bus->ops;
	model_read = ops->read;
	bus->ops = &reader;
	info_registers(bus, &found);
	bus->ops = ops;
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
	gpu_bus_close(bus);

	ck_assert_uint_eq(found.boot_0, info.registers.boot_0);
	ck_assert_uint_eq(found.posted, info.registers.posted);
	ck_assert_uint_eq(found.has_temperature, _i != CARD_M40);
	ck_assert_int_eq(found.temperature, info.registers.temperature);
	ck_assert_uint_eq(found.engines, info.registers.engines);
	ck_assert_mem_eq(found.engine, info.registers.engine,
			 sizeof(found.engine));
}
END_TEST

START_TEST(no_file_is_changed)
{
	u64 config = tree_sum(&tree, DEVICE "/config");
	u64 registers = tree_sum(&tree, DEVICE "/resource0");

	gather();
	ck_assert_uint_eq(tree_sum(&tree, DEVICE "/config"), config);
	ck_assert_uint_eq(tree_sum(&tree, DEVICE "/resource0"), registers);
}
END_TEST

/* Reasons ------------------------------------------------------------------ */

static void config_word(u64 offset, u32 word, size_t len)
{
	tree_patch(&tree, DEVICE "/config", offset, &word, len);
}

static void register_word(u64 offset, u32 word)
{
	tree_patch(&tree, DEVICE "/resource0", offset, &word, 4);
}

static void no_answer(void)
{
	config_word(0, 0xffffffff, 4);
}

static void no_register_answers(void)
{
	register_word(NV_PMC_BOOT_0, 0xffffffff);
}

static void not_nvidia(void)
{
	config_word(0, 0x8086, 2);
}

static void unknown_device(void)
{
	config_word(2, 0x1db4, 2);		/* a V100 */
}

static void unknown_chip(void)
{
	register_word(NV_PMC_BOOT_0, 0x140000a1);
}

static void not_root(void)
{
	tree_cut(&tree, DEVICE "/config", 64);
}

/* As a machine shows BARs that found no place below 4 GiB. */
static void bar_unassigned(void)
{
	tree_file(&tree, DEVICE "/resource",
		  "0x00000000fd000000 0x00000000fdffffff 0x0000000000040200\n"
		  "0x0000000000000000 0x00000003ffffffff 0x000000002014220c\n"
		  "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
		  "0x00000000fa000000 0x00000000fbffffff 0x000000000014220c\n"
		  "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
		  "0x0000000000000000 0x0000000000000000 0x0000000000000000\n");
}

static void asleep(void)
{
	tree_file(&tree, DEVICE "/power_state", "D3hot\n");
}

static void decode_off(void)
{
	config_word(NV_XVE_DEV_CTRL, 0, 2);
}

static void not_posted(void)
{
	register_word(NV_PTOP_SCRATCH1, 0);
}

static void other_driver(void)
{
	tree_link(&tree, DEVICE "/driver", "../drivers/nouveau");
}

static void the_module(void)
{
	tree_link(&tree, DEVICE "/driver", "../drivers/tesla");
}

static void no_driver(void)
{
	tree_delete(&tree, DEVICE "/driver");
}

static void no_iommu(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/class/iommu/dmar0", tree.root);
	ck_assert_int_eq(remove(path), 0);
	tree_delete(&tree, DEVICE "/iommu_group");
}

static void no_group(void)
{
	tree_delete(&tree, DEVICE "/iommu_group");
}

static void group_shared(void)
{
	tree_link(&tree, "kernel/iommu_groups/7/devices/" OTHER, "x");
	tree_link(&tree, "bus/pci/devices/" OTHER "/driver",
		  "../drivers/snd_hda_intel");
}

static void nothing(void)
{
}

static const struct fixture {
	void (*make)(void);
	u32 reasons;		/* that must hold		*/
	u32 stands_in;		/* a bit for each way		*/
	bool alone;		/* and no other may		*/
} fixtures[] = {
	{ nothing, BIT(VFIO_HAS_IT) | BIT(RESET_AT_CLOSE),
	  BIT(WAY_MODULE), true },
	{ no_answer, BIT(NO_ANSWER), 7, true },
	{ no_register_answers, BIT(NO_ANSWER), 7, false },
	{ not_nvidia, BIT(NOT_NVIDIA), 7, true },
	{ unknown_device, BIT(UNKNOWN_CHIP), 7, true },
	{ unknown_chip, BIT(UNKNOWN_CHIP), 7, false },
	{ not_root, BIT(NOT_ROOT), 7, false },
	{ bar_unassigned, BIT(BAR_UNASSIGNED), 7, false },
	{ asleep, BIT(ASLEEP), BIT(WAY_MODULE) | BIT(WAY_SYSFS), false },
	{ decode_off, BIT(DECODE_OFF), BIT(WAY_MODULE) | BIT(WAY_SYSFS),
	  false },
	{ not_posted, BIT(NOT_POSTED), 7, false },
	{ other_driver, BIT(OTHER_DRIVER), 7, true },
	{ the_module, BIT(MODULE_HAS_IT), BIT(WAY_VFIO) | BIT(WAY_SYSFS),
	  true },
	{ no_driver, BIT(NOT_BOUND), BIT(WAY_VFIO), true },
	{ no_iommu, BIT(NO_IOMMU), BIT(WAY_MODULE) | BIT(WAY_VFIO), false },
	{ no_group, BIT(NO_GROUP), BIT(WAY_MODULE) | BIT(WAY_VFIO), false },
	{ group_shared, BIT(GROUP_SHARED), BIT(WAY_MODULE) | BIT(WAY_VFIO),
	  false },
};

START_TEST(each_reason_is_found_where_it_holds)
{
	const struct fixture *fixture = &fixtures[_i];
	u32 reasons;

	fixture->make();
	reasons = gather();
	ck_assert_uint_eq(reasons & fixture->reasons, fixture->reasons);
	if (fixture->alone)
		ck_assert_uint_eq(reasons, fixture->reasons);
	for (int way = 0; way < WAYS; way++)
		ck_assert_uint_eq(!!info_against(reasons, way),
				  fixture->stands_in >> way & 1);
}
END_TEST

/* Of each but those that a fixture cannot show. */
START_TEST(every_reason_has_a_fixture)
{
	u32 all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++)
		all |= fixtures[i].reasons;
	ck_assert_uint_eq(all | BIT(REGISTERS_KEPT), BIT(REASONS) - 1);
}
END_TEST

/* What mmap() says of a BAR that a driver has claimed no file can say. */
START_TEST(registers_that_the_kernel_keeps_are_a_reason)
{
	gather();
	info.registers = (struct info_registers){ .error = -EBUSY };
	ck_assert_uint_ne(info_reasons(&info) & BIT(REGISTERS_KEPT), 0);
	ck_assert_uint_ne(info_against(BIT(REGISTERS_KEPT), WAY_SYSFS), 0);
	ck_assert_uint_eq(info_against(BIT(REGISTERS_KEPT), WAY_VFIO), 0);
}
END_TEST

START_TEST(a_card_that_is_off_is_not_read)
{
	static void (*const offs[])(void) = {
		asleep, decode_off, bar_unassigned, not_nvidia,
		unknown_device, no_answer,
	};

	offs[_i]();
	gather();
	ck_assert(!info.registers.read);
}
END_TEST

/* Text --------------------------------------------------------------------- */

static char *printed(void)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	info_print(&info, to);
	fclose(to);
	return text;
}

START_TEST(what_is_printed_says_what_was_found)
{
	static const char *const lines[] = {
		"0000:01:00.0  Tesla P100 (GP100) 10de:15f8",
		"BAR1     16 GiB at 0x380000000000, 64-bit",
		"cap 068  MSI", "cap 420  advanced error reporting",
		"link     8 GT/s, 16 lanes", "driver   vfio-pci", "group    7",
		"state    D0, memory decoding on", "POST     done",
		"degrees Celsius", "engine   copy 0", "runlist", "vfio     yes",
		"module   no", "vfio-pci has it", "unbind it", "mind     ",
	};
	char *text;

	gather();
	text = printed();
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		ck_assert_msg(strstr(text, lines[i]), "no '%s' in:\n%s",
			      lines[i], text);
	free(text);
}
END_TEST

START_TEST(every_fixture_can_be_printed)
{
	char *text;

	fixtures[_i].make();
	gather();
	text = printed();
	for (u32 i = 0; i < REASONS; i++) {
		if (info_reasons(&info) & BIT(i))
			ck_assert_ptr_nonnull(strstr(text,
						     info_reason_text(i)));
	}
	free(text);
}
END_TEST

START_TEST(an_empty_folder_is_no_crash)
{
	static const char *const files[] = {
		"config", "resource", "driver", "iommu_group", "power_state",
		"reset_method", "vendor", "class",
	};
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), DEVICE "/%s", files[i]);
		tree_delete(&tree, path);
	}
	ck_assert_uint_eq(gather(), BIT(NO_ANSWER));
	free(printed());
	ck_assert_int_eq(info_gather(tree.root, "0000:09:00.0", &info),
			 -ENODEV);
	ck_assert_int_eq(info_gather(tree.root, "x", &info), -EINVAL);
}
END_TEST

/* Any bytes for configuration space: bounded, whatever the lists say. */
START_TEST(lists_of_capabilities_end)
{
	struct pci_cap caps[64];
	u64 random = _i;

	for (int round = 0; round < 200; round++) {
		for (size_t i = 0; i < sizeof(info.config.bytes); i++) {
			random = random * 6364136223846793005ULL + 99;
			info.config.bytes[i] = random >> 56;
		}
		info.config.size = random >> 40 & 4095;
		ck_assert_uint_le(pci_config_caps(&info.config, caps, 64),
				  64);
		ck_assert_uint_le(pci_config_cap(&info.config, 5), 0xfc);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tesla-info");
	TCase *tcase = tcase_create("tesla-info");
	SRunner *runner = srunner_create(suite);
	int failed, n = (int)ARRAY_SIZE(fixtures);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_card_that_vfio_has_is_ready, 0, 3);
	tcase_add_loop_test(tcase, registers_are_read_and_nothing_else, 0, 3);
	tcase_add_test(tcase, no_file_is_changed);
	tcase_add_loop_test(tcase, each_reason_is_found_where_it_holds, 0, n);
	tcase_add_test(tcase, every_reason_has_a_fixture);
	tcase_add_test(tcase, registers_that_the_kernel_keeps_are_a_reason);
	tcase_add_loop_test(tcase, a_card_that_is_off_is_not_read, 0, 6);
	tcase_add_test(tcase, what_is_printed_says_what_was_found);
	tcase_add_loop_test(tcase, every_fixture_can_be_printed, 0, n);
	tcase_add_test(tcase, an_empty_folder_is_no_crash);
	tcase_add_loop_test(tcase, lists_of_capabilities_end, 0, 4);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
