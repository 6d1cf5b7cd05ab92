/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a submission may not do to its instrumentation, seen in the front
 * end's output, before any pass has run.
 *
 * Without its hooks an access is no scheduling point, and a store never
 * reaches the card; a racy x++ would become atomic.  Under clang 14 a hook is
 * lost by an attribute (no_sanitize, and disable_sanitizer_instrumentation,
 * which leaves the sanitize_thread mark in place), by assembly, by a
 * pointer's address space, and by other target features.  What would run
 * before main(), or replace a function when the program is loaded, is refused
 * too.
 *
 * Assembly without a text is let through: it is how barrier() keeps the
 * compiler, and only the compiler, from moving accesses.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/compile/inside.h"

#define GROUPS		512
#define FUNCTIONS	1024

struct group {
	bool seen, sanitized, disabled, naked, foreign;
};

struct function {
	char name[64];
	int group;
	unsigned int line;
};

struct source_check {
	const char *file, *ir;
	struct compile_result *result;
	struct group group[GROUPS];
	struct function function[FUNCTIONS];
	unsigned int functions;
};

bool refuse(struct compile_result *result, const char *format, ...)
{
	va_list args;

	result->outcome = COMPILE_REFUSED;
	va_start(args, format);
	vsnprintf(result->text, sizeof(result->text), format, args);
	va_end(args);
	return false;
}

/* Refuse with file and line of an instruction or definition. */
static bool refuse_at(struct source_check *check, const char *line,
		      const char *why)
{
	char place[16];

	ir_place(ir_source_line(check->ir, line), place, sizeof(place));
	return refuse(check->result, "%s:%s %s", check->file, place, why);
}

/* The value of a string attribute in a group's line: its quotes' contents. */
static bool string_attribute(const char *line, const char *name, char *value,
			     size_t len)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\"=\"", name);
	at = strstr(line, key);
	if (!at)
		return false;
	at += strlen(key);
	snprintf(value, len, "%.*s", (int)strcspn(at, "\""), at);
	return true;
}

