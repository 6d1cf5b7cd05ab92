/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Fences against the card, over the direct link. */
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "test_fence_rig.h"

static struct rig r;
static const struct rig_setup usual = { .chip = CARD_P40, .lines = 2 };

static struct fence emit(struct line *line)
{
	struct fence fence;

	ck_assert_int_eq(fence_emit(line->timeline, SECOND, &fence), 0);
	return fence;
}

START_TEST(every_way_of_waiting_ends_with_the_fence)
{
	static const enum mem_kind kinds[] = {
		MEM_COHERENT, MEM_WC, MEM_VRAM,
	};
	struct rig_setup setup = usual;
	u64 last = 0;

	setup.chip = _i % 3;
	setup.kind = kinds[_i / 3];
	rig_up(&r, &setup);
	for (int how = FENCE_WAIT_SPIN; how <= FENCE_WAIT_AUTO; how++) {
		struct fence fence = emit(&r.line[0]);
		u64 ns;

		ck_assert_int_eq(fence_wait(&fence, how, SECOND), 0);
		ck_assert_int_eq(fence_is_signaled(&fence), 1);
		ck_assert_int_eq(fence_time(&fence, &ns), 0);
		ck_assert_uint_gt(ns, last);
		last = ns;
	}
	rig_down(&r);
}
END_TEST

START_TEST(a_wait_ends_in_time_without_the_fence)
{
	struct fence fence;

	rig_up(&r, &usual);
	rig_hold(&r.line[0]);
	fence = emit(&r.line[0]);
	ck_assert_int_eq(fence_wait(&fence, _i, 0), -ETIMEDOUT);
	ck_assert_int_eq(fence_wait(&fence, _i, 3 * MS), -ETIMEDOUT);
	ck_assert_int_eq(fence_is_signaled(&fence), 0);
	rig_release(&r.line[0]);
	/* The longest time-out does not wrap. */
	ck_assert_int_eq(fence_wait(&fence, _i, UINT64_MAX), 0);
	ck_assert_int_eq(fence_wait(&fence, _i, 0), 0);
	rig_down(&r);
}
END_TEST

START_TEST(numbers_wrap)
{
	struct rig_setup setup = usual;
	struct fence fence[8];

	setup.start = 0xfffffffc;
	rig_up(&r, &setup);
	rig_hold(&r.line[0]);
	for (int i = 0; i < 8; i++)
		fence[i] = emit(&r.line[0]);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(fence_is_signaled(&fence[i]), 0);
	rig_release(&r.line[0]);
	ck_assert_int_eq(fence_wait(&fence[7], _i, SECOND), 0);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(fence_is_signaled(&fence[i]), 1);
	rig_down(&r);
}
END_TEST

/* Threads that wait -------------------------------------------------------- */

START_TEST(one_fence_wakes_all_who_wait_for_it)
{
	struct wait waits[32];
	struct fence fence;

	rig_up(&r, &usual);
	rig_hold(&r.line[0]);
	fence = emit(&r.line[0]);
	waits_start(waits, 32, &fence, _i);
	rig_release(&r.line[0]);
	waits_end(waits, 32, 0);
	rig_down(&r);
}
END_TEST

struct crowd {
	pthread_t thread;
	unsigned int number, waits, wrong;
};

static void *crowd_thread(void *arg)
{
	struct crowd *crowd = arg;
	struct line *line = &r.line[crowd->number % r.lines];

	for (unsigned int i = 0; i < crowd->waits; i++) {
		struct fence fence;
		int err;

		err = fence_emit(line->timeline, 100 * SECOND, &fence);
		if (!err)
			err = fence_wait(&fence, (crowd->number + i) % 4,
					 100 * SECOND);
		if (err || fence_is_signaled(&fence) != 1)
			crowd->wrong++;
	}
	return NULL;
}

