/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Lab 01: the operations on rings, each a function of its arguments.
 *
 * Up to eight rings, in slots that the judge names.  Segments come as method
 * groups and are encoded here with the student's own push_*(), in an array
 * that is scribbled over as soon as the driver has returned: a driver that
 * kept a pointer to it is found out.
 */
#include "ops.h"

#define SEGMENT_WORDS	16384u	/* of one thread's segments	*/
#define SEGMENTS	64u	/* of a batch			*/
#define PUSH_GUARD	16u
#define GUARD_WORD	0x600d600du
#define SCRIBBLE	0xdeaddeadu

static u32 segment_words[RT_OP_THREADS][SEGMENT_WORDS];

static int push_group(struct push *push, u32 kind, u32 subchannel, u32 method,
		      const u32 *data, u32 count)
{
	switch (kind) {
	case WIRE_METHOD_INC:
		return push_inc(push, subchannel, method, data, count);
	case WIRE_METHOD_NON_INC:
		return push_non_inc(push, subchannel, method, data, count);
	case WIRE_METHOD_ONE_INC:
		return push_one_inc(push, subchannel, method, data, count);
	default:
		return push_immediate(push, subchannel, method, *data);
	}
}

/* One segment, tags filled in. */
static int build_segment(const struct call *call, struct reader *reader,
			 struct push *push)
{
	static u32 data[RT_OP_THREADS][8192];
	u32 *words = data[call->op->thread];
	u32 groups = read_word(reader);

	for (u32 group = 0; group < groups; group++) {
		u32 head = read_word(reader), count = read_word(reader);
		int err;

		if (!count || count > reader->left || count > 8191)
			return -EBADMSG;
		for (u32 i = 0; i < count; i++) {
			words[i] = read_word(reader);
			if (words[i] == WIRE_TAG)
				words[i] = call->op->args[2] |
					call->repetition;
		}
		err = push_group(push, head & 0xf, head >> 4 & 0xf,
				 head >> 8 & 0xffff, words, count);
		if (err)
			return err;
	}
	return 0;
}

static struct vas_piece piece_of(const struct gpu_mem *mem)
{
	static const enum mmu_aperture aperture[] = {
		[MEM_COHERENT] = MMU_SYS_COHERENT,
		[MEM_WC] = MMU_SYS_NONCOHERENT,
		[MEM_VRAM] = MMU_VRAM,
	};

	return (struct vas_piece){
		aperture[mem->kind], mem->phys, mem->size
	};
}

/* Show it at va of the space, too, and say that it is there. */
static int show(struct vas *vas, u64 va, struct gpu_mem *mem)
{
	struct vas_piece piece = piece_of(mem);
	struct vas_mapping mapping = {
		.va = va, .size = mem->size, .piece = &piece, .pieces = 1,
		.flags = VAS_FIXED,
	};
	int err = vas_map(vas, &mapping);

	if (err)
		return err;
	mem->va = va;
	return 0;
}

/* Ring memory into the slot's space, if it has one. */
static int place(struct slot *slot, u64 va)
{
	int err;

	slot->gp_va = slot->gp.va;
	slot->pb_va = slot->pb.va;
	if (!slot->vas)
		return 0;
	err = show(slot->vas, va, &slot->gp);
	if (err)
		return err;
	err = show(slot->vas, va + slot->gp.size, &slot->pb);
	if (err) {
		vas_unmap(slot->vas, va, slot->gp.size);
		slot->gp.va = slot->gp_va;
	}
	return err;
}

/* And out of it again; or it stays mapped, for vas_destroy() to take out. */
static void take_back(struct slot *slot, bool stays)
{
	if (!slot->vas)
		return;
	if (!stays) {
		vas_unmap(slot->vas, slot->gp.va, slot->gp.size);
		vas_unmap(slot->vas, slot->pb.va, slot->pb.size);
	}
	slot->gp.va = slot->gp_va;
	slot->pb.va = slot->pb_va;
}

static int alloc_memory(struct slot *slot, const u64 *args)
{
	int err;

	err = gpu_mem_alloc(agent_gpu, args[1] * 8, args[3], &slot->gp);
	if (err)
		return err;
	err = gpu_mem_alloc(agent_gpu, args[2] * 4, args[4], &slot->pb);
	if (err)
		gpu_mem_free(agent_gpu, &slot->gp);
	return err;
}

static void free_memory(struct slot *slot)
{
	gpu_mem_free(agent_gpu, &slot->pb);
	gpu_mem_free(agent_gpu, &slot->gp);
	*slot = (struct slot){ 0 };
}

static int start(struct slot *slot, const u64 *args, bool privileged)
{
	struct chan_config chan = {
		.id = args[0], .gp_va = slot->gp.va, .gp_entries = args[1],
		.vas = slot->vas, .privileged = privileged,
	};
	struct ring_config config = {
		.gpu = agent_gpu, .gp = &slot->gp, .gp_entries = args[1],
		.pb = &slot->pb, .pb_words = args[2],
		.gp_first = args[5], .crc = args[6] & 1,
	};
	int err;

	err = chan_create(agent_gpu, &chan, &slot->chan);
	if (err)
		return err;
	config.chan = slot->chan;
	err = ring_create(&config, &slot->ring);
	if (err)
		chan_destroy(slot->chan);
	return err;
}

