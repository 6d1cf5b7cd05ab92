/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Every rule of the memory model, as visibility.h numbers them [§4.2]. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/visibility.h"

#define SIZE	0x10000u
#define COHERENT 0x0000u	/* offsets of the two mappings	*/
#define COMBINED 0x4000u

static uint8_t cpu[SIZE];
static struct visibility *v;

static void make(enum visibility_order order, uint64_t seed, uint32_t min,
		 uint32_t max)
{
	struct visibility_config config = {
		.cpu = cpu, .size = SIZE, .order = order, .seed = seed,
		.evict_min = min, .evict_max = max,
	};

	visibility_free(v);
	memset(cpu, 0xee, sizeof(cpu));
	v = visibility_new(&config);
	ck_assert_ptr_nonnull(v);
	visibility_map(v, COHERENT, 0x4000, VISIBILITY_COHERENT);
	visibility_map(v, COMBINED, 0x4000, VISIBILITY_COMBINED);
}

static void setup(void)
{
	make(VISIBILITY_WEAK, 1, 0, 0);
}

static void teardown(void)
{
	visibility_free(v);
	v = NULL;
}

static void store(unsigned int thread, uint64_t offset, uint32_t value)
{
	visibility_store(v, thread, offset, 4, value, 100);
}

static uint32_t word(const uint8_t *view, uint64_t offset)
{
	uint32_t value;

	memcpy(&value, view + offset, sizeof(value));
	return value;
}

static uint32_t card(uint64_t offset)
{
	return word(visibility_card(v), offset);
}

START_TEST(fresh_memory_is_zero_for_both)
{
	ck_assert_uint_eq(word(cpu, COHERENT + 8), 0);
	ck_assert_uint_eq(card(COMBINED + 8), 0);
	ck_assert(!visibility_pending(v, 0, 0x8000, NULL));
}
END_TEST

START_TEST(memory_that_began_as_zero_is_cleared_when_used_again)
{
	const struct visibility_config config = {
		.cpu = cpu, .size = SIZE, .cpu_is_zero = true,
	};

	visibility_free(v);
	v = visibility_new(&config);
	ck_assert_ptr_nonnull(v);
	memset(cpu + COHERENT, 0, 0x4000);
	visibility_map(v, COHERENT, 0x2000, VISIBILITY_COHERENT);
	store(0, COHERENT + 8, 0x1234);
	visibility_map(v, COHERENT, 0x4000, VISIBILITY_COHERENT);
	ck_assert_uint_eq(word(cpu, COHERENT + 8), 0);
	ck_assert_uint_eq(card(COHERENT + 8), 0);
	ck_assert(!visibility_pending(v, COHERENT, 0x4000, NULL));
}
END_TEST

/* 1 */
START_TEST(a_store_is_seen_by_the_cpu_and_not_by_the_card)
{
	store(0, 16, 0x1234);
	ck_assert_uint_eq(word(cpu, 16), 0x1234);
	ck_assert_uint_eq(card(16), 0);
	ck_assert_uint_eq(visibility_pending_count(v), 1);
}
END_TEST

/* 3: which barrier publishes which mapping. */
static const struct {
	enum wire_barrier barrier;
	bool coherent, combined;
} barriers[] = {
	{ WIRE_BARRIER_DMA_RMB, false, false },
	{ WIRE_BARRIER_DMA_WMB, true, false },
	{ WIRE_BARRIER_RMB, false, false },
	{ WIRE_BARRIER_WMB, true, true },
	{ WIRE_BARRIER_MB, true, true },
};

START_TEST(a_barrier_publishes_its_mappings_and_no_other)
{
	store(0, COHERENT, 1);
	store(0, COMBINED, 2);
	visibility_barrier(v, 0, barriers[_i].barrier);
	ck_assert_uint_eq(card(COHERENT), barriers[_i].coherent ? 1 : 0);
	ck_assert_uint_eq(card(COMBINED), barriers[_i].combined ? 2 : 0);
	ck_assert(visibility_pending(v, COHERENT, 4, NULL) !=
		  barriers[_i].coherent);
	ck_assert(visibility_pending(v, COMBINED, 4, NULL) !=
		  barriers[_i].combined);
}
END_TEST

