/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Room in two buffers against a plain account of them.
 *
 * The account has positions that never wrap, and one thread.  Both begin just
 * below the count at which 32 bits are over, so every walk passes it.
 */
#include <check.h>
#include <stdlib.h>

#include "ring_room.h"

#define SIZE	48u
#define MASK	15u
#define FIRST	0xffffffc0u
#define PENDING	16
#define STEPS	20000

static struct account {
	u64 head, tail;			/* words, without a wrap */
	u32 gp;				/* the next entry */
	u64 end[PENDING];		/* of each entry that is out */
	u32 out;
} account;

static struct room_keeper keeper;
static u32 words[SIZE];

static void begin(u32 first)
{
	account = (struct account){ .gp = first };
	keeper = (struct room_keeper){
		.head = ROOM(first, 0), .gp_mask = MASK, .gp_step = 1,
		.pb_words = SIZE,
	};
	room_free(&keeper, ROOM(first, 0));
}

static u64 account_place(u64 position, u32 count)
{
	u32 offset = position % SIZE;

	return offset + count > SIZE ? position + SIZE - offset : position;
}

/* The position after these; they are taken if there is room. */
static bool account_take(const struct push *push, u32 count, u64 *start)
{
	u64 end = account.head;

	*start = account.head;
	for (u32 i = 0; i < count; i++)
		end = account_place(end, push[i].count) + push[i].count;
	if (account.out + count > MASK)
		return false;
	if (end - account.tail > SIZE) {
		if (account.head != account.tail)
			return false;
		*start = (account.head / SIZE + 1) * SIZE;
		if (account.head % SIZE == 0)
			*start = account.head;
	}
	account.head = *start;
	for (u32 i = 0; i < count; i++) {
		account.head = account_place(account.head, push[i].count) +
			push[i].count;
		account.end[account.out++] = account.head;
	}
	account.gp += count;
	return true;
}

/* As ROOM_PB(): the end of a lap is its own last word's. */
static u32 as_position(u64 end)
{
	u64 lap = end ? (end - 1) / SIZE : 0;

	return (lap & 1 ? PB_LAP : 0) | (u32)(end - lap * SIZE);
}

static void give_back(u32 count)
{
	if (!count)
		return;
	account.tail = account.end[count - 1];
	account.out -= count;
	memmove(account.end, account.end + count,
		account.out * sizeof(account.end[0]));
	room_free(&keeper, ROOM(account.gp - account.out,
				as_position(account.tail)));
}

/* Up to three segments, of no more words than the ring lets through. */
static u32 make(struct push *push, u32 *count)
{
	u32 sum = 0, want = 1 + rand() % 3;

	for (*count = 0; *count < want && sum < SIZE; ++*count) {
		struct push *next = &push[*count];

		push_init(next, words, SIZE);
		next->count = 1 + rand() % (rand() % 4 ? 8 : SIZE / 2);
		next->count = min(next->count, SIZE - sum);
		sum += next->count;
	}
	return sum;
}

/* Does it fit in one piece, by the account? */
static bool account_has_piece(u32 count, u32 sum)
{
	return account.out + count <= MASK &&
		account.head + sum - account.tail <= SIZE &&
		as_position(account.head) % PB_LAP + sum <= SIZE;
}

START_TEST(room_is_what_a_plain_account_says)
{
	struct push push[3];
	u64 start, got;

	srand(_i + 1);
	begin(FIRST);
	for (int step = 0; step < STEPS; step++) {
		u32 count, sum = make(push, &count);
		u32 gp = account.gp, before = account.out;

		if (rand() % 2) {
			bool fits = account_has_piece(count, sum);

			ck_assert_int_eq(room_try(&keeper, ROOM(count, sum),
						  &got), fits);
			if (fits) {
				ck_assert(account_take(push, count, &start));
				ck_assert_uint_eq(got, keeper.head);
			}
		} else {
			bool fits = account_take(push, count, &start);

			ck_assert_int_eq(room_take(&keeper, push, count, sum,
						   &got), fits);
			if (fits)
				ck_assert_uint_eq(ROOM_GP(got), gp);
		}
		ck_assert_uint_eq(keeper.head, ROOM(account.gp,
						    as_position(account.head)));
		give_back(rand() % 3 ? 0 : rand() % (account.out + 1));
		ck_assert_uint_le(account.out, before + count);
	}
	ck_assert_uint_lt(account.gp, FIRST);
}
END_TEST

START_TEST(an_empty_buffer_that_is_filled_at_once_is_full)
{
	struct push push[2] = {
		{ words, SIZE / 2, SIZE }, { words, SIZE / 2, SIZE },
	};
	u64 got;

	for (u32 i = 1; i < SIZE; i++) {
		struct push first = { words, i, SIZE };

		begin(FIRST);
		ck_assert(room_take(&keeper, &first, 1, i, &got));
		room_free(&keeper, keeper.head);
		ck_assert(room_take(&keeper, push, 2, SIZE, &got));
		/* in its middle, one half fits before the end */
		ck_assert_uint_eq(ROOM_PB(got), i == SIZE / 2 ? i : PB_LAP);
		ck_assert(!room_try(&keeper, ROOM(1, 1), &got));
		first.count = 1;
		ck_assert(!room_take(&keeper, &first, 1, 1, &got));
	}
}
END_TEST

#define THREADS	4
#define EACH	1000000

static u8 taken[THREADS * EACH];
static pthread_barrier_t start_line;

static void *taker(void *arg)
{
	u64 end;

	pthread_barrier_wait(&start_line);
	for (int i = 0; i < EACH; i++) {
		while (!room_try(&keeper, ROOM(1, 0), &end))
			sched_yield();
		__atomic_add_fetch(&taken[ROOM_GP(end) - 1 - FIRST], 1,
				   __ATOMIC_RELAXED);
		/* no words, so anybody may give all entries back */
		room_free(&keeper, ROOM(ROOM_GP(end), 0));
	}
	return arg;
}

START_TEST(no_two_threads_take_the_same_entry)
{
	pthread_t thread[THREADS];
	u32 twice = 0;

	begin(FIRST);
	keeper.gp_mask = 0x7fffffff;
	room_free(&keeper, ROOM(FIRST, 0));
	pthread_barrier_init(&start_line, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, taker,
						NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&start_line);
	for (u32 i = 0; i < THREADS * EACH; i++)
		twice += taken[i] != 1;
	ck_assert_uint_eq(twice, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ring_room");
	TCase *t = tcase_create("ring_room");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(t, room_is_what_a_plain_account_says, 0, 8);
	tcase_add_test(t, an_empty_buffer_that_is_filled_at_once_is_full);
	tcase_add_test(t, no_two_threads_take_the_same_entry);
	suite_add_tcase(suite, t);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
