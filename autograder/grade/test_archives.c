/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Making hostile archives, each with the reference driver in it as well, so
 * that one can see whether the good part was lost with the bad.
 */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "autograder/grade/test_archives.h"

static struct archive *begin(const char *path)
{
	struct archive *a = archive_write_new();
	bool zip = strstr(path, ".zip");

	if (zip) {
		archive_write_set_format_zip(a);
	} else {
		archive_write_set_format_pax_restricted(a);
		archive_write_add_filter_gzip(a);
	}
	if (strstr(path, "encrypted")) {
		archive_write_set_options(a, "zip:encryption=traditional");
		archive_write_set_passphrase(a, "secret");
	}
	if (archive_write_open_filename(a, path) != ARCHIVE_OK)
		return NULL;
	return a;
}

static int add(struct archive *a, const char *name, mode_t type,
	       const char *link, const void *bytes, size_t size)
{
	struct archive_entry *entry = archive_entry_new();
	int r;

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, size);
	if (type == AE_IFLNK)
		archive_entry_set_symlink(entry, link);
	else if (link)
		archive_entry_set_hardlink(entry, link);
	r = archive_write_header(a, entry);
	archive_entry_free(entry);
	if (r < ARCHIVE_WARN)
		return -EIO;
	return size && archive_write_data(a, bytes, size) !=
		(la_ssize_t)size ? -EIO : 0;
}

static int add_text(struct archive *a, const char *name, const char *text)
{
	return add(a, name, AE_IFREG, NULL, text, strlen(text));
}

static int add_driver(struct archive *a)
{
	static const char *const names[] = { "push.c", "ring.c" };
	static char bytes[65536];
	int err = 0;

	for (int i = 0; !err && i < 2; i++) {
		char path[64];
		FILE *in;
		size_t n;

		snprintf(path, sizeof(path), "reference/umd/%s", names[i]);
		in = fopen(path, "r");
		if (!in)
			return -errno;
		n = fread(bytes, 1, sizeof(bytes), in);
		fclose(in);
		err = add(a, names[i], AE_IFREG, NULL, bytes, n);
	}
	return err;
}

static int end(struct archive *a, int err)
{
	if (archive_write_close(a) != ARCHIVE_OK && !err)
		err = -EIO;
	archive_write_free(a);
	return err;
}

static int make_good(const char *path)
{
	struct archive *a = begin(path);

	return end(a, add_driver(a));
}

static int make_traversal(const char *path)
{
	struct archive *a = begin(path);
	int err = add_driver(a);

	err |= add_text(a, "../../outside.c", "#error\n");
	err |= add_text(a, "/tmp/absolute.c", "#error\n");
	err |= add_text(a, "a/../../outside.c", "#error\n");
	return end(a, err);
}

static int make_links(const char *path)
{
	struct archive *a = begin(path);
	int err = add_driver(a);

	err |= add(a, "soft.c", AE_IFLNK, "/etc/passwd", NULL, 0);
	err |= add(a, "hard.c", AE_IFREG, "/etc/passwd", NULL, 0);
	return end(a, err);
}

static int make_devices(const char *path)
{
	struct archive *a = begin(path);
	int err = add_driver(a);

	err |= add(a, "device.c", AE_IFCHR, NULL, NULL, 0);
	err |= add(a, "block.c", AE_IFBLK, NULL, NULL, 0);
	err |= add(a, "pipe.c", AE_IFIFO, NULL, NULL, 0);
	return end(a, err);
}

static int make_many(const char *path)
{
	struct archive *a = begin(path);
	int err = add_driver(a);
	char name[32];

	for (int i = 0; !err && i < 20000; i++) {
		snprintf(name, sizeof(name), "n%d.txt", i);
		err = add_text(a, name, "");
	}
	return end(a, err);
}

