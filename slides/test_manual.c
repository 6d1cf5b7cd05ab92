/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The manual and the hints are read by people, and believed.  What they say
 * in tables and examples is therefore held against the code: costs, rules
 * with their sections, CRCs, and that every test of the lab has its hints.
 *
 * Run from the root of the repository.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/model/card.h"
#include "vm/model/crc.h"

#define MANUAL	"vm/spec/manual.md"

static char *text;

static void read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	long size;

	ck_assert_msg(file, "%s cannot be opened", path);
	ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	text = calloc(1, size + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, size, file), size);
	fclose(file);
}

static void drop_text(void)
{
	free(text);
	text = NULL;
}

static void read_manual(void)
{
	read_text(MANUAL);
}

/* The number that the row of that name has in the table of costs. */
static unsigned long cost_in_manual(const char *name)
{
	char row[64];
	const char *at;

	snprintf(row, sizeof(row), "\n| `%s` | ", name);
	at = strstr(text, row);
	ck_assert_msg(at, "the manual has no row for %s", name);
	return strtoul(at + strlen(row), NULL, 10);
}

START_TEST(costs_in_the_manual_are_the_defaults)
{
	struct card_costs costs;

	card_costs_default(&costs);
#define COST(name) ck_assert_uint_eq(cost_in_manual(#name), costs.name)
	COST(write_cpu);
	COST(write_arrive);
	COST(write_jitter);
	COST(read);
	COST(gp_fetch);
	COST(pb_fetch);
	COST(pb_word);
	COST(host_jitter);
	COST(method);
	COST(semaphore);
	COST(interrupt);
	COST(cstate_exit);
	COST(copy_start);
	COST(copy_bytes_per_us);
	COST(runlist);
	COST(preempt);
	COST(flush);
	COST(walk_level);
	COST(tlb_flush);
	COST(tlb_jitter);
	COST(ctx_switch);
	COST(ctx_page);
	COST(ats);
#undef COST
}
END_TEST

/* Chapter 11 has a row for each rule, with the section of the table. */
START_TEST(every_rule_is_explained_with_its_section)
{
	const char *chapter = strstr(text, "\n## §11 ");

	ck_assert_ptr_nonnull(chapter);
	for (int rule = 0; rule < CARD_RULES; rule++) {
		const char *section = card_rule_section(rule);
		char name[64], wanted[32];
		const char *row, *end;

		snprintf(name, sizeof(name), "`%s`", card_rule_name(rule));
		snprintf(wanted, sizeof(wanted), "[%s]", section);
		row = strstr(chapter, name);
		ck_assert_msg(row, "chapter 11 lacks %s", name);
		end = strchr(row, '\n');
		row = strstr(row, wanted);
		ck_assert_msg(row && row < end, "%s has not section %s", name,
			      section);
	}
}
END_TEST

static const uint32_t example[] = {
	0x20018000, 0x0000c1b5, 0x20050004, 0x00000001,
	0x23456780, 0xcafebabe, 0x01000002, 0x00000000,
};

static void ck_crc(const char *row, const void *data, size_t len)
{
	const char *at = strstr(text, row);
	struct card_crc crc;

	ck_assert_msg(at, "the manual has no CRC of %s", row);
	card_crc_init(&crc);
	at += strlen(row);
	ck_assert_uint_eq(strtoul(at, NULL, 16),
			  card_crc_update(&crc, 0, data, len));
}

START_TEST(crcs_in_the_manual_are_right)
{
	static const uint64_t entry = 0x0000200040020000;
	static const uint32_t one = 1;

	ck_crc("| the nine bytes \"123456789\" | `", "123456789", 9);
	ck_crc("| one word, `0x00000001` | `", &one, sizeof(one));
	ck_crc("| the segment of the example in §9.3 | `", example,
	       sizeof(example));
	ck_crc("| the GP entry `0x0000200040020000` | `", &entry,
	       sizeof(entry));
}
END_TEST

