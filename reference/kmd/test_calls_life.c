/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Openers that come, work, trespass, and go: by close(), by exit, by SIGKILL
 * in the middle of their work.  Whatever one does, the other works on.
 */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "node.h"
#include "process.h"
#include "push.h"
#include "test_calls_rig.h"
#include "vm/spec/reg.h"

#define WORDS	64
#define MS	1000000ULL
#define SEM	2048		/* where in its memory a worker's word is */
#define HOLD	2064		/* … and the one that it waits for	*/

/* A process that drives a channel by calls alone, as any program may. */
struct worker {
	struct task_struct *process;
	int fd;
	u32 mem, space, chan, put;
	u64 va;			/* where its channel has its memory	*/
	struct iosys_map map, userd;	/* its memory; its USERD	*/
};

static struct gpu_bus *bus;

#define NODE(worker, name, arg) \
	node_call((worker)->fd, TESLA_CALL_##name, arg, sizeof(*(arg)))

/* A space of its own making, with its memory there. */
static void worker_map(struct worker *worker, u64 va)
{
	struct tesla_space_create space = { .base = M, .limit = 1ULL << 40 };
	struct tesla_space_map map = {
		.mem = worker->mem, .va = va, .size = PAGE,
		.flags = TESLA_MAP_FIXED,
	};

	ck_assert_int_eq(NODE(worker, space_create, &space), 0);
	worker->space = map.space = space.handle;
	ck_assert_int_eq(NODE(worker, space_map, &map), 0);
	worker->va = va;
}

/* Ring at 0, push buffer at 1024, words behind it: one page; in the opener's
 * own space, or, not 0, at va in another. */
static void worker_up_at(struct worker *worker, const char *name, u64 va)
{
	struct tesla_mem_alloc mem = { .size = PAGE };
	struct tesla_chan_create chan = {
		.id = TESLA_CHAN_ANY, .gp_entries = 64,
	};

	memset(worker, 0, sizeof(*worker));
	worker->process = process_new(name);
	ck_assert_ptr_nonnull(worker->process);
	process_enter(worker->process);
	worker->fd = node_open(bus);
	ck_assert_int_ge(worker->fd, 0);
	ck_assert_int_eq(NODE(worker, mem_alloc, &mem), 0);
	worker->mem = mem.handle;
	worker->va = mem.va;
	ck_assert_int_eq(node_map(worker->fd, mem.map_offset, PAGE,
				  &worker->map), 0);
	if (va)
		worker_map(worker, va);
	chan.space = worker->space;
	chan.gp_va = worker->va;
	ck_assert_int_eq(NODE(worker, chan_create, &chan), 0);
	worker->chan = chan.handle;
	ck_assert_int_eq(node_map(worker->fd, chan.userd_map, PAGE,
				  &worker->userd), 0);
	iosys_map_incr(&worker->userd, chan.userd_offset);
	ck_assert_int_eq(NODE(worker, chan_start, (&(struct tesla_chan_start){
		.handle = worker->chan })), 0);
	process_enter(NULL);
}

static void worker_up(struct worker *worker, const char *name)
{
	worker_up_at(worker, name, 0);
}

/* The process ends, and nothing of it is used any more. */
static void worker_die(struct worker *worker)
{
	process_end(worker->process);
}

/* One semaphore operation, as a segment, offered at once. */
static void worker_submit(struct worker *worker, u32 at, u32 value,
			  u32 operation)
{
	u64 word = worker->va + at, entry;
	u32 words[8], pb = 1024 + worker->put * 32;
	const u32 data[] = {
		upper_32_bits(word), lower_32_bits(word), value, operation,
	};
	struct push push;

	push_init(&push, words, ARRAY_SIZE(words));
	ck_assert_int_eq(push_inc(&push, 0, NVC06F_SEMAPHOREA, data, 4), 0);
	iosys_map_memcpy_to(&worker->map, pb, words, push.count * 4);
	ck_assert_int_eq(gp_entry_segment(worker->va + pb, push.count, 0,
					  &entry), 0);
	iosys_map_wr(&worker->map, worker->put * 8, u64, entry);
	dma_wmb();
	worker->put++;
	iosys_map_wr(&worker->userd, NV_RAMUSERD_GP_PUT, u32, worker->put);
}

static void worker_release(struct worker *worker, u32 value)
{
	worker_submit(worker, SEM, value,
		      REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			      NVC06F_SEMAPHORED_OPERATION_RELEASE));
}

/* It waits for a word that nobody will write. */
static void worker_hang(struct worker *worker)
{
	worker_submit(worker, HOLD, 1,
		      REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			      NVC06F_SEMAPHORED_OPERATION_ACQUIRE) |
		      REG_VAL(NVC06F_SEMAPHORED_ACQUIRE_SWITCH, 1));
}

