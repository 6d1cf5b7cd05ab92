/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Interrupts: MSI as an edge, INTx as a level, and who hears of them. */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "vm/server/test_client.h"
#include "vm/spec/reg.h"

#define TRIGGER	(VU_IRQ_EVENTFD | VU_IRQ_TRIGGER)
#define LONG	20000		/* ns: any interrupt has arrived	*/
#define SW	0x80000000u	/* NV_PMC_INTR's bit of INTR_SW		*/

static int event;

static void setup(void)
{
	client_setup();
	client_greet();
	event = eventfd(0, EFD_NONBLOCK);
	ck_assert_int_eq(client_write(REGION_CONFIG, NV_XVE_DEV_CTRL, 2, 6),
			 0);
	ck_assert_int_eq(client_write(0, NV_PMC_INTR_EN_SET, 4, SW), 0);
}

static void teardown(void)
{
	close(event);
	client_teardown();
}

static void raise_irq(bool level)
{
	client_post(0, NV_PMC_INTR_SW, 4, level);
	client_serve();
	client_wait(LONG);
}

static void rearm(void)
{
	client_post(0, 0x88704, 4, 0);
	client_serve();
	client_wait(LONG);
}

static void msi_on(bool on)
{
	ck_assert_int_eq(client_write(REGION_CONFIG, NV_XVE_MSI_CTRL + 2, 2,
				      0x80 | on), 0);
}

START_TEST(a_message_is_one_event)
{
	msi_on(true);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, event), 0);
	ck_assert_uint_eq(client_events(event), 0);
	raise_irq(true);
	ck_assert_uint_eq(client_events(event), 1);
	rearm();	/* it is still there */
	ck_assert_uint_eq(client_events(event), 1);
	raise_irq(false);
	rearm();
	ck_assert_uint_eq(client_events(event), 0);
	raise_irq(true);
	ck_assert_uint_eq(client_events(event), 1);
}
END_TEST

START_TEST(a_message_before_anybody_listens_is_kept)
{
	msi_on(true);
	raise_irq(true);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, event), 0);
	ck_assert_uint_eq(client_events(event), 1);
	/* QEMU takes the vector away and sets it up anew */
	ck_assert_int_eq(client_irqs(IRQ_MSI, VU_IRQ_NONE | VU_IRQ_TRIGGER, 0,
				     -1), 0);
	rearm();
	ck_assert_uint_eq(client_events(event), 0);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, event), 0);
	ck_assert_uint_eq(client_events(event), 1);
}
END_TEST

START_TEST(a_message_is_not_taken_for_intx)
{
	int intx = eventfd(0, EFD_NONBLOCK);

	ck_assert_int_eq(client_irqs(IRQ_INTX, TRIGGER, 1, intx), 0);
	msi_on(true);
	raise_irq(true);
	ck_assert_uint_eq(client_events(intx), 0);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, event), 0);
	ck_assert_uint_eq(client_events(event), 1);
	close(intx);
}
END_TEST

START_TEST(msi_is_turned_on_by_the_mirror_too)
{
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, event), 0);
	client_post(0, 0x88000 + NV_XVE_MSI_CTRL, 4, 0x00810000);
	client_serve();
	raise_irq(true);
	ck_assert_uint_eq(client_events(event), 1);
}
END_TEST

START_TEST(intx_is_told_once_until_it_is_unmasked)
{
	ck_assert_int_eq(client_irqs(IRQ_INTX, TRIGGER, 1, event), 0);
	raise_irq(true);
	ck_assert_uint_eq(client_events(event), 1);
	raise_irq(false);
	raise_irq(true);
	ck_assert_uint_eq(client_events(event), 0);
	ck_assert_int_eq(client_irqs(IRQ_INTX, VU_IRQ_NONE | VU_IRQ_UNMASK, 1,
				     -1), 0);
	ck_assert_uint_eq(client_events(event), 1);
	raise_irq(false);
	ck_assert_int_eq(client_irqs(IRQ_INTX, VU_IRQ_NONE | VU_IRQ_UNMASK, 1,
				     -1), 0);
	ck_assert_uint_eq(client_events(event), 0);
	raise_irq(true);
	ck_assert_uint_eq(client_events(event), 1);
}
END_TEST

