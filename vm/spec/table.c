/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The tables of vm/spec as arrays.
 *
 * A line does not say which table it stands in; __FILE__ does, since the
 * compiler expands it where the line is.  What kind of offsets a table has
 * follows from its name and its accesses.
 */
#include <stdio.h>
#include <string.h>

#include "vm/spec/table.h"

#define RO	REG_RO
#define RW	REG_RW
#define W1C	REG_W1C
#define WO	REG_WO
#define SET	REG_SET_OTHER
#define CLR	REG_CLR_OTHER
#define MEM	REG_MEM
#define ALL	REG_ALL
#define GM200	REG_GM200
#define GP100	REG_GP100
#define GP102	REG_GP102
#define PASCAL	REG_PASCAL

const struct table_reg table_regs[] = {
#define REG(name, offset, access, reset, chips, doc, source) \
	{ { #name, offset, 0, 1, access, reset, chips, doc, source }, \
	  __FILE__ },
#define REGS(name, offset, stride, count, access, reset, chips, doc, source) \
	{ { #name, offset, stride, count, access, reset, chips, doc, \
	    source }, __FILE__ },
#define FIELD(reg, name, range, doc)
#include "all.def"
#undef REG
#undef REGS
#undef FIELD
};

#define REG(name, offset, access, reset, chips, doc, source)
#define REGS(name, offset, stride, count, access, reset, chips, doc, source)

const struct reg_field_desc table_fields[] = {
#define FIELD(reg, name, range, doc) { #reg, #name, FIELD_MAKE(range), doc },
#include "all.def"
#undef FIELD
};

const struct table_value table_values[] = {
#define FIELD(reg, name, range, doc)
#define VALUE(field, name, value, doc)	{ #field, #name, value, doc },
#include "all.def"
#undef FIELD
};

const size_t table_regs_count = sizeof(table_regs) / sizeof(table_regs[0]);
const size_t table_fields_count =
	sizeof(table_fields) / sizeof(table_fields[0]);
const size_t table_values_count =
	sizeof(table_values) / sizeof(table_values[0]);

bool table_is_in(const struct table_reg *reg, const char *name)
{
	const char *slash = strrchr(reg->file, '/');
	const char *base = slash ? slash + 1 : reg->file;
	size_t len = strlen(name);

	return !strncmp(base, name, len) && !strcmp(base + len, ".def");
}

enum table_space table_space(const struct table_reg *reg)
{
	if (reg->desc.access == REG_MEM)
		return TABLE_MEMORY;
	if (table_is_in(reg, "xve"))
		return TABLE_CONFIG;
	if (table_is_in(reg, "udma") || table_is_in(reg, "copy"))
		return TABLE_METHOD;
	return TABLE_BAR0;
}

const struct table_reg *table_find(const char *name)
{
	for (size_t i = 0; i < table_regs_count; i++) {
		if (!strcmp(table_regs[i].desc.name, name))
			return &table_regs[i];
	}
	return NULL;
}

uint64_t table_fields_of(const struct table_reg *reg)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < table_fields_count; i++) {
		/* Bits past the 63rd are of no word. */
		if (!strcmp(table_fields[i].reg, reg->desc.name) &&
		    REG_FIELD_LO(table_fields[i].field) < 64)
			bits |= REG_FIELD_MASK(table_fields[i].field);
	}
	return bits;
}

const char *table_access_name(enum reg_access access)
{
	static const char *const names[] = {
		[REG_RO] = "RO", [REG_RW] = "RW", [REG_W1C] = "W1C",
		[REG_WO] = "WO", [REG_SET_OTHER] = "SET",
		[REG_CLR_OTHER] = "CLR", [REG_MEM] = "MEM",
	};

	return names[access];
}
