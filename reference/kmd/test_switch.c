/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The unit of GR_CTX_SWITCH and ATS: on every card, from threads, with
 * faults, and with what can go wrong.
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "ats.h"
#include "test_fault_bus.h"
#include "reference/bus/direct/direct.h"
#include "vm/spec/reg.h"

#define PAGE	4096u
#define PAGES	16u
#define BASE	(1ULL << 32)
#define VA	(BASE + 0x200000)
#define SPACES	8u

static struct gpu_bus *bus;
static struct gpu *gpu;
static struct ctx_switch *unit;

static struct space {
	struct vas *vas;
	struct gpu_mem memory;
} space[SPACES];

static void map(struct space *s, u64 addr, enum mmu_aperture aperture,
		u32 flags)
{
	struct vas_piece piece = {
		.aperture = aperture, .addr = addr, .size = PAGES * PAGE,
	};
	struct vas_mapping mapping = {
		.va = VA, .size = PAGES * PAGE, .piece = &piece, .pieces = 1,
		.flags = VAS_FIXED | flags,
	};

	ck_assert_int_eq(vas_map(s->vas, &mapping), 0);
}

static void space_open(struct space *s)
{
	ck_assert_int_eq(gpu_mem_alloc(gpu, PAGES * PAGE, MEM_VRAM,
				       &s->memory), 0);
	ck_assert_int_eq(vas_create(gpu, BASE, BASE << 1, &s->vas), 0);
	map(s, s->memory.phys, MMU_VRAM, 0);
}

static void start(enum card_chip chip, u32 flags, u32 spaces)
{
	const struct card_config config = { .chip = chip, .seed = 1 };

	setenv("PORT_LOG", "none", 0);
	ck_assert_int_eq(bus_direct_open(&config, &bus), 0);
	ck_assert_int_eq(gpu_open(bus, &gpu), 0);
	ck_assert_int_eq(ctx_switch_create(gpu, flags, &unit), 0);
	memset(space, 0, sizeof(space));
	for (u32 i = 0; i < spaces; i++)
		space_open(&space[i]);
}

static void stop(unsigned int violations)
{
	for (u32 i = 0; i < SPACES; i++) {
		if (!space[i].vas)
			continue;
		ctx_switch_forget(unit, space[i].vas);
		vas_destroy(space[i].vas);
		gpu_mem_free(gpu, &space[i].memory);
	}
	ctx_switch_destroy(unit);
	gpu_close(gpu);
	ck_assert_uint_eq(bus_direct_violations_all(bus), violations);
	gpu_bus_close(bus);
	ck_assert_int_eq(port_live_allocs(), 0);
}

static int work(u32 s, u32 pages, u32 data)
{
	const struct ctx_work work = {
		.vas = space[s].vas, .va = VA, .pages = pages, .data = data,
	};

	return ctx_switch_work(unit, &work);
}

static u32 word(u32 s, u32 page)
{
	return iosys_map_rd(&space[s].memory.map, page * PAGE, u32);
}

START_TEST(each_space_gets_its_own_words)
{
	start(_i / 2, _i % 2 ? CTX_SWITCH_TAGS : 0, 4);
	for (u32 i = 0; i < 20; i++)
		ck_assert_int_eq(work(i * 7 % 4, 1 + i % PAGES, i), 0);
	for (u32 s = 0; s < 4; s++)
		ck_assert_int_eq(work(s, PAGES, 100 + s), 0);
	ck_assert_int_eq(ctx_switch_clean(unit), 0);
	for (u32 s = 0; s < 4; s++) {
		for (u32 page = 0; page < PAGES; page++)
			ck_assert_uint_eq(word(s, page), 100 + s);
	}
	stop(0);
}
END_TEST