START_TEST(intx_waits_for_whoever_listens)
{
	raise_irq(true);
	ck_assert_int_eq(client_irqs(IRQ_INTX, TRIGGER, 1, event), 0);
	ck_assert_uint_eq(client_events(event), 1);
}
END_TEST

START_TEST(intx_can_be_masked_by_the_client)
{
	ck_assert_int_eq(client_irqs(IRQ_INTX, TRIGGER, 1, event), 0);
	ck_assert_int_eq(client_irqs(IRQ_INTX, VU_IRQ_NONE | VU_IRQ_MASK, 1,
				     -1), 0);
	raise_irq(true);
	ck_assert_uint_eq(client_events(event), 0);
	ck_assert_int_eq(client_irqs(IRQ_INTX, VU_IRQ_NONE | VU_IRQ_UNMASK, 1,
				     -1), 0);
	ck_assert_uint_eq(client_events(event), 1);
}
END_TEST

START_TEST(intx_is_unmasked_by_an_event)
{
	int unmask = eventfd(0, EFD_NONBLOCK);
	uint64_t one = 1;

	ck_assert_int_eq(client_irqs(IRQ_INTX, TRIGGER, 1, event), 0);
	ck_assert_int_eq(client_irqs(IRQ_INTX, VU_IRQ_EVENTFD | VU_IRQ_UNMASK,
				     1, unmask), 0);
	raise_irq(true);
	ck_assert_uint_eq(client_events(event), 1);
	irq_unmask_event(&client.server.irq);
	ck_assert_uint_eq(client_events(event), 0);
	ck_assert_int_eq(write(unmask, &one, sizeof(one)), sizeof(one));
	irq_unmask_event(&client.server.irq);
	ck_assert_uint_eq(client_events(event), 1);
	close(unmask);
}
END_TEST

START_TEST(a_client_may_pull_the_trigger_itself)
{
	uint8_t body[21] = { 21, 0, 0, 0, VU_IRQ_BOOL | VU_IRQ_TRIGGER };

	ck_assert_int_eq(client_irqs(IRQ_MSI, VU_IRQ_NONE | VU_IRQ_TRIGGER, 1,
				     -1), 0);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, event), 0);
	ck_assert_int_eq(client_irqs(IRQ_MSI, VU_IRQ_NONE | VU_IRQ_TRIGGER, 1,
				     -1), 0);
	ck_assert_uint_eq(client_events(event), 1);
	body[8] = IRQ_MSI;
	body[16] = 1;
	ck_assert_int_eq(client_ask(VU_SET_IRQS, body, 21, NULL, 0), 0);
	ck_assert_uint_eq(client_events(event), 0);
	body[20] = 1;
	ck_assert_int_eq(client_ask(VU_SET_IRQS, body, 21, NULL, 0), 0);
	ck_assert_uint_eq(client_events(event), 1);
}
END_TEST

START_TEST(an_eventfd_is_replaced_and_taken_away)
{
	int second = eventfd(0, EFD_NONBLOCK);

	msi_on(true);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, event), 0);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, second), 0);
	raise_irq(true);
	ck_assert_uint_eq(client_events(event), 0);
	ck_assert_uint_eq(client_events(second), 1);
	/* a count without a descriptor takes it away */
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, -1), 0);
	ck_assert_int_eq(client.server.irq.fd[IRQ_MSI], -1);
	close(second);
}
END_TEST

START_TEST(a_reset_takes_back_what_was_pending)
{
	msi_on(true);
	raise_irq(true);
	ck_assert_int_eq(client_ask(VU_DEVICE_RESET, NULL, 0, NULL, 0), 0);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, event), 0);
	client_wait(LONG);
	ck_assert_uint_eq(client_events(event), 0);
}
END_TEST