START_TEST(a_barrier_does_not_cover_later_stores)
{
	store(0, 0, 1);
	visibility_barrier(v, 0, WIRE_BARRIER_MB);
	store(0, 4, 2);
	ck_assert_uint_eq(card(0), 1);
	ck_assert_uint_eq(card(4), 0);
}
END_TEST

/* 4 */
START_TEST(a_barrier_covers_what_other_threads_stored_before)
{
	store(1, 0, 1);
	visibility_barrier(v, 0, WIRE_BARRIER_DMA_WMB);
	ck_assert_uint_eq(card(0), 1);
	store(2, 4, 2);
	visibility_barrier(v, 0, WIRE_BARRIER_WMB);
	ck_assert_uint_eq(card(4), 2);
}
END_TEST

START_TEST(a_barrier_drains_its_own_combining_buffers_and_no_other)
{
	static const enum wire_barrier draining[] = {
		WIRE_BARRIER_WMB, WIRE_BARRIER_MB
	};
	struct visibility_store left;

	store(1, COMBINED, 1);
	store(2, COMBINED + 64, 2);
	visibility_barrier(v, 2, draining[_i]);
	ck_assert_uint_eq(card(COMBINED), 0);
	ck_assert_uint_eq(card(COMBINED + 64), 2);
	ck_assert(visibility_pending(v, COMBINED, 128, &left));
	ck_assert_uint_eq(left.thread, 1);
	visibility_barrier(v, 1, draining[_i]);
	ck_assert_uint_eq(card(COMBINED), 1);
	/* the table has 32 CPUs */
	store(33, COMBINED, 3);
	visibility_barrier(v, 33, draining[_i]);
	ck_assert_uint_eq(card(COMBINED), 3);
}
END_TEST

/* 6, 7 */
START_TEST(a_posted_write_publishes_nothing)
{
	store(0, 0, 1);
	visibility_mmio(v, 0);
	ck_assert_uint_eq(card(0), 0);
}
END_TEST

START_TEST(with_x86_order_a_posted_write_publishes_coherent_stores)
{
	make(VISIBILITY_X86, 1, 0, 0);
	store(0, 0, 1);
	store(0, COMBINED, 2);
	store(1, 4, 3);
	visibility_mmio(v, 0);
	ck_assert_uint_eq(card(0), 1);
	ck_assert_uint_eq(card(COMBINED), 0);
	ck_assert_uint_eq(card(4), 0);
}
END_TEST

START_TEST(a_store_may_be_visible_at_once)
{
	make(VISIBILITY_AT_ONCE, 1, 0, 0);
	store(0, 0, 1);
	store(0, COMBINED, 2);
	ck_assert_uint_eq(card(0), 1);
	ck_assert_uint_eq(card(COMBINED), 2);
	ck_assert_uint_eq(visibility_pending_count(v), 0);
}
END_TEST

/* 7: the younger value never loses to the older one. */
START_TEST(stores_to_the_same_bytes_stay_in_order)
{
	uint64_t seed;

	for (seed = 0; seed < 200; seed++) {
		make(VISIBILITY_WEAK, seed, 1, 50);
		visibility_store(v, 0, 0, 4, 1, 0);
		visibility_store(v, 1, 0, 4, 2, 1);
		visibility_store(v, 0, 2, 2, 3, 2);
		ck_assert_uint_ge(card(0), 0);
		visibility_age(v, seed % 60);
		ck_assert_uint_ne(card(0) & 0xffff, 1);
		visibility_age(v, 1000);
		ck_assert_uint_eq(card(0), 0x00030002);
		ck_assert_uint_eq(word(cpu, 0), 0x00030002);
	}
}
END_TEST

