/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02 in the guest: address spaces, by calls.
 *
 * Whether an address leads where it should is asked of the card: a channel of
 * the space copies from there.
 */
#include "errors.h"
#include "raw.h"

#define HERE	(4ULL << 30)	/* an address for tests */

static struct opener o;
static struct context c;

static void up(void)
{
	raw_up();
	opener_up(&o);
	context_make(&o, &c);
}

static void down(void)
{
	context_end(&c);
	opener_down(&o);
	raw_down();
}

/* The card finds the memory's number there. */
static void leads_to(struct context *context, u64 va, u32 seed, u64 offset)
{
	u64 value;

	CHECK_EQ(context_read(context, va, &value), 0);
	CHECK_EQ(value, memory_number(seed, offset));
}

/* The context dies of a copy, which does not end. */
static void dies_of(struct context *context, u64 from, u64 to)
{
	guest_breaks++;
	CHECK_EQ(context_copy(context, from, to, 8), -EIO);
	CHECK_EQ(CALL_OF(context->opener, chan_error,
			 .handle = context->chan), -EIO);
}

/* Mapping ------------------------------------------------------------------ */

static void the_card_is_told_apart(void)
{
	static const struct {
		const char *chip;
		u32 class, format;
	} chips[] = {
		{ "GP100", 0xc0b5, 2 }, { "GP102", 0xc1b5, 2 },
		{ "GM200", 0xb0b5, 1 },
	};
	unsigned int found = 0;

	raw_up();
	opener_up(&o);
	CHECK_EQ(o.info.version, TESLA_VERSION);
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++) {
		if (strcmp(o.info.chip, chips[i].chip))
			continue;
		found++;
		CHECK_EQ(o.info.copy_class, chips[i].class);
		CHECK_EQ(o.info.mmu_format, chips[i].format);
	}
	CHECK_EQ(found, 1);
	CHECK(o.info.page_shifts & 1u << 12);
	CHECK(o.info.vram_bytes >= 1ULL << 30);
	opener_down(&o);
	raw_down();
}

static void a_page_is_found_in_every_memory(void)
{
	up();
	for (u32 kind = 0; kind <= TESLA_MEM_VRAM; kind++) {
		struct memory memory;
		u64 va;

		memory_make(&o, &memory, PAGE, kind);
		memory_fill(&memory, kind);
		va = map_at(c.space, &memory, 0, 0, PAGE, 0, 0);
		leads_to(&c, va, kind, 0);
		leads_to(&c, va + PAGE - 8, kind, PAGE - 8);
		unmap(&o, c.space, va, PAGE);
		memory_free(&memory);
	}
	down();
}

/* All sizes of pages that the chip has, where asked for and where it fits. */
static void sizes_of_all_kinds_are_mapped(void)
{
	static const u64 sizes[] = {
		PAGE, 2 * PAGE, 60 * K, 64 * K, 68 * K, 128 * K, M,
		2 * M - PAGE, 2 * M, 2 * M + PAGE,
	};
	struct memory memory;

	up();
	memory_make(&o, &memory, 2 * M + PAGE, TESLA_MEM_COHERENT);
	memory_fill(&memory, 3);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		u64 size = sizes[i], odd = HERE + i * 64 * M + 12 * K;

		map_at(c.space, &memory, HERE, 0, size, 0, 0);
		map_at(c.space, &memory, odd, memory.size - size, size, 0, 0);
		leads_to(&c, HERE, 3, 0);
		leads_to(&c, HERE + size - 8, 3, size - 8);
		leads_to(&c, odd, 3, memory.size - size);
		leads_to(&c, odd + size - 8, 3, memory.size - 8);
		unmap(&o, c.space, HERE, size);
		unmap(&o, c.space, odd, size);
	}
	memory_free(&memory);
	down();
}

