/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Layer 3's campaign, small; and that it finds what it is to find. */
#include <check.h>
#include <stdlib.h>

#include "autograder/qualify/fences.h"

START_TEST(a_small_campaign_is_clean)
{
	static const unsigned int threads[] = { 1, 2, 100 };
	struct fences f = {
		.threads = threads[_i], .waits = 2000, .channels = 1 + _i,
		.seed = _i,
	};

	ck_assert_int_eq(fences_run(&f), 0);
	ck_assert_uint_eq(f.done, 2000);
	ck_assert_uint_gt(f.interrupts, 0);
	ck_assert_uint_eq(f.spurious, 0);
	ck_assert_uint_eq(f.timed_out, 0);
	ck_assert_uint_eq(f.lost, 0);
	ck_assert_uint_eq(f.failed, 0);
	ck_assert_uint_eq(f.violations, 0);
	ck_assert_uint_eq(f.empty, 0);
}
END_TEST

START_TEST(one_of_anything_is_not_clean)
{
	struct fences f = { .waits = 5, .done = 5 };
	uint64_t *bad[] = {
		&f.spurious, &f.timed_out, &f.lost, &f.failed, &f.violations,
		&f.empty,
	};

	ck_assert(fences_clean(&f));
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		*bad[i] = 1;
		ck_assert(!fences_clean(&f));
		*bad[i] = 0;
	}
	f.done = 4;
	ck_assert(!fences_clean(&f));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("qualify-fences");
	TCase *t = tcase_create("qualify-fences");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, a_small_campaign_is_clean, 0, 3);
	tcase_add_test(t, one_of_anything_is_not_clean);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
