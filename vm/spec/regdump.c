/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Print the register tables, for the manual, the slides and other languages.
 *
 *   regdump md TABLE ...       Markdown, one heading a register
 *   regdump json [TABLE ...]   everything, or these tables
 *   regdump svg REGISTER       a picture of the register's bits
 *   regdump list               the tables' names
 *
 * TABLE is the name of a .def file, without the ending.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/spec/table.h"

static const char *const tables[] = {
	"xve", "pmc", "ptop", "ptimer", "therm", "pbus", "pfb", "mmu", "fault",
	"pfifo", "ccsr", "pbdma", "ramfc", "runlist", "userd", "gpfifo",
	"udma", "copy", "ce", "addition",
};

#define TABLES	(sizeof(tables) / sizeof(tables[0]))

static const char *chips_name(unsigned int chips)
{
	static const char *const names[] = {
		"none", "GM200", "GP100", "GM200, GP100", "GP102",
		"GM200, GP102", "Pascal", "all",
	};

	return names[chips & 7];
}

static const char *space_name(enum table_space space)
{
	static const char *const names[] = {
		[TABLE_BAR0] = "BAR0", [TABLE_CONFIG] = "configuration space",
		[TABLE_MEMORY] = "memory", [TABLE_METHOD] = "method",
	};

	return names[space];
}

static bool is_wanted(const struct table_reg *reg, char **names, int count)
{
	if (!count)
		return true;
	for (int i = 0; i < count; i++) {
		if (table_is_in(reg, names[i]))
			return true;
	}
	return false;
}

/* Markdown --------------------------------------------------------------- */

static void md_values(const struct reg_field_desc *field)
{
	const char *before = ": ";

	for (size_t i = 0; i < table_values_count; i++) {
		const struct table_value *value = &table_values[i];

		if (strcmp(value->field, field->name))
			continue;
		printf("%s0x%llx %s", before,
		       (unsigned long long)value->value, value->doc);
		before = ", ";
	}
}

static void md_fields(const struct reg_desc *desc)
{
	bool any = false;

	for (size_t i = 0; i < table_fields_count; i++) {
		const struct reg_field_desc *field = &table_fields[i];
		unsigned int lo = REG_FIELD_LO(field->field);
		unsigned int width = REG_FIELD_WIDTH(field->field);

		if (strcmp(field->reg, desc->name))
			continue;
		if (!any)
			printf("\n| bits | field | meaning |\n|---|---|---|\n");
		any = true;
		printf("| %u:%u | `%s` | %s", lo + width - 1, lo, field->name,
		       field->doc);
		md_values(field);
		printf(" |\n");
	}
}

static void md_reg(const struct table_reg *reg)
{
	const struct reg_desc *desc = &reg->desc;

	printf("\n#### `%s`\n\n", desc->name);
	if (desc->stride)
		printf("0x%06x + i * 0x%x, i < %u", desc->offset,
		       desc->stride, desc->count);
	else
		printf("0x%06x", desc->offset);
	printf(" (%s), %s, reset 0x%x, chips: %s. %s. Source: %s.\n",
	       space_name(table_space(reg)), table_access_name(desc->access),
	       desc->reset, chips_name(desc->chips), desc->doc, desc->source);
	md_fields(desc);
}

static int print_md(char **names, int count)
{
	for (size_t i = 0; i < table_regs_count; i++) {
		if (is_wanted(&table_regs[i], names, count))
			md_reg(&table_regs[i]);
	}
	return 0;
}

/* JSON ------------------------------------------------------------------- */

static void json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void json_values(const struct reg_field_desc *field)
{
	const char *before = "";

	for (size_t i = 0; i < table_values_count; i++) {
		const struct table_value *value = &table_values[i];

		if (strcmp(value->field, field->name))
			continue;
		printf("%s{\"name\":\"%s\",\"value\":%llu,\"doc\":", before,
		       value->name, (unsigned long long)value->value);
		json_string(value->doc);
		putchar('}');
		before = ",";
	}
}

static void json_fields(const struct reg_desc *desc)
{
	const char *before = "";

	for (size_t i = 0; i < table_fields_count; i++) {
		const struct reg_field_desc *field = &table_fields[i];
		unsigned int lo = REG_FIELD_LO(field->field);

		if (strcmp(field->reg, desc->name))
			continue;
		printf("%s\n  {\"name\":\"%s\",\"lo\":%u,\"hi\":%u,\"doc\":",
		       before, field->name, lo,
		       lo + REG_FIELD_WIDTH(field->field) - 1);
		json_string(field->doc);
		printf(",\"values\":[");
		json_values(field);
		printf("]}");
		before = ",";
	}
}

static void json_reg(const struct table_reg *reg)
{
	const struct reg_desc *desc = &reg->desc;

	printf("{\"name\":\"%s\",\"space\":\"%s\",\"offset\":%u,"
	       "\"stride\":%u,\"count\":%u,\"access\":\"%s\",\"reset\":%u,"
	       "\"chips\":\"%s\",\"doc\":", desc->name,
	       space_name(table_space(reg)), desc->offset, desc->stride,
	       desc->count, table_access_name(desc->access), desc->reset,
	       chips_name(desc->chips));
	json_string(desc->doc);
	printf(",\"source\":");
	json_string(desc->source);
	printf(",\"fields\":[");
	json_fields(desc);
	printf("]}");
}

