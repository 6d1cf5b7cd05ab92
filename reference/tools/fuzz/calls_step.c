/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What an opener of the fuzz target may do: each call, with arguments that
 * might make sense; any call with any bytes; a view of its memory, words into
 * it and into USERD; waiting, and work.
 *
 * A call of calls.def without a function fill_NAME() here does not compile.
 */
#include "fuzz.h"
#include "push.h"
#include "vm/spec/reg.h"

/* Plausible arguments ------------------------------------------------------ */

static void fill_get_info(struct opener *opener, struct tesla_get_info *arg)
{
	(void)opener;
	arg->version = get8();
}

static void fill_irq_stats(struct opener *opener, struct tesla_irq_stats *arg)
{
	(void)opener;
	arg->copy = get8();
}

static void fill_mem_alloc(struct opener *opener, struct tesla_mem_alloc *arg)
{
	(void)opener;
	arg->size = pick_number();
	arg->kind = get8() % 4;
}

static void fill_mem_free(struct opener *opener, struct tesla_mem_free *arg)
{
	arg->handle = pick_handle(opener, OBJECT_MEM);
}

static void fill_space_create(struct opener *opener,
			      struct tesla_space_create *arg)
{
	(void)opener;
	arg->base = pick_number();
	arg->limit = pick_number();
	if (get8() < 200) {
		arg->base = M;
		arg->limit = 1ULL << 40;
	}
}

static void fill_space_destroy(struct opener *opener,
			       struct tesla_space_destroy *arg)
{
	arg->handle = pick_handle(opener, OBJECT_SPACE);
}

static void fill_space_map(struct opener *opener, struct tesla_space_map *arg)
{
	static const u8 shifts[] = { 0, 12, 16, 17, 21, 63 };

	arg->space = pick_handle(opener, OBJECT_SPACE);
	arg->mem = pick_handle(opener, OBJECT_MEM);
	arg->flags = get8() % 33;
	arg->page_shift = shifts[get8() % ARRAY_SIZE(shifts)];
	arg->size = pick_number();
	arg->offset = get8() < 128 ? 0 : pick_number();
	arg->va = pick_address(opener);
}

static void fill_space_unmap(struct opener *opener,
			     struct tesla_space_unmap *arg)
{
	arg->space = pick_handle(opener, OBJECT_SPACE);
	arg->va = pick_address(opener);
	arg->size = pick_number();
}

static void fill_chan_create(struct opener *opener,
			     struct tesla_chan_create *arg)
{
	u8 choice = get8();

	arg->space = choice < 128 ? 0 : pick_handle(opener, OBJECT_SPACE);
	arg->id = choice & 1 ? TESLA_CHAN_ANY : get8();
	arg->gp_va = pick_address(opener);
	arg->gp_entries = 1u << get8() % 32;
	arg->flags = get8() < 240 ? 0 : get8();
}

static void fill_chan_destroy(struct opener *opener,
			      struct tesla_chan_destroy *arg)
{
	arg->handle = pick_handle(opener, OBJECT_CHAN);
}

static void fill_chan_start(struct opener *opener,
			    struct tesla_chan_start *arg)
{
	arg->handle = pick_handle(opener, OBJECT_CHAN);
	arg->gp_first = get8() < 240 ? get8() % 4 : get32();
}

static void fill_chan_stop(struct opener *opener, struct tesla_chan_stop *arg)
{
	arg->handle = pick_handle(opener, OBJECT_CHAN);
}

static void fill_chan_error(struct opener *opener,
			    struct tesla_chan_error *arg)
{
	arg->handle = pick_handle(opener, OBJECT_CHAN);
}

static void fill_event_add(struct opener *opener, struct tesla_event_add *arg)
{
	arg->chan = pick_handle(opener, OBJECT_CHAN);
	arg->mem = pick_handle(opener, OBJECT_MEM);
	arg->offset = get8() < 200 ? get8() : pick_number();
	arg->value = get8();
	arg->eventfd = get8() < 240 ? fuzz.eventfd : (int)get32();
}

static void fill_event_remove(struct opener *opener,
			      struct tesla_event_remove *arg)
{
	arg->handle = pick_handle(opener, OBJECT_EVENT);
}

union any {
#define CALL(number, name, way, text)	struct tesla_##name name;
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
	u8 bytes[160];		/* more than the largest */
};

static size_t fill(struct opener *opener, u32 call, union any *arg)
{
	switch (call) {
#define CALL(number, name, way, text)					\
	case number:							\
		fill_##name(opener, &arg->name);			\
		return sizeof(arg->name);
#define CALL_ERROR(name, error, text)
#include "uapi/calls.def"
#undef CALL
#undef CALL_ERROR
	}
	return 0;
}

/* Steps -------------------------------------------------------------------- */

