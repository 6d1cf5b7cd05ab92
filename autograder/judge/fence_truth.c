/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Answers about fences, held against what the card released.
 *
 * The card tells each semaphore release when it happens, so the judge knows
 * to the nanosecond since when a fence is signalled, and since when its
 * channel is dead.  A driver may learn of it later, by the time that an
 * interrupt takes and that other threads hold the processor: a millisecond
 * is plenty.  It may never know of it earlier.
 */
#include <inttypes.h>
#include <stdio.h>

#include "autograder/judge/session.h"
#include "vm/spec/reg.h"

/* From a release, or a time-out's end, to the return of the call. */
#define SLACK_WAKE	(1 * MS)
/* Of time-outs: poll() counts in milliseconds. */
#define GRAIN		(1 * MS)
/* How far a time stamp may be from the release as the trace has it. */
#define SLACK_STAMP	1000u

static const char section[] = "§9.5";

static void untrue(struct scenario *s, const struct session_op *op,
		   const char *text, const char *expected, const char *why,
		   uint64_t time)
{
	char actual[256], value[64], called[CALL_TEXT];

	snprintf(actual, sizeof(actual), "%s = %s after %" PRIu64 " ns; %s"
		 "%s%" PRIu64 "%s",
		 session_call_text(s, op, called, sizeof(called)),
		 session_number(op->last, value, sizeof(value)),
		 op->ended - op->began, why,
		 time == NEVER ? " (" : " at ", time == NEVER ? 0 : time,
		 time == NEVER ? ")" : " ns");
	session_fail(s, "ANSWER", section, text, expected, "%s", actual);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t later_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* --- waits --------------------------------------------------------------- */

/* What a wait waits for: success from one time on, an error from another. */
struct goal {
	uint64_t good, bad;
	uint64_t closing;	/* or NEVER				*/
};

static struct goal goal_of_all(const struct scenario *s, unsigned int first,
			       unsigned int count)
{
	struct goal goal = { 0, NEVER, NEVER };
	unsigned int i;

	for (i = first; i < first + count; i++) {
		struct fence_known known = session_known(s, i);

		goal.good = later_of(goal.good, known.released);
		goal.bad = earlier(goal.bad, known.died);
		goal.closing = earlier(goal.closing, known.closing);
	}
	return goal;
}

static struct goal goal_of_any(const struct scenario *s, unsigned int first,
			       unsigned int count)
{
	struct goal goal = { NEVER, NEVER, NEVER };
	unsigned int i;

	for (i = first; i < first + count; i++) {
		struct fence_known known = session_known(s, i);

		goal.good = earlier(goal.good, known.released);
		goal.bad = earlier(goal.bad, known.died);
		goal.closing = earlier(goal.closing, known.closing);
	}
	return goal;
}

static uint64_t slack(const struct scenario *s)
{
	return SLACK_WAKE + s->fences.delay;
}

static void check_prompt(struct scenario *s, const struct session_op *op,
			 uint64_t since)
{
	/* Without its interrupt a waiter looks when its time is up. */
	uint64_t by = later_of(since, op->began) + slack(s);

	if (s->fences.lossy)
		by = later_of(by, op->began + op->timeout + slack(s));
	if (op->ended > by)
		untrue(s, op, "who waits wakes within a millisecond",
		       "a return soon after", "it was true", since);
}

static void check_timeout(struct scenario *s, const struct session_op *op,
			  const struct goal *goal)
{
	uint64_t since = earlier(earlier(goal->good, goal->bad),
				 goal->closing);

	if (op->ended - op->began < op->timeout)
		untrue(s, op, "a time-out is waited for",
		       "the whole time-out", "it began", op->began);
	/* At its end a wait looks once more. */
	if (since != NEVER && since + (s->fences.lossy ? 0 : slack(s)) <
	    op->began + op->timeout)
		untrue(s, op, "no wake-up is lost", "a return when it is true",
		       "it was true", since);
	if (!op->timeout && since < op->began)
		untrue(s, op, "a fence that is signalled is seen to be",
		       "0: it is signalled", "it was true", since);
}

static void check_error(struct scenario *s, const struct session_op *op,
			const struct goal *goal)
{
	switch (op->last) {
	case -EIO:
		if (goal->bad == NEVER)
			untrue(s, op, "an error is given only for a channel "
			       "that died before the fence", "no error",
			       "no such channel died", NEVER);
		else
			check_prompt(s, op, goal->bad);
		break;
	case -ENODEV:
		if (!s->unplugged)
			untrue(s, op, "an error is given only for what "
			       "happened", "no error", "the card is there",
			       NEVER);
		break;
	case -ECANCELED:
		if (goal->closing == NEVER)
			untrue(s, op, "an error is given only for what "
			       "happened", "no error",
			       "the timeline is there", NEVER);
		else
			check_prompt(s, op, goal->closing);
		break;
	case -ENOMEM:
		if (s->failing)
			break;
		/* fallthrough */
	default:
		untrue(s, op, "a call returns what its contract says",
		       "0, -ETIMEDOUT, -EIO, -ENODEV, -ECANCELED; -ENOMEM for "
		       "want of memory or a descriptor",
		       "nothing of the kind", NEVER);
	}
}

static void check_wait(struct scenario *s, const struct session_op *op,
		       const struct goal *goal)
{
	uint64_t most = op->timeout + op->timeout / 8 + slack(s) + GRAIN;

	if (op->ended - op->began > most)
		untrue(s, op, "a time-out is kept", "a return by then",
		       "it began", op->began);
	switch (op->last) {
	case 0:
		if (goal->good == NEVER)
			untrue(s, op, "a wait succeeds only when the card has "
			       "released the fence", "no success yet",
			       "no release by the card", NEVER);
		else
			check_prompt(s, op, goal->good);
		break;
	case -ETIMEDOUT:
		if (!s->unplugged)
			check_timeout(s, op, goal);
		break;
	default:
		check_error(s, op, goal);
	}
}

static void check_any(struct scenario *s, struct session_op *op)
{
	unsigned int first = op->op.args[0], count = op->op.args[1];
	struct goal goal = goal_of_any(s, first, count);
	struct fence_known known;

	check_wait(s, op, &goal);
	if (op->last != 0 && op->last != -EIO)
		return;
	if (!op->outputs || op->output[0] >= count) {
		untrue(s, op, "wait-any says which", "an index below count",
		       "the index is none", NEVER);
		return;
	}
	known = session_known(s, first + op->output[0]);
	if (known.released == NEVER && known.died == NEVER)
		untrue(s, op, "wait-any names a fence that is signalled or "
		       "failed", "such a fence", "its index is another",
		       NEVER);
}

/* poll()'s result, as a wait's. */
static void check_poll(struct scenario *s, struct session_op *op)
{
	struct goal goal = goal_of_all(s, op->op.args[0], 1);
	struct session_op as_wait = *op;

	as_wait.last = op->last == 1 ? 0 : op->last == 0 ? -ETIMEDOUT :
		op->last;
	/* A channel's death makes it readable, too. */
	goal.good = earlier(goal.good, goal.bad);
	if (op->last == 1 && s->unplugged)
		return;
	check_wait(s, &as_wait, &goal);
	if (op->outputs && op->output[0] != 1)
		untrue(s, op, "a descriptor that is readable stays so",
		       "readable at a second look", "it was not", NEVER);
}

/* --- the interrupt -------------------------------------------------------- */

static void expect_zero(struct scenario *s, uint32_t reg, const char *text)
{
	uint32_t value = card_read(s->card, CARD_BAR0, reg, 4);

	s->looked = 0;
	if (value)
		session_fail(s, "EXPECT", "§5.2", text, "0", "%s = 0x%08x",
			     card_register_name(s->card, reg), value);
}

void expect_masked(struct scenario *s)
{
	static const uint32_t of_host[] = {
		NV_PFIFO_INTR_EN_0, NV_PFIFO_INTR_EN_1,
	};
	static const char text[] = "nothing is enabled when gpu_irq_fini() "
		"returns, whatever the handler was at";
	unsigned int i;

	for (i = 0; i < 2; i++) {
		expect_zero(s, of_host[i], text);
		expect_zero(s, REG_AT(NV_PMC_INTR_EN, i), text);
	}
	session_check(s);
}

/* --- the other calls ------------------------------------------------------ */

/* Its number came; its result comes when its thread has run on. */
void session_fence_emitted(struct scenario *s, struct session_op *op)
{
	struct fence_timeline *timeline =
		&s->fences.timeline[op->op.handle];
	uint32_t value = op->output[0];
	bool again = false;
	size_t i;

	for (i = 0; i < timeline->emits; i++)
		again |= timeline->emitted[i] == value;
	if (again || value == timeline->start ||
	    value - timeline->start > timeline->attempts ||
	    op->output[1] != 1)
		session_fail(s, "FENCE", section, "a fence is the next number "
			     "of its timeline", "each number once",
			     "0x%08x%s, after 0x%08x and %zu fences", value,
			     again ? " again" : "", timeline->start,
			     timeline->emits);
	if (!session_room((void **)&timeline->emitted, timeline->emits,
		      &timeline->emit_room, sizeof(*timeline->emitted))) {
		session_error(s, "no memory for a timeline");
		return;
	}
	timeline->emitted[timeline->emits++] = value;
	s->fences.point[op->op.args[0] % SESSION_FENCES] =
		(struct fence_point){ true, op->op.handle, value };
}

static void check_ask(struct scenario *s, const struct session_op *op)
{
	struct fence_known known = session_known(s, op->op.args[0]);
	struct goal goal = { known.released, known.died, known.closing };

	if (op->last == 1 && known.released == NEVER)
		untrue(s, op, "a fence is signalled when the card has "
		       "released it", "0: not yet", "no release", NEVER);
	else if (op->last == 0 && known.released < op->began)
		untrue(s, op, "a fence is signalled when the card has "
		       "released it", "1", "it was released",
		       known.released);
	else if (op->last == 0 && known.died != NEVER &&
		 known.died + slack(s) < op->began)
		untrue(s, op, "a fence whose channel died says so", "-EIO",
		       "its channel died", known.died);
	else if (op->last < 0)
		check_error(s, op, &goal);
}

static void check_stamp(struct scenario *s, const struct session_op *op)
{
	const struct fence_point *point =
		&s->fences.point[op->op.args[0] % SESSION_FENCES];
	const struct fence_timeline *timeline =
		&s->fences.timeline[point->ring];
	uint64_t at = session_known(s, op->op.args[0]).released;
	uint64_t stamp = op->output[0];

	if (op->last == 0 && (at == NEVER || stamp + SLACK_STAMP < at ||
			      stamp > at + SLACK_STAMP))
		untrue(s, op, "a fence's time is when the card released it",
		       "that time", "it was released", at);
	if (op->last == -EAGAIN && at < op->began && timeline->releases &&
	    timeline->release[timeline->releases - 1].value == point->value)
		untrue(s, op, "a fence's time is there once it is released",
		       "0 and the time", "it was released", at);
	if (op->last != 0 && op->last != -EAGAIN)
		untrue(s, op, "a call returns what its contract says",
		       "0 or -EAGAIN", "nothing of the kind", NEVER);
}

static void check_channel(struct scenario *s, const struct session_op *op)
{
	uint64_t died = s->fences.timeline[op->op.handle].died;
	struct goal goal = { NEVER, died, NEVER };

	if (op->last == 0 && died != NEVER && died + slack(s) < op->began)
		untrue(s, op, "a channel that met a fault says so", "-EIO",
		       "it died", died);
	else if (op->last)
		check_error(s, op, &goal);
}

void session_fence_result(struct scenario *s, struct session_op *op)
{
	struct goal goal;

	switch (op->op.call) {
	case CALL_irq_init:
		s->handles = op->last == 0;
		break;
	case CALL_irq_fini:
	case CALL_gpu_close:
		s->handles = false;
		break;
	case CALL_fence_is_signaled:
		check_ask(s, op);
		break;
	case CALL_fence_time:
		check_stamp(s, op);
		break;
	case CALL_fence_wait:
		goal = goal_of_all(s, op->op.args[0], 1);
		check_wait(s, op, &goal);
		break;
	case CALL_fence_wait_all:
		goal = goal_of_all(s, op->op.args[0], op->op.args[1]);
		check_wait(s, op, &goal);
		break;
	case CALL_fence_wait_any:
		check_any(s, op);
		break;
	case CALL_fence_poll:
		check_poll(s, op);
		break;
	case CALL_chan_error:
		check_channel(s, op);
		break;
	default:
		return;
	}
	if (op->op.repeat > 1)
		op->outputs = 0;
}
