/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Names for a binary that reads no file: after the link, the table that
 * crash.c of the runtime has reserved is filled in, in place.
 *
 * It holds the submission's functions and variables, and the functions of the
 * driver that is given; of the C library's nobody wants to hear.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "autograder/compile/inside.h"
#include "autograder/runtime/symbols.h"

struct table {
	struct rt_symbols symbols;
	size_t names;
	uint16_t file[64];	/* where the files' names are	*/
};

static void table_add(struct table *table, const struct symbol *s)
{
	size_t len = strlen(s->name) + 1;
	struct rt_symbol *entry;

	if (table->symbols.count == RT_SYMBOLS ||
	    len > RT_SYMBOL_NAMES - table->names)
		return;
	entry = &table->symbols.entry[table->symbols.count++];
	entry->addr = s->addr;
	entry->size = s->size;
	entry->data = s->data;
	entry->name = table->names;
	memcpy(table->symbols.names + table->names, s->name, len);
	table->names += len;
}

static bool is_in(const struct object *object, const struct symbol *s)
{
	for (unsigned int i = 0; i < object_count(object); i++) {
		struct symbol other = object_symbol(object, i);

		if (other.defined && other.function == s->function &&
		    other.data == s->data && other.size == s->size &&
		    !strcmp(other.name, s->name))
			return true;
	}
	return false;
}

/* The reserved table's place in the file, or 0. */
static uint64_t fill_table(struct table *table, const struct object *binary,
			   const struct object *submission,
			   const struct object *agent)
{
	uint64_t offset = 0;

	for (unsigned int pass = 0; pass < 2; pass++) {
		const struct object *from = pass ? agent : submission;

		for (unsigned int i = 0; i < object_count(binary); i++) {
			struct symbol s = object_symbol(binary, i);

			if (!s.defined || !s.size || !(s.function || s.data))
				continue;
			if (!strcmp(s.name, "rt_symbols")) {
				offset = s.size == sizeof(table->symbols) ?
					object_offset(binary, i) : 0;
				continue;
			}
			if (pass && (s.data || !s.global))
				continue;
			if (is_in(from, &s))
				table_add(table, &s);
		}
	}
	return offset;
}

/* "ring.c   123   0x401000 …": false for what is no such row. */
static bool read_row(const char *row, char *file, size_t len,
		     unsigned int *line, unsigned long *addr)
{
	char number[24];

	if (len < 64 || sscanf(row, "%63s %23s %lx", file, number, addr) != 3)
		return false;
	/* The end of a sequence has a dash: no line from there on. */
	*line = number[0] == '-' ? 0 : strtoul(number, NULL, 10);
	return *addr && *addr <= UINT32_MAX && *line <= UINT16_MAX;
}

static int compare_lines(const void *a, const void *b)
{
	const struct rt_line *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Rows of the submission's own files. */
static void fill_lines(struct table *table, char *listing,
		       const char (*file)[64], unsigned int files)
{
	char *save = NULL, *row;

	for (unsigned int i = 0; i < files; i++) {
		struct symbol name = { .name = file[i] };
		size_t at = table->names;

		/* A name like any other, then taken out of the table. */
		table_add(table, &name);
		if (table->names == at)
			return;
		table->symbols.count--;
		table->file[i] = at;
	}
	for (row = strtok_r(listing, "\n", &save);
	     row && table->symbols.lines < RT_LINES;
	     row = strtok_r(NULL, "\n", &save)) {
		struct rt_line *line =
			&table->symbols.line[table->symbols.lines];
		unsigned int number, i;
		unsigned long addr;
		char name[64];

		if (!read_row(row, name, sizeof(name), &number, &addr))
			continue;
		for (i = 0; i < files && strcmp(file[i], name); i++)
			;
		if (i == files)
			continue;
		*line = (struct rt_line){ addr, number, table->file[i] };
		table->symbols.lines++;
	}
	qsort(table->symbols.line, table->symbols.lines,
	      sizeof(table->symbols.line[0]), compare_lines);
}

int symbols_embed(const char *path, const struct object *submission,
		  const struct object *agent, char *lines,
		  const char (*file)[64], unsigned int files)
{
	struct table *table = calloc(1, sizeof(*table));
	struct object *binary;
	uint64_t offset;
	int fd, err;

	if (!table)
		return -ENOMEM;
	err = object_read(path, &binary);
	if (err)
		goto free_table;
	table->symbols.magic = RT_SYMBOLS_MAGIC;
	fill_lines(table, lines, file, files);
	offset = fill_table(table, binary, submission, agent);
	object_free(binary);

	err = -EINVAL;
	if (!offset)
		goto free_table;
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	err = fd < 0 ? -errno : 0;
	if (err)
		goto free_table;
	/* From the table: gcc takes its first member's address for a word's. */
	if (pwrite(fd, (const char *)table + offsetof(struct table, symbols),
		   sizeof(table->symbols), offset) !=
	    (ssize_t)sizeof(table->symbols))
		err = -EIO;
	if (close(fd) < 0 && !err)
		err = -errno;
free_table:
	free(table);
	return err;
}
