/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The ring against the card.  The same tests run over ring.c and over
 * ring_fast.c.
 *
 * A segment releases a semaphore with a number of its own, and is padded with
 * NOPs to its size.  The card tells of each release, so a test knows what was
 * executed, how often and in which order.
 */
#include <check.h>
#include <stdlib.h>

#include "queue.h"
#include "reference/bus/direct/direct.h"
#include "reference/kmd/test_fault_bus.h"
#include "vm/spec/reg.h"

#define MS	1000000ULL
#define SEEN	65536
#define WORDS	64

static struct machine {
	struct gpu_bus *bus;
	struct gpu *gpu;
	struct gpu_mem sem;
	struct queue queue;

	/* what the card told */
	u32 seen[SEEN], releases, puts, crcs;
} m;

struct setup {
	enum card_chip chip;
	u32 gp_entries, pb_words, gp_first, id;
	enum mem_kind gp_kind, pb_kind;
	bool crc;
};

static const struct setup usual = {
	.chip = CARD_P40, .gp_entries = 16, .pb_words = 256, .id = 3,
};

static void on_event(void *context, const struct card_event *event)
{
	(void)context;
	switch (event->kind) {
	case EV_SEM_RELEASE:
		m.seen[m.releases++ % SEEN] = event->arg[1];
		break;
	case EV_GP_PUT:
		m.puts++;
		break;
	case EV_CRC:
		m.crcs++;
		break;
	default:
		break;
	}
}

/* Opening, in steps that can each fail. */

static int ring_up(const struct setup *setup)
{
	struct queue_config config = {
		.id = setup->id, .gp_entries = setup->gp_entries,
		.pb_words = setup->pb_words, .gp_first = setup->gp_first,
		.crc = setup->crc, .gp_kind = setup->gp_kind,
		.pb_kind = setup->pb_kind,
	};

	return queue_open(m.gpu, &config, &m.queue);
}

static int ring_down(u64 timeout_ns)
{
	return queue_close(&m.queue, timeout_ns);
}

static void card_up(const struct setup *setup)
{
	struct card_config config = { .chip = setup->chip, .seed = 42 };

	memset(&m, 0, sizeof(m));
	ck_assert_int_eq(bus_direct_open_traced(&config, on_event, NULL,
						&m.bus), 0);
	ck_assert_int_eq(gpu_open(m.bus, &m.gpu), 0);
	ck_assert_int_eq(gpu_mem_alloc(m.gpu, 4096, MEM_COHERENT, &m.sem), 0);
}

static void card_down(void)
{
	gpu_mem_free(m.gpu, &m.sem);
	gpu_close(m.gpu);
	ck_assert_int_eq(port_live_allocs(), 0);
	ck_assert_uint_eq(bus_direct_violations_all(m.bus), 0);
	gpu_bus_close(m.bus);
}

static void up(const struct setup *setup)
{
	card_up(setup);
	ck_assert_int_eq(ring_up(setup), 0);
}

static void down(void)
{
	ck_assert_int_eq(ring_down(100 * MS), 0);
	card_down();
}

static void freeze(bool frozen)
{
	card_freeze_host(bus_direct_lock(m.bus), frozen);
	bus_direct_unlock(m.bus);
}

/* A segment of size words, five at least, that releases number. */
static struct push segment(u32 words[WORDS], u32 size, u32 number)
{
	u32 data[4] = {
		upper_32_bits(m.sem.va), lower_32_bits(m.sem.va), number,
		REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			NVC06F_SEMAPHORED_OPERATION_RELEASE) |
		REG_VAL(NVC06F_SEMAPHORED_RELEASE_WFI,
			NVC06F_SEMAPHORED_RELEASE_WFI_DIS) |
		REG_VAL(NVC06F_SEMAPHORED_RELEASE_SIZE,
			NVC06F_SEMAPHORED_RELEASE_SIZE_4BYTE),
	};
	struct push push;

	memset(words, 0, WORDS * sizeof(*words));
	push_init(&push, words, WORDS);
	push.count = size - 5;	/* zero words are NOPs */
	ck_assert_int_eq(push_inc(&push, 0, NVC06F_SEMAPHOREA, data, 4), 0);
	return push;
}

