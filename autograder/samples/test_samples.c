/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The sample classes come out as samples.def declares: correct designs have
 * all points, whoever wrote them and however they were packed; each bug loses
 * its own tests and no other; and what cannot be graded says why.
 */
#define _GNU_SOURCE
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograder/report/report.h"

#ifndef BIN
#define BIN "build/bin"
#endif

static const struct sample {
	const char *lab, *name, *state;
	int lowest, highest;	/* -1: no score */
	const char *loses;
} samples[] = {
#define SAMPLE(lab, name, state, lowest, highest, loses)	\
	{ #lab, #name, state, lowest, highest, loses },
#include "autograder/samples/samples.def"
#undef SAMPLE
};
#define SAMPLES	(sizeof(samples) / sizeof(samples[0]))

static char dir[] = "/tmp/test-samples-XXXXXX";

static bool is_first_of_lab(unsigned int i)
{
	return i == 0 || strcmp(samples[i - 1].lab, samples[i].lab);
}

static void grade_all(void)
{
	char command[256];
	int status;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	for (unsigned int i = 0; i < SAMPLES; i++) {
		if (!is_first_of_lab(i))
			continue;
		snprintf(command, sizeof(command), BIN "/grade --lab %s "
			 "--class build/samples/%s --out %s/%s > %s/text",
			 samples[i].lab, samples[i].lab, dir, samples[i].lab,
			 dir);
		status = system(command);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

static void clean_up(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static cJSON *record_of(const struct sample *sample)
{
	const char *lab = sample->lab, *name = sample->name;
	static char text[1 << 20];
	char path[PATH_MAX], why[160];
	cJSON *record;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s/%s/%s/result.json", dir, lab,
		 name, lab);
	in = fopen(path, "r");
	ck_assert_msg(in != NULL, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	record = cJSON_Parse(text);
	ck_assert_msg(result_check(record, why, sizeof(why)) == 0, "%s: %s",
		      name, why);
	return record;
}

static bool names(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

START_TEST(a_sample_comes_out_as_declared)
{
	const struct sample *s = &samples[_i];
	cJSON *record = record_of(s);
	const cJSON *test;

	ck_assert_msg(result_is(record, "state", s->state), "%s is %s: %s",
		      s->name, result_text(record, "state"),
		      result_text(record, "message"));
	ck_assert_int_eq(result_has_score(record), s->highest >= 0);
	ck_assert_msg(s->highest < 0 ||
		      (result_number(record, "score") >= s->lowest &&
		       result_number(record, "score") <= s->highest),
		      "%s has %.0f points", s->name,
		      result_number(record, "score"));
	cJSON_ArrayForEach(test, result_list(record, "tests")) {
		const char *name = result_text(test, "name");
		bool fails = result_is(test, "outcome", "fail");

		ck_assert_msg(!s->loses || fails == names(s->loses, name),
			      "%s %s %s", s->name, fails ? "loses" : "keeps",
			      name);
	}
	cJSON_Delete(record);
}
END_TEST

START_TEST(every_sample_is_declared)
{
	const char *lab = samples[_i].lab;
	unsigned int declared = 0;
	char command[256];
	int status;

	for (unsigned int i = 0; i < SAMPLES; i++)
		declared += !strcmp(samples[i].lab, lab);
	snprintf(command, sizeof(command), "test $(ls build/samples/%s | "
		 "wc -l) = %u && test $(ls %s/%s | grep -cv '\\.') = %u",
		 lab, declared, dir, lab, declared);
	status = system(command);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("samples");
	TCase *tc = tcase_create("samples");
	SRunner *runner;
	int failed;

	tcase_add_unchecked_fixture(tc, grade_all, clean_up);
	tcase_add_loop_test(tc, a_sample_comes_out_as_declared, 0, SAMPLES);
	for (unsigned int i = 0; i < SAMPLES; i++)
		if (is_first_of_lab(i))
			tcase_add_loop_test(tc, every_sample_is_declared, i,
					    i + 1);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
