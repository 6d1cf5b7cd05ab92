/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * After instrumentation: does every access to memory have its hook?
 *
 * The pass puts each hook directly before its access, so an access without
 * one is easy to see.  It leaves out, rightly, variables of the function's
 * own whose address nobody has, and constants.  It also leaves out, without a
 * word, what it does not know: an 80-bit long double, a vector of an odd
 * size, an intrinsic that stores.  Those would be holes, and are refused.
 *
 * ir.c has made sure that the hooks are the pass's own: a submission cannot
 * name them.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/compile/inside.h"

#define LOCALS	4096

struct hooks_check {
	const char *file, *ir;
	struct compile_result *result;
	char function[64];
	bool hooked;		/* the line before was a hook		*/
	bool loaded;		/* it was an atomic load by the runtime	*/
	/* Names of this function that need no hook, and why. */
	struct local {
		char name[32];
		enum origin { ELSEWHERE, VARIABLE, CONSTANT } origin;
	} *local;
	unsigned int locals;
};

static bool refuse_at(struct hooks_check *check, const char *line,
		      const char *why)
{
	char place[16];

	ir_place(ir_source_line(check->ir, line), place, sizeof(place));
	return refuse(check->result, "%s:%s in %s(): %s", check->file, place,
		      check->function, why);
}

/* The end of an operand: the next comma outside of all brackets. */
static const char *operand_end(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		if (strchr("([{<", *at))
			depth++;
		else if (strchr(")]}>", *at) && depth-- == 0)
			break;
		else if (*at == ',' && depth == 0)
			break;
	}
	return at;
}

/* The value of "TYPE VALUE": what follows the last blank outside brackets. */
static void operand_value(const char *at, const char *end, char *name,
			  size_t len)
{
	const char *value = end;

	while (value > at && !isspace((unsigned char)value[-1]))
		value--;
	name[0] = '\0';
	if (*value == '%' || *value == '@')
		snprintf(name, len, "%.*s", (int)(end - value), value);
}

static bool local_add(struct hooks_check *check, const struct ir_line *line,
		      enum origin origin)
{
	const char *at = line->at + strspn(line->at, " ");
	size_t len = strcspn(at, " ");
	struct local *local = &check->local[check->locals];

	if (check->locals == LOCALS || len >= sizeof(local->name))
		return refuse_at(check, line->at, "too many variables");
	snprintf(local->name, sizeof(local->name), "%.*s", (int)len, at);
	local->origin = origin;
	check->locals++;
	return true;
}

/* A global that is constant cannot be stored to. */
static bool is_constant(const struct hooks_check *check, const char *operand)
{
	const char *name = strchr(operand, '@');
	char key[96], plain[64];
	const char *at;

	if (!name || !ir_name(name, plain, sizeof(plain)))
		return false;
	snprintf(key, sizeof(key), "\n@%s = ", plain);
	at = strstr(check->ir, key);
	if (!at)
		return false;
	at++;
	return memmem(at, strcspn(at, "\n"), " constant ", 10);
}

/* Where an operand "TYPE VALUE" points to. */
static enum origin operand_origin(const struct hooks_check *check,
				  const char *at, const char *end)
{
	char name[64], operand[512];

	operand_value(at, end, name, sizeof(name));
	for (unsigned int i = 0; name[0] == '%' && i < check->locals; i++) {
		if (!strcmp(check->local[i].name, name))
			return check->local[i].origin;
	}
	if (name[0] == '%')
		return ELSEWHERE;
	snprintf(operand, sizeof(operand), "%.*s", (int)(end - at), at);
	return is_constant(check, operand) ? CONSTANT : ELSEWHERE;
}

/* What a "bitcast" or "getelementptr" starts from. */
static enum origin derived_origin(const struct hooks_check *check,
				  const char *instruction)
{
	const char *at = instruction, *end;

	if (!strncmp(at, "getelementptr ", 14)) {
		at = operand_end(at);	/* after the element's type */
		if (*at != ',')
			return ELSEWHERE;
		at++;
		end = operand_end(at);
	} else if (!strncmp(at, "bitcast ", 8)) {
		end = strstr(at, " to ");
		if (!end)
			return ELSEWHERE;
	} else {
		return ELSEWHERE;
	}
	return operand_origin(check, at, end);
}

static bool check_access(struct hooks_check *check, const struct ir_line *line,
			 const char *at, bool store)
{
	const char *end = operand_end(at);
	enum origin origin;

	if (check->hooked)
		return true;
	/* clang 14 replaces an atomic load and leaves it standing, unused. */
	if (check->loaded && !store && strstr(line->bare, " atomic "))
		return true;
	if (strstr(line->bare, " atomic "))
		return refuse_at(check, line->at,
				 "an atomic operation of a kind that is not "
				 "watched");
	/* load: TYPE, PTR; store: VALUE, PTR */
	at = *end == ',' ? end + 1 : end;
	origin = operand_origin(check, at, operand_end(at));
	if (origin == VARIABLE || (origin == CONSTANT && !store))
		return true;
	return refuse_at(check, line->at, store ?
		"a store of a type that cannot be watched (long double, "
		"vector, odd size)" :
		"a load of a type that cannot be watched (long double, vector, "
		"odd size)");
}

