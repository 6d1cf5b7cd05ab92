/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Spaces and channels by calls, and a ring of the simplest kind: one segment
 * at a time, and a wait for each.
 *
 * Where a context's own things lie, tests map nothing.
 */
#include "raw.h"
#include "vm/spec/reg.h"

#define ENTRIES		16
#define PB_WORDS	1024
#define WAIT		(10 * SECOND)
#define RING_VA		(256 * M)
#define PB_VA		(257 * M)
#define SEM_VA		(258 * M)
#define TARGET_VA	(259 * M)

static struct gpu_bus *bus;

void raw_up(void)
{
	CHECK_EQ(guest_open(&bus), 0);
}

void raw_down(void)
{
	guest_closed(bus);
}

void opener_up(struct opener *opener)
{
	opener->fd = node_open(bus);
	CHECK(opener->fd >= 0);
	CHECK_EQ(ASK(opener, get_info, &opener->info), 0);
}

void opener_down(struct opener *opener)
{
	CHECK_EQ(node_close(opener->fd), 0);
}

/* Memory ------------------------------------------------------------------- */

void memory_make(struct opener *opener, struct memory *memory, u64 size,
		 u32 kind)
{
	struct tesla_mem_alloc arg = { .size = size, .kind = kind };

	CHECK_EQ(ASK(opener, mem_alloc, &arg), 0);
	CHECK(arg.handle != 0);
	CHECK_EQ(arg.size, ALIGN(size, PAGE));
	*memory = (struct memory){
		.opener = opener, .handle = arg.handle, .kind = kind,
		.size = arg.size, .va = arg.va, .offset = arg.map_offset,
		.map.is_iomem = kind == TESLA_MEM_VRAM,
	};
	CHECK_EQ(node_map(opener->fd, memory->offset, memory->size,
			  &memory->map), 0);
	for (u64 at = 0; at < memory->size; at += PAGE / 2)
		CHECK_EQ(memory_at(memory, at), 0);
}

void memory_free(struct memory *memory)
{
	node_unmap(&memory->map, memory->offset, memory->size);
	CHECK_EQ(CALL_OF(memory->opener, mem_free, .handle = memory->handle),
		 0);
}

u64 memory_number(u32 seed, u64 offset)
{
	return (offset + 8) * 0x9e3779b97f4a7c15ULL ^ seed;
}

void memory_fill(struct memory *memory, u32 seed)
{
	for (u64 at = 0; at < memory->size; at += 8)
		iosys_map_wr(&memory->map, at, u64, memory_number(seed, at));
	wmb();
	if (memory->map.is_iomem)
		memory_at(memory, memory->size - 8);
}

/* Spaces ------------------------------------------------------------------- */

u32 space_make(struct opener *opener)
{
	struct tesla_space_create arg = {
		.base = CONTEXT_BASE, .limit = 1ULL << 40,
	};

	CHECK_EQ(ASK(opener, space_create, &arg), 0);
	CHECK(arg.handle != 0);
	return arg.handle;
}

u64 map_at(u32 space, const struct memory *memory, u64 va, u64 offset,
	   u64 size, u32 flags, u32 page_shift)
{
	struct tesla_space_map arg = {
		.space = space, .mem = memory->handle, .va = va,
		.offset = offset, .size = size, .page_shift = page_shift,
		.flags = flags | (va ? TESLA_MAP_FIXED : 0),
	};

	CHECK_EQ(ASK(memory->opener, space_map, &arg), 0);
	CHECK(!va || arg.va == va);
	return arg.va;
}

void unmap(struct opener *opener, u32 space, u64 va, u64 size)
{
	CHECK_EQ(CALL_OF(opener, space_unmap, .space = space, .va = va,
			 .size = size), 0);
}

/* Contexts ----------------------------------------------------------------- */

static void place(struct context *context, struct memory *memory, u64 size,
		  u64 va)
{
	memory_make(context->opener, memory, size, TESLA_MEM_COHERENT);
	map_at(context->space, memory, va, 0, memory->size, 0, 0);
}