START_TEST(a_batch_is_the_same_in_one_go)
{
	struct ctx_work list[40];

	start(CARD_P40, _i ? CTX_SWITCH_TAGS : 0, 4);
	for (u32 i = 0; i < 40; i++)
		list[i] = (struct ctx_work){
			.vas = space[i / 2 % 4].vas, .va = VA,
			.pages = PAGES, .data = i,
		};
	ck_assert_int_eq(ctx_switch_batch(unit, list, 40), 0);
	ck_assert_int_eq(ctx_switch_clean(unit), 0);
	for (u32 s = 0; s < 4; s++)
		ck_assert_uint_eq(word(s, PAGES - 1), 33 + 2 * s);
	ck_assert_int_eq(ctx_switch_batch(unit, list, 0), -EINVAL);
	ck_assert_int_eq(ctx_switch_batch(unit, list, 1025), -EINVAL);
	list[1].pages = 0;
	ck_assert_int_eq(ctx_switch_batch(unit, list, 3), -EINVAL);
	stop(0);
}
END_TEST

START_TEST(what_is_no_work_is_refused)
{
	struct ctx_work no = { .va = VA, .pages = 1 };

	start(CARD_P100, 0, 1);
	ck_assert_int_eq(ctx_switch_work(unit, &no), -EINVAL);
	no.vas = space[0].vas;
	no.va = VA + 8;
	ck_assert_int_eq(ctx_switch_work(unit, &no), -EINVAL);
	no.va = VA;
	no.pages = CTX_SWITCH_PAGES_MAX + 1;
	ck_assert_int_eq(ctx_switch_work(unit, &no), -EINVAL);
	stop(0);
}
END_TEST

START_TEST(a_fault_ends_that_work_and_no_other)
{
	start(CARD_P100 + _i, CTX_SWITCH_TAGS, 2);
	ck_assert_int_eq(work(0, PAGES + 1, 1), -EFAULT);
	ck_assert_int_eq(work(1, PAGES, 2), 0);
	ck_assert_int_eq(work(0, PAGES, 3), 0);
	ck_assert_int_eq(ctx_switch_clean(unit), 0);
	ck_assert_uint_eq(word(0, 0), 3);
	ck_assert_uint_eq(word(1, PAGES - 1), 2);
	stop(1);
}
END_TEST

START_TEST(a_space_that_changed_is_seen_anew)
{
	start(CARD_P100, _i ? CTX_SWITCH_TAGS : 0, 2);
	ck_assert_int_eq(work(0, PAGES, 1), 0);
	ck_assert_int_eq(ctx_switch_forget(unit, space[0].vas), 0);
	ck_assert_uint_eq(word(0, 5), 1);
	map(&space[0], space[1].memory.phys, MMU_VRAM, VAS_REPLACE);
	ck_assert_int_eq(work(0, PAGES, 2), 0);
	ck_assert_int_eq(ctx_switch_clean(unit), 0);
	ck_assert_uint_eq(word(0, 5), 1);
	ck_assert_uint_eq(word(1, 5), 2);
	stop(0);
}
END_TEST

/* More spaces than the hash can keep apart, each new one in the old's place. */
START_TEST(tags_are_used_again)
{
	start(CARD_P100, CTX_SWITCH_TAGS, 1);
	for (u32 i = 0; i < 200; i++) {
		ck_assert_int_eq(work(0, 1, i), 0);
		ck_assert_int_eq(ctx_switch_forget(unit, space[0].vas), 0);
		ck_assert_uint_eq(word(0, 0), i);
		vas_destroy(space[0].vas);
		ck_assert_int_eq(vas_create(gpu, BASE, BASE << 1,
					    &space[0].vas), 0);
		map(&space[0], space[0].memory.phys, MMU_VRAM, 0);
	}
	stop(0);
}
END_TEST

static void *one_thread(void *arg)
{
	u32 s = (u32)(uintptr_t)arg;

	for (u32 i = 0; i < 100; i++)
		ck_assert_int_eq(work(s, PAGES, s << 16 | i), 0);
	return NULL;
}

START_TEST(threads_share_the_unit)
{
	pthread_t thread[SPACES];

	start(CARD_P40, _i ? CTX_SWITCH_TAGS : 0, SPACES);
	for (u32 i = 0; i < SPACES; i++)
		pthread_create(&thread[i], NULL, one_thread,
			       (void *)(uintptr_t)i);
	for (u32 i = 0; i < SPACES; i++)
		pthread_join(thread[i], NULL);
	ck_assert_int_eq(ctx_switch_clean(unit), 0);
	for (u32 s = 0; s < SPACES; s++) {
		for (u32 page = 0; page < PAGES; page++)
			ck_assert_uint_eq(word(s, page), s << 16 | 99);
	}
	stop(0);
}
END_TEST

