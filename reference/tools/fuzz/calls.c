/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The call table under arbitrary input [§4.7]: libFuzzer's bytes become calls
 * of two openers of one card, and what they write into their memory.
 *
 * Bytes are read as choices, so most inputs say something: a handle is one
 * that was given, or another opener's, or any number; a size is a page, or
 * nearly 2^64.  Some calls find no memory in the kernel half, or an argument
 * that cannot be copied.  After each call:
 *
 *   - its answer is one that calls.def lists;
 *   - if it failed, nothing has been made or mapped;
 *   - the other opener has what it had;
 *
 * and at the end, when both have been closed: nothing is left, no rule of the
 * manual was broken save those that user mode can break by what it writes,
 * and a third opener can work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "fuzz.h"

struct fuzz fuzz;

/* Choices ------------------------------------------------------------------ */

static const u8 *input, *input_end;

u8 get8(void)
{
	return input < input_end ? *input++ : 0;
}

u32 get32(void)
{
	u32 value = 0;

	for (int i = 0; i < 4; i++)
		value = value << 8 | get8();
	return value;
}

u64 pick_number(void)
{
	static const u64 some[] = {
		0, 1, 8, 64, K, PAGE, 2 * PAGE, 16 * PAGE, 2 * M, 4 * M,
		1ULL << 36, 1ULL << 40, (1ULL << 47) - PAGE, 1ULL << 49,
		1ULL << 63, ~0ULL, ~0ULL - PAGE + 1,
	};
	u8 choice = get8();
	u64 low;

	if (choice < 160)
		return some[choice % ARRAY_SIZE(some)];
	if (choice < 200)
		return some[choice % ARRAY_SIZE(some)] + (s8)get8();
	if (choice < 240)
		return (u64)get8() * PAGE;
	low = get32();
	return (u64)get32() << 32 | low;
}

u64 pick_address(const struct opener *opener)
{
	u8 choice = get8();

	if (choice < 160 && opener->vas)
		return opener->va[choice % opener->vas] +
			(choice & 1 ? (u64)get8() * PAGE : 0);
	return pick_number();
}

u32 pick_handle(const struct opener *opener, enum object_kind kind)
{
	u8 choice = get8();
	const struct names *names = &opener->names[kind];

	if (choice >= 220)
		names = &fuzz.opener[choice & 1].names[choice % OBJECT_KINDS];
	if (choice >= 250 || !names->count)
		return choice & 1 ? get32() : 0;
	return names->name[choice % min(names->count, NAMES)];
}

void remember_name(struct opener *opener, enum object_kind kind, u32 name)
{
	struct names *names = &opener->names[kind];

	names->name[names->count++ % NAMES] = name;
}

void remember_address(struct opener *opener, u64 va)
{
	opener->va[opener->vas < NAMES ? opener->vas++ : va / PAGE % NAMES] =
		va;
}

/* Invariants --------------------------------------------------------------- */

void broken(const char *what, long a, long b)
{
	fprintf(stderr, "broken: %s (%ld, %ld)\n", what, a, b);
	abort();
}

static bool is_listed(u32 call, long answer)
{
	static const struct {
		u32 call;
		int error;
	} rows[] = {
#define CALL(number, name, way, text)
#define CALL_ERROR(name, error, text)	{ TESLA_CALL_##name, error },
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].call == call && rows[i].error == -answer)
			return true;
	}
	if (call >= TESLA_CALLS)
		return answer == -ENOTTY;
	/* What any call may say. */
	return answer == 0 || answer == -EINVAL || answer == -E2BIG ||
		answer == -EFAULT;
}

struct state {
	unsigned int objects[2];
	u64 tables[2];
};

static void look(struct state *state)
{
	for (int i = 0; i < 2; i++) {
		struct tesla_file *file = fuzz.opener[i].file;

		state->objects[i] = tesla_objects(file);
		state->tables[i] = vas_table_bytes(file->own.vas);
	}
}

