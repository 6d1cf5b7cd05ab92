/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The agent: operations on the driver, as the judge asks for them. */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "autograder/runtime/rt.h"

#define AGENT_SLOTS	8u

/* The batch, copied out of the link: the driver can write to that. */
struct batch {
	struct wire_ops ops;
	const struct wire_op *op;
	const uint8_t *payload;
	uint32_t len;
};

/* Run one repetition of an operation; outputs are posted. */
int64_t agent_call(const struct batch *batch, unsigned int index,
		   unsigned int repetition);
/* Is a card open? */
bool agent_is_open(void);

#endif
