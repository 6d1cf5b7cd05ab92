/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 03 in the guest: fences, and ways to wait for them, over the kernel's
 * interrupts and eventfds.
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "irq.h"
#include "lab03.h"

#define WAYS	4	/* of enum fence_wait */

static struct rig r;

static struct fence emit(unsigned int i)
{
	return line_fence(&r.line[i]);
}

/* One who waits ------------------------------------------------------------ */

static void the_first_number_follows_start(void)
{
	struct fence fence;

	rig_up(&r, &(struct rig_setup){ .start = 0xcafebabd });
	CHECK_EQ(word(&r.line[0], 0), 0xcafebabd);
	fence = emit(0);
	CHECK_EQ(fence_wait(&fence, FENCE_WAIT_EVENT, 10 * SECOND), 0);
	CHECK_EQ(word(&r.line[0], 0), 0xcafebabe);
	CHECK_EQ(fence_is_signaled(&fence), 1);
	rig_down(&r);
}

static void every_way_of_waiting_ends_with_the_fence(void)
{
	for (int kind = MEM_COHERENT; kind <= MEM_VRAM; kind++) {
		u64 ns, last = 0;

		rig_up(&r, &(struct rig_setup){ .sem = kind });
		for (u32 i = 0; i < 5 * WAYS * guest.rounds; i++) {
			struct fence fence = emit(0);

			CHECK_EQ(fence_wait(&fence, i % WAYS, 10 * SECOND),
				 0);
			CHECK_EQ(fence_is_signaled(&fence), 1);
			CHECK_EQ(fence_time(&fence, &ns), 0);
			CHECK(ns > last);
			last = ns;
		}
		rig_down(&r);
	}
}

static void a_wait_ends_in_time_without_the_fence(void)
{
	struct fence fence;

	rig_up(&r, &(struct rig_setup){ 0 });
	line_hold(&r.line[0]);
	fence = emit(0);
	for (int way = 0; way < WAYS; way++) {
		u64 start = ktime_get_ns(), ns;

		CHECK_EQ(fence_wait(&fence, way, 0), -ETIMEDOUT);
		CHECK_EQ(fence_wait(&fence, way, 30 * MS), -ETIMEDOUT);
		ns = ktime_get_ns() - start;
		CHECK(!guest_has_kernel || (ns >= 30 * MS && ns < 5 * SECOND));
	}
	CHECK_EQ(fence_is_signaled(&fence), 0);
	line_release(&r.line[0]);
	CHECK_EQ(fence_wait(&fence, FENCE_WAIT_EVENT, UINT64_MAX), 0);
	CHECK_EQ(fence_wait(&fence, FENCE_WAIT_COND, 0), 0);
	rig_down(&r);
}

static void numbers_wrap(void)
{
	struct fence fence[8];

	for (int way = 0; way < WAYS; way++) {
		u32 start = way % 2 ? 0x7ffffffc : 0xfffffffc;

		rig_up(&r, &(struct rig_setup){ .start = start });
		line_hold(&r.line[0]);
		for (int i = 0; i < 8; i++)
			fence[i] = emit(0);
		for (int i = 0; i < 8; i++)
			CHECK_EQ(fence_is_signaled(&fence[i]), 0);
		line_release(&r.line[0]);
		CHECK_EQ(fence_wait(&fence[7], way, 10 * SECOND), 0);
		for (int i = 0; i < 8; i++)
			CHECK_EQ(fence_is_signaled(&fence[i]), 1);
		rig_down(&r);
	}
}

static void a_fence_follows_the_work_before_it(void)
{
	struct gpu_mem from, to;
	struct push push;
	u32 space[64];

	rig_up(&r, &(struct rig_setup){ 0 });
	CHECK_EQ(gpu_mem_alloc(r.gpu, M, MEM_COHERENT, &from), 0);
	CHECK_EQ(gpu_mem_alloc(r.gpu, M, MEM_COHERENT, &to), 0);
	for (u32 i = 0; i < 4 * guest.rounds; i++) {
		struct fence fence;

		mem_fill(&from, i);
		push_init(&push, space, ARRAY_SIZE(space));
		push_copy(&push, r.gpu, from.va, to.va, M);
		line_submit(&r.line[0], &push);
		fence = emit(0);
		CHECK_EQ(fence_wait(&fence, i % WAYS, 10 * SECOND), 0);
		mem_check(&to, 0, i, 0, M);
	}
	gpu_mem_free(r.gpu, &from);
	gpu_mem_free(r.gpu, &to);
	rig_down(&r);
}

