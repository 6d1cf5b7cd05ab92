/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Address spaces with every allocation and every read of the card going wrong
 * once; many spaces, and many threads.
 */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "tlb.h"
#include "test_fault_bus.h"
#include "test_vas_rig.h"

#define LIMIT	(1ULL << 40)

static struct vas_rig m;

/* All that a context does to its space. */
static int space_life(void)
{
	struct vas *vas;
	int err;

	err = vas_create(m.gpu, M, LIMIT, &vas);
	if (err)
		return err;
	err = map_some(vas, 62 * M, 8 * M, VAS_FIXED, 0);
	if (!err)
		err = map_some(vas, 0, 20 * K, 0, 12);
	if (!err)
		err = vas_unmap(vas, 64 * M + PAGE, 68 * K);
	if (!err)
		err = map_some(vas, 64 * M, 2 * M, VAS_FIXED | VAS_REPLACE, 0);
	if (!err)
		err = map_some(vas, 66 * M, M, VAS_FIXED | VAS_REPLACE, 12);
	if (!err)
		err = vas_unmap(vas, M, LIMIT - M);
	vas_destroy(vas);
	return err;
}

START_TEST(no_failed_allocation_leaks)
{
	unsigned int n = 0;

	vas_rig_open(&m, _i, NULL);
	do {
		int err;

		port_fail_alloc(++n);
		err = space_life();
		ck_assert_int_eq(err, port_fail_alloc_hit() ? -ENOMEM : 0);
	} while (port_fail_alloc_hit());
	port_fail_alloc(0);
	ck_assert_uint_gt(n, 20);
	ck_assert_uint_eq(bus_direct_violations_all(m.bus), 0);
	vas_rig_close(&m);
}
END_TEST

START_TEST(no_read_of_the_card_that_goes_wrong_hangs_or_leaks)
{
	static const enum fault faults[] = {
		FAULT_LOST, FAULT_STUCK, FAULT_GLITCH,
	};
	enum fault fault = faults[_i % 3];
	unsigned int n = 1;
	bool hit = true;

	setenv("PORT_LOG", "quiet", 1);
	for (; hit; n += 1 + n / 64) {
		int err;

		vas_rig_open(&m, _i / 3, NULL);
		fault_bus_attach(m.bus, fault, n);
		err = space_life();
		ck_assert(err == 0 || err == -ENODEV ||
			  (err == -ETIMEDOUT && fault != FAULT_LOST));
		gpu_close(m.gpu);
		hit = fault_bus_detach(m.bus);
		ck_assert_int_eq(port_live_allocs(), 0);
		gpu_bus_close(m.bus);
	}
	ck_assert_uint_gt(n, 30);
}
END_TEST

START_TEST(a_lost_card_is_no_device)
{
	struct vas *vas;

	setenv("PORT_LOG", "quiet", 1);
	vas_rig_open(&m, _i, NULL);
	ck_assert_int_eq(vas_create(m.gpu, M, LIMIT, &vas), 0);
	ck_assert_int_eq(map_some(vas, 64 * M, 4 * M, VAS_FIXED, 0), 0);
	card_unplug(bus_direct_lock(m.bus));
	bus_direct_unlock(m.bus);
	ck_assert_int_eq(map_some(vas, 80 * M, 4 * M, VAS_FIXED, 0), -ENODEV);
	ck_assert_int_eq(vas_unmap(vas, 65 * M + PAGE, PAGE), -ENODEV);
	ck_assert_int_eq(vas_unmap(vas, 64 * M, 4 * M), -ENODEV);
	ck_assert_int_eq(tlb_invalidate(m.gpu, TLB_ALL), -ENODEV);
	vas_destroy(vas);
	ck_assert_int_eq(vas_create(m.gpu, M, LIMIT, &vas), -ENODEV);
	vas_rig_close(&m);
}
END_TEST

/* All of video memory but some slabs of 2 MiB, and then too large a map. */
START_TEST(no_video_memory_left_is_undone)
{
	struct vas_piece piece = { MMU_VRAM, 0, 8 * M };
	struct vas *vas;

	vas_rig_open(&m, _i, NULL);
	for (u32 slabs = 0; slabs < 8; slabs++) {
		struct vas_mapping mapping = {
			.va = M, .size = 8 * M, .piece = &piece, .pieces = 1,
			.flags = VAS_FIXED, .page_shift = 12,
		};
		u64 addr[64], bytes, n = 0, keep;
		int err;

		/* A little is in use already: try ever smaller parts. */
		ck_assert_int_eq(gpu_vram_alloc(m.gpu, (slabs + 1) * 2 * M,
						&keep), 0);
		for (u64 size = 1ULL << 35; size >= PAGE; size /= 2) {
			while (n < 64 && !gpu_vram_alloc(m.gpu, size,
							 &addr[n]))
				n++;
		}
		gpu_vram_free(m.gpu, keep);
		err = vas_create(m.gpu, M, LIMIT, &vas);
		ck_assert(err == 0 || err == -ENOMEM);
		if (!err) {
			bytes = vas_table_bytes(vas);
			err = vas_map(vas, &mapping);
			ck_assert(err == 0 || err == -ENOMEM);
			ck_assert(err == 0 || bytes == vas_table_bytes(vas));
			vas_destroy(vas);
		}
		ck_assert(slabs < 7 || err == 0);
		while (n)
			gpu_vram_free(m.gpu, addr[--n]);
	}
	ck_assert_uint_eq(bus_direct_violations_all(m.bus), 0);
	vas_rig_close(&m);
}
END_TEST

