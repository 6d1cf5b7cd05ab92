/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Running one tool of the pipeline, and what its end means. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "autograder/compile/job.h"

void arg_add(struct args *args, const char *arg)
{
	if (args->count < ARGS - 1)
		args->arg[args->count++] = arg;
	args->arg[args->count] = NULL;
}

void arg_add_text(struct args *args, const char *format, ...)
{
	char *text = args->text[args->texts++ % ARGS];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(args->text[0]), format, list);
	va_end(list);
	arg_add(args, text);
}

/* Run; its output goes to log.  Its exit status, or -errno. */
int tool_run_into(struct job *job, const struct args *args, char *log,
		    size_t size)
{
	const struct compile_options *options = job->options;
	void *context = options->run ? options->context :
		(void *)options->scratch;
	int status = 0, err;

	err = (options->run ? options->run : compile_run_plain)
		(context, args->arg, log, size, &status);
	if (err)
		return job_failed(job, err, args->arg[0]);
	if (status == 126 || status == 127)
		return job_failed(job, -ENOENT, args->arg[0]);
	return status;
}

int tool_run(struct job *job, const struct args *args)
{
	char *log = job->result->log;
	size_t used = strlen(log);

	return tool_run_into(job, args, log + used,
			sizeof(job->result->log) - used);
}

/* 0: it ran and was content; else the result is filled in. */
int tool_step(struct job *job, const struct args *args, const char *what)
{
	int status = tool_run(job, args);

	if (status > 0) {
		job->result->outcome = COMPILE_ERRORS;
		snprintf(job->result->text, sizeof(job->result->text),
			 "%s: see the log", what);
	}
	return status;
}