START_TEST(a_hundred_threads_wait_many_times)
{
	static struct crowd crowd[100];
	struct rig_setup setup = usual;
	struct gpu_irq_stats stats;

	setup.lines = 4;
	setup.start = 0xffffff00;
	rig_up(&r, &setup);
	for (int i = 0; i < 100; i++) {
		crowd[i] = (struct crowd){ .number = i, .waits = 50 };
		ck_assert_int_eq(pthread_create(&crowd[i].thread, NULL,
						crowd_thread, &crowd[i]), 0);
	}
	for (int i = 0; i < 100; i++) {
		pthread_join(crowd[i].thread, NULL);
		ck_assert_uint_eq(crowd[i].wrong, 0);
	}
	gpu_irq_stats(r.gpu, &stats);
	ck_assert_uint_gt(stats.nonstall, 0);
	ck_assert_uint_eq(stats.spurious, 0);
	rig_down(&r);
}
END_TEST

/* Several fences ----------------------------------------------------------- */

START_TEST(any_says_which)
{
	struct fence fence[2];
	u32 index = 99;

	rig_up(&r, &usual);
	rig_hold(&r.line[0]);
	fence[0] = emit(&r.line[0]);
	ck_assert_int_eq(fence_wait_any(fence, 1, 2 * MS, &index),
			 -ETIMEDOUT);
	fence[1] = emit(&r.line[1]);
	ck_assert_int_eq(fence_wait_any(fence, 2, SECOND, &index), 0);
	ck_assert_uint_eq(index, 1);
	ck_assert_int_eq(fence_wait_any(fence, 0, SECOND, &index), -EINVAL);
	rig_release(&r.line[0]);
	ck_assert_int_eq(fence_wait_any(fence, 1, SECOND, &index), 0);
	ck_assert_uint_eq(index, 0);
	rig_down(&r);
}
END_TEST

START_TEST(all_waits_for_the_last)
{
	struct fence fence[3];

	rig_up(&r, &usual);
	fence[0] = emit(&r.line[1]);
	rig_hold(&r.line[0]);
	fence[1] = emit(&r.line[0]);
	fence[2] = emit(&r.line[1]);
	ck_assert_int_eq(fence_wait(&fence[2], FENCE_WAIT_EVENT, SECOND), 0);
	ck_assert_int_eq(fence_wait_all(fence, 3, 2 * MS), -ETIMEDOUT);
	rig_release(&r.line[0]);
	ck_assert_int_eq(fence_wait_all(fence, 3, 10 * SECOND), 0);
	ck_assert_int_eq(fence_wait_all(fence, 0, SECOND), -EINVAL);
	rig_down(&r);
}
END_TEST

START_TEST(one_channel_waits_for_another)
{
	struct fence first, second;

	rig_up(&r, &usual);
	rig_hold(&r.line[0]);
	first = emit(&r.line[0]);
	ck_assert_int_eq(fence_acquire(r.line[1].queue.ring, &first, SECOND),
			 0);
	second = emit(&r.line[1]);
	ck_assert_int_eq(fence_wait(&second, FENCE_WAIT_EVENT, 3 * MS),
			 -ETIMEDOUT);
	rig_release(&r.line[0]);
	ck_assert_int_eq(fence_wait(&second, FENCE_WAIT_EVENT, 10 * SECOND),
			 0);
	ck_assert_int_eq(fence_is_signaled(&first), 1);
	rig_down(&r);
}
END_TEST

START_TEST(a_later_fence_overwrites_the_time)
{
	struct fence first, second;
	u64 ns, card;

	rig_up(&r, &usual);
	rig_hold(&r.line[0]);
	first = emit(&r.line[0]);
	ck_assert_int_eq(fence_time(&first, &ns), -EAGAIN);
	rig_release(&r.line[0]);
	ck_assert_int_eq(fence_wait(&first, FENCE_WAIT_SPIN, SECOND), 0);
	ck_assert_int_eq(fence_time(&first, &ns), 0);
	card = r.bus->ops->now(r.bus);
	ck_assert_uint_le(ns, card);
	ck_assert_uint_gt(ns + 100 * MS, card);
	second = emit(&r.line[0]);
	ck_assert_int_eq(fence_wait(&second, FENCE_WAIT_SPIN, SECOND), 0);
	ck_assert_int_eq(fence_time(&first, &ns), -EAGAIN);
	ck_assert_int_eq(fence_time(&second, &ns), 0);
	rig_down(&r);
}
END_TEST

/* Descriptors -------------------------------------------------------------- */

static int readable(int fd, int ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, ms);
}

