/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The pipeline.
 *
 *   .c and .h files          copied, nothing else is
 *   clang, front end only    what they include (includes.c), and LLVM text:
 *                            checked for evasion (ir.c)
 *   clang, passes            instrumented text: every access hooked (hooks.c)
 *   clang, code              an object
 *   ld -r                    one object: its symbols are checked (check.c)
 *   objcopy                  the C library's names become the runtime's, and
 *                            all but the lab's functions become local
 *   clang, static link       with the lab's agent, which was linked before
 *   the table of names       (symbols.c)
 *
 * What is checked is what is compiled on: the second step reads the first
 * one's output, not the source again.  Tools run through a callback, in a
 * box; files are read and written here, and a tool's output is never followed
 * through a link.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/compile/job.h"
#include "autograder/compile/labs.h"

#define LISTING		(4u << 20)

const char *const compile_reads[] = { COMPILE_READS, NULL };

void compile_agent(const char *lab, char *path, size_t size)
{
	snprintf(path, size, "build/agent/agent-%s.o", lab);
}

void compile_flags(struct args *args)
{
	static const char *const flags[] = {
		"-O1", "-fsanitize=thread", "-fno-omit-frame-pointer",
		"-fno-builtin", "-fno-pie", "-march=x86-64",
		"-fno-crash-diagnostics",
		"-mllvm", "-tsan-instrument-read-before-write=1",
		"-mllvm", "-tsan-distinguish-volatile=1",
	};

	arg_add(args, "/usr/bin/clang");
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		arg_add(args, flags[i]);
}

static bool check_source(const struct job *job, const char *file, char *text)
{
	return ir_check_source(file, text, job->result);
}

static bool check_hooks(const struct job *job, const char *file, char *text)
{
	return ir_check_hooks(file, text, job->result);
}

int compile_check(struct job *job, const char *file, const char *suffix,
		  bool (*check)(const struct job *job, const char *file,
				char *text))
{
	char path[4096];
	struct text text;
	bool good;
	int err;

	snprintf(path, sizeof(path), "%s/%s%s", job->options->scratch, file,
		 suffix);
	err = text_read(path, TEXT_LIMIT, &text);
	if (err == -EFBIG)
		good = refuse(job->result, "%s: becomes more than %u MiB", file,
			      TEXT_LIMIT >> 20);
	else if (err == -ENOENT && !strcmp(suffix, ".d"))
		good = refuse(job->result, "%s: cannot be preprocessed", file);
	else if (err)
		return job_failed(job, err, path);
	else
		good = check(job, file, text.bytes);
	text_free(&text);
	if (!good && job->result->outcome == COMPILE_OK)
		return job_failed(job, -ENOMEM, file);
	return good ? 0 : 1;
}

static int compile_file(struct job *job, const char *file)
{
	struct args passes = { .count = 0 }, code = { .count = 0 };
	int err = compile_front(job, file);

	if (err)
		return err;
	err = compile_check(job, file, ".ll", check_source);
	if (err)
		return err;

	compile_flags(&passes);
	arg_add(&passes, "-S");
	arg_add(&passes, "-emit-llvm");
	arg_add(&passes, "-o");
	arg_add_text(&passes, "%s.hooked.ll", file);
	arg_add(&passes, "-xir");
	arg_add_text(&passes, "%s.ll", file);
	err = tool_step(job, &passes, file);
	if (err)
		return err;
	err = compile_check(job, file, ".hooked.ll", check_hooks);
	if (err)
		return err;

	compile_flags(&code);
	arg_add(&code, "-c");
	arg_add(&code, "-Xclang");
	arg_add(&code, "-disable-llvm-passes");
	arg_add(&code, "-o");
	arg_add_text(&code, "%s.o", file);
	arg_add(&code, "-xir");
	arg_add_text(&code, "%s.hooked.ll", file);
	return tool_step(job, &code, file);
}

static int join(struct job *job)
{
	struct args args = { .count = 0 };
	unsigned int sources = 0;

	arg_add(&args, "/usr/bin/ld");
	arg_add(&args, "-r");
	arg_add(&args, "-o");
	arg_add(&args, "joined.o");
	for (unsigned int i = 0; i < job->files; i++) {
		if (!job_has_suffix(job->file[i], ".c"))
			continue;
		arg_add_text(&args, "%s.o", job->file[i]);
		sources++;
	}
	if (sources)
		return tool_step(job, &args, "joining the files");
	job->result->outcome = COMPILE_ERRORS;
	snprintf(job->result->text, sizeof(job->result->text),
		 "no .c file was submitted");
	return 1;
}