/* Several fences ----------------------------------------------------------- */

static void any_is_the_first_and_all_is_the_last(void)
{
	struct fence fence[2];
	u32 index = 99;

	rig_up(&r, &(struct rig_setup){ .lines = 2 });
	line_hold(&r.line[0]);
	fence[0] = emit(0);
	CHECK_EQ(fence_wait_any(fence, 1, 5 * MS, &index), -ETIMEDOUT);
	fence[1] = emit(1);
	CHECK_EQ(fence_wait_any(fence, 2, 10 * SECOND, &index), 0);
	CHECK_EQ(index, 1);
	CHECK_EQ(fence_wait_all(fence, 2, 5 * MS), -ETIMEDOUT);
	line_release(&r.line[0]);
	CHECK_EQ(fence_wait_all(fence, 2, 10 * SECOND), 0);
	CHECK_EQ(fence_wait_any(fence, 0, 0, &index), -EINVAL);
	rig_down(&r);
}

static void one_channel_waits_for_another(void)
{
	struct fence first, second;

	rig_up(&r, &(struct rig_setup){ .lines = 2 });
	line_hold(&r.line[0]);
	first = emit(0);
	CHECK_EQ(fence_acquire(r.line[1].ring, &first, 10 * SECOND), 0);
	second = emit(1);
	CHECK_EQ(fence_wait(&second, FENCE_WAIT_EVENT, 10 * MS), -ETIMEDOUT);
	line_release(&r.line[0]);
	CHECK_EQ(fence_wait(&second, FENCE_WAIT_EVENT, 10 * SECOND), 0);
	CHECK_EQ(fence_is_signaled(&first), 1);
	rig_down(&r);
}

/* Descriptors -------------------------------------------------------------- */

static int readable(int fd, int ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, ms);
}

static void a_descriptor_is_readable_with_the_fence(void)
{
	struct fence fence, over;
	int fd;

	rig_up(&r, &(struct rig_setup){ 0 });
	over = emit(0);
	CHECK_EQ(fence_wait(&over, FENCE_WAIT_SPIN, 10 * SECOND), 0);
	fd = fence_fd(&over);
	CHECK(fd >= 0);
	CHECK_EQ(readable(fd, 0), 1);
	fence_close_fd(&over, fd);

	line_hold(&r.line[0]);
	fence = emit(0);
	fd = fence_fd(&fence);
	CHECK(fd >= 0);
	CHECK_EQ(readable(fd, 20), 0);
	line_release(&r.line[0]);
	CHECK_EQ(readable(fd, 10000), 1);
	CHECK_EQ(fence_is_signaled(&fence), 1);
	fence_close_fd(&fence, fd);
	rig_down(&r);
}

#define MANY	16

static void epoll_finds_each_descriptor_once(void)
{
	struct fence fence[MANY];
	int fd[MANY], epoll = epoll_create1(EPOLL_CLOEXEC), found = 0;
	bool seen[MANY] = { false };

	CHECK(epoll >= 0);
	rig_up(&r, &(struct rig_setup){ .lines = 2 });
	line_hold(&r.line[0]);
	line_hold(&r.line[1]);
	for (int i = 0; i < MANY; i++) {
		struct epoll_event event = {
			.events = EPOLLIN | EPOLLET, .data.u32 = i,
		};

		fence[i] = emit(i % 2);
		fd[i] = fence_fd(&fence[i]);
		CHECK(fd[i] >= 0);
		CHECK_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fd[i], &event), 0);
	}
	line_release(&r.line[0]);
	line_release(&r.line[1]);
	while (found < MANY) {
		struct epoll_event event[4];
		int count = epoll_wait(epoll, event, 4, 10000);

		CHECK(count > 0);
		for (int i = 0; i < count; i++, found++) {
			u32 which = event[i].data.u32;

			CHECK(!seen[which]);
			seen[which] = true;
			CHECK_EQ(fence_is_signaled(&fence[which]), 1);
		}
	}
	for (int i = 0; i < MANY; i++)
		fence_close_fd(&fence[i], fd[i]);
	close(epoll);
	rig_down(&r);
}

