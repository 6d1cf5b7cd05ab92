/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The driver's interrupt handler and its events, against the card. */
#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "kmd.h"
#include "reference/kmd/test_fault_bus.h"
#include "reference/umd/test_fence_rig.h"

static struct rig r;
static const struct rig_setup usual = { .chip = CARD_P40, .lines = 2 };

static bool readable(int fd, int ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, ms) == 1;
}

static struct gpu_event_config event_config(struct line *line, u32 value,
					    int fd)
{
	struct gpu_event_config config = {
		.chan = line->queue.chan, .word = line->sem.map, .value = value,
		.eventfd = fd,
	};

	iosys_map_incr(&config.word, 64);
	return config;
}

static struct gpu_event *event_add(struct line *line, u32 value, int fd)
{
	struct gpu_event_config config = event_config(line, value, fd);
	struct gpu_event *event;

	ck_assert_int_eq(gpu_event_add(r.gpu, &config, &event), 0);
	return event;
}

/*
 * The handler has a thread of its own: who sees a fence's word may be back
 * before it has counted.
 */
static void stats_reach(struct gpu_irq_stats *stats, const u64 *count,
			u64 wanted)
{
	for (int i = 0; i < 10000; i++) {
		gpu_irq_stats(r.gpu, stats);
		if (*count >= wanted)
			break;
		usleep(1000);
	}
	ck_assert_uint_eq(*count, wanted);
}

/* Registers ---------------------------------------------------------------- */

static u32 pmc_enabled(void)
{
	return gpu_rd32(r.gpu, REG_AT(NV_PMC_INTR_EN, 0));
}

static u32 msi_enabled(void)
{
	return readl((char __iomem *)r.bus->bar[GPU_CONFIG] +
		     NV_XVE_MSI_CTRL) >> 16 & 1;
}

START_TEST(on_and_off_leave_the_card_as_quiet_as_before)
{
	struct card_config config = { .chip = _i, .seed = 1 };

	ck_assert_int_eq(bus_direct_open(&config, &r.bus), 0);
	ck_assert_int_eq(gpu_open(r.bus, &r.gpu), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(pmc_enabled() | msi_enabled(), 0);
		ck_assert_int_eq(gpu_irq_init(r.gpu), 0);
		ck_assert_int_eq(gpu_irq_init(r.gpu), -EBUSY);
		ck_assert_uint_ne(pmc_enabled(), 0);
		ck_assert_uint_eq(msi_enabled(), 1);
		ck_assert_uint_ne(gpu_rd32(r.gpu, NV_PFIFO_INTR_EN_0), 0);
		gpu_irq_fini(r.gpu);
		ck_assert_uint_eq(gpu_rd32(r.gpu, NV_PFIFO_INTR_EN_0), 0);
	}
	gpu_irq_fini(r.gpu);	/* does nothing */
	gpu_close(r.gpu);
	ck_assert_int_eq(port_live_allocs(), 0);
	ck_assert_uint_eq(bus_direct_violations_all(r.bus), 0);
	gpu_bus_close(r.bus);
}
END_TEST

START_TEST(each_interrupt_is_counted_and_re_armed)
{
	struct rig_setup setup = usual;
	struct gpu_irq_stats stats;
	struct fence fence;

	setup.chip = _i;
	rig_up(&r, &setup);
	for (u64 i = 1; i <= 20; i++) {
		ck_assert_int_eq(fence_emit(r.line[0].timeline, SECOND,
					    &fence), 0);
		ck_assert_int_eq(fence_wait(&fence, FENCE_WAIT_EVENT,
					    10 * SECOND), 0);
		stats_reach(&stats, &stats.nonstall, i);
	}
	ck_assert_uint_eq(stats.interrupts, 20);
	ck_assert_uint_eq(stats.spurious, 0);
	ck_assert_uint_eq(stats.faults + stats.pbdma + stats.copy, 0);
	ck_assert_uint_eq(bus_direct_interrupts(r.bus), 20);
	ck_assert_uint_le(stats.longest_ns, PORT_IRQ_BUDGET);
	rig_down(&r);
}
END_TEST

START_TEST(nothing_is_left_when_all_is_quiet)
{
	struct fence fence;

	rig_up(&r, &usual);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(fence_emit(r.line[i % 2].timeline, SECOND,
					    &fence), 0);
	ck_assert_int_eq(ring_wait_idle(r.line[0].queue.ring, SECOND), 0);
	ck_assert_int_eq(ring_wait_idle(r.line[1].queue.ring, SECOND), 0);
	usleep_range(20000, 20000);
	usleep(20000);
	usleep_range(20000, 20000);
	card_audit(bus_direct_lock(r.bus));
	bus_direct_unlock(r.bus);
	rig_down(&r);
}
END_TEST