static int submit(u32 size, u32 number, u32 flags, u64 timeout_ns)
{
	u32 words[WORDS];
	struct push push = segment(words, size, number);
	int err = ring_submit(m.queue.ring, &push, flags, timeout_ns);

	/* The caller's array may be reused at once. */
	memset(words, 0xff, sizeof(words));
	return err;
}

static int submit_batch(u32 size, u32 number, u32 count, u32 flags,
			u64 timeout_ns)
{
	u32 words[16][WORDS];
	struct push push[16];

	for (u32 i = 0; i < count; i++)
		push[i] = segment(words[i], size, number + i);
	return ring_submit_batch(m.queue.ring, push, count, flags, timeout_ns);
}

static void expect_in_order(u32 count)
{
	ck_assert_uint_eq(m.releases, count);
	for (u32 i = 0; i < count; i++)
		ck_assert_uint_eq(m.seen[i], i);
}

static void wait_idle(void)
{
	ck_assert_int_eq(ring_wait_idle(m.queue.ring, 1000 * MS), 0);
	ck_assert_int_eq(ring_is_idle(m.queue.ring), 1);
}

START_TEST(a_segment_executes_from_memory_of_every_kind_on_every_card)
{
	struct setup setup = usual;

	setup.gp_kind = _i % 3;
	setup.pb_kind = _i / 3 % 3;
	setup.chip = _i / 9 % 3;
	setup.crc = _i / 27;
	up(&setup);
	ck_assert_int_eq(ring_is_idle(m.queue.ring), 1);
	for (u32 i = 0; i < 100; i++)
		ck_assert_int_eq(submit(5 + i % 20, i, 0, MS), 0);
	wait_idle();
	expect_in_order(100);
	ck_assert_uint_eq(m.crcs, setup.crc ? 100 : 0);
	ck_assert_uint_eq(iosys_map_rd(&m.sem.map, 0, u32), 99);
	down();
}
END_TEST

START_TEST(both_buffers_wrap_around_at_every_offset)
{
	struct setup setup = usual;

	setup.gp_entries = _i % 2 ? 4 : 8;
	setup.pb_words = 64;
	setup.crc = _i / 2;
	up(&setup);
	for (u32 i = 0; i < 2000; i++)
		ck_assert_int_eq(submit(5 + i * 7 % 28, i, 0, MS), 0);
	wait_idle();
	expect_in_order(2000);
	down();
}
END_TEST

START_TEST(one_entry_stays_empty)
{
	struct setup setup = usual;
	u32 fit = 15;

	setup.crc = _i;
	if (setup.crc)
		fit = 7;
	up(&setup);
	freeze(true);
	for (u32 i = 0; i < fit; i++)
		ck_assert_int_eq(submit(5, i, 0, 0), 0);
	ck_assert_int_eq(submit(5, 99, 0, 0), -EAGAIN);
	freeze(false);
	wait_idle();
	ck_assert_int_eq(submit(5, fit, 0, 0), 0);
	wait_idle();
	expect_in_order(fit + 1);
	down();
}
END_TEST

START_TEST(push_buffer_words_are_reused_only_when_consumed)
{
	struct setup setup = usual;

	setup.gp_entries = 64;
	setup.pb_words = 64;
	up(&setup);
	freeze(true);
	ck_assert_int_eq(submit(32, 0, 0, 0), 0);
	ck_assert_int_eq(submit(31, 1, 0, 0), 0);
	/* One word is left at the end; it does not help. */
	ck_assert_int_eq(submit(5, 99, 0, 0), -EAGAIN);
	freeze(false);
	ck_assert_int_eq(submit(32, 2, 0, MS), 0);
	ck_assert_int_eq(submit(32, 3, 0, MS), 0);
	wait_idle();
	expect_in_order(4);
	down();
}
END_TEST

