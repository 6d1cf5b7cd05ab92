/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The calls of the language for address spaces.
 */
#include <inttypes.h>
#include <string.h>

#include "autograder/judge/session.h"

#define METHODS_DONE	(20 * MS)

unsigned int big_shift(const struct scenario *s)
{
	return session_big_shift(s, &s->vas.space[0]);
}

bool has_huge_pages(const struct scenario *s)
{
	return s->chip != CARD_M40;
}

void use_dirty_memory(struct scenario *s)
{
	s->vas.dirty = true;
}

void use_slow_invalidation(struct scenario *s)
{
	s->vas.slow_invalidation = true;
}

void use_slow_reads(struct scenario *s)
{
	s->vas.slow_reads = true;
}

void use_interrupted_cpu(struct scenario *s)
{
	s->vas.interrupted = true;
}

uint64_t steps(const struct scenario *s)
{
	return s->steps;
}

/* --- address spaces -------------------------------------------------- */

int64_t space_try_open(struct scenario *s, unsigned int n, uint64_t base,
		       uint64_t limit)
{
	const uint64_t args[] = { n, base, limit };
	struct session_space *space = &s->vas.space[n];
	int64_t result = call(s, CALL_vas_create, args, 3, NULL, 0);
	unsigned int count, i;
	const uint64_t *word = outputs(s, &count);

	if (result)
		return result;
	space->open = true;
	space->base = base;
	space->limit = limit;
	space->root = word[0];
	for (i = 0; i < 4; i++)
		space->words[i] = word[1 + i];
	return 0;
}

void space_open(struct scenario *s, unsigned int n, uint64_t base,
		uint64_t limit)
{
	expect_value(s, space_try_open(s, n, base, limit), 0,
		     "vas_create() should succeed");
	session_check_space(s, n, false);
	session_check(s);
}

void space_close(struct scenario *s, unsigned int n)
{
	const uint64_t args[] = { n };

	space_map_fini(&s->vas.space[n].map);
	s->vas.space[n].open = false;
	call(s, CALL_vas_destroy, args, 1, NULL, 0);
}

uint64_t table_bytes(struct scenario *s, unsigned int n)
{
	const uint64_t args[] = { n };
	unsigned int count;

	call(s, CALL_vas_table_bytes, args, 1, NULL, 0);
	return outputs(s, &count)[0];
}

static struct session_op *add_map(struct scenario *s, unsigned int thread,
				  unsigned int space,
				  const struct mapping *mapping)
{
	struct wire_op op = {
		.call = CALL_vas_map, .thread = thread,
		.args = { space, mapping->va, mapping->size, mapping->memory,
			  mapping->offset, mapping->flags |
			  (mapping->anywhere ? 0 : MAP_FIXED),
			  mapping->shift },
	};

	return batch_add(s, &op);
}

static struct session_op *add_unmap(struct scenario *s, unsigned int thread,
				    unsigned int space, uint64_t va,
				    uint64_t size)
{
	struct wire_op op = {
		.call = CALL_vas_unmap, .thread = thread,
		.args = { space, va, size },
	};

	return batch_add(s, &op);
}

int64_t space_try_map(struct scenario *s, unsigned int space,
		      const struct mapping *mapping)
{
	struct session_op *op = add_map(s, 0, space, mapping);

	batch_run(s, 1);
	return op->last;
}

uint64_t space_map(struct scenario *s, unsigned int space,
		   const struct mapping *mapping)
{
	expect_value(s, space_try_map(s, space, mapping), 0,
		     "vas_map() should succeed");
	return mapping->anywhere ? s->op[0].output[0] : mapping->va;
}

int64_t space_try_unmap(struct scenario *s, unsigned int space, uint64_t va,
			uint64_t size)
{
	struct session_op *op = add_unmap(s, 0, space, va, size);

	batch_run(s, 1);
	return op->last;
}

void space_unmap(struct scenario *s, unsigned int space, uint64_t va,
		 uint64_t size)
{
	expect_value(s, space_try_unmap(s, space, va, size), 0,
		     "vas_unmap() should succeed");
}

void expect_space(struct scenario *s, unsigned int n)
{
	session_check_space(s, n, true);
	session_check(s);
}