/* Is everything the baseline of the machine, which all have? */
static bool features_are_plain(const char *line)
{
	static const char *const plain[] = {
		"+cmov", "+cx8", "+fxsr", "+mmx", "+sse", "+sse2", "+x87",
	};
	char value[512], *save = NULL, *word;

	if (string_attribute(line, "target-cpu", value, sizeof(value)) &&
	    strcmp(value, "x86-64"))
		return false;
	if (!string_attribute(line, "target-features", value, sizeof(value)))
		return true;
	for (word = strtok_r(value, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		bool known = false;

		for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
			known |= !strcmp(word, plain[i]);
		if (!known)
			return false;
	}
	return true;
}

static void read_group(struct source_check *check, const struct ir_line *line)
{
	unsigned int n = strtoul(line->at + strlen("attributes #"), NULL, 10);
	struct group *group;

	if (n >= GROUPS)
		return;
	group = &check->group[n];
	group->seen = true;
	group->sanitized = strstr(line->bare, " sanitize_thread");
	group->disabled = strstr(line->bare,
				 " disable_sanitizer_instrumentation");
	group->naked = strstr(line->bare, " naked");
	group->foreign = !features_are_plain(line->at);
}

static bool read_function(struct source_check *check,
			  const struct ir_line *line)
{
	const char *name = strchr(line->bare, '@');
	const char *end = strrchr(line->bare, ')');
	const char *group = end ? strstr(end, " #") : NULL;
	struct function *f = &check->function[check->functions];

	if (!name || !end)
		return refuse_at(check, line->at, "a function without a name");
	if (check->functions == FUNCTIONS)
		return refuse(check->result, "%s: more than %d functions",
			      check->file, FUNCTIONS);
	check->functions++;
	ir_name(line->at + (name - line->bare), f->name, sizeof(f->name));
	f->group = group ? atoi(group + 2) : -1;
	f->line = ir_source_line(check->ir, line->at);
	if (strstr(end, " section "))
		return refuse_at(check, line->at,
				 "a function in a section of its own");
	if (name_is_reserved(f->name) || f->name[0] == '\\')
		return refuse_at(check, line->at,
				 "defines a name that belongs to the runtime");
	return true;
}

static bool read_global(struct source_check *check, const struct ir_line *line)
{
	char name[64];

	ir_name(line->at, name, sizeof(name));
	if (strstr(line->bare, " alias ") || strstr(line->bare, " ifunc "))
		return refuse(check->result,
			      "%s: %s is an alias or ifunc: a function has one "
			      "name here",
			      check->file, name);
	if (!strcmp(name, "llvm.global_ctors") ||
	    !strcmp(name, "llvm.global_dtors"))
		return refuse(check->result,
			      "%s: constructors and destructors are not run: "
			      "initialise in ring_create()",
			      check->file);
	if (strncmp(name, "llvm.", 5) && strstr(line->bare, ", section "))
		return refuse(check->result,
			      "%s: variable %s is put into a section of its "
			      "own",
			      check->file, name);
	if (name_is_reserved(name) || !strncmp(name, "__llvm", 6) ||
	    name[0] == '\\')
		return refuse(check->result,
			      "%s: variable %s has a name that belongs to the "
			      "tools",
			      check->file, name);
	return true;
}

/* Inline assembly with a text: the first quoted string after the keyword. */
static bool has_assembly(const struct ir_line *line)
{
	const char *at = strstr(line->bare, " asm ");
	const char *quote;

	if (!at)
		return false;
	quote = strchr(at, '"');
	return !quote || quote[1] != '"';
}

static bool read_instruction(struct source_check *check,
			     const struct ir_line *line)
{
	if (has_assembly(line))
		return refuse_at(check, line->at,
				 "inline assembly: use the accessors and "
				 "barriers of port.h");
	if (strstr(line->bare, "callbr "))
		return refuse_at(check, line->at, "asm goto");
	if (strstr(line->bare, "addrspace("))
		return refuse_at(check, line->at,
				 "a pointer with an address space");
	if (strstr(line->bare, "@__tsan"))
		return refuse_at(check, line->at,
				 "calls the instrumentation by hand");
	return true;
}

static bool read_line(struct source_check *check, const struct ir_line *line)
{
	if (!strncmp(line->bare, "module asm ", 11))
		return refuse(check->result,
			      "%s: assembly outside of functions",
			      check->file);
	if (!strncmp(line->bare, "!llvm.dependent-libraries", 25) ||
	    !strncmp(line->bare, "!llvm.linker.options", 20))
		return refuse(check->result,
			      "%s: gives orders to the linker (#pragma "
			      "comment)",
			      check->file);
	if (!strncmp(line->bare, "attributes #", 12))
		read_group(check, line);
	else if (!strncmp(line->bare, "define ", 7))
		return read_function(check, line) &&
			read_instruction(check, line);
	else if (!strncmp(line->bare, "@llvm.", 6))
		return read_global(check, line);
	else if (line->bare[0] == '@')
		return read_global(check, line) &&
			read_instruction(check, line);
	else if (line->bare[0] == ' ' || line->bare[0] == '\t')
		return read_instruction(check, line);
	return true;
}

static bool check_function(struct source_check *check,
			   const struct function *f)
{
	static const struct group none;
	const struct group *group = f->group >= 0 && f->group < GROUPS ?
		&check->group[f->group] : &none;
	const char *why = NULL;
	char place[16];

	if (group->disabled || !group->sanitized)
		why = "takes itself out of the instrumentation (no_sanitize or "
		      "the like)";
	else if (group->naked)
		why = "is naked: it would be assembly";
	else if (group->foreign)
		why = "is compiled for other processors (target)";
	if (!why)
		return true;
	return refuse(check->result, "%s:%s %s() %s", check->file,
		      ir_place(f->line, place, sizeof(place)), f->name, why);
}

bool ir_check_source(const char *file, const char *ir,
		     struct compile_result *result)
{
	struct source_check *check = calloc(1, sizeof(*check));
	struct ir_reader reader = { .next = strdup(ir) };
	char *copy = reader.next;
	struct ir_line line;
	bool good = check && copy;

	if (good) {
		check->file = file;
		check->ir = ir;
		check->result = result;
	}
	while (good && ir_next(&reader, &line))
		good = read_line(check, &line);
	for (unsigned int i = 0; good && i < check->functions; i++)
		good = check_function(check, &check->function[i]);
	free(reader.bare);
	free(copy);
	free(check);
	return good;
}
