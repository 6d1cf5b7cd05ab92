/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the GPU does with an address space: copies by the copy engine, through
 * a ring of the reference's making.
 *
 * A read goes from the space into the ring's scratch memory, a write the
 * other way; what arrived is then looked at where it lies, not through any
 * page table.  Both go by the TLB, so an entry that should have been
 * forgotten shows itself.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "autograder/judge/session.h"
#include "vm/spec/reg.h"

#define SCRATCH		(64 * KIB)
#define SCRATCH_AT	MIB
#define COPY_LAUNCH	0x300u
#define LAUNCH_COPY	0x386u	/* non-pipelined, flush, pitch, lines */
#define HOST_WFI	0x078u
#define HOST_MEM_OP_C	0x030u
#define DONE		(20 * MS)

/* --- rings ----------------------------------------------------------- */

static const struct ring_shape shape_in = {
	.channel = ANY_CHANNEL, .entries = 64, .words = 2048,
	.gp = MEMORY_COHERENT, .pb = MEMORY_COHERENT,
};

/* The driver said where the ring's own memory lies. */
static void take_ring_memory(struct scenario *s, unsigned int ring,
			     unsigned int space, uint64_t va,
			     const uint64_t *word)
{
	/* Whole pages [§8.4]. */
	const uint64_t size[] = {
		(8 * shape_in.entries + PAGE - 1) & ~(PAGE - 1),
		(4 * shape_in.words + PAGE - 1) & ~(PAGE - 1),
	};
	unsigned int i;

	for (i = 0; i < 2; i++, word += 3) {
		unsigned int n = MEMORY_RINGS + 2 * ring + i;
		struct session_memory *memory = &s->vas.memory[n];
		struct space_part part = {
			.va = va, .size = size[i], .memory = n,
		};

		memory_forget(memory);
		memory->size = size[i];
		if (!memory_take_piece(memory, word, APERTURE_COHERENT,
				       size[i]) ||
		    memory->piece[0].size != size[i])
			session_fail(s, "LINK", "§8.5", "the driver leaves "
				     "memory alone that is not its own",
				     "an intact link", "ring memory of %u",
				     (unsigned int)word[2]);
		else if (!space_map_set(&s->vas.space[space].map, &part))
			session_error(s, "no memory for a mapping");
		va += size[i];
	}
	session_check(s);
}

/* The engine's class, once; it stays bound as long as the channel. */
static void bind_copy(struct scenario *s, unsigned int ring)
{
	expect_value(s, submit(s, ring, segment_bind_copy(s), 0, 0), 0,
		     "there is room, so the submission should succeed");
}

void ring_open_in(struct scenario *s, unsigned int ring, unsigned int space,
		  uint64_t va, bool privileged)
{
	struct ring_shape shape = shape_in;
	struct wire_op op = {
		.call = CALL_ring_create_in, .handle = ring,
		.args = { shape.channel, shape.entries, shape.words, shape.gp,
			  shape.pb, shape.first,
			  (privileged ? 2u : 0u) | space << 8, va },
	};
	const uint64_t *word;

	expect_value(s, session_ring_open(s, ring, &shape, &op), 0,
		     "ring_create() should succeed in an address space");
	word = s->op[0].output;
	take_ring_memory(s, ring, space, va, word + 1);
	s->vas.ring[ring].space = space;
	s->vas.ring[ring].va = va;
	if (s->vas.memory[MEMORY_SCRATCH + ring].pieces)
		memory_free(s, MEMORY_SCRATCH + ring);
	memory_new(s, MEMORY_SCRATCH + ring, SCRATCH,
		   seed(s) % 2 ? APERTURE_VRAM : APERTURE_COHERENT, 0);
	space_map(s, space, MAP(.va = va + SCRATCH_AT, .size = SCRATCH,
				.memory = MEMORY_SCRATCH + ring,
				.shift = PAGES_4K));
	bind_copy(s, ring);
}

uint64_t ring_scratch(struct scenario *s, unsigned int ring)
{
	return s->vas.ring[ring].va + SCRATCH_AT;
}

/* --- copies ---------------------------------------------------------- */

/* Host is behind these methods only when the copy is over. */
static void add_copy(struct segment *segment, uint64_t from, uint64_t to,
		     uint64_t size)
{
	const uint32_t data[] = {
		from >> 32, from, to >> 32, to, size, size, size, 1
	};
	static const uint32_t launch = LAUNCH_COPY, none;

	segment_add(segment, WIRE_METHOD_INC, COPY_SUBCHANNEL, COPY_OFFSET_IN,
		    data, 8);
	segment_add(segment, WIRE_METHOD_INC, COPY_SUBCHANNEL, COPY_LAUNCH,
		    &launch, 1);
	segment_add(segment, WIRE_METHOD_INC, 0, HOST_WFI, &none, 1);
}