int64_t agent_ring_make(const struct call *call, struct vas *vas, u64 va,
			bool privileged)
{
	struct slot *slot = call->slot;
	int err;

	if (!agent_gpu || slot->chan)
		return -EBUSY;
	err = alloc_memory(slot, call->op->args);
	if (err)
		return err;
	slot->vas = vas;
	err = place(slot, va);
	if (err)
		goto free_memory;
	err = start(slot, call->op->args, privileged);
	if (err)
		goto take_back;
	output(call, chan_id(slot->chan));
	return 0;

take_back:
	take_back(slot, false);
free_memory:
	free_memory(slot);
	return err;
}

static int64_t call_ring_create(const struct call *call)
{
	return agent_ring_make(call, NULL, 0, false);
}

static int64_t call_ring_destroy(const struct call *call)
{
	struct slot *slot = call->slot;
	int err;

	err = ring_destroy(slot->ring, call->op->args[0]);
	chan_destroy(slot->chan);
	take_back(slot, call->op->args[1]);
	free_memory(slot);
	return err;
}

static int64_t submit(const struct call *call, u32 count, bool batch)
{
	u32 *words = segment_words[call->op->thread];
	struct reader reader = reader_of(call);
	struct push push[SEGMENTS];
	const u64 *args = call->op->args;
	u32 used = 0;
	int err;

	if (!count || count > SEGMENTS)
		return -EBADMSG;
	for (u32 i = 0; i < count; i++) {
		push_init(&push[i], words + used, SEGMENT_WORDS - used);
		err = build_segment(call, &reader, &push[i]);
		if (err)
			return err;
		if (push[i].count > SEGMENT_WORDS - used)
			return -EBADMSG;
		used += push[i].count;
	}
	err = batch ? ring_submit_batch(call->slot->ring, push, count, args[0],
					args[1]) :
		ring_submit(call->slot->ring, push, args[0], args[1]);
	for (u32 i = 0; i < used; i++)
		words[i] = SCRIBBLE;
	return err;
}

static int64_t call_ring_submit(const struct call *call)
{
	return submit(call, 1, false);
}

static int64_t call_ring_submit_batch(const struct call *call)
{
	return submit(call, call->op->args[3], true);
}

static int64_t call_ring_kick(const struct call *call)
{
	return ring_kick(call->slot->ring);
}

static int64_t call_ring_is_idle(const struct call *call)
{
	return ring_is_idle(call->slot->ring);
}

static int64_t call_ring_wait_idle(const struct call *call)
{
	return ring_wait_idle(call->slot->ring, call->op->args[0]);
}

static int64_t call_ring_pause(const struct call *call)
{
	return ring_pause(call->slot->ring);
}

static int64_t call_ring_resume(const struct call *call)
{
	return ring_resume(call->slot->ring);
}

static int64_t call_push(const struct call *call)
{
	const u64 *args = call->op->args;
	struct reader reader = reader_of(call);
	u32 *words = segment_words[call->op->thread];
	u32 capacity = args[4], none = 0;
	const u32 *data = reader.left ? reader.word : &none;
	struct push push;
	int err;

	if (capacity > SEGMENT_WORDS - PUSH_GUARD)
		return -EBADMSG;
	for (u32 i = 0; i < capacity + PUSH_GUARD; i++)
		words[i] = GUARD_WORD;
	push_init(&push, words, capacity);
	if (args[0] == WIRE_METHOD_IMMEDIATE)
		err = push_immediate(&push, args[1], args[2], args[3]);
	else
		err = push_group(&push, args[0], args[1], args[2], data,
				 args[3]);

	for (u32 i = 0; i < PUSH_GUARD; i++) {
		if (words[capacity + i] != GUARD_WORD)
			rt_crash(0, words + capacity + i, NULL,
				 "a push_*() function wrote past its push's "
				 "capacity of %u words",
				 capacity);
	}
	output(call, push.count);
	for (u32 i = 0; i < push.count && i < capacity; i++)
		output(call, words[i]);
	return err;
}

static int64_t call_gp_entry_segment(const struct call *call)
{
	u64 entry = 0x5a5a5a5a5a5a5a5aull;
	int err;

	err = gp_entry_segment(call->op->args[0], call->op->args[1],
			       call->op->args[2], &entry);
	output(call, entry);
	return err;
}

static int64_t call_gp_entry_control(const struct call *call)
{
	u64 entry = 0x5a5a5a5a5a5a5a5aull;
	int err;

	err = gp_entry_control(call->op->args[0], call->op->args[1], &entry);
	output(call, entry);
	return err;
}

static int64_t call_raw_gp_memory(const struct call *call)
{
	const struct gpu_mem *mem[] = { &call->slot->gp, &call->slot->pb };

	for (int i = 0; i < 2; i++)
		output(call, mem[i]->map.is_iomem ? UINT64_MAX :
		       rt_arena_offset(mem[i]->map.vaddr));
	return 0;
}

const struct agent_operation agent_ring_calls[WIRE_CALLS] = {
	[CALL_ring_create] = { call_ring_create, false },
	[CALL_ring_destroy] = { call_ring_destroy, true },
	[CALL_ring_submit] = { call_ring_submit, true },
	[CALL_ring_submit_batch] = { call_ring_submit_batch, true },
	[CALL_ring_kick] = { call_ring_kick, true },
	[CALL_ring_is_idle] = { call_ring_is_idle, true },
	[CALL_ring_wait_idle] = { call_ring_wait_idle, true },
	[CALL_ring_pause] = { call_ring_pause, true },
	[CALL_ring_resume] = { call_ring_resume, true },
	[CALL_push] = { call_push, false },
	[CALL_gp_entry_segment] = { call_gp_entry_segment, false },
	[CALL_gp_entry_control] = { call_gp_entry_control, false },
	[CALL_raw_gp_memory] = { call_raw_gp_memory, true },
};