void expect_pages(struct scenario *s, unsigned int n, uint64_t va,
		  uint64_t size, unsigned int shift)
{
	const struct session_space *space = &s->vas.space[n];
	struct session_place place;
	uint64_t at;

	for (at = va; at < va + size; at += 1ull << shift) {
		if (!session_walk(s, space, at, &place))
			continue;	/* the walk has been complained of */
		if (place.shift == shift)
			continue;
		session_fail(s, "PAGES", "§6.4",
			     "a page size that is asked for is used",
			     shift == PAGES_2M ? "a page of 2 MiB" :
			     shift == PAGES_4K ? "a page of 4 KiB" :
			     "a big page", "a page of 2^%u bytes, at 0x%"
			     PRIx64, place.shift, at);
		break;
	}
	session_check(s);
}

/* --- threads --------------------------------------------------------- */

void thread_call(struct scenario *s, unsigned int thread, enum wire_call what,
		 uint64_t a, uint64_t b, uint64_t c)
{
	struct wire_op op = {
		.call = what, .thread = thread, .args = { a, b, c },
	};

	batch_add(s, &op);
}

void thread_map(struct scenario *s, unsigned int thread, unsigned int space,
		const struct mapping *mapping)
{
	add_map(s, thread, space, mapping);
}

void thread_unmap(struct scenario *s, unsigned int thread,
		  unsigned int space, uint64_t va, uint64_t size)
{
	add_unmap(s, thread, space, va, size);
}

void thread_wait_idle(struct scenario *s, unsigned int thread,
		      unsigned int ring)
{
	struct wire_op op = {
		.call = CALL_ring_wait_idle, .thread = thread, .handle = ring,
		.args = { 20 * MS },
	};

	batch_add(s, &op)->timeout = 20 * MS;
}

/* --- the TLB --------------------------------------------------------- */

void tlb_invalidate(struct scenario *s, unsigned int space)
{
	uint64_t args[1];

	session_watch_root(s, space);
	args[0] = s->vas.done.root;
	expect_value(s, call(s, CALL_tlb_invalidate, args, 1, NULL, 0), 0,
		     "tlb_invalidate() should succeed");
	expect_true(s, s->vas.done.forgotten,
		    "the card should have forgotten this space by then",
		    "an invalidation that names it, and is done", 0);
}

/* Words of a push, as groups; false: they are none. */
static bool add_words(struct segment *segment, const uint64_t *word,
		      unsigned int count)
{
	static const enum wire_method form[] = {
		[1] = WIRE_METHOD_INC, [3] = WIRE_METHOD_NON_INC,
		[4] = WIRE_METHOD_IMMEDIATE, [5] = WIRE_METHOD_ONE_INC,
	};
	uint32_t data[SCENARIO_OUTPUTS];
	unsigned int i = 0, n, j, op;

	while (i < count && i < SCENARIO_OUTPUTS) {
		uint32_t header = word[i++];

		op = header >> 29;
		n = header >> 16 & 0x1fff;
		if ((op != 1 && op != 3 && op != 4 && op != 5) ||
		    (op != 4 && (!n || n > SCENARIO_OUTPUTS - i)))
			return false;
		data[0] = n;
		for (j = 0; op != 4 && j < n; j++)
			data[j] = word[i++];
		segment_add(segment, form[op], header >> 13 & 7,
			    (header & 0xfff) * 4, data, op == 4 ? 1 : n);
	}
	return count > 0;
}

/* The driver's methods, decoded and given to the ring as they are. */
void gpu_invalidates(struct scenario *s, unsigned int ring,
		     unsigned int space)
{
	struct segment *segment;
	const uint64_t *word;
	unsigned int count;
	uint64_t args[1];

	session_watch_root(s, space);
	args[0] = s->vas.done.root;
	expect_value(s, call(s, CALL_tlb_push, args, 1, NULL, 0), 0,
		     "tlb_push_invalidate() should succeed");
	word = outputs(s, &count);
	segment = segment_new(s);
	if (!add_words(segment, word, count))
		session_fail(s, "EXPECT", "§9.3",
			     "what is pushed should be method headers and "
			     "their data", "such words", "%u words", count);
	session_check(s);
	expect_value(s, submit(s, ring, segment, 0, 0), 0,
		     "there is room, so the submission should succeed");
	expect_executed(s, ring, METHODS_DONE);
	let_pass(s, 100 * US);
	expect_true(s, s->vas.done.forgotten,
		    "the methods should make the card forget this space",
		    "an invalidation that names it", 0);
}