/* How often was the second of two stores visible without the first? */
static unsigned int overtakes(enum visibility_order order, uint64_t offset)
{
	unsigned int count = 0;
	uint64_t seed, now;

	for (seed = 0; seed < 200; seed++) {
		make(order, seed, 1, 100);
		visibility_store(v, 0, offset, 4, 1, 0);
		visibility_store(v, 0, offset + 64, 4, 2, 1);
		for (now = 2; now < 110; now += 3) {
			visibility_age(v, now);
			count += card(offset + 64) && !card(offset);
		}
		ck_assert_uint_eq(card(offset), 1);
		ck_assert_uint_eq(card(offset + 64), 2);
	}
	return count;
}

START_TEST(old_stores_come_out_of_order_under_weak_order)
{
	ck_assert_uint_gt(overtakes(VISIBILITY_WEAK, COHERENT), 0);
	ck_assert_uint_gt(overtakes(VISIBILITY_WEAK, COMBINED), 0);
}
END_TEST

START_TEST(old_stores_come_in_order_under_x86_order)
{
	ck_assert_uint_eq(overtakes(VISIBILITY_X86, COHERENT), 0);
	ck_assert_uint_gt(overtakes(VISIBILITY_X86, COMBINED), 0);
}
END_TEST

START_TEST(no_store_is_visible_before_its_youngest_age)
{
	make(VISIBILITY_WEAK, 7, 50, 400);
	visibility_store(v, 0, 0, 4, 1, 1000);
	visibility_age(v, 1049);
	ck_assert_uint_eq(card(0), 0);
	visibility_age(v, 1400);
	ck_assert_uint_eq(card(0), 1);
}
END_TEST

/* 8 */
START_TEST(what_the_card_writes_both_see)
{
	uint32_t value = 0xcafe;

	visibility_card_write(v, 32, &value, 4);
	ck_assert_uint_eq(card(32), 0xcafe);
	ck_assert_uint_eq(word(cpu, 32), 0xcafe);
}
END_TEST

START_TEST(a_pending_store_beats_what_the_card_writes)
{
	uint64_t value = 0x1111111122222222;

	store(0, 36, 0x77);
	visibility_card_write(v, 32, &value, 8);
	ck_assert_uint_eq(word(cpu, 32), 0x22222222);
	ck_assert_uint_eq(word(cpu, 36), 0x77);
	ck_assert_uint_eq(card(36), 0x11111111);
	visibility_barrier(v, 0, WIRE_BARRIER_DMA_WMB);
	ck_assert_uint_eq(card(36), 0x77);
}
END_TEST

/* 9 */
START_TEST(the_first_pending_store_in_a_range_is_named)
{
	struct visibility_store which;

	store(3, 72, 0xa);
	store(4, 64, 0xb);
	ck_assert(!visibility_pending(v, 0, 64, NULL));
	ck_assert(visibility_pending(v, 0, 65, &which));
	ck_assert_uint_eq(which.thread, 4);
	ck_assert(visibility_pending(v, 0, 256, &which));
	ck_assert_uint_eq(which.thread, 3);
	ck_assert_uint_eq(which.offset, 72);
	ck_assert_uint_eq(which.value, 0xa);
}
END_TEST

START_TEST(an_equal_value_is_pending_all_the_same)
{
	store(0, 0, 0);
	ck_assert(visibility_pending(v, 0, 4, NULL));
}
END_TEST

START_TEST(mapping_anew_forgets_and_zeroes)
{
	store(0, 0, 5);
	store(0, COMBINED, 6);
	visibility_map(v, COHERENT, 0x1000, VISIBILITY_COMBINED);
	ck_assert_uint_eq(word(cpu, 0), 0);
	ck_assert(!visibility_pending(v, 0, 4, NULL));
	ck_assert(visibility_pending(v, COMBINED, 4, NULL));
	store(0, 0, 7);
	visibility_barrier(v, 0, WIRE_BARRIER_DMA_WMB);
	ck_assert_uint_eq(card(0), 0);
	visibility_barrier(v, 0, WIRE_BARRIER_WMB);
	ck_assert_uint_eq(card(0), 7);
}
END_TEST

