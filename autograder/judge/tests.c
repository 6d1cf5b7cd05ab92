/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The tests of all labs: tables made of autograder/hidden/NN-name/tests.def. */
#include <string.h>

#include "autograder/hidden/01-ring/common.h"

#define CORRECTNESS	TEST_CORRECTNESS
#define ROBUSTNESS	TEST_ROBUSTNESS
#define PUBLIC		TEST_PUBLIC
#define HIDDEN		TEST_HIDDEN

static const struct judge_test lab01[] = {
#define TEST(name, points, step, section, kind, visibility, seeds, title) \
	{ "01", #name, title, step, section, kind, visibility, points, \
	  seeds, test_##name },
#include "autograder/hidden/01-ring/tests.def"
#undef TEST
	{ .name = NULL }
};

const struct judge_test *judge_tests(const char *lab)
{
	return strcmp(lab, "01") == 0 ? lab01 : NULL;
}
