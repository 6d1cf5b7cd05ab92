/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* bus/vfio against a vfio that is not there: how it opens, what it refuses,
 * and that it leaves nothing behind. */
#include <check.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "test_fake.h"
#include "vm/spec/reg.h"

#define BUS_MASTER	4u
#define G		(1ULL << 30)

static struct gpu_bus *bus;

static void setup(void)
{
	setenv("PORT_LOG", "quiet", 1);
	fake_up(CARD_P100);
}

static void teardown(void)
{
	fake_down();
}

static void chip(enum card_chip other)
{
	fake_down();
	fake_up(other);
}

static void up(void)
{
	ck_assert_int_eq(fake_open(&bus), 0);
}

static void down(void)
{
	gpu_bus_close(bus);
	ck_assert_uint_eq(fake_config(NV_XVE_DEV_CTRL) & BUS_MASTER, 0);
	fake_check_nothing_left();
}

static void text_of(const char *file, char text[64])
{
	struct pci_device pci;

	ck_assert_int_eq(pci_device_find(fake.tree.root, CARD, &pci), 0);
	ck_assert_int_eq(pci_device_text(&pci, file, text, 64), 0);
}

/* Opening ------------------------------------------------------------------ */

START_TEST(a_card_is_opened_and_closed)
{
	chip(_i);
	up();
	ck_assert_str_eq(bus->name, "vfio:" CARD);
	ck_assert_uint_eq(bus->bar_size[GPU_BAR1], (_i == CARD_P40 ? 32 : 16) *
			  G);
	/* Found mastering the bus, and then not. */
	ck_assert_uint_eq(fake_config(NV_XVE_DEV_CTRL) & BUS_MASTER, 0);
	ck_assert_int_eq(fake.irq, -1);
	down();
}
END_TEST

/* Resets ------------------------------------------------------------------- */

START_TEST(opening_does_not_reset)
{
	char after[64];

	up();
	/* When the device was opened there was no method; now there is. */
	ck_assert_str_eq(fake.reset_method, "");
	text_of("reset_method", after);
	ck_assert_str_eq(after, "bus");
	down();
}
END_TEST

static int open_unwanted(void)
{
	struct vfio_config config = {
		.address = CARD, .sysfs = fake.tree.root, .dev = "/nowhere",
		.os = &fake_os,
	};

	return bus_vfio_open(&config, &bus);
}

START_TEST(a_reset_at_the_closing_must_be_wanted)
{
	ck_assert_int_eq(open_unwanted(), -EPERM);
	ck_assert_uint_eq(fake.calls, 0);
	fake_check_nothing_left();
	/* Without a bridge above there is none. */
	tree_move(&fake.tree, "devices/pci0000:00/0000:00:01.0/" CARD,
		  "devices/pci0000:00/" CARD);
	tree_link(&fake.tree, DEVICE, "../../../devices/pci0000:00/" CARD);
	ck_assert_int_eq(open_unwanted(), 0);
	ck_assert_str_eq(fake.reset_method, "");
	down();
}
END_TEST

START_TEST(a_reset_that_cannot_be_forbidden_is_a_refusal)
{
	/* A kernel without reset_method, and a way to reset. */
	tree_delete(&fake.tree, DEVICE "/reset_method");
	tree_file(&fake.tree, DEVICE "/reset", "");
	ck_assert_int_eq(fake_open(&bus), -EPERM);
	ck_assert_uint_eq(fake.calls, 0);
	/* … and none. */
	tree_delete(&fake.tree, DEVICE "/reset");
	up();
	down();
}
END_TEST

/* Refusals ----------------------------------------------------------------- */

static void no_group(void)
{
	tree_delete(&fake.tree, DEVICE "/iommu_group");
}

static void other_driver(void)
{
	tree_link(&fake.tree, DEVICE "/driver", "../drivers/nouveau");
}

static void no_driver(void)
{
	tree_delete(&fake.tree, DEVICE "/driver");
}