/* The end of a segment: a ring is idle only when Host is past it. */
static struct segment *add_end(struct segment *segment)
{
	static const uint32_t none;

	segment_add(segment, WIRE_METHOD_INC, 0, METHOD_NOP, &none, 1);
	return segment;
}

static struct segment *copy_segment(struct scenario *s, uint64_t from,
				    uint64_t to, uint64_t size)
{
	struct segment *segment = segment_new(s);

	add_copy(segment, from, to, size);
	return add_end(segment);
}

void thread_copy(struct scenario *s, unsigned int thread, unsigned int ring,
		 uint64_t from, uint64_t to, uint64_t size)
{
	thread_submit(s, thread, ring, 1, copy_segment(s, from, to, size), 0,
		      DONE);
}

/* Until it is over, one way or the other; true: it came to its end. */
static bool copy(struct scenario *s, unsigned int ring, uint64_t from,
		 uint64_t to, uint64_t size)
{
	struct session_accesses before = s->vas.done;
	uint64_t deadline = card_now(s->card) + DONE;

	expect_value(s, submit(s, ring, copy_segment(s, from, to, size), 0,
			       0), 0,
		     "there is room, so the submission should succeed");
	while (s->vas.done.copies == before.copies &&
	       s->vas.done.faults == before.faults && !s->failed &&
	       card_now(s->card) < deadline)
		session_step(s, deadline);
	session_check(s);
	return s->vas.done.copies != before.copies;
}

static void copy_well(struct scenario *s, unsigned int ring, uint64_t from,
		      uint64_t to, uint64_t size)
{
	if (!copy(s, ring, from, to, size))
		session_fail(s, "EXPECT", "§6.4",
			     "the GPU's access to what is mapped should end",
			     "a copy that ends", "no end of it after %llu ms",
			     (unsigned long long)(DONE / MS));
	session_check(s);
	expect_executed(s, ring, DONE);
}

/* --- what should be there -------------------------------------------- */

/* What the space has at va: the memory, and where in it; NULL: nothing. */
static struct session_memory *memory_in(struct scenario *s,
					unsigned int space, uint64_t va,
					uint64_t *offset)
{
	const struct space_part *part =
		space_map_next(&s->vas.space[space].map, va);

	if (!part || part->va > va || !s->vas.memory[part->memory].bytes)
		return NULL;
	*offset = part->offset + (va - part->va);
	return &s->vas.memory[part->memory];
}

static void wrong_page(struct scenario *s, uint64_t va, const char *what)
{
	session_fail(s, "ACCESS", "§6.4",
		     "the GPU reaches the pages that are mapped",
		     "the page that is mapped there",
		     "%s at 0x%" PRIx64, what, va);
}

void expect_scratch(struct scenario *s, unsigned int ring, unsigned int space,
		    uint64_t va, uint64_t size)
{
	struct session_memory *scratch = &s->vas.memory[MEMORY_SCRATCH + ring];
	const struct session_memory *memory;
	uint8_t seen[PAGE];
	uint64_t done, at;

	for (done = 0; done < size && !s->failed; done += PAGE) {
		memory = memory_in(s, space, va + done, &at);
		memory_look(s, scratch, done, seen, PAGE);
		if (!memory || memcmp(seen, memory->bytes + at, PAGE))
			wrong_page(s, va + done, "other words were read");
		memcpy(scratch->bytes + done, seen, PAGE);
	}
	session_check(s);
}

void gpu_reads(struct scenario *s, unsigned int ring, uint64_t va,
	       uint64_t size)
{
	uint64_t part;

	for (; size; va += part, size -= part) {
		part = size < SCRATCH ? size : SCRATCH;
		copy_well(s, ring, va, ring_scratch(s, ring), part);
		expect_scratch(s, ring, s->vas.ring[ring].space, va, part);
	}
}