START_TEST(a_thousand_spaces_do_not_know_of_each_other)
{
	static struct vas *vas[1000];

	vas_rig_open(&m, _i, NULL);
	for (u64 i = 0; i < 1000; i++) {
		struct vas_piece piece = { MMU_VRAM, (16 + i) * M, M };
		struct vas_mapping mapping = {
			.va = M, .size = 8 * K, .piece = &piece, .pieces = 1,
			.flags = VAS_FIXED,
		};

		ck_assert_int_eq(vas_create(m.gpu, M, LIMIT, &vas[i]), 0);
		ck_assert_int_eq(vas_map(vas[i], &mapping), 0);
	}
	for (u64 i = 1; i < 1000; i += 2)
		ck_assert_int_eq(vas_unmap(vas[i], M, 4 * K), 0);
	for (u64 i = 0; i < 1000; i++) {
		ck_assert(vas_rig_finds(&m, vas[i], M, (16 + i) * M) ==
			  !(i % 2));
		ck_assert(vas_rig_finds(&m, vas[i], M + PAGE,
					(16 + i) * M + PAGE));
	}
	for (u64 i = 0; i < 1000; i++)
		vas_destroy(vas[i * 7 % 1000]);
	ck_assert_uint_eq(bus_direct_violations_all(m.bus), 0);
	vas_rig_close(&m);
}
END_TEST

#define THREADS	8

static struct vas *shared;

/* Half of the threads have a space of their own. */
static void *mapper(void *arg)
{
	u64 number = (uintptr_t)arg;
	struct vas *vas = shared;

	if (number % 2)
		ck_assert_int_eq(vas_create(m.gpu, M, LIMIT, &vas), 0);
	for (u64 i = 0; i < 60; i++) {
		struct vas_piece piece = { MMU_VRAM, (64 + number) * M, M };
		struct vas_mapping mapping = {
			.size = (1 + i % 40) * PAGE, .piece = &piece,
			.pieces = 1, .offset = i * PAGE,
		};
		u64 last;

		ck_assert_int_eq(vas_map(vas, &mapping), 0);
		last = mapping.size - PAGE;
		ck_assert(vas_rig_finds(&m, vas, mapping.va, piece.addr +
				       i * PAGE));
		ck_assert_int_eq(vas_unmap(vas, mapping.va, PAGE), 0);
		ck_assert(!last || vas_rig_finds(&m, vas, mapping.va + last,
						piece.addr + i * PAGE + last));
		if (last)
			ck_assert_int_eq(vas_unmap(vas, mapping.va + PAGE,
						   last), 0);
	}
	if (vas != shared)
		vas_destroy(vas);
	return NULL;
}

START_TEST(threads_may_change_one_space_and_many)
{
	pthread_t thread[THREADS];
	u64 bytes;

	vas_rig_open(&m, _i, NULL);
	ck_assert_int_eq(vas_create(m.gpu, M, LIMIT, &shared), 0);
	bytes = vas_table_bytes(shared);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, mapper, (void *)i);
	for (u32 i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(vas_table_bytes(shared), bytes);
	vas_destroy(shared);
	ck_assert_uint_eq(bus_direct_violations_all(m.bus), 0);
	vas_rig_close(&m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("vas_life");
	TCase *tcase = tcase_create("vas_life");
	SRunner *runner = srunner_create(suite);
	int failed;

	setenv("PORT_LOG", "err", 0);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, no_failed_allocation_leaks, 0, 3);
	tcase_add_loop_test(tcase,
		no_read_of_the_card_that_goes_wrong_hangs_or_leaks, 0, 9);
	tcase_add_loop_test(tcase, a_lost_card_is_no_device, 0, 3);
	tcase_add_loop_test(tcase, no_video_memory_left_is_undone, 0, 3);
	tcase_add_loop_test(tcase,
		a_thousand_spaces_do_not_know_of_each_other, 0, 3);
	tcase_add_loop_test(tcase, threads_may_change_one_space_and_many, 0, 3);
	suite_add_tcase(suite, tcase);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
