/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One test of one student: its seeds in order, up to the first that fails.
 *
 * Every run has a fresh agent in the student's box.  A run that the grader
 * itself failed, as on a machine so loaded that the host's clock ran out, is
 * repeated once and then is the grader's error: never a lost point.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "autograder/grade/grade.h"
#include "autograder/judge/chrome.h"
#include "autograder/report/report.h"

int trial_box(const struct grader *grader, const struct student *student,
	      struct box **box, char *agent)
{
	/* it is linked statically: itself is all that it needs */
	const char *read[] = { agent, NULL };
	struct box_spec spec = {
		.profile = BOX_AGENT, .layers = grader->options.layers,
		.read = read,
	};

	if (snprintf(agent, PATH_MAX, "%s/agent", student->work) >= PATH_MAX)
		return -ENAMETOOLONG;
	box_limits_default(BOX_AGENT, &spec.limits);
	return box_open(&grader->probe, &spec, box);
}

static cJSON *failure_of(const struct grader *grader,
			 const struct student *student,
			 const struct judge_test *test,
			 const struct judge_verdict *v)
{
	cJSON *f = cJSON_CreateObject(), *list;
	unsigned int level = 0;
	char *hint = hint_find(grader, student, test, v->rule, &level);
	char replay[256];

	snprintf(replay, sizeof(replay),
		 "build/bin/grade --replay %s/%s@%llu SUBMISSION", test->lab,
		 test->name, (unsigned long long)v->seed);
	cJSON_AddNumberToObject(f, "seed", v->seed);
	add_clean(f, "rule", v->rule);
	add_clean(f, "section", v->section);
	add_clean(f, "text", v->text);
	add_clean(f, "expected", v->expected);
	add_clean(f, "actual", v->actual);
	cJSON_AddNumberToObject(f, "time_ns", v->time);
	list = cJSON_AddArrayToObject(f, "events");
	for (unsigned int i = 0; i < v->events && i < JUDGE_LAST_EVENTS; i++) {
		char *line = report_clean(v->last[i], strlen(v->last[i]), 200,
					  false);

		cJSON_AddItemToArray(list, cJSON_CreateString(line ? line
								   : ""));
		free(line);
	}
	list = cJSON_AddArrayToObject(f, "others");
	for (unsigned int i = 0; i < v->others && i < 8; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(v->other[i]));
	add_clean(f, "replay", replay);
	add_clean(f, "hint", hint ? hint : "");
	cJSON_AddNumberToObject(f, "hint_level", hint ? level : 0);
	free(hint);
	return f;
}

static void run_once(struct box *box, const char *agent,
		     const struct judge_test *test, uint64_t seed,
		     struct judge_verdict *verdict)
{
	struct box_agent context = { .box = box, .path = agent,
				     .output = -1 };
	struct judge_options options = {
		.spawn = box_spawn_agent, .context = &context, .seed = seed,
		.chip = CARD_CHIPS,
	};

	judge_run(test, &options, verdict);
	/* the runs of one test share a box: nothing may live on */
	if (box_layers(box) & 1u << BOX_NAMESPACES)
		return;
	if (verdict->outcome != JUDGE_PASS)
		box_sweep(box, 0);
}

cJSON *trial_run(const struct grader *grader, const struct student *student,
		 const struct judge_test *test)
{
	unsigned int seeds = grader->options.seeds ? grader->options.seeds
						   : test->seeds;
	struct judge_verdict *v = calloc(1, sizeof(*v));
	cJSON *result = cJSON_CreateObject();
	unsigned int run = 0;
	char agent[PATH_MAX];
	struct box *box = NULL;
	int err = v && result ? trial_box(grader, student, &box, agent)
			      : -ENOMEM;
	bool retried = false;

	if (err) {
		add_clean(result, "error", strerror(-err));
		free(v);
		return result;
	}
	while (run < seeds) {
		run_once(box, agent, test, run + 1, v);
		if (v->outcome == JUDGE_ERROR && !retried) {
			retried = true;
			continue;
		}
		run++;
		if (v->outcome != JUDGE_PASS)
			break;
	}
	cJSON_AddNumberToObject(result, "seeds", seeds);
	cJSON_AddNumberToObject(result, "seeds_run", run);
	cJSON_AddStringToObject(result, "outcome",
				v->outcome == JUDGE_PASS ? "pass" : "fail");
	if (v->outcome == JUDGE_ERROR)
		add_clean(result, "error", *v->actual ? v->actual :
			  "the judge gave no verdict");
	else if (v->outcome == JUDGE_FAIL)
		cJSON_AddItemToObject(result, "failure",
				      failure_of(grader, student,
						 test, v));
	box_close(box);
	free(v);
	return result;
}

