/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * From a submission to an agent: intake, then the compile step in its box.
 *
 * The compilers see the student's files, a copy of the folders that the
 * compile step declares, and the system's; so no #include reaches a hidden
 * test, whoever's home the course lies in.  The finished agent is moved out
 * of the compilers' reach before it runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/compile/compile.h"
#include "autograder/grade/grade.h"

#define STEP_MS	120000

struct step {
	struct box *box;
	bool timed_out;
};

/* compile_run in a box. */
static int run_boxed(void *context, const char *const *argv, char *log,
		     size_t size, int *status)
{
	struct step *step = context;
	struct box_result result;
	int err = box_run(step->box, argv, STEP_MS, log, size, &result);

	if (err)
		return err;
	*status = result.end == BOX_EXITED ? result.status :
		128 + (result.end == BOX_SIGNALLED ? result.status : 9);
	step->timed_out |= result.end == BOX_TIMED_OUT;
	return 0;
}

static int compile_box(const struct grader *grader, const char *src,
		       const char *scratch, struct box **box)
{
	const char *read[48], *write[] = { scratch, NULL };
	char *staged = format_string("%s/root", grader->work);
	struct box_spec spec = {
		.profile = BOX_COMPILE, .layers = grader->options.layers,
		.read = read, .write = write, .cwd = scratch,
	};
	int n = 0, err;

	if (!staged)
		return -ENOMEM;
	while (box_system_paths[n]) {
		read[n] = box_system_paths[n];
		n++;
	}
	read[n++] = src;
	read[n++] = staged;
	read[n] = NULL;
	box_limits_default(BOX_COMPILE, &spec.limits);
	err = box_open(&grader->probe, &spec, box);
	free(staged);
	return err;
}

/* Out of the compilers' reach: a new file of ours. */
static int move_agent(const char *from, const char *to)
{
	size_t size;
	char *bytes = read_whole(from, 64 << 20, &size);
	int err = bytes ? write_atomically(to, bytes, size) : -errno;

	free(bytes);
	if (!err && chmod(to, 0755))
		err = -errno;
	return err;
}

/* Scratch paths differ from run to run: out of the text with them. */
static void strip(char *text, const char *path)
{
	size_t n = strlen(path);
	char *p = text;

	while ((p = strstr(p, path))) {
		size_t skip = n + (p[n] == '/');

		memmove(p, p + skip, strlen(p + skip) + 1);
	}
}

/* The compiler's or linker's first error says more than that there is one. */
static void first_error(const struct compile_result *c, char *line,
			size_t size)
{
	static const char *const words[] = {
		"error:", "multiple definition", "undefined reference"
	};
	const char *p = NULL, *from;

	for (int i = 0; i < 3 && !p; i++)
		p = strstr(c->log, words[i]);
	from = p;
	snprintf(line, size, "%s", c->text);
	while (from && from > c->log && from[-1] != '\n')
		from--;
	if (p)
		snprintf(line, size, "%.*s", (int)strcspn(from, "\n"), from);
}

static void put_outcome(const struct compile_result *c, cJSON *result)
{
	const char *state = c->outcome == COMPILE_ERRORS ? "build-failed" :
		c->outcome == COMPILE_REFUSED ? "refused" : "error";

	char line[512];

	if (c->outcome != COMPILE_OK) {
		cJSON_AddStringToObject(result, "state", state);
		first_error(c, line, sizeof(line));
		add_clean(result, "message", c->outcome == COMPILE_ERRORS ?
			  line : c->text);
	}
	add_clean(result, "log", c->log);
}

static int compile(const struct grader *grader,
		   const struct student *student, const char *src,
		   const char *scratch, cJSON *result)
{
	char *output = format_string("%s/agent", scratch);
	char *agent = format_string("%s/agent", student->work);
	char *root = format_string("%s/root", grader->work);
	struct compile_result *c = calloc(1, sizeof(*c));
	struct step step = { 0 };
	struct compile_options options = {
		.lab = grader->options.lab, .source = src,
		.scratch = scratch, .output = output, .root = root,
		.run = run_boxed, .context = &step,
	};
	int err = -ENOMEM;

	if (!output || !agent || !root || !c)
		goto free_all;
	err = compile_box(grader, src, scratch, &step.box);
	if (err)
		goto free_all;
	err = compile_submission(&options, c);
	if (c->outcome == COMPILE_OK)
		err = move_agent(output, agent);
	strip(c->log, scratch);
	strip(c->log, src);
	strip(c->log, root);
	strip(c->text, scratch);
	strip(c->text, src);
	strip(c->text, root);
	put_outcome(c, result);
	box_close(step.box);
free_all:
	free(c);
	free(root);
	free(agent);
	free(output);
	return err;
}

static int make_scratch(const struct student *student, const char *src,
			const char *scratch)
{
	/* other user ids must pass through, and into nothing else */
	if ((mkdir(student->work, 0711) && errno != EEXIST) ||
	    (mkdir(src, 0755) && errno != EEXIST) ||
	    (mkdir(scratch, 0755) && errno != EEXIST))
		return -errno;
	return 0;
}

cJSON *prepare_run(const struct grader *grader, const struct student *student)
{
	char *src = format_string("%s/src", student->work);
	char *scratch = format_string("%s/build", student->work);
	cJSON *result = cJSON_CreateObject();
	int err = src && scratch && result ? 0 : -ENOMEM;

	if (!err)
		err = make_scratch(student, src, scratch);
	if (!err)
		err = intake(grader, student->path, src, result);
	if (!err && !cJSON_HasObjectItem(result, "state"))
		err = compile(grader, student, src, scratch, result);
	if (err && result && !cJSON_HasObjectItem(result, "state")) {
		cJSON_AddStringToObject(result, "state", "error");
		add_clean(result, "message", strerror(-err));
	}
	free(scratch);
	free(src);
	return result;
}
