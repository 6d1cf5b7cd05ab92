/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The tests of all labs: tables made of autograder/hidden/NN-name/tests.def. */
#include <string.h>

#include "autograder/hidden/01-ring/common.h"
#include "autograder/hidden/02-vas/common.h"
#include "autograder/hidden/03-fence/common.h"

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

static const struct judge_test lab02[] = {
#define TEST(name, points, step, section, kind, visibility, seeds, title) \
	{ "02", #name, title, step, section, kind, visibility, points, \
	  seeds, test_##name },
#include "autograder/hidden/02-vas/tests.def"
#undef TEST
	{ .name = NULL }
};

static const struct judge_test lab03[] = {
#define TEST(name, points, step, section, kind, visibility, seeds, title) \
	{ "03", #name, title, step, section, kind, visibility, points, \
	  seeds, test_##name },
#include "autograder/hidden/03-fence/tests.def"
#undef TEST
	{ .name = NULL }
};

static const struct judge_test *const labs[] = { lab01, lab02, lab03 };

const struct judge_test *judge_tests(const char *lab)
{
	unsigned int i;

	for (i = 0; i < sizeof(labs) / sizeof(labs[0]); i++) {
		if (strcmp(lab, labs[i]->lab) == 0)
			return labs[i];
	}
	return NULL;
}
