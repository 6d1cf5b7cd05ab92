/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A deadlock, told: who waits for what, and who holds it.
 *
 * The thread that waits for an interrupt is left out.  That is its work, and
 * none will come.
 */
#include <stdio.h>

#include "internal.h"

static int describe(const struct rt_thread *thread, char *text, size_t len)
{
	const struct rt_thread *owner = rt_lock_owner(thread->wait_for);
	char where[256], name[80], held[48] = "";
	const char *what;

	if (owner == thread)
		snprintf(held, sizeof(held), ", which it holds itself");
	else if (owner)
		snprintf(held, sizeof(held), " held by thread %u",
			 owner->number);
	what = rt_file_name(thread->wait_for, name, sizeof(name)) ?:
		rt_name((uintptr_t)thread->wait_for, name, sizeof(name));
	return snprintf(text, len, "thread %u waits for %s%s%s%s, in %s",
			thread->number, thread->wait_kind, *what ? " " : "",
			what, held, rt_where(thread, where, sizeof(where)));
}

void rt_deadlock(void)
{
	static char text[4096];
	size_t at = 0;

	for (int i = 0; i < RT_THREADS; i++) {
		if (rt_threads[i].state != RT_BLOCKED ||
		    rt_irq_waits(&rt_threads[i]))
			continue;
		if (at && at < sizeof(text))
			at += snprintf(text + at, sizeof(text) - at, "; ");
		if (at < sizeof(text))
			at += describe(&rt_threads[i], text + at,
				       sizeof(text) - at);
	}
	rt_ask_text(WIRE_DEADLOCK, 0, 0, 0, 0, text);
	rt_stop();
}
