/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Fences, as the judge knows them: what was emitted, what the card released.
 *
 * Included by session.h.
 */
#ifndef JUDGE_FENCES_H
#define JUDGE_FENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SESSION_FENCES	256u
#define NEVER		UINT64_MAX

/* The card wrote a timeline's word. */
struct fence_release {
	uint32_t value;
	uint64_t time;
};

/* One ring's timeline. */
struct fence_timeline {
	bool open;
	uint32_t channel;
	uint64_t va;
	uint32_t start;
	uint32_t attempts;	/* fence_emit() calls told to the agent	*/
	uint32_t *emitted;	/* values that it gave back		*/
	size_t emits, emit_room;
	struct fence_release *release;
	size_t releases, release_room;
	uint64_t died;		/* when its channel met a fault		*/
	uint64_t closing;	/* when timeline_destroy() began	*/
};

/* One fence: a point on a ring's timeline. */
struct fence_point {
	bool used;
	uint8_t ring;
	uint32_t value;
};

struct session_fences {
	struct fence_timeline timeline[8];	/* by ring	*/
	struct fence_point point[SESSION_FENCES];
	/* When the first copies were done. */
	uint64_t copied[16];
	uint32_t copies;
	/* The interrupt's way to the CPU. */
	uint32_t drops;		/* messages to lose from now on		*/
	uint64_t delay;		/* ns that each is late			*/
	bool lossy;		/* one was lost				*/
};

/* What is known of a fence now. */
struct fence_known {
	uint64_t released;	/* or NEVER				*/
	uint64_t died;		/* its channel, before; or NEVER	*/
	uint64_t closing;	/* its timeline; or NEVER		*/
};

struct scenario;
struct session_op;
struct card_event;

/* fences.c: what the card does. */
void session_fence_event(struct scenario *s, const struct card_event *event);
/* The batch's calls have begun, as far as anybody can tell. */
void session_fences_begin(struct scenario *s);
/* A rule was broken that the test provokes: it ends the channel. */
void session_fence_died(struct scenario *s, uint32_t channel);
struct fence_known session_known(const struct scenario *s, unsigned int n);
void session_fence_forget(struct fence_timeline *timeline);
/* One more element fits in a list of its own; false: no memory. */
bool session_room(void **list, size_t used, size_t *room, size_t size);

/* A call begins. */
void session_fence_call(struct scenario *s, const struct session_op *op);
/* fence_truth.c: fence_emit() has put out its number. */
void session_fence_emitted(struct scenario *s, struct session_op *op);
/* A result came in. */
void session_fence_result(struct scenario *s, struct session_op *op);

#endif
