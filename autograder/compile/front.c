/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The front end: from a file of the student's to LLVM text, and the list of
 * what the file includes.
 *
 * Nothing is printed about a file before it is known what it includes: an
 * error message shows the line it is about, whoever's line that is.  A file
 * that compiles tells both at once.  One that does not is asked once more,
 * for its includes alone, and only then is what was printed kept.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograder/compile/job.h"
#include "autograder/compile/labs.h"

static void add_folders(struct args *args, const struct job *job)
{
	static const char *const folders[] = {
		"reference/include", "reference/port/user/judge",
		"reference/port/user", ".",
	};
	const struct compile_options *o = job->options;
	const char *folder;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		arg_add_text(args, "-I%s/%s", o->root, folders[i]);
	for (unsigned int i = 0; (folder = lab_headers(o->lab, i)); i++)
		arg_add_text(args, "-I%s/%s", o->root, folder);
}

static void add_front_flags(struct args *args, const struct job *job)
{
	static const char *const flags[] = {
		"-std=gnu11", "-g", "-Wall", "-Wextra",
		/* as the kernel, and as a skeleton needs */
		"-Wno-unused-parameter", "-Wno-unused-function",
		/* often one of the driver's other half, in no header here */
		"-Werror=implicit-function-declaration",
		"-ferror-limit=20",
		"-fno-color-diagnostics", "-ftrivial-auto-var-init=pattern",
		"-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes",
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		arg_add(args, flags[i]);
	add_folders(args, job);
}

static bool check_includes(const struct job *job, const char *file, char *text)
{
	return includes_check(job->options, file, text, job->result);
}

/* What a file includes, where the front end did not come to its end. */
static int list_includes(struct job *job, const char *file)
{
	struct args args = { .count = 0 };
	size_t used = strlen(job->result->log);
	char path[4096];
	int status;

	snprintf(path, sizeof(path), "%s/%s.d", job->options->scratch, file);
	unlink(path);
	compile_flags(&args);
	arg_add(&args, "-std=gnu11");
	arg_add(&args, "-M");
	arg_add(&args, "-MG");
	arg_add(&args, "-w");
	add_folders(&args, job);
	arg_add(&args, "-MF");
	arg_add_text(&args, "%s.d", file);
	arg_add(&args, file);
	status = tool_run(job, &args);
	job->result->log[used] = '\0';
	if (status < 0)
		return status;
	return compile_check(job, file, ".d", check_includes);
}

int compile_front(struct job *job, const char *file)
{
	struct args front = { .count = 0 };
	char *log = job->result->log, *printed;
	size_t used = strlen(log);
	int err;

	compile_flags(&front);
	add_front_flags(&front, job);
	arg_add(&front, "-MD");
	arg_add(&front, "-MF");
	arg_add_text(&front, "%s.d", file);
	arg_add(&front, "-o");
	arg_add_text(&front, "%s.ll", file);
	arg_add(&front, file);
	err = tool_step(job, &front, file);
	if (err < 0)
		return err;
	printed = strdup(log + used);
	if (!printed)
		return job_failed(job, -ENOMEM, file);
	log[used] = '\0';
	if (err)
		err = list_includes(job, file) ?: err;
	else
		err = compile_check(job, file, ".d", check_includes);
	if (job->result->outcome != COMPILE_REFUSED && err >= 0)
		strcpy(log + used, printed);
	free(printed);
	return err;
}
