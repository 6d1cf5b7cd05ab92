/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The register tables, held against themselves.  Everything is made from
 * them, so what is wrong here is wrong everywhere, consistently.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/spec/table.h"

#define BAR0_SIZE	(16u << 20)

static bool is_register(const struct table_reg *reg)
{
	return table_space(reg) == TABLE_BAR0 ||
		table_space(reg) == TABLE_CONFIG;
}

START_TEST(names_are_unique)
{
	for (size_t i = 0; i < table_regs_count; i++) {
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(table_regs[i].desc.name,
					 table_regs[j].desc.name);
	}
	for (size_t i = 0; i < table_fields_count; i++) {
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(table_fields[i].name,
					 table_fields[j].name);
	}
}
END_TEST

START_TEST(registers_lie_inside_their_space)
{
	for (size_t i = 0; i < table_regs_count; i++) {
		const struct table_reg *reg = &table_regs[i];
		const struct reg_desc *desc = &reg->desc;
		uint64_t last = desc->offset +
			(uint64_t)desc->stride * (desc->count - 1);

		if (!is_register(reg))
			continue;
		ck_assert_msg(desc->offset % 4 == 0 && desc->stride % 4 == 0,
			      "%s is not aligned", desc->name);
		ck_assert_msg(last + 4 <= (table_space(reg) == TABLE_BAR0 ?
					   BAR0_SIZE : 4096),
			      "%s ends at %llx", desc->name,
			      (unsigned long long)last);
		ck_assert_msg(desc->count && (desc->stride ||
					      desc->count == 1),
			      "%s has no extent", desc->name);
	}
}
END_TEST

START_TEST(registers_of_a_chip_do_not_overlap)
{
	enum reg_chips chip = 1u << _i;
	const char **owner = calloc(BAR0_SIZE / 4, sizeof(*owner));

	ck_assert_ptr_nonnull(owner);
	for (size_t i = 0; i < table_regs_count; i++) {
		const struct reg_desc *desc = &table_regs[i].desc;

		if (table_space(&table_regs[i]) != TABLE_BAR0 ||
		    !(desc->chips & chip))
			continue;
		for (unsigned int k = 0; k < desc->count; k++) {
			uint32_t word = (desc->offset + k * desc->stride) / 4;

			ck_assert_msg(!owner[word], "%s and %s at 0x%06x",
				      desc->name, owner[word], word * 4);
			owner[word] = desc->name;
		}
	}
	free(owner);
}
END_TEST

START_TEST(fields_belong_to_a_register_and_fit_it)
{
	for (size_t i = 0; i < table_fields_count; i++) {
		const struct reg_field_desc *field = &table_fields[i];
		const struct table_reg *reg = table_find(field->reg);
		unsigned int end = REG_FIELD_LO(field->field) +
			REG_FIELD_WIDTH(field->field);

		ck_assert_msg(reg, "%s belongs to no register", field->name);
		ck_assert_uint_ge(REG_FIELD_WIDTH(field->field), 1);
		if (is_register(reg))
			ck_assert_msg(end <= 32, "%s ends at bit %u",
				      field->name, end);
	}
}
END_TEST

/* "As drivers write it", a second reading, or one chip's view of the bits. */
static bool is_alias(const struct reg_field_desc *field)
{
	const char *name = field->name;
	size_t len = strlen(name);

	return (len > 4 && !strcmp(name + len - 4, "_ALL")) ||
		strstr(field->doc, "alias") || strstr(name, "GM200") ||
		strstr(name, "GP100");
}

START_TEST(fields_of_a_register_do_not_overlap)
{
	for (size_t i = 0; i < table_fields_count; i++) {
		const struct reg_field_desc *a = &table_fields[i];

		if (!is_register(table_find(a->reg)) || is_alias(a))
			continue;
		for (size_t j = 0; j < i; j++) {
			const struct reg_field_desc *b = &table_fields[j];

			if (strcmp(a->reg, b->reg) || is_alias(b))
				continue;
			ck_assert_msg(!(REG_FIELD_MASK(a->field) &
					REG_FIELD_MASK(b->field)),
				      "%s and %s", a->name, b->name);
		}
	}
}
END_TEST

START_TEST(resets_lie_inside_the_fields)
{
	for (size_t i = 0; i < table_regs_count; i++) {
		const struct table_reg *reg = &table_regs[i];
		uint64_t fields = table_fields_of(reg);

		/* Configuration space has read-only bits outside fields. */
		if (table_space(reg) != TABLE_BAR0 || !fields)
			continue;
		ck_assert_msg(!(reg->desc.reset & ~fields),
			      "%s resets to %x, its fields are %llx",
			      reg->desc.name, reg->desc.reset,
			      (unsigned long long)fields);
	}
}
END_TEST

START_TEST(values_fit_their_fields)
{
	for (size_t i = 0; i < table_values_count; i++) {
		const struct table_value *value = &table_values[i];
		bool found = false;

		for (size_t j = 0; j < table_fields_count; j++) {
			if (strcmp(table_fields[j].name, value->field))
				continue;
			found = true;
			ck_assert_msg(value->value <= REG_FIELD_MAX(
				table_fields[j].field), "%s", value->name);
		}
		ck_assert_msg(found, "%s is a value of no field", value->name);
	}
}
END_TEST

START_TEST(every_line_says_what_it_is_and_who_says_so)
{
	for (size_t i = 0; i < table_regs_count; i++) {
		ck_assert_str_ne(table_regs[i].desc.doc, "");
		ck_assert_str_ne(table_regs[i].desc.source, "");
		ck_assert_uint_ne(table_regs[i].desc.chips, 0);
	}
	for (size_t i = 0; i < table_fields_count; i++)
		ck_assert_str_ne(table_fields[i].doc, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tables");
	TCase *t = tcase_create("tables");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(t, names_are_unique);
	tcase_add_test(t, registers_lie_inside_their_space);
	tcase_add_loop_test(t, registers_of_a_chip_do_not_overlap, 0, 3);
	tcase_add_test(t, fields_belong_to_a_register_and_fit_it);
	tcase_add_test(t, fields_of_a_register_do_not_overlap);
	tcase_add_test(t, resets_lie_inside_the_fields);
	tcase_add_test(t, values_fit_their_fields);
	tcase_add_test(t, every_line_says_what_it_is_and_who_says_so);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
