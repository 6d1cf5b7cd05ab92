/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The call table as a promise to programs that are already compiled: numbers,
 * layouts, ioctl() codes; and as text, in the manual.
 *
 * Run from the root of the repository.
 */
#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No compiler may have to fill a hole. */
#pragma GCC diagnostic error "-Wpadded"
#include "uapi/tesla.h"
#pragma GCC diagnostic ignored "-Wpadded"

#define MANUAL	"vm/spec/manual.md"

/* What version 1 looks like, for ever; larger it may get. */
static const struct {
	const char *name;
	size_t size, was;
	unsigned int ioctl, ioctl_was;
} layouts[] = {
#define LAYOUT(name, size, code) \
	{ #name, sizeof(struct tesla_##name), size, \
	  (unsigned int)TESLA_IOCTL_##name, code }
	LAYOUT(get_info, 48, 0xc0305400),
	LAYOUT(mem_alloc, 40, 0xc0285401),
	LAYOUT(mem_free, 8, 0x40085402),
	LAYOUT(space_create, 24, 0xc0185403),
	LAYOUT(space_destroy, 8, 0x40085404),
	LAYOUT(space_map, 40, 0xc0285405),
	LAYOUT(space_unmap, 24, 0x40185406),
	LAYOUT(chan_create, 40, 0xc0285407),
	LAYOUT(chan_destroy, 8, 0x40085408),
	LAYOUT(chan_start, 8, 0x40085409),
	LAYOUT(chan_stop, 8, 0x4008540a),
	LAYOUT(chan_error, 8, 0x4008540b),
	LAYOUT(event_add, 32, 0xc020540c),
	LAYOUT(event_remove, 8, 0x4008540d),
	LAYOUT(irq_stats, 56, 0xc038540e),
};

START_TEST(compiled_programs_go_on_working)
{
	ck_assert_uint_eq(sizeof(layouts) / sizeof(layouts[0]), TESLA_CALLS);
	for (size_t i = 0; i < TESLA_CALLS; i++) {
		ck_assert_msg(layouts[i].size == layouts[i].was &&
			      layouts[i].ioctl == layouts[i].ioctl_was,
			      "%s: %zu bytes, 0x%x", layouts[i].name,
			      layouts[i].size, layouts[i].ioctl);
		ck_assert_uint_eq(layouts[i].size % 8, 0);
		ck_assert_uint_le(layouts[i].size, TESLA_ARG_MAX);
	}
	ck_assert_uint_eq(offsetof(struct tesla_mem_alloc, va), 24);
	ck_assert_uint_eq(offsetof(struct tesla_space_map, flags), 32);
	ck_assert_uint_eq(offsetof(struct tesla_chan_create, userd_map), 32);
	ck_assert_uint_eq(offsetof(struct tesla_event_add, eventfd), 20);
}
END_TEST

/* Text --------------------------------------------------------------------- */

static const struct {
	unsigned int number;
	const char *name, *text;
} calls[] = {
#define CALL(number, name, way, text)	{ number, #name, text },
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
};

static const struct {
	const char *name, *error, *text;
} errors[] = {
#define CALL(number, name, way, text)
#define CALL_ERROR(name, error, text)	{ #name, #error, text },
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
};

/* A call's row, as the manual has it. */
static void row_print(char *row, size_t size, size_t call)
{
	size_t at;
	const char *between = "";

	at = snprintf(row, size, "\n| %u | `%s` | %s | ", calls[call].number,
		      calls[call].name, calls[call].text);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (strcmp(errors[i].name, calls[call].name))
			continue;
		at += snprintf(row + at, size - at, "%s`%s` %s", between,
			       errors[i].error, errors[i].text);
		between = "; ";
		ck_assert_uint_lt(at, size);
	}
	snprintf(row + at, size - at, *between ? " |\n" : "|\n");
}

static char *read_manual(void)
{
	FILE *file = fopen(MANUAL, "r");
	char *text;
	long size;

	ck_assert_msg(file, "%s cannot be opened", MANUAL);
	ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	text = calloc(1, size + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, size, file), size);
	fclose(file);
	return text;
}

START_TEST(the_manual_has_the_same_table)
{
	char *manual = read_manual(), row[1024];

	for (size_t i = 0; i < TESLA_CALLS; i++) {
		row_print(row, sizeof(row), i);
		ck_assert_msg(strstr(manual, row), "no row in the manual:%s",
			      row);
	}
	free(manual);
}
END_TEST

START_TEST(numbers_are_given_in_order_and_once)
{
	for (size_t i = 0; i < TESLA_CALLS; i++)
		ck_assert_uint_eq(calls[i].number, i);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		for (size_t j = 0; j < i; j++)
			ck_assert(strcmp(errors[i].name, errors[j].name) ||
				  strcmp(errors[i].error, errors[j].error));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("calls-table");
	TCase *table = tcase_create("table");
	SRunner *runner;
	int failed;

	tcase_add_test(table, compiled_programs_go_on_working);
	tcase_add_test(table, the_manual_has_the_same_table);
	tcase_add_test(table, numbers_are_given_in_order_and_once);
	suite_add_tcase(suite, table);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
