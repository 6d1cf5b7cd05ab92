/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 02: the operations on address spaces, on memory to map there, on sets
 * of ranges and on the TLB.
 *
 * Memory is allocated piece by piece, each aligned as its size allows, and
 * never two adjacent: what is mapped beyond a piece is not the next one.  The
 * description of the pieces that the driver gets is scribbled over as soon as
 * it has returned.
 */
#include "ops.h"
#include "kmd.h"
#include "range.h"
#include "tlb.h"

#define SPACES		32u
#define MEMORIES	32u
#define PIECES		20u	/* of a memory: outputs are 64 words	*/
#define ALIGN_MAX	(2ULL << 20)
#define PAGE		4096ULL
#define PUSH_WORDS	64u

struct memory {
	enum mmu_aperture aperture;
	unsigned int pieces;
	bool borrowed;		/* another's: nothing to free */
	struct vas_piece piece[PIECES];
	/* As it was allocated, with what alignment costs. */
	struct { u64 addr, size; void *cpu; } raw[PIECES];
};

static struct vas *spaces[SPACES];
static struct memory memories[MEMORIES];
static struct ranges *ranges;

struct vas *agent_space(u64 n)
{
	return n < SPACES ? spaces[n] : NULL;
}

static struct vas *space_of(const struct call *call)
{
	return agent_space(call->op->args[0]);
}

/* --- address spaces -------------------------------------------------- */

static int64_t call_vas_create(const struct call *call)
{
	const u64 *args = call->op->args;
	u32 words[4];
	int err;

	if (!agent_gpu || args[0] >= SPACES || spaces[args[0]])
		return -EBUSY;
	err = vas_create(agent_gpu, args[1], args[2], &spaces[args[0]]);
	if (err) {
		spaces[args[0]] = NULL;
		return err;
	}
	output(call, vas_root(spaces[args[0]]));
	vas_instance(spaces[args[0]], words);
	for (int i = 0; i < 4; i++)
		output(call, words[i]);
	return 0;
}

static int64_t call_vas_destroy(const struct call *call)
{
	struct vas *vas = space_of(call);

	if (!vas)
		return -EBADF;
	spaces[call->op->args[0]] = NULL;
	vas_destroy(vas);
	return 0;
}

static int64_t call_vas_table_bytes(const struct call *call)
{
	struct vas *vas = space_of(call);

	if (vas)
		output(call, vas_table_bytes(vas));
	return vas ? 0 : -EBADF;
}

static int64_t call_vas_map(const struct call *call)
{
	const u64 *args = call->op->args;
	struct vas *vas = space_of(call);
	struct vas_piece piece[PIECES];
	const struct memory *memory;
	struct vas_mapping mapping = {
		.va = args[1], .size = args[2], .offset = args[4],
		.piece = piece, .flags = args[5], .page_shift = args[6],
	};
	int err;

	if (!vas || args[3] >= MEMORIES || !memories[args[3]].pieces)
		return -EBADF;
	memory = &memories[args[3]];
	memcpy(piece, memory->piece, sizeof(piece));
	mapping.pieces = memory->pieces;
	err = vas_map(vas, &mapping);
	memset(piece, 0xde, sizeof(piece));
	output(call, mapping.va);
	return err;
}

static int64_t call_vas_unmap(const struct call *call)
{
	const u64 *args = call->op->args;
	struct vas *vas = space_of(call);

	return vas ? vas_unmap(vas, args[1], args[2]) : -EBADF;
}

static int64_t call_ring_create_in(const struct call *call)
{
	static const enum mmu_aperture aperture[] = {
		[MEM_COHERENT] = MMU_SYS_COHERENT,
		[MEM_WC] = MMU_SYS_NONCOHERENT,
		[MEM_VRAM] = MMU_VRAM,
	};
	const struct gpu_mem *mem[] = { &call->slot->gp, &call->slot->pb };
	const u64 *args = call->op->args;
	u64 space = args[6] >> 8;
	int64_t err;

	if (space >= SPACES || !spaces[space])
		return -EBADF;
	err = agent_ring_make(call, spaces[space], args[7], args[6] & 2);
	for (int i = 0; !err && i < 2; i++) {
		output(call, aperture[mem[i]->kind]);
		output(call, mem[i]->phys);
		output(call, mem[i]->size);
	}
	return err;
}