START_TEST(many_stores_push_the_oldest_out)
{
	uint32_t i, stale = 0;

	for (i = 0; i < 0x1000; i++)
		store(0, COHERENT + 4 * i, i + 1);
	for (i = 0; i < 0x1000; i++)
		store(0, COMBINED + 4 * i, i + 1);
	for (i = 0; i < 0x4000; i++)
		visibility_store(v, 0, COHERENT + i, 1, 1, 0);
	for (i = 0; i < 0x1000; i++)
		stale += card(COHERENT + 4 * i) != 0x01010101;
	ck_assert_uint_gt(stale, 0);
	visibility_barrier(v, 0, WIRE_BARRIER_MB);
	for (i = 0; i < 0x1000; i++)
		ck_assert_uint_eq(card(COHERENT + 4 * i), 0x01010101);
	ck_assert_uint_eq(visibility_pending_count(v), 0);
}
END_TEST

/* Against a model that is too slow to be wrong: what the card may see. */
START_TEST(random_traffic_ends_in_equal_views)
{
	uint64_t seed, i, now = 0;

	for (seed = 0; seed < 40; seed++) {
		srand(seed);
		make(seed % 2 ? VISIBILITY_X86 : VISIBILITY_WEAK, seed, 5,
		     60);
		for (i = 0; i < 2000; i++) {
			unsigned int size = 1u << rand() % 4;
			uint64_t at = (rand() % 256) & ~(size - 1);

			now += rand() % 3;
			visibility_age(v, now);
			if (rand() % 20 == 0)
				visibility_barrier(v, 0, rand() % 5);
			if (rand() % 15 == 0)
				visibility_card_write(v, at, &i, size);
			else
				visibility_store(v, rand() % 4, at, size,
						 i * 0x9e3779b97f4a7c15u,
						 now);
		}
		visibility_barrier(v, 0, WIRE_BARRIER_MB);
		ck_assert(memcmp(cpu, visibility_card(v), 0x8000) == 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("visibility");
	TCase *tests = tcase_create("rules");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, fresh_memory_is_zero_for_both);
	tcase_add_test(tests,
		       memory_that_began_as_zero_is_cleared_when_used_again);
	tcase_add_test(tests, a_store_is_seen_by_the_cpu_and_not_by_the_card);
	tcase_add_loop_test(tests,
			    a_barrier_publishes_its_mappings_and_no_other, 0,
			    5);
	tcase_add_test(tests, a_barrier_does_not_cover_later_stores);
	tcase_add_test(tests,
		       a_barrier_covers_what_other_threads_stored_before);
	tcase_add_loop_test(tests,
		a_barrier_drains_its_own_combining_buffers_and_no_other, 0, 2);
	tcase_add_test(tests, a_posted_write_publishes_nothing);
	tcase_add_test(tests,
		       with_x86_order_a_posted_write_publishes_coherent_stores);
	tcase_add_test(tests, a_store_may_be_visible_at_once);
	tcase_add_test(tests, stores_to_the_same_bytes_stay_in_order);
	tcase_add_test(tests, old_stores_come_out_of_order_under_weak_order);
	tcase_add_test(tests, old_stores_come_in_order_under_x86_order);
	tcase_add_test(tests, no_store_is_visible_before_its_youngest_age);
	tcase_add_test(tests, what_the_card_writes_both_see);
	tcase_add_test(tests, a_pending_store_beats_what_the_card_writes);
	tcase_add_test(tests, the_first_pending_store_in_a_range_is_named);
	tcase_add_test(tests, an_equal_value_is_pending_all_the_same);
	tcase_add_test(tests, mapping_anew_forgets_and_zeroes);
	tcase_add_test(tests, many_stores_push_the_oldest_out);
	tcase_add_test(tests, random_traffic_ends_in_equal_views);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