long fuzz_call(struct opener *opener, u32 call, void *arg, size_t size)
{
	u32 who = opener - fuzz.opener;
	struct state before, after;
	long answer;

	look(&before);
	answer = tesla_call(opener->file, call, arg, size);
	look(&after);
	if (!is_listed(call, answer))
		broken("an answer that is not listed", call, answer);
	for (u32 i = 0; i < 2; i++) {
		if ((answer || i != who) &&
		    (after.objects[i] != before.objects[i] ||
		     after.tables[i] != before.tables[i]))
			broken("a change where none may be", call, answer);
	}
	return answer;
}

/* What user mode can do to itself by what it writes. */
static bool is_own_fault(enum card_rule rule)
{
	switch (rule) {
	case RULE_FETCH_NOT_VISIBLE:
	case RULE_GP_PUT_RANGE:
	case RULE_GP_OVERWRITE:
	case RULE_PB_OVERWRITE:
	case RULE_GP_ENTRY_INVALID:
	case RULE_GP_CRC_MISMATCH:
	case RULE_PB_CRC_MISMATCH:
	case RULE_METHOD_HEADER:
	case RULE_METHOD_HOST:
	case RULE_METHOD_ENGINE:
	case RULE_SUBCHANNEL_UNBOUND:
	case RULE_PRIVILEGE:
	case RULE_WORK_PENDING_AT_REST:
	case RULE_MMU_FAULT:
	case RULE_MMU_READ_ONLY:
	case RULE_FENCE_DECREASED:
	case RULE_FENCE_FREED:
	case RULE_COPY_ARGUMENT:
		return true;
	default:
		return false;
	}
}

static void check_rules(void)
{
	for (u32 rule = 0; rule < CARD_RULES; rule++) {
		unsigned int n = bus_direct_violations(fuzz.bus, rule);

		if (n == fuzz.violations[rule])
			continue;
		fuzz.violations[rule] = n;
		if (!fuzz.wrote || !is_own_fault(rule)) {
			fprintf(stderr, "%s\n", card_rule_name(rule));
			broken("a rule", rule, n);
		}
	}
}

/* One input ---------------------------------------------------------------- */

static void open_both(void)
{
	memset(fuzz.opener, 0, sizeof(fuzz.opener));
	fuzz.wrote = false;
	fuzz.bytes = 0;
	for (int i = 0; i < 2; i++) {
		int err = tesla_open(fuzz.tesla, &fuzz.opener[i].file);

		if (err)
			broken("an opener is refused", err, i);
	}
}

static void close_both(void)
{
	for (int i = 0; i < 2; i++) {
		struct opener *opener = &fuzz.opener[i];

		while (opener->views)
			tesla_unmap(opener->file,
				    opener->view[--opener->views]);
		fuzz_ring_down(opener);
		tesla_close(opener->file);
	}
	if (port_live_allocs() != fuzz.allocs)
		broken("left behind", port_live_allocs(), fuzz.allocs);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	input = data;
	input_end = data + size;
	open_both();
	while (input < input_end)
		fuzz_step(&fuzz.opener[get8() & 1]);
	close_both();
	check_rules();
	if (fuzz.wrote)
		fuzz_work();
	return 0;
}

/* The driver keeps tables of its own space: make what inputs may want. */
static void warm_up(void)
{
	struct tesla_mem_alloc arg[2] = {
		{ .size = 2 * FUZZ_BYTES, .kind = TESLA_MEM_COHERENT },
		{ .size = 2 * FUZZ_BYTES, .kind = TESLA_MEM_VRAM },
	};

	open_both();
	for (int i = 0; i < 2; i++) {
		long err = fuzz_call(&fuzz.opener[0], TESLA_CALL_mem_alloc,
				     &arg[i], sizeof(arg[i]));

		if (err)
			broken("no memory to begin with", err, i);
	}
	for (int i = 0; i < 2; i++)
		tesla_close(fuzz.opener[i].file);
	fuzz_work();
	fuzz.allocs = port_live_allocs();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct card_config config = { .chip = CARD_P40, .seed = 1 };

	(void)argc;
	(void)argv;
	setenv("PORT_LOG", "quiet", 0);
	fuzz.eventfd = eventfd(0, EFD_NONBLOCK);
	if (bus_direct_open(&config, &fuzz.bus) ||
	    tesla_probe(fuzz.bus, &fuzz.tesla))
		broken("no card", 0, 0);
	warm_up();
	return 0;
}
