/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * LLVM's text, as far as the checks need it.
 *
 * The text is one entity a line; what a student can put into it freely (names
 * with odd letters, strings, templates of assembly) stands in quotes, in which
 * LLVM escapes every quote and line end.  So a copy with the quotes' contents
 * blanked can be searched for keywords without being fooled.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/compile/inside.h"

static void blank_quotes(char *bare)
{
	bool quoted = false;

	for (; *bare; bare++) {
		if (*bare == '"')
			quoted = !quoted;
		else if (quoted)
			*bare = '_';
	}
}

bool ir_next(struct ir_reader *reader, struct ir_line *line)
{
	char *at = reader->next, *end;
	size_t len;

	if (!at || !*at)
		return false;
	end = strchr(at, '\n');
	len = end ? (size_t)(end - at) : strlen(at);
	if (end)
		*end = '\0';
	reader->next = end ? end + 1 : NULL;

	if (len + 1 > reader->room) {
		char *larger = realloc(reader->bare, len + 1);

		if (!larger)
			return false;
		reader->bare = larger;
		reader->room = len + 1;
	}
	memcpy(reader->bare, at, len + 1);
	blank_quotes(reader->bare);
	line->at = at;
	line->bare = reader->bare;
	return true;
}

size_t ir_name(const char *at, char *name, size_t len)
{
	size_t n = 0;
	bool quoted;

	if (*at == '@' || *at == '%')
		at++;
	quoted = *at == '"';
	if (quoted)
		at++;
	while (*at && n + 1 < len &&
	       (quoted ? *at != '"' : isalnum((unsigned char)*at) ||
		strchr("._$-", *at)))
		name[n++] = *at++;
	name[n] = '\0';
	return n;
}

unsigned int ir_source_line(const char *ir, const char *line)
{
	const char *dbg = strstr(line, "!dbg !");
	const char *at;
	char key[32];
	int number, len;

	if (!dbg || sscanf(dbg, "!dbg !%d", &number) != 1)
		return 0;
	len = snprintf(key, sizeof(key), "\n!%d = ", number);
	at = strstr(ir, key);
	if (!at)
		return 0;
	at += len;
	at = memchr(at, 'l', strcspn(at, "\n")) ? strstr(at, "line: ") : NULL;
	return at ? (unsigned int)strtoul(at + 6, NULL, 10) : 0;
}

const char *ir_place(unsigned int line, char *buf, size_t len)
{
	buf[0] = '\0';
	if (line)
		snprintf(buf, len, "%u:", line);
	return buf;
}