static void no_vfio(void)
{
	fake.container_error = -ENOENT;
}

static void not_root(void)
{
	fake.group_error = -EACCES;
}

static void in_use(void)
{
	fake.group_error = -EBUSY;
}

static void not_viable(void)
{
	fake.viable = false;
}

static void other_version(void)
{
	fake.api = 1;
}

static void no_iommu_type(void)
{
	fake.extension = 0;
}

static void not_mappable(void)
{
	fake.mappable = false;
}

static void no_bar1(void)
{
	fake.bar1 = 0;
}

static void not_posted(void)
{
	fake_register_set(NV_PTOP_SCRATCH1, 0);
}

static void scratch_lost(void)
{
	fake_register_set(NV_PTOP_SCRATCH1, 0xbadf1000);
}

static void other_chip(void)
{
	fake_register_set(NV_PMC_BOOT_0, 0x140000a1);
}

static void not_nvidia(void)
{
	fake_config_set(NV_XVE_ID, 0x15f88086);
}

static void lost(void)
{
	fake_register_set(NV_PMC_BOOT_0, 0xffffffff);
	fake_config_set(NV_XVE_ID, 0xffffffff);
}

static void no_addresses(void)
{
	fake.last = 4095;
}

static const struct refusal {
	void (*make)(void);
	int error;
} refusals[] = {
	{ no_group, -ENXIO }, { other_driver, -EBUSY }, { no_driver, -EBUSY },
	{ no_vfio, -ENOENT }, { not_root, -EACCES }, { in_use, -EBUSY },
	{ not_viable, -EPERM }, { other_version, -EOPNOTSUPP },
	{ no_iommu_type, -EOPNOTSUPP }, { not_mappable, -EOPNOTSUPP },
	{ no_bar1, -ENODEV }, { not_posted, -ENXIO },
	{ scratch_lost, -ENODEV }, { other_chip, -ENODEV },
	{ not_nvidia, -ENODEV }, { lost, -ENODEV }, { no_addresses, -ENOSPC },
};

START_TEST(what_cannot_be_driven_is_refused)
{
	u32 enable;

	refusals[_i].make();
	enable = fake_register(NV_PMC_ENABLE);
	ck_assert_int_eq(fake_open(&bus), refusals[_i].error);
	/* No register was written. */
	ck_assert_uint_eq(fake_register(NV_PMC_ENABLE), enable);
}
END_TEST

START_TEST(a_card_that_does_not_answer_is_not_opened)
{
	const u32 ones = 0xffffffff;

	tree_patch(&fake.tree, DEVICE "/config", 0, &ones, 4);
	ck_assert_int_eq(fake_open(&bus), -ENODEV);
	ck_assert_uint_eq(fake.calls, 0);
}
END_TEST

START_TEST(what_is_not_there_is_refused)
{
	static const struct {
		const char *address;
		int error;
	} wrong[] = {
		{ "0000:09:00.0", -ENODEV }, { "", -EINVAL },
		{ "0000:01:00.8", -EINVAL }, { "0000:01:20.0", -EINVAL },
		{ "01:00", -EINVAL }, { "0000:01:00.0 ", -EINVAL },
		{ "-1:00.0", -EINVAL }, { "card0", -EINVAL },
	};
	struct vfio_config config = {
		.reset_at_close = true, .sysfs = fake.tree.root,
		.dev = "/nowhere", .os = &fake_os,
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		config.address = wrong[i].address;
		ck_assert_int_eq(bus_vfio_open(&config, &bus),
				 wrong[i].error);
	}
	/* Short forms are as good as the whole one. */
	config.address = "01:00.0";
	ck_assert_int_eq(bus_vfio_open(&config, &bus), 0);
	down();
}
END_TEST

/* Faults ------------------------------------------------------------------- */