START_TEST(a_descriptor_is_readable_with_the_fence_and_not_before)
{
	struct fence fence, later;
	int fd, late_fd;

	rig_up(&r, &usual);
	rig_hold(&r.line[0]);
	fence = emit(&r.line[0]);
	fd = fence_fd(&fence);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(readable(fd, 5), 0);
	/* Not by another fence's interrupt either. */
	later = emit(&r.line[1]);
	ck_assert_int_eq(fence_wait(&later, FENCE_WAIT_EVENT, SECOND), 0);
	ck_assert_int_eq(readable(fd, 5), 0);
	rig_release(&r.line[0]);
	ck_assert_int_eq(readable(fd, 10000), 1);
	ck_assert_int_eq(fence_is_signaled(&fence), 1);

	late_fd = fence_fd(&fence);
	ck_assert_int_ge(late_fd, 0);
	ck_assert_int_eq(readable(late_fd, 0), 1);
	fence_close_fd(&fence, late_fd);
	fence_close_fd(&fence, fd);
	ck_assert_int_eq(close(fd), -1);
	rig_down(&r);
}
END_TEST

START_TEST(epoll_tells_the_fences_apart)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct fence fence[8];
	int epoll = epoll_create1(0), fd[8];

	rig_up(&r, &usual);
	rig_hold(&r.line[0]);
	for (u32 i = 0; i < 8; i++) {
		fence[i] = emit(&r.line[i % 2]);
		fd[i] = fence_fd(&fence[i]);
		event.data.u32 = i;
		ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, fd[i],
					   &event), 0);
	}
	for (u32 i = 0, seen = 0; i < 8; i++) {
		if (seen == 0xaa)	/* those that nothing holds */
			rig_release(&r.line[0]);
		ck_assert_int_eq(epoll_wait(epoll, &event, 1, 10000), 1);
		ck_assert_int_eq(fence_is_signaled(&fence[event.data.u32]), 1);
		ck_assert_int_eq(seen >> event.data.u32 & 1, 0);
		seen |= 1u << event.data.u32;
		fence_close_fd(&fence[event.data.u32], fd[event.data.u32]);
	}
	close(epoll);
	rig_down(&r);
}
END_TEST

/* The ends of things ------------------------------------------------------- */

/* Both kinds of death: by the MMU, and of the PBDMA. */
static void kill_line(struct line *line, int way)
{
	if (way)
		rig_bad_method(line);
	else
		rig_fault(line);
}

static void down_after_death(int way)
{
	rig_undo(&r);
	for (int i = 0; i < PORT_MISUSES; i++)
		ck_assert_uint_eq(port_reports(i), 0);
	ck_assert_int_eq(port_live_allocs(), 0);
	ck_assert_uint_eq(bus_direct_violations(r.bus, way ?
			  RULE_METHOD_HOST : RULE_MMU_FAULT), 1);
	ck_assert_uint_eq(bus_direct_violations_all(r.bus), 1);
	gpu_bus_close(r.bus);
}

START_TEST(a_channel_that_dies_wakes_its_waiters_and_no_other)
{
	struct rig_setup setup = usual;
	int way = _i / 3, fd;
	struct fence doomed, other;
	struct wait waits[16];

	setup.chip = _i % 3;
	rig_up(&r, &setup);
	rig_hold(&r.line[0]);
	kill_line(&r.line[0], way);
	doomed = emit(&r.line[0]);
	fd = fence_fd(&doomed);
	waits_start(waits, 16, &doomed, -1);
	rig_release(&r.line[0]);
	waits_end(waits, 16, -EIO);
	ck_assert_int_eq(readable(fd, 1000), 1);
	fence_close_fd(&doomed, fd);
	ck_assert_int_eq(chan_error(r.line[0].queue.chan), -EIO);
	ck_assert_int_eq(fence_emit(r.line[0].timeline, SECOND, &doomed),
			 -EIO);

	/* Who comes later hears the same; the other channel goes on. */
	fd = fence_fd(&doomed);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(readable(fd, 0), 1);
	fence_close_fd(&doomed, fd);
	for (int how = 0; how < 4; how++) {
		ck_assert_int_eq(fence_wait(&doomed, how, SECOND), -EIO);
		other = emit(&r.line[1]);
		ck_assert_int_eq(fence_wait(&other, how, SECOND), 0);
	}
	ck_assert_int_eq(chan_error(r.line[1].queue.chan), 0);
	down_after_death(way);
}
END_TEST