START_TEST(a_card_without_additions_has_no_unit)
{
	const struct card_config config = { .no_additions = true };

	setenv("PORT_LOG", "none", 0);
	ck_assert_int_eq(bus_direct_open(&config, &bus), 0);
	ck_assert_int_eq(gpu_open(bus, &gpu), 0);
	ck_assert_int_eq(ctx_switch_create(gpu, 0, &unit), -ENODEV);
	ck_assert(!ats_supported(gpu));
	gpu_close(gpu);
	ck_assert_uint_eq(bus_direct_violations_all(bus), 0);
	gpu_bus_close(bus);
}
END_TEST

START_TEST(a_lost_card_ends_every_call)
{
	const struct ctx_work list = {
		.pages = 1, .va = VA,
	};
	struct ctx_work one = list;

	start(CARD_P100, CTX_SWITCH_TAGS, 1);
	one.vas = space[0].vas;
	card_unplug(bus_direct_lock(bus));
	bus_direct_unlock(bus);
	ck_assert_int_eq(ctx_switch_work(unit, &one), -ENODEV);
	ck_assert_int_eq(ctx_switch_batch(unit, &one, 1), -ENODEV);
	ck_assert_int_eq(ctx_switch_clean(unit), -ENODEV);
	ck_assert_int_eq(ctx_switch_forget(unit, one.vas), -ENODEV);
	ck_assert_int_eq(ats_enable(gpu, unit, one.vas), -ENODEV);
	stop(0);
}
END_TEST

START_TEST(any_allocation_of_a_unit_may_fail)
{
	unsigned int n = 0;
	int err;

	start(CARD_P100, 0, 0);
	ctx_switch_destroy(unit);
	do {
		port_fail_alloc(++n);
		err = ctx_switch_create(gpu, 0, &unit);
		port_fail_alloc(0);
		ck_assert(err == 0 || err == -ENOMEM);
	} while (err);
	ck_assert_uint_gt(n, 2);
	stop(0);
}
END_TEST

START_TEST(ats_writes_where_the_process_is)
{
	struct gpu_mem process;

	start(_i, 0, 1);
	ck_assert_int_eq(gpu_mem_alloc(gpu, PAGES * PAGE, MEM_COHERENT,
				       &process), 0);
	if (_i == CARD_M40) {
		ck_assert(!ats_supported(gpu));
		ck_assert_int_eq(ats_enable(gpu, unit, space[0].vas),
				 -EOPNOTSUPP);
		goto out;
	}
	map(&space[0], (u64)(uintptr_t)process.map.vaddr, MMU_SYS_COHERENT,
	    VAS_REPLACE);
	for (u32 i = 0; i < 3; i++) {
		ck_assert_int_eq(ats_enable(gpu, unit, space[0].vas), 0);
		ck_assert_int_eq(work(0, PAGES, 0x77 + i), 0);
		ck_assert_int_eq(ctx_switch_clean(unit), 0);
		ck_assert_uint_eq(iosys_map_rd(&process.map, 7 * PAGE, u32),
				  0x77 + i);
		ats_disable(gpu);
		ck_assert_int_eq(ctx_switch_forget(unit, space[0].vas), 0);
	}
out:
	gpu_mem_free(gpu, &process);
	stop(0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("switch");
	TCase *t = tcase_create("switch");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, each_space_gets_its_own_words, 0, 6);
	tcase_add_loop_test(t, a_batch_is_the_same_in_one_go, 0, 2);
	tcase_add_test(t, what_is_no_work_is_refused);
	tcase_add_loop_test(t, a_fault_ends_that_work_and_no_other, 0, 3);
	tcase_add_loop_test(t, a_space_that_changed_is_seen_anew, 0, 2);
	tcase_add_test(t, tags_are_used_again);
	tcase_add_loop_test(t, threads_share_the_unit, 0, 2);
	tcase_add_test(t, a_card_without_additions_has_no_unit);
	tcase_add_test(t, a_lost_card_ends_every_call);
	tcase_add_test(t, any_allocation_of_a_unit_may_fail);
	tcase_add_loop_test(t, ats_writes_where_the_process_is, 0, CARD_CHIPS);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