static int open_and_use(void)
{
	void *cpu;
	u64 dma;
	int err;

	err = fake_open(&bus);
	if (err)
		return err;
	err = bus->ops->dma_alloc(bus, 4096, DMA_COHERENT, &cpu, &dma);
	if (!err)
		bus->ops->dma_free(bus, 4096, cpu, dma);
	if (gpu_bus_irq(bus) > 0)
		gpu_bus_irq_release(bus);
	gpu_bus_close(bus);
	return err;
}

START_TEST(any_failed_call_leaves_nothing)
{
	unsigned int all;
	char method[64];

	ck_assert_int_eq(open_and_use(), 0);
	all = fake.calls;
	ck_assert_uint_gt(all, 200);		/* BAR1's pieces */
	for (unsigned int i = 1; i <= all; i++) {
		fake.calls = 0;
		fake.fail_at = i;
		open_and_use();
		fake_check_nothing_left();
		text_of("reset_method", method);
		ck_assert_str_eq(method, "bus");
	}
}
END_TEST

START_TEST(any_failed_allocation_leaves_nothing)
{
	int err;

	for (unsigned int i = 1;; i++) {
		port_fail_alloc(i);
		err = open_and_use();
		fake_check_nothing_left();
		if (!port_fail_alloc_hit())
			break;
		ck_assert_int_eq(err, -ENOMEM);
	}
	port_fail_alloc(0);
	ck_assert_int_eq(err, 0);
}
END_TEST

/* Keeping ------------------------------------------------------------------ */

START_TEST(a_kept_card_is_not_closed)
{
	struct vfio_config config = {
		.address = CARD, .reset_at_close = true,
		.sysfs = fake.tree.root, .dev = "/nowhere", .os = &fake_os,
	};
	struct gpu_bus *dead = NULL;
	struct vfio_kept kept;
	void *cpu;
	u64 dma;

	ck_assert(!vfio_kept_find(CARD, &kept));
	ck_assert_int_eq(vfio_keep(&config), 0);
	ck_assert_uint_eq(fake.fds, 3);
	ck_assert(vfio_kept_find("1:0.0", &kept));
	ck_assert(!vfio_kept_find("2:0.0", &kept));
	ck_assert_int_eq(kept.container, fake.container);
	ck_assert_int_eq(kept.group, fake.group);
	ck_assert_int_eq(kept.device, fake.device);

	config.kept = &kept;
	config.reset_at_close = false;	/* there is none */
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(bus_vfio_open(&config, &bus), 0);
		/* The first has died, and its mapping is still there. */
		ck_assert_uint_eq(fake.maps, 0);
		ck_assert_int_eq(bus->ops->dma_alloc(bus, 4096, DMA_COHERENT,
						     &cpu, &dma), 0);
		if (i)
			gpu_bus_close(bus);
		else
			dead = bus;
		ck_assert_uint_eq(fake.fds, 3);
		ck_assert_uint_eq(fake.maps, i == 0);
	}
	gpu_bus_close(dead);
	fake_os.close(kept.device);
	fake_os.ioctl(kept.group, VFIO_GROUP_UNSET_CONTAINER, NULL);
	fake_os.close(kept.group);
	fake_os.close(kept.container);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("vfio");
	TCase *tcase = tcase_create("vfio");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_card_is_opened_and_closed, 0, 3);
	tcase_add_test(tcase, opening_does_not_reset);
	tcase_add_test(tcase, a_reset_at_the_closing_must_be_wanted);
	tcase_add_test(tcase, a_reset_that_cannot_be_forbidden_is_a_refusal);
	tcase_add_loop_test(tcase, what_cannot_be_driven_is_refused, 0,
			    ARRAY_SIZE(refusals));
	tcase_add_test(tcase, a_card_that_does_not_answer_is_not_opened);
	tcase_add_test(tcase, what_is_not_there_is_refused);
	tcase_add_test(tcase, any_failed_call_leaves_nothing);
	tcase_add_test(tcase, any_failed_allocation_leaves_nothing);
	tcase_add_test(tcase, a_kept_card_is_not_closed);
	suite_add_tcase(suite, tcase);
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
