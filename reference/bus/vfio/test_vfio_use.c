/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* bus/vfio against a vfio that is not there: a card that is open. */
#include <check.h>
#include <stdlib.h>
#include <unistd.h>

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

START_TEST(bars_are_memory_and_configuration_is_not)
{
	char *bar0, *bar1;
	u32 id;

	up();
	bar0 = bus->bar[GPU_BAR0];
	bar1 = bus->bar[GPU_BAR1];
	ck_assert_uint_eq(readl(bar0), fake_register(NV_PMC_BOOT_0));
	writel(0x12345678, bar0 + 0x1700);
	ck_assert_uint_eq(fake_register(0x1700), 0x12345678);
	ck_assert_uint_eq(*(volatile u32 *)(bar0 + 0x1700), 0x12345678);
	/* Both ends of BAR1, and where two pieces meet. */
	for (u64 at = 0; at < 16 * G; at += at ? at : 1 << 20) {
		writeq(at + 1, bar1 + at);
		writeq(at + 2, bar1 + 16 * G - 8 - at);
	}
	for (u64 at = 0; at < 8 * G; at += at ? at : 1 << 20) {
		ck_assert_uint_eq(readq(bar1 + at), at + 1);
		ck_assert_uint_eq(bus->ops->read(bus, GPU_BAR1, at, 8),
				  at + 1);
	}
	id = readl(bus->bar[GPU_CONFIG]);
	ck_assert_uint_eq(id, fake_config(0));
	/* Beyond the ends is nobody. */
	ck_assert_uint_eq(bus->ops->read(bus, GPU_BAR0, 16 << 20, 4), ~0ULL);
	ck_assert_uint_eq(bus->ops->read(bus, GPU_CONFIG, 4096, 4), ~0ULL);
	bus->ops->write(bus, GPU_BAR0, (16 << 20) - 2, 4, 0);
	down();
}
END_TEST

START_TEST(requests_do_not_pass_the_caches_by)
{
	u32 bit = REG_FIELD_MASK(
		NV_XVE_DEVICE_CONTROL_STATUS_ENABLE_NO_SNOOP);

	ck_assert_uint_ne(fake_config(NV_XVE_DEVICE_CONTROL_STATUS) & bit, 0);
	up();
	ck_assert_uint_eq(fake_config(NV_XVE_DEVICE_CONTROL_STATUS) & bit, 0);
	down();
}
END_TEST

/* DMA ---------------------------------------------------------------------- */

START_TEST(memory_for_dma_is_where_card_and_iommu_reach)
{
	void *cpu[20];
	u64 dma[20];

	fake_down();
	fake_up(_i);
	/* An IOMMU that reaches further than the M40 does. */
	fake.last = (1ULL << 48) - 1;
	up();
	for (int i = 0; i < 20; i++) {
		ck_assert_int_eq(bus->ops->dma_alloc(bus, 1 + i * 1000, i & 1,
						     &cpu[i], &dma[i]), 0);
		ck_assert_uint_ge(dma[i], 4 * G);
		ck_assert_uint_lt(dma[i], 1ULL << (_i == CARD_M40 ? 40 : 47));
		ck_assert_uint_eq((uintptr_t)cpu[i] % 4096, 0);
		for (int j = 0; j < 1000; j++)
			ck_assert_uint_eq(((u8 *)cpu[i])[j], 0);
		memset(cpu[i], i, 1 + i * 1000);
	}
	ck_assert_uint_eq(fake.maps, 20);
	/* Not what was allocated: stays. */
	bus->ops->dma_free(bus, 1, cpu[0], dma[0] + 4096);
	bus->ops->dma_free(bus, 5000, cpu[0], dma[0]);
	ck_assert_uint_eq(fake.maps, 20);
	for (int i = 19; i >= 0; i--)
		bus->ops->dma_free(bus, 1 + i * 1000, cpu[i], dma[i]);
	ck_assert_uint_eq(fake.maps, 0);
	down();
}
END_TEST

START_TEST(what_was_not_freed_is_unmapped_at_the_end)
{
	void *cpu;
	u64 dma;

	up();
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(bus->ops->dma_alloc(bus, 8192, DMA_COHERENT,
						     &cpu, &dma), 0);
	ck_assert_uint_eq(fake.maps, 3);
	down();
}
END_TEST

START_TEST(mappings_run_out)
{
	void *cpu, *last = NULL;
	u64 dma, last_dma = 0;

	fake.avail = 3;
	up();
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(bus->ops->dma_alloc(bus, 4096, DMA_COHERENT,
						     &last, &last_dma), 0);
	ck_assert_int_eq(bus->ops->dma_alloc(bus, 4096, DMA_COHERENT, &cpu,
					     &dma), -ENOMEM);
	bus->ops->dma_free(bus, 4096, last, last_dma);
	ck_assert_int_eq(bus->ops->dma_alloc(bus, 4096, DMA_COHERENT, &cpu,
					     &dma), 0);
	ck_assert_int_eq(bus->ops->dma_alloc(bus, 0, DMA_COHERENT, &cpu,
					     &dma), -ENOMEM);
	ck_assert_int_eq(bus->ops->dma_alloc(bus, SIZE_MAX, DMA_COHERENT,
					     &cpu, &dma), -ENOMEM);
	down();
}
END_TEST

/* Interrupts --------------------------------------------------------------- */

static void message(void)
{
	u64 one = 1;

	ck_assert_int_ge(fake.irq, 0);
	ck_assert_int_eq(write(fake.irq, &one, sizeof(one)), sizeof(one));
}