START_TEST(a_full_ring_waits_as_long_as_it_was_told_to)
{
	u64 start;

	up(&usual);
	freeze(true);
	for (u32 i = 0; i < 15; i++)
		ck_assert_int_eq(submit(5, i, 0, 0), 0);
	start = ktime_get_ns();
	ck_assert_int_eq(submit(5, 99, 0, 3 * MS), -ETIMEDOUT);
	ck_assert_uint_ge(ktime_get_ns() - start, 3 * MS);
	ck_assert_uint_le(ktime_get_ns() - start, 4 * MS);
	ck_assert_int_eq(ring_wait_idle(m.queue.ring, MS), -ETIMEDOUT);
	freeze(false);
	wait_idle();
	expect_in_order(15);
	down();
}
END_TEST

START_TEST(a_batch_is_offered_by_one_write)
{
	up(&usual);
	ck_assert_int_eq(submit_batch(6, 0, 10, 0, 0), 0);
	wait_idle();
	expect_in_order(10);
	ck_assert_uint_eq(m.puts, 1);
	down();
}
END_TEST

START_TEST(a_batch_fits_as_a_whole_or_not_at_all)
{
	up(&usual);
	freeze(true);
	ck_assert_int_eq(submit_batch(5, 0, 9, 0, 0), 0);
	ck_assert_int_eq(submit_batch(5, 90, 7, 0, 0), -EAGAIN);
	ck_assert_int_eq(submit_batch(5, 90, 7, 0, MS), -ETIMEDOUT);
	ck_assert_int_eq(submit_batch(5, 9, 6, 0, 0), 0);
	ck_assert_int_eq(submit_batch(5, 90, 16, 0, 0), -EINVAL);
	freeze(false);
	wait_idle();
	expect_in_order(15);
	down();
}
END_TEST

START_TEST(a_batch_that_fills_the_push_buffer_fits_when_it_is_empty)
{
	struct setup setup = usual;

	setup.pb_words = 64;
	up(&setup);
	/* The buffer's head is somewhere in the middle. */
	ck_assert_int_eq(submit(7, 0, 0, 0), 0);
	ck_assert_int_eq(submit_batch(16, 1, 4, 0, MS), 0);
	ck_assert_int_eq(submit_batch(16, 5, 5, 0, MS), -EINVAL);
	wait_idle();
	expect_in_order(5);
	down();
}
END_TEST

START_TEST(what_was_deferred_is_offered_by_a_kick)
{
	up(&usual);
	for (u32 i = 0; i < 5; i++)
		ck_assert_int_eq(submit(5, i, RING_DEFER, 0), 0);
	for (u32 i = 0; i < 100; i++)
		cpu_relax();
	ck_assert_uint_eq(m.puts, 0);
	ck_assert_uint_eq(m.releases, 0);
	ck_assert_int_eq(ring_kick(m.queue.ring), 0);
	wait_idle();
	ck_assert_uint_eq(m.puts, 1);
	ck_assert_int_eq(ring_kick(m.queue.ring), 0);
	ck_assert_int_eq(submit_batch(5, 5, 3, RING_DEFER, 0), 0);
	ck_assert_int_eq(submit(5, 8, 0, 0), 0);
	wait_idle();
	expect_in_order(9);
	ck_assert_uint_eq(m.puts, 2);
	down();
}
END_TEST

START_TEST(a_ring_full_of_deferred_work_makes_room_by_itself)
{
	up(&usual);
	for (u32 i = 0; i < 100; i++)
		ck_assert_int_eq(submit(5, i, RING_DEFER, MS), 0);
	ck_assert_int_eq(ring_kick(m.queue.ring), 0);
	wait_idle();
	expect_in_order(100);
	down();
}
END_TEST