/* Threads ------------------------------------------------------------------ */

static struct fence shared;
static int expected;

static void wait_for_shared(unsigned int number)
{
	CHECK_EQ(fence_wait(&shared, number % WAYS, 60 * SECOND), expected);
}

/* Does this while others wait. */
static void (*meanwhile)(void);

static void waiters_and_one(unsigned int number)
{
	if (number) {
		wait_for_shared(number);
		return;
	}
	usleep(50000);		/* most of them sleep by now */
	meanwhile();
}

static void release_first(void)
{
	line_release(&r.line[0]);
}

static void fault_first(void)
{
	line_release(&r.line[0]);
	line_fault(&r.line[0]);
}

/* A hundred wait for the first line's fence; what then comes, ends it. */
static void a_hundred_wait(void (*then)(void), int result)
{
	expected = result;
	meanwhile = then;
	guest_threads(101, waiters_and_one);
}

static void one_fence_wakes_a_hundred_threads(void)
{
	rig_up(&r, &(struct rig_setup){ 0 });
	line_hold(&r.line[0]);
	shared = emit(0);
	a_hundred_wait(release_first, 0);
	rig_down(&r);
}

static void emit_and_wait(unsigned int number)
{
	for (u32 i = 0; i < 10 * guest.rounds; i++) {
		struct fence fence = emit(number % r.lines);

		CHECK_EQ(fence_wait(&fence, (number + i) % WAYS,
				    60 * SECOND), 0);
		CHECK_EQ(fence_is_signaled(&fence), 1);
	}
}

static void a_hundred_threads_emit_and_wait(void)
{
	struct gpu_irq_stats before, after;

	rig_up(&r, &(struct rig_setup){ .lines = 4, .start = 0xffffff00 });
	gpu_irq_stats(r.gpu, &before);
	guest_threads(100, emit_and_wait);
	gpu_irq_stats(r.gpu, &after);
	CHECK(after.nonstall > before.nonstall);
	CHECK_EQ(after.faults, before.faults);
	rig_down(&r);
}

/* The fence comes while the waiter lies down. */
static void a_close_call_wakes(void)
{
	rig_up(&r, &(struct rig_setup){ 0 });
	for (u32 i = 0; i < 300 * guest.rounds; i++) {
		struct fence fence = emit(0);

		if (i % 3)
			ndelay(i % 300 * 1000);
		CHECK_EQ(fence_wait(&fence, i % 2 ? FENCE_WAIT_EVENT :
				    FENCE_WAIT_COND, 10 * SECOND), 0);
	}
	rig_down(&r);
}

/* Signals ------------------------------------------------------------------ */

static unsigned int signals;
static volatile bool told;
static pthread_t waiting;

static void on_signal(int signal)
{
	(void)signal;
	__atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
}

static void wait_or_disturb(unsigned int number)
{
	if (number == 0) {
		waiting = pthread_self();
		__atomic_store_n(&told, true, __ATOMIC_RELEASE);
		CHECK_EQ(fence_wait(&shared, expected, 60 * SECOND), 0);
		return;
	}
	while (!__atomic_load_n(&told, __ATOMIC_ACQUIRE))
		usleep(1000);
	for (int i = 0; i < 30; i++) {
		pthread_kill(waiting, SIGUSR1);
		usleep(2000);
	}
	line_release(&r.line[0]);
}

static void signals_do_not_end_a_wait(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	for (int way = 0; way < WAYS; way++) {
		rig_up(&r, &(struct rig_setup){ 0 });
		line_hold(&r.line[0]);
		shared = emit(0);
		expected = way;
		told = false;
		guest_threads(2, wait_or_disturb);
		rig_down(&r);
	}
	CHECK(signals > 0);
}

/* Death -------------------------------------------------------------------- */