static unsigned int handled;

static irqreturn_t handler(int irq, void *dev)
{
	(void)irq;
	(void)dev;
	__atomic_add_fetch(&handled, 1, __ATOMIC_SEQ_CST);
	return IRQ_HANDLED;
}

static void handled_until(unsigned int count)
{
	for (int i = 0; i < 5000; i++) {
		if (__atomic_load_n(&handled, __ATOMIC_SEQ_CST) >= count)
			return;
		usleep(1000);
	}
	ck_abort_msg("the handler has not run");
}

START_TEST(a_message_runs_the_handler)
{
	u32 msi = fake_config(NV_XVE_MSI_CTRL);
	int irq;

	up();
	irq = gpu_bus_irq(bus);
	ck_assert_int_gt(irq, 0);
	ck_assert_int_ge(fake.irq, 0);
	ck_assert_int_eq(request_irq(irq, handler, 0, "test", NULL), 0);
	for (unsigned int i = 1; i <= 5; i++) {
		message();
		handled_until(i);
	}
	free_irq(irq, NULL);
	gpu_bus_irq_release(bus);
	ck_assert_int_eq(fake.irq, -1);
	/* The kernel's bit is the kernel's. */
	ck_assert_uint_eq(fake_config(NV_XVE_MSI_CTRL), msi);
	down();
}
END_TEST

START_TEST(messages_that_nobody_waits_for_are_one_and_kept)
{
	up();
	ck_assert_int_gt(gpu_bus_irq(bus), 0);
	message();
	message();
	ck_assert_int_eq(bus->ops->irq_wait(bus), 0);
	bus->ops->irq_stop(bus);
	ck_assert_int_eq(bus->ops->irq_wait(bus), -EINTR);
	message();
	ck_assert_int_eq(bus->ops->irq_wait(bus), 0);
	gpu_bus_irq_release(bus);
	down();
}
END_TEST

START_TEST(without_msi_there_is_no_interrupt)
{
	fake.msi = false;
	up();
	bus->ops->write(bus, GPU_CONFIG, NV_XVE_MSI_CTRL + 2, 2, 0x81);
	ck_assert_int_eq(fake.irq, -1);
	down();
}
END_TEST

static irqreturn_t lost_handler(int irq, void *dev)
{
	ck_assert_uint_eq(readl(bus->bar[GPU_BAR0]), 0xffffffff);
	return handler(irq, dev);
}

START_TEST(a_card_that_the_kernel_wants_back_is_lost)
{
	char *bar1;
	u64 one = 1;
	int irq;

	up();
	bar1 = bus->bar[GPU_BAR1];
	irq = gpu_bus_irq(bus);
	ck_assert_int_eq(request_irq(irq, lost_handler, 0, "test", NULL), 0);
	writel(1, bar1);
	ck_assert_int_ge(fake.request, 0);
	/* It asks more than once. */
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(write(fake.request, &one, sizeof(one)),
				 sizeof(one));
	handled_until(1);
	ck_assert_uint_eq(readl(bar1), 0xffffffff);
	ck_assert_uint_eq(readq(bar1 + 9 * G), ~0ULL);
	writel(1, bar1 + G);
	ck_assert_uint_eq(readl(bus->bar[GPU_CONFIG]), 0xffffffff);
	ck_assert_int_eq(gpu_bus_irq(bus), -ENODEV);
	free_irq(irq, NULL);
	gpu_bus_irq_release(bus);
	fake_config_set(NV_XVE_DEV_CTRL, 0x00100002);
	down();
}
END_TEST

START_TEST(quiet_is_quiet)
{
	u32 pfifo = REG_FIELD_MASK(NV_PMC_ENABLE_PFIFO);
	u32 enable = fake_register(NV_PMC_ENABLE);

	ck_assert_uint_ne(enable & pfifo, 0);
	up();
	ck_assert_int_gt(gpu_bus_irq(bus), 0);
	bus->ops->write(bus, GPU_CONFIG, NV_XVE_DEV_CTRL, 4, 6);
	ck_assert_uint_ne(fake_config(NV_XVE_DEV_CTRL) & BUS_MASTER, 0);
	bus_vfio_quiet(bus);
	ck_assert_uint_eq(fake_config(NV_XVE_DEV_CTRL) & BUS_MASTER, 0);
	ck_assert_uint_eq(fake_register(NV_PMC_ENABLE), enable & ~pfifo);
	ck_assert_int_eq(fake.irq, -1);
	gpu_bus_irq_release(bus);
	fake_config_set(NV_XVE_DEV_CTRL, 0x00100002);
	down();
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("vfio in use");
	TCase *tcase = tcase_create("vfio in use");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, bars_are_memory_and_configuration_is_not);
	tcase_add_test(tcase, requests_do_not_pass_the_caches_by);
	tcase_add_loop_test(tcase,
			    memory_for_dma_is_where_card_and_iommu_reach, 0,
			    3);
	tcase_add_test(tcase, what_was_not_freed_is_unmapped_at_the_end);
	tcase_add_test(tcase, mappings_run_out);
	tcase_add_test(tcase, a_message_runs_the_handler);
	tcase_add_test(tcase,
		       messages_that_nobody_waits_for_are_one_and_kept);
	tcase_add_test(tcase, without_msi_there_is_no_interrupt);
	tcase_add_test(tcase, a_card_that_the_kernel_wants_back_is_lost);
	tcase_add_test(tcase, quiet_is_quiet);
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
