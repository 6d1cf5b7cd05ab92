/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A submission's files into the scratch folder, and the agent out of it.
 *
 * Only regular files with plain names that end in .c or .h are taken, none is
 * followed through a link, and each is written anew: nothing of a submission
 * but its text gets any further.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/compile/job.h"

bool job_has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name), suffix_len = strlen(suffix);

	return len > suffix_len &&
		!strcmp(name + len - suffix_len, suffix);
}

/* Files that the pipeline takes: plain names, .c or .h, no public tests. */
static bool is_wanted(const char *name)
{
	if (strlen(name) >= sizeof(((struct job *)0)->file[0]) - 8)
		return false;
	for (const char *at = name; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("_-.", *at))
			return false;
	}
	return isalnum((unsigned char)name[0]) &&
		strncmp(name, "test_", 5) &&
		(job_has_suffix(name, ".c") || job_has_suffix(name, ".h"));
}

int job_write_file(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
		      O_NOFOLLOW, 0644);
	int err = 0;

	if (fd < 0)
		return -errno;
	while (!err && len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0)
			err = -errno;
		else
			bytes += n, len -= n;
	}
	if (close(fd) < 0 && !err)
		err = -errno;
	return err;
}

static int copy_file(struct job *job, const char *name)
{
	char path[4096];
	struct text text;
	int err;

	snprintf(path, sizeof(path), "%s/%s", job->options->source, name);
	err = text_read(path, FILE_LIMIT, &text);
	if (err == -EFBIG) {
		job->result->outcome = COMPILE_ERRORS;
		snprintf(job->result->text, sizeof(job->result->text),
			 "%s is larger than 1 MiB", name);
		return 1;
	}
	if (err)	/* a link, a pipe, a folder: not a file of source */
		return 0;
	snprintf(path, sizeof(path), "%s/%s", job->options->scratch, name);
	err = job_write_file(path, text.bytes, text.len);
	text_free(&text);
	if (err)
		return job_failed(job, err, path);
	snprintf(job->file[job->files++], sizeof(job->file[0]), "%s", name);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

int job_copy_files(struct job *job)
{
	DIR *folder = opendir(job->options->source);
	struct dirent *entry;
	int err = 0;

	if (!folder)
		return job_failed(job, -errno, job->options->source);
	while (!err && (entry = readdir(folder))) {
		if (!is_wanted(entry->d_name))
			continue;
		if (job->files == FILES) {
			job->result->outcome = COMPILE_ERRORS;
			snprintf(job->result->text, sizeof(job->result->text),
				 "more than %d files", FILES);
			err = 1;
			break;
		}
		err = copy_file(job, entry->d_name);
	}
	closedir(folder);
	qsort(job->file, job->files, sizeof(job->file[0]), compare);
	return err;
}

int job_place_output(struct job *job)
{
	char path[4096];
	struct text text;
	int err;

	snprintf(path, sizeof(path), "%s/agent", job->options->scratch);
	err = text_read(path, TEXT_LIMIT, &text);
	if (err)
		return job_failed(job, err, path);
	unlink(job->options->output);
	err = job_write_file(job->options->output, text.bytes, text.len);
	text_free(&text);
	if (!err && chmod(job->options->output, 0755) < 0)
		err = -errno;
	return err ? job_failed(job, err, job->options->output) : 0;
}

int job_failed(struct job *job, int err, const char *what)
{
	job->result->outcome = COMPILE_FAILED;
	snprintf(job->result->text, sizeof(job->result->text), "%.400s: %s",
		 what, strerror(-err));
	return err;
}