/* 300 MB of nothing in 300 KB. */
static int make_bomb(const char *path)
{
	static char zeros[1 << 20];
	struct archive *a = begin(path);
	int err = add_driver(a);

	for (int i = 0; !err && i < 300; i++)
		err = add(a, "zeros.bin", AE_IFREG, NULL, zeros,
			  sizeof(zeros));
	return end(a, err);
}

static int make_big_source(const char *path)
{
	static char spaces[300 << 10];
	struct archive *a = begin(path);
	int err = add_driver(a);

	memset(spaces, ' ', sizeof(spaces));
	err |= add(a, "big.c", AE_IFREG, NULL, spaces, sizeof(spaces));
	return end(a, err);
}

static int make_twins(const char *path)
{
	struct archive *a = begin(path);
	int err = add_text(a, "ring.c", "#error the earlier one\n");

	err |= add_driver(a);
	return end(a, err);
}

static int make_names(const char *path)
{
	struct archive *a = begin(path);
	int err = add_driver(a);

	err |= add_text(a, "\xff\xfe\x80.c", "#error\n");
	err |= add_text(a, "new\nline.c", "#error\n");
	err |= add_text(a, "<script>.c", "#error\n");
	err |= add_text(a, "__MACOSX/._ring.c", "junk");
	return end(a, err);
}

static int make_cut(const char *path)
{
	struct stat st;
	int err = make_good(path);

	if (!err && stat(path, &st))
		err = -errno;
	return err ? err : truncate(path, st.st_size * 2 / 3) ? -errno : 0;
}

static int make_empty(const char *path)
{
	FILE *out = fopen(path, "w");

	return out && fclose(out) == 0 ? 0 : -errno;
}

static int make_junk(const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return -errno;
	for (int i = 0; i < 5000; i++)
		putc(i * 37 % 251, out);
	return fclose(out) ? -errno : 0;
}

/* One byte in the middle of the compressed part. */
static int make_damaged(const char *path)
{
	int err = make_good(path);
	FILE *file = err ? NULL : fopen(path, "r+");
	int byte;

	if (!file)
		return err ? err : -errno;
	fseek(file, 900, SEEK_SET);
	byte = getc(file);
	fseek(file, 900, SEEK_SET);
	putc(byte ^ 0xff, file);
	return fclose(file) ? -errno : 0;
}

const struct hostile hostile_archives[] = {
	{ "good.zip", make_good, "graded", NULL },
	{ "twice.tar.gz", make_good, "graded", NULL },
	{ "upper.ZIP", make_good, "graded", NULL },
	{ "traversal.tar.gz", make_traversal, "graded", NULL },
	{ "traversal-zip.zip", make_traversal, "graded", NULL },
	{ "links.tar.gz", make_links, "graded", NULL },
	{ "devices.tar.gz", make_devices, "graded", NULL },
	{ "big-source.zip", make_big_source, "graded", NULL },
	{ "twins.zip", make_twins, "graded", NULL },
	{ "twins-tar.tar.gz", make_twins, "graded", NULL },
	{ "names.tar.gz", make_names, "graded", NULL },
	{ "names-zip.zip", make_names, "graded", NULL },
	{ "many.tar.gz", make_many, "unreadable", "10000 entries" },
	{ "many-zip.zip", make_many, "unreadable", "10000 entries" },
	{ "bomb.tar.gz", make_bomb, "unreadable", "256 MiB" },
	{ "cut.zip", make_cut, "unreadable", "cut off" },
	{ "cut-tar.tar.gz", make_cut, "unreadable", "damaged" },
	{ "damaged.zip", make_damaged, "unreadable", "damaged" },
	{ "damaged-tar.tar.gz", make_damaged, "unreadable", "damaged" },
	{ "encrypted.zip", make_good, "unreadable", "encrypted" },
	{ "empty.zip", make_empty, "unreadable", "not an archive" },
	{ "empty-tar.tar.gz", make_empty, "unreadable", "not an archive" },
	{ "junk.zip", make_junk, "unreadable", "not an archive" },
	{ NULL, NULL, NULL, NULL }
};
