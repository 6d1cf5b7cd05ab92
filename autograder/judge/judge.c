/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One run of one test: everything is made for it, and everything goes again,
 * whatever happens in between.
 *
 * A test is straight-line code that never looks at errors.  What ends it is
 * session_check(): it jumps out of the test when the run is decided.  Tests
 * own nothing, so nothing is lost by the jump.  The jump is never taken from
 * inside the card or between two posts, only after the agent has come to
 * rest: rules that break later in the same batch are listed as well.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/session.h"

static void copy_text(char *to, size_t len, const char *from)
{
	snprintf(to, len, "%s", from ? from : "");
}

static void also_broken(struct judge_verdict *verdict, const char *rule)
{
	unsigned int i;

	if (!strcmp(verdict->rule, rule))
		return;
	for (i = 0; i < verdict->others; i++) {
		if (!strcmp(verdict->other[i], rule))
			return;
	}
	if (i < sizeof(verdict->other) / sizeof(verdict->other[0])) {
		copy_text(verdict->other[i], sizeof(verdict->other[i]), rule);
		verdict->others++;
	}
}

/* An -ENOMEM that nobody injected, and that no driver is to blame for. */
static void tell_full_heap(const struct scenario *s,
			   struct judge_verdict *verdict)
{
	size_t at = strlen(verdict->actual);

	if (s->heap_full && strstr(verdict->actual, "-ENOMEM"))
		snprintf(verdict->actual + at, sizeof(verdict->actual) - at,
			 " (the driver's heap of %lu MiB is full)",
			 WIRE_HEAP_SIZE >> 20);
}

void session_fail(struct scenario *s, const char *rule, const char *section,
		  const char *text, const char *expected, const char *format,
		  ...)
{
	struct judge_verdict *verdict = s->verdict;
	va_list args;

	if (s->failed) {
		also_broken(verdict, rule);
		return;
	}
	s->failed = true;
	verdict->outcome = JUDGE_FAIL;
	verdict->time = s->card ? card_now(s->card) : 0;
	copy_text(verdict->rule, sizeof(verdict->rule), rule);
	copy_text(verdict->section, sizeof(verdict->section), section);
	copy_text(verdict->text, sizeof(verdict->text), text);
	copy_text(verdict->expected, sizeof(verdict->expected), expected);
	va_start(args, format);
	vsnprintf(verdict->actual, sizeof(verdict->actual), format, args);
	va_end(args);
	tell_full_heap(s, verdict);
	record_text(&s->record, verdict->time, "=> %s: %.160s", rule,
		    verdict->actual);
	record_last(&s->record, verdict);
}

void session_error(struct scenario *s, const char *format, ...)
{
	struct judge_verdict *verdict = s->verdict;
	va_list args;

	s->stop = true;
	if (s->error)
		return;
	s->error = true;
	copy_text(verdict->rule, sizeof(verdict->rule), "GRADER");
	copy_text(verdict->section, sizeof(verdict->section), "");
	copy_text(verdict->text, sizeof(verdict->text), "the grader failed");
	copy_text(verdict->expected, sizeof(verdict->expected), "a verdict");
	va_start(args, format);
	vsnprintf(verdict->actual, sizeof(verdict->actual), format, args);
	va_end(args);
}

void session_check(struct scenario *s)
{
	if (s->failed || s->error || s->stop)
		longjmp(s->out, 1);
}

/* Same seed, same everything; other seeds, other everything. */
static uint64_t mix(uint64_t seed, uint64_t salt)
{
	uint64_t z = seed * 0x9e3779b97f4a7c15u + salt;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static struct scenario *session_new(const struct judge_test *test,
				    const struct judge_options *options,
				    struct judge_verdict *verdict)
{
	struct scenario *s = calloc(1, sizeof(*s));
	unsigned int i;

	if (!s)
		return NULL;
	s->test = test;
	s->options = options;
	s->verdict = verdict;
	s->link.fd = -1;
	for (i = 0; i < SESSION_RINGS; i++)
		session_fence_forget(&s->fences.timeline[i]);
	s->random = mix(options->seed, 1);
	s->chip = options->chip < CARD_CHIPS ? options->chip :
		mix(options->seed, 2) % CARD_CHIPS;
	s->record.trace = options->trace;
	s->record.trace_arg = options->trace_arg;
	return s;
}

static void session_free(struct scenario *s)
{
	unsigned int i;

	link_close(&s->link);
	card_free(s->card);
	visibility_free(s->visibility);
	record_fini(&s->record);
	for (i = 0; i < SESSION_RINGS; i++) {
		session_forget(&s->ring[i]);
		session_fence_forget(&s->fences.timeline[i]);
	}
	session_vas_fini(s);
	for (i = 0; i < s->segments; i++) {
		free(s->segment[i]->wire);
		free(s->segment[i]->method);
		free(s->segment[i]);
	}
	free(s);
}

/* At the end of a test that passed so far: nothing may lie around. */
static void session_finish(struct scenario *s)
{
	unsigned int i;

	for (i = 0; i < SESSION_RINGS; i++) {
		if (s->ring[i].open && !s->unplugged && !s->frozen &&
		    !s->ring[i].paused && !s->ring[i].lost)
			expect_executed(s, i, 50 * MS);
	}
}

void judge_run(const struct judge_test *test,
	       const struct judge_options *options,
	       struct judge_verdict *verdict)
{
	struct scenario *s;

	memset(verdict, 0, sizeof(*verdict));
	verdict->outcome = JUDGE_ERROR;
	verdict->seed = options->seed;
	s = session_new(test, options, verdict);
	if (!s) {
		copy_text(verdict->actual, sizeof(verdict->actual),
			  "no memory");
		return;
	}
	if (!setjmp(s->out)) {
		test->run(s);
		session_finish(s);
	}
	if (s->record.no_memory)
		session_error(s, "no memory for the record");
	if (s->card)
		verdict->time = verdict->time ?: card_now(s->card);
	verdict->outcome = s->error ? JUDGE_ERROR :
		s->failed ? JUDGE_FAIL : JUDGE_PASS;
	if (verdict->outcome == JUDGE_PASS)
		copy_text(verdict->rule, sizeof(verdict->rule), "PASS");
	session_free(s);
}