/* What was made may be named later. */
static void learn(struct opener *opener, u32 call, const union any *arg)
{
	switch (call) {
	case TESLA_CALL_mem_alloc:
		remember_name(opener, OBJECT_MEM, arg->mem_alloc.handle);
		remember_address(opener, arg->mem_alloc.va);
		break;
	case TESLA_CALL_space_create:
		remember_name(opener, OBJECT_SPACE, arg->space_create.handle);
		break;
	case TESLA_CALL_space_map:
		remember_address(opener, arg->space_map.va);
		break;
	case TESLA_CALL_chan_create:
		remember_name(opener, OBJECT_CHAN, arg->chan_create.handle);
		break;
	case TESLA_CALL_event_add:
		remember_name(opener, OBJECT_EVENT, arg->event_add.handle);
		break;
	}
}

/* What there is not is refused at once; what there is takes its time. */
static void limit_memory(struct tesla_mem_alloc *arg)
{
	if (arg->size > FUZZ_BYTES - fuzz.bytes && arg->size <= 1ULL << 38)
		arg->size = PAGE;
	if (arg->size <= FUZZ_BYTES)
		fuzz.bytes += min(ALIGN(arg->size, PAGE),
				  FUZZ_BYTES - fuzz.bytes);
}

static void step_call(struct opener *opener, u32 call)
{
	union any arg = { 0 };
	size_t size = fill(opener, call, &arg);
	u8 choice = get8();

	if (!size)
		return;
	/* Now and then a byte is another, or the size. */
	if (choice >= 224)
		arg.bytes[get8() % size] = get8();
	if (choice >= 248)
		size = get8() % sizeof(arg);
	if (call == TESLA_CALL_mem_alloc)
		limit_memory(&arg.mem_alloc);
	/* … or something is not to be had.  A third copy is too late. */
	if (choice >= 212 && choice < 224)
		port_fail_alloc(1 + get8() % 16);
	else if (choice >= 208 && choice < 212)
		port_fail_uaccess(1 + get8() % 2);
	if (fuzz_call(opener, call, &arg, size) == 0)
		learn(opener, call, &arg);
	port_fail_alloc(0);
	port_fail_uaccess(0);
}

/* Any call but for memory, of which there must not be too much. */
static void step_raw(struct opener *opener)
{
	u32 call = get8() % (TESLA_CALLS + 1);
	union any arg;

	if (call == TESLA_CALL_mem_alloc)
		return;
	for (size_t i = 0; i < sizeof(arg); i++)
		arg.bytes[i] = i < 64 ? get8() : 0;
	fuzz_call(opener, call, &arg, get8() % sizeof(arg));
}

static void step_view(struct opener *opener)
{
	u64 offset = (u64)pick_handle(opener, OBJECT_MEM) << 16;
	u64 size = pick_number();
	struct iosys_map map;

	if (opener->views < NAMES &&
	    tesla_map(opener->file, offset, size, &map) == 0)
		opener->view[opener->views++] = offset;
}

static void write_words(struct opener *opener, enum object_kind kind,
			u32 at, const u32 *words, u32 count)
{
	u64 offset = (u64)pick_handle(opener, kind) << 16;
	struct iosys_map map;

	if (tesla_map(opener->file, offset, PAGE, &map))
		return;
	iosys_map_memcpy_to(&map, at, words, count * 4);
	dma_wmb();
	fuzz.wrote = true;
	tesla_unmap(opener->file, offset);
}

/* A segment at 2048 of the ring's memory, and an entry for it. */
static void step_segment(struct opener *opener)
{
	u64 va = pick_address(opener), word = pick_address(opener), entry;
	u32 slot = get8() % 64, words[8];
	const u32 data[] = {
		upper_32_bits(word) & 0xff, lower_32_bits(word) & ~3u,
		get8(), get8() < 128 ? 2 : get32(),
	};
	struct push push;

	push_init(&push, words, ARRAY_SIZE(words));
	push_inc(&push, 0, NVC06F_SEMAPHOREA, data, 4);
	if (get8() > 200)
		words[get8() % push.count] = get32();
	if (gp_entry_segment((va & ~3ULL) + 2048, push.count, 0, &entry))
		return;
	write_words(opener, OBJECT_MEM, 2048, words, push.count);
	write_words(opener, OBJECT_MEM, slot * 8, (const u32 *)&entry, 2);
}

/* GP_PUT of some channel in a page of USERDs. */
static void step_put(struct opener *opener)
{
	u32 put = get8() < 200 ? get8() % 8 : get32();

	write_words(opener, OBJECT_CHAN,
		    (get8() & 7) * TESLA_USERD_SIZE + NV_RAMUSERD_GP_PUT,
		    &put, 1);
}

void fuzz_step(struct opener *opener)
{
	u8 what = get8() % (2 * TESLA_CALLS + 6), wait;

	switch (what) {
	case 2 * TESLA_CALLS:
		step_raw(opener);
		break;
	case 2 * TESLA_CALLS + 1:
		step_view(opener);
		break;
	case 2 * TESLA_CALLS + 2:
		step_segment(opener);
		break;
	case 2 * TESLA_CALLS + 3:
		step_put(opener);
		break;
	case 2 * TESLA_CALLS + 4:
		if (opener->views)
			tesla_unmap(opener->file,
				    opener->view[--opener->views]);
		break;
	case 2 * TESLA_CALLS + 5:
		wait = get8();
		if (wait & 1)
			fuzz_ring_step(opener);
		udelay(wait);
		break;
	default:
		step_call(opener, what / 2);
	}
}
