/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a report says of a call: whoever reads it sees each argument, and each
 * error by its name.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/scenario_fence.h"
#include "autograder/judge/session.h"

static const struct {
	struct wire_op op;
	const char *text;
} calls[] = {
	{ { CALL_gpu_open, 0, 0, 1, { 0 }, 0, 0 }, "gpu_open()" },
	{ { CALL_ring_submit, 0, 3, 1, { 1, 2, 3 }, 0, 0 },
	  "ring_submit(ring 3)" },
	{ { CALL_sleep, 0, 0, 1, { 1500000 }, 0, 0 }, "sleep(1500 us)" },
	{ { CALL_vas_create, 0, 0, 1, { 2, 0x1000, 0x2000 }, 0, 0 },
	  "vas_create(space 2, base 0x1000, limit 0x2000)" },
	{ { CALL_vas_map, 0, 0, 1, { 0, 0xb48ba00000, 0x1000, 1, 0x800, 8, 0 },
	    0, 0 },
	  "vas_map(space 0, 0xb48ba00000, 0x1000, offset 0x800, FIXED, "
	  "shift 0, 1 piece)" },
	{ { CALL_vas_map, 0, 0, 1, { 31, 0, 0x1000, 2, 0, 0x51, 21 }, 0, 0 },
	  "vas_map(space 31, 0x0, 0x1000, offset 0x0, "
	  "READ_ONLY|REPLACE|0x40, shift 21, 12 pieces)" },
	{ { CALL_vas_map, 0, 0, 1, { 0, 0, 0x1000, 200, 0, 0, 0 }, 0, 0 },
	  "vas_map(space 0, 0x0, 0x1000, offset 0x0, 0x0, shift 0, "
	  "0 pieces)" },
	{ { CALL_vas_unmap, 0, 0, 1, { 1, 0x10000, 0x1000 }, 0, 0 },
	  "vas_unmap(space 1, 0x10000, 0x1000)" },
	{ { CALL_tlb_invalidate, 0, 0, 1, { UINT64_MAX }, 0, 0 },
	  "tlb_invalidate(all)" },
	{ { CALL_ranges_create, 0, 0, 1, { 0x1000, 0x1000 }, 0, 0 },
	  "ranges_create(base 0x1000, limit 0x1000)" },
	{ { CALL_ranges_alloc, 0, 0, 1, { 0x1000, 3, 7 }, 0, 0 },
	  "ranges_alloc(size 0x1000, align 0x3, tag 7)" },
	{ { CALL_ranges_reserve, 0, 0, 1, { 0x1000, 0, 7 }, 0, 0 },
	  "ranges_reserve(at 0x1000, size 0x0, tag 7)" },
	{ { CALL_ranges_taken, 0, 0, 1, { 0 }, 0, 0 }, "ranges_taken()" },
	{ { CALL_ctx_create, 0, 0, 1, { UNIT_TAGS }, 0, 0 },
	  "ctx_create(TAGS)" },
	{ { CALL_ctx_work, 0, 0, 1, { 1, 0x1000000, 12, 5 }, 0, 0 },
	  "ctx_work(space 1, 0x1000000, 12 pages)" },
	{ { CALL_ctx_work, 0, 0, 1, { 1, 0x1000000, 1, 5 }, 0, 0 },
	  "ctx_work(space 1, 0x1000000, 1 page)" },
	{ { CALL_ctx_batch, 0, 0, 1, { 2 }, 0, 0 },
	  "ctx_batch(2: space 4, 0x7000, 3 pages; space 5, 0x8000, 0 pages)" },
	{ { CALL_timeline_create, 0, 1, 1, { 2, 0xfffffff0, 0x40 }, 0, 0 },
	  "timeline_create(ring 1, VRAM, start 0xfffffff0, offset 0x40)" },
	{ { CALL_fence_emit, 0, 1, 1, { 9, 20000000 }, 0, 0 },
	  "fence_emit(ring 1, fence 9, 20 ms)" },
	{ { CALL_fence_wait, 0, 0, 1, { 9, WAIT_COND, 0 }, 0, 0 },
	  "fence_wait(fence 9, COND, 0)" },
	{ { CALL_fence_wait_any, 0, 0, 1, { 9, 3, 1500 }, 0, 0 },
	  "fence_wait_any(fences from 9, 3 of them, 1500 ns)" },
	{ { CALL_fence_poll, 0, 0, 1, { 9, 5000000, BY_EPOLL }, 0, 0 },
	  "fence_poll(fence 9, epoll, 5 ms)" },
	{ { CALL_chan_error, 0, 2, 1, { 0 }, 0, 0 }, "chan_error(ring 2)" },
};

static struct scenario *scenario;

static void setup(void)
{
	scenario = calloc(1, sizeof(*scenario));
	ck_assert_ptr_nonnull(scenario);
	scenario->vas.memory[1].pieces = 1;
	scenario->vas.memory[2].pieces = 12;
	scenario->vas.unit.batch[0] = (struct unit_work){ 4, 0x7000, 3, 1 };
	scenario->vas.unit.batch[1] = (struct unit_work){ 5, 0x8000, 0, 1 };
}

static void teardown(void)
{
	free(scenario);
}

START_TEST(a_call_is_shown_with_its_arguments)
{
	const struct session_op op = { .op = calls[_i].op };
	char buf[CALL_TEXT];

	ck_assert_str_eq(session_call_text(scenario, &op, buf, sizeof(buf)),
			 calls[_i].text);
}
END_TEST

/* Whatever the arguments: in its room, whole in front. */
START_TEST(any_call_fits_its_room)
{
	struct session_op op = { .op = { .handle = 7 } };
	char buf[CALL_TEXT + 1], name[64];
	unsigned int i;

	memset(op.op.args, 0xff, sizeof(op.op.args));
	for (i = 0; i < WIRE_CALLS; i++) {
		op.op.call = i;
		buf[CALL_TEXT] = '#';
		session_call_text(scenario, &op, buf, CALL_TEXT);
		ck_assert_int_eq(buf[CALL_TEXT], '#');
		snprintf(name, sizeof(name), "%s(", session_call_name(i));
		ck_assert_ptr_eq(strstr(buf, name), buf);
		session_call_text(scenario, &op, buf, 16);
		ck_assert_uint_lt(strlen(buf), 16);
	}
}
END_TEST

START_TEST(every_error_has_its_name)
{
	static const struct { int64_t value; const char *name; } rows[] = {
		{ 0, "0" }, { 1, "1" }, { 16, "16 (0x10)" }, { -1, "-1" },
		{ -EEXIST, "-EEXIST" }, { -EINVAL, "-EINVAL" },
		{ -EFAULT, "-EFAULT" }, { -EBADMSG, "-EBADMSG" },
		{ -ENOENT, "-ENOENT" }, { -ECANCELED, "-ECANCELED" },
		{ -3000, "-3000" }, { INT64_MIN, "-9223372036854775808" },
	};
	char buf[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_str_eq(session_number(rows[i].value, buf,
						sizeof(buf)), rows[i].name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("call-text");
	TCase *tests = tcase_create("calls");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_call_is_shown_with_its_arguments, 0,
			    sizeof(calls) / sizeof(calls[0]));
	tcase_add_test(tests, any_call_fits_its_room);
	tcase_add_test(tests, every_error_has_its_name);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
