/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The call table against who means harm: calls that meet each other half way,
 * memory that runs out where something is given back, work that never ends,
 * and one opener who wants everything.
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "push.h"
#include "test_calls_rig.h"
#include "test_fault_bus.h"
#include "vm/spec/reg.h"

static struct calls_rig r;
static struct tesla_file *a, *b;

static void up(enum card_chip chip)
{
	calls_up(&r, chip);
	a = r.file[0];
	b = r.file[1];
}

/* Calls that meet ---------------------------------------------------------- */

#define MEETINGS	3000

static struct tesla_mem_alloc contested;
static pthread_barrier_t start, end;

/* Memory that is freed while this happens is shown, or it is not. */
static void *viewer(void *context)
{
	(void)context;
	for (int i = 0; i < MEETINGS; i++) {
		struct iosys_map map;

		pthread_barrier_wait(&start);
		if (tesla_map(a, contested.map_offset, PAGE, &map) == 0)
			tesla_unmap(a, contested.map_offset);
		pthread_barrier_wait(&end);
	}
	return NULL;
}

START_TEST(a_view_and_a_free_that_meet_leave_nothing)
{
	struct calls_state before;
	pthread_t thread;

	up(CARD_P40);
	make_mem(a, PAGE, TESLA_MEM_COHERENT, NULL);
	calls_look(&r, &before);
	pthread_barrier_init(&start, NULL, 2);
	pthread_barrier_init(&end, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, viewer, NULL), 0);
	for (int i = 0; i < MEETINGS; i++) {
		struct tesla_mem_free arg = { 0 };
		bool freed;

		contested = (struct tesla_mem_alloc){ .size = PAGE };
		ck_assert_int_eq(ASK(a, mem_alloc, &contested), 0);
		arg.handle = contested.handle;
		pthread_barrier_wait(&start);
		freed = ASK(a, mem_free, &arg) == 0;
		pthread_barrier_wait(&end);
		if (!freed)
			ck_assert_int_eq(ASK(a, mem_free, &arg), 0);
		ck_assert_msg(calls_same(&r, &before), "meeting %d", i);
	}
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&start);
	pthread_barrier_destroy(&end);
	calls_down(&r);
}
END_TEST

/* Giving back -------------------------------------------------------------- */

/* No ring can be where no memory is any more. */
static void is_nowhere(struct tesla_file *file, u64 va)
{
	ck_assert_int_eq(CALL_OF(file, chan_create, .id = TESLA_CHAN_ANY,
				 .gp_va = va, .gp_entries = 64), -EINVAL);
}

/* So many that for one more mapping the book would have to grow. */
START_TEST(memory_is_given_back_when_there_is_none)
{
	u32 handle[15];
	u64 va[15];

	up(CARD_P40);
	for (size_t i = 0; i < ARRAY_SIZE(va); i++)
		handle[i] = make_mem(a, PAGE, i % 3, &va[i]);
	for (size_t i = 0; i < ARRAY_SIZE(va); i++) {
		port_fail_alloc(1);
		ck_assert_int_eq(CALL_OF(a, mem_free, .handle = handle[i]),
				 0);
		port_fail_alloc(0);
		is_nowhere(a, va[i]);
	}
	calls_down(&r);
}
END_TEST

START_TEST(memory_of_a_lost_card_is_nowhere)
{
	u32 handle;
	u64 va;

	up(CARD_P40);
	handle = make_mem(a, PAGE, TESLA_MEM_COHERENT, &va);
	fault_bus_attach(r.bus, FAULT_LOST, 1);
	ck_assert_int_eq(CALL_OF(a, mem_free, .handle = handle), 0);
	is_nowhere(a, va);
	ck_assert(fault_bus_detach(r.bus));
	calls_close(&r);
	tesla_remove(r.tesla);
	ck_assert_int_eq(port_live_allocs(), 0);
	gpu_bus_close(r.bus);
}
END_TEST

/* Work that never ends ----------------------------------------------------- */

struct user {
	struct tesla_mem_alloc mem;
	struct tesla_chan_create chan;
	struct iosys_map map, userd;
};

static void user_up(struct tesla_file *file, struct user *user)
{
	memset(user, 0, sizeof(*user));
	user->mem.size = 4 * PAGE;
	ck_assert_int_eq(ASK(file, mem_alloc, &user->mem), 0);
	ck_assert_int_eq(tesla_map(file, user->mem.map_offset, 4 * PAGE,
				   &user->map), 0);
	user->chan = (struct tesla_chan_create){
		.id = TESLA_CHAN_ANY, .gp_va = user->mem.va, .gp_entries = 64,
	};
	ck_assert_int_eq(ASK(file, chan_create, &user->chan), 0);
	ck_assert_int_eq(CALL_OF(file, chan_start,
				 .handle = user->chan.handle), 0);
	ck_assert_int_eq(tesla_map(file, user->chan.userd_map, PAGE,
				   &user->userd), 0);
	iosys_map_incr(&user->userd, user->chan.userd_offset);
}

