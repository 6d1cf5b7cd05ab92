/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * debug-lab LAB TEST [SEED]: one test against the files in labs/, with
 * driver, card and judge in one process.
 *
 * For gdb: "make debug" sets breakpoints on what the test calls first.  The
 * verdict is the judge's, but for races and missing barriers, which need its
 * own link to be seen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/judge.h"

static void print_event(void *arg, const struct card_event *event,
			const char *line)
{
	(void)event;
	if (arg)
		printf("%s\n", line);
}

static const struct judge_test *find(const char *lab, const char *name)
{
	const struct judge_test *test = judge_tests(lab);

	for (; test && test->name; test++) {
		if (!strcmp(test->name, name))
			return test;
	}
	return NULL;
}

static int list(const char *lab)
{
	const struct judge_test *test = judge_tests(lab);

	fprintf(stderr, "usage: debug-lab LAB TEST [SEED]; tests:\n");
	for (; test && test->name; test++) {
		if (test->visibility == TEST_PUBLIC)
			fprintf(stderr, "  %-24s %s\n", test->name,
				test->title);
	}
	return 2;
}

int main(int argc, char **argv)
{
	struct judge_options options = {
		.seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1,
		.chip = CARD_CHIPS,
		.trace = print_event, .trace_arg = getenv("TRACE"),
	};
	struct judge_verdict verdict;
	const struct judge_test *test;

	test = argc > 2 ? find(argv[1], argv[2]) : NULL;
	if (!test)
		return list(argc > 1 ? argv[1] : "01");
	judge_run(test, &options, &verdict);
	if (verdict.outcome == JUDGE_PASS) {
		printf("%s: pass\n", test->name);
		return 0;
	}
	for (unsigned int i = 0; i < verdict.events; i++)
		printf("  %s\n", verdict.last[i]);
	printf("%s: %s [%s] %s\n  expected  %s\n  actual    %s\n", test->name,
	       verdict.rule, verdict.section, verdict.text, verdict.expected,
	       verdict.actual);
	return 1;
}