static int print_json(char **names, int count)
{
	const char *before = "[\n";

	for (size_t i = 0; i < table_regs_count; i++) {
		if (!is_wanted(&table_regs[i], names, count))
			continue;
		fputs(before, stdout);
		json_reg(&table_regs[i]);
		before = ",\n";
	}
	puts(*before == '[' ? "[]" : "\n]");
	return 0;
}

/* SVG -------------------------------------------------------------------- */

enum { BIT = 22, ROW = 64, LEFT = 12, TOP = 34, BOX = 28, MARGIN = 16 };

static void svg_text(int x, int y, const char *class, const char *text)
{
	printf("<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", stdout);
		else if (*text == '&')
			fputs("&amp;", stdout);
		else
			putchar(*text);
	}
	puts("</text>");
}

/* A field's own part of its name: what follows the register's. */
static const char *short_name(const struct reg_field_desc *field)
{
	size_t len = strlen(field->reg);

	if (!strncmp(field->name, field->reg, len) && field->name[len] == '_')
		return field->name + len + 1;
	return field->name;
}

/* The part of a field that lies in one row of 32 bits. */
static void svg_part(const struct reg_field_desc *field, unsigned int row)
{
	unsigned int lo = REG_FIELD_LO(field->field);
	unsigned int hi = lo + REG_FIELD_WIDTH(field->field) - 1;
	int y = TOP + row * ROW, x, width;
	char number[16];

	if (lo < 32 * row)
		lo = 32 * row;
	if (hi > 32 * row + 31)
		hi = 32 * row + 31;
	if (lo > hi)
		return;
	x = LEFT + (31 - hi % 32) * BIT;
	width = (hi - lo + 1) * BIT;
	printf("<g><title>%s %u:%u</title><rect x=\"%d\" y=\"%d\" "
	       "width=\"%d\" height=\"%d\" class=\"field\"/>\n",
	       field->name, hi, lo, x, y, width, BOX);
	/* A name wider than its box is left to the tool tip. */
	if ((int)strlen(short_name(field)) * 6 < width)
		svg_text(x + width / 2, y + 18, "name", short_name(field));
	puts("</g>");
	snprintf(number, sizeof(number), "%u", hi);
	svg_text(x + (hi == lo ? BIT / 2 : 8), y - 4, "bit", number);
	if (hi != lo) {
		snprintf(number, sizeof(number), "%u", lo);
		svg_text(x + width - 8, y - 4, "bit", number);
	}
}

static bool is_second_reading(const struct reg_field_desc *field)
{
	const char *name = short_name(field);

	return !strcmp(name, "ALL") || strstr(field->doc, "alias");
}

static unsigned int svg_rows(const struct reg_desc *desc)
{
	unsigned int rows = 1;

	for (size_t i = 0; i < table_fields_count; i++) {
		unsigned int field = table_fields[i].field;
		unsigned int end = REG_FIELD_LO(field) +
			REG_FIELD_WIDTH(field);

		if (!strcmp(table_fields[i].reg, desc->name) &&
		    (end + 31) / 32 > rows)
			rows = (end + 31) / 32;
	}
	return rows;
}

static int print_svg(char **names, int count)
{
	const struct table_reg *reg = count == 1 ? table_find(names[0]) : NULL;
	unsigned int rows;

	if (!reg) {
		fprintf(stderr, "regdump: svg takes one register's name\n");
		return 2;
	}
	rows = svg_rows(&reg->desc);
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
	       ">\n<style>.row{fill:#eee;stroke:#888}.field{fill:#cfe3f7;"
	       "stroke:#333}text{font:11px sans-serif;text-anchor:middle}"
	       ".title{font-weight:bold;text-anchor:start}.bit{fill:#555;"
	       "font-size:9px}</style>\n", 32 * BIT + 2 * LEFT,
	       TOP + (int)rows * ROW);
	svg_text(LEFT, MARGIN, "title", reg->desc.name);
	for (unsigned int row = 0; row < rows; row++) {
		printf("<rect x=\"%d\" y=\"%u\" width=\"%d\" height=\"%d\" "
		       "class=\"row\"/>\n", LEFT, TOP + row * ROW, 32 * BIT,
		       BOX);
		for (size_t i = 0; i < table_fields_count; i++) {
			if (!strcmp(table_fields[i].reg, reg->desc.name) &&
			    !is_second_reading(&table_fields[i]))
				svg_part(&table_fields[i], row);
		}
	}
	puts("</svg>");
	return 0;
}

static int print_list(void)
{
	for (size_t i = 0; i < TABLES; i++)
		puts(tables[i]);
	return 0;
}

static bool are_tables(char **names, int count)
{
	for (int i = 0; i < count; i++) {
		size_t at = 0;

		while (at < TABLES && strcmp(tables[at], names[i]))
			at++;
		if (at == TABLES) {
			fprintf(stderr, "regdump: no table %s\n", names[i]);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char **names = argv + 2;
	int count = argc - 2;

	if (!strcmp(what, "list"))
		return print_list();
	if (!strcmp(what, "svg"))
		return print_svg(names, count);
	if (!strcmp(what, "md") && are_tables(names, count))
		return print_md(names, count);
	if (!strcmp(what, "json") && are_tables(names, count))
		return print_json(names, count);
	fprintf(stderr, "usage: regdump md|json [TABLE ...]\n"
		"       regdump svg REGISTER\n       regdump list\n");
	return 2;
}
