/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Serving the agent: from one hand-over of the turn to the next.
 *
 * What things cost in virtual time stands in wire.h.  The turns of a long
 * poll grow, and never jump over an event of the card: so nothing happens
 * late.  They do not grow while another thread has work to do: that takes
 * turns, but no time.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "autograder/judge/session.h"

/* The agent's text, made harmless. */
static const char *text_of(struct scenario *s, const struct wire_request *r,
			   char *buf, size_t len)
{
	size_t i;

	for (i = 0; i + 1 < len && i < r->payload; i++) {
		unsigned char c = s->link.wire->payload[i];

		if (!c)
			break;
		buf[i] = isprint(c) && c < 0x80 ? c : '?';
	}
	buf[i] = '\0';
	return buf;
}

static void serve_read(struct scenario *s, const struct wire_request *r,
		       struct wire_reply *reply)
{
	if (r->a >= CARD_REGIONS || r->c > 8) {
		reply->result = -EINVAL;
		return;
	}
	session_access(s);
	reply->a = card_read(s->card, r->a, r->b, r->c);
	session_advance(s, 0);
	reply->steady = session_steady(s, r);
}

static void serve_load(struct scenario *s)
{
	s->loads++;
	session_advance(s, WIRE_COST_LOAD);
}

static void serve_now(struct scenario *s, struct wire_reply *reply)
{
	session_advance(s, WIRE_COST_NOW);
	reply->a = card_now(s->card);
}

static void serve_relax(struct scenario *s, const struct wire_request *r)
{
	uint64_t time = card_now(s->card);

	/* What others do takes no time, but it must have its turn. */
	if (!s->relax_since || (s->handles && r->a))
		s->relax_since = time;
	session_step(s, time + wire_turn_cost(time - s->relax_since));
}

/* Nothing will happen any more: no event, no action that is planned. */
static bool at_rest(struct scenario *s)
{
	unsigned int i;

	for (i = 0; i < s->actions; i++) {
		if (!s->action[i].done && s->action[i].time)
			return false;
	}
	return card_next_event(s->card) == UINT64_MAX;
}

static void serve_sleep(struct scenario *s, const struct wire_request *r,
			struct wire_reply *reply)
{
	/* The limit of the batch ends it, should the driver oversleep. */
	while (card_now(s->card) < r->a && !s->stop &&
	       s->interrupts == s->told) {
		if (r->a == UINT64_MAX && at_rest(s)) {
			reply->result = -EDEADLK;
			break;
		}
		session_step(s, r->a);
	}
	reply->a = card_now(s->card);
}

static void serve_alloc(struct scenario *s, const struct wire_request *r,
			struct wire_reply *reply)
{
	const struct arena_piece *piece = r->b > 1 ? NULL :
		arena_alloc(&s->arena, r->a);

	reply->a = UINT64_MAX;
	reply->result = piece ? 0 : -ENOMEM;
	if (!piece)
		return;
	visibility_map(s->visibility, piece->offset, piece->size, r->b);
	reply->a = piece->offset;
	reply->b = piece->dma;
	record_text(&s->record, card_now(s->card), "%" PRIu64 " bytes of %s "
		    "DMA memory: arena+%" PRIx64 ", address %" PRIx64,
		    piece->size, r->b ? "write-combining" : "coherent",
		    piece->offset, piece->dma);
}

static void serve_free(struct scenario *s, const struct wire_request *r,
		       struct wire_reply *reply)
{
	struct arena_piece *piece = arena_at(&s->arena, r->b);

	if (!piece) {
		session_fail(s, "MEMORY", "§8.5",
			     "DMA memory is freed once, as it was allocated",
			     "an allocation that starts there",
			     "freed: arena+%" PRIx64, r->b);
		reply->result = -EINVAL;
		return;
	}
	record_text(&s->record, card_now(s->card), "arena+%" PRIx64 " freed",
		    piece->offset);
	arena_free(&s->arena, piece);
}

static const char text_bar[] =
	"what lies behind a BAR is reached by its accessors";

static void serve_crash(struct scenario *s, const struct wire_request *r)
{
	char text[192], what[64] = "";

	if (r->a)	/* not what the runtime itself noticed */
		snprintf(what, sizeof(what),
			 "signal %" PRIu64 " at address 0x%" PRIx64 "; ",
			 r->a, r->b);
	session_fail(s, "CRASH", r->d ? "§4.3" : s->test->section,
		     r->d ? text_bar : "the driver does not crash", "a return",
		     "%s%s", what, text_of(s, r, text, sizeof(text)));
	s->stop = true;
}

static void serve_report(struct scenario *s, const struct wire_request *r)
{
	static const struct {
		const char *rule, *section, *text;
	} what[] = {
		[WIRE_REPORT_DEREF_IOMEM] = { "DEREF_IOMEM", "§4.3",
			text_bar },
		[WIRE_REPORT_LEAK] = { "LEAK", "§8.5",
			"what was allocated is freed" },
		[WIRE_REPORT_LOCK] = { "LOCK", "§4.6",
			"locks are used as they must be" },
		[WIRE_REPORT_STEPS] = { "LOOP", "§4.6",
			"every wait is bounded" },
		[WIRE_REPORT_DMA_FREE_BUSY] = { "MEMORY", "§8.5",
			"DMA memory is freed once, as it was allocated" },
		[WIRE_REPORT_SLEEP_IN_IRQ] = { "SLEEP_IN_IRQ", "§4.6",
			"what may sleep is not called in atomic context" },
		[WIRE_REPORT_IRQ_LOCK] = { "IRQ_LOCK", "§4.6",
			"a handler's lock is taken with interrupts off" },
		[WIRE_REPORT_IRQ_BUDGET] = { "IRQ_BUDGET", "§4.6",
			"an interrupt handler is short" },
	};
	char text[192];

	text_of(s, r, text, sizeof(text));
	if (r->a == WIRE_REPORT_HEAP_FULL) {
		s->heap_full = true;
		record_text(&s->record, card_now(s->card), "thread %u: %.120s",
			    r->thread, text);
	}
	if (r->a >= sizeof(what) / sizeof(what[0]))
		return;
	if (r->a == WIRE_REPORT_LEAK) {
		s->leaked = true;
		if (!s->leaks_matter)
			return;
	}
	session_fail(s, what[r->a].rule, what[r->a].section, what[r->a].text,
		     "none of it", "%s", text);
	if (r->a == WIRE_REPORT_STEPS)
		s->stop = true;
}