START_TEST(a_paused_ring_goes_on_with_exactly_what_was_left)
{
	struct setup setup = usual;

	setup.gp_entries = 128;
	setup.pb_words = 1024;
	setup.gp_kind = _i % 3;
	setup.pb_kind = _i % 3;
	setup.gp_first = 120;
	setup.crc = _i >= 3;
	up(&setup);
	for (u32 i = 0; i < 40; i++) {
		ck_assert_int_eq(submit(5 + i % 11, i, 0, MS), 0);
		if (i == 10 || i == 25) {
			ck_assert_int_eq(ring_pause(m.queue.ring), 0);
			ck_assert_int_eq(ring_pause(m.queue.ring), -EINVAL);
		}
		if (i == 20 || i == 30) {
			u32 before = m.releases;

			for (int turn = 0; turn < 200; turn++)
				cpu_relax();
			ck_assert_uint_eq(m.releases, before);
			ck_assert_int_eq(ring_resume(m.queue.ring), 0);
			ck_assert_int_eq(ring_resume(m.queue.ring), -EINVAL);
		}
	}
	wait_idle();
	expect_in_order(40);
	down();
}
END_TEST

START_TEST(an_idle_ring_pauses_and_stays_idle)
{
	up(&usual);
	ck_assert_int_eq(ring_pause(m.queue.ring), 0);
	ck_assert_int_eq(ring_is_idle(m.queue.ring), 1);
	ck_assert_int_eq(ring_resume(m.queue.ring), 0);
	ck_assert_int_eq(submit(5, 0, 0, 0), 0);
	wait_idle();
	ck_assert_int_eq(ring_pause(m.queue.ring), 0);
	ck_assert_int_eq(ring_is_idle(m.queue.ring), 1);
	ck_assert_int_eq(ring_resume(m.queue.ring), 0);
	wait_idle();
	expect_in_order(1);
	down();
}
END_TEST

START_TEST(destroying_waits_for_the_work)
{
	up(&usual);
	for (u32 i = 0; i < 10; i++)
		ck_assert_int_eq(submit(5, i, i % 2 ? RING_DEFER : 0, 0), 0);
	ck_assert_int_eq(ring_down(100 * MS), 0);
	expect_in_order(10);
	card_down();
}
END_TEST

START_TEST(destroying_drops_what_does_not_get_done)
{
	struct setup setup = usual;

	up(&setup);
	ck_assert_int_eq(ring_pause(m.queue.ring), 0);
	for (u32 i = 0; i < 10; i++)
		ck_assert_int_eq(submit(5, 77, 0, 0), 0);
	ck_assert_int_eq(ring_down(MS), -ETIMEDOUT);
	ck_assert_uint_eq(m.releases, 0);

	/* The same id again: nothing of the old work may come back. */
	setup.gp_first = 9;
	ck_assert_int_eq(ring_up(&setup), 0);
	for (u32 i = 0; i < 30; i++)
		ck_assert_int_eq(submit(5, i, 0, MS), 0);
	wait_idle();
	expect_in_order(30);
	down();
}
END_TEST

START_TEST(a_ring_begins_at_any_entry)
{
	struct setup setup = usual;

	setup.gp_first = _i;
	setup.gp_kind = _i % 3;
	up(&setup);
	ck_assert_int_eq(ring_is_idle(m.queue.ring), 1);
	for (u32 i = 0; i < 40; i++)
		ck_assert_int_eq(submit(5, i, 0, MS), 0);
	wait_idle();
	expect_in_order(40);
	down();
}
END_TEST