/* Its views go, as they do before a file is closed. */
static void user_down(struct tesla_file *file, struct user *user)
{
	tesla_unmap(file, user->chan.userd_map);
	tesla_unmap(file, user->mem.map_offset);
}

static void user_submit(struct user *user, const u32 *words, u32 count)
{
	u64 entry;

	iosys_map_memcpy_to(&user->map, 2048, words, count * 4);
	ck_assert_int_eq(gp_entry_segment(user->mem.va + 2048, count, 0,
					  &entry), 0);
	iosys_map_wr(&user->map, 0, u64, entry);
	dma_wmb();
	iosys_map_wr(&user->userd, NV_RAMUSERD_GP_PUT, u32, 1);
}

/* One page onto another, four thousand million times. */
static void submit_copy(struct user *user)
{
	u64 from = user->mem.va + PAGE, to = from + PAGE;
	const u32 object[] = { gpu_copy_class(r.tesla->gpu) };
	const u32 data[] = {
		upper_32_bits(from), lower_32_bits(from),
		upper_32_bits(to), lower_32_bits(to), 0, 0, PAGE, ~0u,
	};
	const u32 launch[] = { 0x386 };
	struct push push;
	u32 words[16];

	push_init(&push, words, ARRAY_SIZE(words));
	push_inc(&push, 4, NVC06F_SET_OBJECT, object, 1);
	push_inc(&push, 4, NVC0B5_OFFSET_IN_UPPER, data, 8);
	push_inc(&push, 4, NVC0B5_LAUNCH_DMA, launch, 1);
	user_submit(user, words, push.count);
}

static void copy_for_ever(struct user *user)
{
	submit_copy(user);
	iosys_map_wr(&user->map, PAGE, u32, 0x600d);
	dma_wmb();
	for (int turn = 0; turn < 100000; turn++) {
		if (iosys_map_rd(&user->map, 2 * PAGE, u32) == 0x600d)
			return;
		cpu_relax();
	}
	ck_abort_msg("it does not copy");
}

static void release_word(struct user *user)
{
	u64 word = user->mem.va + PAGE;
	const u32 data[] = {
		upper_32_bits(word), lower_32_bits(word), 9,
		NVC06F_SEMAPHORED_OPERATION_RELEASE,
	};
	struct push push;
	u32 words[8];

	push_init(&push, words, ARRAY_SIZE(words));
	push_inc(&push, 0, NVC06F_SEMAPHOREA, data, 4);
	user_submit(user, words, push.count);
	for (int turn = 0; turn < 100000; turn++) {
		if (iosys_map_rd(&user->map, PAGE, u32) == 9)
			return;
		cpu_relax();
	}
	ck_abort_msg("no work is done any more");
}

/* The engine would go on in memory that is others' by then. */
START_TEST(who_copies_for_ever_goes_all_the_same)
{
	struct user bad, good;

	up(_i);
	user_up(a, &bad);
	copy_for_ever(&bad);
	ck_assert_int_eq(CALL_OF(a, chan_stop, .handle = bad.chan.handle),
			 -ETIMEDOUT);
	user_down(a, &bad);
	tesla_close(a);
	ck_assert_uint_eq(bus_direct_violations_all(r.bus), 0);
	ck_assert_int_eq(tesla_open(r.tesla, &r.file[0]), 0);

	user_up(b, &good);
	release_word(&good);
	user_down(b, &good);
	calls_down(&r);
}
END_TEST

/* Who goes had work behind another's, and that is lost with it: he hears of
 * it, at his event too. */
START_TEST(who_loses_work_to_a_reset_is_told)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	struct user one, other;
	u64 count;

	up(_i);
	user_up(a, &one);
	ck_assert_int_eq(CALL_OF(a, event_add, .chan = one.chan.handle,
				 .mem = one.mem.handle, .value = 1,
				 .offset = 4 * PAGE - 4, .eventfd = fd), 0);
	copy_for_ever(&one);
	user_up(b, &other);
	submit_copy(&other);
	for (int turn = 0; turn < 1000; turn++)
		cpu_relax();
	user_down(b, &other);
	tesla_close(b);
	ck_assert_int_eq(tesla_open(r.tesla, &r.file[1]), 0);
	ck_assert_int_eq(CALL_OF(a, chan_error, .handle = one.chan.handle),
			 -EIO);
	ck_assert_int_eq(read(fd, &count, sizeof(count)), sizeof(count));
	user_down(a, &one);
	calls_down(&r);
	close(fd);
}
END_TEST