static void pages_of_every_size_are_used_when_asked_for(void)
{
	struct memory memory;

	up();
	memory_make(&o, &memory, 4 * M, TESLA_MEM_VRAM);
	for (u64 at = 0; at < memory.size; at += PAGE)
		iosys_map_wr(&memory.map, at, u64, memory_number(4, at));
	memory_at(&memory, memory.size - 8);
	for (u32 shift = 12; shift < 32; shift++) {
		if (!(o.info.page_shifts & 1u << shift))
			continue;
		map_at(c.space, &memory, HERE, 0, memory.size, 0, shift);
		for (u64 at = 0; at < memory.size; at += M - PAGE)
			leads_to(&c, HERE + at, 4, at);
		unmap(&o, c.space, HERE, memory.size);
	}
	memory_free(&memory);
	down();
}

static void addresses_are_chosen_and_never_twice(void)
{
	struct memory memory;
	u64 va[64];

	up();
	memory_make(&o, &memory, 64 * K, TESLA_MEM_COHERENT);
	memory_fill(&memory, 5);
	for (u32 i = 0; i < ARRAY_SIZE(va); i++) {
		u64 size = PAGE << i % 5;

		va[i] = map_at(c.space, &memory, 0, 0, size, 0, 0);
		for (u32 n = 0; n < i; n++)
			CHECK(va[n] + (PAGE << n % 5) <= va[i] ||
			      va[i] + size <= va[n]);
	}
	for (u32 i = 0; i < ARRAY_SIZE(va); i += 7)
		leads_to(&c, va[i], 5, 0);
	for (u32 i = 0; i < ARRAY_SIZE(va); i++)
		unmap(&o, c.space, va[i], PAGE << i % 5);
	memory_free(&memory);
	down();
}

/* Changing ----------------------------------------------------------------- */

static void a_page_is_replaced(void)
{
	struct memory memory[2];

	up();
	for (u32 i = 0; i < 2; i++) {
		memory_make(&o, &memory[i], 64 * K, i ? TESLA_MEM_VRAM :
			    TESLA_MEM_COHERENT);
		memory_fill(&memory[i], i);
	}
	map_at(c.space, &memory[0], HERE, 0, 64 * K, 0, 0);
	CHECK_EQ(CALL_OF(&o, space_map, .space = c.space,
			 .mem = memory[1].handle, .va = HERE, .size = PAGE,
			 .flags = TESLA_MAP_FIXED), -EEXIST);
	for (u32 i = 0; i < 20 * guest.rounds; i++) {
		leads_to(&c, HERE, i % 2, 0);
		map_at(c.space, &memory[(i + 1) % 2], HERE, 0, 64 * K,
		       TESLA_MAP_REPLACE, 0);
	}
	/* One page of it is the other's, the rest stays. */
	map_at(c.space, &memory[1], HERE + PAGE, 0, PAGE, TESLA_MAP_REPLACE,
	       0);
	leads_to(&c, HERE, 0, 0);
	leads_to(&c, HERE + PAGE, 1, 0);
	leads_to(&c, HERE + 2 * PAGE, 0, 2 * PAGE);
	unmap(&o, c.space, HERE, 64 * K);
	memory_free(&memory[0]);
	memory_free(&memory[1]);
	down();
}

static void the_middle_is_unmapped(void)
{
	struct memory memory;

	up();
	memory_make(&o, &memory, 2 * M, TESLA_MEM_COHERENT);
	memory_fill(&memory, 6);
	map_at(c.space, &memory, HERE, 0, 2 * M, 0, 0);
	leads_to(&c, HERE + M, 6, M);
	unmap(&o, c.space, HERE + M, PAGE);
	leads_to(&c, HERE + M - 8, 6, M - 8);
	leads_to(&c, HERE + M + PAGE, 6, M + PAGE);
	CHECK_EQ(CALL_OF(&o, mem_free, .handle = memory.handle), -EBUSY);
	dies_of(&c, HERE + M, HERE);
	unmap(&o, c.space, HERE - M, 16 * M);
	memory_free(&memory);
	down();
}

#define SLOTS	32u
#define TURNS	(100 * guest.rounds)