/* --- memory ---------------------------------------------------------- */

/* The largest power of two that divides size. */
static u64 align_of(u64 size)
{
	u64 align = size & -size;

	return min(align, ALIGN_MAX);
}

static int alloc_raw(struct memory *memory, unsigned int i)
{
	struct gpu_bus *bus = gpu_bus(agent_gpu);
	enum dma_kind kind = memory->aperture == MMU_SYS_COHERENT ?
		DMA_COHERENT : DMA_WRITE_COMBINE;

	if (memory->aperture != MMU_VRAM)
		return bus->ops->dma_alloc(bus, memory->raw[i].size, kind,
					   &memory->raw[i].cpu,
					   &memory->raw[i].addr);
	return gpu_vram_alloc(agent_gpu, memory->raw[i].size,
			      &memory->raw[i].addr);
}

static int alloc_piece(struct memory *memory, u64 size)
{
	unsigned int i = memory->pieces;
	u64 align = align_of(size);
	int err;

	memory->raw[i].size = size + align;
	err = alloc_raw(memory, i);
	if (err)
		return err;
	memory->piece[i] = (struct vas_piece){
		.aperture = memory->aperture,
		.addr = ALIGN(memory->raw[i].addr, align),
		.size = size,
	};
	memory->pieces++;
	return 0;
}

static void free_pieces(struct memory *memory)
{
	struct gpu_bus *bus = gpu_bus(agent_gpu);

	if (memory->borrowed)
		memory->pieces = 0;
	while (memory->pieces) {
		unsigned int i = --memory->pieces;

		if (memory->aperture == MMU_VRAM)
			gpu_vram_free(agent_gpu, memory->raw[i].addr);
		else
			bus->ops->dma_free(bus, memory->raw[i].size,
					   memory->raw[i].cpu,
					   memory->raw[i].addr);
	}
}

/* The other way round, so that a later piece is not the one behind. */
static void turn_around(struct memory *memory)
{
	struct memory old = *memory;

	for (unsigned int i = 0; i < old.pieces; i++) {
		memory->piece[i] = old.piece[old.pieces - 1 - i];
		memory->raw[i] = old.raw[old.pieces - 1 - i];
	}
}

static int64_t call_mem_create(const struct call *call)
{
	const u64 *args = call->op->args;
	u64 piece = args[3] ? args[3] : args[1], left = args[1];
	struct memory *memory;
	int err;

	if (!agent_gpu || args[0] >= MEMORIES || memories[args[0]].pieces)
		return -EBUSY;
	if (!left || left % PAGE || piece % PAGE || left > piece * PIECES)
		return -EBADMSG;
	memory = &memories[args[0]];
	*memory = (struct memory){ .aperture = args[2] };
	for (; left; left -= min(left, piece)) {
		err = alloc_piece(memory, min(left, piece));
		if (err) {
			free_pieces(memory);
			return err;
		}
	}
	if (args[1] % piece == 0)
		turn_around(memory);
	for (unsigned int i = 0; i < memory->pieces; i++) {
		output(call, memory->piece[i].aperture);
		output(call, memory->piece[i].addr);
		output(call, memory->piece[i].size);
	}
	return 0;
}

/* The same pieces, where the process has them; not ours to free. */
static int64_t call_mem_process(const struct call *call)
{
	const u64 *args = call->op->args;
	struct memory *memory;
	const struct memory *of;

	if (args[0] >= MEMORIES || args[1] >= MEMORIES)
		return -EBADF;
	memory = &memories[args[0]];
	of = &memories[args[1]];
	if (of->aperture == MMU_VRAM)
		return -EINVAL;
	*memory = (struct memory){
		.aperture = of->aperture, .pieces = of->pieces,
		.borrowed = true,
	};
	for (unsigned int i = 0; i < of->pieces; i++) {
		memory->piece[i] = of->piece[i];
		memory->piece[i].addr = (uintptr_t)of->raw[i].cpu +
			(of->piece[i].addr - of->raw[i].addr);
		output(call, memory->piece[i].aperture);
		output(call, memory->piece[i].addr);
		output(call, memory->piece[i].size);
	}
	return 0;
}

