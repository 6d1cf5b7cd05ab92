/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the agent posted: stores, posted writes, barriers, results.
 *
 * Every word is copied before it is looked at, since a student's thread may
 * write to the shared memory at any time; every range is checked.
 */
#include <inttypes.h>
#include <string.h>

#include "autograder/judge/session.h"

static void damaged(struct scenario *s, const char *what, uint64_t value)
{
	session_fail(s, "LINK", s->test->section,
		     "the driver leaves memory alone that is not its own",
		     "an intact link", "%s: 0x%" PRIx64, what, value);
	s->stop = true;
}

static bool bad_size(unsigned int size)
{
	return size != 1 && size != 2 && size != 4 && size != 8;
}

static void post_store(struct scenario *s, const struct wire_post *post)
{
	const struct arena_piece *piece;

	if (bad_size(post->size) || post->addr > WIRE_ARENA_SIZE - 8) {
		damaged(s, "a store outside the arena", post->addr);
		return;
	}
	piece = arena_find(&s->arena, post->addr, post->size);
	if (!piece || !piece->live) {
		session_fail(s, "MEMORY", "§8.5",
			     "only DMA memory that is allocated is written",
			     piece ? "no store after the memory was freed" :
			     "a store inside an allocation",
			     "thread %u stores 0x%" PRIx64 " at arena+%" PRIx64,
			     post->thread, post->value, post->addr);
		return;
	}
	visibility_store(s->visibility, post->thread, post->addr, post->size,
			 post->value, card_now(s->card));
	card_cpu_store(s->card, piece->dma + (post->addr - piece->offset),
		       post->size);
	record_post(&s->record, card_now(s->card), post);
}

/*
 * A CPU may be interrupted right after it wrote GP_PUT.  Then Host fetches
 * before the driver's next instruction, and a barrier that follows GP_PUT
 * comes too late [§4.3].  So every other time, where visibility is tested.
 */
static uint64_t interruption(struct scenario *s)
{
	return s->weak && (s->options->seed + s->offers++) % 2 ? 5 * US : 0;
}

static void post_write(struct scenario *s, const struct wire_post *post)
{
	bool offers;

	if (post->region >= CARD_REGIONS || bad_size(post->size)) {
		damaged(s, "a write to no region", post->region);
		return;
	}
	session_access(s);
	visibility_mmio(s->visibility, post->thread);
	offers = record_write(&s->record, post);
	card_write(s->card, post->region, post->addr, post->size,
		   post->value);
	session_advance(s, offers ? interruption(s) : 0);
}

/* What was gathered goes to the card. */
static void send_burst(struct scenario *s, const struct wire_post *post)
{
	unsigned int i;

	session_access(s);
	visibility_mmio(s->visibility, post->thread);
	if (s->burst.size % 4 || s->burst.offset % 4) {
		for (i = 0; i < s->burst.size; i++)
			card_write(s->card, post->region,
				   s->burst.offset + i, 1,
				   s->burst.bytes[i]);
	} else {
		card_write_burst(s->card, post->region, s->burst.offset,
				 s->burst.bytes, s->burst.size);
	}
	s->burst.size = 0;
	session_advance(s, 0);
}

/* Pieces of a burst are gathered in the card's own lines of 64 bytes. */
static void post_burst(struct scenario *s, const struct wire_post *post)
{
	if (post->region >= CARD_REGIONS || bad_size(post->size)) {
		damaged(s, "a burst to no region", post->region);
		return;
	}
	if (!s->burst.size)
		s->burst.offset = post->addr;
	if (post->addr != s->burst.offset + s->burst.size) {
		damaged(s, "a burst with a gap", post->addr);
		return;
	}
	memcpy(s->burst.bytes + s->burst.size, &post->value, post->size);
	s->burst.size += post->size;
	if (!post->pad || s->burst.size + 8 > sizeof(s->burst.bytes))
		send_burst(s, post);
}

static void post_fill(struct scenario *s, const struct wire_post *post)
{
	struct wire_post piece = *post;

	piece.size = 8;
	if (post->pad % 8 || post->pad > WIRE_FILL_MAX) {
		damaged(s, "a fill of so many bytes", post->pad);
		return;
	}
	while (piece.pad && !s->stop) {
		piece.pad -= 8;
		post_burst(s, &piece);
		piece.addr += 8;
	}
}

/* Only the driver is harmed by what is not so. */
static void post_table_freed(struct scenario *s, const struct wire_post *post)
{
	record_text(&s->record, card_now(s->card), "table at 0x%" PRIx64
		    ", %" PRIu64 " bytes, given back", post->addr,
		    post->value);
	card_table_freed(s->card, post->addr, post->value);
}

static void post_output(struct scenario *s, const struct wire_post *post)
{
	struct session_op *op;

	if (post->addr >= s->ops) {
		damaged(s, "output of an unknown call", post->addr);
		return;
	}
	op = &s->op[post->addr];
	if (op->outputs < SCENARIO_OUTPUTS)
		op->output[op->outputs] = post->value;
	op->outputs++;
	if (op->op.call == CALL_fence_emit && op->outputs == 2)
		session_fence_emitted(s, op);
}

static void post_begin(struct scenario *s, const struct wire_post *post)
{
	if (post->addr >= s->ops || post->thread >= SCENARIO_THREADS) {
		damaged(s, "an unknown call begins", post->addr);
		return;
	}
	s->thread_began[post->thread] = card_now(s->card);
	session_fence_call(s, &s->op[post->addr]);
}

static void handle(struct scenario *s, const struct wire_post *post)
{
	switch (post->kind) {
	case WIRE_STORE:
		s->relax_since = 0;
		post_store(s, post);
		break;
	case WIRE_WRITE:
		s->relax_since = 0;
		post_write(s, post);
		break;
	case WIRE_BURST:
		s->relax_since = 0;
		post_burst(s, post);
		break;
	case WIRE_FILL:
		s->relax_since = 0;
		post_fill(s, post);
		break;
	case WIRE_BARRIER:
		visibility_barrier(s->visibility, post->thread, post->value);
		record_post(&s->record, card_now(s->card), post);
		break;
	case WIRE_RESULT:
		s->relax_since = 0;
		if (post->addr >= s->ops)
			damaged(s, "result of an unknown call", post->addr);
		else
			session_result(s, post->addr, post->value);
		break;
	case WIRE_OUTPUT:
		post_output(s, post);
		break;
	case WIRE_SWITCH:
		record_post(&s->record, card_now(s->card), post);
		break;
	case WIRE_BEGIN:
		post_begin(s, post);
		break;
	case WIRE_STEPS:
		s->steps = post->value;
		break;
	case WIRE_TABLE_FREED:
		post_table_freed(s, post);
		break;
	case WIRE_OWN_READ:
	case WIRE_OWN_LOAD:
	case WIRE_OWN_NOW:
	case WIRE_OWN_RELAX:
		if (!session_own(s, post) && !s->stop)
			damaged(s, "an answer of its own", post->kind);
		break;
	default:
		damaged(s, "a post of unknown kind", post->kind);
	}
}

void session_posts(struct scenario *s)
{
	uint32_t count = atomic_load(&s->link.wire->posted), i;
	struct wire_post post;

	if (count > WIRE_POSTS) {
		damaged(s, "too many posts", count);
		return;
	}
	for (i = 0; i < count && !s->stop; i++) {
		memcpy(&post, &s->link.wire->post[i], sizeof(post));
		handle(s, &post);
	}
	atomic_store(&s->link.wire->posted, 0);
}