/* Slots of an address range, and which page of the memory is in each. */
static void changes_agree_with_a_list(void)
{
	u32 page[SLOTS] = { 0 };	/* + 1; 0: none */
	struct guest_random random;
	struct memory memory;

	up();
	guest_random_init(&random, 0);
	memory_make(&o, &memory, SLOTS * PAGE, TESLA_MEM_COHERENT);
	memory_fill(&memory, 7);
	for (u32 i = 0; i < TURNS; i++) {
		u32 slot = guest_below(&random, SLOTS);
		u32 count = 1 + guest_below(&random, SLOTS - slot);
		u32 first = guest_below(&random, SLOTS - count + 1);
		bool mapped = guest_below(&random, 3);

		if (mapped)
			map_at(c.space, &memory, HERE + slot * PAGE,
			       first * PAGE, count * PAGE, TESLA_MAP_REPLACE,
			       0);
		else
			unmap(&o, c.space, HERE + slot * PAGE, count * PAGE);
		for (u32 n = 0; n < count; n++)
			page[slot + n] = mapped ? first + n + 1 : 0;
		slot = guest_below(&random, SLOTS);
		if (page[slot])
			leads_to(&c, HERE + slot * PAGE, 7,
				 (page[slot] - 1) * PAGE);
	}
	for (u32 slot = 0; slot < SLOTS; slot++) {
		if (page[slot])
			leads_to(&c, HERE + slot * PAGE, 7,
				 (page[slot] - 1) * PAGE);
	}
	unmap(&o, c.space, HERE, SLOTS * PAGE);
	memory_free(&memory);
	down();
}

/* Apart -------------------------------------------------------------------- */

static void two_spaces_use_the_same_address(void)
{
	struct memory memory[2];
	struct context other;

	up();
	context_make(&o, &other);
	for (u32 i = 0; i < 2; i++) {
		memory_make(&o, &memory[i], PAGE, TESLA_MEM_COHERENT);
		memory_fill(&memory[i], 10 + i);
		map_at(i ? other.space : c.space, &memory[i], HERE, 0, PAGE,
		       0, 0);
	}
	for (u32 i = 0; i < 5; i++) {
		leads_to(&c, HERE, 10, 8 * i * 0);
		leads_to(&other, HERE, 11, 0);
	}
	unmap(&o, c.space, HERE, PAGE);
	leads_to(&other, HERE, 11, 0);
	unmap(&o, other.space, HERE, PAGE);
	memory_free(&memory[0]);
	memory_free(&memory[1]);
	context_end(&other);
	down();
}

static void what_is_read_only_is_not_written(void)
{
	struct memory memory;
	struct context other;

	up();
	context_make(&o, &other);
	memory_make(&o, &memory, PAGE, TESLA_MEM_COHERENT);
	memory_fill(&memory, 12);
	map_at(c.space, &memory, HERE, 0, PAGE, TESLA_MAP_READ_ONLY, 0);
	map_at(other.space, &memory, HERE, 0, PAGE, 0, 0);
	leads_to(&c, HERE + 16, 12, 16);
	dies_of(&c, HERE + 16, HERE);
	CHECK_EQ(memory_at(&memory, 0), memory_number(12, 0));
	CHECK_EQ(context_copy(&other, HERE + 16, HERE, 8), 0);
	CHECK_EQ(memory_at(&memory, 0), memory_number(12, 16));
	unmap(&o, c.space, HERE, PAGE);
	unmap(&o, other.space, HERE, PAGE);
	memory_free(&memory);
	context_end(&other);
	down();
}

#define CONTEXTS	24u

static void a_fault_ends_its_context_and_no_other(void)
{
	static struct context many[CONTEXTS];
	struct memory memory;

	raw_up();
	opener_up(&o);
	memory_make(&o, &memory, PAGE, TESLA_MEM_COHERENT);
	memory_fill(&memory, 13);
	for (u32 i = 0; i < CONTEXTS; i++) {
		context_make(&o, &many[i]);
		map_at(many[i].space, &memory, HERE, 0, PAGE, 0, 0);
	}
	for (u32 i = 0; i < CONTEXTS; i++) {
		leads_to(&many[i], HERE, 13, 0);
		if (i % 8 == 3)
			dies_of(&many[i], HERE + M, HERE);
	}
	for (u32 i = 0; i < CONTEXTS; i++) {
		if (i % 8 != 3)
			leads_to(&many[i], HERE + 8, 13, 8);
		unmap(&o, many[i].space, HERE, PAGE);
		context_end(&many[i]);
	}
	memory_free(&memory);
	opener_down(&o);
	raw_down();
}

