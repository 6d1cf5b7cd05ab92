/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Hints: labs/01-ring/hints.md and labs/hints.md, read when a failure is
 * reported.
 *
 * "## NAME" is about a rule, a test or a step, and "### N" in it is the hint
 * of level N.  A rule that has a section says more than the test that broke
 * it: CRASH, LOOP and their like, which all labs share in labs/hints.md; a
 * lab's own section of that name comes before.  Then the test's, then the
 * step's.
 *
 * A report shows level 1.  In a student's own loop (--own, with --out) each
 * further report of the same failing test shows the next one: what was shown
 * last stands in the result that is there.  Grading a class never does that:
 * equal gradings, equal records.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/grade/grade.h"
#include "autograder/report/report.h"

/* The line after a heading of that depth and text, or NULL; up to end. */
static const char *after_heading(const char *text, const char *end,
				 int depth, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; p && p < end; p = strchr(p, '\n')) {
		int hashes;

		p += *p == '\n';
		hashes = strspn(p, "#");
		if (hashes != depth || p[hashes] != ' ')
			continue;
		p += hashes + 1;
		if (!strncmp(p, name, n) && (p[n] == '\n' || !p[n]))
			return p + n;
	}
	return NULL;
}

/* Where the next heading of at most that depth begins. */
static const char *section_end(const char *p, int depth)
{
	const char *line = p;

	while ((line = strstr(line, "\n#"))) {
		int hashes = strspn(line + 1, "#");

		if (hashes <= depth)
			return line;
		line++;
	}
	return p + strlen(p);
}

/* On one line. */
static char *flat(const char *p, const char *end)
{
	char *text = malloc(end - p + 1), *q = text;

	for (; q && p < end; p++) {
		bool space = isspace((unsigned char)*p);

		if (!space)
			*q++ = *p;
		else if (q > text && q[-1] != ' ')
			*q++ = ' ';
	}
	while (q && q > text && q[-1] == ' ')
		q--;
	if (q)
		*q = '\0';
	return text;
}

/* Level n of a section, or the last below it. */
static char *level_of(const char *text, const char *name, unsigned int *n)
{
	const char *end = text + strlen(text);
	const char *p = after_heading(text, end, 2, name), *q = NULL;
	char number[16];

	if (!p)
		return NULL;
	end = section_end(p, 2);
	for (; *n && !q; *n -= !q) {
		snprintf(number, sizeof(number), "%u", *n);
		q = after_heading(p, end, 3, number);
	}
	return q ? flat(q, section_end(q, 3)) : NULL;
}

/* Where hints may be: the lab's file and the one of all labs. */
struct sources {
	char *lab, *all;
};

static char *read_hints(const char *folder)
{
	char *path = format_string("%s/hints.md", folder);
	char *text = path ? read_whole(path, 1 << 20, NULL) : NULL;

	free(path);
	return text;
}

static void sources_read(const struct grader *grader, struct sources *from)
{
	char *labs = format_string("%s/labs", grader->root);

	from->lab = read_hints(grader->lab_dir);
	from->all = labs ? read_hints(labs) : NULL;
	free(labs);
}

static void sources_free(struct sources *from)
{
	free(from->lab);
	free(from->all);
}

/* In one or the other, level n or the last below it. */
static char *look_up(const struct sources *from, const char *name,
		     unsigned int *n)
{
	unsigned int level = *n;
	char *hint = from->lab ? level_of(from->lab, name, &level) : NULL;

	if (!hint && from->all) {
		level = *n;
		hint = level_of(from->all, name, &level);
	}
	if (hint)
		*n = level;
	return hint;
}

static bool has_section(const struct sources *from, const char *name)
{
	unsigned int level = 1;
	char *hint = look_up(from, name, &level);

	free(hint);
	return hint != NULL;
}

/* Would the older failure have had its hint from the same section? */
static bool is_same(const struct sources *from, const cJSON *older,
		    const char *rule)
{
	const char *was = result_text(older, "rule");

	return !strcmp(was, rule) ||
	       (!has_section(from, was) && !has_section(from, rule));
}

/*
 * The level after what the result that is there shows for this test.  Only
 * the first failure's hint was printed, so only that one goes on.
 */
static unsigned int next_level(const struct grader *grader,
			       const struct student *student,
			       const struct sources *from, const char *test,
			       const char *rule)
{
	char *path = format_string("%s/%s/%s/result.json",
				   grader->options.out, student->folder,
				   grader->options.lab);
	char *text = path ? read_whole(path, 32 << 20, NULL) : NULL;
	cJSON *record = text ? cJSON_Parse(text) : NULL;
	const cJSON *first = record ? result_first_failure(record) : NULL;
	unsigned int level = 1;
	const cJSON *each;

	cJSON_ArrayForEach(each, result_list(record, "tests")) {
		const cJSON *failure = cJSON_GetObjectItem(each, "failure");

		if (!result_is(each, "name", test) ||
		    !is_same(from, failure, rule))
			continue;
		level = result_number(failure, "hint_level");
		level = each == first ? level + 1 : level ? level : 1;
	}
	cJSON_Delete(record);
	free(text);
	free(path);
	return level;
}

char *hint_find(const struct grader *grader, const struct student *student,
		const struct judge_test *test, const char *rule,
		unsigned int *level)
{
	bool own = grader->options.own && grader->options.out;
	struct sources from;
	char *hint;

	sources_read(grader, &from);
	*level = own ? next_level(grader, student, &from, test->name, rule)
		     : 1;
	hint = look_up(&from, rule, level);
	if (!hint)
		hint = look_up(&from, test->name, level);
	if (!hint)
		hint = look_up(&from, test->step, level);
	sources_free(&from);
	return hint;
}
