/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Step 6: a unit whose context the driver switches [§12.3].  The card's rules
 * see a switch that is not idle, not clean, or remembers too much; these
 * tests see to it that there is something to get wrong.
 */
#include "autograder/hidden/02-vas/common.h"

#define VA	(16 * MIB)
#define PAGES	12u

/* n spaces that map memories of their own at the same address. */
static void begin_spaces(struct scenario *s, unsigned int n, uint32_t flags)
{
	unsigned int i;

	driver_open(s);
	for (i = 0; i < n; i++) {
		space_open(s, i, BASE, LIMIT);
		memory_new(s, i, PAGES * PAGE, any_memory(s), 4 * PAGE);
		space_map(s, i, MAP(.va = VA, .size = PAGES * PAGE,
				    .memory = i, .shift = PAGES_4K));
	}
	unit_open(s, flags);
}

static void end_spaces(struct scenario *s, unsigned int n)
{
	unsigned int i;

	unit_clean(s);
	for (i = 0; i < n; i++) {
		unit_forget(s, i);
		space_close(s, i);
		memory_free(s, i);
	}
	unit_close(s);
	driver_leaves_nothing(s);
}

static struct unit_work some_work(struct scenario *s, unsigned int space,
				  uint32_t data)
{
	unsigned int first = pick(s, PAGES);

	return (struct unit_work){
		.space = space, .va = VA + first * PAGE,
		.pages = 1 + pick(s, PAGES - first), .data = data,
	};
}

void test_public_switch(struct scenario *s)
{
	begin_spaces(s, 2, 0);
	unit_work(s, 0, VA, PAGES, 0x11);
	unit_work(s, 1, VA, PAGES, 0x22);
	unit_work(s, 0, VA, 3, 0x33);
	end_spaces(s, 2);
}

void test_spaces_take_turns(struct scenario *s)
{
	unsigned int n = 2 + pick(s, 5), i;

	begin_spaces(s, n, seed(s) % 2 ? UNIT_TAGS : 0);
	for (i = 0; i < 30; i++) {
		struct unit_work work = some_work(s, pick(s, n), i << 8);

		unit_work(s, work.space, work.va, work.pages, work.data);
		if (pick(s, 8) == 0)
			unit_clean(s);
	}
	end_spaces(s, n);
}

void test_tags_spare_the_walks(struct scenario *s)
{
	unsigned int n = 3 + pick(s, 3), i;

	begin_spaces(s, n, UNIT_TAGS);
	for (i = 0; i < n; i++)
		unit_work(s, i, VA, PAGES, i);
	expect_value(s, unit_walks(s), (int64_t)n * PAGES,
		     "every page should be walked for, the first time");
	for (i = 0; i < 4 * n; i++)
		unit_work(s, i % n, VA, PAGES, 0x100 + i);
	expect_true(s, unit_walks(s) < n * PAGES,
		    "with tags, spaces that come back should hardly walk",
		    "hardly any of so many pages", 4ull * n * PAGES);
	end_spaces(s, n);
}

void test_tags_are_used_again(struct scenario *s)
{
	/* Many tables: one chip will do. */
	use_chip(s, CARD_P40);
	begin_spaces(s, 1, UNIT_TAGS);
	unit_work(s, 0, VA, PAGES, 1);
	/* Among them is a batch that faults: it tells of it. */
	ignore_rule(s, RULE_MMU_FAULT);
	expect_value(s, unit_crowd(s, 1100), 0,
		     "there may be more spaces than tags: every call should "
		     "succeed");
	unit_work(s, 0, VA, PAGES, 2);
	end_spaces(s, 1);
}

void test_changed_mappings_are_seen(struct scenario *s)
{
	uint32_t flags = seed(s) % 2 ? UNIT_TAGS : 0;
	unsigned int i;

	begin_spaces(s, 3, flags);
	memory_new(s, 5, PAGES * PAGE, any_memory(s), 0);
	memory_new(s, 6, PAGES * PAGE, any_memory(s), 0);
	for (i = 0; i < 4; i++) {
		unit_work(s, 0, VA, PAGES, 0x18 + i);
		unit_forget(s, 0);
		expect_intact(s, i ? 5 + (i - 1) % 2 : 0);
		unit_work(s, 0, VA, PAGES, 0x10 + i);
		if (pick(s, 2))
			unit_work(s, 1, VA, PAGES, 0x20 + i);
		if (pick(s, 2))
			unit_work(s, 2, VA, PAGES, 0x30 + i);
		unit_forget(s, 0);
		space_map(s, 0, MAP(.va = VA, .size = PAGES * PAGE,
				    .memory = 5 + i % 2, .shift = PAGES_4K,
				    .flags = MAP_FIXED | MAP_REPLACE));
		if (pick(s, 2)) {
			/* The other's turn to change. */
			unit_forget(s, 1);
			space_unmap(s, 1, VA, PAGE);
			space_map(s, 1, MAP(.va = VA, .size = PAGE,
					    .memory = 1, .offset = 2 * PAGE,
					    .shift = PAGES_4K));
		}
	}
	unit_work(s, 0, VA, PAGES, 0x99);
	unit_work(s, 1, VA, PAGES, 0xaa);
	unit_clean(s);
	unit_forget(s, 0);
	space_unmap(s, 0, VA, PAGES * PAGE);
	memory_free(s, 5);
	memory_free(s, 6);
	end_spaces(s, 3);
}

