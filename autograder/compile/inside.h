/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of the compile step share. */
#ifndef COMPILE_INSIDE_H
#define COMPILE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "autograder/compile/compile.h"

/* Folders below root with headers for everybody. */
#define COMPILE_READS	"reference/include", "reference/port/user", "vm/spec"

/* A file in memory, NUL-terminated. */
struct text {
	char *bytes;
	size_t len;
};

/* At most limit bytes of a regular file.  0 or -errno. */
int text_read(const char *path, size_t limit, struct text *text);
void text_free(struct text *text);

/* Set the outcome REFUSED and the line that says why; returns false. */
bool refuse(struct compile_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ir.c: the front end's output, before any pass. */
bool ir_check_source(const char *file, const char *ir,
		     struct compile_result *result);
/* hooks.c: after instrumentation: every access is announced. */
bool ir_check_hooks(const char *file, const char *ir,
		    struct compile_result *result);

/* irtext.c: reading LLVM's text. */
struct ir_line {
	const char *at;		/* the line itself, NUL-terminated	*/
	char *bare;		/* … with what is in quotes blanked	*/
};
/* Splits ir in place; each call gives the next line; false at the end. */
struct ir_reader {
	char *next;
	char *bare;
	size_t room;
};
bool ir_next(struct ir_reader *reader, struct ir_line *line);
/* The name after '@' or '%', unquoted, into name; its length or 0. */
size_t ir_name(const char *at, char *name, size_t len);
/* Source line of an instruction or function by its !dbg, or 0. */
unsigned int ir_source_line(const char *ir, const char *line);
/* "12: " or "": for the line of a refusal. */
const char *ir_place(unsigned int line, char *buf, size_t len);

/* includes.c: the front end's list of the files it read. */
bool includes_check(const struct compile_options *options, const char *file,
		    char *depends, struct compile_result *result);

/* names.c: what of the outside world a submission may name. */
bool name_is_intercepted(const char *name);
bool name_is_allowed(const char *name);
bool name_is_reserved(const char *name);	/* the runtime's */
/* The i-th function that the lab's files must define, or NULL. */
const char *name_required(const char *lab, unsigned int i);

/* object.c: ELF symbol tables. */
struct object;
struct symbol {
	const char *name;
	uint64_t addr, size;
	bool defined, global, function, data, ifunc;
};
int object_read(const char *path, struct object **object);
void object_free(struct object *object);
unsigned int object_count(const struct object *object);
struct symbol object_symbol(const struct object *object, unsigned int i);
/* Where in the file a symbol's bytes lie, or 0. */
uint64_t object_offset(const struct object *object, unsigned int i);

/* check.c: the submission's symbols against the agent's. */
bool symbols_check(const char *lab, const struct object *submission,
		   const struct object *agent, struct compile_result *result);
/* symbols.c: put the names of these two objects, and the lines of a listing
 * by objdump --dwarf=decodedline, into the linked binary. */
int symbols_embed(const char *binary, const struct object *submission,
		  const struct object *agent, char *lines,
		  const char (*file)[64], unsigned int files);

#endif
