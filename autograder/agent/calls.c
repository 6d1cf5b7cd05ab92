/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The operations of calls.def: which function is which, and those that are of
 * no lab.  Each lab has its table, in ops.c and its neighbours.
 */
#include "ops.h"

struct gpu *agent_gpu;
static struct gpu_bus *bus;
static struct slot slots[AGENT_SLOTS];

bool agent_is_open(void)
{
	return agent_gpu != NULL;
}

static int64_t call_gpu_open(const struct call *call)
{
	int err;

	(void)call;
	if (agent_gpu)
		return -EBUSY;
	if (!bus) {
		err = bus_judge_open(&bus);
		if (err)
			return err;
	}
	return gpu_open(bus, &agent_gpu);
}

static int64_t call_gpu_close(const struct call *call)
{
	(void)call;
	if (!agent_gpu)
		return -EBADF;
	gpu_close(agent_gpu);
	agent_gpu = NULL;
	return 0;
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

static const struct agent_operation agent_calls[WIRE_CALLS] = {
	[CALL_gpu_open] = { call_gpu_open, false },
	[CALL_gpu_close] = { call_gpu_close, false },
	[CALL_sleep] = { call_sleep, false },
	[CALL_fail_alloc] = { call_fail_alloc, false },
};

static const struct agent_operation *const tables[] = {
	agent_calls, agent_ring_calls, agent_vas_calls, agent_ctx_calls,
	agent_fence_calls,
};

static const struct agent_operation *find(unsigned int call)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (tables[i][call].run)
			return &tables[i][call];
	}
	return NULL;
}

int64_t agent_call(const struct batch *batch, unsigned int index,
		   unsigned int repetition)
{
	const struct wire_op *op = &batch->op[index];
	const struct agent_operation *operation;
	struct call call = {
		.batch = batch, .op = op, .index = index,
		.repetition = repetition,
	};

	if (op->call >= WIRE_CALLS || op->handle >= AGENT_SLOTS)
		return -EINVAL;
	operation = find(op->call);
	if (!operation)
		return -ENOSYS;
	call.slot = &slots[op->handle];
	if (operation->on_ring && !call.slot->ring)
		return -EBADF;
	return operation->run(&call);
}
