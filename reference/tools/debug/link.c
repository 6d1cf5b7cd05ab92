/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A link with both of its ends in one process, for debuggers.
 *
 * The judge's four functions of link.h, without a second process: while the
 * judge waits for its turn, the agent's operations run, on its stack.  When
 * the driver needs an answer the judge is called back, so that "step" goes
 * from the student's readl() through the bus into the card and returns.
 *
 * The judge serves until it hands the turn over; it hands over by link_give(),
 * which then jumps back to where the driver asked.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

struct scenario *debug_run;

static enum {
	STARTS, SAID_HELLO, WAITS, RUNS, ASKS, LEFT
} agent;

static jmp_buf asked, ran;

int link_open(struct link *link, const struct judge_options *options)
{
	(void)options;
	*link = (struct link){ .fd = -1 };
	link->wire = aligned_alloc(4096, WIRE_SIZE);
	if (!link->wire)
		return -ENOMEM;
	memset(link->wire, 0, WIRE_SIZE);
	link->arena = (uint8_t *)link->wire + WIRE_ARENA_OFFSET;
	debug_run = (struct scenario *)((char *)link -
					offsetof(struct scenario, link));
	return 0;
}

void link_close(struct link *link)
{
	free(link->wire);
	link->wire = NULL;
}

void link_give(struct link *link)
{
	(void)link;
	if (agent == ASKS)
		longjmp(asked, 1);
}

void debug_ask(void)
{
	agent = ASKS;
	if (!setjmp(asked)) {
		session_serve(debug_run);
		/* it stopped serving: the run is decided */
		debug_leave();
	}
	agent = RUNS;
}

void debug_leave(void)
{
	agent = LEFT;
	longjmp(ran, 1);
}

static enum link_state say(struct link *link, enum wire_request_kind kind)
{
	link->wire->request = (struct wire_request){
		.kind = kind, .a = WIRE_MAGIC, .b = WIRE_VERSION,
	};
	return LINK_TURN;
}

enum link_state link_wait(struct link *link)
{
	switch (agent) {
	case STARTS:
		agent = SAID_HELLO;
		return say(link, WIRE_HELLO);
	case SAID_HELLO:
		agent = WAITS;
		return say(link, WIRE_NEXT);
	case ASKS:
		return LINK_TURN;
	default:
		break;
	}
	if (agent == LEFT || link->wire->reply.command != WIRE_DO_OPS)
		return LINK_DEAD;
	agent = RUNS;
	if (!setjmp(ran))
		debug_run_batch();
	if (agent == LEFT)
		return LINK_DEAD;
	agent = WAITS;
	return say(link, WIRE_NEXT);
}
