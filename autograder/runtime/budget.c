/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Endless loops, found by counting.
 *
 * Hooks are counted and not seconds, so that a verdict is the same on every
 * machine.  Each thread counts its own since the judge's call on it began:
 * what others do meanwhile, or calls before it did, is nothing to this one.
 * The driver's own threads, an interrupt handler's say, are in no call, and
 * count since anybody's began.
 *
 * A second budget is for the whole batch.  Calls that each just end could
 * take for ever in their thousands; this is spent before a slow machine's
 * patience is, which would be no verdict.
 */
#include "internal.h"
#include "sched.h"

static struct {
	uint64_t call, batch;	/* hooks; 0: any number	*/
	uint64_t calls;		/* that have begun	*/
} budget;

void rt_budget_begin(const struct wire_ops *ops)
{
	budget.call = ops->call_budget;
	budget.batch = ops->step_budget;
	rt_call();
}

void rt_budget_end(void)
{
	budget.call = budget.batch = 0;
}

void rt_call(void)
{
	rt_self->steps = 0;
	budget.calls++;
}

/* One of the driver's own: has a call begun since it was here last? */
static bool counts_anew(void)
{
	if (rt_self->number < RT_OP_THREADS || rt_self->call == budget.calls)
		return false;
	rt_self->call = budget.calls;
	rt_self->steps = 0;
	return true;
}

static void spent(uint64_t steps, const char *what)
{
	char where[256];

	rt_budget_end();
	rt_report(WIRE_REPORT_STEPS, steps,
		  "%llu accesses since %s: thread %u is in %s",
		  (unsigned long long)steps, what, rt_self->number,
		  rt_where(rt_self, where, sizeof(where)));
	rt_stop();
}

static const char *since(void)
{
	return rt_self->number < RT_OP_THREADS ?
		"this call began, and it has not come to its end" :
		"the last call began, in a thread of the driver's own";
}

void rt_budget_spend(uint64_t steps)
{
	if (++rt_self->steps > budget.call && budget.call && !counts_anew())
		spent(rt_self->steps, since());
	if (steps > budget.batch && budget.batch)
		spent(steps, "the first of these calls began, far too many");
}