START_TEST(sizes_that_cannot_be_are_refused)
{
	struct setup setup = usual;

	card_up(&usual);
	setup.gp_first = 16;
	ck_assert_int_eq(ring_up(&setup), -EINVAL);
	setup = usual;
	setup.pb_words = 8;
	ck_assert_int_eq(ring_up(&setup), -EINVAL);
	setup.pb_words = RING_PB_WORDS_MAX + 1;
	ck_assert_int_eq(ring_up(&setup), -EINVAL);
	setup = usual;
	setup.gp_entries = 2;
	ck_assert_int_eq(ring_up(&setup), -EINVAL);

	setup = usual;
	setup.pb_words = 64;
	ck_assert_int_eq(ring_up(&setup), 0);
	ck_assert_int_eq(submit(33, 0, 0, MS), -EINVAL);
	ck_assert_int_eq(submit(5, 0, 2, MS), -EINVAL);
	ck_assert_int_eq(submit_batch(5, 0, 0, 0, MS), -EINVAL);
	ck_assert_int_eq(ring_submit(m.queue.ring, &(struct push){ 0 }, 0, 0),
			 -EINVAL);
	ck_assert_int_eq(submit(32, 0, 0, MS), 0);
	wait_idle();
	expect_in_order(1);
	down();
}
END_TEST

START_TEST(a_lost_card_is_no_device_from_then_on)
{
	u64 start;
	int err = 0;

	up(&usual);
	ck_assert_int_eq(submit(5, 0, 0, MS), 0);
	wait_idle();
	card_unplug(bus_direct_lock(m.bus));
	bus_direct_unlock(m.bus);

	start = ktime_get_ns();
	for (u32 i = 0; i < 17 && !err; i++)
		err = submit(5, 99, _i ? RING_DEFER : 0, 10 * MS);
	ck_assert_int_eq(err, -ENODEV);
	ck_assert_uint_lt(ktime_get_ns() - start, 10 * MS);
	ck_assert_int_eq(submit(5, 99, 0, MS), -ENODEV);
	ck_assert_int_eq(submit_batch(5, 99, 2, 0, MS), -ENODEV);
	ck_assert_int_eq(ring_kick(m.queue.ring), -ENODEV);
	ck_assert_int_eq(ring_is_idle(m.queue.ring), -ENODEV);
	ck_assert_int_eq(ring_wait_idle(m.queue.ring, MS), -ENODEV);
	ck_assert_int_eq(ring_pause(m.queue.ring), -ENODEV);
	ck_assert_int_eq(ring_resume(m.queue.ring), -ENODEV);
	ck_assert_int_eq(ring_down(100 * MS), -ENODEV);
	expect_in_order(1);
	card_down();
}
END_TEST

START_TEST(copies_are_done_when_their_semaphore_says_so)
{
	struct setup setup = usual;
	struct gpu_mem from, to;
	u32 words[WORDS];
	struct push push;
	u32 class;

	setup.chip = _i;
	up(&setup);
	ck_assert_int_eq(gpu_mem_alloc(m.gpu, 8192, MEM_COHERENT, &from), 0);
	ck_assert_int_eq(gpu_mem_alloc(m.gpu, 8192, MEM_COHERENT, &to), 0);
	for (u32 i = 0; i < 8192; i += 4)
		iosys_map_wr(&from.map, i, u32, i * 3);

	class = gpu_copy_class(m.gpu);
	push_init(&push, words, WORDS);
	push_inc(&push, 4, NVC06F_SET_OBJECT, &class, 1);
	push_inc(&push, 4, NVC0B5_OFFSET_IN_UPPER, (u32[]){
		upper_32_bits(from.va), lower_32_bits(from.va),
		upper_32_bits(to.va), lower_32_bits(to.va) }, 4);
	push_inc(&push, 4, NVC0B5_LINE_LENGTH_IN, (u32[]){ 8192, 1 }, 2);
	push_inc(&push, 4, NVC0B5_SET_SEMAPHORE_A, (u32[]){
		upper_32_bits(m.sem.va), lower_32_bits(m.sem.va), 1234 }, 3);
	ck_assert_int_eq(push_immediate(&push, 4, NVC0B5_LAUNCH_DMA, 0x18e),
			 0);
	ck_assert_int_eq(ring_submit(m.queue.ring, &push, 0, MS), 0);
	for (u64 start = ktime_get_ns();
	     iosys_map_rd(&m.sem.map, 0, u32) != 1234; cpu_relax())
		ck_assert_uint_lt(ktime_get_ns() - start, 10 * MS);
	dma_rmb();
	for (u32 i = 0; i < 8192; i += 4)
		ck_assert_uint_eq(iosys_map_rd(&to.map, i, u32), i * 3);
	wait_idle();

	/* Objects survive a pause. */
	ck_assert_int_eq(ring_pause(m.queue.ring), 0);
	ck_assert_int_eq(ring_resume(m.queue.ring), 0);
	push_init(&push, words, WORDS);
	push_inc(&push, 4, NVC0B5_SET_SEMAPHORE_A, (u32[]){
		upper_32_bits(m.sem.va), lower_32_bits(m.sem.va), 99 }, 3);
	push_immediate(&push, 4, NVC0B5_LAUNCH_DMA, 0x18e);
	ck_assert_int_eq(ring_submit(m.queue.ring, &push, 0, MS), 0);
	wait_idle();
	for (u64 start = ktime_get_ns();
	     iosys_map_rd(&m.sem.map, 0, u32) != 99; cpu_relax())
		ck_assert_uint_lt(ktime_get_ns() - start, 10 * MS);
	ck_assert_int_eq(ring_down(MS), 0);
	gpu_mem_free(m.gpu, &to);
	gpu_mem_free(m.gpu, &from);
	card_down();
}
END_TEST