START_TEST(all_ends_with_the_first_error)
{
	struct fence fence[2];
	u32 index;

	rig_up(&r, &usual);
	rig_hold(&r.line[0]);
	fence[0] = emit(&r.line[0]);
	rig_hold(&r.line[1]);		/* until its fence is in the ring */
	kill_line(&r.line[1], _i);
	fence[1] = emit(&r.line[1]);
	rig_release(&r.line[1]);
	ck_assert_int_eq(fence_wait_all(fence, 2, 100 * SECOND), -EIO);
	ck_assert_int_eq(fence_wait_any(fence, 2, SECOND, &index), -EIO);
	ck_assert_uint_eq(index, 1);
	ck_assert_int_eq(fence_acquire(r.line[0].queue.ring, &fence[1], SECOND),
			 -EIO);
	rig_release(&r.line[0]);
	ck_assert_int_eq(fence_wait_all(fence, 1, SECOND), 0);
	down_after_death(_i);
}
END_TEST

static void *destroy_thread(void *arg)
{
	struct line *line = arg;

	timeline_destroy(line->timeline);
	line->timeline = NULL;
	return NULL;
}

START_TEST(destroying_a_timeline_cancels_its_waiters)
{
	struct wait waits[16];
	struct fence fence;
	pthread_t thread;
	int fd;

	rig_up(&r, &usual);
	rig_hold(&r.line[0]);
	fence = emit(&r.line[0]);
	fd = fence_fd(&fence);
	waits_start(waits, 16, &fence, _i);
	while (!waits_are_inside(r.line[0].timeline, waits, 16, 1))
		usleep(1000);
	pthread_create(&thread, NULL, destroy_thread, &r.line[0]);
	waits_end(waits, 16, -ECANCELED);
	pthread_join(thread, NULL);
	ck_assert_int_eq(readable(fd, 0), 1);
	close(fd);
	rig_release(&r.line[0]);
	rig_down(&r);
}
END_TEST

/* … also where its memory then reads as a number that is ahead. */
START_TEST(a_card_that_is_lost_ends_every_wait)
{
	struct rig_setup setup = usual;
	struct wait waits[16];
	struct fence fence;
	u64 ns;

	if (_i >= 5) {
		setup.kind = MEM_VRAM;
		setup.start = 0x90000000;
	}
	rig_up(&r, &setup);
	rig_hold(&r.line[0]);
	fence = emit(&r.line[0]);
	waits_start(waits, 16, &fence, _i % 5 - 1);
	rig_unplug(&r);
	waits_end(waits, 16, -ENODEV);
	ck_assert_int_eq(fence_is_signaled(&fence), -ENODEV);
	ck_assert_int_eq(fence_time(&fence, &ns), -EAGAIN);
	rig_down_lost(&r);
}
END_TEST

START_TEST(all_ones_are_a_number_until_the_card_is_lost)
{
	struct rig_setup setup = usual;
	struct fence fence[2];
	u64 ns;

	setup.kind = _i ? MEM_VRAM : MEM_COHERENT;
	setup.start = 0xfffffffd;
	rig_up(&r, &setup);
	for (int i = 0; i < 2; i++)
		fence[i] = emit(&r.line[0]);
	ck_assert_uint_eq(fence[1].value, 0xffffffff);
	ck_assert_int_eq(fence_wait(&fence[1], FENCE_WAIT_EVENT, SECOND), 0);
	ck_assert_int_eq(fence_is_signaled(&fence[0]), 1);
	ck_assert_int_eq(fence_is_signaled(&fence[1]), 1);
	ck_assert_int_eq(fence_time(&fence[1], &ns), 0);
	rig_unplug(&r);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(fence_is_signaled(&fence[i]),
				 _i ? -ENODEV : 1);
	ck_assert_int_eq(fence_time(&fence[1], &ns), _i ? -EAGAIN : 0);
	rig_down_lost(&r);
}
END_TEST

/* Faults ------------------------------------------------------------------- */

/* Interrupt messages: the n-th is not delivered. */
static struct {
	const struct gpu_bus_ops *real;
	struct gpu_bus_ops ops;
	unsigned int lose;
} lossy;

