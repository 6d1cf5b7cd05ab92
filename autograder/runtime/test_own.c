/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What is answered without the judge, and what never may be.
 *
 * The peer's clock stands still meanwhile: what it says next is not compared.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/runtime/test_peer.h"
#include "autograder/runtime/test_names.h"

#define REGISTER	0x1000u
#define FAR_AWAY	1000000u

static struct peer *peer;

static void setup(void)
{
	peer = calloc(1, sizeof(*peer));
	ck_assert_ptr_nonnull(peer);
	peer->tells.quiet = FAR_AWAY;
	peer->tells.steady = 800;
	peer->tells.write_cost = 40;
}

static void teardown(void)
{
	free(peer);
}

static void clock_body(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++)
		peer_result(i, rt_now());
}

START_TEST(the_clock_is_asked_once)
{
	peer_run(peer, clock_body, NULL);
	ck_assert_uint_eq(peer->asked[WIRE_NOW], 1);
	ck_assert_uint_eq(peer_count(peer, WIRE_OWN_NOW), 3);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(peer_value(peer, i),
				 (i + 1) * WIRE_COST_NOW);
	ck_assert_uint_eq(peer_post(peer, WIRE_OWN_NOW, 2)->pad, 80);
}
END_TEST

static void load_body(void *arg)
{
	(void)arg;
	rt_now();
	for (int i = 0; i < 3; i++)
		rt_ask(WIRE_LOAD, 64, 4, 0);
}

START_TEST(what_ends_with_the_quiet_is_asked)
{
	peer->tells.quiet = 20 + 2 * WIRE_COST_LOAD;
	peer_run(peer, load_body, NULL);
	/* One by itself; then the peer says the same time twice. */
	ck_assert_uint_eq(peer_count(peer, WIRE_OWN_LOAD), 1);
	ck_assert_uint_eq(peer->asked[WIRE_LOAD], 2);
}
END_TEST

static void poll_body(void *arg)
{
	uint64_t cost = 0;

	(void)arg;
	rt_now();
	for (int i = 0; i < 40; i++) {
		rt_ask(WIRE_LOAD, 64, 4, 0);
		cost = rt_relax();
	}
	peer_result(0, cost);
}

START_TEST(turns_of_a_poll_grow)
{
	uint64_t time = 20, since;

	peer_run(peer, poll_body, NULL);
	ck_assert_uint_eq(peer->asked[WIRE_LOAD], 0);
	ck_assert_uint_eq(peer->asked[WIRE_RELAX], 0);
	ck_assert_uint_eq(peer_count(peer, WIRE_OWN_LOAD), 40);
	since = time + WIRE_COST_LOAD;
	for (int i = 0; i < 40; i++) {
		time += WIRE_COST_LOAD;
		time += wire_turn_cost(time - since);
		ck_assert_uint_eq(peer_post(peer, WIRE_OWN_RELAX, i)->pad,
				  time);
	}
	ck_assert_int_gt(peer_value(peer, 0), WIRE_COST_RELAX);
}
END_TEST

static uint64_t look(uint64_t offset)
{
	return rt_ask(WIRE_READ, WIRE_REGISTERS, offset, 4).a;
}

static void read_body(void *arg)
{
	(void)arg;
	look(REGISTER);				/* asked		*/
	rt_now();
	peer_result(0, look(REGISTER));		/* the same once more	*/
	peer_result(1, rt_now());
	look(REGISTER + 4);			/* another: asked	*/
	look(REGISTER);				/* asked		*/
	rt_post(WIRE_WRITE, WIRE_REGISTERS, REGISTER, 4, 1);
	look(REGISTER);				/* may have changed	*/
}

START_TEST(a_steady_register_is_read_again)
{
	peer_run(peer, read_body, NULL);
	ck_assert_uint_eq(peer->asked[WIRE_READ], 4);
	ck_assert_uint_eq(peer_count(peer, WIRE_OWN_READ), 1);
	ck_assert_int_eq(peer_value(peer, 0), 0x1234);
	ck_assert_int_eq(peer_value(peer, 1), 1000 + 20 + 800 + 20);
	ck_assert_uint_eq(peer_post(peer, WIRE_OWN_READ, 0)->value, 0x1234);
	ck_assert_uint_eq(peer_post(peer, WIRE_OWN_READ, 0)->addr, REGISTER);
}
END_TEST

START_TEST(one_that_may_change_is_not)
{
	peer->tells.steady = 0;
	peer_run(peer, read_body, NULL);
	ck_assert_uint_eq(peer->asked[WIRE_READ], 5);
}
END_TEST

static void write_body(void *arg)
{
	const struct wire_post *write = arg;

	rt_now();
	rt_post(write->kind, write->region, write->addr, write->size, 0);
	peer_result(0, rt_now());
	rt_ask(WIRE_LOAD, 64, 4, 0);
}

static const struct {
	struct wire_post write;
	bool known;
} writes[] = {
	{ { .kind = WIRE_WRITE, .region = 1, .addr = 64, .size = 4 }, true },
	{ { .kind = WIRE_WRITE, .region = 1, .addr = 64, .size = 1 }, false },
	{ { .kind = WIRE_WRITE, .region = 1, .addr = 66, .size = 4 }, false },
	{ { .kind = WIRE_WRITE, .region = 1, .addr = 16 << 20, .size = 4 },
	  false },
	{ { .kind = WIRE_WRITE, .region = 2, .addr = 64, .size = 4 }, false },
	{ { .kind = WIRE_WRITE, .region = 0, .addr = 64, .size = 4 }, false },
	{ { .kind = WIRE_BURST, .region = 1, .addr = 64, .size = 4 }, false },
};

START_TEST(after_a_write_only_the_time_is_known)
{
	peer_run(peer, write_body, (void *)&writes[_i].write);
	ck_assert_uint_eq(peer->asked[WIRE_NOW], writes[_i].known ? 1 : 2);
	if (writes[_i].known)
		ck_assert_int_eq(peer_value(peer, 0), 20 + 40 + 20);
	ck_assert_uint_eq(peer->asked[WIRE_LOAD], writes[_i].known);
}
END_TEST

static void fill_body(void *arg)
{
	char line[64] = { 0 };

	(void)arg;
	rt_post_burst(2, 0x1000, line, sizeof(line));
	line[63] = 1;
	rt_post_burst(2, 0x2000, line, sizeof(line));
}

START_TEST(a_page_that_is_cleared_is_one_post)
{
	peer_run(peer, fill_body, NULL);
	ck_assert_uint_eq(peer_count(peer, WIRE_FILL), 1);
	ck_assert_uint_eq(peer_post(peer, WIRE_FILL, 0)->pad, 64);
	ck_assert_uint_eq(peer_post(peer, WIRE_FILL, 0)->addr, 0x1000);
	ck_assert_uint_eq(peer_count(peer, WIRE_BURST), 8);
	ck_assert_uint_eq(peer_post(peer, WIRE_BURST, 0)->pad, 56);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("own");
	TCase *tcase = tcase_create("own");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, the_clock_is_asked_once);
	tcase_add_test(tcase, what_ends_with_the_quiet_is_asked);
	tcase_add_test(tcase, turns_of_a_poll_grow);
	tcase_add_test(tcase, a_steady_register_is_read_again);
	tcase_add_test(tcase, one_that_may_change_is_not);
	tcase_add_loop_test(tcase, after_a_write_only_the_time_is_known, 0,
			    sizeof(writes) / sizeof(writes[0]));
	tcase_add_test(tcase, a_page_that_is_cleared_is_one_post);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