void context_make(struct opener *opener, struct context *context)
{
	struct tesla_chan_create arg = {
		.id = TESLA_CHAN_ANY, .gp_va = RING_VA, .gp_entries = ENTRIES,
	};

	memset(context, 0, sizeof(*context));
	context->opener = opener;
	arg.space = context->space = space_make(opener);
	place(context, &context->ring, ENTRIES * 8, RING_VA);
	place(context, &context->pb, PB_WORDS * 4, PB_VA);
	place(context, &context->sem, PAGE, SEM_VA);
	place(context, &context->target, PAGE, TARGET_VA);
	CHECK_EQ(ASK(opener, chan_create, &arg), 0);
	context->chan = arg.handle;
	context->id = arg.id;
	context->userd_map = arg.userd_map;
	context->userd_offset = arg.userd_offset;
	context->userd.is_iomem = true;
	CHECK_EQ(node_map(opener->fd, arg.userd_map,
			  arg.userd_offset + TESLA_USERD_SIZE,
			  &context->userd), 0);
	CHECK_EQ(CALL_OF(opener, chan_start, .handle = context->chan), 0);
}

void context_end(struct context *context)
{
	struct memory *const memories[] = {
		&context->ring, &context->pb, &context->sem,
		&context->target,
	};

	node_unmap(&context->userd, context->userd_map,
		   context->userd_offset + TESLA_USERD_SIZE);
	CHECK_EQ(CALL_OF(context->opener, chan_destroy,
			 .handle = context->chan), 0);
	CHECK_EQ(CALL_OF(context->opener, space_destroy,
			 .handle = context->space), 0);
	for (size_t i = 0; i < ARRAY_SIZE(memories); i++)
		memory_free(memories[i]);
}

/* Behind the work: the next number into the semaphore. */
static u32 release_words(struct context *context, u32 *words)
{
	const u32 data[] = {
		upper_32_bits(SEM_VA), lower_32_bits(SEM_VA),
		++context->sequence,
		REG_VAL(NVC06F_SEMAPHORED_OPERATION,
			NVC06F_SEMAPHORED_OPERATION_RELEASE) |
		REG_VAL(NVC06F_SEMAPHORED_RELEASE_SIZE,
			NVC06F_SEMAPHORED_RELEASE_SIZE_4BYTE),
	};
	struct push push;

	push_init(&push, words, 8);
	CHECK_EQ(push_inc(&push, 0, NVC06F_SEMAPHOREA, data, 4), 0);
	return push.count;
}

static void offer(struct context *context, u32 words)
{
	u64 entry;

	CHECK_EQ(gp_entry_segment(PB_VA, words, 0, &entry), 0);
	iosys_map_wr(&context->ring.map, context->put * 8, u64, entry);
	context->put = (context->put + 1) % ENTRIES;
	dma_wmb();
	iosys_map_wr(&context->userd,
		     context->userd_offset + NV_RAMUSERD_GP_PUT, u32,
		     context->put);
}

int context_run(struct context *context, const struct push *push)
{
	u32 words[8], count = release_words(context, words);
	u64 start = ktime_get_ns();

	CHECK(push->count + count <= PB_WORDS);
	iosys_map_memcpy_to(&context->pb.map, 0, push->words,
			    push->count * 4);
	iosys_map_memcpy_to(&context->pb.map, push->count * 4, words,
			    count * 4);
	offer(context, push->count + count);
	for (u32 turn = 1;; turn++) {
		if (iosys_map_rd(&context->sem.map, 0, u32) ==
		    context->sequence)
			return 0;
		if (turn % 64 == 0 && CALL_OF(context->opener, chan_error,
					      .handle = context->chan))
			return -EIO;
		CHECK(ktime_get_ns() - start < WAIT);
		cpu_relax();
	}
}

int context_copy(struct context *context, u64 from, u64 to, u32 bytes)
{
	const u32 class = context->opener->info.copy_class;
	const u32 where[] = {
		upper_32_bits(from), lower_32_bits(from),
		upper_32_bits(to), lower_32_bits(to), 0, 0, bytes, 1,
	};
	const u32 launch =
		REG_VAL(NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE,
			NVC0B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED) |
		REG_VAL(NVC0B5_LAUNCH_DMA_FLUSH_ENABLE, 1) |
		REG_VAL(NVC0B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, 1) |
		REG_VAL(NVC0B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, 1);
	struct push push;
	u32 words[32];

	push_init(&push, words, ARRAY_SIZE(words));
	CHECK_EQ(push_inc(&push, 4, 0, &class, 1), 0);
	CHECK_EQ(push_inc(&push, 4, NVC0B5_OFFSET_IN_UPPER, where, 8), 0);
	CHECK_EQ(push_inc(&push, 4, NVC0B5_LAUNCH_DMA, &launch, 1), 0);
	return context_run(context, &push);
}

int context_read(struct context *context, u64 va, u64 *value)
{
	int err = context_copy(context, va, TARGET_VA, 8);

	dma_rmb();
	*value = memory_at(&context->target, 0);
	return err;
}
