/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The operations of calls.def, each a function of its arguments.
 *
 * One card; up to eight rings, in slots that the judge names.  Segments come
 * as method groups and are encoded here with the student's own push_*(), in
 * an array that is scribbled over as soon as the driver has returned: a
 * driver that kept a pointer to it is found out.
 */
#include <errno.h>
#include <string.h>

#include "agent.h"
#include "gpu.h"
#include "push.h"
#include "ring.h"

#define SEGMENT_WORDS	16384u	/* of one thread's segments	*/
#define SEGMENTS	64u	/* of a batch			*/
#define PUSH_GUARD	16u
#define GUARD_WORD	0x600d600du
#define SCRIBBLE	0xdeaddeadu

static struct gpu_bus *bus;
static struct gpu *gpu;

static struct slot {
	struct ring *ring;
	struct chan *chan;
	struct gpu_mem gp, pb;
} slots[AGENT_SLOTS];

static u32 segment_words[RT_OP_THREADS][SEGMENT_WORDS];

bool agent_is_open(void)
{
	return gpu != NULL;
}

/* What one operation is about. */
struct call {
	const struct batch *batch;
	const struct wire_op *op;
	unsigned int index, repetition;
	struct slot *slot;
};

static void output(const struct call *call, u64 word)
{
	rt_post(WIRE_OUTPUT, 0, call->index, 8, word);
}

/* Data words of the operation, from the payload; bounded by it. */
struct reader {
	const u32 *word;
	u32 left;
};

static struct reader reader_of(const struct call *call)
{
	const struct wire_op *op = call->op;
	u32 len = call->batch->len;

	if (op->data > len || op->data_len > len - op->data || op->data % 4)
		return (struct reader){ NULL, 0 };
	return (struct reader){
		(const u32 *)(call->batch->payload + op->data),
		op->data_len / 4
	};
}

static u32 read_word(struct reader *reader)
{
	if (!reader->left)
		return 0;
	reader->left--;
	return *reader->word++;
}

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

static int64_t call_gpu_open(const struct call *call)
{
	int err;

	(void)call;
	if (gpu)
		return -EBUSY;
	if (!bus) {
		err = bus_judge_open(&bus);
		if (err)
			return err;
	}
	return gpu_open(bus, &gpu);
}

static int64_t call_gpu_close(const struct call *call)
{
	(void)call;
	if (!gpu)
		return -EBADF;
	gpu_close(gpu);
	gpu = NULL;
	return 0;
}

static int64_t call_ring_create(const struct call *call)
{
	const u64 *args = call->op->args;
	struct slot *slot = call->slot;
	struct chan_config chan = {
		.id = args[0], .gp_entries = args[1],
	};
	struct ring_config config = {
		.gpu = gpu, .gp = &slot->gp, .gp_entries = args[1],
		.pb = &slot->pb, .pb_words = args[2],
		.gp_first = args[5], .crc = args[6] & 1,
	};
	int err;

	if (!gpu || slot->chan)
		return -EBUSY;
	err = gpu_mem_alloc(gpu, args[1] * 8, args[3], &slot->gp);
	if (err)
		return err;
	err = gpu_mem_alloc(gpu, args[2] * 4, args[4], &slot->pb);
	if (err)
		goto free_gp;
	chan.gp_va = slot->gp.va;
	err = chan_create(gpu, &chan, &slot->chan);
	if (err)
		goto free_pb;
	config.chan = slot->chan;
	err = ring_create(&config, &slot->ring);
	if (err)
		goto destroy_chan;
	output(call, chan_id(slot->chan));
	return 0;

destroy_chan:
	chan_destroy(slot->chan);
free_pb:
	gpu_mem_free(gpu, &slot->pb);
free_gp:
	gpu_mem_free(gpu, &slot->gp);
	*slot = (struct slot){ 0 };
	return err;
}

static int64_t call_ring_destroy(const struct call *call)
{
	struct slot *slot = call->slot;
	int err;

	err = ring_destroy(slot->ring, call->op->args[0]);
	chan_destroy(slot->chan);
	gpu_mem_free(gpu, &slot->pb);
	gpu_mem_free(gpu, &slot->gp);
	*slot = (struct slot){ 0 };
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

static int64_t call_sleep(const struct call *call)
{
	rt_sleep(call->op->args[0]);
	return 0;
}

static int64_t call_fail_alloc(const struct call *call)
{
	rt_fail_alloc(call->op->args[0]);
	return 0;
}

static int64_t call_raw_gp_memory(const struct call *call)
{
	const struct gpu_mem *mem[] = { &call->slot->gp, &call->slot->pb };

	for (int i = 0; i < 2; i++)
		output(call, mem[i]->map.is_iomem ? UINT64_MAX :
		       rt_arena_offset(mem[i]->map.vaddr));
	return 0;
}

static const struct {
	int64_t (*run)(const struct call *call);
	bool on_ring;	/* there must be one in the slot */
} calls[] = {
	[CALL_gpu_open] = { call_gpu_open, false },
	[CALL_gpu_close] = { call_gpu_close, false },
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
	[CALL_sleep] = { call_sleep, false },
	[CALL_fail_alloc] = { call_fail_alloc, false },
	[CALL_raw_gp_memory] = { call_raw_gp_memory, true },
};

_Static_assert(ARRAY_SIZE(calls) == WIRE_CALLS, "calls.def has more");

int64_t agent_call(const struct batch *batch, unsigned int index,
		   unsigned int repetition)
{
	const struct wire_op *op = &batch->op[index];
	struct call call = {
		.batch = batch, .op = op, .index = index,
		.repetition = repetition,
	};

	if (op->call >= WIRE_CALLS || op->handle >= AGENT_SLOTS)
		return -EINVAL;
	call.slot = &slots[op->handle];
	if (calls[op->call].on_ring && !call.slot->ring)
		return -EBADF;
	return calls[op->call].run(&call);
}