/* Intrinsics that read and write no memory, or are expanded before. */
static bool intrinsic_is_harmless(const char *name)
{
	static const char *const harmless[] = {
		"llvm.dbg.", "llvm.lifetime.", "llvm.expect.", "llvm.assume",
		"llvm.bswap.", "llvm.ctlz.", "llvm.cttz.", "llvm.ctpop.",
		"llvm.bitreverse.", "llvm.umax.", "llvm.umin.", "llvm.smax.",
		"llvm.smin.", "llvm.abs.", "llvm.fshl.", "llvm.fshr.",
		"llvm.uadd.", "llvm.usub.", "llvm.umul.", "llvm.sadd.",
		"llvm.ssub.", "llvm.smul.", "llvm.objectsize.",
		"llvm.is.constant.", "llvm.va_start", "llvm.va_end",
		"llvm.trap", "llvm.debugtrap", "llvm.returnaddress",
		"llvm.stacksave", "llvm.stackrestore", "llvm.prefetch.",
		"llvm.vector.reduce.", "llvm.fabs.", "llvm.fmuladd.",
		"llvm.ubsantrap", "llvm.experimental.noalias",
		"llvm.x86.sse2.pause", "llvm.threadlocal.address.",
	};

	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		if (!strncmp(name, harmless[i], strlen(harmless[i])))
			return true;
	}
	return false;
}

/* A structure passed by value is copied by the call, without a hook. */
static bool check_byval(struct hooks_check *check, const struct ir_line *line)
{
	const char *at = line->bare;

	while ((at = strstr(at, "byval("))) {
		const char *end = operand_end(at);

		if (operand_origin(check, at, end) == ELSEWHERE)
			return refuse_at(check, line->at,
					 "passes a structure by value: pass a "
					 "pointer");
		at = end;
	}
	return true;
}

static bool check_call(struct hooks_check *check, const struct ir_line *line,
		       const char *at)
{
	const char *name = strchr(at, '@');
	char plain[64], why[160];

	check->hooked = false;
	check->loaded = false;
	if (!check_byval(check, line))
		return false;
	if (!name)
		return true;
	ir_name(line->at + (name - line->bare), plain, sizeof(plain));
	if (!strncmp(plain, "__tsan_", 7)) {
		check->hooked = strstr(plain, "read") || strstr(plain, "write");
		check->loaded = !strncmp(plain, "__tsan_atomic", 13) &&
			strstr(plain, "_load");
		return true;
	}
	if (strncmp(plain, "llvm.", 5) || intrinsic_is_harmless(plain))
		return true;
	snprintf(why, sizeof(why), "uses %s, whose accesses are not watched",
		 plain);
	return refuse_at(check, line->at, why);
}

static bool check_instruction(struct hooks_check *check,
			      const struct ir_line *line)
{
	const char *at = line->bare + strspn(line->bare, " ");
	const char *equals;
	enum origin origin;

	/* Debug records say nothing and stand anywhere. */
	if (!strncmp(at, "#dbg_", 5))
		return true;
	if (*at == '%') {
		equals = strstr(at, " = ");
		if (!equals)
			return true;
		at = equals + 3;
	}
	if (!strncmp(at, "alloca ", 7))
		return local_add(check, line, VARIABLE);
	origin = derived_origin(check, at);
	if (origin != ELSEWHERE && !local_add(check, line, origin))
		return false;
	if (!strncmp(at, "bitcast ", 8))
		return true;	/* may stand between hook and access */
	at += !strncmp(at, "tail ", 5) ? 5 : !strncmp(at, "musttail ", 9) ? 9 :
		!strncmp(at, "notail ", 7) ? 7 : 0;
	if (!strncmp(at, "call ", 5)) {
		/* The same, before clang 19. */
		if (strstr(at, "@llvm.dbg."))
			return true;
		return check_call(check, line, at);
	}
	if (!strncmp(at, "load ", 5) || !strncmp(at, "store ", 6)) {
		if (!check_access(check, line, at, *at == 's'))
			return false;
	} else if (!strncmp(at, "cmpxchg ", 8) ||
		   !strncmp(at, "atomicrmw ", 10) ||
		   !strncmp(at, "va_arg ", 7)) {
		return refuse_at(check, line->at,
				 "an operation on memory of a kind that is not "
				 "watched");
	}
	check->hooked = false;
	check->loaded = false;
	return true;
}

static bool check_line(struct hooks_check *check, const struct ir_line *line)
{
	const char *name;

	if (!strncmp(line->bare, "define ", 7)) {
		name = strchr(line->bare, '@');
		check->locals = 0;
		check->hooked = false;
		check->loaded = false;
		if (name)
			ir_name(line->at + (name - line->bare),
				check->function, sizeof(check->function));
		return true;
	}
	if (line->bare[0] == ' ' && line->bare[1] == ' ')
		return check_instruction(check, line);
	if (line->bare[0] != '#') {	/* a label, the end: a new block */
		check->hooked = false;
		check->loaded = false;
	}
	return true;
}

bool ir_check_hooks(const char *file, const char *ir,
		    struct compile_result *result)
{
	struct hooks_check check = {
		.file = file, .ir = ir, .result = result,
		.local = calloc(LOCALS, sizeof(*check.local)),
	};
	struct ir_reader reader = { .next = strdup(ir) };
	char *copy = reader.next;
	struct ir_line line;
	bool good = check.local && copy;

	while (good && ir_next(&reader, &line))
		good = check_line(&check, &line);
	free(reader.bare);
	free(copy);
	free(check.local);
	return good;
}