static bool worker_reaches(struct worker *worker, u32 value)
{
	for (int turn = 0; turn < 100000; turn++) {
		if (iosys_map_rd(&worker->map, SEM, u32) == value)
			return true;
		cpu_relax();
	}
	return false;
}

static void bus_up(enum card_chip chip)
{
	struct card_config config = { .chip = chip, .seed = 5 };

	ck_assert_int_eq(bus_direct_open(&config, &bus), 0);
}

static void bus_down(void)
{
	for (int i = 0; i < PORT_MISUSES; i++)
		ck_assert_uint_eq(port_reports(i), 0);
	ck_assert_int_eq(port_live_allocs(), 0);
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
	gpu_bus_close(bus);
}

START_TEST(one_is_killed_at_its_work_and_the_other_works_on)
{
	struct worker victim, other;

	bus_up(_i);
	worker_up(&victim, "victim");
	worker_up(&other, "other");
	worker_release(&victim, 7);
	ck_assert(worker_reaches(&victim, 7));
	worker_hang(&victim);
	worker_release(&victim, 8);
	worker_release(&other, 1);
	ck_assert(worker_reaches(&other, 1));
	ck_assert(!worker_reaches(&victim, 8));

	worker_die(&victim);
	for (u32 value = 2; value < 20; value++) {
		worker_release(&other, value);
		ck_assert(worker_reaches(&other, value));
	}
	worker_die(&other);
	bus_down();
}
END_TEST

START_TEST(addresses_of_one_mean_nothing_to_another)
{
	struct worker one, other;

	bus_up(_i);
	worker_up(&one, "one");
	worker_up(&other, "other");
	ck_assert_uint_eq(one.va, other.va);
	worker_release(&one, 5);
	ck_assert(worker_reaches(&one, 5));
	ck_assert_uint_eq(iosys_map_rd(&other.map, SEM, u32), 0);
	worker_die(&one);
	worker_die(&other);
	bus_down();
}
END_TEST

START_TEST(a_channel_works_in_a_space_that_its_opener_made)
{
	struct worker one, other;

	bus_up(_i);
	worker_up_at(&one, "one", 1ULL << 39);
	worker_up_at(&other, "other", 3 * M + PAGE);
	for (u32 value = 1; value < 8; value++) {
		worker_release(&one, value);
		worker_release(&other, ~value);
		ck_assert(worker_reaches(&one, value));
		ck_assert(worker_reaches(&other, ~value));
	}
	worker_die(&one);
	worker_die(&other);
	bus_down();
}
END_TEST

START_TEST(one_unmaps_its_own_ring_and_only_it_dies)
{
	struct tesla_space_unmap unmap = { .va = 4 * M, .size = PAGE };
	struct tesla_chan_error error = { 0 };
	struct worker one, other;
	long err;

	bus_up(_i);
	worker_up_at(&one, "one", 4 * M);
	worker_up(&other, "other");
	process_enter(one.process);
	unmap.space = one.space;
	error.handle = one.chan;
	ck_assert_int_eq(NODE(&one, space_unmap, &unmap), 0);
	worker_release(&one, 1);
	do {
		err = NODE(&one, chan_error, &error);
		cpu_relax();
	} while (!err);
	ck_assert_int_eq(err, -EIO);
	process_enter(NULL);
	for (u32 value = 1; value < 8; value++) {
		worker_release(&other, value);
		ck_assert(worker_reaches(&other, value));
	}
	worker_die(&one);
	worker_die(&other);
	ck_assert_uint_gt(bus_direct_violations(bus, RULE_MMU_FAULT), 0);
	ck_assert_uint_eq(bus_direct_violations(bus, RULE_MMU_FAULT),
			  bus_direct_violations_all(bus));
	ck_assert_int_eq(port_live_allocs(), 0);
	gpu_bus_close(bus);
}
END_TEST

START_TEST(a_killed_process_leaves_as_much_as_it_found)
{
	struct worker other, victim;
	long before;

	bus_up(CARD_P100);
	worker_up(&other, "other");
	worker_up(&victim, "victim");	/* tables that stay with the driver */
	worker_die(&victim);
	before = port_live_allocs();
	for (int i = 0; i < 20; i++) {
		worker_up(&victim, "victim");
		if (i % 2)
			worker_hang(&victim);
		worker_die(&victim);
		ck_assert_int_eq(port_live_allocs(), before);
	}
	worker_die(&other);
	bus_down();
}
END_TEST

/* Calls that never end, until somebody ends the process. */
static void *caller(void *context)
{
	struct worker *worker = context;
	long err = 0, calls = 0;

	process_enter(worker->process);
	while (!err) {
		struct tesla_mem_alloc mem = { .size = PAGE };

		err = NODE(worker, mem_alloc, &mem);
		if (!err)
			err = NODE(worker, mem_free, (&(struct tesla_mem_free){
				.handle = mem.handle }));
		calls++;
	}
	ck_assert_int_eq(err, -ESRCH);
	return (void *)calls;
}

