/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Reading records.
 *
 * Records come back from disk, perhaps from an older grader or an editor, so
 * everything that reads them goes through these functions, which answer for a
 * member that is missing or of the wrong type.  result_check() is what a
 * record must pass before it is written, and before it is believed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "autograder/report/inside.h"

const char *result_text(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsString(item) ? item->valuestring : "";
}

double result_number(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

const cJSON *result_list(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsArray(item) ? item : NULL;
}

bool result_is(const cJSON *object, const char *name, const char *value)
{
	return !strcmp(result_text(object, name), value);
}

bool result_has_score(const cJSON *record)
{
	return cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(record,
							       "score"));
}

const cJSON *result_first_failure(const cJSON *record)
{
	const cJSON *test;

	FOR_EACH(test, result_list(record, "tests"))
		if (result_is(test, "outcome", "fail"))
			return test;
	return NULL;
}

const char *result_verdict(const cJSON *record)
{
	const cJSON *test = result_first_failure(record);

	if (!result_is(record, "state", "graded"))
		return result_text(record, "state");
	if (!test)
		return "";
	return result_text(cJSON_GetObjectItemCaseSensitive(test, "failure"),
			   "rule");
}

static int wrong(char *why, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return -EINVAL;
}

static bool one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(text, *list))
			return true;
	return false;
}

static bool is_points(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNumber(item) && item->valuedouble >= 0 &&
	       item->valuedouble == floor(item->valuedouble);
}

static int check_test(const cJSON *test, char *why, size_t size)
{
	static const char *const strings[] = {
		"name", "title", "step", "section", "kind", "visibility",
		"outcome", NULL
	};
	static const char *const outcomes[] = {
		"pass", "fail", "not-run", NULL
	};
	const char *name = result_text(test, "name");
	const cJSON *failure = cJSON_GetObjectItemCaseSensitive(test,
								"failure");

	for (int i = 0; strings[i]; i++)
		if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(test,
				strings[i])))
			return wrong(why, size, "test %s: no %s", name,
				     strings[i]);
	if (!one_of(result_text(test, "outcome"), outcomes))
		return wrong(why, size, "test %s: outcome", name);
	if (!is_points(test, "points") || !is_points(test, "earned"))
		return wrong(why, size, "test %s: points", name);
	if (result_number(test, "earned") > result_number(test, "points") ||
	    (result_number(test, "earned") > 0 &&
	     !result_is(test, "outcome", "pass")))
		return wrong(why, size, "test %s: earned too much", name);
	if (result_is(test, "outcome", "fail") && !cJSON_IsObject(failure))
		return wrong(why, size, "test %s: fails without reason",
			     name);
	return 0;
}

static int check_sums(const cJSON *record, char *why, size_t size)
{
	double earned = 0, points = 0;
	const cJSON *test;

	FOR_EACH(test, result_list(record, "tests")) {
		int err = check_test(test, why, size);

		if (err)
			return err;
		earned += result_number(test, "earned");
		points += result_number(test, "points");
	}
	if (points != result_number(record, "max_score"))
		return wrong(why, size, "max_score is not the points' sum");
	if (result_has_score(record) &&
	    earned != result_number(record, "score"))
		return wrong(why, size, "score is not the earned points' sum");
	return 0;
}

int result_check(const cJSON *record, char *why, size_t size)
{
	static const char *const scored[] = {
		"graded", "build-failed", "refused", "empty", NULL
	};
	static const char *const unscored[] = { "unreadable", "error", NULL };
	const char *state = result_text(record, "state");

	if (!cJSON_IsObject(record))
		return wrong(why, size, "not an object");
	if (!result_is(record, "schema", RECORD_SCHEMA))
		return wrong(why, size, "schema is not " RECORD_SCHEMA);
	if (!*result_text(record, "student") || !*result_text(record, "lab"))
		return wrong(why, size, "no student or lab");
	if (!one_of(state, scored) && !one_of(state, unscored))
		return wrong(why, size, "unknown state '%s'", state);
	if (one_of(state, scored) != result_has_score(record))
		return wrong(why, size, "state %s and score disagree", state);
	if (!is_points(record, "max_score"))
		return wrong(why, size, "no max_score");
	if (!result_list(record, "tests") || !result_list(record, "steps") ||
	    !result_list(record, "files") || !result_list(record, "ignored"))
		return wrong(why, size, "a list is missing");
	return check_sums(record, why, size);
}
