/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The judge's end of the link: the sealed memory, the agent's process, whose
 * turn it is.  What the words in the memory mean is serve.c's business.
 */
#ifndef JUDGE_LINK_H
#define JUDGE_LINK_H

#include <sched.h>

#include "autograder/judge/judge.h"
#include "autograder/judge/wire.h"

struct link {
	struct wire *wire;
	uint8_t *arena;
	int fd;			/* the memfd			*/
	pid_t pid;		/* 0: none, or reaped		*/
	int status;		/* as of waitpid(), when dead	*/
	uint64_t started;	/* host ns			*/
	uint64_t wall_limit, cpu_limit;
	cpu_set_t affinity;	/* ours, before we pinned	*/
	bool pinned;
};

/* Who has the turn now, or why nobody will. */
enum link_state {
	LINK_TURN,	/* the judge's: a request waits		*/
	LINK_DEAD,	/* the agent ended: see status		*/
	LINK_LOOPING,	/* it burns time and asks for nothing	*/
	LINK_STUCK,	/* the wall limit passed		*/
};

/* 0, or -errno with nothing left behind. */
int link_open(struct link *link, const struct judge_options *options);
/* Kill and reap the agent, unmap.  May be called twice. */
void link_close(struct link *link);

/* Hand the turn to the agent. */
void link_give(struct link *link);
/* Wait until it comes back. */
enum link_state link_wait(struct link *link);

#endif