/* Events ------------------------------------------------------------------- */

START_TEST(an_event_is_told_once_and_when_it_is_time)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	struct gpu_event *event;
	struct fence fence;
	u64 count;

	rig_up(&r, &usual);
	event = event_add(&r.line[0], 2, fd);
	for (int i = 1; i <= 4; i++) {
		ck_assert_int_eq(fence_emit(r.line[0].timeline, SECOND,
					    &fence), 0);
		ck_assert_int_eq(fence_wait(&fence, FENCE_WAIT_EVENT,
					    10 * SECOND), 0);
		ck_assert_int_eq(readable(fd, i >= 2 ? 5000 : 0), i >= 2);
	}
	ck_assert_int_eq(read(fd, &count, sizeof(count)), 8);
	ck_assert_uint_eq(count, 1);
	gpu_event_remove(event);

	/* One that has come already; one that is withdrawn. */
	event = event_add(&r.line[0], 3, fd);
	ck_assert(readable(fd, 0));
	ck_assert_int_eq(read(fd, &count, sizeof(count)), 8);
	gpu_event_remove(event);
	event = event_add(&r.line[0], 5, fd);
	gpu_event_remove(event);
	ck_assert_int_eq(fence_emit(r.line[0].timeline, SECOND, &fence), 0);
	ck_assert_int_eq(fence_wait(&fence, FENCE_WAIT_EVENT, SECOND), 0);
	ck_assert(!readable(fd, 0));
	close(fd);
	rig_down(&r);
}
END_TEST

START_TEST(an_event_with_bad_arguments_is_refused)
{
	struct gpu_event_config config;
	struct gpu_event *event = NULL;
	int fd = eventfd(0, 0);

	rig_up(&r, &usual);
	config = event_config(&r.line[0], 1, -1);
	ck_assert_int_eq(gpu_event_add(r.gpu, &config, &event), -EBADF);
	config = event_config(&r.line[0], 1, fd);
	config.chan = NULL;
	ck_assert_int_eq(gpu_event_add(r.gpu, &config, &event), -EINVAL);
	config = event_config(&r.line[0], 1, fd);
	iosys_map_clear(&config.word);
	ck_assert_int_eq(gpu_event_add(r.gpu, &config, &event), -EINVAL);
	ck_assert_ptr_null(event);
	close(fd);
	rig_down(&r);
}
END_TEST

/*
 * A fence that comes at the worst moment: gpu_event_add() has read the word
 * and not acted on it.  The word lies in video memory, so a read of it passes
 * through the bus, and there the moment is made.
 */
static struct {
	const struct gpu_bus_ops *real;
	struct gpu_bus_ops ops;
	u64 offset;
	bool armed;
} moment;

static u64 moment_read(struct gpu_bus *bus, enum gpu_region region,
		       u64 offset, unsigned int size)
{
	u64 value = moment.real->read(bus, region, offset, size);

	if (!moment.armed || region != GPU_BAR1 || offset != moment.offset)
		return value;
	moment.armed = false;
	rig_release(&r.line[0]);
	while (moment.real->read(bus, region, offset, size) == value)
		moment.real->relax(bus);
	usleep(50000);		/* the handler runs, or waits for a lock */
	return value;
}

START_TEST(a_fence_between_look_and_list_is_not_lost)
{
	struct rig_setup setup = usual;
	struct gpu_event *event;
	struct fence fence;
	int fd = eventfd(0, EFD_NONBLOCK);

	setup.kind = MEM_VRAM;
	rig_up(&r, &setup);
	rig_hold(&r.line[0]);
	ck_assert_int_eq(fence_emit(r.line[0].timeline, SECOND, &fence), 0);
	moment.offset = (char *)r.line[0].sem.map.vaddr_iomem + 64 -
		(char *)r.bus->bar[GPU_BAR1];
	moment.real = r.bus->ops;
	moment.ops = *r.bus->ops;
	moment.ops.read = moment_read;
	moment.armed = true;
	r.bus->ops = &moment.ops;
	event = event_add(&r.line[0], fence.value, fd);
	ck_assert(!moment.armed);
	ck_assert(readable(fd, 5000));
	gpu_event_remove(event);
	r.bus->ops = moment.real;
	close(fd);
	rig_down(&r);
}
END_TEST

enum { CROWD = 500 };