/* What those CRCs are of is printed word by word. */
START_TEST(the_example_segment_is_printed_in_full)
{
	const char *at = strstr(text, "\n### §9.3");

	ck_assert_ptr_nonnull(at);
	for (unsigned int i = 0; i < 8; i++) {
		char line[32];

		snprintf(line, sizeof(line), "\n %u  0x%08x  ", i, example[i]);
		at = strstr(at, line);
		ck_assert_msg(at, "word %u of the example is not 0x%08x", i,
			      example[i]);
	}
}
END_TEST

static void ck_hints(const char *name)
{
	char heading[96];
	const char *at, *end;

	snprintf(heading, sizeof(heading), "\n## %s\n", name);
	at = strstr(text, heading);
	ck_assert_msg(at, "no hints for \"%s\"", name);
	end = strstr(at + 1, "\n## ");
	for (int level = 1; level <= 3; level++) {
		snprintf(heading, sizeof(heading), "\n### %d\n", level);
		at = strstr(at, heading);
		ck_assert_msg(at && (!end || at < end),
			      "\"%s\" has no hint of level %d", name, level);
	}
}

#define TEST(name, points, step, section, kind, visibility, seeds, title) \
	ck_hints(#name); \
	ck_hints(step);

START_TEST(every_test_and_step_of_lab_01_has_three_hints)
{
	read_text("labs/01-ring/hints.md");
#include "autograder/hidden/01-ring/tests.def"
}
END_TEST

START_TEST(every_test_and_step_of_lab_02_has_three_hints)
{
	read_text("labs/02-vas/hints.md");
#include "autograder/hidden/02-vas/tests.def"
}
END_TEST

START_TEST(every_test_and_step_of_lab_03_has_three_hints)
{
	read_text("labs/03-fence/hints.md");
#include "autograder/hidden/03-fence/tests.def"
}
END_TEST

#undef TEST

/* What a report shows first is about the rule that was broken. */
START_TEST(every_rule_of_lab_02_has_three_hints)
{
	read_text("labs/02-vas/hints.md");
	for (int rule = 0; rule < CARD_RULES; rule++) {
		const char *name = card_rule_name(rule);

		if (!strncmp(name, "RULE_MMU_", 9) ||
		    !strncmp(name, "RULE_TLB_", 9) ||
		    !strncmp(name, "RULE_PDE_", 9) ||
		    !strncmp(name, "RULE_CTX_", 9) ||
		    !strncmp(name, "RULE_ATS_", 9))
			ck_hints(name);
	}
}
END_TEST

START_TEST(every_rule_of_lab_03_has_three_hints)
{
	read_text("labs/03-fence/hints.md");
	for (int rule = 0; rule < CARD_RULES; rule++) {
		const char *name = card_rule_name(rule);

		if (!strncmp(name, "RULE_ACK_", 9) ||
		    !strncmp(name, "RULE_INTR_", 10) ||
		    !strncmp(name, "RULE_MSI_", 9) ||
		    !strncmp(name, "RULE_FENCE_", 11))
			ck_hints(name);
	}
	/* … and what the port reports [§4.6] */
	ck_hints("SLEEP_IN_IRQ");
	ck_hints("IRQ_LOCK");
	ck_hints("IRQ_BUDGET");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("manual");
	TCase *manual = tcase_create("manual"), *hints = tcase_create("hints");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(manual, read_manual, drop_text);
	tcase_add_test(manual, costs_in_the_manual_are_the_defaults);
	tcase_add_test(manual, every_rule_is_explained_with_its_section);
	tcase_add_test(manual, crcs_in_the_manual_are_right);
	tcase_add_test(manual, the_example_segment_is_printed_in_full);
	suite_add_tcase(suite, manual);

	tcase_add_checked_fixture(hints, NULL, drop_text);
	tcase_add_test(hints, every_test_and_step_of_lab_01_has_three_hints);
	tcase_add_test(hints, every_test_and_step_of_lab_02_has_three_hints);
	tcase_add_test(hints, every_rule_of_lab_02_has_three_hints);
	tcase_add_test(hints, every_test_and_step_of_lab_03_has_three_hints);
	tcase_add_test(hints, every_rule_of_lab_03_has_three_hints);
	suite_add_tcase(suite, hints);

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