static void a_dead_channels_number_is_used_again(void)
{
	raw_up();
	opener_up(&o);
	for (u32 i = 0; i < 10 * guest.rounds; i++) {
		struct memory memory;

		context_make(&o, &c);
		memory_make(&o, &memory, PAGE, TESLA_MEM_COHERENT);
		memory_fill(&memory, i);
		map_at(c.space, &memory, HERE, 0, PAGE, 0, 0);
		leads_to(&c, HERE, i, 0);
		dies_of(&c, HERE - PAGE, HERE);
		unmap(&o, c.space, HERE, PAGE);
		memory_free(&memory);
		context_end(&c);
	}
	opener_down(&o);
	raw_down();
}

static void spaces_in_plenty_come_and_go(void)
{
	u32 space[100];
	struct memory memory;

	raw_up();
	opener_up(&o);
	memory_make(&o, &memory, 64 * K, TESLA_MEM_COHERENT);
	for (u32 turn = 0; turn < guest.rounds; turn++) {
		for (u32 i = 0; i < ARRAY_SIZE(space); i++) {
			space[i] = space_make(&o);
			map_at(space[i], &memory, HERE + i * M, 0, 64 * K, 0,
			       0);
		}
		for (u32 i = 0; i < ARRAY_SIZE(space); i++)
			CHECK_EQ(CALL_OF(&o, space_destroy,
					 .handle = space[i]), 0);
	}
	memory_free(&memory);
	opener_down(&o);
	raw_down();
}

/* Threads ------------------------------------------------------------------ */

static void change_and_use(unsigned int number)
{
	struct context context;
	struct memory memory;

	context_make(&o, &context);
	memory_make(&o, &memory, 16 * PAGE, TESLA_MEM_COHERENT);
	memory_fill(&memory, number);
	for (u32 i = 0; i < 20 * guest.rounds; i++) {
		u64 va = HERE + i % 4 * PAGE, offset = i % 16 * PAGE;

		map_at(context.space, &memory, va, offset, PAGE,
		       TESLA_MAP_REPLACE, 0);
		leads_to(&context, va, number, offset);
		if (i % 3 == 0)
			unmap(&o, context.space, va, PAGE);
	}
	unmap(&o, context.space, HERE, 4 * PAGE);
	memory_free(&memory);
	context_end(&context);
}

static void threads_change_spaces(void)
{
	raw_up();
	opener_up(&o);
	guest_threads(6, change_and_use);
	opener_down(&o);
	raw_down();
}

static const struct guest_test tests[] = {
#define TEST(name) { #name, name, false }
	TEST(the_card_is_told_apart),
	TEST(a_page_is_found_in_every_memory),
	TEST(sizes_of_all_kinds_are_mapped),
	TEST(pages_of_every_size_are_used_when_asked_for),
	TEST(addresses_are_chosen_and_never_twice),
	TEST(a_page_is_replaced),
	TEST(the_middle_is_unmapped),
	TEST(changes_agree_with_a_list),
	TEST(two_spaces_use_the_same_address),
	TEST(what_is_read_only_is_not_written),
	TEST(a_fault_ends_its_context_and_no_other),
	TEST(a_dead_channels_number_is_used_again),
	TEST(spaces_in_plenty_come_and_go),
	TEST(threads_change_spaces),
	TEST(openers_do_not_see_each_other),
	TEST(handles_are_not_used_again),
	TEST(views_are_of_what_was_told),
	TEST(every_error_of_the_table_can_be_had),
	{ "an_opener_has_only_so_many_objects",
	  an_opener_has_only_so_many_objects, true },
};

int main(int argc, char **argv)
{
	return guest_main(argc, argv, tests, ARRAY_SIZE(tests));
}