static int write_lists(struct job *job)
{
	static const char redirect[] =
#define INTERCEPT(name, ours)	#name " " #ours "\n"
#define ALLOW(name)
#include "autograder/runtime/intercept.def"
#undef INTERCEPT
#undef ALLOW
		;
	char path[4096], keep[4096] = "";
	size_t len = 0;
	int err;

	for (unsigned int i = 0; name_required(job->options->lab, i); i++)
		len += snprintf(keep + len, sizeof(keep) - len, "%s\n",
				name_required(job->options->lab, i));
	snprintf(path, sizeof(path), "%s/redirect.syms",
		 job->options->scratch);
	err = job_write_file(path, redirect, sizeof(redirect) - 1);
	if (err)
		return job_failed(job, err, path);
	snprintf(path, sizeof(path), "%s/keep.syms", job->options->scratch);
	err = job_write_file(path, keep, len);
	return err ? job_failed(job, err, path) : 0;
}

static int rename_symbols(struct job *job)
{
	struct args args = { .count = 0 };
	int err = write_lists(job);

	if (err)
		return err;
	arg_add(&args, "/usr/bin/objcopy");
	arg_add(&args, "--redefine-syms=redirect.syms");
	arg_add(&args, "--keep-global-symbols=keep.syms");
	arg_add(&args, "joined.o");
	arg_add(&args, "submission.o");
	return tool_step(job, &args, "redirecting names");
}

static int link_agent(struct job *job)
{
	struct args args = { .count = 0 };

	arg_add(&args, "/usr/bin/clang");
	arg_add(&args, "-static");
	arg_add(&args, "-fuse-ld=lld");
	arg_add(&args, "-o");
	arg_add(&args, "agent");
	arg_add(&args, job->agent);
	arg_add(&args, "submission.o");
	arg_add(&args, "-lpthread");
	return tool_step(job, &args, "linking");
}

/* Names and lines into the binary, for what it has to say of itself. */
static int embed(struct job *job, const struct object *submission,
		 const struct object *agent)
{
	struct args args = { .count = 0 };
	char *lines = calloc(1, LISTING);
	char path[4096];
	int err;

	if (!lines)
		return job_failed(job, -ENOMEM, "lines");
	arg_add(&args, "/usr/bin/objdump");
	arg_add(&args, "--dwarf=decodedline");
	arg_add(&args, "agent");
	/* Without lines there are still names. */
	err = tool_run_into(job, &args, lines, LISTING);
	if (err > 0)
		lines[0] = '\0';
	if (err >= 0) {
		snprintf(path, sizeof(path), "%s/agent",
			 job->options->scratch);
		err = symbols_embed(path, submission, agent, lines,
				    (const char (*)[64])job->file,
				    job->files);
		if (err)
			job_failed(job, err, path);
	}
	free(lines);
	return err;
}

/* The objects' symbols: first what is allowed, later the names to embed. */
static int with_objects(struct job *job, const char *file, bool linked)
{
	const struct compile_options *options = job->options;
	struct object *submission, *agent;
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/%s", options->scratch, file);
	err = object_read(path, &submission);
	if (err)
		return job_failed(job, err, path);
	err = object_read(job->agent, &agent);
	if (err) {
		object_free(submission);
		return job_failed(job, err, job->agent);
	}
	if (linked)
		err = embed(job, submission, agent);
	else if (!symbols_check(options->lab, submission, agent,
				job->result))
		err = 1;
	object_free(agent);
	object_free(submission);
	return err;
}

static void find_agent(struct job *job)
{
	const struct compile_options *options = job->options;
	char path[64];

	compile_agent(options->lab, path, sizeof(path));
	if (options->agent)
		snprintf(job->agent, sizeof(job->agent), "%s",
			 options->agent);
	else
		snprintf(job->agent, sizeof(job->agent), "%s/%s",
			 options->root, path);
}

int compile_submission(const struct compile_options *options,
		       struct compile_result *result)
{
	struct job *job = calloc(1, sizeof(*job));
	int err;

	memset(result, 0, sizeof(*result));
	if (!job) {
		result->outcome = COMPILE_FAILED;
		return -ENOMEM;
	}
	job->options = options;
	job->result = result;
	find_agent(job);

	err = job_copy_files(job);
	for (unsigned int i = 0; !err && i < job->files; i++) {
		if (job_has_suffix(job->file[i], ".c"))
			err = compile_file(job, job->file[i]);
	}
	if (!err)
		err = join(job);
	if (!err)
		err = with_objects(job, "joined.o", false);
	if (!err)
		err = rename_symbols(job);
	if (!err)
		err = link_agent(job);
	if (!err)
		err = with_objects(job, "submission.o", true);
	if (!err)
		err = job_place_output(job);
	free(job);
	return err < 0 ? err : 0;
}