struct trace {
	struct chrome chrome;	/* file NULL: not wanted */
	/* Lines since the last call; file NULL: all are shown at once. */
	FILE *file;
	char *bytes;
	size_t size;
	unsigned long lines;
	bool matters;		/* a rule was broken in one	*/
};

/* What waits for its call to end. */
static void trace_flush(struct trace *trace, const char *instead)
{
	if (!trace->file)
		return;
	fflush(trace->file);
	if (instead && !trace->matters)
		printf("... %lu events of %s; FROM=start shows them\n",
		       trace->lines, instead);
	else
		fwrite(trace->bytes, 1, trace->size, stdout);
	rewind(trace->file);
	trace->lines = 0;
}

/*
 * Bringing the card up, and down again, is not the lab's, and is most of the
 * lines: each is one line here, unless it went wrong.
 */
static void trace_text(struct trace *trace, bool event, const char *line)
{
	const char *instead = NULL;

	trace->matters |= !event && strstr(line, "=> ");
	if (!event && strstr(line, ": gpu_open() = 0"))
		instead = "the bring-up";
	else if (!event && strstr(line, ": gpu_close() = 0"))
		instead = "the shutdown";
	if (!event && strstr(line, ") = "))
		trace_flush(trace, instead);
	trace->lines++;
	fprintf(trace->file, "%s\n", line);
}

static void trace_line(void *arg, const struct card_event *event,
		       const char *line)
{
	struct trace *trace = arg;

	if (trace->file)
		trace_text(trace, event, line);
	else
		puts(line);
	if (trace->chrome.file)
		chrome_line(&trace->chrome, event, line);
}

/* What the student's program printed, made harmless for a terminal. */
static void show_output(int fd, FILE *out)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *bytes, *clean;

	if (size <= 0 || size > 1 << 20)
		return;
	bytes = malloc(size);
	if (bytes && pread(fd, bytes, size, 0) == size) {
		clean = report_clean(bytes, size, 65536, true);
		fprintf(out, "\nPrinted by the driver (scores nothing):\n%s\n",
			clean ? clean : "");
		free(clean);
	}
	free(bytes);
}

static void show_verdict(const struct judge_test *test,
			 const struct judge_verdict *v)
{
	printf("\n%s/%s@%llu: %s\n", test->lab, test->name,
	       (unsigned long long)v->seed, v->outcome == JUDGE_PASS ?
	       "pass" : v->outcome == JUDGE_FAIL ? "fail" : "grader error");
	if (v->outcome == JUDGE_PASS)
		return;
	printf("  %s [%s] at %llu ns: %s\n  expected  %s\n"
	       "  actual    %s\n", v->rule, v->section,
	       (unsigned long long)v->time, v->text, v->expected, v->actual);
}

static void judge_traced(const struct judge_test *test,
			 const struct judge_options *options,
			 struct trace *trace, const char *json,
			 struct judge_verdict *v)
{
	char *bytes = NULL;
	size_t size;
	FILE *file = json ? open_memstream(&bytes, &size) : NULL;
	int err = json && !file ? -ENOMEM : 0;

	if (file)
		chrome_begin(&trace->chrome, file, test->name);
	judge_run(test, options, v);
	if (file) {
		chrome_end(&trace->chrome);
		err = fclose(file) ? -ENOMEM : write_atomically(json, bytes,
								size);
	}
	if (err)
		fprintf(stderr, "grade: %s: %s\n", json, strerror(-err));
	free(bytes);
}

int trial_replay(const struct grader *grader, const struct student *student,
		 const struct judge_test *test, uint64_t seed,
		 const char *json)
{
	struct judge_verdict *v = calloc(1, sizeof(*v));
	struct trace trace = { .lines = 0 };
	char agent[PATH_MAX];
	struct box_agent context = {
		.path = agent, .output = memfd_create("output", MFD_CLOEXEC),
	};
	struct judge_options options = {
		.spawn = box_spawn_agent, .context = &context, .seed = seed,
		.chip = CARD_CHIPS, .trace = trace_line, .trace_arg = &trace,
	};
	int err = v ? trial_box(grader, student, &context.box, agent)
		    : -ENOMEM;

	if (json && !grader->options.from_start)
		trace.file = open_memstream(&trace.bytes, &trace.size);
	if (!err) {
		judge_traced(test, &options, &trace, json, v);
		trace_flush(&trace, NULL);
		box_close(context.box);
		show_output(context.output, stdout);
		show_verdict(test, v);
		if (json)
			printf("For Chrome or Perfetto: %s\n", json);
		err = v->outcome == JUDGE_ERROR ? -EIO : 0;
	}
	if (trace.file)
		fclose(trace.file);
	free(trace.bytes);
	if (context.output >= 0)
		close(context.output);
	free(v);
	return err;
}