START_TEST(a_process_ends_when_its_calls_have_returned)
{
	struct worker victim, other;
	pthread_t thread[4];

	bus_up(CARD_P40);
	worker_up(&other, "other");
	worker_up(&victim, "victim");
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, caller,
						&victim), 0);
	for (u32 value = 1; value < 30; value++) {
		worker_release(&other, value);
		ck_assert(worker_reaches(&other, value));
	}
	process_kill(victim.process);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	worker_die(&victim);
	worker_die(&other);
	bus_down();
}
END_TEST

START_TEST(a_dead_process_asks_for_nothing)
{
	struct tesla_get_info info;
	struct iosys_map map;
	struct worker worker;

	bus_up(CARD_M40);
	worker_up(&worker, "worker");
	process_kill(worker.process);
	process_enter(worker.process);
	ck_assert_int_eq(NODE(&worker, get_info, &info), -ESRCH);
	ck_assert_int_eq(node_map(worker.fd, 0, PAGE, &map), -ESRCH);
	ck_assert_int_eq(node_close(worker.fd), -ESRCH);
	ck_assert_int_eq(node_open(bus), -ESRCH);
	process_enter(NULL);
	ck_assert_int_eq(send_sig_mceerr(BUS_MCEERR_AR, NULL, 12,
					 worker.process), -ESRCH);
	worker_die(&worker);
	bus_down();
}
END_TEST

START_TEST(a_signal_reaches_the_process_that_it_is_for)
{
	struct process_signal signal;
	struct worker one, other;

	bus_up(CARD_P100);
	worker_up(&one, "one");
	worker_up(&other, "other");
	ck_assert_int_eq(send_sig_mceerr(BUS_MCEERR_AR, one.map.vaddr, 12,
					 one.process), 0);
	ck_assert_uint_eq(process_signals(one.process, &signal), 1);
	ck_assert_int_eq(signal.number, SIGBUS);
	ck_assert_int_eq(signal.code, BUS_MCEERR_AR);
	ck_assert_ptr_eq(signal.addr, one.map.vaddr);
	ck_assert_uint_eq(process_signals(other.process, NULL), 0);
	worker_die(&one);
	worker_die(&other);
	bus_down();
}
END_TEST

START_TEST(what_the_cpu_has_mapped_is_not_freed)
{
	struct worker worker;
	struct tesla_mem_free arg;
	struct tesla_chan_destroy chan;
	struct iosys_map map;

	bus_up(CARD_P40);
	worker_up(&worker, "worker");
	process_enter(worker.process);
	arg = (struct tesla_mem_free){ .handle = worker.mem };
	chan = (struct tesla_chan_destroy){ .handle = worker.chan };
	ck_assert_int_eq(NODE(&worker, mem_free, &arg), -EBUSY);
	ck_assert_int_eq(NODE(&worker, chan_destroy, &chan), -EBUSY);

	/* Offsets that no call has told, and more than there is. */
	ck_assert_int_eq(node_map(worker.fd, 0, PAGE, &map), -EINVAL);
	ck_assert_int_eq(node_map(worker.fd, (u64)worker.mem << 16 | 4096,
				  PAGE, &map), -EINVAL);
	ck_assert_int_eq(node_map(worker.fd, (u64)worker.mem << 16, 2 * PAGE,
				  &map), -EINVAL);
	ck_assert_int_eq(node_map(worker.fd, (u64)worker.mem << 16, 0, &map),
			 -EINVAL);
	ck_assert_int_eq(node_map(worker.fd, ~0ULL << 16, PAGE, &map),
			 -EINVAL);
	process_enter(NULL);
	worker_die(&worker);
	bus_down();
}
END_TEST

/* Trespass ----------------------------------------------------------------- */

