/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Requests that need not be asked.
 *
 * Each answer of the judge says until when nothing can happen by itself.
 * What takes less time than that, and changes nothing, is answered here: the
 * time, a load from DMA memory, a turn of a polling loop, and a further read
 * of the register that was read last.  It is posted with the time it came
 * to, and the judge, who does it once more, sees that we were right.
 *
 * A posted write has effects that we do not know: then the judge is asked.
 * Only the time is still known, if it was a register that was written, and
 * nobody but the judge can tell of an interrupt: who waits for one must ask.
 */
#include "internal.h"
#include "link.h"

static uint64_t now, quiet, polls_since;
static uint64_t ahead;		/* now, and what was posted; 0: not known */
static uint32_t write_cost;	/* of a register; 0: not known		*/
static bool handles;

/* The read that was answered last; cost 0: none, or it may change. */
static struct {
	uint64_t region, offset, size, value, cost;
} last;

uint64_t rt_time(void)
{
	return now;
}

void rt_own_told(const struct wire_reply *reply)
{
	const struct wire_request *request = &rt_wire()->request;

	now = ahead = reply->now;
	write_cost = reply->write_cost;
	quiet = reply->quiet;
	polls_since = reply->polls_since;
	handles = reply->handles;
	last.cost = request->kind == WIRE_READ ? reply->steady : 0;
	if (!last.cost)
		return;
	last.region = request->a;
	last.offset = request->b;
	last.size = request->c;
	last.value = reply->a;
}

/* One that no unit refuses, to a register of the card. */
static bool is_plain(const struct wire_post *post)
{
	return post->region == WIRE_REGISTERS && post->size == 4 &&
		post->addr % 4 == 0 && post->addr < WIRE_REGISTERS_SIZE;
}

void rt_own_posted(const struct wire_post *post)
{
	switch (post->kind) {
	case WIRE_WRITE:
		ahead = ahead && write_cost && is_plain(post) ?
			ahead + write_cost : 0;
		quiet = 0;
		break;
	case WIRE_BURST:
	case WIRE_FILL:
		ahead = 0;
		quiet = 0;
		break;
	case WIRE_STORE:
	case WIRE_RESULT:
		polls_since = 0;
		break;
	default:
		break;
	}
}

/* This much later, if nothing happens up to then. */
static bool spend(uint64_t ns, struct wire_post post, struct wire_reply *reply)
{
	uint64_t then = now + ns;

	if (then >= quiet)
		return false;
	post.pad = then;
	rt_post_own(post);
	now = ahead = then;
	*reply = (struct wire_reply){ .a = post.value, .cost = ns };
	return true;
}

static bool look_at_clock(struct wire_reply *reply)
{
	struct wire_post post = { .kind = WIRE_OWN_NOW };
	uint64_t then = ahead + WIRE_COST_NOW;

	if (!spend(WIRE_COST_NOW, post, reply)) {
		if (!ahead || rt_irq_is_taken())
			return false;
		post.pad = then;
		rt_post_own(post);
		now = ahead = then;
		*reply = (struct wire_reply){ .cost = WIRE_COST_NOW };
	}
	reply->a = now;
	return true;
}

static bool relax(bool others, struct wire_reply *reply)
{
	const struct wire_post post = {
		.kind = WIRE_OWN_RELAX, .value = others,
	};
	uint64_t since = polls_since;

	if (!since || (handles && others))
		since = now;
	if (!spend(wire_turn_cost(now - since), post, reply))
		return false;
	polls_since = since;
	return true;
}

static bool read_again(uint64_t region, uint64_t offset, uint64_t size,
		       struct wire_reply *reply)
{
	const struct wire_post post = {
		.kind = WIRE_OWN_READ, .region = region, .addr = offset,
		.size = size, .value = last.value,
	};

	return last.cost && last.region == region && last.offset == offset &&
		last.size == size && spend(last.cost, post, reply);
}

bool rt_own(enum wire_request_kind kind, uint64_t a, uint64_t b, uint64_t c,
	    struct wire_reply *reply)
{
	const struct wire_post load = {
		.kind = WIRE_OWN_LOAD, .addr = a, .value = b,
	};

	switch (kind) {
	case WIRE_READ:
		return read_again(a, b, c, reply);
	case WIRE_LOAD:
		return spend(WIRE_COST_LOAD, load, reply);
	case WIRE_NOW:
		return look_at_clock(reply);
	case WIRE_RELAX:
		return relax(a, reply);
	default:
		return false;
	}
}