/* Forget the translations of all page directories [§9.4], then read a page. */
static void add_walk(struct segment *segment, uint64_t from)
{
	const uint32_t mem_op[] = {
		REG_VAL(NVC06F_MEM_OP_C_TLB_INVALIDATE_PDB, 1),
		REG_VAL(NVC06F_MEM_OP_D_OPERATION,
			NVC06F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE),
	};
	const uint32_t low = from;
	static const uint32_t launch = LAUNCH_COPY, none;

	segment_add(segment, WIRE_METHOD_INC, 0, HOST_MEM_OP_C, mem_op, 2);
	segment_add(segment, WIRE_METHOD_INC, COPY_SUBCHANNEL,
		    COPY_OFFSET_IN + 4, &low, 1);
	segment_add(segment, WIRE_METHOD_IMMEDIATE, COPY_SUBCHANNEL,
		    COPY_LAUNCH, &launch, 1);
	segment_add(segment, WIRE_METHOD_IMMEDIATE, 0, HOST_WFI, &none, 1);
}

void gpu_walks(struct scenario *s, unsigned int ring, uint64_t va,
	       uint64_t size, unsigned int count)
{
	struct segment *segment = segment_new(s);

	/* All registers once; the others change one. */
	add_copy(segment, va, ring_scratch(s, ring), PAGE);
	while (count--)
		add_walk(segment, va + PAGE * pick(s, size / PAGE));
	expect_value(s, submit(s, ring, add_end(segment), 0, 0), 0,
		     "there is room, so the submission should succeed");
}

/* New words for the scratch memory. */
static void fresh(struct scenario *s, unsigned int ring, uint64_t size)
{
	struct session_memory *scratch = &s->vas.memory[MEMORY_SCRATCH + ring];
	uint64_t at, word;

	s->vas.writes++;
	for (at = 0; at < size; at += 8) {
		word = (uint64_t)s->vas.writes << 32 | 0x5a000000u | at;
		memcpy(scratch->bytes + at, &word, 8);
	}
	for (at = 0; at < size; at += PAGE)
		memory_put(s, scratch, at, scratch->bytes + at, PAGE);
}

static void expect_written(struct scenario *s, unsigned int ring, uint64_t va,
			   uint64_t size)
{
	const struct session_memory *scratch =
		&s->vas.memory[MEMORY_SCRATCH + ring];
	struct session_memory *memory;
	uint8_t seen[PAGE];
	uint64_t done, at;

	for (done = 0; done < size && !s->failed; done += PAGE) {
		memory = memory_in(s, s->vas.ring[ring].space, va + done,
				   &at);
		if (!memory)
			continue;
		memory_look(s, memory, at, seen, PAGE);
		if (memcmp(seen, scratch->bytes + done, PAGE))
			wrong_page(s, va + done, "nothing was written");
		memcpy(memory->bytes + at, scratch->bytes + done, PAGE);
	}
	session_check(s);
}

static void expect_all_intact(struct scenario *s)
{
	unsigned int i;

	for (i = 0; i < MEMORIES; i++)
		expect_intact(s, i);
}

void gpu_writes(struct scenario *s, unsigned int ring, uint64_t va,
		uint64_t size)
{
	uint64_t part;

	for (; size; va += part, size -= part) {
		part = size < SCRATCH ? size : SCRATCH;
		fresh(s, ring, part);
		copy_well(s, ring, ring_scratch(s, ring), va, part);
		expect_written(s, ring, va, part);
	}
	expect_all_intact(s);
}

/* --- faults ---------------------------------------------------------- */

static void faults(struct scenario *s, unsigned int ring, uint64_t from,
		   uint64_t to, bool write)
{
	uint64_t va = write ? to : from;
	bool ended;

	s->ignored[RULE_MMU_FAULT] = s->ignored[RULE_MMU_READ_ONLY] = true;
	ended = copy(s, ring, from, to, PAGE);
	s->ignored[RULE_MMU_FAULT] = s->ignored[RULE_MMU_READ_ONLY] = false;
	s->ring[ring].lost = true;
	if (ended || s->vas.done.fault.arg[0] / PAGE != va / PAGE)
		session_fail(s, "ACCESS", "§6.4",
			     "what is not allowed does not happen",
			     "a fault there", ended ?
			     "the %s 0x%" PRIx64 " came to its end" :
			     "no fault for the %s 0x%" PRIx64,
			     write ? "write to" : "read of", va);
	session_check(s);
	expect_all_intact(s);
}

void gpu_read_faults(struct scenario *s, unsigned int ring, uint64_t va)
{
	faults(s, ring, va, ring_scratch(s, ring), false);
}

void gpu_write_faults(struct scenario *s, unsigned int ring, uint64_t va)
{
	faults(s, ring, ring_scratch(s, ring), va, true);
}
