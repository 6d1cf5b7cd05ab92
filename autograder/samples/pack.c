/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * sample-pack ARCHIVE NAME=FILE...: make a .zip or .tar.gz with these names.
 *
 * For the sample class and its tests: archivers refuse to make the archives
 * that a grader must survive, and are not on every machine.
 */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int die(const char *what, const char *why)
{
	fprintf(stderr, "sample-pack: %s: %s\n", what, why);
	exit(1);
}

static void add(struct archive *archive, const char *name, const char *file)
{
	struct archive_entry *entry = archive_entry_new();
	static char bytes[1 << 20];
	FILE *in = fopen(file, "rb");
	size_t size;

	if (!in || !entry)
		die(file, "cannot read");
	size = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	archive_entry_set_pathname(entry, name);
	archive_entry_set_size(entry, size);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_mtime(entry, 1000000000, 0);
	if (archive_write_header(archive, entry) != ARCHIVE_OK ||
	    archive_write_data(archive, bytes, size) != (la_ssize_t)size)
		die(name, archive_error_string(archive));
	archive_entry_free(entry);
}

int main(int argc, char **argv)
{
	struct archive *archive = archive_write_new();
	size_t len = argc > 1 ? strlen(argv[1]) : 0;

	if (argc < 3 || len < 5 || !archive) {
		fprintf(stderr, "usage: sample-pack ARCHIVE NAME=FILE...\n");
		return 2;
	}
	if (!strcmp(argv[1] + len - 4, ".zip")) {
		archive_write_set_format_zip(archive);
	} else {
		archive_write_set_format_ustar(archive);
		archive_write_add_filter_gzip(archive);
	}
	if (archive_write_open_filename(archive, argv[1]) != ARCHIVE_OK)
		die(argv[1], archive_error_string(archive));
	for (int i = 2; i < argc; i++) {
		char *equals = strrchr(argv[i], '=');

		if (!equals)
			die(argv[i], "no =");
		*equals = '\0';
		add(archive, argv[i], equals + 1);
	}
	if (archive_write_close(archive) != ARCHIVE_OK)
		die(argv[1], archive_error_string(archive));
	archive_write_free(archive);
	return 0;
}
