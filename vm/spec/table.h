/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * All tables as arrays, for programs that walk them: tests and regdump.
 * Drivers and the model need only reg.h.
 */
#ifndef SPEC_TABLE_H
#define SPEC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/spec/reg.h"

/* Where a table's offsets count from. */
enum table_space {
	TABLE_BAR0,
	TABLE_CONFIG,		/* configuration space		*/
	TABLE_MEMORY,		/* a structure in memory	*/
	TABLE_METHOD,		/* method addresses		*/
};

struct table_reg {
	struct reg_desc desc;
	const char *file;	/* that the line stands in	*/
};

struct table_value {
	const char *field, *name;
	uint64_t value;
	const char *doc;
};

extern const struct table_reg table_regs[];
extern const struct reg_field_desc table_fields[];
extern const struct table_value table_values[];
extern const size_t table_regs_count, table_fields_count, table_values_count;

enum table_space table_space(const struct table_reg *reg);
/* Does the line stand in NAME.def? */
bool table_is_in(const struct table_reg *reg, const char *name);
/* By name, or NULL. */
const struct table_reg *table_find(const char *name);
/* The bits that a register's fields cover; 0 where it has none. */
uint64_t table_fields_of(const struct table_reg *reg);
/* "RO", "RW", … as the tables write it. */
const char *table_access_name(enum reg_access access);

#endif