START_TEST(a_setting_that_makes_no_sense_is_refused)
{
	static const struct {
		uint32_t index, flags, count;
	} rows[] = {
		{ IRQ_MSI, 0, 1 }, { IRQ_MSI, VU_IRQ_NONE, 1 },
		{ IRQ_MSI, VU_IRQ_TRIGGER, 1 },
		{ IRQ_MSI, VU_IRQ_NONE | VU_IRQ_EVENTFD | VU_IRQ_TRIGGER, 1 },
		{ IRQ_MSI, VU_IRQ_NONE | VU_IRQ_TRIGGER | VU_IRQ_MASK, 1 },
		{ IRQ_MSI, VU_IRQ_NONE | VU_IRQ_TRIGGER | 64, 1 },
		{ IRQ_MSI, VU_IRQ_NONE | VU_IRQ_MASK, 1 },
		{ IRQ_MSI, VU_IRQ_NONE | VU_IRQ_UNMASK, 1 },
		{ IRQ_MSI, VU_IRQ_NONE | VU_IRQ_TRIGGER, 2 },
		{ IRQ_MSI, VU_IRQ_NONE | VU_IRQ_TRIGGER, ~0u },
		{ IRQ_MSI, TRIGGER, 0 }, { IRQ_MSIX, TRIGGER, 1 },
		{ IRQ_REQUEST, TRIGGER, 1 },
		{ 5, VU_IRQ_NONE | VU_IRQ_TRIGGER, 0 },
		{ ~0u, VU_IRQ_NONE | VU_IRQ_TRIGGER, 0 },
		{ IRQ_INTX, VU_IRQ_EVENTFD | VU_IRQ_MASK, 1 },
		{ IRQ_INTX, VU_IRQ_NONE | VU_IRQ_UNMASK, 0 },
	};
	uint8_t body[20] = { 20 };

	ck_assert_int_eq(client_irqs(rows[_i].index, rows[_i].flags,
				     rows[_i].count, -1), -EINVAL);
	vu_put32(body + 4, VU_IRQ_NONE | VU_IRQ_TRIGGER);
	vu_put32(body + 8, IRQ_MSI);
	vu_put32(body + 12, ~0u);
	vu_put32(body + 16, 2);
	ck_assert_int_eq(client_ask(VU_SET_IRQS, body, 20, NULL, 0), -EINVAL);
}
END_TEST

START_TEST(what_is_no_eventfd_is_refused)
{
	int pipes[2], zero = open("/dev/zero", O_RDWR), before;

	ck_assert_int_eq(pipe(pipes), 0);
	before = dup(zero);
	close(before);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, pipes[1]), -EINVAL);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, zero), -EINVAL);
	ck_assert_int_eq(client_irqs(IRQ_INTX, VU_IRQ_EVENTFD | VU_IRQ_UNMASK,
				     1, client.fd), -EINVAL);
	ck_assert_int_eq(client.server.irq.fd[IRQ_MSI], -1);
	ck_assert_int_eq(client.server.irq.unmask_fd, -1);
	/* and none of them was kept */
	ck_assert_int_eq(dup(zero), before);
}
END_TEST

START_TEST(a_full_eventfd_stops_nobody)
{
	int blocking = eventfd(0, 0);
	uint64_t full = ~0ull - 1;

	ck_assert_int_eq(write(blocking, &full, sizeof(full)), 8);
	msi_on(true);
	ck_assert_int_eq(client_irqs(IRQ_MSI, TRIGGER, 1, blocking), 0);
	raise_irq(true);
	ck_assert_uint_eq(client_events(blocking), full);
	close(blocking);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("irq");
	TCase *t = tcase_create("irq");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_message_is_one_event);
	tcase_add_test(t, a_message_before_anybody_listens_is_kept);
	tcase_add_test(t, a_message_is_not_taken_for_intx);
	tcase_add_test(t, msi_is_turned_on_by_the_mirror_too);
	tcase_add_test(t, intx_is_told_once_until_it_is_unmasked);
	tcase_add_test(t, intx_waits_for_whoever_listens);
	tcase_add_test(t, intx_can_be_masked_by_the_client);
	tcase_add_test(t, intx_is_unmasked_by_an_event);
	tcase_add_test(t, a_client_may_pull_the_trigger_itself);
	tcase_add_test(t, an_eventfd_is_replaced_and_taken_away);
	tcase_add_test(t, a_reset_takes_back_what_was_pending);
	tcase_add_loop_test(t, a_setting_that_makes_no_sense_is_refused, 0,
			    17);
	tcase_add_test(t, what_is_no_eventfd_is_refused);
	tcase_add_test(t, a_full_eventfd_stops_nobody);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
