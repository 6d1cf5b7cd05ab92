/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Fences as the card has them: what was released, and when.
 *
 * The card tells each semaphore release and each fault at its time.  A
 * release of a timeline's word must be the next number, and 16 bytes; that
 * is held against the calls that the agent was told to make, since the
 * driver's own account of them comes later, or never.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "autograder/judge/session.h"

static const char section[] = "§9.5";

bool session_room(void **list, size_t used, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (used < *room)
		return true;
	grown = realloc(*list, more * size);
	if (!grown)
		return false;
	*list = grown;
	*room = more;
	return true;
}

static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static void released(struct scenario *s, struct fence_timeline *timeline,
		     const struct card_event *event)
{
	uint32_t value = event->arg[1], last = timeline->releases ?
		timeline->release[timeline->releases - 1].value :
		timeline->start;
	char actual[128];

	if (!before(last, value) ||
	    value - timeline->start > timeline->attempts) {
		snprintf(actual, sizeof(actual), "0x%08x released after "
			 "0x%08x, with %u fences begun", value, last,
			 timeline->attempts);
		session_fail(s, "FENCE", section, "numbers on a timeline rise",
			     "the next number", "%s", actual);
	}
	if (event->arg[2] != 16)
		session_fail(s, "FENCE", section, "a fence is a release of 16 "
			     "bytes, with the time", "16 bytes",
			     "%" PRIu64 " bytes", event->arg[2]);
	if (!session_room((void **)&timeline->release, timeline->releases,
		      &timeline->release_room, sizeof(*timeline->release))) {
		session_error(s, "no memory for a timeline");
		return;
	}
	timeline->release[timeline->releases++] = (struct fence_release){
		.value = value, .time = event->time,
	};
}

void session_fence_died(struct scenario *s, uint32_t channel)
{
	unsigned int i;

	for (i = 0; i < SESSION_RINGS; i++) {
		struct fence_timeline *timeline = &s->fences.timeline[i];

		if (timeline->open && timeline->channel == channel &&
		    timeline->died == NEVER)
			timeline->died = card_now(s->card);
	}
}

void session_fence_event(struct scenario *s, const struct card_event *event)
{
	unsigned int i;

	if (event->kind == EV_COPY_END && s->fences.copies < 16)
		s->fences.copied[s->fences.copies++] = event->time;
	if (event->kind == EV_FAULT)
		session_fence_died(s, event->channel);
	if (event->kind != EV_SEM_RELEASE)
		return;
	for (i = 0; i < SESSION_RINGS; i++) {
		struct fence_timeline *timeline = &s->fences.timeline[i];

		if (timeline->open && timeline->channel == event->channel &&
		    event->arg[0] == timeline->va)
			released(s, timeline, event);
	}
}

void session_fence_forget(struct fence_timeline *timeline)
{
	free(timeline->emitted);
	free(timeline->release);
	*timeline = (struct fence_timeline){
		.died = NEVER, .closing = NEVER,
	};
}

void session_fence_call(struct scenario *s, const struct session_op *op)
{
	if (op->op.call == CALL_timeline_destroy)
		s->fences.timeline[op->op.handle].closing =
			card_now(s->card);
}

/* The batch's emissions have begun, as far as anybody can tell. */
void session_fences_begin(struct scenario *s)
{
	unsigned int i;

	for (i = 0; i < s->ops; i++) {
		const struct wire_op *op = &s->op[i].op;
		struct fence_timeline *timeline =
			&s->fences.timeline[op->handle];

		if (op->call == CALL_fence_emit)
			timeline->attempts += op->repeat;
	}
}

static uint64_t first_release(const struct fence_timeline *timeline,
			      uint32_t value)
{
	size_t i;

	for (i = 0; i < timeline->releases; i++) {
		if (!before(timeline->release[i].value, value))
			return timeline->release[i].time;
	}
	return NEVER;
}

struct fence_known session_known(const struct scenario *s, unsigned int n)
{
	const struct fence_point *point =
		&s->fences.point[n % SESSION_FENCES];
	const struct fence_timeline *timeline =
		&s->fences.timeline[point->ring];
	struct fence_known known = {
		.released = first_release(timeline, point->value),
		.died = timeline->died, .closing = timeline->closing,
	};

	/* Death after the release is nothing to the fence. */
	if (known.released <= known.died)
		known.died = NEVER;
	return known;
}