static int lossy_irq_wait(struct gpu_bus *bus)
{
	int err = lossy.real->irq_wait(bus);

	if (!err && lossy.lose && --lossy.lose == 0)
		err = lossy.real->irq_wait(bus);
	return err;
}

START_TEST(a_lost_interrupt_only_costs_time)
{
	struct rig_setup setup = usual;
	struct card_config config = { .chip = CARD_P100, .seed = _i };

	memset(&r, 0, sizeof(r));
	ck_assert_int_eq(bus_direct_open(&config, &r.bus), 0);
	lossy.real = r.bus->ops;
	lossy.ops = *r.bus->ops;
	lossy.ops.irq_wait = lossy_irq_wait;
	lossy.lose = _i / 2 + 1;
	r.bus->ops = &lossy.ops;
	ck_assert_int_eq(rig_try(&r, &setup), 0);
	for (int i = 0; i < 4; i++) {
		struct fence fence = emit(&r.line[0]);

		ck_assert_int_eq(fence_wait(&fence, _i % 2 ? FENCE_WAIT_EVENT :
					    FENCE_WAIT_COND, 10 * SECOND), 0);
	}
	rig_down(&r);
}
END_TEST

static int use_everything(void)
{
	struct fence fence;
	int err, fd;
	u32 index;

	err = fence_emit(r.line[0].timeline, SECOND, &fence);
	for (int how = 0; !err && how < 4; how++)
		err = fence_wait(&fence, how, SECOND);
	if (!err)
		err = fence_emit(r.line[1].timeline, SECOND, &fence);
	if (!err)
		err = fence_acquire(r.line[0].queue.ring, &fence, SECOND);
	if (!err)
		err = fence_wait_any(&fence, 1, SECOND, &index);
	if (err)
		return err;
	fd = fence_fd(&fence);
	if (fd < 0)
		return fd;
	fence_close_fd(&fence, fd);
	return 0;
}

START_TEST(any_failed_allocation_is_survived)
{
	struct card_config config = { .chip = CARD_P40, .seed = 3 };
	bool hit = true;

	for (unsigned int n = 1; hit; n++) {
		int err;

		memset(&r, 0, sizeof(r));
		ck_assert_int_eq(bus_direct_open(&config, &r.bus), 0);
		port_fail_alloc(n);
		err = rig_try(&r, &usual);
		if (!err) {
			err = use_everything();
			rig_undo(&r);
		}
		hit = port_fail_alloc_hit();
		port_fail_alloc(0);
		ck_assert(!hit || err == -ENOMEM || err == 0);
		ck_assert(hit || err == 0);
		ck_assert_int_eq(port_live_allocs(), 0);
		ck_assert_uint_eq(bus_direct_violations_all(r.bus), 0);
		gpu_bus_close(r.bus);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fence");
	TCase *t = tcase_create("fence");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_way_of_waiting_ends_with_the_fence, 0, 9);
	tcase_add_loop_test(t, a_wait_ends_in_time_without_the_fence, 0, 4);
	tcase_add_loop_test(t, numbers_wrap, 0, 4);
	tcase_add_loop_test(t, one_fence_wakes_all_who_wait_for_it, -1, 4);
	tcase_add_test(t, a_hundred_threads_wait_many_times);
	tcase_add_test(t, any_says_which);
	tcase_add_test(t, all_waits_for_the_last);
	tcase_add_test(t, one_channel_waits_for_another);
	tcase_add_test(t, a_later_fence_overwrites_the_time);
	tcase_add_test(t,
		       a_descriptor_is_readable_with_the_fence_and_not_before);
	tcase_add_test(t, epoll_tells_the_fences_apart);
	tcase_add_loop_test(t,
			    a_channel_that_dies_wakes_its_waiters_and_no_other,
			    0, 6);
	tcase_add_loop_test(t, all_ends_with_the_first_error, 0, 2);
	tcase_add_loop_test(t, destroying_a_timeline_cancels_its_waiters,
			    -1, 4);
	tcase_add_loop_test(t, a_card_that_is_lost_ends_every_wait, 0, 10);
	tcase_add_loop_test(t, all_ones_are_a_number_until_the_card_is_lost,
			    0, 2);
	tcase_add_loop_test(t, a_lost_interrupt_only_costs_time, 0, 8);
	tcase_add_test(t, any_failed_allocation_is_survived);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
