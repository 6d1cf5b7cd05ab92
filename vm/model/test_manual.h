/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The manual held against the card: each test quotes a sentence or a row of
 * the manual, which must stand there, and then tries it on the card.  So
 * neither of the two can change alone.
 */
#ifndef TEST_MANUAL_H
#define TEST_MANUAL_H

#include <check.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MANUAL		"vm/spec/manual.md"
#define MANUAL_SIZE	(256u << 10)

/* Any white space counts as one blank: lines may be broken anew. */
static void one_line(char *to, const char *from, size_t len)
{
	bool blank = true;

	for (; len && *from; len--, from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (!blank)
			*to++ = ' ';
		blank = isspace((unsigned char)*from);
	}
	*to = '\0';
}

/* A section's text, from its heading to the next one. */
static const char *section_of(const char *section, size_t *len)
{
	static char manual[MANUAL_SIZE];
	char heading[32];
	const char *from, *to;
	FILE *in;

	if (!manual[0]) {
		in = fopen(MANUAL, "r");
		ck_assert_msg(in != NULL, "run this from the root");
		ck_assert(fread(manual, 1, sizeof(manual) - 1, in) > 0 &&
			  feof(in));
		fclose(in);
	}
	snprintf(heading, sizeof(heading), "\n### %s ", section);
	from = strstr(manual, heading);
	ck_assert_msg(from != NULL, "no section %s", section);
	from++;
	to = strstr(from, "\n## ");
	*len = to ? (size_t)(to - from) : strlen(from);
	to = strstr(from, "\n### ");
	if (to && (size_t)(to - from) < *len)
		*len = to - from;
	return from;
}

static void states(const char *section, const char *quote)
{
	static char text[MANUAL_SIZE], wanted[1024];
	const char *from;
	size_t len;

	from = section_of(section, &len);
	one_line(text, from, len);
	one_line(wanted, quote, strlen(quote));
	ck_assert_msg(strstr(text, wanted) != NULL,
		      "%s does not say: %s", section, quote);
}

#endif
