/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Files and strings. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/grade/grade.h"
#include "autograder/report/report.h"

char *format_string(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}

int make_folders(const char *path, unsigned int mode)
{
	char partial[PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof(partial))
		return -ENAMETOOLONG;
	for (size_t i = 1; i <= len; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(partial, path, i);
		partial[i] = '\0';
		if (mkdir(partial, mode) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		size -= n;
	}
	return 0;
}

/* Whoever reads path sees the old file or the new one, never a part. */
int write_atomically(const char *path, const void *bytes, size_t size)
{
	char *temporary = format_string("%s.%d.tmp", path, (int)getpid());
	int fd, err;

	if (!temporary)
		return -ENOMEM;
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
		  O_NOFOLLOW, 0644);
	err = fd < 0 ? -errno : write_all(fd, bytes, size);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(temporary, path))
		err = -errno;
	if (err && fd >= 0)
		unlink(temporary);
	free(temporary);
	return err;
}

static char *read_fd(int fd, size_t max, size_t *size)
{
	struct stat st;
	char *bytes;
	size_t used = 0;
	ssize_t n = 1;

	if (fstat(fd, &st))
		return NULL;
	if (!S_ISREG(st.st_mode) || (uintmax_t)st.st_size > max) {
		errno = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
		return NULL;
	}
	bytes = malloc(st.st_size + 1);
	while (bytes && used < (size_t)st.st_size && n > 0) {
		n = read(fd, bytes + used, st.st_size - used);
		if (n > 0)
			used += n;
	}
	if (n < 0) {
		free(bytes);
		return NULL;
	}
	if (bytes)
		bytes[used] = '\0';
	if (size)
		*size = used;
	return bytes;
}

char *read_whole(const char *path, size_t max, size_t *size)
{
	/* a student's pipe or link must not make us wait or wander */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *bytes;
	int err;

	if (fd < 0)
		return NULL;
	bytes = read_fd(fd, max, size);
	err = errno;
	close(fd);
	errno = err;
	return bytes;
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void add_clean(cJSON *object, const char *name, const char *text)
{
	char *clean = report_clean(text, strlen(text), 8192, true);

	cJSON_AddStringToObject(object, name, clean ? clean : "");
	free(clean);
}

bool in_list(const char *list, const char *name)
{
	size_t n = strlen(name);

	while (list && *list) {
		size_t len = strcspn(list, ",");

		if (len == n && !strncmp(list, name, n))
			return true;
		list += len + (list[len] == ',');
	}
	return false;
}
