/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An agent without a driver, for tests of the judge: it says what it likes. */
#ifndef JUDGE_FAKE_AGENT_H
#define JUDGE_FAKE_AGENT_H

#include <sys/types.h>

#include "autograder/judge/wire.h"

struct fake {
	struct wire *wire;
	uint32_t posts;
};

struct fake_plan {
	/* Instead of a driver; the result of one operation. */
	int64_t (*op)(struct fake *fake, const struct wire_op *op);
	/* Before HELLO, or NULL. */
	void (*start)(struct fake *fake);
};

/* A judge_spawn; context is a struct fake_plan. */
pid_t fake_spawn(void *context, int fd);

void fake_post(struct fake *fake, struct wire_post post);
struct wire_reply fake_ask(struct fake *fake, uint32_t kind, uint64_t a,
			   uint64_t b, uint64_t c);

#endif