/* Threads: each numbers its own segments; numbers are thread << 16 | n. */

#define THREADS		4
#define PER_THREAD	2000

static bool stop_pausing;

static void *producer(void *arg)
{
	u32 self = (u32)(uintptr_t)arg;

	for (u32 n = 0; n < PER_THREAD;) {
		u32 flags = n % 3 ? RING_DEFER : 0;
		int err;

		if (n % 7 == 0 && n + 3 <= PER_THREAD) {
			err = submit_batch(6, self << 16 | n, 3, flags,
					   10000 * MS);
			n += 3;
		} else {
			err = submit(5 + n % 25, self << 16 | n, flags,
				     10000 * MS);
			n++;
		}
		if (err)
			return (void *)(intptr_t)err;
	}
	return (void *)(intptr_t)ring_kick(m.queue.ring);
}

static void *pauser(void *arg)
{
	int err = 0;

	(void)arg;
	while (!err && !__atomic_load_n(&stop_pausing, __ATOMIC_RELAXED)) {
		err = ring_pause(m.queue.ring);
		for (int i = 0; i < 10; i++)
			cpu_relax();
		if (!err)
			err = ring_resume(m.queue.ring);
		for (int i = 0; i < 30; i++)
			cpu_relax();
	}
	return (void *)(intptr_t)err;
}

static void expect_each_in_order(void)
{
	u32 next[THREADS] = { 0 };

	ck_assert_uint_eq(m.releases, THREADS * PER_THREAD);
	for (u32 i = 0; i < m.releases; i++) {
		u32 thread = m.seen[i] >> 16;

		ck_assert_uint_lt(thread, THREADS);
		ck_assert_uint_eq(m.seen[i] & 0xffff, next[thread]);
		next[thread]++;
	}
}

START_TEST(threads_submit_to_one_ring_each_in_its_own_order)
{
	struct setup setup = usual;
	pthread_t thread[THREADS], pausing;
	void *result;

	setup.gp_kind = _i % 3;
	setup.pb_kind = _i % 3;
	setup.crc = _i / 3 % 2;
	stop_pausing = false;
	up(&setup);
	if (_i >= 6)
		pthread_create(&pausing, NULL, pauser, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, producer,
						(void *)i), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &result);
		ck_assert_ptr_null(result);
	}
	__atomic_store_n(&stop_pausing, true, __ATOMIC_RELAXED);
	if (_i >= 6) {
		pthread_join(pausing, &result);
		ck_assert_ptr_null(result);
	}
	wait_idle();
	expect_each_in_order();
	down();
}
END_TEST