/* All calls that name an object, with this for its name. */
static void try_name(struct tesla_file *file, u32 name, long *refused)
{
	struct tesla_handle arg = { .handle = name };
	static const u32 calls[] = {
		TESLA_CALL_mem_free, TESLA_CALL_space_destroy,
		TESLA_CALL_chan_destroy, TESLA_CALL_chan_stop,
		TESLA_CALL_chan_error, TESLA_CALL_event_remove,
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		*refused += tesla_call(file, calls[i], &arg, sizeof(arg)) ==
			-ENOENT;
	*refused += CALL_OF(file, chan_start, .handle = name) == -ENOENT;
	*refused += CALL_OF(file, space_map, .space = name, .mem = name,
			    .size = PAGE) == -ENOENT;
	*refused += CALL_OF(file, space_unmap, .space = name, .va = M,
			    .size = PAGE) == -ENOENT;
	*refused += CALL_OF(file, event_add, .chan = name,
			    .mem = name) == -ENOENT;
}

START_TEST(names_of_one_mean_nothing_to_another)
{
	struct calls_state before;
	struct calls_rig rig;
	u32 random = 12345, names[5];
	long refused = 0, tries = 0;
	int fd = eventfd(0, EFD_NONBLOCK);
	u64 va;

	calls_up(&rig, _i);
	names[0] = make_mem(rig.file[0], PAGE, TESLA_MEM_COHERENT, &va);
	names[1] = make_mem(rig.file[0], PAGE, TESLA_MEM_VRAM, NULL);
	names[2] = make_space(rig.file[0]);
	names[3] = make_chan(rig.file[0], va);
	names[4] = make_event(rig.file[0], names[3], names[1], fd);
	calls_look(&rig, &before);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++, tries += 10)
		try_name(rig.file[1], names[i], &refused);
	for (int i = 0; i < 20000; i++, tries += 10) {
		random = random * 1664525 + 1013904223;
		try_name(rig.file[1], random >> (random & 15), &refused);
	}
	ck_assert_int_eq(refused, tries);
	ck_assert(calls_same(&rig, &before));
	/* Nor their addresses: the ring is not in this one's space. */
	ck_assert_int_eq(CALL_OF(rig.file[1], chan_create,
				 .id = TESLA_CHAN_ANY, .gp_va = va,
				 .gp_entries = 64), -EINVAL);
	calls_down(&rig);
	close(fd);
}
END_TEST

START_TEST(a_name_is_not_given_again_soon)
{
	static u32 seen[400];
	struct calls_rig rig;

	calls_up(&rig, CARD_P40);
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		seen[i] = make_space(rig.file[0]);
		ck_assert_int_eq(CALL_OF(rig.file[0], space_destroy,
					 .handle = seen[i]), 0);
		ck_assert_int_eq(CALL_OF(rig.file[0], space_destroy,
					 .handle = seen[i]), -ENOENT);
		for (size_t j = 0; j < i; j++)
			ck_assert(seen[i] != seen[j]);
	}
	calls_down(&rig);
}
END_TEST

/* Two openers' channels never share a page that one of them can map. */
START_TEST(a_page_of_userds_has_one_owner)
{
	struct tesla_chan_create arg;
	struct calls_rig rig;
	u32 owner[64];
	u64 va[2];

	calls_up(&rig, CARD_P100);
	memset(owner, ~0, sizeof(owner));
	for (int i = 0; i < 2; i++)
		make_mem(rig.file[i], PAGE, TESLA_MEM_COHERENT, &va[i]);
	for (u32 i = 0; i < 60; i++) {
		u32 who = i % 3 == 0;

		arg = (struct tesla_chan_create){
			.id = TESLA_CHAN_ANY, .gp_va = va[who],
			.gp_entries = 64,
		};
		ck_assert_int_eq(ASK(rig.file[who], chan_create, &arg), 0);
		ck_assert(owner[arg.id / 8] == ~0u ||
			  owner[arg.id / 8] == who);
		ck_assert_uint_eq(arg.userd_offset, arg.id % 8 * 512);
		owner[arg.id / 8] = who;
	}
	calls_down(&rig);
}
END_TEST

static Suite *life_suite(void)
{
	Suite *suite = suite_create("calls-life");
	TCase *life = tcase_create("life");

	tcase_set_timeout(life, 30);
	tcase_add_loop_test(life,
		one_is_killed_at_its_work_and_the_other_works_on, 0,
		CARD_CHIPS);
	tcase_add_loop_test(life, addresses_of_one_mean_nothing_to_another, 0,
			    CARD_CHIPS);
	tcase_add_loop_test(life,
		a_channel_works_in_a_space_that_its_opener_made, 0,
		CARD_CHIPS);
	tcase_add_loop_test(life, one_unmaps_its_own_ring_and_only_it_dies, 0,
			    CARD_CHIPS);
	tcase_add_test(life, a_killed_process_leaves_as_much_as_it_found);
	tcase_add_test(life, a_process_ends_when_its_calls_have_returned);
	tcase_add_test(life, a_dead_process_asks_for_nothing);
	tcase_add_test(life, a_signal_reaches_the_process_that_it_is_for);
	tcase_add_test(life, what_the_cpu_has_mapped_is_not_freed);
	tcase_add_loop_test(life, names_of_one_mean_nothing_to_another, 0,
			    CARD_CHIPS);
	tcase_add_test(life, a_name_is_not_given_again_soon);
	tcase_add_test(life, a_page_of_userds_has_one_owner);
	suite_add_tcase(suite, life);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(life_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
