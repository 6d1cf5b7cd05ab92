/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * grade-unpack: read an archive on standard input, write its .c and .h files
 * to standard output.
 *
 * An archive is the most hostile thing a student can hand in: it can be
 * broken, endless, encrypted, full of links and devices, and aimed at the
 * parser itself.  So the parser runs alone, in a box, opens nothing and
 * creates nothing: names and contents go to a descriptor, and what is not
 * taken is named with the reason.
 */
#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograder/grade/unpack.h"

static char data[UNPACK_FILE_MAX + 1];
static unsigned int notes;
static size_t taken;

static void put(enum unpack_kind kind, const char *path, const void *bytes,
		size_t size)
{
	struct unpack_item item = {
		.kind = kind, .path = strlen(path), .data = size,
	};

	fwrite(&item, sizeof(item), 1, stdout);
	fwrite(path, 1, item.path, stdout);
	fwrite(bytes, 1, size, stdout);
}

static __attribute__((noreturn)) void broken(const char *why)
{
	put(UNPACK_BROKEN, "", why, strlen(why));
	fflush(stdout);
	_exit(0);
}

static void ignore(const char *path, const char *why)
{
	if (notes++ < UNPACK_NOTES_MAX)
		put(UNPACK_IGNORED, path, why, strlen(why));
}

/* A component "..", or a path from the root. */
static bool leaves(const char *path)
{
	if (*path == '/' || *path == '\\')
		return true;
	while (*path) {
		size_t n = strcspn(path, "/\\");

		if (n == 2 && !strncmp(path, "..", 2))
			return true;
		path += n;
		path += *path != '\0';
	}
	return false;
}

static bool is_source(const char *path)
{
	size_t n = strlen(path);

	return n > 2 && path[n - 2] == '.' &&
	       (path[n - 1] == 'c' || path[n - 1] == 'h');
}

static const char *why_not(struct archive_entry *entry, const char *path)
{
	if (archive_entry_hardlink(entry) || archive_entry_symlink(entry))
		return "a link";
	if (archive_entry_filetype(entry) != AE_IFREG)
		return "not a regular file";
	if (leaves(path))
		return "its path leaves the archive";
	if (strlen(path) > UNPACK_PATH_MAX)
		return "its path is too long";
	if (!is_source(path))
		return "only .c and .h files are taken";
	return NULL;
}

static void take(struct archive *archive, const char *path)
{
	size_t used = 0;
	la_ssize_t n;

	while (used < sizeof(data)) {
		n = archive_read_data(archive, data + used,
				      sizeof(data) - used);
		if (n < 0)
			broken("the archive is damaged");
		if (n == 0)
			break;
		used += n;
	}
	if (used > UNPACK_FILE_MAX) {
		ignore(path, "larger than 256 KiB");
		return;
	}
	taken += used;
	if (taken > UNPACK_TOTAL_MAX)
		broken("more than 4 MiB of source");
	put(UNPACK_FILE, path, data, used);
}

static void one_entry(struct archive *archive, struct archive_entry *entry)
{
	const char *path = archive_entry_pathname(entry), *why;

	if (!path)
		path = archive_entry_pathname_utf8(entry);
	if (!path)
		path = "(a name that cannot be read)";
	if (archive_entry_is_encrypted(entry))
		broken("the archive is encrypted");
	while (!strncmp(path, "./", 2))
		path += 2;
	if (archive_entry_filetype(entry) == AE_IFDIR && !leaves(path))
		return;
	why = why_not(entry, path);
	if (why) {
		char shown[UNPACK_PATH_MAX];

		snprintf(shown, sizeof(shown), "%s", path);
		ignore(shown, why);
	} else {
		take(archive, path);
	}
}

/* The bytes that came out of the decompressor; skipped ones count too. */
static void check_size(struct archive *archive)
{
	if (archive_filter_bytes(archive, 0) > (la_int64_t)UNPACK_BYTES_MAX)
		broken("the archive unpacks to more than 256 MiB");
}

/*
 * A zip ends in its directory, at most a comment of 64 KiB before the end.
 * One that was cut off still has files to read, but not all of them.
 */
static bool is_cut_zip(void)
{
	static unsigned char tail[65536 + 22];
	off_t size = lseek(0, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(tail) ? size - (off_t)sizeof(tail)
						: 0;
	ssize_t n = pread(0, tail, 2, 0);

	lseek(0, 0, SEEK_SET);
	if (n != 2 || memcmp(tail, "PK", 2))
		return false;
	n = pread(0, tail, sizeof(tail), from);
	for (ssize_t i = 0; i + 22 <= n; i++)
		if (!memcmp(tail + i, "PK\5\6", 4))
			return false;
	return true;
}

int main(void)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	unsigned int entries = 0;
	int r;

	if (!archive)
		return 1;
	archive_read_support_filter_gzip(archive);
	archive_read_support_format_tar(archive);
	archive_read_support_format_zip(archive);
	if (is_cut_zip())
		broken("the archive is cut off");
	if (archive_read_open_fd(archive, 0, 65536) != ARCHIVE_OK)
		broken("not an archive, or damaged");
	while ((r = archive_read_next_header(archive, &entry)) !=
	       ARCHIVE_EOF) {
		if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
			broken(entries ? "the archive is damaged" :
			       "not an archive, or damaged");
		if (++entries > UNPACK_ENTRIES_MAX)
			broken("more than 10000 entries");
		one_entry(archive, entry);
		check_size(archive);
	}
	if (archive_read_has_encrypted_entries(archive) > 0)
		broken("the archive is encrypted");
	put(UNPACK_END, "", "", 0);
	return fflush(stdout) ? 1 : 0;
}