START_TEST(many_events_fit_the_handlers_budget)
{
	static struct gpu_event *events[CROWD];
	int fd = eventfd(0, EFD_NONBLOCK);
	struct fence fence;
	u64 count = 0;

	rig_up(&r, &usual);
	for (u32 i = 0; i < CROWD; i++)
		events[i] = event_add(&r.line[0], i / 2 + 1, fd);
	for (u32 i = 0; i < CROWD / 2; i++)
		ck_assert_int_eq(fence_emit(r.line[0].timeline, SECOND,
					    &fence), 0);
	ck_assert_int_eq(fence_wait(&fence, FENCE_WAIT_COND, 10 * SECOND), 0);
	usleep(1000);
	for (u32 i = 0; i < CROWD; i++)
		gpu_event_remove(events[i]);
	ck_assert_int_eq(read(fd, &count, sizeof(count)), 8);
	ck_assert_uint_eq(count, CROWD);
	close(fd);
	rig_down(&r);		/* which asserts that nothing was reported */
}
END_TEST

/* Errors ------------------------------------------------------------------- */

static void down_after(enum card_rule rule, unsigned int times)
{
	rig_undo(&r);
	ck_assert_int_eq(port_live_allocs(), 0);
	for (int i = 0; i < PORT_MISUSES; i++)
		ck_assert_uint_eq(port_reports(i), 0);
	ck_assert_uint_eq(bus_direct_violations(r.bus, rule), times);
	ck_assert_uint_eq(bus_direct_violations_all(r.bus), times);
	gpu_bus_close(r.bus);
}

/* A launch that cannot be: no bytes, no lines; then a fence. */
static void bad_copy(struct line *line)
{
	u32 words[8], class = gpu_copy_class(r.gpu), launch = 0x182;
	struct push push;

	push_init(&push, words, ARRAY_SIZE(words));
	push_inc(&push, 4, NVC06F_SET_OBJECT, &class, 1);
	push_inc(&push, 4, NVC0B5_LAUNCH_DMA, &launch, 1);
	ck_assert_int_eq(rig_submit(line, words, push.count), 0);
}

START_TEST(a_launch_error_ends_its_channel_alone)
{
	struct rig_setup setup = usual;
	struct gpu_irq_stats stats;
	struct fence fence;
	u64 start;

	setup.chip = _i;
	rig_up(&r, &setup);
	bad_copy(&r.line[0]);
	start = r.bus->ops->now(r.bus);
	while (!chan_is_dead(r.line[0].queue.chan) &&
	       r.bus->ops->now(r.bus) - start < SECOND)
		cpu_relax();
	ck_assert_int_eq(chan_error(r.line[0].queue.chan), -EIO);
	stats_reach(&stats, &stats.copy, 1);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fence_emit(r.line[1].timeline, SECOND,
					    &fence), 0);
		ck_assert_int_eq(fence_wait(&fence, FENCE_WAIT_EVENT,
					    10 * SECOND), 0);
	}
	down_after(RULE_COPY_ARGUMENT, 1);
}
END_TEST

START_TEST(a_dead_channel_can_be_replaced)
{
	struct gpu_irq_stats stats;

	for (u64 i = 1; i <= 3; i++) {
		struct fence fence;
		int err;

		if (i == 1)
			rig_up(&r, &usual);
		rig_fault(&r.line[0]);
		err = fence_emit(r.line[0].timeline, SECOND, &fence);
		if (!err)	/* it died after that */
			err = fence_wait(&fence, FENCE_WAIT_EVENT,
					 10 * SECOND);
		ck_assert_int_eq(err, -EIO);
		stats_reach(&stats, &stats.faults, 1);
		rig_undo(&r);
		ck_assert_int_eq(rig_try(&r, &usual), 0);
	}
	down_after(RULE_MMU_FAULT, 3);
}
END_TEST

static void pmc_open(bool on)
{
	gpu_wr32(r.gpu, on ? REG_AT(NV_PMC_INTR_EN_SET, 0) :
		 REG_AT(NV_PMC_INTR_EN_CLEAR, 0),
		 REG_FIELD_MASK(NV_PMC_INTR_PFIFO));
	gpu_rd32(r.gpu, NV_PMC_BOOT_0);
}

/*
 * Two faults of one engine before anybody looks: the registers hold the first,
 * and of the second only the bit that it was dropped.  Twice.
 */
START_TEST(a_fault_without_registers_is_found_all_the_same)
{
	struct rig_setup setup = usual;
	struct gpu_irq_stats stats;

	setup.lines = 4;
	rig_up(&r, &setup);
	for (int i = 0; i < 4; i += 2) {
		struct fence fence[2];

		pmc_open(false);
		for (int k = 0; k < 2; k++) {
			struct line *line = &r.line[i + k];

			rig_fault(line);
			ck_assert_int_eq(fence_emit(line->timeline, SECOND,
						    &fence[k]), 0);
			usleep_range(1000, 1000);
		}
		ck_assert_uint_ne(gpu_rd32(r.gpu, NV_PFIFO_INTR_0) &
			REG_FIELD_MASK(NV_PFIFO_INTR_0_DROPPED_MMU_FAULT), 0);
		pmc_open(true);
		for (int k = 0; k < 2; k++)
			ck_assert_int_eq(fence_wait(&fence[k],
						    FENCE_WAIT_EVENT,
						    10 * SECOND), -EIO);
	}
	stats_reach(&stats, &stats.faults, 2);
	down_after(RULE_MMU_FAULT, 4);
}
END_TEST