/* The second line knows nothing of the first's fate. */
static void second_is_well(void)
{
	struct fence fence = emit(1);

	CHECK_EQ(fence_wait(&fence, FENCE_WAIT_EVENT, 10 * SECOND), 0);
	CHECK_EQ(chan_error(r.line[1].chan), 0);
}

/* The shared fence stays behind the fault. */
static void hold_then_fault(bool fault)
{
	struct push push;
	u32 space[8];

	line_hold(&r.line[0]);
	if (fault) {
		line_fault(&r.line[0]);
	} else {
		push_init(&push, space, ARRAY_SIZE(space));
		push_nonsense(&push);
		line_submit(&r.line[0], &push);
	}
	shared = emit(0);
}

static void a_dead_channel_ends_its_waits(void)
{
	for (int fault = 0; fault < 2; fault++) {
		struct fence after;
		int fd;

		rig_up(&r, &(struct rig_setup){ .lines = 2 });
		hold_then_fault(fault);
		fd = fence_fd(&shared);
		CHECK(fd >= 0);
		a_hundred_wait(release_first, -EIO);
		CHECK_EQ(readable(fd, 10000), 1);
		CHECK_EQ(fence_is_signaled(&shared), -EIO);
		CHECK_EQ(chan_error(r.line[0].chan), -EIO);
		CHECK_EQ(fence_emit(r.line[0].timeline, SECOND, &after),
			 -EIO);
		second_is_well();
		fence_close_fd(&shared, fd);
		rig_down(&r);
	}
}

static void what_was_done_before_the_death_is_signalled(void)
{
	struct fence first;

	rig_up(&r, &(struct rig_setup){ .lines = 2 });
	first = emit(0);
	line_hold(&r.line[0]);
	shared = emit(0);
	a_hundred_wait(fault_first, 0);
	CHECK_EQ(fence_wait(&first, FENCE_WAIT_EVENT, 10 * SECOND), 0);
	second_is_well();
	rig_down(&r);
}

static void destroy_first(void)
{
	timeline_destroy(r.line[0].timeline);
	r.line[0].timeline = NULL;
}

/* A fence must not be used after its timeline's end, so all are inside. */
static void a_timelines_end_ends_its_waits(void)
{
	rig_up(&r, &(struct rig_setup){ .lines = 2 });
	line_hold(&r.line[0]);
	shared = emit(0);
	expected = -ECANCELED;
	meanwhile = destroy_first;
	usleep(1000);
	guest_threads(9, waiters_and_one);
	line_release(&r.line[0]);
	second_is_well();
	rig_down(&r);
}

static const struct guest_test tests[] = {
#define TEST(name) { #name, name, false }
#define TEST_ALONE(name) { #name, name, true }
	TEST(the_first_number_follows_start),
	TEST(every_way_of_waiting_ends_with_the_fence),
	TEST(a_wait_ends_in_time_without_the_fence),
	TEST(numbers_wrap),
	TEST(a_fence_follows_the_work_before_it),
	TEST(any_is_the_first_and_all_is_the_last),
	TEST(one_channel_waits_for_another),
	TEST(a_descriptor_is_readable_with_the_fence),
	TEST(epoll_finds_each_descriptor_once),
	TEST(one_fence_wakes_a_hundred_threads),
	TEST(a_hundred_threads_emit_and_wait),
	TEST(a_close_call_wakes),
	TEST(signals_do_not_end_a_wait),
	TEST(a_dead_channel_ends_its_waits),
	TEST(what_was_done_before_the_death_is_signalled),
	TEST(a_timelines_end_ends_its_waits),
	TEST_ALONE(a_process_that_forks_goes_on),
	TEST_ALONE(who_executes_another_takes_nothing_along),
	TEST_ALONE(a_descriptor_keeps_the_opener),
	TEST_ALONE(who_is_killed_leaves_nothing),
	TEST_ALONE(others_work_on_when_one_is_killed),
};

int main(int argc, char **argv)
{
	if (is_executed(argc, argv))
		return descriptors(argv[2]);
	return guest_main(argc, argv, tests, ARRAY_SIZE(tests));
}