START_TEST(no_failed_allocation_leaks)
{
	unsigned int n = 0;
	int err;

	card_up(&usual);
	do {
		long live = port_live_allocs();

		port_fail_alloc(++n);
		err = ring_up(&usual);
		ck_assert_int_eq(err, port_fail_alloc_hit() ? -ENOMEM : 0);
		if (!err) {
			ck_assert_int_eq(submit(5, 0, 0, 0), 0);
			ck_assert_int_eq(ring_down(MS), 0);
		}
		/* Page tables are kept for the next mapping. */
		ck_assert_int_ge(port_live_allocs(), live);
		ck_assert_int_le(port_live_allocs(), live + 12);
	} while (port_fail_alloc_hit());
	port_fail_alloc(0);
	ck_assert_uint_ge(n, 5);
	card_down();
}
END_TEST

static int ring_life(void)
{
	int err = ring_up(&usual), end;

	for (u32 i = 0; !err && i < 40; i++)
		err = submit(5, i, 0, MS);
	if (m.queue.ring && !err)
		err = ring_pause(m.queue.ring);
	if (m.queue.ring && !err)
		err = ring_resume(m.queue.ring);
	if (!m.queue.ring)
		return err;
	end = ring_down(MS);
	return err ? err : end;
}

START_TEST(no_moment_at_which_the_card_is_lost_hangs_the_ring)
{
	unsigned int n = 1;
	bool hit;

	setenv("PORT_LOG", "quiet", 1);
	do {
		int err;

		card_up(&usual);
		fault_bus_attach(m.bus, FAULT_LOST, n);
		err = ring_life();
		hit = fault_bus_detach(m.bus);
		ck_assert(err == -ENODEV || err == -ETIMEDOUT || !hit ||
			  !err);
		gpu_mem_free(m.gpu, &m.sem);
		gpu_close(m.gpu);
		ck_assert_int_eq(port_live_allocs(), 0);
		gpu_bus_close(m.bus);
		n += 3 + n / 64;
	} while (hit);
	ck_assert_uint_gt(n, 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ring");
	TCase *t = tcase_create("ring");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t,
		a_segment_executes_from_memory_of_every_kind_on_every_card,
		0, 54);
	tcase_add_loop_test(t, both_buffers_wrap_around_at_every_offset,
			    0, 4);
	tcase_add_loop_test(t, one_entry_stays_empty, 0, 2);
	tcase_add_test(t, push_buffer_words_are_reused_only_when_consumed);
	tcase_add_test(t, a_full_ring_waits_as_long_as_it_was_told_to);
	tcase_add_test(t, a_batch_is_offered_by_one_write);
	tcase_add_test(t, a_batch_fits_as_a_whole_or_not_at_all);
	tcase_add_test(t,
		a_batch_that_fills_the_push_buffer_fits_when_it_is_empty);
	tcase_add_test(t, what_was_deferred_is_offered_by_a_kick);
	tcase_add_test(t, a_ring_full_of_deferred_work_makes_room_by_itself);
	tcase_add_loop_test(t,
		a_paused_ring_goes_on_with_exactly_what_was_left, 0, 6);
	tcase_add_test(t, an_idle_ring_pauses_and_stays_idle);
	tcase_add_test(t, destroying_waits_for_the_work);
	tcase_add_test(t, destroying_drops_what_does_not_get_done);
	tcase_add_loop_test(t, a_ring_begins_at_any_entry, 0, 16);
	tcase_add_test(t, sizes_that_cannot_be_are_refused);
	tcase_add_loop_test(t, a_lost_card_is_no_device_from_then_on, 0, 2);
	tcase_add_loop_test(t, copies_are_done_when_their_semaphore_says_so,
			    0, 3);
	tcase_add_loop_test(t,
		threads_submit_to_one_ring_each_in_its_own_order, 0, 12);
	tcase_add_test(t, no_failed_allocation_leaks);
	tcase_add_test(t, no_moment_at_which_the_card_is_lost_hangs_the_ring);
	suite_add_tcase(suite, t);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
