/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The agent: a process around a student's driver.
 *
 * It knows no test.  It asks the judge for a batch of operations, runs them
 * on as many threads as the batch has, and posts what they return.  All of
 * its answers are untrusted: the judge holds them against the card.
 *
 * What it prints is the driver's log; how it exits means nothing.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "agent.h"

static uint8_t payload[WIRE_PAYLOAD] __attribute__((aligned(8)));

/* All operations of one thread, in order. */
static void run_thread(void *arg, unsigned int thread)
{
	const struct batch *batch = arg;

	for (unsigned int i = 0; i < batch->ops.count; i++) {
		const struct wire_op *op = &batch->op[i];

		if (op->thread != thread)
			continue;
		for (uint32_t n = 0; n < op->repeat; n++) {
			int64_t result;

			rt_call();
			rt_point();
			result = agent_call(batch, i, n);
			rt_post(WIRE_RESULT, 0, i, 8, result);
		}
	}
}

static int run_batch(const struct wire_reply *reply)
{
	struct batch batch = { .payload = payload, .len = reply->payload };
	int err;

	if (reply->payload > sizeof(payload) ||
	    reply->payload < sizeof(batch.ops))
		return -EINVAL;
	memcpy(payload, rt_wire()->payload, reply->payload);
	memcpy(&batch.ops, payload, sizeof(batch.ops));
	batch.op = (const struct wire_op *)(payload + sizeof(batch.ops));
	if (batch.ops.count > (reply->payload - sizeof(batch.ops)) /
	    sizeof(*batch.op) || batch.ops.threads > RT_OP_THREADS)
		return -EINVAL;

	err = rt_run(&batch.ops, run_thread, &batch);
	rt_post(WIRE_STEPS, 0, 0, 8, rt_steps());
	return err;
}

static void report_leaks(void)
{
	char text[512];

	rt_heap_check();
	if (agent_is_open() || !rt_live())
		return;
	rt_report(WIRE_REPORT_LEAK, rt_live(), "%s",
		  rt_live_text(text, sizeof(text)));
}

int main(void)
{
	struct wire_reply reply;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	err = rt_start(WIRE_FD);
	if (err) {
		fprintf(stderr, "agent: no link: %s\n", strerror(-err));
		return 126;
	}
	rt_ask(WIRE_HELLO, WIRE_MAGIC, WIRE_VERSION, 0);

	for (;;) {
		reply = rt_ask(WIRE_NEXT, 0, 0, 0);
		if (reply.command != WIRE_DO_OPS)
			break;
		err = run_batch(&reply);
		if (err)
			rt_crash(0, NULL, NULL, "the agent cannot run this: %s",
				 strerror(-err));
	}
	report_leaks();
	rt_stop();
}