void test_batches_are_one_dma(struct scenario *s)
{
	uint32_t flags = seed(s) % 2 ? UNIT_TAGS : 0;
	struct unit_work work[40];
	unsigned int i, round;
	uint64_t writes;

	begin_spaces(s, 4, flags);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 40; i++)
			work[i] = some_work(s, pick(s, 4), round << 8 | i);
		unit_batches(s);
		unit_writes(s);
		expect_value(s, unit_try_batch(s, work, 40), 0,
			     "ctx_switch_batch() should succeed");
		expect_value(s, unit_batches(s), 1,
			     "a batch should be one DMA");
		writes = unit_writes(s);
		expect_true(s, writes < 40,
			    "a batch should not be written register by "
			    "register", "fewer writes than pieces of work",
			    writes);
		if (pick(s, 2))
			unit_work(s, pick(s, 4), VA, PAGES, 0x777);
		if (pick(s, 2))
			unit_clean(s);
	}
	end_spaces(s, 4);
}

void test_a_fault_ends_one_work(struct scenario *s)
{
	struct unit_work work[3];
	unsigned int i;

	begin_spaces(s, 2, seed(s) % 2 ? UNIT_TAGS : 0);
	ignore_rule(s, RULE_MMU_FAULT);
	ignore_rule(s, RULE_MMU_READ_ONLY);
	work[0] = (struct unit_work){ 0, VA + 4 * PAGE, PAGES, 0x51 };
	expect_value(s, unit_try_work(s, &work[0]), -EFAULT,
		     "work beyond what is mapped should fault");
	unit_work(s, 1, VA, PAGES, 0x52);
	unit_work(s, 0, VA, PAGES, 0x53);
	/* … and the same in a batch: what follows is dropped. */
	for (i = 0; i < 3; i++)
		work[i] = (struct unit_work){ i % 2, VA, PAGES, 0x60 + i };
	work[1].va = VA - 2 * PAGE;
	expect_value(s, unit_try_batch(s, work, 3), -EFAULT,
		     "a batch should tell of a fault in it");
	/* The last of the batch was never loaded. */
	unit_work(s, 0, VA, PAGES, 0x70);
	unit_work(s, 1, VA, PAGES, 0x71);
	end_spaces(s, 2);
}

void test_threads_share_the_unit(struct scenario *s)
{
	unsigned int n = 3, i, round;

	begin_spaces(s, n, seed(s) % 2 ? UNIT_TAGS : 0);
	for (round = 0; round < 6; round++) {
		for (i = 0; i < n; i++) {
			struct unit_work work = some_work(s, i,
							  i << 8 | round);

			thread_unit_work(s, i, &work);
		}
	}
	threads_run(s);
	end_spaces(s, n);
}

void test_unit_refuses_nonsense(struct scenario *s)
{
	static const struct unit_work no[] = {
		{ 0, VA + 8, 1, 1 }, { 0, VA, 0, 1 },
		{ 0, VA, UNIT_PAGES + 1, 1 }, { 31, VA, 1, 1 },
	};
	const struct unit_work half[] = {
		{ 1, VA, 1, 2 }, no[seed(s) / 2 % 4],
	};
	unsigned int i;

	if (seed(s) % 2) {
		use_documented_card(s);
		driver_open(s);
		expect_value(s, unit_try_open(s, 0), -ENODEV,
			     "a card without the unit should be told apart");
		driver_leaves_nothing(s);
		return;
	}
	driver_open(s);
	expect_value(s, unit_try_open(s, 2), -EINVAL,
		     "flags that do not exist should be refused");
	driver_close(s);
	begin_spaces(s, 2, 0);
	for (i = 0; i < 4; i++) {
		expect_value(s, unit_try_work(s, &no[i]), -EINVAL,
			     "such work should be refused");
		expect_value(s, unit_try_batch(s, &no[i], 1), -EINVAL,
			     "such a batch should be refused");
	}
	expect_value(s, unit_try_batch(s, no, 0), -EINVAL,
		     "an empty batch should be refused");
	unit_work(s, 0, VA, PAGES, 5);
	/* What is refused as a whole has made nobody current. */
	expect_value(s, unit_try_batch(s, half, 2), -EINVAL,
		     "a batch with such work in it should be refused");
	unit_work(s, 1, VA, PAGES, 6);
	end_spaces(s, 2);
}

void test_unit_survives_trouble(struct scenario *s)
{
	const struct unit_work work = { 0, VA, PAGES, 5 };
	int64_t result = -ENOMEM;
	unsigned int i;

	if (seed(s) % 2) {
		driver_open(s);
		for (i = 1; i < 64 && result == -ENOMEM; i++) {
			fail_alloc(s, i);
			result = unit_try_open(s, 0);
			fail_alloc(s, 0);
		}
		expect_value(s, result, 0,
			     "ctx_switch_create() should succeed at last");
		unit_close(s);
		driver_leaves_nothing(s);
		return;
	}
	begin_spaces(s, 1, UNIT_TAGS);
	unit_work(s, 0, VA, PAGES, 4);
	at_once(s, CARD_UNPLUG);
	expect_value(s, unit_try_work(s, &work), -ENODEV,
		     "with the card gone a call should say -ENODEV");
	expect_true(s, elapsed(s) < 5 * MS, "it should say so at once",
		    "less than 5000000 ns", elapsed(s));
}