/* Others ------------------------------------------------------------------- */

START_TEST(a_page_of_userds_is_clean_for_its_next_owner)
{
	struct iosys_map map;
	struct user user;

	up(CARD_P100);
	user_up(a, &user);
	/* Of no channel, and in the same page. */
	iosys_map_incr(&user.userd, TESLA_USERD_SIZE);
	iosys_map_wr(&user.userd, 0x10, u32, 0x5ec2e7);
	ck_assert_uint_eq(iosys_map_rd(&user.userd, 0x10, u32), 0x5ec2e7);
	user_down(a, &user);
	ck_assert_int_eq(CALL_OF(a, chan_destroy,
				 .handle = user.chan.handle), 0);
	user_up(b, &user);
	map = user.userd;
	iosys_map_incr(&map, TESLA_USERD_SIZE);
	ck_assert_uint_eq(iosys_map_rd(&map, 0x10, u32), 0);
	user_down(b, &user);
	calls_down(&r);
}
END_TEST

START_TEST(nobody_can_have_all_channels_or_too_many_events)
{
	int fd = eventfd(0, EFD_NONBLOCK);
	u64 va, others;
	u32 chan, mem;

	up(CARD_P100);
	mem = make_mem(a, PAGE, TESLA_MEM_COHERENT, &va);
	make_mem(b, PAGE, TESLA_MEM_COHERENT, &others);
	chan = make_chan(a, va);
	for (u32 i = 1; i < FILE_CHANS_MAX; i++)
		make_chan(a, va);
	ck_assert_int_eq(CALL_OF(a, chan_create, .id = TESLA_CHAN_ANY,
				 .gp_va = va, .gp_entries = 64), -EMFILE);
	make_chan(b, others);

	for (u32 i = 0; i < FILE_EVENTS_MAX; i++)
		make_event(a, chan, mem, fd);
	ck_assert_int_eq(CALL_OF(a, event_add, .chan = chan, .mem = mem,
				 .value = 1, .eventfd = fd), -EMFILE);
	calls_down(&r);
	close(fd);
}
END_TEST

#define LARGE	(512 * M)

static void *allocate_large(void *context)
{
	bool *over = context;

	make_mem(a, LARGE, TESLA_MEM_VRAM, NULL);
	__atomic_store_n(over, true, __ATOMIC_SEQ_CST);
	return NULL;
}

START_TEST(zeroing_a_lot_does_not_keep_others_out)
{
	unsigned int calls = 0;
	bool over = false;
	pthread_t thread;

	up(CARD_P40);
	ck_assert_int_eq(pthread_create(&thread, NULL, allocate_large, &over),
			 0);
	while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
		ck_assert_int_eq(CALL_OF(b, mem_free, .handle =
			make_mem(b, PAGE, TESLA_MEM_COHERENT, NULL)), 0);
		calls++;
	}
	pthread_join(thread, NULL);
	ck_assert_uint_gt(calls, 20);
	calls_down(&r);
}
END_TEST

/* mmap2() counts pages in 32 bits: offsets end at 2^44. */
START_TEST(offsets_of_views_are_for_32_bits_too)
{
	struct tesla_mem_alloc arg;

	up(CARD_P40);
	for (u32 i = 0; i < 6000; i++) {
		arg = (struct tesla_mem_alloc){ .size = PAGE };
		ck_assert_int_eq(ASK(a, mem_alloc, &arg), 0);
		ck_assert_uint_lt(arg.map_offset, 1ULL << 44);
		ck_assert_int_eq(CALL_OF(a, mem_free, .handle = arg.handle),
				 0);
	}
	calls_down(&r);
}
END_TEST

static Suite *guard_suite(void)
{
	Suite *suite = suite_create("calls-guard");
	TCase *guard = tcase_create("guard");

	tcase_set_timeout(guard, 60);
	tcase_add_test(guard, a_view_and_a_free_that_meet_leave_nothing);
	tcase_add_test(guard, memory_is_given_back_when_there_is_none);
	tcase_add_test(guard, memory_of_a_lost_card_is_nowhere);
	tcase_add_loop_test(guard, who_copies_for_ever_goes_all_the_same, 0,
			    CARD_CHIPS);
	tcase_add_loop_test(guard, who_loses_work_to_a_reset_is_told, 0,
			    CARD_CHIPS);
	tcase_add_test(guard, a_page_of_userds_is_clean_for_its_next_owner);
	tcase_add_test(guard,
		       nobody_can_have_all_channels_or_too_many_events);
	tcase_add_test(guard, zeroing_a_lot_does_not_keep_others_out);
	tcase_add_test(guard, offsets_of_views_are_for_32_bits_too);
	suite_add_tcase(suite, guard);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(guard_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