static int64_t call_mem_destroy(const struct call *call)
{
	u64 n = call->op->args[0];

	if (!agent_gpu || n >= MEMORIES || !memories[n].pieces)
		return -EBADF;
	free_pieces(&memories[n]);
	return 0;
}

/* --- the TLB --------------------------------------------------------- */

static int64_t call_tlb_invalidate(const struct call *call)
{
	return agent_gpu ? tlb_invalidate(agent_gpu, call->op->args[0]) :
		-EBADF;
}

static int64_t call_tlb_push(const struct call *call)
{
	u32 words[PUSH_WORDS];
	struct push push;
	int err;

	if (!agent_gpu)
		return -EBADF;
	push_init(&push, words, PUSH_WORDS - 8);
	err = tlb_push_invalidate(agent_gpu, &push, call->op->args[0]);
	for (u32 i = 0; i < push.count && i < PUSH_WORDS - 8; i++)
		output(call, words[i]);
	return err;
}

/* --- ranges ---------------------------------------------------------- */

static int64_t call_ranges_create(const struct call *call)
{
	const u64 *args = call->op->args;
	int err;

	if (ranges)
		return -EBUSY;
	err = ranges_create(args[0], args[1], &ranges);
	if (err)
		ranges = NULL;
	return err;
}

static int64_t call_ranges_destroy(const struct call *call)
{
	(void)call;
	if (!ranges)
		return -EBADF;
	ranges_destroy(ranges);
	ranges = NULL;
	return 0;
}

static int64_t call_ranges_alloc(const struct call *call)
{
	const u64 *args = call->op->args;
	u64 at = 0;
	int err;

	if (!ranges)
		return -EBADF;
	err = ranges_alloc(ranges, args[0], args[1], args[2], &at);
	output(call, at);
	return err;
}

static int64_t call_ranges_reserve(const struct call *call)
{
	const u64 *args = call->op->args;

	return ranges ? ranges_reserve(ranges, args[0], args[1], args[2]) :
		-EBADF;
}

static int64_t call_ranges_free(const struct call *call)
{
	const u64 *args = call->op->args;

	return ranges ? ranges_free(ranges, args[0], args[1]) : -EBADF;
}

static int64_t call_ranges_find(const struct call *call)
{
	struct range range = { 0 };
	bool found;

	if (!ranges)
		return -EBADF;
	found = ranges_find(ranges, call->op->args[0], &range);
	output(call, found);
	output(call, range.at);
	output(call, range.size);
	output(call, range.tag);
	return 0;
}

static int64_t call_ranges_taken(const struct call *call)
{
	if (ranges)
		output(call, ranges_taken(ranges));
	return ranges ? 0 : -EBADF;
}

const struct agent_operation agent_vas_calls[WIRE_CALLS] = {
	[CALL_vas_create] = { call_vas_create, false },
	[CALL_vas_destroy] = { call_vas_destroy, false },
	[CALL_mem_create] = { call_mem_create, false },
	[CALL_mem_process] = { call_mem_process, false },
	[CALL_mem_destroy] = { call_mem_destroy, false },
	[CALL_vas_map] = { call_vas_map, false },
	[CALL_vas_unmap] = { call_vas_unmap, false },
	[CALL_vas_table_bytes] = { call_vas_table_bytes, false },
	[CALL_ring_create_in] = { call_ring_create_in, false },
	[CALL_tlb_invalidate] = { call_tlb_invalidate, false },
	[CALL_tlb_push] = { call_tlb_push, false },
	[CALL_ranges_create] = { call_ranges_create, false },
	[CALL_ranges_destroy] = { call_ranges_destroy, false },
	[CALL_ranges_alloc] = { call_ranges_alloc, false },
	[CALL_ranges_reserve] = { call_ranges_reserve, false },
	[CALL_ranges_free] = { call_ranges_free, false },
	[CALL_ranges_find] = { call_ranges_find, false },
	[CALL_ranges_taken] = { call_ranges_taken, false },
};
