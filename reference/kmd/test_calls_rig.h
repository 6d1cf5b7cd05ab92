/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A card with two openers, and what tests of the call table ask of it. */
#ifndef KMD_TEST_CALLS_RIG_H
#define KMD_TEST_CALLS_RIG_H

#include "file.h"
#include "reference/bus/direct/direct.h"

#define K	1024ULL
#define M	(K * K)
#define PAGE	(4 * K)

struct calls_rig {
	struct gpu_bus *bus;
	struct tesla *tesla;
	struct tesla_file *file[2];
};

void calls_up(struct calls_rig *rig, enum card_chip chip);
/* Nothing is left, no rule was broken. */
void calls_down(struct calls_rig *rig);
/* Only the files; and new ones. */
void calls_close(struct calls_rig *rig);
void calls_open(struct calls_rig *rig);

/* What a call that fails may not change. */
struct calls_state {
	long allocs;
	unsigned int objects[2];
	u64 tables[2];
};
void calls_look(struct calls_rig *rig, struct calls_state *state);
bool calls_same(struct calls_rig *rig, const struct calls_state *state);

/* A call: its fields by name, its results to a variable, its answer. */
#define ASK(file, name, arg) \
	tesla_call(file, TESLA_CALL_##name, arg, sizeof(*(arg)))
#define CALL_OF(file, name, ...) ({					\
	struct tesla_##name arg_ = { __VA_ARGS__ };			\
	ASK(file, name, &arg_); })

/* The short way to objects: asserted, and their handles. */
u32 make_mem(struct tesla_file *file, u64 size, u32 kind, u64 *va);
u32 make_space(struct tesla_file *file);
u32 make_chan(struct tesla_file *file, u64 gp_va);
u32 make_event(struct tesla_file *file, u32 chan, u32 mem, int eventfd);

#endif