static void serve_deadlock(struct scenario *s, const struct wire_request *r)
{
	char text[192];

	session_fail(s, "DEADLOCK", "§4.6",
		     "threads take locks in one order and let go",
		     "some thread can run", "%s",
		     text_of(s, r, text, sizeof(text)));
	s->stop = true;
}

/* False: the agent now waits for a command and keeps waiting. */
static bool serve_request(struct scenario *s, const struct wire_request *r,
			  struct wire_reply *reply)
{
	switch (r->kind) {
	case WIRE_HELLO:
		if (r->a != WIRE_MAGIC || r->b != WIRE_VERSION)
			session_error(s, "the agent speaks another version");
		s->hello = true;
		reply->a = s->options->seed;
		break;
	case WIRE_NEXT:
		s->at_next = true;
		return false;
	case WIRE_READ:
		serve_read(s, r, reply);
		break;
	case WIRE_LOAD:
		serve_load(s);
		break;
	case WIRE_NOW:
		serve_now(s, reply);
		break;
	case WIRE_RELAX:
		serve_relax(s, r);
		break;
	case WIRE_SLEEP:
		serve_sleep(s, r, reply);
		break;
	case WIRE_DEADLOCK:
		serve_deadlock(s, r);
		break;
	case WIRE_DMA_ALLOC:
		serve_alloc(s, r, reply);
		break;
	case WIRE_DMA_FREE:
		serve_free(s, r, reply);
		break;
	case WIRE_CRASH:
		serve_crash(s, r);
		break;
	case WIRE_REPORT:
		serve_report(s, r);
		break;
	case WIRE_REGION_SIZE:
		reply->a = r->a < CARD_REGIONS ?
			card_region_size(s->card, r->a) : 0;
		break;
	case WIRE_FULL:
		break;
	default:
		session_fail(s, "LINK", s->test->section, "the driver leaves "
			     "memory alone that is not its own",
			     "an intact link", "request %u", r->kind);
		s->stop = true;
	}
	return true;
}

static void agent_died(struct scenario *s)
{
	int status = s->link.status;

	s->stop = true;
	if (s->exiting)
		return;
	if (!s->hello && WIFEXITED(status) &&
	    (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
		session_error(s, "the agent could not be started");
	else if (WIFSIGNALED(status))
		session_fail(s, "CRASH", s->test->section,
			     "the driver does not crash", "a return",
			     "the process was ended by signal %d",
			     WTERMSIG(status));
	else
		session_fail(s, "EXIT", s->test->section,
			     "the driver does not end its process", "a return",
			     "the process exited with status %d",
			     WEXITSTATUS(status));
}

static bool turn_came(struct scenario *s, enum link_state state)
{
	switch (state) {
	case LINK_TURN:
		return true;
	case LINK_DEAD:
		agent_died(s);
		break;
	case LINK_LOOPING:
		session_fail(s, "LOOP", "§4.6", "every wait is bounded",
			     "the call returns", "the driver computes for "
			     "seconds and asks the card for nothing");
		break;
	case LINK_STUCK:
		session_error(s, "the wall clock ran out");
		break;
	}
	s->stop = true;
	return false;
}

/* A request that the agent answered for itself, answered once more. */
bool session_own(struct scenario *s, const struct wire_post *post)
{
	struct wire_request r = { .a = post->value };
	struct wire_reply reply = { 0 };

	switch (post->kind) {
	case WIRE_OWN_READ:
		r = (struct wire_request){
			.a = post->region, .b = post->addr, .c = post->size,
		};
		serve_read(s, &r, &reply);
		if (reply.a != post->value)
			return false;
		break;
	case WIRE_OWN_LOAD:
		serve_load(s);
		break;
	case WIRE_OWN_NOW:
		serve_now(s, &reply);
		break;
	default:
		serve_relax(s, &r);
	}
	return (uint32_t)card_now(s->card) == post->pad;
}

void session_serve(struct scenario *s)
{
	struct wire *wire = s->link.wire;
	struct wire_request request;
	struct wire_reply reply;
	uint64_t began;

	while (!s->stop && turn_came(s, link_wait(&s->link))) {
		session_posts(s);
		if (s->stop)
			break;
		memcpy(&request, &wire->request, sizeof(request));
		if (request.payload > WIRE_PAYLOAD)
			request.payload = 0;
		memset(&reply, 0, sizeof(reply));
		began = card_now(s->card);
		if (!serve_request(s, &request, &reply))
			return;
		reply.cost = card_now(s->card) - began;
		session_stamp(s, &reply);
		memcpy(&wire->reply, &reply, sizeof(reply));
		if (!s->stop)
			link_give(&s->link);
	}
}
