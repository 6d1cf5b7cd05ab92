/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What tests do to the card, and what they then find out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "autograder/judge/session.h"

/* As long as many polls: a ring stays full, and somebody always waits. */
#define SLOW_METHOD	14000

/* --- what happens to the card ---------------------------------------- */

void use_slow_host(struct scenario *s)
{
	s->method_cost = SLOW_METHOD;
}

void at_once(struct scenario *s, enum scenario_action what)
{
	session_act(s, what);
	session_check(s);
}

static struct action *plan(struct scenario *s)
{
	struct action *action = session_plan(s);

	if (!action) {
		session_error(s, "the test plans too much");
		session_check(s);
	}
	return action;
}

void later(struct scenario *s, uint64_t ns, enum scenario_action what)
{
	struct action *action = plan(s);

	action->what = what;
	action->time = card_now(s->card) + ns;
}

void at_access(struct scenario *s, uint64_t n, enum scenario_action what)
{
	struct action *action = plan(s);

	action->what = what;
	action->access = n;
}

void stand_still(struct scenario *s, uint64_t n, uint64_t ns)
{
	s->still_at = n;
	s->still_ns = ns;
}

uint64_t accesses(const struct scenario *s)
{
	return s->accesses;
}

void let_pass(struct scenario *s, uint64_t ns)
{
	struct wire_op op = { .call = CALL_sleep, .args = { ns } };

	if (s->handles) {
		/* Its interrupt handler is the agent's. */
		batch_add(s, &op)->timeout = ns;
		batch_run(s, 1);
	} else {
		session_advance(s, ns);
	}
	session_check(s);
}

static void pass_a_little(struct scenario *s, uint64_t deadline)
{
	if (s->handles)
		let_pass(s, 10 * US);
	else
		session_step(s, deadline);
}

/* --- what must be true ----------------------------------------------- */

const char *session_number(int64_t value, char *buf, size_t len)
{
	/* -1 is nobody's -EPERM. */
	const char *name = value < -1 && value > -4096 ?
		strerrorname_np(-value) : NULL;

	if (name)
		snprintf(buf, len, "-%s", name);
	else if (value > 9)
		snprintf(buf, len, "%" PRId64 " (0x%" PRIx64 ")", value,
			 (uint64_t)value);
	else
		snprintf(buf, len, "%" PRId64, value);
	return buf;
}

void expect_value(struct scenario *s, int64_t value, int64_t wanted,
		  const char *text)
{
	char a[64], b[64];

	if (value != wanted)
		session_fail(s, "EXPECT", s->test->section, text,
			     session_number(wanted, a, sizeof(a)), "%s",
			     session_number(value, b, sizeof(b)));
	session_check(s);
}

void expect_true(struct scenario *s, bool condition, const char *text,
		 const char *wanted, uint64_t actual)
{
	if (!condition)
		session_fail(s, "EXPECT", s->test->section, text, wanted,
			     "%" PRIu64, actual);
	session_check(s);
}

static void report_lost(struct scenario *s, const struct session_ring *ring)
{
	struct card_channel_state state = { .bound = false };
	unsigned int t;
	size_t i;

	card_channel(s->card, ring->channel, &state);
	for (t = 0; t < SCENARIO_THREADS; t++) {
		const struct expected_queue *queue = &ring->queue[t];

		for (i = queue->head; i < queue->count; i++) {
			if (!queue->list[i].offered)
				continue;
			session_fail(s, "LOST", "§8.3",
				     "what was submitted is executed",
				     "every segment executed",
				     "%zu not executed, the first tagged "
				     "0x%08x, of thread %u; GP_GET %u, GP_PUT "
				     "%u, Host %s", session_outstanding(ring),
				     queue->list[i].tag, t, state.gp_get,
				     state.gp_put,
				     state.idle ? "at rest" : "at work");
			return;
		}
	}
}

void expect_executed(struct scenario *s, unsigned int ring, uint64_t limit)
{
	struct session_ring *r = &s->ring[ring];
	uint64_t deadline = card_now(s->card) + limit;

	session_match(s, r);
	while (!s->failed && session_outstanding(r) &&
	       card_now(s->card) < deadline &&
	       card_next_event(s->card) <= deadline) {
		pass_a_little(s, deadline);
		session_match(s, r);
	}
	if (!s->failed)
		report_lost(s, r);
	/* What Host might do on top of it, it does now. */
	let_pass(s, 10 * US);
	session_match(s, r);
	session_check(s);
}

uint64_t executed(const struct scenario *s, unsigned int ring)
{
	return s->ring[ring].executed;
}

uint32_t put_writes(struct scenario *s, unsigned int ring)
{
	struct record_channel *channel =
		record_channel(&s->record, s->ring[ring].channel);
	uint32_t writes = channel ? channel->put_writes : 0;

	if (channel)
		channel->put_writes = 0;
	return writes;
}

static const struct record_channel *seen(const struct scenario *s,
					 unsigned int ring)
{
	static const struct record_channel none;
	unsigned int i;

	for (i = 0; i < s->record.channels; i++) {
		if (s->record.channel[i].id == s->ring[ring].channel)
			return &s->record.channel[i];
	}
	return &none;
}

uint32_t put_value(const struct scenario *s, unsigned int ring)
{
	return seen(s, ring)->put_written;
}

uint32_t crc_checks(const struct scenario *s, unsigned int ring)
{
	return seen(s, ring)->crc_checks - s->ring[ring].crc_before;
}

struct card_channel_state channel_state(const struct scenario *s,
					unsigned int ring)
{
	struct card_channel_state state = { .bound = false };

	card_channel(s->card, s->ring[ring].channel, &state);
	return state;
}

void expect_unbound(struct scenario *s, uint32_t channel)
{
	struct card_channel_state state = { .bound = false };
	bool bound = card_channel(s->card, channel, &state) && state.bound;

	expect_true(s, !bound, "the channel should be off the card",
		    "an unbound channel", channel);
}

void ignore_rule(struct scenario *s, enum card_rule rule)
{
	s->ignored[rule] = true;
}

/* --- variety --------------------------------------------------------- */

uint64_t seed(const struct scenario *s)
{
	return s->options->seed;
}

uint32_t pick(struct scenario *s, uint32_t limit)
{
	uint64_t z = s->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % limit;
}