/* Sweeps ------------------------------------------------------------------- */

/*
 * The waits are long: on a busy machine card time may run ahead of the thread
 * that has the interrupt.
 */
static int use(void)
{
	struct fence fence;
	int err;

	err = fence_emit(r.line[0].timeline, MS, &fence);
	if (!err)
		err = fence_wait(&fence, FENCE_WAIT_EVENT, 10 * SECOND);
	if (!err)
		err = fence_wait(&fence, FENCE_WAIT_COND, 10 * SECOND);
	return err;
}

static bool host_has_bind_error(void)
{
	return REG_GET(NV_PFIFO_INTR_0_BIND_ERROR,
		       gpu_rd32(r.gpu, NV_PFIFO_INTR_0));
}

/* What is printed to stderr while a channel is bound a second time. */
static void bind_twice(char *text, size_t size)
{
	u32 at = REG_AT(NV_PCCSR_CHANNEL_INST, chan_id(r.line[0].queue.chan));
	int stderr_was = dup(STDERR_FILENO);
	struct gpu_irq_stats stats;
	FILE *log = tmpfile();

	ck_assert_ptr_nonnull(log);
	dup2(fileno(log), STDERR_FILENO);
	gpu_wr32(r.gpu, at, gpu_rd32(r.gpu, at) |
		 REG_VAL(NV_PCCSR_CHANNEL_INST_BIND, 1));
	/* It is logged, and then acknowledged. */
	stats_reach(&stats, &stats.interrupts, 1);
	for (int i = 0; i < 10000 && host_has_bind_error(); i++)
		usleep(1000);
	dup2(stderr_was, STDERR_FILENO);
	close(stderr_was);
	rewind(log);
	text[fread(text, 1, size - 1, log)] = '\0';
	fclose(log);
}

START_TEST(what_host_complains_of_is_logged_and_acknowledged)
{
	char text[4096];

	rig_up(&r, &usual);
	bind_twice(text, sizeof(text));
	ck_assert_msg(strstr(text, "Host: BIND_ERROR, code 0x1\n") != NULL,
		      "%s", text);
	ck_assert(!host_has_bind_error());
	ck_assert_int_eq(chan_error(r.line[0].queue.chan), 0);
	ck_assert_uint_eq(bus_direct_violations(r.bus, RULE_CHANNEL_REBIND),
			  1);
	rig_undo(&r);
	gpu_bus_close(r.bus);
}
END_TEST

START_TEST(a_card_lost_at_any_read_is_survived)
{
	struct card_config config = { .chip = CARD_P100, .seed = 5 };
	struct rig_setup setup = { .chip = CARD_P100, .lines = 1 };
	bool hit = true;

	/* From the first read of gpu_irq_init() on; before it is bring-up's. */
	for (unsigned int n = 1; hit; n += n < 60 ? 1 : 13) {
		int err;

		memset(&r, 0, sizeof(r));
		ck_assert_int_eq(bus_direct_open(&config, &r.bus), 0);
		fault_bus_attach(r.bus, FAULT_LOST, n);
		err = rig_try(&r, &setup);
		if (!err) {
			err = use();
			rig_undo(&r);
		}
		hit = fault_bus_detach(r.bus);
		ck_assert(hit || err == 0);
		ck_assert_int_eq(port_live_allocs(), 0);
		gpu_bus_close(r.bus);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("irq");
	TCase *t = tcase_create("irq");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, on_and_off_leave_the_card_as_quiet_as_before,
			    0, CARD_CHIPS);
	tcase_add_loop_test(t, each_interrupt_is_counted_and_re_armed, 0,
			    CARD_CHIPS);
	tcase_add_test(t, nothing_is_left_when_all_is_quiet);
	tcase_add_test(t, an_event_is_told_once_and_when_it_is_time);
	tcase_add_test(t, an_event_with_bad_arguments_is_refused);
	tcase_add_test(t, a_fence_between_look_and_list_is_not_lost);
	tcase_add_test(t, many_events_fit_the_handlers_budget);
	tcase_add_loop_test(t, a_launch_error_ends_its_channel_alone, 0,
			    CARD_CHIPS);
	tcase_add_test(t, a_dead_channel_can_be_replaced);
	tcase_add_test(t, a_fault_without_registers_is_found_all_the_same);
	tcase_add_test(t, what_host_complains_of_is_logged_and_acknowledged);
	tcase_add_test(t, a_card_lost_at_any_read_is_survived);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
